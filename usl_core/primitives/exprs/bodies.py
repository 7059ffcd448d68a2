"""Where an expression stands: in the body of a procedure, and under which statement."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.cursors.path import BlockLoc, Path, get
from usl_core.ir.nodes import BinaryOp, Expr, Literal, Proc
from usl_core.ir.printer import show_expr
from usl_core.ir.types import INDEX
from usl_core.primitives.base import refuse


def require_in_body(path: Path) -> None:
    """Shapes of formals and assertions belong to the interface, which no operator on expressions changes."""
    if path[0][0] != "body":
        refuse("only expressions in the body of a procedure can be rewritten", code="E404")


def statement_of(path: Path) -> Path:
    """The path of the statement that holds the expression at path, or is it; an expression of the interface has none."""
    length = max((at for at, (field, _) in enumerate(path) if field in ("body", "orelse")), default=-1)
    if length < 0:
        refuse("only an expression in the body of a procedure can be bound", code="E404")
    return path[: length + 1]


def common_block(paths: Sequence[Path]) -> BlockLoc:
    """The statements, of the innermost list that holds all paths, from the first one to the last one with a path in it."""
    places = [statement_of(path) for path in paths]
    depth = 0
    while all(len(p) > depth + 1 and p[: depth + 1] == places[0][: depth + 1] for p in places):
        depth += 1
    while len({p[depth][0] for p in places}) > 1 or any(len(p) <= depth for p in places):
        depth -= 1  # uses in both branches of an `if`: what holds them is the `if`
    indices = [p[depth][1] or 0 for p in places]
    return BlockLoc(places[0][:depth], places[0][depth][0], min(indices), max(indices) + 1)


def require_affine(proc: Proc, path: Path, new: Expr) -> None:
    """Control expressions stay affine with new at path: divisors, and factors of what is no number, are numbers."""
    around = get(proc, path[:-1])
    if isinstance(new, Literal) or not (isinstance(around, BinaryOp) and around.type is INDEX):
        return
    side = path[-1][0]
    old, other = (around.rhs, around.lhs) if side == "rhs" else (around.lhs, around.rhs)
    if (around.op in ("/", "%") and side == "rhs") or (around.op == "*" and not isinstance(other, Literal)):
        message = f"{show_expr(old)} in {show_expr(around)} must stay a number, as control expressions are affine"
        refuse(message, old.span, code="E404")
