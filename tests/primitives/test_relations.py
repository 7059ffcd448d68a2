"""What the result of an operator is to the procedure it was made from: `call_eqv` and `assurance()` go by it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.primitives.equivalence import parse
from usl_core.equivalence import Relation
from usl_core.procedure import Procedure
from usl_core.scheduling import delete_dead_writes, inline_producer, partial_eval

PRODUCED = parse(
    """
    def f(n: size, x: f32[n], y: f32[n]):
        t: f32[n + 4]
        for i in seq(0, n):
            t[i] = 2.0 * x[i]
        for i in seq(0, n):
            y[i] = t[i] + 1.0
        for i in seq(n, n + 4):
            t[i] = 0.0
    """
)


@pytest.mark.parametrize(
    ("relation", "operator"),
    [
        (Relation.REFINES, lambda p: delete_dead_writes(p, p.find_loop("i #2"))),
        (Relation.REFINES, lambda p: inline_producer(delete_dead_writes(p, p.find_loop("i #2")), "t")),
        (Relation.INTERFACE, lambda p: partial_eval(p, n=8)),
    ],
    ids=["delete_dead_writes", "inline_producer", "partial_eval"],
)
def test_what_reads_less_poison_refines_and_what_has_other_formals_is_another_interface(
    relation: Relation, operator: Callable[[Procedure], Procedure]
) -> None:
    *_, step = operator(PRODUCED).history()
    assert step.relation is relation
