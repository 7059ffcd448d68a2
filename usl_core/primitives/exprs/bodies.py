"""Where an expression stands: in the body of a procedure, and under which statement."""

from __future__ import annotations

from usl_core.cursors.path import Path
from usl_core.primitives.base import refuse


def require_in_body(path: Path, operator: str) -> None:
    """Shapes of formals and assertions belong to the interface, which no operator on expressions changes."""
    if path[0][0] != "body":
        refuse(operator, "only expressions in the body of a procedure can be rewritten", code="E404")
