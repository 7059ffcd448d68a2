"""Conformance: whether a plugin's C does what its bodies say. See docs/plugins.md.

Needs a backend plugin to compile with. Nothing here is imported before it is asked for.
"""
