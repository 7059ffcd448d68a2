"""What the operators on configuration fields share: naming a field, and what becomes of the value that it holds."""

from __future__ import annotations

from typing import Any

from usl_core.analysis import formula as fml
from usl_core.analysis.context import Context
from usl_core.analysis.dataflow import Case, Transformer, certainly, identity, settle
from usl_core.analysis.reaching import reach
from usl_core.analysis.solver import Proved
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Path, get
from usl_core.errors import Span
from usl_core.frontend.expressions import config_field_type
from usl_core.ir.config import Config, FieldSym
from usl_core.ir.nodes import For, LoopMode, Proc
from usl_core.ir.types import ControlType, ScalarType
from usl_core.primitives.base import refuse, require
from usl_core.analysis.conditions import head_line


def field_at(config: Any, field: Any, operator: str) -> FieldSym:
    """The field that a user names by its configuration and a text."""
    require(isinstance(config, Config), operator, f"a configuration (a class under @config) is wanted, got {config!r}")
    known = ", ".join(config.fields)
    require(field in config.fields, operator, f"{config.name} has no field {field!r}; its fields are {known}")
    return config.sym(field)


def type_of(name: FieldSym) -> ControlType | ScalarType:
    """The type of a field as an expression sees it."""
    return config_field_type(name.config, name.field, Span("", 0, 0, 0, 0))


def require_sequential(proc: Proc, path: Path, operator: str) -> None:
    """No loop around path is parallel: its iterations would write one register."""
    for depth in range(len(path)):
        node = get(proc, path[:depth]) if depth else None
        if isinstance(node, For) and node.mode is LoopMode.PAR:
            message = f"the place is inside the parallel loop {node.iter.name}, whose iterations would write one field"
            refuse(operator, message, node.span, code="E413")


def holds_already(ctx: Context, step: Transformer, field: FieldSym) -> bool:
    """Whether code that does step certainly leaves in field what it holds there."""
    here: Transformer = {name: (Case(fml.TRUE, value),) for name, value in ctx.fields.items()}
    after = settle(here, step.get(field, (Case(fml.TRUE, identity(field)),)))
    return isinstance(ctx.prove(certainly(after, ctx.field(field))), Proved)


def left_to(edit: Edit, proc: Proc, path: Path, fields: frozenset[FieldSym], why: str, span: Span) -> Edit:
    """edit, which makes these fields differ just before path in its result, proc; equivalent modulo those that still do
    at the end.

    Raises:
        SchedulingError: one of them may be read before it is certainly overwritten.
    """
    for field in sorted(fields):
        found = reach(proc, path, field)
        if found.read is not None:
            message = f"{why} {field.name}, which may be read before it is written again"
            refuse(edit.operator, message, span, [f"read in: {head_line(found.read)}"], code="E440")
        if found.passes:
            edit = edit.modulo([field])
    return edit


