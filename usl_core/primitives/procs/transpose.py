"""transpose: a formal with two dimensions is given the other way round."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.equivalence import Relation
from usl_core.ir.nodes import Arg
from usl_core.ir.traverse import update
from usl_core.ir.types import TensorType
from usl_core.primitives.base import edit_of, primitive, refuse, require
from usl_core.primitives.buffers.layout import reindexed, require_no_strides, require_not_whole, require_same_order
from usl_core.primitives.buffers.uses import uses_at
from usl_core.primitives.locate import Where, buffer_at
from usl_core.procedure import Procedure


@primitive(Relation.INTERFACE)
def transpose(proc: Procedure, arg: Where) -> Edit:
    """Take a formal with two dimensions the other way round; callers pass the transposed matrix.

        def f(x: T[n, m])    ~>    def f(x: T[m, n])
            x[i, j] = ...              x[j, i] = ...

    Also a method, `p.transpose(arg)`.

    Raises:
        SchedulingError: arg is no formal with two dimensions; it is passed whole to a call, or a window of it would have its
        own dimensions exchanged; it is dense and the program depends on its strides, or a call's assertion on strides fails.
    Forwarding: everything stays.
    """
    loc, formal = buffer_at(proc, arg)

    if not isinstance(formal, Arg) or not isinstance(formal.type, TensorType):
        refuse(f"{formal.name.name} is no formal with dimensions", formal.span, code="E404")
    rank = len(formal.type.shape)
    require(rank == 2, f"{formal.name.name} has {rank} dimensions, and only a matrix can be transposed", formal.span)
    for use in uses_at((), proc.ir, formal.name):
        require_not_whole(use, formal, "hint: inline the call, or transpose the callee's formal too and call that")
        require_same_order(use, (1, 0), formal)
    if not formal.type.window:
        # Strides of a dense formal follow its shape; those of a window are the caller's and go along.
        code = (*proc.ir.preds, *proc.ir.body)
        require_no_strides(code, formal, ["hint: let it take windows first, with set_window"])

    rows, columns = formal.type.shape
    typ = TensorType(formal.type.scalar, (columns, rows), formal.type.window)
    edit = reindexed(edit_of(proc), NodeLoc(()), formal.name, lambda idx: idx[::-1], lambda dim: 1 - dim)
    return edit.replace_arg(loc, update(formal, type=typ))
