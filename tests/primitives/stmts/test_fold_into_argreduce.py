"""`fold_into_argreduce`."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_refines, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.stmts.fold_into_argreduce import fold_into_argreduce
from usl_core.procedure import Procedure


def search(cond: str, *, lo: str = "0", typ: str = "f32", known: str = "n <= 1000") -> Procedure:
    return parse(f"""
        def f(n: size, x: {typ}[n], m: {typ}, k: i32, j: i32):
            assert {known}
            for i in seq({lo}, n):
                pass
                if {cond}:
                    m = x[i]
                    k = i32(i)
        """)


@pytest.mark.parametrize("typ", ["f32", "i8"])
@pytest.mark.parametrize("lo", ["0", "1", "n"])
@pytest.mark.parametrize("cond", ["x[i] > m", "m < x[i]", "x[i] < m", "m > x[i]"])
def test_the_first_of_the_greatest_or_least(cond: str, lo: str, typ: str) -> None:
    p = search(cond, lo=lo, typ=typ)
    q = fold_into_argreduce(p, "i")
    assert ("@= max(x[i])" in str(q)) == (cond in ("x[i] > m", "m < x[i]"))
    assert (f"if {lo} < n:" in str(q)) == (lo != "0")
    assert_refines(p, q)


def test_where_nothing_runs_the_position_stays_though_the_greatest_has_no_value() -> None:
    p = parse("""
        def f(n: size, x: f32[n], k: i32):
            assert n <= 1000
            m: f32
            for i in seq(1, n):
                if x[i] > m:
                    m = x[i]
                    k = i32(i)
        """)
    assert_refines(p, fold_into_argreduce(p, "i"))


def test_cursors_stay_with_what_they_mean() -> None:
    p = search("x[i] > m", lo="1")
    q = fold_into_argreduce(p, "i")
    branch = p.find("if _: _")
    extreme, position = branch.body()
    assert q.forward(p.find_loop("i")) == q.find_loop("i")
    assert q.forward(branch) == q.forward(extreme) == q.find("m @= _")
    assert q.forward(extreme.rhs()) == q.find("m @= _").rhs()
    assert q.forward(position) == q.find("k = _")


def test_both_reductions_can_be_divided_and_taken_apart() -> None:
    """What the operator is for: partial results, which the search has none of."""
    from usl_core.scheduling import divide_loop, stage_mem

    p = search("x[i] > m", known="n % 4 == 0 and n <= 1000")
    q = fold_into_argreduce(p, "i")
    for place in ("m", "k_first"):
        loop = q.find(f"{place} @= _").parent()
        q = divide_loop(q, loop, 4, ["io", "ii"], perfect=True)
        q = stage_mem(q, q.forward(loop).body(), place, "part", accum=True)
    assert_refines(p, q)


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("for i in par(0, n):\n    if x[i] > m:\n        m = x[i]\n        k = i32(i)", "E404", "parallel loop"),
        ("for i in seq(0, n):\n    if i > 3:\n        m = x[i]\n        k = i32(i)", "E404", "does not ask whether an element"),
        (
            "for i in seq(0, n):\n    if x[i] > m:\n        m = x[i]\n        y[0] += 1.0\n        k = i32(i)",
            "E404",
            "and nothing more",
        ),
        ("for i in seq(0, n):\n    if up:\n        m = x[i]\n        k = i32(i)", "E404", "does not ask whether an element"),
        (
            "for i in seq(0, n):\n    if x[i] > m:\n        m = x[i]\n        k = i32(i)\n    else:\n        k = 0",
            "E404",
            "without `else`",
        ),
        ("for i in seq(0, n):\n    if x[i] > m:\n        m = x[i]\n        y[1] = f32(i)", "E404", "no control value"),
        ("for i in seq(0, n):\n    if x[i] > m:\n        m = x[i]", "E404", "assign the element and its position"),
        ("for i in seq(0, n):\n    if x[i] > m:\n        m = x[i]\n        k += i32(i)", "E404", "assign the element and its"),
        ("for i in seq(0, n):\n    if x[i] > m:\n        m = x[i]\n        k = i32(x[i])", "E404", "no control value"),
        (
            "for i in seq(0, n):\n    if x[i] > y[idx(k, 0, 2)]:\n        y[idx(k, 0, 2)] = x[i]\n        k = i32(i)",
            "E418",
            "made of data",
        ),
    ],
)
def test_refusals(body: str, code: str, message: str) -> None:
    lines = "\n".join(f"            {line}" for line in body.splitlines())
    p = parse(f"""
        def f(n: size, x: f32[n], m: f32, k: i32, y: f32[2], up: bool):
            assert n <= 1000
{lines}
        """)
    with pytest.raises(SchedulingError, match=message) as caught:
        fold_into_argreduce(p, "i")
    assert caught.value.code == code


def test_without_a_limit_the_position_may_wrap() -> None:
    with pytest.raises(SchedulingError, match="fits i32") as caught:
        fold_into_argreduce(search("x[i] > m", known="n > 0"), "i")
    assert any("assert a bound" in note for note in caught.value.notes)


def test_the_text_of_the_result() -> None:
    assert_body(
        fold_into_argreduce(search("x[i] < m"), "i"),
        """
        m_before: f32
        m_before = m
        for i in seq(0, n):
            m @= min(x[i])
        k_first: i32
        k_first = 2147483647
        for i in seq(0, n):
            k_first @= min(select(m, x[i], 2147483647, i32(i)))
        k = select(m, m_before, k_first, k)
        """,
    )
