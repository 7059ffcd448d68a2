"""expand_dim: a leading dimension, and the values that must not be lost by it."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.buffers.expand_dim import expand_dim

LOCAL = """
    def f(n: size, x: R[n], y: R[n]):
        for i in seq(0, n):
            t: R
            t = x[i] * x[i]
            y[i] = t
"""


def test_a_scalar_gets_a_dimension_indexed_by_the_iterator():
    p = parse(LOCAL)
    q = expand_dim(p, "t", "n", "i")
    assert_body(
        q,
        """
        for i in seq(0, n):
            t: R[n]
            t[i] = x[i] * x[i]
            y[i] = t[i]
        """,
    )
    assert_equivalent(p, q)


def test_the_new_dimension_stands_first_in_windows_and_calls_too():
    g = parse("def g(x: [R][2]):\n    x[0] = 1.0")
    p = parse(
        """
        def f(n: size, y: R[n]):
            for i in seq(0, n):
                t: R[4, 2]
                g(t[i % 4, 0:2])
                w = t[0:4, 1]
                w[2] = 0.0
                y[i] = t[i % 4, 0]
    """,
        g=g,
    )
    q = expand_dim(p, "t: _", "3", "i % 3")
    assert "g(t[i % 3, i % 4, 0:2])" in str(q) and "w = t[i % 3, 0:4, 1]" in str(q)
    assert_equivalent(p, q)


def test_a_whole_buffer_as_an_argument_becomes_a_window():
    g = parse("def g(x: [R][2]):\n    x[0] = 1.0")
    p = parse("def f(y: R[1]):\n    t: R[2]\n    g(t)\n    y[0] = t[0]", g=g)
    q = expand_dim(p, "t", 5, 3)
    assert "g(t[3, 0:2])" in str(q)
    assert_equivalent(p, q)


def test_an_iterator_below_the_allocation_may_be_used_where_no_value_lives_longer():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            t: R
            for i in seq(0, n):
                t = x[i]
                y[i] = t
    """)
    q = expand_dim(p, "t", "n", "i")
    assert "t[i] = x[i]" in str(q)
    assert_equivalent(p, q)


def test_a_value_that_lives_into_the_next_iteration_is_refused():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            t: R
            for i in seq(0, n):
                if i == 0:
                    t = 0.0
                t += x[i]
                y[i] = t
    """)
    with pytest.raises(SchedulingError, match="in an iteration of i may see a value from an earlier one"):
        expand_dim(p, "t", "n", "i")


def test_a_write_that_depends_on_data_does_not_cover_a_read():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            t: R
            for i in seq(0, n):
                if x[i] < 0.0:
                    t = x[i]
                y[i] = t
    """)
    with pytest.raises(SchedulingError, match="may see a value from an earlier one"):
        expand_dim(p, "t", "n", "i")


def test_an_index_outside_of_the_extent_is_refused_with_values():
    p = parse(LOCAL)
    with pytest.raises(SchedulingError, match=r"may be below 1: cannot prove n - 1 >= 1"):
        expand_dim(p, "t", "n - 1", "i")
    with pytest.raises(SchedulingError, match="cannot prove 0 <= i < 4") as caught:
        expand_dim(p, "t", 4, "i")
    assert "i = 4" in str(caught.value)


def test_an_extent_below_one_is_refused():
    with pytest.raises(SchedulingError, match="the new extent may be below 1: cannot prove n - 1 >= 1"):
        expand_dim(parse(LOCAL), "t", "n - 1", "0")


def test_a_name_that_does_not_reach_all_uses_is_refused():
    p = parse("""
        def f(n: size, y: R[n]):
            t: R
            for i in seq(0, n):
                t = 1.0
            for j in seq(0, n):
                y[j] = t
    """)
    with pytest.raises(SchedulingError, match="unknown name"):
        expand_dim(p, "t", "n", "i")
    with pytest.raises(SchedulingError, match="not in scope"):
        expand_dim(p, "t", "n", p.find("y[_] = _").idx()[0])


def test_an_index_made_of_data_is_refused():
    p = parse("""
        def f(x: i32[1], y: R[1]):
            t: R
            t = 1.0
            y[0] = t
    """)
    with pytest.raises(SchedulingError, match="not made of sizes and iterators only"):
        expand_dim(p, "t", "4", "idx(x[0], 0, 4)")


def test_cursors_stay_with_what_they_point_to():
    p = parse(LOCAL)
    q = expand_dim(p, "t", "n", "i")
    assert q.forward(p.find("t: _")) == q.find("t: _")
    assert q.forward(p.find("t = _")) == q.find("t[_] = _")
    assert q.forward(p.find("y[_] = _").rhs()) == q.find("y[_] = _").rhs()
    assert q.forward(p.find("x[_]")) == q.find("x[_]")


def test_a_name_in_scope_at_the_allocation_is_meant_where_another_of_its_spelling_surrounds_the_uses():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            for i in seq(0, n):
                t: R
                for i in seq(0, 4):
                    if i < n:
                        t = x[i]
                        y[i] += t
    """)
    q = expand_dim(p, "t", "n", "i")
    assert "t[i] = x[i_1]" in str(q)
    assert_equivalent(p, q)
