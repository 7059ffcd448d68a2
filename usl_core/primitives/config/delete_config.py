"""delete_config: a write of configuration fields goes."""

from __future__ import annotations

from functools import partial

from usl_core.analysis import dataflow
from usl_core.analysis.effects import summary
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import block_of
from usl_core.ir.nodes import AssignConfig, Call, Stmt
from usl_core.primitives.base import edit_of, primitive, refuse
from usl_core.primitives.config.fields import holds_already, left_behind
from usl_core.primitives.locate import Where, any_stmt_at, context_at
from usl_core.procedure import Procedure


@primitive(control=True)
def delete_config(proc: Procedure, stmt: Where) -> Edit:
    """Delete a write of a configuration field, or a call that does nothing but write fields.

        Cfg.field = value    ~>    (nothing; `pass` where the block would be empty)

    Legal for a field that provably holds the value already, and for one that is certainly written again before it is read. The
    result is equivalent modulo the fields of the second kind of which the end of the procedure may see the difference.

    Raises:
        SchedulingError: the statement has other effects; a field may be read before it is written again (an assertion of a
            callee is a read), and is not known to hold the value.
    Forwarding: the statement is gone, everything else stays itself.
    Reference: Reinking 2022, §3.5.7 and §3.6.2.
    """
    path, old = any_stmt_at(proc, stmt)
    _require_only_writes(old)

    ctx = context_at(proc, path)
    step = dataflow.of_stmt(old)
    edit = edit_of(proc).delete(block_of(path))
    return left_behind(edit, path, summary(old).config_writes, partial(holds_already, ctx, step))


def _require_only_writes(stmt: Stmt) -> None:
    effect = summary(stmt)
    others = [access for access in effect.accesses if access.modifies and access.buffer not in effect.fields]
    if not isinstance(stmt, AssignConfig | Call) or effect.checks or others or not effect.config_writes:
        message = "a configuration write, or a call that does nothing else, is wanted here"
        refuse(message, stmt.span, code="E404")
