"""Operators on expressions: naming values, and algebra."""
