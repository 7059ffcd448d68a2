"""bind_expr: an expression gets a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, NodeLoc, Path, before, get_stmt, stmt_path, stmts
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Alloc, Assign, Call, Expr, If, Read
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import depends_on_data, same_expr
from usl_core.ir.types import ScalarType
from usl_core.ir.written import written_formals
from usl_core.primitives.base import edit_of, primitive, refuse, require_no
from usl_core.primitives.exprs.bodies import common_block, statement_of
from usl_core.primitives.locate import Where, context_at, exprs_at
from usl_core.primitives.moving import changes_value, effect, new_name
from usl_core.procedure import Procedure


@primitive()
def bind_expr(proc: Procedure, exprs: Where | Sequence[Where], name: str) -> Edit:
    """Give an expression a name: compute it once into a new scalar and read that where the expression stood.

                                  t: T
        y[i] = x[i] * x[i]  ~>    t = x[i]
                                  y[i] = t * t

    is `bind_expr(p, p.find("x[_]", many=True), "t")`. exprs is one expression or several; of these, those are bound that equal
    the first one. The scalar is computed before the first statement that uses it in the innermost block that holds them all,
    and has the type of the expression.

    Raises:
        SchedulingError: the expression is not data; what it reads may be modified before a use; it may read out of bounds
        there; it is an argument that a callee writes.
    Forwarding: a cursor to a bound expression goes to the new read, one inside it dies.
    Also known as: common subexpression elimination, let insertion.
    """
    given = exprs_at(proc, exprs)
    expr = next(iter(given.values()))
    paths = _in_order(path for path, other in given.items() if same_expr(expr, other))
    target = new_name(name)
    block = common_block(paths)
    first = stmt_path(block, 0)

    if not isinstance(expr.type, ScalarType):
        message = f"{show_expr(expr)} is a control value or a whole buffer; only data can be bound to a scalar"
        refuse(message, expr.span, code="E404")
    for path in paths:
        _require_not_written(proc, path, expr)
    _require_unchanged(proc, block, paths, expr)

    typ, span = expr.type, expr.span
    bound = (Alloc(target, typ, DRAM, span=span), Assign(target, (), expr, span=span))
    edit = edit_of(proc).insert(before(first), bound)
    return edit.replace_exprs({NodeLoc(path): Read(target, (), type=typ, span=span) for path in paths})


# ---- locate


def _in_order(paths: Iterable[Path]) -> list[Path]:
    """Paths of expressions in source order."""
    return sorted(paths, key=lambda path: [(_field_order(path, at), path[at][1] or 0) for at in range(len(path))])


def _field_order(path: Path, at: int) -> int:
    """Where a field stands in its statement; enough to order statements of one list and the branches of an `if`."""
    return {"body": 1, "orelse": 2}.get(path[at][0], 0)


# ---- check


def _require_not_written(proc: Procedure, path: Path, expr: Expr) -> None:
    """An argument passed by reference is only read by the callee."""
    stmt = get_stmt(proc.ir, statement_of(path))
    if isinstance(stmt, Call) and len(path) == len(statement_of(path)) + 1:
        formal = stmt.proc.args[path[-1][1] or 0]
        if formal.name in written_formals(stmt.proc):
            message = f"{stmt.proc.name} writes its argument {formal.name.name}, so {show_expr(expr)} must stay a location"
            refuse(message, expr.span, code="E454")


def _require_unchanged(proc: Procedure, block: BlockLoc, paths: Sequence[Path], expr: Expr) -> None:
    """Nothing that may run between the computation and a use modifies what expr reads."""
    last = stmt_path(block, block.hi - block.lo - 1)
    in_head = all(statement_of(path) == last for path in paths if path[: len(last)] == last)
    crossed = stmts(proc.ir, block)[: -1 if in_head else None]
    ctx = context_at(proc, stmt_path(block, 0))
    message = f"what {show_expr(expr)} reads may be modified before its last use"
    require_no(changes_value(ctx, expr, effect(ctx, crossed)), message, expr.span)
    if depends_on_data(expr):
        _require_evaluated(proc, paths, block, expr)


def _require_evaluated(proc: Procedure, paths: Sequence[Path], block: BlockLoc, expr: Expr) -> None:
    """An index made of data must not be computed where it was not: the data may be uninitialised there."""
    first = stmt_path(block, 0)
    if isinstance(get_stmt(proc.ir, first), If) or not any(statement_of(path) == first for path in paths):
        message = f"{show_expr(expr)} has an index made of data and would be computed where it may not have been"
        refuse(message, expr.span, ["hint: bind it inside the loop or branch that uses it"], code="E418")
