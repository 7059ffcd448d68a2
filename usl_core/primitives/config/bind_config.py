"""bind_config: an expression is read from a configuration field."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, before, get, next_place
from usl_core.ir.config import Config
from usl_core.ir.nodes import AssignConfig, Call, ReadConfig
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import depends_on_data
from usl_core.ir.types import ScalarType, TensorType
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.config.fields import field_at, left_behind, require_sequential, type_of
from usl_core.primitives.exprs.bodies import require_affine, require_in_body, statement_of
from usl_core.primitives.locate import Where, expr_at
from usl_core.procedure import Procedure


@primitive(control=True)
def bind_config(proc: Procedure, expr: Where, config: Config, field: str) -> Edit:
    """Put the value of an expression into a configuration field, and read it from there.

        f(n, stride(x, 0))    ~>    Cfg.field = stride(x, 0)
                                    f(n, Cfg.field)

    The write goes just before the statement that the expression is part of. Legal if the field is certainly written again
    before anything else reads it. The result is equivalent modulo the field where the end of the procedure may see it.

    Raises:
        SchedulingError: the field has another type than the expression, or may be read before it is written again; the
            expression depends on data through `idx`, or is a number that a control expression needs to be affine; the place is
            inside a parallel loop.
    Forwarding: the expression goes to the read of the field; everything else stays itself.
    Reference: Reinking 2022, §3.3.3.
    """
    name = field_at(config, field)
    path, old = expr_at(proc, expr)
    require_in_body(path)
    stmt = statement_of(path)
    require_sequential(proc.ir, stmt)
    if old.type != type_of(name):
        kind = "a buffer" if isinstance(old.type, TensorType) else str(old.type)
        refuse(f"{name.name} holds {type_of(name)}, but {show_expr(old)} is {kind}", old.span, code="E404")
    if isinstance(get(proc.ir, path[:-1]), Call) and isinstance(old.type, ScalarType):
        hint = "hint: bind it first with bind_expr"
        refuse("the argument of a call must be a location or a number, not a field", old.span, [hint], code="E404")
    if depends_on_data(old):
        refuse(f"{show_expr(old)} depends on data through idx", old.span, code="E418")

    read = ReadConfig(config, field, type=old.type, span=old.span)
    require_affine(proc.ir, path, read)

    edit = edit_of(proc).insert(before(stmt), (AssignConfig(config, field, old, span=old.span),))
    edit = left_behind(edit, next_place(stmt), {name})
    return edit.replace_exprs({NodeLoc(path): read})
