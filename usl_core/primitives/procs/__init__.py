"""Operators on whole procedures: names, fixed arguments, further assertions."""
