"""`commute_expr`, `left_reassociate_expr`."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.ir.verify import verify
from usl_core.primitives.exprs.commute_expr import commute_expr
from usl_core.primitives.exprs.left_reassociate_expr import left_reassociate_expr
from usl_core.procedure import Procedure


def program(rhs: str, typ: str = "R") -> Procedure:
    return parse(f"""
        def f(n: size, x: {typ}[n + 2], y: {typ}[n + 2], a: {typ}, b: {typ}, c: {typ}):
            for i in seq(0, n):
                y[i] = {rhs}
        """)


@pytest.mark.parametrize("typ", ["R", "u8"])
@pytest.mark.parametrize(("old", "new"), [("a * x[i]", "x[i] * a"), ("a + x[i] * b", "x[i] * b + a")])
def test_operands_change_places(old: str, new: str, typ: str):
    p = program(old, typ)
    q = commute_expr(p, p.find("y[_] = _").rhs())
    assert f"y[i] = {new}" in str(q)
    assert_equivalent(p, q)


def test_several_expressions_commute_at_once_inside_each_other_too():
    p = program("a * x[i] + b * c")
    rhs = p.find("y[_] = _").rhs()
    q = commute_expr(p, [rhs, rhs.lhs(), "b * c"])
    assert "y[i] = c * b + x[i] * a" in str(q)
    assert_equivalent(p, q)
    assert q.forward(rhs.lhs()) == q.find("x[_] * a") and q.forward(rhs) == q.find("y[_] = _").rhs()
    assert q.forward(rhs.lhs().lhs()) == q.find("x[_] * a").rhs()


def test_indices_and_extents_commute():
    g = parse("def g(n: size, x: R[n + 2]):\n    x[0] = 1.0")
    p = parse("def f(n: size, y: R[1]):\n    t: R[n + 2]\n    g(n, t)\n    y[0] = t[n + 1]", g=g)
    q = commute_expr(p, p.find("n + _", many=True))
    verify(q.ir)
    assert "t: R[2 + n]" in str(q) and "t[1 + n]" in str(q)
    assert_equivalent(p, q)


@pytest.mark.parametrize("rhs", ["a - b", "a / b", "max(a, b)", "-a", "a"])
def test_other_operations_do_not_commute(rhs: str):
    p = program(rhs)
    with pytest.raises(SchedulingError, match=r"commute_expr: .* or `\^` is wanted here"):
        commute_expr(p, p.find("y[_] = _").rhs())


def test_nothing_to_commute_is_refused():
    p = program("a + b")
    with pytest.raises(SchedulingError, match="no expression is given"):
        commute_expr(p, [])
    with pytest.raises(SchedulingError, match="only expressions in the body"):
        commute_expr(p, p.args()[1].shape()[0])


@pytest.mark.parametrize("typ", ["f32", "i8"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a + (b + c)", "a + b + c"),
        ("a + (b - c)", "a + b - c"),
        ("a - (b + c)", "a - b - c"),
        ("a - (b - c)", "a - b + c"),
        ("a * (b * c)", "a * b * c"),
    ],
)
def test_parentheses_move_to_the_left(old: str, new: str, typ: str):
    p = program(old, typ)
    q = left_reassociate_expr(p, p.find("y[_] = _").rhs())
    assert f"y[i] = {new}\n" in f"{q}\n"
    assert_equivalent(p, q)


@pytest.mark.parametrize("rhs", ["(a + b) + c", "a * (b + c)", "a + b * c", "a / (b / c)", "a + max(b, c)", "a / (b * c)"])
def test_what_is_not_such_a_sum_or_product_is_refused(rhs: str):
    p = program(rhs)
    with pytest.raises(SchedulingError, match="a sum or product whose right operand is one too"):
        left_reassociate_expr(p, p.find("y[_] = _").rhs())


def test_a_cast_between_the_sums_is_not_crossed():
    p = parse("def f(a: u8, b: i32, c: i32, y: i32[1]):\n    y[0] = i32(a) + i32(u8(b + c))")
    with pytest.raises(SchedulingError, match="a sum or product"):
        left_reassociate_expr(p, p.find("y[_] = _").rhs())


def test_control_sums_are_reassociated_and_products_are_not():
    p = parse("def f(n: size, x: R[9 * n + 9]):\n    x[n + (n + 1)] = 1.0\n    x[2 * (3 * n)] = 2.0")
    first, second = p.body()
    q = left_reassociate_expr(p, first.idx()[0])
    assert "x[n + n + 1] = 1.0" in str(q)
    assert_equivalent(p, q)
    with pytest.raises(SchedulingError, match="products of control values are not reassociated"):
        left_reassociate_expr(p, second.idx()[0])


def test_cursors_stay_with_the_operands():
    p = program("a + (b + c * x[i])")
    q = left_reassociate_expr(p, p.find("y[_] = _").rhs())
    assert q.forward(p.find("c * x[_]")) == q.find("c * x[_]")
    assert q.forward(p.find("y[_] = _").rhs()) == q.find("y[_] = _").rhs()
    assert not q.forward(p.find("b + _"))


def test_only_sums_and_products_in_the_body_are_reassociated():
    p = parse("def f(n: size, m: size, x: R[n + (m + 1)]):\n    x[0] = x[1]")
    with pytest.raises(SchedulingError, match="only expressions in the body of a procedure"):
        left_reassociate_expr(p, p.args()[2].shape()[0])
    with pytest.raises(SchedulingError, match=r"a sum or product .* is wanted here, found x\[1\]"):
        left_reassociate_expr(p, "x[1]")
