"""autolift_alloc: an allocation leaves loops, expanded by their iterators."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_refines, parse
from usl_core.errors import SchedulingError, UsageError
from usl_core.primitives.composed.autolift_alloc import autolift_alloc

NEST = """
    def f(n: size, m: size, x: R[n, m, 4]):
        for i in par(0, n):
            for j in seq(0, m):
                t: R[4]
                for k in seq(0, 4):
                    t[k] = x[i, j, k]
                for k in seq(0, 4):
                    x[i, j, k] = t[3 - k]
"""


def test_autolift_alloc_gives_parallel_iterations_their_own_elements():
    p = parse(NEST)
    q = autolift_alloc(p, "t", n_lifts=2)
    assert_body(
        q,
        """
        t: R[n, 4]
        for i in par(0, n):
            for j in seq(0, m):
                for k in seq(0, 4):
                    t[i, k] = x[i, j, k]
                for k in seq(0, 4):
                    x[i, j, k] = t[i, 3 - k]
        """,
    )
    assert q.forward(p.find("t: _")) == q.find("t: _")
    assert q.forward(p.find("t[_] = _")) == q.find("t[_] = _")
    assert [step.operator for step in q.history()[1:]] == ["lift_alloc", "expand_dim", "lift_alloc"]
    assert_refines(p, q)


@pytest.mark.parametrize(
    ("mode", "shape", "access"), [("row", "R[n, m, 4]", "t[i, j, k]"), ("col", "R[4, m, n]", "t[k, j, i]")]
)
def test_autolift_alloc_keeps_dimensions_for_all_loops(mode: str, shape: str, access: str):
    p = parse(NEST)
    q = autolift_alloc(p, "t", 2, mode, keep_dims=True)  # type: ignore[arg-type]
    assert f"t: {shape}" in str(q) and f"{access} = x[i, j, k]" in str(q)
    assert_refines(p, q)


def test_autolift_alloc_counts_from_the_start_of_a_loop():
    p = parse("""
        def f(n: size, x: R[n + 2]):
            for i in par(2, n + 2):
                if x[i] > 0.0:
                    t: R
                    t = x[i]
                    x[i] = t * t
    """)
    q = autolift_alloc(p, "t", 2)
    assert "t: R[n]" in str(q) and "t[i - 2] = x[i]" in str(q)
    assert_refines(p, q)


def test_autolift_alloc_takes_an_extent_where_the_loop_may_be_empty():
    p = parse("""
        def f(n: size, x: R[n]):
            for i in seq(0, n / 4):
                t: R
                t = x[i]
                x[i] = t + 1.0
    """)
    with pytest.raises(SchedulingError, match="an extent of buffer t may be below 1"):
        autolift_alloc(p, "t", keep_dims=True)
    q = autolift_alloc(p, "t", size="n", keep_dims=True)
    assert "t: R[n]" in str(q)
    assert_refines(p, q)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_lifts": 3}, "stands inside 2 loops or branches"),
        ({"n_lifts": 0}, "n_lifts must be at least 1"),
        ({"mode": "diagonal"}, "mode must be 'row' or 'col', got 'diagonal'"),
        ({"n_lifts": 2, "size": 3}, "cannot prove 0 <= i < 3 where t is used"),
    ],
)
def test_autolift_alloc_refuses(options: dict[str, object], message: str):
    with pytest.raises(UsageError if "mode" in options else SchedulingError, match=message):
        autolift_alloc(parse(NEST), "t", **options)  # type: ignore[arg-type]


def test_autolift_alloc_refuses_an_extent_that_depends_on_the_loop():
    p = parse("def f(n: size):\n    for i in seq(0, n):\n        t: R[i + 1]\n        t[i] = 1.0")
    with pytest.raises(SchedulingError, match="depends on i, so it cannot leave that loop"):
        autolift_alloc(p, "t")
