"""`replace_all` passes by no block that an instruction may stand for."""

from __future__ import annotations

from hypothesis import given, settings

from tests.frontend.programs import procedures
from usl_core.analysis.context import Context
from usl_core.inspect import alike
from usl_core.ir.nodes import Block, Proc, StmtBase
from usl_core.ir.traverse import update, walk, with_fresh_binders
from usl_core.primitives.calls.solving import solve
from usl_core.primitives.calls.unify import Mismatch, Unifier


def unifies(proc: Proc, body: Block, block: Block) -> bool:
    """Whether a procedure with proc's formals and that body unifies with a block of proc."""
    callee = update(proc, name="f", preds=(), body=with_fresh_binders(body))
    try:
        solve(Unifier(callee, lambda: Context.of_proc(proc)), block)
    except Mismatch as mismatch:
        return "does not determine" in mismatch.reason  # all of the body matched
    return True


@settings(max_examples=15, deadline=None)
@given(procedures())
def test_statements_that_unify_are_not_passed_by(proc: Proc) -> None:
    stmts = [node for node in walk(proc) if isinstance(node, StmtBase)][:25]
    for a in stmts:
        for b in stmts:
            if not alike(update(proc, body=(a,)), (b,)):
                assert not unifies(proc, (a,), (b,))
