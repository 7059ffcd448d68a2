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
    Legal(
        "unroll_loop",
        "a_number_of_iterations_beside_a_symbolic_start",
        "n: size, x: f32[n + 4]",
        """
        for i in seq(n, n + 3):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        """
        x[n] = 1.0
        x[n + 1] = 1.0
        x[n + 2] = 1.0
        """,
    ),
    Legal(
        "unroll_loop",
        "a_size_that_a_branch_fixes",
        "n: size, x: f32[n]",
        """
        if n == 2:
            for i in seq(0, n):
                x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        """
        if n == 2:
            x[0] = 1.0
            x[1] = 1.0
        """,
        factor=2,
    ),
    Legal(
        "unroll_loop",
        "a_number_of_tiles_that_an_assertion_fixes",
        "n: size, x: f32[n + 16]",
        """
        assert (n + 15) / 16 == 2
        for i in seq(0, (n + 15) / 16):
            x[16 * i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        """
        x[16 * 0] = 1.0
        x[16 * 1] = 1.0
        """,
        factor=16,
    ),
    Legal(
        "unroll_loop",
        "an_end_between_bounds_that_meet",
        "n: size, m: size, x: f32[n]",
        """
        assert m + 2 <= n
        if n <= 3:
            for i in seq(0, n):
                x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        """
        if n <= 3:
            x[0] = 1.0
            x[1] = 1.0
            x[2] = 1.0
        """,
    ),
    Legal(
        "unroll_loop",
        "a_row_of_a_triangle_in_one_iteration",
        "x: f32[4, 4]",
        """
        for i in seq(0, 4):
            if i == 2:
                for j in seq(0, i):
                    x[i, j] = 1.0
        """,
        lambda p: unroll_loop(p, "j"),
        """
        for i in seq(0, 4):
            if i == 2:
                x[i, 0] = 1.0
                x[i, 1] = 1.0
        """,
    ),
]
