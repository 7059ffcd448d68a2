"""autofission: fission, and then no loop that only repeats itself."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.composed.autofission import autofission
from usl_core.procedure import Procedure


def program(first: str, second: str, outer: str = "seq(0, n)") -> Procedure:
    return parse(f"""
        def f(n: size, m: index, x: R[n], y: R[n, n], s: R):
            assert m >= 0 and m <= n
            t: R
            for i in {outer}:
                for j in seq(0, n):
                    {first}
                    {second}
        """)


def test_a_part_that_only_repeats_loses_its_loops():
    p = program("t = s", "y[i, j] = t")
    q = autofission(p, p.find("t = _").after(), n_lifts=2)
    assert_body(
        q,
        """
        t: R
        t = s
        for i in seq(0, n):
            for j in seq(0, n):
                y[i, j] = t
        """,
    )
    assert_equivalent(p, q)


def test_a_part_that_uses_one_iterator_keeps_that_loop():
    p = parse("""
        def f(n: size, x: R[n], y: R[n, n]):
            t: R[n]
            for i in seq(0, n):
                for j in seq(0, n):
                    t[i] = x[i]
                    y[i, j] = t[i]
    """)
    q = autofission(p, p.find("t[_] = _").after(), n_lifts=2)
    assert_body(
        q,
        """
        t: R[n]
        for i in seq(0, n):
            t[i] = x[i]
        for i in seq(0, n):
            for j in seq(0, n):
                y[i, j] = t[i]
        """,
    )
    assert_equivalent(p, q)


def test_a_second_part_may_lose_its_loop_too():
    p = program("y[i, j] = s", "x[0] = s")
    q = autofission(p, p.find("y[_] = _").after())
    assert_body(q, "t: R\nfor i in seq(0, n):\n    for j in seq(0, n):\n        y[i, j] = s\n    x[0] = s")
    assert_equivalent(p, q)


def test_a_loop_that_may_not_run_becomes_a_condition_and_sums_stay():
    p = program("t = s", "y[i, j] = s", "seq(0, m)")
    q = autofission(p, p.find("t = _").after(), n_lifts=2)
    assert_body(
        q,
        """
        t: R
        if 0 < m:
            t = s
        for i in seq(0, m):
            for j in seq(0, n):
                y[i, j] = s
        """,
    )
    assert_equivalent(p, q)
    p = program("x[0] += s", "y[i, j] = s")
    q = autofission(p, p.find("x[_] += _").after())
    assert str(q).count("for j") == 2
    assert_equivalent(p, q)


def test_what_fission_refuses_is_refused():
    p = program("t = y[i, j]", "y[i, j] = t + s")
    with pytest.raises(SchedulingError, match="does not commute"):
        autofission(p, p.find("t = _").after())
    q = program("t = s", "y[i, j] = t")
    with pytest.raises(SchedulingError, match="no loop or `if` left to split"):
        autofission(q, q.find("t = _").after(), n_lifts=3)
    with pytest.raises(SchedulingError, match="autofission: n_lifts must be at least 1"):
        autofission(p, p.find("t = _").after(), n_lifts=0)
    with pytest.raises(SchedulingError, match="autofission: a gap is wanted"):
        autofission(p, p.find("t = _"))


def test_cursors_stay_with_the_statements():
    p = program("t = s", "y[i, j] = t")
    q = autofission(p, p.find("t = _").after(), n_lifts=2)
    assert q.forward(p.find("t = _")) == q.find("t = _")
    assert q.forward(p.find("y[_] = _")) == q.find("y[_] = _")
    assert [step.operator for step in q.history()] == ["written", "fission", "remove_loop", "fission", "remove_loop"]
