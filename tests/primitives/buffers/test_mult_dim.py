"""mult_dim: two dimensions of a local buffer become one."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.buffers.divide_dim import divide_dim
from usl_core.primitives.buffers.mult_dim import mult_dim

UNIT = parse("def unit(x: [R][4]):\n    assert stride(x, 0) == 1\n    for i in seq(0, 4):\n        x[i] = 1.0")
ANY = parse("def any(x: [R][4]):\n    for i in seq(0, 4):\n        x[i] = 1.0")
SQUARE = parse("def square(x: [R][2, 4]):\n    x[1, 2] = 1.0")
ASKS = parse("def asks(x: [R][4]):\n    if stride(x, 0) == 1:\n        x[0] = 1.0")

TILES = """
    def f(n: size, x: R[n, 2, 4]):
        t: R[n, 2, 4]
        for i in seq(0, n):
            for j in seq(0, 2):
                for k in seq(0, 4):
                    t[i, j, k] = x[i, j, k]
        for i in seq(0, n):
            for j in seq(0, 2):
                for k in seq(0, 4):
                    x[i, j, k] = t[n - 1 - i, 1 - j, k] + 1.0
"""


@pytest.mark.parametrize(
    ("hi", "lo", "shape", "access"),
    [
        (0, 1, "R[2 * n, 4]", "t[2 * i + j, k]"),
        (1, 2, "R[n, 8]", "t[i, 4 * j + k]"),
        (0, 2, "R[4 * n, 2]", "t[4 * i + k, j]"),
        (2, 1, "R[n, 8]", "t[i, 2 * k + j]"),
    ],
)
def test_mult_dim_joins_two_dimensions(hi: int, lo: int, shape: str, access: str):
    p = parse(TILES)
    q = mult_dim(p, "t", hi, lo)
    assert f"t: {shape}" in str(q) and f"{access} = x[i, j, k]" in str(q)
    assert q.forward(p.find("t[_] = _")) == q.find("t[_] = _")
    assert_equivalent(p, q)


def test_mult_dim_undoes_divide_dim():
    p = parse(
        "def f(n: size, x: R[4 * n]):\n    t: R[4 * n]\n    for i in seq(0, 4 * n):\n        t[i] = x[i]\n        x[i] = t[i]"
    )
    q = mult_dim(divide_dim(p, "t", 0, 4), "t", 0, 1)
    assert str(q) == str(p)


def test_mult_dim_of_clamped_indices():
    p = parse("""
        def f(n: size, x: u8[n], y: i32[4]):
            t: i32[2, 4]
            for i in seq(0, 2):
                for j in seq(0, 4):
                    t[i, j] = 0
            for i in seq(0, n):
                t[idx(x[i], 0, 2), i % 4] += 1
            for j in seq(0, 4):
                y[j] = t[1, j]
    """)
    q = mult_dim(p, "t", 0, 1)
    assert "t[4 * idx(x[i], 0, 2) + i % 4] += 1" in str(q)
    assert_equivalent(p, q)


def test_mult_dim_keeps_windows_along_the_inner_dimension():
    p = parse("def f(y: R[1]):\n    t: R[3, 4]\n    unit(t[1, 0:4])\n    w = t[1, 1:3]\n    y[0] = w[1]", unit=UNIT)
    q = mult_dim(p, "t", 0, 1)
    assert "unit(t[4:8])" in str(q) and "w = t[5:7]" in str(q)
    assert_equivalent(p, q)


def test_mult_dim_proves_strides_of_calls_again():
    text = "def f(y: R[1]):\n    t: R[4, 3]\n    g(t[0:4, 1])\n    y[0] = t[1, 1]"
    q = mult_dim(parse(text, g=ANY), "t", 1, 0)
    assert "any(t[4:8])" in str(q)
    assert_equivalent(parse(text, g=ANY), q)
    text = "def f(y: R[1]):\n    t: R[3, 4, 2]\n    t[0, 0, 0] = 1.0\n    g(t[1, 0:4, 0])\n    y[0] = t[1, 1, 0]"
    assert_equivalent(parse(text, g=ANY), mult_dim(parse(text, g=ANY), "t", 0, 1))
    inner = "def f(y: R[1]):\n    t: R[3, 2, 4]\n    g(t[1, 0, 0:4])\n    y[0] = t[1, 0, 1]"
    with pytest.raises(SchedulingError, match="may break its assertion"):
        mult_dim(parse(inner, g=UNIT), "t", 0, 2)


@pytest.mark.parametrize(
    ("body", "args", "message"),
    [
        ("t[0, 0] = 1.0", (0, 0), "two different dimensions"),
        ("t[0, 0] = 1.0", (0, 2), "there is no dimension 2"),
        ("t[0, 0] = 1.0", (1, 0), "the extent n of dimension 0 is no literal"),
        ("g(t[0:4, 1])", (0, 1), "has an interval in dimension 0"),
        ("h(t)", (0, 1), "passed whole"),
        ("k(t[1, 0:4])", (0, 1), "depends on strides of t"),
        ("if stride(t, 1) == 1:\n        t[0, 0] = 1.0", (0, 1), "depends on strides of t"),
    ],
)
def test_mult_dim_refuses(body: str, args: tuple[int, int], message: str):
    h = parse("def h(n: size, x: R[n, 4]):\n    x[0, 0] = 1.0")
    body = body.replace("h(t)", "h(n, t)")
    p = parse(f"def f(n: size):\n    assert n >= 4\n    t: R[n, 4]\n    {body}", g=ANY, h=h, k=ASKS)
    with pytest.raises(SchedulingError, match=message):
        mult_dim(p, "t", *args)


def test_mult_dim_refuses_to_permute_the_dimensions_of_a_window():
    p = parse("def f():\n    t: R[3, 2, 4]\n    square(t[1, 0:2, 0:4])", square=SQUARE)
    with pytest.raises(SchedulingError, match="would change places"):
        mult_dim(p, "t", 0, 2)
