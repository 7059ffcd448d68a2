"""Legal steps. One module for each operator, with a list `CASES`; a new module is found by itself."""
