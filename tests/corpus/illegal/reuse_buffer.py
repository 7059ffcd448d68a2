"""Illegal steps of `reuse_buffer`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Wrong, interleaved
from usl_core.scheduling import reuse_buffer

CASES = [
    Illegal(
        "reuse_buffer",
        "the_old_value_is_needed",
        "x: f32, y: f32",
        """
        a: f32
        a = x
        b: f32
        b = 2.0
        y = a + b
        """,
        lambda p: reuse_buffer(p, "a", "b"),
        "E417",
        "a value of a is needed after b is written",
        Wrong("""
        a: f32
        a = x
        a = 2.0
        y = a + a
        """),
    ),
    Illegal(
        "reuse_buffer",
        "the_next_iteration_needs_it",
        "n: size, x: f32[n], y: f32[n]",
        """
        a: f32
        a = 0.0
        for i in seq(0, n):
            b: f32
            b = x[i]
            y[i] = b + a
        """,
        lambda p: reuse_buffer(p, "a", "b"),
        "E417",
        "a value of a is needed after b is written",
        Wrong("""
        a: f32
        a = 0.0
        for i in seq(0, n):
            a = x[i]
            y[i] = a + a
        """),
    ),
    Illegal(
        "reuse_buffer",
        "shapes_that_differ",
        "n: size, x: f32[n + 1], y: f32",
        """
        a: f32[n]
        a[0] = x[0]
        b: f32[n + 1]
        b[n] = a[0]
        y = b[n]
        """,
        lambda p: reuse_buffer(p, "a", "b"),
        "E412",
        "have the same extent in dimension 0",
        Wrong("""
        a: f32[n]
        a[0] = x[0]
        a[n] = a[0]
        y = a[n]
        """),
    ),
    Illegal(
        "reuse_buffer",
        "types_that_differ",
        "x: u8, y: i32",
        """
        a: u8
        a = x
        x = a
        b: i32
        b = y
        y = b + b
        """,
        lambda p: reuse_buffer(p, "a", "b"),
        "E458",
        "have elements of different types",
        Malformed(
            """
            a: u8
            a = x
            x = a
            a = y
            y = a + a
            """,
            "E200",
        ),
    ),
    Illegal(
        "reuse_buffer",
        "shared_by_parallel_iterations",
        "n: size, x: f32[n], y: f32[n]",
        """
        a: f32
        a = x[0]
        y[0] = a
        for i in par(0, n):
            b: f32
            b = x[i]
            y[i] = b
        """,
        lambda p: reuse_buffer(p, "a", "b"),
        "E411",
        "reuse_buffer",
        interleaved("""
        a: f32
        a = x[0]
        y[0] = a
        for i in seq(0, n):
            a = x[i]
        for i in seq(0, n):
            y[i] = a
        """),
    ),
    Illegal(
        "reuse_buffer",
        "elements_that_are_shifted",
        "n: size, x: f32[n + 1], y: f32[n + 1]",
        """
        a: f32[n + 1]
        for i in seq(0, n + 1):
            a[i] = x[i]
        b: f32[n + 1]
        for i in seq(0, n):
            b[i + 1] = a[i]
        for i in seq(1, n + 1):
            y[i] = b[i]
        """,
        lambda p: reuse_buffer(p, "a", "b"),
        "E417",
        "a value of a is needed after b is written",
        Wrong("""
        a: f32[n + 1]
        for i in seq(0, n + 1):
            a[i] = x[i]
        for i in seq(0, n):
            a[i + 1] = a[i]
        for i in seq(1, n + 1):
            y[i] = a[i]
        """),
    ),
    Illegal(
        "reuse_buffer",
        "a_window_that_a_parallel_loop_uses",
        "x: f32[9], y: f32[9], z: f32[9]",
        """
        a: f32[9]
        b: f32[9]
        w = b[0:9]
        for i in par(0, 8):
            a[i] = x[i]
            y[i] = a[i]
            w[i + 1] = x[i] + 1.0
            z[i] = w[i + 1]
        """,
        lambda p: reuse_buffer(p, "a", "b"),
        "E411",
        "the iterations of parallel loop i would share elements of a",
        interleaved("""
        a: f32[9]
        for i in seq(0, 8):
            a[i] = x[i]
        for i in seq(0, 8):
            y[i] = a[i]
            a[i + 1] = x[i] + 1.0
            z[i] = a[i + 1]
        """),
    ),
    Illegal(
        "reuse_buffer",
        "in_a_parallel_loop_whose_last_iteration_stands_apart",
        "x: f32[9], y: f32[9], z: f32[9]",
        """
        a: f32[9]
        b: f32[9]
        for i in par(0, 8):
            a[i] = x[i]
            y[i] = a[i]
            b[i + 1] = x[i] + 1.0
            z[i] = b[i + 1]
            if i == 7:
                z[8] = a[0]
        """,
        lambda p: reuse_buffer(p, "a", "b"),
        "E411",
        "the iterations of parallel loop i would share elements of a",
        interleaved("""
        a: f32[9]
        for i in seq(0, 7):
            a[i] = x[i]
        for i in seq(0, 7):
            y[i] = a[i]
            a[i + 1] = x[i] + 1.0
            z[i] = a[i + 1]
        a[7] = x[7]
        y[7] = a[7]
        a[8] = x[7] + 1.0
        z[7] = a[8]
        z[8] = a[0]
        """),
    ),
]
