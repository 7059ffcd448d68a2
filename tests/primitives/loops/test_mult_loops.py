"""mult_loops: a nest with a constant inner extent counts as one loop."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.loops.divide_loop import divide_loop
from usl_core.primitives.loops.mult_loops import mult_loops
from usl_core.primitives.simplify import simplify
from usl_core.procedure import Procedure


def nest(outer: str = "seq(0, n)", inner: str = "seq(0, 4)", body: str = "x[i, j] += x[j, i]") -> Procedure:
    return parse(f"""
        def f(n: size, m: size, x: R[n + 4, n + 4]):
            for i in {outer}:
                for j in {inner}:
                    {body}
        """)


def test_two_loops_become_one():
    p = nest()
    q = mult_loops(p, "i", "k")
    assert_body(
        q,
        """
        for k in seq(0, 4 * n):
            x[k / 4, k % 4] += x[k % 4, k / 4]
        """,
    )
    assert_equivalent(p, q)


@pytest.mark.parametrize("outer", ["seq(1, n)", "seq(2, 3)", "seq(n - 1, n)", "seq(n - n, 0)"])
@pytest.mark.parametrize("inner", ["seq(0, 1)", "seq(0, 3)", "seq(n - n, 2)"])
def test_other_ranges_of_the_outer_loop(outer: str, inner: str):
    p = nest(outer, inner)
    assert_equivalent(p, mult_loops(p, "i", "k"))


def test_it_undoes_a_division():
    p = parse("def f(n: size, x: R[n]):\n    assert n % 4 == 0\n    for i in seq(0, n):\n        x[i] = 1.0")
    q = divide_loop(p, "i", 4, ["io", "ii"], perfect=True)
    r = simplify(mult_loops(q, "io", "i"))
    assert "x[i] = 1.0" in str(r) and "seq(0, 4 * (n / 4))" in str(r)
    assert_equivalent(p, r)


def test_windows_and_calls_inside_use_the_new_iterator():
    g = parse("def g(k: index, x: [R][2]):\n    x[k % 2] = 1.0")
    p = parse(
        """
        def f(n: size, x: R[n + 4]):
            for i in seq(0, n):
                for j in seq(0, 3):
                    w = x[i:i + 2]
                    g(j, w)
                    t: R[i + 1]
                    t[0] = 0.0
    """,
        g=g,
    )
    assert_equivalent(p, mult_loops(p, "i", "k"))


def test_the_result_is_par_if_both_loops_are():
    assert "par(0, 4 * n)" in str(mult_loops(nest("par(0, n)", "par(0, 4)", "x[i, j] = 1.0"), "i", "k"))
    assert "seq(0, 4 * n)" in str(mult_loops(nest("par(0, n)", "seq(0, 4)", "x[i, j] = 1.0"), "i", "k"))
    assert "seq(0, 4 * n)" in str(mult_loops(nest("seq(0, n)", "par(0, 4)", "x[i, j] = 1.0"), "i", "k"))


@pytest.mark.parametrize(
    ("p", "message"),
    [
        (nest(inner="seq(1, 4)"), "the inner loop must start at 0, not at 1"),
        (nest(inner="seq(0, n)"), "the extent n of the inner loop is not a constant"),
        (nest("seq(0, 4)", "seq(0, i + 1)"), r"the extent i \+ 1 of the inner loop is not a constant"),
        (nest(inner="seq(0, 0)"), "the loop j never runs"),
        (
            nest(inner="seq(0, 3)", body="x[i, j] = 1.0\n                x[i, 0] = 1.0"),
            "the body of the loop i is not one loop",
        ),
    ],
)
def test_other_nests_are_refused(p: Procedure, message: str):
    with pytest.raises(SchedulingError, match=message):
        mult_loops(p, "i", "k")


def test_the_new_name_must_be_one():
    with pytest.raises(SchedulingError, match="must be an identifier"):
        mult_loops(nest(), "i", "4")


def test_cursors_go_to_the_new_loop_and_the_body_stays():
    p = nest()
    q = mult_loops(p, "i", "k")
    assert q.forward(p.find_loop("i")) == q.find_loop("k") and q.forward(p.find_loop("j")) == q.find_loop("k")
    assert q.forward(p.find("x[_] += _")) == q.find("x[_] += _")
