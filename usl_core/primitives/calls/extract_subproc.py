"""extract_subproc: a block becomes a procedure of its own, and a call of it."""

from __future__ import annotations

from usl_core.arguments import checked
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, block_of, stmt_path, stmts
from usl_core.errors import BoundsError, SchedulingError
from usl_core.ir.nodes import Call, Proc
from usl_core.primitives.base import edit_of, primitive
from usl_core.primitives.calls.outline import Outline, outlined
from usl_core.primitives.locate import Where, block_at
from usl_core.primitives.moving import new_name, require_closed
from usl_core.primitives.operators import as_operator, operator_name
from usl_core.procedure import Procedure, from_ir


@checked
@as_operator()
def extract_subproc(proc: Procedure, block: Where, name: str) -> tuple[Procedure, Procedure]:
    """Make a procedure of a block, and a call in its place; the pair of the caller and the new procedure.

        for i in seq(0, n):        for i in seq(0, n):        def name(n: size, i: index, x: T[n]):
            x[i] = 0.0       ~>        name(n, i, x)     ,        assert 0 <= i and i < n
                                                                  x[i] = 0.0

    The formals of the new procedure are the control values that the block, or what it needs to be safe, mentions, and then the
    buffers: dense ones as dense, windows as windows. Its assertions are those facts around the block without which it would not
    be safe by itself: assertions, limits of loops, conditions of branches, and strides and extents.

    Raises:
        SchedulingError: what the block allocates or names is used after it; two buffers that it uses are windows of one, and
        it writes one of them; name is no identifier.
    Forwarding: a cursor to the block moves to the call; what was inside the block dies.
    Also known as: outlining.
    """
    changed = _called(proc, block, name)
    (call,) = stmts(changed.ir, block_of(stmt_path(block_at(proc, block), 0)))
    assert isinstance(call, Call)
    return changed, changed.procedure_of(call.proc)


@primitive(name="extract_subproc")
def _called(proc: Procedure, block: Where, name: str) -> Edit:
    spelling = new_name(name).name
    where = block_at(proc, block)
    span = stmts(proc.ir, where)[0].span
    require_closed(proc.ir, where, span)

    found = outlined(proc.ir, where, spelling)
    callee = _checked(found, proc.ir, where)
    return edit_of(proc).replace(where, (Call(callee.ir, found.actuals(), span=span),))


def _checked(found: Outline, ir: Proc, where: BlockLoc) -> Procedure:
    """The new procedure, with as few assertions as it needs."""
    try:
        return from_ir(found.needed(), operator_name())
    except BoundsError as error:
        message = f"{operator_name()}: the block would not be safe in a procedure of its own: {error.message}"
        raise SchedulingError(message, span=stmts(ir, where)[0].span, notes=error.notes, code="E410") from None
