"""Cursors: places in a procedure, how edits move them, and finding them by pattern."""

from usl_core.cursors import kinds  # declares the cursor classes, which make_cursor looks up by kind of node

__all__ = ["kinds"]
