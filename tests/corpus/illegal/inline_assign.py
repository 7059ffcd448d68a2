"""Illegal steps of `inline_assign`."""

from __future__ import annotations

from tests.corpus.callees import COPY4
from tests.corpus.case import Illegal, Wrong
from usl_core.scheduling import inline_assign

CASES = [
    Illegal(
        "inline_assign",
        "what_is_read_changes",
        "x: f32, y: f32",
        """
        t: f32
        t = x
        x = 2.0
        y = t
        """,
        lambda p: inline_assign(p, "t = _"),
        "E411",
        "may be modified before its last use",
        Wrong("""
        t: f32
        x = 2.0
        y = x
        """),
    ),
    Illegal(
        "inline_assign",
        "the_value_leaves",
        "x: f32, y: f32",
        """
        y = x + 1.0
        x = y
        """,
        lambda p: inline_assign(p, "y = _"),
        "E419",
        "y is not allocated in the procedure",
        Wrong("x = x + 1.0"),
    ),
    Illegal(
        "inline_assign",
        "the_next_iteration_reads_it",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        t = 0.0
        for i in seq(0, n):
            y[i] = t
            t = x[i]
        """,
        lambda p: inline_assign(p, "t = x[_]"),
        "E419",
        "may still be read",
        Wrong("""
        t: f32
        t = 0.0
        for i in seq(0, n):
            y[i] = t
        """),
    ),
    Illegal(
        "inline_assign",
        "a_reduction_in_between",
        "x: f32, y: f32",
        """
        t: f32
        t = x
        t += 1.0
        y = t
        """,
        lambda p: inline_assign(p, "t = _"),
        "E454",
        "the location may be changed",
        Wrong("""
        t: f32
        t += 1.0
        y = x
        """),
    ),
    Illegal(
        "inline_assign",
        "another_element_that_may_be_the_same",
        "n: size, i: index, x: f32[n], y: f32",
        """
        assert 0 <= i and i < n
        t: f32[n]
        for j in seq(0, n):
            t[j] = 0.0
        t[i] = x[0]
        y = t[0]
        """,
        lambda p: inline_assign(p, "t[i] = _"),
        "E454",
        "the location may be read",
        Wrong("""
        t: f32[n]
        for j in seq(0, n):
            t[j] = 0.0
        y = t[0]
        """),
    ),
    Illegal(
        "inline_assign",
        "used_through_a_window_in_a_call",
        "x: f32, y: f32[4]",
        """
        t: f32[4]
        for j in seq(0, 4):
            t[j] = 0.0
        t[0] = x
        copy4(y[0:4], t[0:4])
        """,
        lambda p, c: inline_assign(p, "t[0] = _"),
        "E454",
        "used by a call",
        Wrong("""
        t: f32[4]
        for j in seq(0, 4):
            t[j] = 0.0
        copy4(y[0:4], t[0:4])
        """),
        callees=(COPY4,),
    ),
    Illegal(
        "inline_assign",
        "used_through_a_named_window_in_a_call",
        "x: f32, y: f32[4]",
        """
        t: f32[4]
        for j in seq(0, 4):
            t[j] = 0.0
        w = t[0:4]
        t[0] = x
        copy4(y[0:4], w)
        t[0] = 1.0
        """,
        lambda p, c: inline_assign(p, "t[0] = _"),
        "E454",
        "used by a call",
        Wrong("""
        t: f32[4]
        for j in seq(0, 4):
            t[j] = 0.0
        w = t[0:4]
        copy4(y[0:4], w)
        t[0] = 1.0
        """),
        callees=(COPY4,),
    ),
    Illegal(
        "inline_assign",
        "what_is_read_through_a_window_changes",
        "x: f32[2], y: f32",
        """
        w = x[0:2]
        t: f32
        t = w[1]
        x[1] = 2.0
        y = t
        """,
        lambda p: inline_assign(p, "t = _"),
        "E411",
        "may be modified before its last use",
        Wrong("""
        w = x[0:2]
        t: f32
        x[1] = 2.0
        y = w[1]
        """),
    ),
    Illegal(
        "inline_assign",
        "the_next_iteration_reads_the_element",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n + 1]
        for j in seq(0, n + 1):
            t[j] = 0.0
        for i in seq(0, n):
            y[i] = t[i]
            t[i + 1] = x[i]
        """,
        lambda p: inline_assign(p, "t[_] = x[_]"),
        "E419",
        "may still be read",
        Wrong("""
        t: f32[n + 1]
        for j in seq(0, n + 1):
            t[j] = 0.0
        for i in seq(0, n):
            y[i] = t[i]
        """),
    ),
]
