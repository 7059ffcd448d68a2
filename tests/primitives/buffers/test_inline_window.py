"""inline_window: what a window shows in place of its name."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.cursors.cursor import InvalidCursor
from usl_core.errors import SchedulingError
from usl_core.primitives.buffers.inline_window import inline_window

UNIT = parse("def unit(x: [R][4]):\n    assert stride(x, 0) == 1\n    for i in seq(0, 4):\n        x[i] = 1.0")
TWO = parse("def two(x: [R][2, 4]):\n    x[1, 3] = 1.0\n    w = x[0, 1:3]\n    w[0] = 2.0")

TEXT = """
    def f(n: size, x: R[n + 4, 4, 8], y: [R][8]):
        for i in seq(0, n):
            w = x[i + 1, 1:3, 2:6]
            v = w[1, 0:4]
            v[2] = y[2]
            w[0, 3] += v[1] * 2.0
            two(w)
            unit(v)
            unit(w[0, 0:4])
            if stride(v, 0) == 1 and stride(w, 0) == 8:
                y[0] = w[1, 1]
"""


def test_inline_window_composes_index_maps():
    p = parse(TEXT, unit=UNIT, two=TWO)
    q = inline_window(p, "w")
    assert_body(
        q,
        """
        for i in seq(0, n):
            v = x[i + 1, 2, 2:6]
            v[2] = y[2]
            x[i + 1, 1, 5] += v[1] * 2.0
            two(x[i + 1, 1:3, 2:6])
            unit(v)
            unit(x[i + 1, 1, 2:6])
            if stride(v, 0) == 1 and stride(x, 1) == 8:
                y[0] = x[i + 1, 2, 3]
        """,
    )
    assert isinstance(q.forward(p.find("w = _")), InvalidCursor)
    assert q.forward(p.find("two(_)")) == q.find("two(_)")
    assert_equivalent(p, q)
    r = inline_window(q, q.forward(p.find("v = _")))
    assert "unit(x[i + 1, 2, 2:6])" in str(r) and "x[i + 1, 2, 4] = y[2]" in str(r) and "stride(x, 2) == 1" in str(r)
    assert_equivalent(p, r)


def test_inline_window_of_a_window_formal_keeps_its_strides():
    p = parse("def f(y: [R][8], z: R[1]):\n    w = y[2:6]\n    if stride(w, 0) == 1:\n        z[0] = w[0]")
    q = inline_window(p, "w = _")
    assert "if stride(y, 0) == 1:" in str(q) and "z[0] = y[2]" in str(q)
    assert_equivalent(p, q)


def test_inline_window_of_clamped_indices_and_alone_in_a_body():
    p = parse(
        "def f(n: size, s: u8[n], y: R[8]):\n    for i in seq(0, n):\n        w = y[2:6]\n        w[idx(s[i], 0, 4)] = 1.0"
    )
    q = inline_window(p, "w")
    assert "y[2 + idx(s[i], 0, 4)] = 1.0" in str(q)
    assert_equivalent(p, q)
    lone = parse("def f(y: R[8]):\n    for i in seq(0, 4):\n        w = y[i:6]")
    assert_body(inline_window(lone, "w"), "for i in seq(0, 4):\n    pass")


def test_inline_window_takes_the_window_and_not_an_assignment():
    p = parse("def f(w: R, x: R[4]):\n    w = x[0]\n    for i in seq(0, 4):\n        w = x[0:4]\n        w[i] = 1.0")
    assert "x[i] = 1.0" in str(inline_window(p, "w"))


def test_inline_window_refuses_what_is_no_window():
    p = parse(TEXT, unit=UNIT, two=TWO)
    with pytest.raises(SchedulingError, match="there is no window named x"):
        inline_window(p, "x")
    with pytest.raises(SchedulingError, match="a window statement is wanted here, found Call"):
        inline_window(p, "two(_)")
