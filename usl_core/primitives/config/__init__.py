"""Operators on configuration state."""
