"""Readable configuration fields that instructions write.

The text of an instruction sets the hardware. It cannot reach the context, where C reads such a field back, so the write that
the instruction's body states is made in the context as well, next to the text.
"""

from __future__ import annotations

from collections.abc import Iterator

from usl_c11.usage import readable_fields
from usl_core.backend import fields_written, written_formals
from usl_core.errors import BackendError
from usl_core.ir.config import FieldSym
from usl_core.ir.nodes import AssignConfig, Call, Expr, ExprBase, Literal, Proc, Read, StrideExpr
from usl_core.ir.traverse import substitute, update, walk
from usl_core.ir.types import ControlType


def written_readable(instr: Proc) -> Iterator[FieldSym]:
    """The fields that an instruction writes and that C may read back."""
    return (field for field in sorted(fields_written(instr)) if field.declared.readable)


def mirrored(call: Call) -> list[AssignConfig]:
    """The writes of readable fields that a call of an instruction makes, as statements of the caller.

    Raises:
        BackendError: what is written cannot be told from the arguments alone.
    """
    instr, fields = call.proc, set(written_readable(call.proc))
    if not fields:
        return []
    writes = [stmt for stmt in instr.body if isinstance(stmt, AssignConfig) and stmt.config.sym(stmt.field) in fields]
    if {stmt.config.sym(stmt.field) for stmt in writes} != fields or not all(_is_plain(stmt.rhs, instr) for stmt in writes):
        raise _refused(call, fields, "what it writes there is more than a plain value of its arguments")
    if set(readable_fields(call.args)) & fields:
        raise _refused(call, fields, "an argument reads a field that it writes")
    actuals = {formal.name: actual for formal, actual in zip(instr.args, call.args, strict=True)}
    return [update(substitute(stmt, actuals), span=call.span) for stmt in writes]


def _is_plain(value: Expr, instr: Proc) -> bool:
    """Whether a value depends on control arguments only, or is a scalar that the instruction does not write, or a number."""
    if isinstance(value, Read) and not isinstance(value.type, ControlType):
        return any(value.name is formal.name for formal in instr.args) and value.name not in written_formals(instr)
    parts = list(walk(value))
    control = all(isinstance(part.type, ControlType) for part in parts if isinstance(part, ExprBase))
    return isinstance(value, Literal) or (
        control and not any(isinstance(part, StrideExpr) for part in parts) and not any(True for _ in readable_fields(parts))
    )


def _refused(call: Call, fields: set[FieldSym], why: str) -> BackendError:
    names = ", ".join(sorted(field.name for field in fields))
    return BackendError(
        f"instruction {call.proc.name} writes {names}, which C may read back, but {why}",
        span=call.span,
        notes=("declare the field write_only[...] if no C needs to read it, or write it in a statement of its own",),
    )
