"""set_precision: the type of a buffer's elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import ArgLoc, BlockLoc, NodeLoc
from usl_core.equivalence import Relation
from usl_core.errors import Span
from usl_core.ir.nodes import Alloc, Arg, Assign, Block, Call, Node, Read, Reduce, Stmt, WindowExpr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import inner_stmts, update
from usl_core.ir.types import SCALARS, R, ScalarType, TensorType, Type, scalar_of
from usl_core.primitives.base import edit_of, primitive, refuse, require
from usl_core.primitives.buffers.layout import scope_of
from usl_core.primitives.buffers.retyping import retype
from usl_core.primitives.buffers.uses import mentions, with_windows
from usl_core.primitives.locate import Where, buffer_at
from usl_core.procedure import Procedure


@primitive(Relation.PRECISION)
def set_precision(proc: Procedure, buf: Where, typ: str | ScalarType) -> Edit:
    """Choose the type of a buffer's elements: from R, or from one floating type to another.

        x: R[n]           x: f32[n]
        y: f32[n]   ~>    y: f32[n]
        y[i] += x[i]      y[i] += x[i]

    An operation then has the type of its operands; literals adopt it. Where operands of different types meet, the narrower are
    converted to the widest (R counts as that), and what is assigned is converted to the type of its target; conversions that
    an earlier set_precision needed and that are no longer needed go. So a program in R, given the types of its buffers one by
    one in any order, ends without conversions if they are all of one type. In exact arithmetic nothing changes; it is a
    precision step and not an equivalence.

    Raises:
        SchedulingError: the old or new type is an integer type (values would wrap elsewhere), or the new one R; the buffer is
        an argument of a call, whose formal has the old type; a function does not take the new type.
    Forwarding: everything stays; a cursor to a conversion that goes becomes invalid.
    Also known as: set_type, mixed-precision annotation.
    """
    loc, binder = buffer_at(proc, buf)
    new = _scalar(typ)

    old = _require_real(binder, new)
    if new == old:
        return edit_of(proc)
    scope = NodeLoc(()) if isinstance(loc, ArgLoc) else scope_of(proc.ir, loc.path)
    names = with_windows(proc.ir.body, binder.name)
    used = _statements(proc.ir.body, names)
    for stmt in used:
        if isinstance(stmt, Call):
            _require_no_argument(stmt, names, new)

    edit = _retyped(proc, scope, used, names, new, binder.span)
    changed = update(binder, type=_with_scalar(binder.type, new))
    if isinstance(loc, ArgLoc):
        assert isinstance(changed, Arg)
        return edit.replace_arg(loc, changed)
    return edit.update(loc, type=changed.type)


def _scalar(typ: Any) -> ScalarType:
    found = SCALARS.get(typ) if isinstance(typ, str) else typ
    if not isinstance(found, ScalarType):
        known = ", ".join(name for name, scalar in SCALARS.items() if scalar.is_real and scalar != R)
        refuse(f"a scalar type is wanted, one of {known}, got {typ!r}", code="E404")
    return found


def _require_real(binder: Alloc | Arg, new: ScalarType) -> ScalarType:
    """The old element type, which may become new."""
    name = binder.name.name
    if not isinstance(binder.type, ScalarType | TensorType):
        refuse(f"{name} is a control value and has no precision", binder.span, code="E404")
    old = scalar_of(binder.type)
    if new == old:
        return old
    if old.is_int or new.is_int:
        message = f"{name} cannot change from {old} to {new}: integers wrap, so that values could change"
        hint = "hint: only R and floating types change; write the conversion into the algorithm"
        refuse(message, binder.span, [hint], code="E458")
    require(new != R, f"{name} has the type {old} already, and cannot go back to R", binder.span)
    return old


def _require_no_argument(call: Call, names: frozenset[Sym], new: ScalarType) -> None:
    for formal, actual in zip(call.proc.args, call.args, strict=True):
        if isinstance(actual, Read | WindowExpr) and actual.name in names and _element(formal.type) != new:
            message = f"{actual.name.name} is the argument {formal.name.name} of {call.proc.name}, which has type "
            hint = "hint: change the precision before the call is made, or inline it"
            refuse(message + str(_element(formal.type)), call.span, [hint], code="E458")


def _element(typ: Type) -> ScalarType | None:
    return scalar_of(typ) if isinstance(typ, ScalarType | TensorType) else None


def _with_scalar(typ: Type, new: ScalarType) -> ScalarType | TensorType:
    return TensorType(new, typ.shape, typ.window) if isinstance(typ, TensorType) else new


def _statements(block: Block, names: frozenset[Sym]) -> list[Stmt]:
    """The statements in block and inside it that mention one of names."""
    found: list[Stmt] = []
    for stmt in block:
        if mentions(stmt, names):
            found += [stmt, *_statements(inner_stmts(stmt), names)]
    return found


def _retyped(
    proc: Procedure, scope: NodeLoc | BlockLoc, used: Sequence[Stmt], names: frozenset[Sym], new: ScalarType, span: Span
) -> Edit:
    """What mentions names, which is in the statements used, typed again."""
    targets = {stmt.name: scalar_of(stmt.rhs.type) for stmt in used if isinstance(stmt, Assign | Reduce)}
    elements = targets | dict.fromkeys(names, new)

    def rule(node: Node) -> Node | None:
        if isinstance(node, Read | WindowExpr) and node.name in names:
            return update(node, type=_with_scalar(node.type, new))
        return retype(node, elements)

    try:
        return edit_of(proc).rewrite_exprs(scope, rule, names)
    except ValueError as error:
        refuse(f"an operation does not take the new types: {error}", span, code="E458")
