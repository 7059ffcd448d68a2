"""`call_eqv`: a call of another version of the callee."""

from __future__ import annotations

import numpy as np
import pytest

from usl_core import Procedure, proc_from_source
from usl_core.equivalence import Relation, Step
from usl_core.errors import SchedulingError
from usl_core.interp import run
from usl_core.ir.traverse import update
from usl_core.primitives.calls.call_eqv import call_eqv
from usl_core.procedure import derive
from usl_core.scheduling import rename, reorder_loops, set_precision, unroll_loop


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


def test_what_calls_a_refinement_is_itself_a_refinement_only():
    refined = call_eqv(CALLER, "f(_)", REFINED)
    outer = proc_from_source("def outer(y: f32[8]):\n    foo(y)\n", {"foo": refined})
    with pytest.raises(SchedulingError, match="only a refinement"):
        call_eqv(outer, "foo(_)", CALLER)


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


# ---- versions for fixed values of formals


SUM = proc_from_source(
    "def f(m: size, n: size, t: bool, x: [f32][m, n]):\n"
    "    for i in seq(0, m):\n"
    "        for j in seq(0, n):\n"
    "            x[i, j] = x[i, j] + 1.0\n"
)
SWAPPED = rename(reorder_loops(SUM, "i j"), "g")


def caller_of(f: Procedure, shape: str, arguments: str) -> Procedure:
    return proc_from_source(f"def foo(y: f32[{shape}]):\n    {f.name()}({arguments})\n", {f.name(): f})


@pytest.mark.parametrize("rows", range(1, 5))
def test_versions_for_the_same_values_stand_for_each_other(rows: int) -> None:
    plain, fast = SUM.partial_eval(m=rows, t=True), unroll_loop(SWAPPED.partial_eval(m=rows, t=True), "i")
    caller = caller_of(plain, f"{rows}, 3", f"3, y[0:{rows}, 0:3]")
    called = call_eqv(caller, "f(_)", fast)
    before, after = (np.arange(3 * rows, dtype=np.float32).reshape(rows, 3) for _ in range(2))
    run(caller.ir, [before])
    run(called.ir, [after])
    np.testing.assert_array_equal(before, after)
    assert "f(3, " in str(call_eqv(called, "g(_)", plain))


def test_values_may_be_put_in_one_by_one_and_in_any_order() -> None:
    plain, fast = SUM.partial_eval(m=2, n=3, t=False), SWAPPED.partial_eval(n=3).partial_eval(t=False).partial_eval(m=2)
    assert "g(y[0:2, 0:3])" in str(call_eqv(caller_of(plain, "2, 3", "y[0:2, 0:3]"), "f(_)", fast))


@pytest.mark.parametrize(
    "other",
    [
        SWAPPED,
        SWAPPED.partial_eval(m=3),
        SWAPPED.partial_eval(n=2),
        SWAPPED.partial_eval(m=2, n=2),
        SWAPPED.partial_eval(m=2, t=True),
    ],
    ids=lambda p: ", ".join(arg.name() for arg in p.args()),
)
def test_versions_for_other_values_do_not(other: Procedure) -> None:
    plain = SUM.partial_eval(m=2)
    with pytest.raises(
        SchedulingError, match="g has another interface than f: other formals have values, or the same have others"
    ):
        call_eqv(caller_of(plain, "2, 2", "2, True, y[0:2, 0:2]"), "f(_)", other)


def test_another_precision_of_a_version_for_the_same_values_is_refused() -> None:
    plain = SUM.partial_eval(m=2)
    for fast in (set_precision(SWAPPED, "x", "f64").partial_eval(m=2), set_precision(SWAPPED.partial_eval(m=2), "x", "f64")):
        with pytest.raises(SchedulingError, match="another precision or interface"):
            call_eqv(caller_of(plain, "2, 2", "2, True, y[0:2, 0:2]"), "f(_)", fast)


def test_assertions_of_a_version_for_the_same_values_are_proved_at_the_call() -> None:
    plain, narrow = SUM.partial_eval(m=2), SWAPPED.add_assertion("n % 4 == m").partial_eval(m=2)
    assert "g(6, " in str(call_eqv(caller_of(plain, "2, 6", "6, True, y[0:2, 0:6]"), "f(_)", narrow))
    with pytest.raises(SchedulingError, match="may break its assertion n % 4 == 2"):
        call_eqv(caller_of(plain, "2, 5", "5, True, y[0:2, 0:5]"), "f(_)", narrow)
