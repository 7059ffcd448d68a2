"""insert_noop_call: a call that does nothing (a prefetch, a barrier, as far as the language sees), or only writes fields."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from usl_core.analysis import dataflow
from usl_core.analysis.context import Context
from usl_core.analysis.fields_used import field_use
from usl_core.analysis.memories import misplaced
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Path, gap_position, next_place
from usl_core.errors import SchedulingError, TypeError_
from usl_core.frontend import statements
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Alloc, Arg, AssignConfig, Block, Call, Expr, For, If, Pass, Proc, SimpleStmt, Stmt, WindowStmt
from usl_core.ir.printer import show, show_expr
from usl_core.ir.types import BOOL, INDEX, ControlType, ScalarType, TensorType
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.config.fields import holds_already, left_behind, require_sequential
from usl_core.primitives.locate import Number, Where, buffer, context_at_gap, expression, gap_at
from usl_core.primitives.operators import operator_name
from usl_core.procedure import Procedure


@primitive(control=True)
def insert_noop_call(proc: Procedure, gap: Where, instr: Procedure, args: Sequence[Number | bool]) -> Edit:
    """Insert a call of a procedure whose body does nothing, or nothing but to write configuration fields.

        s1           ~>      s1
        s2                   prefetch(x[i, 0:16])
                             s2

    args are given as text, numbers or cursors, one per formal: control values, numbers or elements for scalars, `x` or
    `x[lo:hi, i]` for buffers. A field that it writes must certainly be written again before it is read, or provably hold the
    value at the gap already; the result is equivalent modulo those of which the end of the procedure may see the difference.

    Raises:
        SchedulingError: the body of instr may do something else; an argument is ill-formed, of another type or in another
        memory; a size, an assertion, a stride or the disjointness that instr demands is not proved at the gap; a field may be
        read before it is written again, or the gap is inside a parallel loop.
    Forwarding: everything stays itself.
    """
    where = gap_at(proc, gap)
    callee = instr.ir
    place: Path = (*where.parent, (where.field, gap_position(where)))

    _require_noop(callee)
    call = _call(proc, place, callee, args)
    ctx = context_at_gap(proc, where)
    _require_memories(ctx, call)

    edit = edit_of(proc).insert(where, (call,))
    written = field_use(call).written
    if not written:
        return edit
    require_sequential(proc.ir, place)
    return left_behind(edit, next_place(place), written, partial(holds_already, ctx, dataflow.of_stmt(call)))


# ---- locate


def _call(proc: Procedure, place: Path, callee: Proc, args: Sequence[Number | bool]) -> Call:
    if len(args) != len(callee.args):
        names = ", ".join(formal.name.name for formal in callee.args)
        refuse(f"{callee.name}({names}) takes {len(callee.args)} arguments, got {len(args)}", code="E404")
    actuals = [_actual(proc, place, formal, arg) for formal, arg in zip(callee.args, args, strict=True)]
    try:
        return statements.call(callee, actuals)
    except TypeError_ as error:
        raise SchedulingError(f"{operator_name()}: {error.message}", span=error.span, notes=error.notes, code="E404") from None


def _actual(proc: Procedure, place: Path, formal: Arg, arg: Any) -> Expr:
    match formal.type:
        case ControlType() as typ:
            text = str(arg) if isinstance(arg, bool) and typ is BOOL else arg
            return expression(proc, place, text, BOOL if typ is BOOL else INDEX)
        case ScalarType() as typ:
            return expression(proc, place, str(arg) if isinstance(arg, int | float) else arg, typ)
        case TensorType():
            return buffer(proc, place, arg, formal.name.name)


# ---- check


def _require_noop(callee: Proc) -> None:
    found = _effect(callee.body)
    if found is not None:
        line = show(found).strip().splitlines()[0]
        refuse(f"the body of {callee.name} is not a no-op: {line}", found.span, code="E432")


def _effect(block: Block) -> Stmt | None:
    """The first statement that may have an effect, or depends on data, which may be uninitialised."""
    for stmt in block:
        match stmt:
            case Pass() | Alloc() | WindowStmt() | AssignConfig():
                found = None
            case For(body=body):
                found = _effect(body)
            case If(cond=cond, body=body, orelse=orelse):
                found = _effect((*body, *orelse)) if cond.type is BOOL else stmt
            case Call(proc=callee):
                found = stmt if _effect(callee.body) is not None else None
            case SimpleStmt():
                found = stmt
        if found is not None:
            return found
    return None


def _require_memories(ctx: Context, call: Call) -> None:
    for formal, actual in zip(call.proc.args, call.args, strict=True):
        found = misplaced(ctx, formal, actual)
        if found is not None:
            name, wanted = f"{formal.name.name} of {call.proc.name}", (formal.mem or DRAM).name
            message = f"{name} is in {wanted}, but {show_expr(actual)} is in {found.name}"
            refuse(message, call.span, ["hint: set_memory, or stage it with stage_mem"], code="E459")
