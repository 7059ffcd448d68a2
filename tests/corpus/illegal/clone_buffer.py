"""Illegal steps of `clone_buffer`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Wrong
from usl_core.scheduling import clone_buffer

CASES = [
    Illegal(
        "clone_buffer",
        "a_block_that_writes_it",
        "n: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            t = x[i]
            y[i] = t
            t = t + y[i]
            z[i] = t
        """,
        lambda p: clone_buffer(p, "t", "t = t + _", "u"),
        "E454",
        "the block writes t",
        Wrong("""
        t: f32
        u: f32
        for i in seq(0, n):
            u = x[i]
            t = x[i]
            y[i] = t
            u = u + y[i]
            z[i] = t
        """),
    ),
    Illegal(
        "clone_buffer",
        "a_call_that_writes_something_else_too",
        "x: f32[4], y: f32[4], z: f32[4]",
        """
        t: f32[4]
        both(t[0:4], x[0:4])
        for i in seq(0, 4):
            y[i] = t[i]
        """,
        lambda p, c: clone_buffer(p, "t", "y[_] = _", "u"),
        "E454",
        "the statement does more than to write t",
        Wrong("""
        t: f32[4]
        u: f32[4]
        both(u[0:4], x[0:4])
        both(t[0:4], x[0:4])
        for i in seq(0, 4):
            y[i] = u[i]
        """),
        callees=("def both(a: [f32][4], b: [f32][4]):\n    for i in seq(0, 4):\n        a[i] = b[i]\n        b[i] += 1.0\n",),
    ),
    Illegal(
        "clone_buffer",
        "written_through_a_window",
        "x: f32[4], y: f32[4]",
        """
        t: f32[4]
        w = t[0:4]
        for i in seq(0, 4):
            t[i] = 1.0
        for i in seq(0, 4):
            w[i] = x[i]
        for i in seq(0, 4):
            y[i] = t[i]
        """,
        lambda p: clone_buffer(p, "t", "y[_] = _", "u"),
        "E450",
        "is written where a window shows it too",
        Wrong("""
        t: f32[4]
        u: f32[4]
        w = t[0:4]
        for i in seq(0, 4):
            u[i] = 1.0
        for i in seq(0, 4):
            w[i] = x[i]
        for i in seq(0, 4):
            y[i] = u[i]
        """),
    ),
    Illegal(
        "clone_buffer",
        "a_block_before_the_allocation",
        "x: f32, y: f32",
        """
        y = x
        t: f32
        t = x
        y = t
        """,
        lambda p: clone_buffer(p, "t", "y = x", "u"),
        "E416",
        "not in the scope of t",
        Malformed("y = u\nt: f32\nu: f32\nt = x\ny = t", "E200"),
    ),
]
