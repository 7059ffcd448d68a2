"""write_config: a configuration field is set."""

from __future__ import annotations

from typing import Any

from usl_core.analysis import dataflow
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import NodeLoc, Path, gap_position
from usl_core.ir.config import Config
from usl_core.ir.nodes import AssignConfig
from usl_core.primitives.base import primitive
from usl_core.primitives.config.fields import field_at, holds_already, left_to, require_sequential, type_of
from usl_core.primitives.locate import Where, expression, gap_at
from usl_core.primitives.locate import context_at_gap as _context
from usl_core.procedure import Procedure

_OP = "write_config"


@primitive(control=True)
def write_config(proc: Procedure, gap: Where, config: Config, field: str, value: Any) -> Edit:
    """Set a configuration field in a gap.

        s                ~>      Cfg.field = value
                                 s

    Legal if what the field holds at the gap is certainly written again before it is read, or if it provably holds value there.
    The result is equivalent modulo the field where that may still be seen at the end. value is text, a number or a cursor.

    Raises:
        SchedulingError: the field may be read (an assertion of a callee counts) before it is written again; the gap is inside a
        parallel loop.
    Forwarding: everything stays itself.
    Also known as: configwrite_at (Reinking 2022, §3.2.4).
    """
    name = field_at(config, field, _OP)
    where = gap_at(proc, gap, _OP)
    place: Path = (*where.parent, (where.field, gap_position(where)))
    require_sequential(proc.ir, place, _OP)
    stmt = AssignConfig(config, field, expression(proc, place, value, _OP, type_of(name)))

    edit = Edit.of(proc.ir, _OP).insert(where, (stmt,))
    if holds_already(_context(proc, where), dataflow.of_stmt(stmt), name):
        return edit
    return left_to(edit, edit.proc, _after(place), frozenset({name}), "the step changes", stmt.span)
