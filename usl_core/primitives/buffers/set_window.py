"""set_window: whether a formal takes windows."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import ArgLoc, NodeLoc
from usl_core.equivalence import Relation
from usl_core.ir.nodes import Arg, Node, Read
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import update
from usl_core.ir.types import TensorType
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.locate import Where, buffer_at
from usl_core.procedure import Procedure


@primitive(Relation.INTERFACE)
def set_window(proc: Procedure, arg: Where, is_window: bool = True) -> Edit:
    """Let a formal take windows, whose strides are free, or dense buffers only.

        x: f32[n, m]    ~>    x: [f32][n, m]

    Raises:
        SchedulingError: arg is no formal with dimensions; as a window, it is passed to a callee that wants a dense buffer, or
        an assertion of a callee relied on its strides (assert them here first).
    Forwarding: everything stays.
    """
    loc, formal = buffer_at(proc, arg)

    if not isinstance(loc, ArgLoc) or not isinstance(formal.type, TensorType):
        refuse(f"{formal.name.name} is no formal with dimensions", formal.span, code="E404")
    assert isinstance(formal, Arg)
    typ = TensorType(formal.type.scalar, formal.type.shape, is_window)

    edit = edit_of(proc).rewrite_exprs(NodeLoc(()), lambda node: _retyped(node, formal.name, is_window), {formal.name})
    return edit.replace_arg(loc, update(formal, type=typ))


def _retyped(node: Node, name: Sym, is_window: bool) -> Node | None:
    """The whole buffer as an argument, whose type says whether it is a window."""
    if isinstance(node, Read) and node.name is name and isinstance(node.type, TensorType):
        return update(node, type=TensorType(node.type.scalar, node.type.shape, is_window))
    return None
