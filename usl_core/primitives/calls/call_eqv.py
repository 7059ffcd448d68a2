"""The operator `call_eqv`: a call of an equivalent procedure."""

from __future__ import annotations

from typing import Any

from usl_core.analysis.effects import uses_config
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.equivalence import Relation, why_not_exchangeable
from usl_core.ir.nodes import Arg, Call, Proc
from usl_core.ir.types import TensorType
from usl_core.primitives.base import primitive, refuse
from usl_core.primitives.locate import stmt_at
from usl_core.procedure import Procedure


@primitive(Relation.REFINES)
def call_eqv(proc: Procedure, call: Any, g: Procedure) -> Edit:
    """Call g instead of f, where both were made from one procedure by operators.

        f(n, x)   ~>   g(n, x)

    g's assertions, if scheduling has added any, are proved at the call.

    Raises:
        SchedulingError: g and f are not versions of one procedure, g is not at least as defined as f, or their
            arguments have different types.
    Forwarding: every cursor stays.
    Reference: Reinking 2022, §3.6.2.
    """
    if not isinstance(g, Procedure):
        refuse("call_eqv", f"the procedure to call is wanted here, got {type(g).__name__}", code="E404")
    if uses_config(g.ir):
        refuse("call_eqv", f"{g.name()} uses configuration fields; operators are not yet proved with these", code="E420")
    path, node = stmt_at(proc, call, "call_eqv", Call, "a call")

    reason = why_not_exchangeable(node.proc, g.ir)
    if reason is not None:
        refuse("call_eqv", reason, node.span, code="E431")
    differs = interface_difference(node.proc, g.ir)
    assert differs is None, f"a step from {node.proc.name} to {g.name()} is not said to change the interface: {differs}"
    return Edit.of(proc.ir, "call_eqv").update(NodeLoc(path), proc=g.ir)


def interface_difference(f: Proc, g: Proc) -> str | None:
    """The first difference between the formals' types and memories, or None; extents are proved at the call."""
    if len(f.args) != len(g.args):
        return f"{len(f.args)} arguments against {len(g.args)}"
    for a, b in zip(f.args, g.args, strict=True):
        if _head(a) != _head(b):
            return f"argument {a.name.name}"
    return None if f.aliasable == g.aliasable else "different formals may overlap"


def _head(arg: Arg) -> object:
    typ = arg.type
    shape = (typ.scalar, len(typ.shape), typ.window) if isinstance(typ, TensorType) else typ
    return (shape, arg.mem)
