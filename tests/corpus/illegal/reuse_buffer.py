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
        "E413",
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
]
