"""specialize: a block gets a version of its own for each of some conditions."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Path, stmt_path, stmts
from usl_core.errors import Span
from usl_core.ir.config import Config
from usl_core.ir.nodes import Block, Expr, If
from usl_core.ir.traverse import with_fresh_binders
from usl_core.primitives.base import edit_of, primitive, require
from usl_core.primitives.locate import Where, block_at, condition
from usl_core.primitives.moving import require_closed
from usl_core.procedure import Procedure


@primitive()
def specialize(proc: Procedure, block: Where, conds: Where | Sequence[Where], configs: Sequence[Config] = ()) -> Edit:
    """Copy a block into the branches of an `if`, to be scheduled apart.

                                     if c0:
                                         s
        s                    ~>      else:
                                         if c1:
                                             s
                                         else:
                                             s

    Conditions may read fields of the configurations that the procedure uses, and of those in configs.

    Raises:
        SchedulingError: no condition is given; what s allocates is used after it.
        TypeError_: a condition is not a truth value, or depends on data.
    Forwarding: the statements go to the first copy.
    """
    where = block_at(proc, block)
    code = stmts(proc.ir, where)
    span = code[0].span
    cases = _conditions(proc, stmt_path(where, 0), conds, configs, span)

    require_closed(proc.ir, where, span)

    otherwise = with_fresh_binders(code)
    for cond in reversed(cases[1:]):
        otherwise = (If(cond, with_fresh_binders(code), otherwise, span=span),)

    def branches(body: Block) -> If:
        return If(cases[0], body, otherwise, span=span)

    return edit_of(proc).wrap(where, branches)


def _conditions(
    proc: Procedure, path: Path, conds: Where | Sequence[Where], configs: Sequence[Config], span: Span
) -> list[Expr]:
    given = list(conds) if isinstance(conds, list | tuple) else [conds]
    require(bool(given), "at least one condition is wanted", span)
    return [condition(proc, path, cond, configs) for cond in given]
