"""What the operators on configuration fields share: naming a field, and what becomes of the value that it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from usl_core.analysis import formula as fml
from usl_core.analysis.conditions import head_line
from usl_core.analysis.context import Context
from usl_core.analysis.dataflow import Case, Transformer, certainly, fields_in, identity, settle
from usl_core.analysis.reaching import reach
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Path, get_stmt
from usl_core.errors import NOWHERE
from usl_core.frontend.expressions import config_field_type
from usl_core.ir.config import Config, FieldSym
from usl_core.ir.nodes import For, LoopMode, Proc
from usl_core.ir.types import ControlType, ScalarType
from usl_core.primitives.base import refuse, require


def field_at(config: Config, field: str) -> FieldSym:
    """The field that a user names by its configuration and a text."""
    known = ", ".join(config.fields)
    require(field in config.fields, f"{config.name} has no field {field!r}; its fields are {known}")
    return config.sym(field)


def type_of(field: FieldSym) -> ControlType | ScalarType:
    """The type of a field as an expression sees it."""
    return config_field_type(field.config, field.field, NOWHERE)


def require_sequential(proc: Proc, path: Path) -> None:
    """No loop around path is parallel: its iterations would all write the one field."""
    for depth in range(1, len(path)):
        around = get_stmt(proc, path[:depth])
        if isinstance(around, For) and around.mode is LoopMode.PAR:
            message = f"the place is inside the parallel loop {around.iter.name}, whose iterations would write the field"
            refuse(message, around.span, code="E442")


def holds_already(ctx: Context, step: Transformer, field: FieldSym) -> bool:
    """Whether code that does step certainly leaves in field what it holds there; ctx is what is known before."""
    cases = step.get(field, (Case(fml.TRUE, identity(field)),))
    here: Transformer = {name: (Case(fml.TRUE, ctx.fields.value(name)),) for name in fields_in(cases)}
    after = settle(here, cases)
    return ctx.holds(ctx.scope.settle_strides(certainly(after, ctx.fields.value(field))))


def left_behind(
    edit: Edit, path: Path, fields: Iterable[FieldSym], held: Callable[[FieldSym], bool] = lambda field: False
) -> Edit:
    """edit, after which these fields hold something else just before path in the current tree, but for those that held it
    already: an equivalence modulo those of which the end of the procedure may see that (the context-extension theorem).

    Raises:
        SchedulingError: one of them may be read before it is certainly written again.
    """
    for field in sorted(fields):
        found = reach(edit.proc, path, field)
        if (found.read is not None or found.outlives) and held(field):
            continue
        if found.read is not None:
            message = f"{field.name} may be read before it is written again"
            refuse(message, found.read.span, [f"it is read in: {head_line(found.read)}"], code="E440")
        if found.outlives:
            edit = edit.modulo([field])
    return edit
