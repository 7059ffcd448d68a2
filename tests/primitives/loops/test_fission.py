"""`fission`: splitting loops and ifs, by commutation and by re-execution."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.ir.nodes import LoopMode
from usl_core.primitives.loops.fission import fission
from usl_core.procedure import Procedure

MATVEC = parse("""
    def matvec(n: size, m: size, A: f32[n, m], x: f32[m], y: f32[n]):
        for i in seq(0, n):
            y[i] = 0.0
            for j in seq(0, m):
                y[i] += A[i, j] * x[j]
    """)


def split_after(p: Procedure, pattern: str, n_lifts: int = 1) -> Procedure:
    return fission(p, p.find(pattern).after(), n_lifts)


def loop_of(first: str, second: str) -> Procedure:
    return parse(f"""
        def foo(n: size, a: f32[n + 1], b: f32[n + 1], s: f32, t: f32):
            for i in seq(0, n):
                {first}
                {second}
        """)


def test_the_statements_get_a_loop_each():
    q = split_after(MATVEC, "y[_] = _")
    assert_body(
        q,
        """
        for i in seq(0, n):
            y[i] = 0.0
        for i in seq(0, n):
            for j in seq(0, m):
                y[i] += A[i, j] * x[j]
        """,
    )
    assert_equivalent(MATVEC, q)


def test_the_loop_goes_to_the_first_copy_and_statements_stay_themselves():
    loop, zero, inner = MATVEC.find("i"), MATVEC.find("y[_] = _"), MATVEC.find("j")
    q = fission(MATVEC, zero.after())
    assert q.forward(loop) == q.find("i #0")
    assert q.forward(zero) == q.find("y[_] = _")
    assert q.forward(inner) == q.find("j")
    assert q.forward(inner).parent() == q.find("i #1")


def test_two_loops_are_split_from_the_inside_out():
    p = parse("""
        def foo(n: size, a: f32[n, n], b: f32[n, n]):
            for i in seq(0, n):
                for j in seq(0, n):
                    a[i, j] = 1.0
                    b[i, j] = a[i, j]
        """)
    q = split_after(p, "a[_] = _", 2)
    assert_body(
        q,
        """
        for i in seq(0, n):
            for j in seq(0, n):
                a[i, j] = 1.0
        for i in seq(0, n):
            for j in seq(0, n):
                b[i, j] = a[i, j]
        """,
    )
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    ("first", "second"),
    [("a[i] = 1.0", "b[i] = a[i]"), ("a[i + 1] = 1.0", "b[i] = a[i]"), ("s += a[i]", "s += b[i]"), ("a[i] = s", "b[i] = s")],
)
def test_parts_that_commute_across_iterations_are_split(first: str, second: str):
    p = loop_of(first, second)
    assert_equivalent(p, fission(p, p.find("for i in _: _").body()[0].after()))


@pytest.mark.parametrize(
    ("first", "second", "buffer"),
    [
        ("a[i] = 1.0", "b[i] = a[i + 1]", "a"),
        ("s = a[i]", "b[i] = s", "s"),
        ("s += a[i]", "b[i] = s", "s"),
        ("b[i] = a[i]", "a[i + 1] = 2.0", "a"),
        ("s = t", "t = 1.0", "t"),
        ("s = 0.0", "s += a[i]", "s"),
    ],
)
def test_parts_that_do_not_commute_are_refused_with_values(first: str, second: str, buffer: str):
    p = loop_of(first, second)
    with pytest.raises(SchedulingError, match=f"both may touch the same location of {buffer}") as caught:
        fission(p, p.find("for i in _: _").body()[0].after())
    assert "in later iterations of i" in caught.value.message


def test_a_part_that_does_the_same_each_time_is_split_off_although_the_other_reads_it():
    p = loop_of("s = t * 2.0", "b[i] = s")
    q = split_after(p, "s = _")
    assert_equivalent(p, q)
    assert str(q).count("for i in seq(0, n):") == 2


def test_a_reduction_is_not_the_same_each_time():
    with pytest.raises(SchedulingError, match=r"do not commute|does not commute"):
        split_after(loop_of("s += t", "b[i] = s"), "s += _")


def test_what_depends_on_data_is_not_certainly_written_each_time():
    p = parse("""
        def foo(n: size, a: f32[n], b: f32[n], s: f32):
            for i in seq(0, n):
                if s < 1.0:
                    s = 2.0
                b[i] = s
        """)
    with pytest.raises(SchedulingError, match="does not commute"):
        fission(p, p.find("if _: _").after())


def test_a_buffer_that_both_parts_use_is_refused():
    p = parse("""
        def foo(n: size, a: f32[n]):
            for i in seq(0, n):
                t: f32
                t = 1.0
                a[i] = t
        """)
    with pytest.raises(SchedulingError, match=r"t is bound before the gap and used after it(.|\n)*lift_alloc"):
        split_after(p, "t = _")


def test_a_window_that_both_parts_use_is_refused():
    p = parse("""
        def foo(n: size, a: f32[n, n]):
            for i in seq(0, n):
                w = a[i, 0:n]
                w[0] = 1.0
                w[1 - 1] = 2.0
        """)
    with pytest.raises(SchedulingError, match="w is bound before the gap"):
        split_after(p, "w[_] = _")


def test_windows_of_one_buffer_are_seen_to_meet():
    p = parse("""
        def foo(n: size, a: f32[n + 1]):
            w = a[1:n + 1]
            for i in seq(0, n):
                a[i] = 1.0
                w[i] = 2.0
        """)
    with pytest.raises(SchedulingError, match="same location of a"):
        split_after(p, "a[_] = _")


def test_an_if_counts_as_a_lift():
    p = parse("""
        def foo(n: size, a: f32[n], b: f32[n]):
            for i in seq(0, n):
                if i < n - 2:
                    a[i] = 1.0
                    b[i] = a[i]
        """)
    q = split_after(p, "a[_] = _", 2)
    assert_body(
        q,
        """
        for i in seq(0, n):
            if i < n - 2:
                a[i] = 1.0
        for i in seq(0, n):
            if i < n - 2:
                b[i] = a[i]
        """,
    )
    assert_equivalent(p, q)
    assert_equivalent(p, split_after(p, "a[_] = _", 1))


def test_a_condition_on_data_that_the_first_part_changes_is_refused():
    p = parse("""
        def foo(n: size, a: f32[n], b: f32[n]):
            for i in seq(0, n):
                if a[i] < 1.0:
                    a[i] = 1.0
                    b[i] = 2.0
        """)
    with pytest.raises(SchedulingError, match="the condition depends on data that the statements before the gap may change"):
        split_after(p, "a[_] = _")


def test_an_else_stays_with_the_first_part():
    p = parse("""
        def foo(n: size, a: f32[n], b: f32[n]):
            for i in seq(0, n):
                if n > 4:
                    a[i] = 1.0
                    b[i] = a[i]
                else:
                    a[i] = 3.0
        """)
    q = split_after(p, "a[_] = _", 2)
    assert_body(
        q,
        """
        for i in seq(0, n):
            if n > 4:
                a[i] = 1.0
            else:
                a[i] = 3.0
        for i in seq(0, n):
            if n > 4:
                b[i] = a[i]
        """,
    )
    assert_equivalent(p, q)
    assert_equivalent(p, split_after(p, "a[_] = _", 1))


def test_the_ends_of_a_branch_are_no_gaps_in_it():
    p = parse("""
        def foo(n: size, a: f32[n], b: f32[n]):
            for i in seq(0, n):
                if i > 4:
                    a[i] = 1.0
                    b[i] = a[i]
                else:
                    a[i] = 3.0
        """)
    with pytest.raises(SchedulingError, match=r"there must be a statement before and one after the gap"):
        fission(p, p.find("a[_] = _ #1").after())


def test_both_copies_of_a_parallel_loop_are_parallel():
    p = parse("""
        def foo(n: size, a: f32[n], b: f32[n]):
            for i in par(0, n):
                a[i] = 1.0
                b[i] = a[i]
        """)
    q = split_after(p, "a[_] = _")
    assert [c.node.mode for c in q.find_all("for _ in _: _")] == [LoopMode.PAR, LoopMode.PAR]


def test_a_check_before_the_gap_is_not_moved_past_effects():
    p = loop_of("check(i < 5)", "a[i] = 1.0")
    with pytest.raises(SchedulingError, match="a check does not move"):
        fission(p, p.find("a[_] = _").before())


def test_what_a_check_established_is_not_lost():
    p = parse("""
        def foo(n: size, a: f32[4]):
            if n > 2:
                check(n <= 4)
                a[n - 1] = 1.0
        """)
    with pytest.raises(SchedulingError, match="fission: the result would not be safe: index 0 of a may be out of bounds"):
        fission(p, p.find("a[_] = _").before())


def test_a_gap_without_a_loop_around_it_is_refused():
    p = parse("""
        def foo(n: size, a: f32[n], b: f32[n]):
            a[0] = 1.0
            b[0] = 1.0
        """)
    with pytest.raises(SchedulingError, match="no loop or `if` left to split"):
        split_after(p, "a[_] = _")
    with pytest.raises(SchedulingError, match="no loop or `if` left to split"):
        split_after(MATVEC, "y[_] = _", 2)
    with pytest.raises(SchedulingError, match="before and one after the gap"):
        fission(MATVEC, MATVEC.find("y[_] = _").before())
    with pytest.raises(SchedulingError, match="n_lifts must be at least 1"):
        split_after(MATVEC, "y[_] = _", 0)
    with pytest.raises(SchedulingError, match="a gap is wanted here"):
        fission(MATVEC, "i")
