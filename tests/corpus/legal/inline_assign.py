"""Legal steps of `inline_assign`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import inline_assign

CASES = [
    Legal(
        "inline_assign",
        "one_use",
        "x: f32, y: f32",
        "t: f32\nt = x * 2.0\ny = t + 1.0",
        lambda p: inline_assign(p, "t = _"),
        """
        t: f32
        y = x * 2.0 + 1.0
        """,
    ),
    Legal(
        "inline_assign",
        "two_uses_in_a_loop",
        "n: size, a: f32, y: f32[n]",
        "t: f32\nt = a * a\nfor i in seq(0, n):\n    y[i] = t + t",
        lambda p: inline_assign(p, "t = _"),
        """
        t: f32
        for i in seq(0, n):
            y[i] = a * a + a * a
        """,
    ),
    Legal(
        "inline_assign",
        "overwritten_later",
        "x: f32, y: f32",
        "y = x + 1.0\nx = y * 2.0\ny = 0.0",
        lambda p: inline_assign(p, "y = x + 1.0"),
        """
        x = (x + 1.0) * 2.0
        y = 0.0
        """,
    ),
    Legal(
        "inline_assign",
        "a_producer_at_the_place_of_its_use",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i] * x[i]
            y[i] = t[i] + 1.0
        """,
        lambda p: inline_assign(p, "t[_] = _"),
        """
        t: f32[n]
        for i in seq(0, n):
            y[i] = x[i] * x[i] + 1.0
        """,
    ),
]
