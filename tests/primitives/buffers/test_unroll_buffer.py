"""unroll_buffer: a buffer for each index of a dimension."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.buffers.unroll_buffer import unroll_buffer
from usl_core.primitives.loops.unroll_loop import unroll_loop

UNIT = parse("def unit(x: [R][4]):\n    assert stride(x, 0) == 1\n    for i in seq(0, 4):\n        x[i] = 1.0")
CELL = parse("def cell(x: R):\n    x = 2.0")


def test_unroll_buffer_makes_scalars_of_a_vector():
    p = parse("""
        def f(x: R[3]):
            t: R[3]
            for i in seq(0, 3):
                t[i] = x[i]
            cell(t[1])
            x[0] = t[0 + 2] + t[1]
            x[1] += t[0]
    """, cell=CELL)  # fmt: skip
    unrolled = unroll_loop(p, "i")
    q = unroll_buffer(unrolled, "t", 0)
    assert_body(
        q,
        """
        t_0: R
        t_1: R
        t_2: R
        t_0 = x[0]
        t_1 = x[1]
        t_2 = x[2]
        cell(t_1)
        x[0] = t_2 + t_1
        x[1] += t_0
        """,
    )
    assert q.forward(unrolled.find("t: _")) == q.find("t_0: _")
    assert q.forward(p.find("cell(_)")) == q.find("cell(_)")
    assert_equivalent(p, q)


def test_unroll_buffer_keeps_windows_of_the_other_dimensions():
    p = parse("""
        def f(n: size, y: R[4]):
            t: R[4, 2, n]
            unit(t[0:4, 1, 0])
            w = t[1:3, 1, 0:n]
            for i in seq(0, 4):
                y[i] = t[i, 1, 0]
            y[0] += w[0, n - 1]
    """.replace("unit(", "any("), any=parse("def any(x: [R][4]):\n    for i in seq(0, 4):\n        x[i] = 1.0"))  # fmt: skip
    q = unroll_buffer(p, "t", 1)
    assert "t_1: R[4, n]" in str(q) and "any(t_1[0:4, 0])" in str(q) and "w = t_1[1:3, 0:n]" in str(q)
    assert_equivalent(p, q)


def test_unroll_buffer_proves_strides_again():
    g = parse("def g(x: [R][4]):\n    assert stride(x, 0) == 2\n    x[0] = 1.0")
    p = parse("def f(y: R[1]):\n    t: R[4, 2]\n    g(t[0:4, 1])\n    y[0] = t[2, 1]", g=g)
    with pytest.raises(SchedulingError, match="may break its assertion stride"):
        unroll_buffer(p, "t", 1)
    q = parse("def f(y: R[1]):\n    t: R[2, 4]\n    unit(t[1, 0:4])\n    y[0] = t[1, 2]", unit=UNIT)
    assert_equivalent(q, unroll_buffer(q, "t", 0))


@pytest.mark.parametrize(
    ("dim", "body", "message", "code"),
    [
        (0, "for i in seq(0, 2):\n        t[i, 0] = 1.0", "the index i of t in dimension 0 is not a constant", "E415"),
        (1, "t[0, 0] = 1.0", "the extent n of dimension 1 is not a constant", "E415"),
        (2, "t[0, 0] = 1.0", "there is no dimension 2", "E404"),
        (0, "w = t[0:2, 0]\n    w[0] = 1.0", "has an interval in dimension 0", "E455"),
        (0, "h(n, t)", "passed whole", "E456"),
        (0, "if stride(t, 0) == 4:\n        t[0, 0] = 1.0", "depends on strides of t", "E457"),
        (0, "if n < 1:\n        t[5, 0] = 1.0", "the index 5 of t is out of bounds, in code that never runs", "E410"),
        (0, "if n < 1:\n        t[0 - 1, 0] = 1.0", "the index -1 of t is out of bounds", "E410"),
    ],
)
def test_unroll_buffer_refuses(dim: int, body: str, message: str, code: str):
    h = parse("def h(n: size, x: R[2, n]):\n    x[0, 0] = 1.0")
    p = parse(f"def f(n: size):\n    t: R[2, n]\n    {body}", h=h)
    with pytest.raises(SchedulingError, match=message) as caught:
        unroll_buffer(p, "t", dim)
    assert caught.value.code == code
