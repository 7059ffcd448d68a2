"""`reorder_stmts`, `insert_pass`, `delete_pass`."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.cursors.cursor import InvalidCursor
from usl_core.errors import SchedulingError
from usl_core.primitives.stmts.delete_pass import delete_pass
from usl_core.primitives.stmts.insert_pass import insert_pass
from usl_core.primitives.stmts.reorder_stmts import reorder_stmts
from usl_core.procedure import Procedure


def pair(first: str, second: str, before: str = "pass") -> Procedure:
    return parse(f"""
        def foo(n: size, x: f32[n + 1], y: f32[n + 1], a: i32[n], s: f32):
            {before}
            {first}
            {second}
        """)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x[0] = 1.0", "y[0] = 2.0"),
        ("x[0] = 1.0", "x[1] = 2.0"),
        ("x[n] = s", "y[0] = s"),
        ("x[0] += s", "x[0] += 2.0 * y[0]"),
        ("t: f32", "x[0] = 1.0"),
        ("x[n - 1] = 1.0", "x[n] = 2.0"),
    ],
)
def test_statements_that_commute_change_places(first: str, second: str):
    p = pair(first, second)
    block = p.body()[1:3]
    one, other = block
    q = reorder_stmts(p, block)
    assert_equivalent(p, q)
    assert q.forward(one) == q.body()[2] and q.forward(other) == q.body()[1]
    assert str(reorder_stmts(q, q.body()[1:3])) == str(p)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x[0] = 1.0", "y[0] = x[0]"),
        ("y[0] = x[n]", "x[1] = 2.0"),
        ("x[0] = 1.0", "x[n - 1] = 2.0"),
        ("x[0] = 1.0", "x[0] += 2.0"),
        ("a[0] = 1", "x[idx(a[0], 0, n)] = 1.0"),
        ("x[0] = 1.0", "x[idx(a[0], 0, n)] = 2.0"),
        ("check(n < 5)", "x[0] = 1.0"),
    ],
)
def test_statements_that_do_not_commute_are_refused(first: str, second: str):
    p = pair(first, second)
    with pytest.raises(SchedulingError, match="reorder_stmts: the statements do not commute"):
        reorder_stmts(p, p.body()[1:3])


def test_a_window_shows_the_buffer_that_it_is_made_of():
    p = pair("w[0] = 1.0", "x[1] = 2.0", before="w = x[1:n + 1]")
    with pytest.raises(SchedulingError, match="same location of x"):
        reorder_stmts(p, "w[_] = _ ; x[_] = _")
    p = pair("w[0] = 1.0", "x[0] = 2.0", before="w = x[1:n + 1]")
    assert_equivalent(p, reorder_stmts(p, "w[_] = _ ; x[_] = _"))


def test_a_name_is_not_used_before_it_is_bound():
    with pytest.raises(SchedulingError, match="the second statement uses t, which the first binds"):
        p = pair("t: f32", "t = 1.0")
        reorder_stmts(p, p.body()[1:3])


def test_exactly_two_statements_are_wanted():
    p = pair("x[0] = 1.0", "y[0] = 1.0")
    with pytest.raises(SchedulingError, match="a block of two statements is wanted, not 3"):
        reorder_stmts(p, p.body())


def test_pass_comes_and_goes():
    p = parse("""
        def foo(x: f32[4]):
            for i in seq(0, 4):
                x[i] = 1.0
        """)
    stmt = p.find("x[_] = _")
    q = insert_pass(p, stmt.before())
    assert_body(q, "for i in seq(0, 4):\n    pass\n    x[i] = 1.0")
    assert q.forward(stmt) == q.find("x[_] = _")
    nothing = q.find("pass")
    r = delete_pass(q, nothing)
    assert str(r) == str(p)
    assert isinstance(r.forward(nothing), InvalidCursor)
    assert str(delete_pass(q)) == str(p)


def test_the_only_statement_under_a_condition_on_data_is_not_deleted():
    p = parse("""
        def foo(x: f32[4]):
            if x[1] < 1.0:
                pass
            x[0] = 1.0
        """)
    with pytest.raises(SchedulingError, match="alone in its block"):
        delete_pass(p, "pass")
    with pytest.raises(SchedulingError, match="a `pass` is wanted here"):
        delete_pass(p, "x[_] = _")
