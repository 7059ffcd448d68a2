"""`call_eqv`: a call of another version of the callee."""

from __future__ import annotations

import pytest

from usl_core.equivalence import Relation, Step
from usl_core.errors import SchedulingError
from usl_core.ir.traverse import update
from usl_core.primitives.calls.call_eqv import call_eqv
from usl_core.procedure import Procedure, derive, proc_from_source


def version(p: Procedure, text: str, relation: Relation) -> Procedure:
    """A version of p whose text some operator of the given relation would have made."""
    other = proc_from_source(text)
    return derive(p, update(other.ir, span=other.ir.span), None, "test", lambda: Step("test", relation=relation))


TEXT = "def f(n: size, x: [f32][n]):\n    for i in seq(0, n):\n        x[i] = 0.0\n"
F = proc_from_source(TEXT)
CALLER = proc_from_source("def foo(y: f32[8]):\n    f(8, y[0:8])\n", {"f": F})
EQUAL = version(F, TEXT.replace("def f", "def f_equal"), Relation.EQUAL)
REFINED = version(F, TEXT.replace("def f", "def f_refined"), Relation.REFINES)


def test_a_call_moves_down_to_an_equal_version_or_a_refinement():
    assert "f_equal(8, y[0:8])" in str(call_eqv(CALLER, "f(_)", EQUAL))
    assert "f_refined(8, y[0:8])" in str(call_eqv(CALLER, "f(_)", REFINED))


def test_a_call_moves_up_from_an_equal_version_only():
    assert "f(8, y[0:8])" in str(call_eqv(call_eqv(CALLER, "f(_)", EQUAL), "f_equal(_)", F))
    with pytest.raises(SchedulingError, match="only a refinement"):
        call_eqv(call_eqv(CALLER, "f(_)", REFINED), "f_refined(_)", F)


def test_an_unrelated_procedure_is_refused():
    stranger = proc_from_source(TEXT.replace("def f", "def g"))
    with pytest.raises(SchedulingError, match="g was not made from f"):
        call_eqv(CALLER, "f(_)", stranger)


def test_another_precision_or_interface_is_refused():
    for relation in (Relation.PRECISION, Relation.INTERFACE):
        other = version(F, TEXT.replace("def f", "def g"), relation)
        with pytest.raises(SchedulingError, match="another precision or interface"):
            call_eqv(CALLER, "f(_)", other)


def test_the_assertion_of_a_narrower_version_is_proved_at_the_call():
    narrow = TEXT.replace("def f", "def g").replace("    for", "    assert n % {} == 0\n    for", 1)
    four, three = (version(F, narrow.format(k), Relation.NARROWER) for k in (4, 3))
    assert "g(8, y[0:8])" in str(call_eqv(CALLER, "f(_)", four))
    with pytest.raises(SchedulingError, match="may break its assertion n % 3 == 0"):
        call_eqv(CALLER, "f(_)", three)
