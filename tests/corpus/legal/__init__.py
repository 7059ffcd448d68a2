"""Legal steps. Each module has a list `CASES`; a new module is found by itself."""
