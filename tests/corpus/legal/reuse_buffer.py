"""Legal steps of `reuse_buffer`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import reuse_buffer

CASES = [
    Legal(
        "reuse_buffer",
        "one_after_the_other",
        "n: size, x: f32[n], y: f32[n]",
        """
        a: f32
        a = x[0]
        y[0] = a
        b: f32
        b = 2.0
        x[0] = b
        """,
        lambda p: reuse_buffer(p, "a", "b"),
        """
        a: f32
        a = x[0]
        y[0] = a
        a = 2.0
        x[0] = a
        """,
    ),
    Legal(
        "reuse_buffer",
        "in_each_iteration",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            a: f32
            a = x[i]
            y[i] = a
            b: f32
            b = 2.0 * x[i]
            x[i] = b
        """,
        lambda p: reuse_buffer(p, "a", "b"),
        """
        for i in seq(0, n):
            a: f32
            a = x[i]
            y[i] = a
            a = 2.0 * x[i]
            x[i] = a
        """,
    ),
    Legal(
        "reuse_buffer",
        "element_by_element",
        "n: size, x: f32[n], y: f32[n]",
        """
        a: f32[n]
        for i in seq(0, n):
            a[i] = x[i]
        b: f32[n]
        for i in seq(0, n):
            b[i] = 2.0 * a[i]
        for i in seq(0, n):
            y[i] = b[i]
        """,
        lambda p: reuse_buffer(p, "a", "b"),
    ),
]
