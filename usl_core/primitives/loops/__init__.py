"""Operators on loops and branches: which iterations there are, and in which order they run."""
