"""`cut_loop`, `shift_loop`, `join_loops`: operators on the range of a loop."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.loops.cut_loop import cut_loop
from usl_core.primitives.loops.join_loops import join_loops
from usl_core.primitives.loops.shift_loop import shift_loop

SCAN = parse("""
    def scan(n: size, x: f32[n + 1]):
        for i in seq(0, n):
            x[i + 1] = x[i] + 1.0
    """)


# ---- cut_loop


def test_cut_loop_makes_two_loops_in_order():
    q = cut_loop(SCAN, "i", "n / 2")
    assert_body(
        q,
        """
        for i in seq(0, n / 2):
            x[i + 1] = x[i] + 1.0
        for i in seq(n / 2, n):
            x[i + 1] = x[i] + 1.0
        """,
    )
    assert_equivalent(SCAN, q)
    assert_equivalent(SCAN, cut_loop(SCAN, "i", 1))


def test_cut_loop_sends_the_loop_and_its_body_to_the_first():
    loop, stmt = SCAN.find("i"), SCAN.find("x[_] = _")
    q = cut_loop(SCAN, loop, 1)
    assert q.forward(loop) == q.find("i #0")
    assert q.forward(stmt) == q.find("x[_] = _ #0")
    assert q.forward(loop.after()).anchor() == q.find("i #0")


def test_cut_loop_refuses_a_place_outside_of_the_range():
    with pytest.raises(SchedulingError, match="cannot prove 0 <= n - 1 - 3 <= n") as caught:
        cut_loop(SCAN, "i", "n - 1 - 3")
    assert any(note.startswith("counter-example: n = ") for note in caught.value.notes)
    with pytest.raises(SchedulingError, match="cannot prove 0 <= 2 <= n"):
        cut_loop(SCAN, "i", 2)


def test_a_limit_is_a_control_expression_of_the_place_before_the_loop():
    with pytest.raises(SchedulingError, match="stride"):
        cut_loop(SCAN, "i", "stride(x, 0)")
    with pytest.raises(SchedulingError, match="uses i, which is not in scope"):
        cut_loop(SCAN, "i", SCAN.find("i + 1"))
    with pytest.raises(SchedulingError, match="has type f32"):
        cut_loop(SCAN, "i", SCAN.find("x[i]"))


# ---- shift_loop


def test_shift_loop_renumbers_the_iterations():
    q = shift_loop(SCAN, "i", 3)
    assert_body(
        q,
        """
        for i in seq(3, n + 3):
            x[i - 2] = x[i - 3] + 1.0
        """,
    )
    assert_equivalent(SCAN, q)


@pytest.mark.parametrize("starts", [(3, 0), (2, 0, 1, 3, 0), ("n + 1", 0), ("n", "n + 2", 4, 0)])
def test_loops_shifted_to_and_fro_are_as_before(starts: tuple[int | str, ...]):
    q = SCAN
    for start in starts:
        q = shift_loop(q, "i", start)
        assert_equivalent(SCAN, q)
    assert str(q) == str(SCAN)


def test_shift_loop_takes_a_symbolic_start():
    q = shift_loop(shift_loop(SCAN, "i", "n + 1"), "i", "n / 2")
    assert "for i in seq(n / 2, n / 2 + n):" in str(q)
    assert_equivalent(SCAN, q)


def test_shift_loop_leaves_cursors_in_place():
    loop, stmt = SCAN.find("i"), SCAN.find("x[_] = _")
    q = shift_loop(SCAN, loop, 3)
    assert (q.forward(loop), q.forward(stmt)) == (q.find("i"), q.find("x[_] = _"))


def test_shift_loop_refuses_a_negative_start():
    with pytest.raises(SchedulingError, match=r"the new start n - 2 is at least 0(.|\n)*counter-example: n = 1"):
        shift_loop(SCAN, "i", "n - 2")


# ---- join_loops


def test_join_loops_undoes_cut_loop():
    cut = cut_loop(SCAN, "i", "n / 2")
    q = join_loops(cut, "i", "i #1")
    assert str(q) == str(SCAN)
    assert_equivalent(cut, q)


def test_join_loops_sends_both_loops_to_the_joined_one():
    cut = cut_loop(SCAN, "i", "n / 2")
    second, stmt = cut.find("i #1"), cut.find("x[_] = _ #1")
    q = join_loops(cut, "i", second)
    assert q.forward(second) == q.find("i")
    assert q.forward(stmt) == q.find("x[_] = _")
    assert q.forward(stmt.after()).anchor() == q.find("x[_] = _")


def test_join_loops_accepts_ranges_that_are_proved_to_meet():
    p = parse("""
        def foo(n: size, m: size, x: f32[n + m]):
            assert n == m
            for i in seq(0, n):
                x[i] = 0.0
            for j in seq(m, n + m):
                x[j] = 0.0
        """)
    q = join_loops(p, "i", "j")
    assert "for i in seq(0, n + m):" in str(q)
    assert_equivalent(p, q)


def test_join_loops_refuses_ranges_with_a_gap():
    p = parse("""
        def foo(n: size, x: f32[n + 2]):
            for i in seq(0, n):
                x[i] = 0.0
            for i in seq(n + 1, n + 2):
                x[i] = 0.0
        """)
    with pytest.raises(SchedulingError, match=r"starts at n \+ 1, which is not proved to be n"):
        join_loops(p, "i", "i #1")


def test_join_loops_refuses_different_bodies_modes_and_places():
    p = parse("""
        def foo(x: f32[9]):
            for i in seq(0, 3):
                x[i] = 0.0
            for i in seq(3, 6):
                x[i] = 1.0
            for i in par(6, 9):
                x[i] = 1.0
        """)
    with pytest.raises(SchedulingError, match="the bodies of the loops are not the same"):
        join_loops(p, "i", "i #1")
    with pytest.raises(SchedulingError, match="one of the loops is `par`"):
        join_loops(p, "i #1", "i #2")
    with pytest.raises(SchedulingError, match="must directly follow the first"):
        join_loops(p, "i", "i #2")
    with pytest.raises(SchedulingError, match="must directly follow the first"):
        join_loops(p, "i #1", "i")


def test_join_loops_sends_the_limits_of_the_second_loop_to_the_joined_one():
    cut = cut_loop(SCAN, "i", "n / 2")
    q = join_loops(cut, "i", "i #1")
    assert q.forward(cut.find("i #1").hi()) == q.find("i").hi()
