"""Operators that do several others at once; each step is one of these."""
