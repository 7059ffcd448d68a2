"""The operator `call_eqv`: a call of an equivalent procedure."""

from __future__ import annotations

from usl_core.analysis.fields_used import field_use
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, next_place
from usl_core.equivalence import Relation, fields_between, why_not_exchangeable
from usl_core.ir.nodes import Arg, Call, Proc
from usl_core.ir.types import TensorType
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.config.fields import left_behind, require_sequential
from usl_core.primitives.locate import Where, stmt_at
from usl_core.primitives.loops.modes import require_still_parallel
from usl_core.procedure import Procedure


@primitive(Relation.REFINES)
def call_eqv(proc: Procedure, call: Where, g: Procedure) -> Edit:
    """Call g instead of f, where both were made from one procedure by operators.

        f(n, x)   ~>   g(n, x)

    g's assertions, if scheduling has added any, are proved at the call. Where f and g are equivalent modulo configuration
    fields, these must be written again before they are read; the result is equivalent modulo those of which the end of the
    procedure may see the difference.

    Raises:
        SchedulingError: g and f are not versions of one procedure, g is not at least as defined as f, or their
            arguments have different types; a field that they leave different may be read afterwards, or would be written in
            a parallel loop; the iterations of such a loop would interfere.
    Forwarding: every cursor stays.
    Reference: Reinking 2022, §3.6.2.
    """
    path, node = stmt_at(proc, call, Call, "a call")

    reason = why_not_exchangeable(node.proc, g.ir)
    if reason is not None:
        refuse(reason, node.span, code="E431")
    differs = interface_difference(node.proc, g.ir)
    assert differs is None, f"a step from {node.proc.name} to {g.name()} is not said to change the interface: {differs}"
    fields = fields_between(node.proc, g.ir)
    if fields & field_use(g.ir).written:
        require_sequential(proc.ir, path)
    edit = edit_of(proc).update(NodeLoc(path), proc=g.ir)
    require_still_parallel(edit, path[:-1])  # g may write more: what it has read there
    return left_behind(edit, next_place(path), fields)


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
