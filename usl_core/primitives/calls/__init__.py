"""Operators on calls, and the unifier behind `replace`."""
