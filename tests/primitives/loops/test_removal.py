"""`unroll_loop`, `remove_loop`, `add_loop`: loops that go or come."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.cursors.cursor import InvalidCursor
from usl_core.errors import SchedulingError
from usl_core.primitives.loops.add_loop import add_loop
from usl_core.primitives.loops.remove_loop import remove_loop
from usl_core.primitives.loops.unroll_loop import unroll_loop
from usl_core.procedure import Procedure

# ---- unroll_loop

SMALL = parse("""
    def small(x: f32[8], y: f32[8]):
        for i in seq(1, 4):
            t: f32
            t = x[i]
            y[i + 1] = t + y[i]
    """)


def test_unroll_loop_copies_the_body_per_iteration():
    q = unroll_loop(SMALL, "i")
    assert_body(
        q,
        """
        t: f32
        t = x[1]
        y[1 + 1] = t + y[1]
        t_1: f32
        t_1 = x[2]
        y[2 + 1] = t_1 + y[2]
        t_2: f32
        t_2 = x[3]
        y[3 + 1] = t_2 + y[3]
        """,
    )
    assert_equivalent(SMALL, q)


def test_unroll_loop_sends_the_body_to_the_first_copy():
    loop, stmt, body = SMALL.find("i"), SMALL.find("y[_] = _"), SMALL.find("i").body()
    q = unroll_loop(SMALL, loop)
    assert isinstance(q.forward(loop), InvalidCursor)
    assert "unroll_loop" in q.forward(loop).reason
    assert q.forward(stmt) == q.find("y[_] = _ #0")
    assert len(q.forward(body)) == 3 and q.forward(body)[0] == q.find("t : _")


def test_unroll_loop_drops_a_loop_that_never_runs():
    p = parse("""
        def foo(x: f32[8]):
            for i in seq(0, 4):
                for j in seq(2, 2):
                    x[i] = 0.0
        """)
    q = unroll_loop(p, "j")
    assert_body(q, "for i in seq(0, 4):\n    pass")
    assert_equivalent(p, q)


def test_unroll_loop_refuses_limits_that_are_not_constant():
    p = parse("""
        def foo(n: size, x: f32[n]):
            for i in seq(0, n):
                x[i] = 0.0
        """)
    with pytest.raises(SchedulingError, match="the limit n is not a constant"):
        unroll_loop(p, "i")


def test_unroll_loop_refuses_to_make_too_many_copies():
    p = parse("""
        def foo(x: f32[100000]):
            for i in seq(0, 100000):
                x[i] = 0.0
        """)
    with pytest.raises(SchedulingError, match="100000 copies are too many"):
        unroll_loop(p, "i")


# ---- remove_loop


def repeated(body: str, limit: str = "n") -> Procedure:
    return parse(f"""
        def foo(n: size, x: f32[n], y: f32[n], s: f32):
            for i in seq(0, {limit}):
                {body}
        """)


def test_remove_loop_keeps_the_body():
    p = repeated("x[0] = y[0] * 2.0")
    loop, stmt = p.find("i"), p.find("x[_] = _")
    q = remove_loop(p, loop)
    assert_body(q, "x[0] = y[0] * 2.0")
    assert_equivalent(p, q)
    assert q.forward(stmt) == q.find("x[_] = _")
    assert isinstance(q.forward(loop), InvalidCursor)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x[0] += 1.0", "a reduction into x adds again"),
        ("x[0] = x[0] * 2.0", "both may touch the same location of x"),
        ("if x[0] < 1.0: x[0] = 2.0", "both may touch the same location of x"),
        ("x[i] = 0.0", "the body uses the iterator i"),
    ],
)
def test_remove_loop_refuses_a_body_that_acts_again(body: str, message: str):
    if body.startswith("if"):
        body = body.replace(": ", ":\n                    ")
    with pytest.raises(SchedulingError, match=message):
        remove_loop(repeated(body), "i")


def test_the_body_of_a_loop_that_may_not_run_stands_under_a_condition():
    p = repeated("x[0] = 1.0", limit="n / 2")
    q = remove_loop(p, "i")
    assert_body(q, "if 0 < n / 2:\n    x[0] = 1.0")
    assert q.forward(p.find("x[_] = _")) == q.find("x[_] = _")
    assert_equivalent(p, q)


def test_a_sum_in_a_loop_that_runs_at_most_once_stands_under_a_condition():
    p = repeated("x[0] += 1.0", limit="min(1, n - 1)")
    assert_equivalent(p, remove_loop(p, "i"))


def test_a_loop_that_runs_exactly_once_may_hold_anything():
    p = repeated("x[0] += 1.0", limit="1")
    assert_equivalent(p, remove_loop(p, "i"))


# ---- add_loop


def test_add_loop_repeats_a_block():
    p = parse("""
        def foo(n: size, x: f32[n], y: f32[n]):
            x[1 - 1] = 2.0
            y[0] = 1.0
            y[n - 1] = 2.0
        """)
    block = p.body()[0:2]
    q = add_loop(p, block, "k", "n + 1")
    assert_body(
        q,
        """
        for k in seq(0, n + 1):
            x[1 - 1] = 2.0
            y[0] = 1.0
        y[n - 1] = 2.0
        """,
    )
    assert_equivalent(p, q)
    assert q.forward(block) == q.find("k").body()
    assert_equivalent(p, remove_loop(q, "k"))


def test_add_loop_guards_a_block_that_must_run_once():
    p = parse("""
        def foo(n: size, x: f32[n]):
            x[0] += 1.0
        """)
    with pytest.raises(SchedulingError, match=r"may have an effect when it runs again(.|\n)*adds again"):
        add_loop(p, "x[_] += _", "k", 4)
    q = add_loop(p, "x[_] += _", "k", "n", guard=True)
    assert_body(
        q,
        """
        for k in seq(0, n):
            if k == 0:
                x[0] += 1.0
        """,
    )
    assert_equivalent(p, q)


def test_add_loop_refuses_an_empty_range_and_escaping_names():
    p = parse("""
        def foo(n: size, x: f32[n]):
            t: f32
            t = 1.0
            x[0] = t
        """)
    with pytest.raises(SchedulingError, match=r"cannot prove that n - 1 is at least 1(.|\n)*n = 1"):
        add_loop(p, "x[_] = _", "k", "n - 1")
    with pytest.raises(SchedulingError, match="t is bound in the block and used after it"):
        add_loop(p, p.body()[0:2], "k", 4)
    with pytest.raises(SchedulingError, match="must be an identifier"):
        add_loop(p, "x[_] = _", "1k", 4)
