"""Legal steps of `clone_buffer`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import clone_buffer

CASES = [
    Legal(
        "clone_buffer",
        "for_the_second_consumer",
        "n: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i] * 2.0
        for i in seq(0, n):
            y[i] = t[i]
        for i in seq(0, n):
            z[i] = t[i] + y[i]
        """,
        lambda p: clone_buffer(p, "t", "for i in _: _ #2", "u"),
        """
        t: f32[n]
        u: f32[n]
        for i in seq(0, n):
            u[i] = x[i] * 2.0
        for i in seq(0, n):
            t[i] = x[i] * 2.0
        for i in seq(0, n):
            y[i] = t[i]
        for i in seq(0, n):
            z[i] = u[i] + y[i]
        """,
    ),
    Legal(
        "clone_buffer",
        "a_loop_that_does_more",
        "n: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        t: f32
        t = 0.0
        for i in seq(0, n):
            t += x[i]
            y[i] = t
            z[i] = t * 2.0
        """,
        lambda p: clone_buffer(p, "t", "z[_] = _", "u"),
        """
        t: f32
        u: f32
        u = 0.0
        t = 0.0
        for i in seq(0, n):
            u += x[i]
            t += x[i]
            y[i] = t
            z[i] = u * 2.0
        """,
    ),
    Legal(
        "clone_buffer",
        "windows_and_calls",
        "n: size, x: f32[n + 4], y: f32[n + 4]",
        """
        t: f32[n + 4]
        w = x[0:4]
        fill(t[0:4])
        for i in seq(0, n):
            v = t[i:i + 5]
            v[4] = v[0] + w[0]
        for i in seq(0, n + 4):
            y[i] = t[i]
        """,
        lambda p, c: clone_buffer(p, "t", "y[_] = _", "u"),
        """
        t: f32[n + 4]
        u: f32[n + 4]
        w = x[0:4]
        fill(u[0:4])
        fill(t[0:4])
        for i in seq(0, n):
            v = u[i:i + 5]
            v[4] = v[0] + w[0]
        for i in seq(0, n):
            v = t[i:i + 5]
            v[4] = v[0] + w[0]
        for i in seq(0, n + 4):
            y[i] = u[i]
        """,
        callees=("def fill(a: [f32][4]):\n    for i in seq(0, 4):\n        a[i] = 1.0\n",),
    ),
]
