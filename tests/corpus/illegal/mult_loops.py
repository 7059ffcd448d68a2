"""Illegal steps of `mult_loops`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Wrong
from usl_core.scheduling import mult_loops

CASES = [
    Illegal(
        "mult_loops",
        "an_inner_extent_that_is_a_size",
        "n: size, m: size, x: f32[n, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 1.0
        """,
        lambda p: mult_loops(p, "i", "k"),
        "E415",
        "is not a constant",
        Malformed(
            """
            for k in seq(0, m * n):
                x[k / m, k % m] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "mult_loops",
        "an_inner_loop_that_starts_at_one",
        "n: size, x: f32[n, 4]",
        """
        for i in seq(0, n):
            for j in seq(1, 4):
                x[i, j] = 1.0
        """,
        lambda p: mult_loops(p, "i", "k"),
        "E412",
        "the inner loop must start at 0, not at 1",
        Wrong("""
        for k in seq(0, 4 * n):
            x[k / 4, k % 4] = 1.0
        """),
    ),
    Illegal(
        "mult_loops",
        "a_statement_beside_the_inner_loop",
        "n: size, x: f32[n, 4], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] += 1.0
            for j in seq(0, 4):
                x[i, j] = 1.0
        """,
        lambda p: mult_loops(p, "i", "k"),
        "E404",
        "is not one loop",
        Wrong("""
        for k in seq(0, 4 * n):
            y[k / 4] += 1.0
            x[k / 4, k % 4] = 1.0
        """),
    ),
    Illegal(
        "mult_loops",
        "a_triangle",
        "x: f32[4, 4]",
        """
        for i in seq(0, 4):
            for j in seq(0, i):
                x[i, j] = 1.0
        """,
        lambda p: mult_loops(p, "i", "k"),
        "E415",
        "is not a constant",
        Wrong("""
        for k in seq(0, 16):
            x[k / 4, k % 4] = 1.0
        """),
    ),
    Illegal(
        "mult_loops",
        "outer_iterations_that_do_not_commute",
        "n: size, x: f32[5, n + 1]",
        """
        for i in seq(0, 4):
            for j in seq(0, n):
                x[i + 1, j] = x[i, j + 1]
        """,
        lambda p: mult_loops(p, "i", "k"),
        "E411",
        "would change places do not commute",
        Wrong("""
        for k in seq(0, 4 * n):
            x[k % 4 + 1, k / 4] = x[k % 4, k / 4 + 1]
        """),
    ),
]
