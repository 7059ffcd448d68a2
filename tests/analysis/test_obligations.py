"""What the static checks refuse, and the values they show for it."""

from __future__ import annotations

import pytest

from usl_core.errors import BoundsError
from usl_core.procedure import Procedure, proc_from_source

F = proc_from_source("""
def f(n: size, dst: [f32][n], src: [f32][n]):
    assert n <= 8
    assert stride(dst, 0) == 1
    for i in seq(0, n):
        dst[i] = src[i]
""")
DENSE = proc_from_source("def dense(n: size, x: f32[n]):\n    x[0] = 1.0\n")


def parse(text: str) -> Procedure:
    return proc_from_source(text, {"f": F, "dense": DENSE})


@pytest.mark.parametrize(
    ("body", "message", "example"),
    [
        ("for i in seq(0, n): x[i + 1] = 0.0", "index 0 of x may be out of bounds: i \\+ 1", "i = 0, n = 1"),
        ("for i in seq(0, n): x[i - 1] = 0.0", "index 0 of x may be negative", "i = 0"),
        ("x[n / 2 + n / 2 + 1] = 0.0", "may be out of bounds", "n = "),
        ("for i in seq(3, n): pass", "the range of loop i may be negative", "n = 1"),
        ("t: f32[n - 1]\n    pass", "an extent of buffer t may be below 1", "n = 1"),
        ("w = x[2:n]\n    pass", "may be empty", "n = "),
        ("w = x[0:n + 1]\n    pass", "may be out of bounds", "n = 1"),
        ("y[idx(k, 0, m)] = 0.0", "the limits of idx may be empty", "m = 0"),
        ("y[idx(k, 0, 9)] = 0.0", "may be out of bounds", ""),
        ("f(n, x, y[0:n])", "may break its assertion n <= 8|extent|out of bounds", "n = "),
        ("f(4, x[0:3], y[0:4])", "extent 0 of argument dst of f may differ|out of bounds", "n = "),
        ("if n >= 4: f(4, x[0:4], x[0:4])", "arguments dst and src of f may overlap", ""),
        ("if n >= 8: f(4, x[0:4], x[3:7])", "arguments dst and src of f may overlap", ""),
        ("if n >= 9: f(4, z[0:4, 1], x[0:4])", "may break its assertion stride\\(dst, 0\\) == 1", ""),
    ],
)
def test_what_is_not_provable_is_refused_with_values_that_break_it(body: str, message: str, example: str) -> None:
    with pytest.raises(BoundsError, match=message) as caught:
        parse(f"def foo(n: size, m: index, x: f32[n], y: f32[8], z: f32[8, 8], k: i32):\n    {body}\n")
    assert example in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.line >= 2


@pytest.mark.parametrize(
    "body",
    [
        "for i in seq(0, n):\n        if i + 1 < n:\n            x[i + 1] = 0.0",
        "for i in seq(0, n / 4):\n        for j in seq(0, 4):\n            x[4 * i + j] = 0.0",
        "for i in seq(0, (n + 3) / 4):\n        for j in seq(0, min(4, n - 4 * i)):\n            x[4 * i + j] = 0.0",
        "for i in seq(0, n):\n        x[(i + 5) % n_] = 0.0".replace("n_", "1"),
        "for i in seq(0, n):\n        x[n - 1 - i] = 0.0",
        "check(m >= 0 and m < 8)\n    y[m] = 0.0",
        "for i in seq(0, max(n - 2, 0)):\n        x[i + 2] = x[i]",
        "y[idx(k, 2, 8)] = 0.0",
        "if n >= 8:\n        f(4, x[0:4], x[4:8])",
        "f(8, z[3, :], z[4, :])",
        "for i in seq(0, 8):\n        if i % 2 == 0:\n            f(4, z[i, 0:4], z[i + 1, 0:4])",
    ],
)
def test_what_is_provable_is_accepted(body: str) -> None:
    parse(f"def foo(n: size, m: index, x: f32[n], y: f32[8], z: f32[8, 8], k: i32):\n    {body}\n")


def test_contradictory_assertions_are_refused_with_a_smallest_conflict() -> None:
    with pytest.raises(BoundsError, match="contradict each other: n < 4; n > 5") as caught:
        parse("def foo(n: size, m: size, x: f32[n]):\n    assert m > 2\n    assert n < 4\n    assert n > 5\n    x[99] = 0.0\n")
    assert "m > 2" not in caught.value.message


def test_a_formals_extent_must_be_positive() -> None:
    with pytest.raises(BoundsError, match="an extent of formal x may be below 1"):
        parse("def foo(n: size, x: f32[n - 1]):\n    pass\n")
    parse("def foo(n: size, x: f32[n - 1]):\n    assert n >= 2\n    x[0] = 0.0\n")
