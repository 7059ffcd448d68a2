"""`rename`, `add_assertion`, `partial_eval`: operators on the head of a procedure."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.inputs import random_inputs
from tests.fuzz.refine import compare_at
from tests.primitives.equivalence import parse
from usl_core.cursors.cursor import InvalidCursor
from usl_core.equivalence import Relation
from usl_core.errors import SchedulingError, UsageError
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import InstrTemplate
from usl_core.ir.traverse import update
from usl_core.primitives.buffers.lift_alloc import lift_alloc
from usl_core.primitives.buffers.set_memory import set_memory
from usl_core.primitives.buffers.set_precision import set_precision
from usl_core.primitives.buffers.set_window import set_window
from usl_core.primitives.calls.call_eqv import call_eqv
from usl_core.primitives.procs.add_assertion import add_assertion
from usl_core.primitives.procs.partial_eval import partial_eval
from usl_core.primitives.procs.rename import rename
from usl_core.procedure import Procedure, from_ir, proc_from_source

FOO = proc_from_source("""
def foo(n: size, m: index, b: bool, x: f32[n, 2 * n]):
    assert m >= 0 and m < n
    w = x[m, 0:n]
    if b:
        for i in seq(0, n):
            w[i] = x[m, n + i] + f32(n)
""")


def body(p: Procedure) -> list[str]:
    return [line.strip() for line in str(p).strip().splitlines()[1:]]


def test_rename_changes_the_name_only() -> None:
    q = rename(FOO, "bar")
    assert q.name() == "bar"
    assert body(q)[1:] == body(FOO)[1:]
    assert q.forward(FOO.find("i")).node is q.find("i").node


@pytest.mark.parametrize("name", ["1a", "for", "", "a b"])
def test_rename_refuses_what_is_not_a_name(name: str) -> None:
    with pytest.raises(SchedulingError, match="must be an identifier"):
        rename(FOO, name)
    with pytest.raises(UsageError, match="name must be a text, got 3"):
        rename(FOO, 3)  # type: ignore[arg-type]


def test_an_assertion_starts_a_narrower_procedure() -> None:
    q = add_assertion(FOO, "n % 4 == 0")
    assert "assert n % 4 == 0" in body(q)
    assert q.history()[-1].relation is Relation.NARROWER
    caller = proc_from_source("def main(x: f32[8, 16]):\n    foo(8, 3, True, x)\n", {"foo": FOO})
    assert "foo(8, 3, True, x)" in str(call_eqv(caller, "foo(_)", q))
    with pytest.raises(SchedulingError, match="may break its assertion n % 3 == 0"):
        call_eqv(caller, "foo(_)", add_assertion(FOO, "n % 3 == 0"))


def test_an_assertion_that_contradicts_the_others_is_refused() -> None:
    with pytest.raises(SchedulingError, match="contradict each other"):
        add_assertion(FOO, "m >= n")


def test_an_assertion_on_data_is_refused() -> None:
    with pytest.raises(SchedulingError, match="control values only"):
        add_assertion(FOO, "x[0, 0] > 1.0")


def test_partial_eval_fixes_formals_everywhere() -> None:
    q = partial_eval(FOO, n=4, b=True)
    assert body(q) == [
        "def foo(m: index, x: f32[4, 2 * 4]):",
        "assert m >= 0 and m < 4",
        "w = x[m, 0:4]",
        "if True:",
        "for i in seq(0, 4):",
        "w[i] = x[m, 4 + i] + f32(4)",
    ] or body(q)[-1].endswith("f32(index(4))")
    assert str(partial_eval(FOO, 4, 2)) == str(partial_eval(FOO, m=2, n=4))


def test_partial_eval_keeps_meaning_at_the_fixed_values() -> None:
    q = partial_eval(FOO, n=5)
    rng = random.Random(3)
    for m in range(5):
        for b in (True, False):
            inputs = random_inputs(q.ir, {"m": m, "b": b}, rng, 0.1)
            assert compare_at(FOO.ir, q.ir, inputs, {"n": 5}) is None


def test_a_procedure_for_fixed_values_does_not_claim_to_be_the_one_it_comes_from() -> None:
    assert partial_eval(FOO, n=4).assurance() == "every step proved, up to: partial_eval (interface)"


def test_cursors_stay_and_those_to_a_fixed_formal_die() -> None:
    q = partial_eval(FOO, n=4)
    assert q.forward(FOO.find("w[_] = _")).node is q.find("w[_] = _").node
    n, x = FOO.args()[0], FOO.args()[3]
    assert isinstance(q.forward(n), InvalidCursor)
    assert q.forward(x) == q.args()[2]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"n": 0}, "size n must be at least 1"),
        ({"n": True}, "n is a size"),
        ({"b": 1}, "b is a bool"),
        ({"x": 1}, "x is not a control formal of foo; these are: n, m, b"),
        ({"n": 3, "m": 3}, "contradict each other"),
        ({}, "no value is given"),
    ],
)
def test_partial_eval_refuses_values_that_do_not_fit(values: dict[str, int], message: str) -> None:
    with pytest.raises(SchedulingError, match=message):
        partial_eval(FOO, **values)


def test_an_instruction_keeps_what_its_text_was_written_for() -> None:
    info = InstrTemplate("zero({n}, {x.ptr});")
    plain = parse("""
        def zero(n: size, x: [f32][n]):
            for i in seq(0, n):
                t: f32
                t = 0.0
                x[i] = t
    """)
    zero = from_ir(update(plain.ir, instr=info), "instruction")
    with pytest.raises(SchedulingError, match="partial_eval: zero is an instruction"):
        partial_eval(zero, n=4)
    for step in (
        lambda p: set_memory(p, "x", DRAM),
        lambda p: set_precision(p, "x", "f64"),
        lambda p: set_window(p, "x", False),
        lambda p: lift_alloc(p, "t"),
    ):
        assert str(step(plain)) != str(plain) or step(plain).history()[-1].operator == "set_memory"
        with pytest.raises(SchedulingError, match="zero is an instruction, whose C text does not change along"):
            step(zero)
    assert rename(zero, "zero_").is_instr() and set_memory(zero, "t", DRAM).is_instr()
