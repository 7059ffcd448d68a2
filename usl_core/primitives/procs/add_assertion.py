"""add_assertion: a procedure that may assume more."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.cursors.edit import Edit
from usl_core.equivalence import Relation
from usl_core.ir.config import Config
from usl_core.primitives.base import edit_of, primitive
from usl_core.primitives.locate import Where, condition
from usl_core.procedure import Procedure


@primitive(Relation.NARROWER)
def add_assertion(proc: Procedure, assertion: Where, configs: Sequence[Config] = ()) -> Edit:
    """A narrower procedure with one more precondition: `add_assertion(p, "n % 16 == 0")`.

        def f(n: size, ...):          def f(n: size, ...):
            s                  ~>         assert n % 16 == 0
                                          s

    The assertion may be on fields of the configurations that the procedure uses, and of those in configs.
    `call_eqv` may put it in place of the original where the assertion is proved. Also a method, `p.add_assertion(...)`.

    Raises:
        SchedulingError: the assertion is not a control condition on the formals, or contradicts the other assertions.
    Forwarding: every cursor stays.
    """
    cond = condition(proc, (("body", 0),), assertion, configs)

    return edit_of(proc).replace_preds((*proc.ir.preds, cond))
