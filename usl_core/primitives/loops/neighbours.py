"""Statements that follow each other."""

from __future__ import annotations

from usl_core.cursors.path import Path
from usl_core.errors import Span
from usl_core.primitives.base import refuse


def follows(first: Path, second: Path) -> bool:
    """Whether the statement at second comes directly after the one at first, in the same list."""
    (field, index), (other_field, other_index) = first[-1], second[-1]
    assert index is not None and other_index is not None
    return first[:-1] == second[:-1] and field == other_field and other_index == index + 1


def require_neighbours(first: Path, second: Path, span: Span) -> None:
    """The second of two statements directly follows the first, or the operator refuses."""
    if not follows(first, second):
        hint = "hint: move the statements in between with reorder_stmts, and name the earlier one first"
        refuse("the second statement must directly follow the first", span, [hint], code="E404")
