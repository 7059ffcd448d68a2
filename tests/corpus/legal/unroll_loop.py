"""Legal steps of `unroll_loop`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import unroll_loop

CASES = [
    Legal(
        "unroll_loop",
        "three_copies",
        "x: f32[3]",
        """
        for i in seq(0, 3):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        """
        x[0] = 1.0
        x[1] = 1.0
        x[2] = 1.0
        """,
    ),
    Legal(
        "unroll_loop",
        "one_copy",
        "x: f32[3]",
        """
        for i in seq(2, 3):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "x[2] = 1.0",
    ),
    Legal(
        "unroll_loop",
        "no_copy",
        "x: f32[3]",
        """
        x[0] = 2.0
        for i in seq(0, 0):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "x[0] = 2.0",
    ),
    Legal(
        "unroll_loop",
        "with_allocations_and_inner_loops",
        "x: f32[2, 4]",
        """
        for i in seq(0, 2):
            t: f32
            t = 0.0
            for j in seq(0, 4):
                t += x[i, j]
            x[i, 0] = t
        """,
        lambda p: unroll_loop(p, "i"),
        """
        t: f32
        t = 0.0
        for j in seq(0, 4):
            t += x[0, j]
        x[0, 0] = t
        t_1: f32
        t_1 = 0.0
        for j in seq(0, 4):
            t_1 += x[1, j]
        x[1, 0] = t_1
        """,
    ),
    Legal(
        "unroll_loop",
        "rows_of_a_triangle",
        "x: f32[3, 3]",
        """
        for i in seq(0, 3):
            for j in seq(0, i):
                x[i, j] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        """
        for j in seq(0, 0):
            x[0, j] = 1.0
        for j in seq(0, 1):
            x[1, j] = 1.0
        for j in seq(0, 2):
            x[2, j] = 1.0
        """,
    ),
    Legal(
        "unroll_loop",
        "a_constant_number_of_iterations_after_simplifying",
        "n: size, x: f32[n + 4]",
        """
        for i in seq(n - n, 2 + 0 * n):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        """
        x[0] = 1.0
        x[1] = 1.0
        """,
    ),
]
