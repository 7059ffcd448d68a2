"""rewrite_expr: only what is proved equal, and reads no more."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_equivalent, assert_refines, parse
from usl_core.equivalence import Relation
from usl_core.errors import SchedulingError, Undecided
from usl_core.ir.verify import verify
from usl_core.primitives.exprs.rewrite_expr import rewrite_expr
from usl_core.procedure import Procedure


def program(rhs: str, typ: str = "R") -> Procedure:
    return parse(f"""
        def f(n: size, x: {typ}[n + 2], y: {typ}[n + 2], k: i32[4], a: {typ}, b: {typ}):
            w = x[1:3]
            for i in seq(0, n):
                y[i] = {rhs}
        """)


def rewritten(p: Procedure, new: str | float) -> Procedure:
    q = rewrite_expr(p, p.find("y[_] = _").rhs(), new)
    verify(q.ir)
    return q


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x[i] * a + x[i] * b", "x[i] * (a + b)"),
        ("(a + b) * (a - b)", "a * a - b * b"),
        ("a * b", "b * a"),
        ("a - b", "-(b - a)"),
        ("x[i + 1 - 1]", "x[i]"),
        ("x[1] + w[1]", "x[2] + w[0]"),
        ("max(a + b, x[i])", "max(b + a, x[i])"),
        ("select(a, b, x[i], y[i])", "select(a, b, x[(2 * i) / 2], y[i])"),
        ("x[idx(k[0], 0, n)] * a", "a * x[idx(k[0], 0, n)]"),
        ("a + 1", "1 + a"),
    ],
)
@pytest.mark.parametrize("typ", ["R", "f32", "u8", "i32"])
def test_data_with_one_normal_form_is_equal(old: str, new: str, typ: str):
    if typ in ("R", "f32"):
        old, new = old.replace("a + 1", "a + 1.0"), new.replace("1 + a", "1.0 + a")
    p = program(old, typ)
    q = rewritten(p, new)
    assert str(q) != str(p)
    assert q.history()[-1].relation is Relation.EQUAL
    assert_equivalent(p, q)


def test_floats_are_divided_by_constants_exactly():
    p = program("a / 2.0 + b / 4.0")
    assert_equivalent(p, rewritten(p, "0.25 * (a * 2.0 + b)"))


def test_a_number_may_be_given_as_one():
    assert "y[i] = 0.75" in str(rewritten(program("0.5 + 0.25"), 0.75))
    with pytest.raises(SchedulingError, match=r"the decimal 4\.0 where an index \(control\) value is expected; write 4"):
        rewrite_expr(program("a"), "n", 4.0)


def test_integers_wrap_alike():
    p = program("a * 256 + b", "i32")
    q = rewritten(p, "b + 256 * a")
    assert_equivalent(p, q)
    narrow = program("a * 128 + a * 128 + b", "u8")
    result = rewritten(narrow, "b")
    assert result.history()[-1].relation is Relation.REFINES
    assert_refines(narrow, result)


@pytest.mark.parametrize(
    ("typ", "old", "new"),
    [
        ("i32", "(a + a) / 2", "a"),
        ("i32", "a / b * b", "a"),
        ("u8", "(a * 2) % 2", "a - a"),
        ("i32", "a / b + x[i] / b", "(a + x[i]) / b"),
        ("R", "a / a", "a - a + 1.0"),
        ("i32", "a / b", "a * (1 / b)"),
        ("R", "a / b * b", "a"),
        ("R", "max(a, b)", "min(b, a)"),
        ("R", "select(a, b, a, b)", "max(a, b)"),
        ("R", "sqrt(a) * sqrt(a)", "a"),
        ("f32", "f32(f64(a) + f64(b))", "a + b"),
        ("u8", "u8(i32(a) + i32(b))", "a + b"),
        ("u8", "u8(f32(a) + f32(b))", "a + b"),
        ("R", "x[i] + a", "x[i + 1] + a"),
        ("R", "x[idx(k[0], 0, n)]", "x[idx(k[1], 0, n)]"),
        ("R", "a + 1.0", "a"),
        ("i8", "abs(-a)", "abs(a)"),
    ],
)
def test_nothing_is_known_across_functions_casts_and_divisions(typ: str, old: str, new: str):
    with pytest.raises(SchedulingError) as caught:
        rewritten(program(old, typ), new)
    assert "are not proved equal" in str(caught.value) or "does not read" in str(caught.value)


def test_a_value_may_take_the_place_of_poison_and_the_step_is_a_refinement():
    p = program("a - a")
    q = rewritten(p, "0.0")
    assert q.history()[-1].relation is Relation.REFINES
    assert_refines(p, q)


def test_poison_may_not_take_the_place_of_a_value():
    for old, new in (("0.0", "a - a"), ("b", "b + a - a"), ("x[i]", "x[i] + 0.0 * x[i + 1]"), ("max(a, 0.0)", "max(a, b - b)")):
        with pytest.raises(SchedulingError, match=r"reads data that .* does not read, and that may be uninitialised"):
            rewritten(program(old), new)


def test_an_arm_that_is_not_chosen_is_not_read():
    with pytest.raises(SchedulingError, match="does not read"):
        rewritten(program("select(a, b, x[i], y[i])"), "select(a, b, x[i], y[i]) + x[i] - x[i]")


def test_control_is_equal_by_proof_from_what_is_known_there():
    p = parse("""
        def f(n: size, x: R[n, 4]):
            assert n % 4 == 0
            for i in seq(0, n / 4):
                for j in seq(0, 4):
                    if i < n and j >= 0:
                        x[4 * i + j, (4 * i + j) % 4] = 0.0
    """)
    q = rewrite_expr(p, p.find("x[_] = _").idx()[1], "j")
    q = rewrite_expr(q, q.find_loop("i").hi(), "(n + 3) / 4")
    q = rewrite_expr(q, q.find("if _: _").cond(), "4 * i < n")
    assert "x[4 * i + j, j] = 0.0" in str(q) and "seq(0, (n + 3) / 4)" in str(q) and "if 4 * i < n:" in str(q)
    assert_equivalent(p, q)
    with pytest.raises(SchedulingError, match="are not proved equal") as caught:
        rewrite_expr(p, p.find("x[_] = _").idx()[1], "i")
    assert "counter-example" in str(caught.value)
    with pytest.raises(SchedulingError, match="are not proved equal"):
        rewrite_expr(p, p.find_loop("i").hi(), "n / 4 + 1")


@pytest.mark.parametrize("call", ["g(n, t)", "for i in seq(0, 2):\n                g(n, t)"])
def test_extents_and_windows_are_rewritten_with_the_types_that_repeat_them(call: str):
    g = parse("def g(n: size, x: R[n + n]):\n    x[0] = 1.0")
    p = parse(
        f"""
        def f(n: size, y: R[1]):
            t: R[n + n]
            {call}
            y[0] = t[0]
    """,
        g=g,
    )
    q = rewrite_expr(p, "n + n", "2 * n")
    assert "t: R[2 * n]" in str(q)
    verify(q.ir)
    assert_equivalent(p, q)


def test_arguments_of_calls_stay_locations():
    g = parse("def g(d: R, s: R):\n    d = s")
    p = parse("def f(n: size, x: R[n + 1]):\n    g(x[0], x[n])", g=g)
    q = rewrite_expr(p, p.find("x[n]"), "x[n + 1 - 1]")
    assert_equivalent(p, q)
    with pytest.raises(SchedulingError, match="must be a location or a number"):
        rewrite_expr(p, p.find("x[n]"), "x[n] + 0.0")
    with pytest.raises(SchedulingError, match=r"not proved equal|does not read"):
        rewrite_expr(p, p.find("x[n]"), "0.0")


def test_what_is_not_an_expression_of_the_body_is_refused():
    p = parse("def f(n: size, x: R[n + n]):\n    assert n > 2\n    if x[0] < 1.0 and n > 3:\n        x[0] = 1.0")
    with pytest.raises(SchedulingError, match="is a condition on data"):
        rewrite_expr(p, p.find("if _: _").cond(), "x[0] < 1.0")
    with pytest.raises(SchedulingError, match="only expressions in the body"):
        rewrite_expr(p, p.args()[1].shape()[0], "2 * n")
    with pytest.raises(SchedulingError, match="an expression is wanted here"):
        rewrite_expr(p, p.find("x[_] = _"), "1.0")
    q = rewrite_expr(p, p.find("n > 3"), "3 < n")
    assert_equivalent(p, q)


def test_a_stride_does_not_come_to_a_place_where_it_may_not_stand():
    p = parse("def f(n: size, x: R[n, 4], y: R[n]):\n    for i in seq(0, 4):\n        y[0] = 1.0")
    with pytest.raises(SchedulingError, match="stride"):
        rewrite_expr(p, p.find_loop("i").hi(), "stride(x, 0)")


def test_an_access_out_of_bounds_does_not_appear():
    p = program("0.0 * x[i]")
    with pytest.raises(SchedulingError):
        rewritten(p, "0.0 * x[i + 5]")


def test_an_index_may_not_depend_on_data_anew():
    p = program("x[0]")
    with pytest.raises(SchedulingError, match="does not read"):
        rewrite_expr(p, p.find("x[0]").idx()[0], "idx(k[0], 0, 1)")


def test_a_long_product_of_sums_is_undecided():
    factor = "(" + " + ".join(f"x[{k}]" for k in range(2)) + " + a + b)"
    p = program(" * ".join([factor] * 25))
    with pytest.raises(Undecided, match="too long"):
        rewritten(p, "a")


def test_cursors_stay_with_the_expression():
    p = program("x[i] * a + b")
    q = rewritten(p, "b + x[i] * a")
    assert q.forward(p.find("y[_] = _").rhs()) == q.find("y[_] = _").rhs()
    assert q.forward(p.find_loop("i")) == q.find_loop("i")


@pytest.mark.parametrize(
    ("typ", "between", "source"),
    [("i32", "u8", "s"), ("i32", "i8", "u"), ("u8", "f32", "s"), ("f64", "f32", "k")],
)
def test_a_cast_by_way_of_a_type_without_some_of_the_values_is_none_that_goes_straight(typ: str, between: str, source: str):
    p = parse(f"def f(s: i8, u: u8, k: i32, d: {typ}):\n    d = {typ}({between}({source}))")
    with pytest.raises(SchedulingError, match="not proved equal"):
        rewrite_expr(p, p.find("d = _").rhs(), f"{typ}({source})")


def test_a_cast_of_an_index_by_way_of_another_type_is_none_that_goes_straight():
    p = parse("def f(n: size, d: f64):\n    d = f64(f32(n))")
    with pytest.raises(SchedulingError, match="not proved equal"):
        rewrite_expr(p, p.find("d = _").rhs(), "f64(n)")
