"""What a call may touch, where its arguments or the strides of its buffers differ from one iteration to the next."""

from __future__ import annotations

import pytest

from usl_core.errors import BoundsError, SchedulingError
from usl_core.ir.verify import problems
from usl_core.procedure import proc_from_source
from usl_core.scheduling import (
    add_assertion,
    call_eqv,
    insert_noop_call,
    parallelize_loop,
    partial_eval,
    reorder_loops,
    rewrite_expr,
)

PUT = proc_from_source("def put(i: index, a: f32):\n    a = f32(i)\n")
STRIDED = proc_from_source("""
def hs(i: index, j: index, m: size, a: f32[2, m], y: f32[4]):
    if stride(a, 0) + j == 5:
        if i + j <= 3:
            y[0] = f32(4 * i + j)
""")


def test_an_argument_may_not_depend_on_data() -> None:
    """The effect of the call would be at a place that changes with every iteration, and with what the callee writes."""
    with pytest.raises(BoundsError, match="depends on data through idx") as caught:
        proc_from_source(
            "def f(k: i32[4], y: f32[8]):\n    for i in seq(0, 4):\n        put(i, y[idx(k[i], 0, 8)])\n", {"put": PUT}
        )
    assert caught.value.code == "E316"


def test_a_no_op_call_may_not_read_data_for_its_argument() -> None:
    nop = proc_from_source("def nop(a: f32):\n    pass\n")
    p = proc_from_source("def f(n: size, x: f32[n], k: i32[2]):\n    x[0] = 1.0\n")
    with pytest.raises(SchedulingError, match="depends on data through idx"):
        insert_noop_call(p, p.body()[0].before(), nop, ["x[idx(k[0], 0, n)]"])


def test_strides_of_a_formal_may_differ_between_iterations() -> None:
    p = proc_from_source(
        """
def f(y: f32[4]):
    for i in seq(0, 4):
        for j in seq(0, 4):
            t: f32[2, 5 - j]
            hs(i, j, 5 - j, t, y)
""",
        {"hs": STRIDED},
    )
    with pytest.raises(SchedulingError, match="would change places do not commute"):
        reorder_loops(p, "i j")
    with pytest.raises(SchedulingError, match=r"may interfere|same location"):
        parallelize_loop(p, "j")


def test_a_clamp_does_not_come_to_a_place_where_it_may_not_stand() -> None:
    p = proc_from_source("def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        if i < 3:\n            x[i] = 1.0\n")
    with pytest.raises(SchedulingError, match="would bring `idx` to a place"):
        rewrite_expr(p, p.find("if _: _").cond().lhs(), "idx(i32(i), i, i + 1)")
    q = rewrite_expr(p, p.find("x[_] = _").idx()[0], "i + 0")
    assert problems(q.ir) == []


def test_procedures_for_different_fixed_values_are_not_exchanged() -> None:
    f = proc_from_source(
        "def f(n: size, m: size, x: f32[8]):\n    assert n <= 8\n    for i in seq(0, n):\n        x[i] = 1.0\n"
    )
    four, six = partial_eval(f, n=4), partial_eval(f, n=6)
    caller = proc_from_source("def g(m: size, x: f32[8]):\n    f(m, x)\n", {"f": four})
    with pytest.raises(SchedulingError, match="interface"):
        call_eqv(caller, "f(_)", six)
    with pytest.raises(SchedulingError, match="interface"):
        call_eqv(caller, "f(_)", f)
    assert "f(m, x)" in str(call_eqv(caller, "f(_)", add_assertion(four, "m >= 1")))
