"""divide_dim and rearrange_dim: other shapes for local buffers."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_equivalent, parse
from usl_core.errors import SchedulingError, UsageError
from usl_core.primitives.buffers.divide_dim import divide_dim
from usl_core.primitives.buffers.rearrange_dim import rearrange_dim

TILED = """
    def f(n: size, x: R[8 * n]):
        t: R[8 * n]
        for i in seq(0, n):
            for j in seq(0, 2):
                for k in seq(0, 4):
                    t[8 * i + 4 * j + k] = x[8 * i + 4 * j + k]
        for i in seq(0, 8 * n):
            x[i] = t[8 * n - 1 - i]
"""


def test_divide_dim_simplifies_with_the_ranges_of_iterators():
    p = parse(TILED)
    q = divide_dim(p, "t", 0, 4)
    assert "t: R[2 * n, 4]" in str(q) and "t[2 * i + j, k] = x[8 * i + 4 * j + k]" in str(q)
    assert q.forward(p.find("t[_] = _")) == q.find("t[_] = _")
    assert_equivalent(p, q)


def test_divide_dim_keeps_windows_within_a_tile():
    g = parse("def g(x: [R][3]):\n    assert stride(x, 0) == 1\n    for i in seq(0, 3):\n        x[i] = 1.0")
    p = parse(
        """
        def f(n: size, y: R[n]):
            t: R[2, 16]
            for i in seq(0, 4):
                g(t[1, 4 * i + 1:4 * i + 4])
                y[0] = t[1, 4 * i + 2]
    """,
        g=g,
    )
    q = divide_dim(p, "t", 1, 4)
    assert "g(t[1, i, 1:4])" in str(q) and "t: R[2, 4, 4]" in str(q)
    assert_equivalent(p, q)


def test_divide_dim_of_a_clamped_index():
    p = parse("""
        def f(n: size, x: u8[n], y: i32[8]):
            t: i32[8]
            for i in seq(0, 8):
                t[i] = 0
            for i in seq(0, n):
                t[idx(x[i], 0, 8)] += 1
            for i in seq(0, 8):
                y[i] = t[i]
    """)
    q = divide_dim(p, "t", 0, 2)
    assert "t[idx(x[i], 0, 8) / 2, idx(x[i], 0, 8) % 2] += 1" in str(q)
    assert_equivalent(p, q)


def test_divide_dim_refuses_with_a_counter_example():
    p = parse("def f(n: size):\n    t: R[n]\n    t[0] = 1.0")
    with pytest.raises(SchedulingError, match="cannot prove that 4 divides the extent n") as caught:
        divide_dim(p, "t", 0, 4)
    assert "counter-example: n = " in str(caught.value)
    with pytest.raises(SchedulingError, match="there is no dimension 1"):
        divide_dim(p, "t", 1, 4)
    with pytest.raises(SchedulingError, match="at least 1"):
        divide_dim(p, "t", 0, 0)


def test_divide_dim_refuses_a_window_over_two_tiles_and_a_whole_argument():
    g = parse("def g(x: [R][4]):\n    x[0] = 1.0")
    p = parse("def f():\n    t: R[8]\n    g(t[2:6])", g=g)
    with pytest.raises(SchedulingError, match=r"the window t\[2:6\] may reach over a tile of 4"):
        divide_dim(p, "t", 0, 4)
    q = parse("def f():\n    t: R[4]\n    g(t)", g=g)
    with pytest.raises(SchedulingError, match="passed whole to a call"):
        divide_dim(q, "t", 0, 2)


def test_rearrange_dim_permutes_indices_and_shape():
    p = parse("""
        def f(n: size, x: R[n, 2, 3]):
            t: R[n, 2, 3]
            for i in seq(0, n):
                for j in seq(0, 2):
                    for k in seq(0, 3):
                        t[i, j, k] = x[i, j, k]
                        x[i, j, k] = t[i, j, k] + 1.0
    """)
    q = rearrange_dim(p, "t", [2, 0, 1])
    assert "t: R[3, n, 2]" in str(q) and "t[k, i, j] = x[i, j, k]" in str(q)
    assert_equivalent(p, q)
    assert q.forward(p.find("t[_] = _")) == q.find("t[_] = _")
    assert q.forward(p.find("t[_] = _").idx()[2]) == q.find("t[_] = _").idx()[0]
    back = rearrange_dim(q, "t", (1, 2, 0))
    assert str(back) == str(p)


def test_rearrange_dim_keeps_windows_whose_dimensions_keep_their_order():
    g = parse("def g(x: [R][4]):\n    x[0] = 1.0")
    p = parse("def f(y: R[1]):\n    t: R[2, 4]\n    g(t[1, 0:4])\n    y[0] = t[1, 0]", g=g)
    q = rearrange_dim(p, "t", [1, 0])
    assert "g(t[0:4, 1])" in str(q)
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("w = t[0:2, 0:4]\n            w[0, 0] = 1.0", "would change places too"),
        ("if stride(t, 0) == 4:\n                t[0, 0] = 1.0", "depends on strides of t"),
        ("g(t[0, 0:4])", "may break its assertion"),
        ("h(t)", "passed whole"),
        ("k(t[0, 0:4])", "depends on strides of t"),
    ],
)
def test_rearrange_dim_refuses(body, message):
    g = parse("def g(x: [R][4]):\n    assert stride(x, 0) == 1\n    x[0] = 1.0")
    h = parse("def h(x: [R][2, 4]):\n    x[0, 0] = 1.0")
    k = parse("def k(x: [R][4]):\n    if stride(x, 0) == 1:\n        x[0] = 1.0")
    p = parse(
        f"""
        def f():
            t: R[2, 4]
            {body}
    """,
        g=g,
        h=h,
        k=k,
    )
    with pytest.raises(SchedulingError, match=message):
        rearrange_dim(p, "t", [1, 0])


def test_rearrange_dim_refuses_what_is_no_permutation():
    p = parse("def f():\n    t: R[2, 4]\n    t[0, 0] = 1.0")
    for perm in ([0], [0, 0], [1, 2]):
        with pytest.raises(SchedulingError, match="a permutation of the 2 dimensions"):
            rearrange_dim(p, "t", perm)
    for stranger in ("10", [True, False]):
        with pytest.raises(UsageError, match="perm must be a list of which each is an int"):
            rearrange_dim(p, "t", stranger)
