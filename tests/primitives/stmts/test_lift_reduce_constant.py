"""lift_reduce_constant: the factor is the same in every term, and multiplied once."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.stmts.lift_reduce_constant import lift_reduce_constant
from usl_core.procedure import Procedure


def program(*lines: str, typ: str = "R") -> Procedure:
    body = "\n            ".join(lines)
    return parse(f"""
        def f(n: size, m: index, x: {typ}[n], y: {typ}[n], z: {typ}[4], k: i32[4], c: {typ}):
            assert m >= 0 and m <= n
            {body}
        """)


SUM = ("z[0] = 0.0", "for i in seq(0, n):")


def lifted(p: Procedure) -> Procedure:
    q = lift_reduce_constant(p, "z[_] = _ ; for i in _: _")
    assert_equivalent(p, q)
    return q


def refused(*lines: str, typ: str = "R") -> str:
    with pytest.raises(SchedulingError) as caught:
        lift_reduce_constant(program(*lines, typ=typ), "z[_] = _ ; for i in _: _")
    return str(caught.value)


@pytest.mark.parametrize("typ", ["R", "f32", "u8", "i16"])
@pytest.mark.parametrize(
    ("term", "rest"),
    [
        ("c * x[i]", "x[i]"),
        ("x[i] * c", "x[i]"),
        ("c * x[i] * y[i]", "x[i] * y[i]"),
        ("x[i] * (c * y[i])", "x[i] * y[i]"),
        ("c * (x[i] + y[i])", "x[i] + y[i]"),
        ("y[i] * (x[i] + c) * c", "y[i] * (x[i] + c)"),
    ],
)
def test_the_factor_is_multiplied_after_the_loop(term: str, rest: str, typ: str):
    zero = "0.0" if typ in ("R", "f32") else "0"
    q = lifted(program(f"z[0] = {zero}", SUM[1], f"    z[0] += {term}", typ=typ))
    assert_body(q, f"z[0] = {zero}\nfor i in seq(0, n):\n    z[0] += {rest}\nz[0] = c * z[0]")


def test_several_reductions_of_a_nest_share_the_factor():
    q = lifted(
        program(
            *SUM,
            "    for j in seq(0, 3):",
            "        z[0] += c * x[i]",
            "    z[1] = y[i]",
            "    if i < m:",
            "        z[0] += y[i] * c",
        )
    )
    assert_body(
        q,
        """
        z[0] = 0.0
        for i in seq(0, n):
            for j in seq(0, 3):
                z[0] += x[i]
            z[1] = y[i]
            if i < m:
                z[0] += y[i]
        z[0] = c * z[0]
        """,
    )


def test_a_literal_may_be_lifted_out_of_a_loop_that_may_not_run():
    q = lifted(program("z[0] = 0.0", "for i in seq(0, m):", "    z[0] += 3.0 * x[i]"))
    assert "z[0] = 3.0 * z[0]" in str(q)


def test_an_uninitialised_factor_is_not_read_where_it_was_not():
    text = refused("z[0] = 0.0", "for i in seq(0, m):", "    z[0] += c * x[i]")
    assert "the loop may add nothing, and c may be uninitialised, while the sum would be 0" in text
    text = refused(*SUM, "    if i < m:", "        z[0] += c * x[i]")
    assert "the loop may add nothing" in text
    text = refused(*SUM, "    for j in seq(0, m):", "        z[0] += c * x[i]")
    assert "the loop may add nothing" in text


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ((*SUM, "    z[0] += y[i] * x[i]"), r"no factor of y\[i\] \* x\[i\] is the same in all iterations"),
        ((*SUM, "    z[0] += x[0] * y[i]", "    x[i] = 1.0"), "no factor of .* is the same in all iterations"),
        ((*SUM, "    z[0] += c * x[i]", "    c = y[i]"), "no factor of"),
        ((*SUM, "    z[0] += z[0] * x[i]"), "the loop may read the sum other than by adding a term"),
        ((*SUM, "    z[0] += c * x[i]", "    y[i] = z[0]"), "the loop may read the sum"),
        ((*SUM, "    z[0] += c * x[i]", "    z[0] = 1.0"), "the loop may overwrite the sum"),
        ((*SUM, "    z[0] += c * x[i]", "    z[0] += y[i]"), r"y\[i\], added to the same sum, has no factor c"),
        ((*SUM, "    z[0] += c * x[i]", "    z[idx(k[0], 0, 4)] += c * x[i]"), "the loop may change the sum"),
        ((*SUM, "    z[0] += c * x[i]", "    check(n > 3)"), "the loop contains a `check`"),
        ((*SUM, "    z[0] += c / x[i]"), "is not a product"),
        ((*SUM, "    z[0] += c * x[i] / y[i]"), "is not a product"),
        ((*SUM, "    z[0] += -(c * x[i])"), "is not a product"),
        ((*SUM, "    z[1] += c * x[i]"), r"the loop has no reduction into z\[0\]"),
        (("z[0] = 1.0", SUM[1], "    z[0] += c * x[i]"), "the first statement must set the sum to 0"),
        (("z[idx(k[0], 0, 4)] = 0.0", SUM[1], "    z[0] += c * x[i]"), "has an index made of data"),
        ((*SUM, "    if z[0] < 1.0:", "        z[0] += c * x[i]"), "the loop may read the sum"),
    ],
)
def test_sums_without_a_common_constant_factor_are_refused(lines: tuple[str, ...], message: str):
    with pytest.raises(SchedulingError, match=message):
        lift_reduce_constant(program(*lines), "z[_] = _ ; for i in _: _")


def test_a_factor_under_a_cast_is_refused_as_the_cast_wraps():
    p = parse("""
        def f(n: size, x: u8[n], c: u8, z: i32[1]):
            z[0] = 0
            for i in seq(0, n):
                z[0] += i32(c * x[i])
    """)
    with pytest.raises(SchedulingError, match="is not a product"):
        lift_reduce_constant(p, p.body())


def test_the_sum_may_be_reduced_through_a_window():
    q = lifted(program("w = z[0:2]", *SUM, "    w[0] += c * x[i]", "    w[1] += 1.0"))
    assert_body(q, "w = z[0:2]\nz[0] = 0.0\nfor i in seq(0, n):\n    w[0] += x[i]\n    w[1] += 1.0\nz[0] = c * z[0]")


def test_a_read_that_a_guard_keeps_in_bounds_is_not_moved_out_of_it():
    p = parse("""
        def f(n: size, m: size, x: i32[n], y: i32[n], z: i32[1]):
            z[0] = 0
            for i in seq(0, n):
                if m < n:
                    z[0] += y[m] * x[i]
        """)
    with pytest.raises(SchedulingError, match="the loop may add nothing"):
        lift_reduce_constant(p, p.body())
    p = parse("""
        def f(n: size, m: size, y: i32[n], z: i32[1]):
            z[0] = 0
            for i in seq(0, n):
                if m < n:
                    z[0] += y[i] * 2
        """)
    q = lift_reduce_constant(p, p.body())
    assert "z[0] += y[i]" in str(q) and "z[0] = 2 * z[0]" in str(q)
    assert_equivalent(p, q)


def test_cursors_stay_with_the_statements():
    p = program(*SUM, "    z[0] += c * x[i]")
    q = lifted(p)
    assert q.forward(p.find("z[_] += _")) == q.find("z[_] += _")
    assert q.forward(p.find_loop("i")) == q.find_loop("i")
    assert q.forward(p.find("x[_]")) == q.find("x[_]")
