"""bind_expr: the value is computed once, and is the same at every use."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.exprs.bind_expr import bind_expr


def test_one_expression_is_computed_before_its_statement():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            for i in seq(0, n):
                y[i] += x[i] * 2.0
    """)
    q = bind_expr(p, "x[_] * 2.0", "t")
    assert_body(
        q,
        """
        for i in seq(0, n):
            t: R
            t = x[i] * 2.0
            y[i] += t
        """,
    )
    assert_equivalent(p, q)


def test_several_equal_expressions_share_one_computation():
    p = parse("""
        def f(n: size, x: R[n], y: R[n], z: R[n]):
            for i in seq(0, n):
                y[i] = x[i] * x[i]
                for j in seq(0, n):
                    if j < i:
                        z[j] += x[i]
    """)
    q = bind_expr(p, p.find("x[_]", many=True), "t")
    assert_body(
        q,
        """
        for i in seq(0, n):
            t: R
            t = x[i]
            y[i] = t * t
            for j in seq(0, n):
                if j < i:
                    z[j] += t
        """,
    )
    assert_equivalent(p, q)


def test_the_statement_may_overwrite_what_it_read():
    p = parse("def f(n: size, x: R[n]):\n    for i in seq(0, n):\n        x[i] = x[i] * 2.0")
    q = bind_expr(p, "x[_]", "t")
    assert "t = x[i]" in str(q) and "x[i] = t * 2.0" in str(q)
    assert_equivalent(p, q)


def test_uses_in_both_branches_are_computed_before_the_if():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            for i in seq(0, n):
                if i > 2:
                    y[i] = x[i]
                else:
                    y[i] = x[i] + 1.0
    """)
    q = bind_expr(p, p.find("x[_]", many=True), "t")
    assert str(q).index("t = x[i]") < str(q).index("if")
    assert_equivalent(p, q)


def test_the_temporary_has_the_type_of_the_expression():
    p = parse("def f(x: u8[4], y: i32[4]):\n    y[0] = i32(x[1] + x[2])")
    q = bind_expr(p, "x[1] + x[2]", "t")
    assert "t: u8" in str(q) and "y[0] = i32(t)" in str(q)
    assert_equivalent(p, q)


def test_an_argument_that_the_callee_only_reads_may_be_bound():
    g = parse("def g(d: R, s: R):\n    d = s")
    p = parse("def f(x: R[4]):\n    g(x[0], x[1])", g=g)
    q = bind_expr(p, "x[1]", "t")
    assert "g(x[0], t)" in str(q)
    assert_equivalent(p, q)
    with pytest.raises(SchedulingError, match=r"g writes its argument d, so x\[0\] must stay a location"):
        bind_expr(p, "x[0]", "t")


def test_a_value_that_changes_before_a_use_is_refused_with_values():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            for i in seq(0, n):
                y[i] = x[0]
                x[i] = 1.0
                y[i] += x[0]
    """)
    with pytest.raises(SchedulingError, match=r"what x\[0\] reads may be modified before its last use") as caught:
        bind_expr(p, p.find("x[0]", many=True), "t")
    assert "i = 0" in str(caught.value)


def test_a_value_that_an_iteration_changes_for_the_next_is_refused():
    p = parse("""
        def f(n: size, x: R[n]):
            y: R
            y = x[0]
            for i in seq(0, n):
                x[i] = y + x[0]
    """)
    with pytest.raises(SchedulingError, match="may be modified"):
        bind_expr(p, p.find("x[0]", many=True), "t")


def test_a_change_through_a_window_or_a_call_is_seen():
    g = parse("def g(d: [R][2]):\n    d[1] = 3.0")
    p = parse(
        """
        def f(x: R[4], y: R[4]):
            w = x[1:3]
            y[0] = x[1]
            w[0] = 2.0
            y[1] = x[1]
            g(w)
            y[2] = x[2]
            y[3] = x[2]
    """,
        g=g,
    )
    first, second, third, fourth = [*p.find("x[1]", many=True), *p.find("x[2]", many=True)]
    with pytest.raises(SchedulingError, match="may be modified"):
        bind_expr(p, [first, second], "t")
    assert_equivalent(p, bind_expr(p, [third, fourth], "t"))


def test_a_read_that_only_a_guard_keeps_in_bounds_is_refused():
    p = parse("""
        def f(n: size, x: R[n], y: R[2]):
            y[0] = 0.0
            for i in seq(0, 2):
                if n > 5:
                    y[i] = x[5]
                else:
                    y[i] = 1.0
            if n > 5:
                y[1] = x[5]
    """)
    with pytest.raises(SchedulingError, match="bind_expr: the result would not be safe: index 0 of x may be out of bounds"):
        bind_expr(p, p.find("x[5]", many=True), "t")


def test_only_places_equal_to_the_first_given_are_bound():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            for i in seq(0, n):
                y[i] = x[i]
            for j in seq(0, n):
                y[j] = x[j]
    """)
    first, second = p.find("x[_]", many=True)
    q = bind_expr(p, [second, first], "t")
    assert q.forward(first) == q.find("x[i]") and q.forward(second) == q.find("y[j] = _").rhs()


def test_a_control_value_is_refused():
    q = parse("""
        def f(n: size, y: R[n, n]):
            for i in seq(0, n):
                for j in seq(0, n):
                    y[i, j] = 1.0
                    y[i, j] += y[i, j]
                    y[j, i] = 2.0
    """)
    with pytest.raises(SchedulingError, match="control value or a whole buffer"):
        bind_expr(q, q.find("y[_] += _").idx()[0], "t")


def test_a_data_dependent_index_is_not_computed_early():
    p = parse("""
        def f(n: size, k: i32[n], x: R[8], y: R[n]):
            for i in seq(0, n):
                if i > 3:
                    y[i] = x[idx(k[0], 0, 8)]
                else:
                    y[i] = x[idx(k[0], 0, 8)]
    """)
    with pytest.raises(SchedulingError, match="has an index made of data"):
        bind_expr(p, p.find("x[_]", many=True), "t")


def test_cursors_to_the_expression_go_to_the_new_read():
    p = parse("def f(n: size, x: R[n], y: R[n]):\n    for i in seq(0, n):\n        y[i] = x[i] * 2.0 + 1.0")
    q = bind_expr(p, "x[_] * 2.0", "t")
    assert q.forward(p.find("x[_] * 2.0")) == q.find("y[_] = _").rhs().lhs()
    assert not q.forward(p.find("x[_]"))
    assert q.forward(p.find("y[_] = _")) == q.find("y[_] = _")


def test_an_extent_of_a_formal_is_not_in_the_body():
    p = parse("def f(n: size, x: R[n + 1]):\n    x[0] = 1.0")
    with pytest.raises(SchedulingError, match="only an expression in the body of a procedure can be bound"):
        bind_expr(p, p.args()[1].shape()[0], "t")
