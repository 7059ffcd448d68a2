"""Illegal steps of `clone_buffer`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
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
    Illegal(
        "clone_buffer",
        "a_block_that_reads_it_through_a_window_from_outside_too",
        "x: f32[4], y: f32[4]",
        """
        t: f32[4]
        for i in seq(0, 4):
            t[i] = x[i]
        w = t[0:4]
        for i in seq(0, 4):
            y[i] = t[i] + w[i]
        """,
        lambda p: clone_buffer(p, "t", "y[_] = _", "u"),
        "E450",
        "reaches t through a window that it does not make",
        Misuse("the block would still read t, which it was to be made independent of"),
    ),
    Illegal(
        "clone_buffer",
        "a_window_that_is_used_after_the_block",
        "x: f32[4], y: f32[4]",
        """
        t: f32[4]
        for i in seq(0, 4):
            t[i] = x[i]
        w = t[0:4]
        for i in seq(0, 4):
            y[i] = w[i]
        """,
        lambda p: clone_buffer(p, "t", "w = _", "u"),
        "E450",
        "makes one that is used after it",
        Misuse("code after the block would read the copy too"),
    ),
    Illegal(
        "clone_buffer",
        "a_block_that_does_not_use_it",
        "x: f32, y: f32",
        """
        t: f32
        t = x
        y = t
        x = 1.0
        """,
        lambda p: clone_buffer(p, "t", "x = _", "u"),
        "E451",
        "the block does not use t",
        Misuse("nothing would read the copy"),
    ),
]
