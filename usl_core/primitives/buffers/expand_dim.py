"""expand_dim: a buffer gets one more dimension."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.analysis import formula as fml
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Path, get_stmt, stmt_path
from usl_core.errors import SchedulingError
from usl_core.ir.nodes import Alloc, Expr, For, Interval, index_literal
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import free_names
from usl_core.ir.types import TensorType
from usl_core.primitives.base import primitive, require_proved
from usl_core.primitives.buffers.arguments import fixed_expression, require_extent
from usl_core.primitives.buffers.layout import Entries, relaid, span_of, uses_of_alloc
from usl_core.primitives.buffers.uses import Use
from usl_core.primitives.exprs.bodies import common_block
from usl_core.primitives.locate import Expression, Where, alloc_at, context_at
from usl_core.primitives.loops.iterations import require_own_values
from usl_core.procedure import Procedure


@primitive()
def expand_dim(proc: Procedure, buf: Where, n: Expression, idx: Expression) -> Edit:
    """Give a local buffer a leading dimension of extent n, indexed by idx at every use.

        x: T[m]                x: T[n, m]
        x[e] = ...      ~>     x[idx, e] = ...

    n is read where x is allocated; idx too, or, if names in it are bound only below, at the innermost place that holds all
    uses of x. So iterations get an element each, and `lift_alloc` can take the allocation out of their loop.

    Raises:
        SchedulingError: n may be below 1, or idx outside of [0, n) at a use; a name in idx does not reach all uses; idx changes
        from iteration to iteration of a loop below the allocation, and a read there may see a value from an earlier one.
    Forwarding: everything stays with the same code.
    """
    path, alloc = alloc_at(proc, buf)
    extent = fixed_expression(proc, path, n)
    index = _index(proc, path, _common_place(path, uses_of_alloc(proc.ir, path)), idx)
    return expanded(proc, path, alloc, extent, index)


def expanded(proc: Procedure, path: Path, alloc: Alloc, extent: Expr, index: Expr) -> Edit:
    """The check and edit of `expand_dim` for the allocation at path; the names of index reach all uses of the buffer."""
    uses = uses_of_alloc(proc.ir, path)
    place = _common_place(path, uses)

    require_extent(proc, path, extent, alloc, f"{show_expr(extent)} >= 1")
    for use in uses:
        _require_in_range(proc, use, index, extent, alloc)
    _require_own_iteration(proc, alloc, path, place, index)

    shape = alloc.type.shape if isinstance(alloc.type, TensorType) else ()
    everything: Entries = (index, *(Interval(index_literal(0), e) for e in shape))
    return relaid(proc, path, (extent, *shape), lambda old: (index, *old), lambda dim: dim + 1, everything)


def _common_place(path: Path, uses: Sequence[Use]) -> Path:
    """The first statement with a use, in the innermost block that holds all uses of the buffer allocated at path."""
    return stmt_path(common_block([use.path for use in uses]), 0) if uses else path


def _index(proc: Procedure, path: Path, place: Path, idx: Expression) -> Expr:
    """idx in the scope at the allocation or else at place, either of which holds all uses."""
    try:
        return fixed_expression(proc, path, idx)
    except SchedulingError:
        return fixed_expression(proc, place, idx)


def _require_in_range(proc: Procedure, use: Use, index: Expr, extent: Expr, alloc: Alloc) -> None:
    ctx = context_at(proc, use.path)
    value, limit = ctx.index(index), ctx.index(extent)
    message = f"cannot prove 0 <= {show_expr(index)} < {show_expr(extent)} where {alloc.name.name} is used"
    goal = fml.and_([fml.ge(value), fml.lt(value, limit)])
    require_proved(ctx, goal, message, span_of(use, alloc), values=(value, limit), hint="choose a larger extent")


def _require_own_iteration(proc: Procedure, alloc: Alloc, path: Path, place: Path, index: Expr) -> None:
    """idx is fixed while a value lives: in each iteration that it names, reads see only writes of that iteration."""
    names = free_names(index)
    for length in range(len(place) - 1, len(path) - 1, -1):
        loop = get_stmt(proc.ir, place[:length])
        if isinstance(loop, For) and loop.iter in names:
            message = (
                f"a read of {alloc.name.name} in an iteration of {loop.iter.name} may see a value from an earlier one, "
                f"which is elsewhere if the buffer is indexed by {show_expr(index)}"
            )
            require_own_values(context_at(proc, (*place[:length], ("body", 0))), loop, alloc.name, message)
            return
