"""transpose: a formal with two dimensions is given the other way round."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import ArgLoc, NodeLoc
from usl_core.equivalence import Relation
from usl_core.ir.nodes import Arg, Assign, Interval, Node, Read, Reduce, StrideExpr, WindowExpr
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import retype_window, update, use_of, walk
from usl_core.ir.types import TensorType
from usl_core.primitives.base import edit_of, primitive, refuse, require
from usl_core.primitives.buffers.uses import Use, passed_whole, reads_strides, uses_at, with_windows
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
    assert isinstance(loc, ArgLoc)
    rank = len(formal.type.shape)
    require(rank == 2, f"{formal.name.name} has {rank} dimensions, and only a matrix can be transposed", formal.span)
    for use in _uses(proc, formal.name):
        _require_kept(use, formal)
    if not formal.type.window:
        _require_no_strides(proc, formal)

    rows, columns = formal.type.shape
    typ = TensorType(formal.type.scalar, (columns, rows), formal.type.window)
    edit = edit_of(proc).rewrite_exprs(NodeLoc(()), lambda node: _exchanged(node, formal.name), {formal.name})
    return edit.replace_arg(loc, update(formal, type=typ))


def _uses(proc: Procedure, name: Sym) -> list[Use]:
    return list(uses_at((), proc.ir, name))


def _require_kept(use: Use, formal: Arg) -> None:
    """Windows keep their dimensions and the order of these."""
    span = use.node.span if use.node.span.line else formal.span
    name = formal.name.name
    if passed_whole(use):
        hint = "hint: inline the call, or transpose the callee's formal too and call that"
        refuse(f"{name} is passed whole to a call, which expects its old shape", span, [hint], code="E456")
    if isinstance(use.node, WindowExpr) and all(isinstance(entry, Interval) for entry in use.node.idx):
        message = f"the dimensions of the window {show_expr(use.node)} would change places too"
        refuse(message, span, ["hint: inline the window or the call first"], code="E455")


def _require_no_strides(proc: Procedure, formal: Arg) -> None:
    """Strides of a dense formal follow its shape; those of a window are the caller's and go along."""
    body = proc.ir.body
    asserted = [n for pred in proc.ir.preds for n in walk(pred) if isinstance(n, StrideExpr) and n.name is formal.name]
    found = asserted[0] if asserted else reads_strides(body, with_windows(body, formal.name))
    if found is not None:
        message = f"the program depends on strides of {formal.name.name}, which change"
        hint = "hint: let it take windows first, with set_window"
        refuse(message, found.span if found.span.line else formal.span, [hint], code="E457")


def _exchanged(node: Node, name: Sym) -> Node | None:
    use = use_of(node)
    if use is None or use.name is not name:
        return None
    match use:
        case Read(idx=idx) | Assign(idx=idx) | Reduce(idx=idx):
            return update(use, idx=idx[::-1])
        case WindowExpr(idx=entries):
            return retype_window(update(use, idx=entries[::-1]))
        case StrideExpr(dim=dim):
            return update(use, dim=1 - dim)
