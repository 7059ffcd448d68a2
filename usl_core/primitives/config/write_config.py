"""write_config: a configuration field is set."""

from __future__ import annotations

from functools import partial

from usl_core.analysis import dataflow
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Path, gap_position, next_place
from usl_core.ir.config import Config
from usl_core.ir.nodes import AssignConfig
from usl_core.primitives.base import edit_of, primitive
from usl_core.primitives.config.fields import field_at, holds_already, left_behind, require_sequential, type_of
from usl_core.primitives.locate import Number, Where, context_at_gap, expression, gap_at
from usl_core.procedure import Procedure


@primitive(control=True)
def write_config(proc: Procedure, gap: Where, config: Config, field: str, value: Number | bool) -> Edit:
    """Set a configuration field in a gap.

        s                ~>      Cfg.field = value
                                 s

    Legal if what the field then holds is certainly written again before it is read, or if it provably holds value at the gap
    already. The result is equivalent modulo the field where the end of the procedure may see the difference. value is text, a
    number or truth value, or a cursor to an expression.

    Raises:
        SchedulingError: the field may be read before it is written again (an assertion of a callee is a read); the gap is
            inside a parallel loop.
    Forwarding: everything stays itself.
    Also known as: configwrite_at (Reinking 2022, §3.2.4).
    """
    name = field_at(config, field)
    where = gap_at(proc, gap)
    place: Path = (*where.parent, (where.field, gap_position(where)))
    require_sequential(proc.ir, place)
    text = str(value) if isinstance(value, int | float) else value
    stmt = AssignConfig(config, field, expression(proc, place, text, type_of(name)))

    edit = edit_of(proc).insert(where, (stmt,))
    held = partial(holds_already, context_at_gap(proc, where), dataflow.of_stmt(stmt))
    return left_behind(edit, next_place(place), {name}, held)
