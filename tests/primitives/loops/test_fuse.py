"""`fuse`: loops over equal ranges, ifs with equal conditions."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.cursors.cursor import InvalidCursor
from usl_core.errors import SchedulingError
from usl_core.primitives.loops.fuse import fuse
from usl_core.procedure import Procedure

PAIR = parse("""
    def pair(n: size, a: f32[n], b: f32[n]):
        for i in seq(0, n):
            a[i] = 1.0
        for j in seq(0, n):
            t: f32
            t = a[j]
            b[j] = t
    """)


def loops_of(first: str, second: str) -> Procedure:
    return parse(f"""
        def foo(n: size, a: f32[n + 1], b: f32[n + 1], s: f32):
            for i in seq(0, n):
                {first}
            for j in seq(0, n):
                {second}
        """)


def test_two_loops_become_one():
    q = fuse(PAIR, "i", "j")
    assert_body(
        q,
        """
        for i in seq(0, n):
            a[i] = 1.0
            t: f32
            t = a[i]
            b[i] = t
        """,
    )
    assert_equivalent(PAIR, q)


def test_the_second_loop_goes_to_the_fused_one_and_its_statements_stay_themselves():
    j, alloc, stmt, body = PAIR.find("j"), PAIR.find("t : _"), PAIR.find("b[_] = _"), PAIR.find("j").body()
    q = fuse(PAIR, "i", j)
    assert q.forward(j) == q.find("i")
    assert q.forward(alloc) == q.find("t : _")
    assert q.forward(stmt) == q.find("b[_] = _")
    assert len(q.forward(body)) == 3 and q.forward(body)[0] == q.find("t : _")
    assert isinstance(q.forward(j.hi()), InvalidCursor)


@pytest.mark.parametrize(
    ("first", "second"), [("a[i + 1] = 1.0", "b[j] = a[j]"), ("s += a[i]", "s += b[j]"), ("b[i] = a[i]", "a[j] = 2.0")]
)
def test_loops_whose_iterations_commute_are_fused(first: str, second: str):
    p = loops_of(first, second)
    assert_equivalent(p, fuse(p, "i", "j"))


@pytest.mark.parametrize(
    ("first", "second"),
    [("a[i] = 1.0", "b[j] = a[j + 1]"), ("s += a[i]", "b[j] = s"), ("b[i] = a[i]", "a[j + 1] = 2.0"), ("s = a[i]", "b[j] = s")],
)
def test_loops_whose_iterations_do_not_commute_are_refused(first: str, second: str):
    with pytest.raises(SchedulingError, match=r"do not commute with later iterations of i(.|\n)*counter-example"):
        fuse(loops_of(first, second), "i", "j")


def test_ranges_are_compared_by_proof():
    p = parse("""
        def foo(n: size, m: size, a: f32[n + m], b: f32[n + m]):
            assert n == m
            for i in seq(0, n + m):
                a[i] = 1.0
            for j in seq(n - m, 2 * n):
                b[j] = 1.0
        """)
    assert_equivalent(p, fuse(p, "i", "j"))
    p = parse("""
        def foo(n: size, m: size, a: f32[n + m]):
            for i in seq(0, n):
                a[i] = 1.0
            for j in seq(0, m):
                a[n + j] = 1.0
        """)
    with pytest.raises(SchedulingError, match=r"the ranges \(0, n\) and \(0, m\) are equal(.|\n)*counter-example"):
        fuse(p, "i", "j")


def test_a_parallel_loop_makes_the_fused_one_parallel():
    p = parse("""
        def foo(n: size, a: f32[n], b: f32[n]):
            for i in seq(0, n):
                a[i] = 1.0
            for j in par(0, n):
                b[j] = 1.0
        """)
    assert "for i in par(0, n):" in str(fuse(p, "i", "j"))


def test_two_ifs_become_one():
    p = parse("""
        def foo(n: size, a: f32[n], b: f32[n]):
            if n > 4:
                a[0] = 1.0
            if n >= 5:
                b[0] = a[0]
            else:
                b[0] = 2.0
        """)
    second, stmt = p.find("if _: _ #1"), p.find("b[_] = _ #1")
    q = fuse(p, "if _: _", second)
    assert_body(
        q,
        """
        if n > 4:
            a[0] = 1.0
            b[0] = a[0]
        else:
            b[0] = 2.0
        """,
    )
    assert_equivalent(p, q)
    assert q.forward(second) == q.find("if _: _")
    assert q.forward(stmt) == q.find("b[_] = _ #1")


def test_both_else_branches_are_joined():
    p = parse("""
        def foo(n: size, a: f32[n], b: f32[n]):
            if n > 4:
                a[0] = 1.0
            else:
                a[0] = 2.0
            if n > 4:
                b[0] = a[0]
            else:
                b[0] = a[0] * 2.0
        """)
    q = fuse(p, "if _: _", "if _: _ #1")
    assert_equivalent(p, q)
    assert str(q).count("if n > 4:") == 1


def test_conditions_that_may_differ_are_refused():
    p = parse("""
        def foo(n: size, a: f32[n], b: f32[n]):
            if n > 4:
                a[0] = 1.0
            if n > 5:
                b[0] = 1.0
        """)
    with pytest.raises(SchedulingError, match=r"n > 4 and n > 5 are equivalent(.|\n)*counter-example: n = 5"):
        fuse(p, "if _: _", "if _: _ #1")


def test_a_condition_on_data_that_the_first_if_changes_is_refused():
    text = """
        def foo(n: size, a: f32[n], b: f32[n]):
            if a[0] < 1.0:
                TARGET[0] = 1.0
            if a[0] < 1.0:
                b[0] = 2.0
        """
    p = parse(text.replace("TARGET", "b"))
    assert_equivalent(p, fuse(p, "if _: _", "if _: _ #1"))
    with pytest.raises(SchedulingError, match="data that the first `if` may change"):
        fuse(parse(text.replace("TARGET", "a")), "if _: _", "if _: _ #1")


def test_other_statements_and_places_are_refused():
    p = parse("""
        def foo(n: size, a: f32[n]):
            for i in seq(0, n):
                a[i] = 1.0
            a[0] = 2.0
            for j in seq(0, n):
                a[j] = 1.0
        """)
    with pytest.raises(SchedulingError, match="must directly follow the first"):
        fuse(p, "i", "j")
    with pytest.raises(SchedulingError, match="two loops or two ifs are wanted"):
        fuse(p, "i", "a[0] = _")
