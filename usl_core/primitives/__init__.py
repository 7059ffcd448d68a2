"""The scheduling operators. Only they, and the frontend, make procedures; each proves that it keeps meaning."""
