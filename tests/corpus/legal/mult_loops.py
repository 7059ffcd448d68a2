"""Legal steps of `mult_loops`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import mult_loops

CASES = [
    Legal(
        "mult_loops",
        "rows_of_four",
        "n: size, x: f32[n, 4]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                x[i, j] = 1.0
        """,
        lambda p: mult_loops(p, "i", "k"),
        """
        for k in seq(0, 4 * n):
            x[k / 4, k % 4] = 1.0
        """,
    ),
    Legal(
        "mult_loops",
        "from_a_start",
        "n: size, x: f32[n + 2, 3]",
        """
        for i in seq(2, n + 2):
            for j in seq(0, 3):
                x[i, j] = 1.0
        """,
        lambda p: mult_loops(p, "i", "k"),
        """
        for k in seq(6, 3 * (n + 2)):
            x[k / 3, k % 3] = 1.0
        """,
    ),
    Legal(
        "mult_loops",
        "an_order_that_matters",
        "n: size, x: f32[n, 4], a: f32",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                a = x[i, j]
        """,
        lambda p: mult_loops(p, "i", "k"),
    ),
    Legal(
        "mult_loops",
        "a_constant_number_of_outer_iterations",
        "n: size, x: f32[4, n], y: f32[n]",
        """
        for i in seq(0, 4):
            for j in seq(0, n):
                x[i, j] = y[j]
        """,
        lambda p: mult_loops(p, "i", "k"),
        """
        for k in seq(0, 4 * n):
            x[k % 4, k / 4] = y[k / 4]
        """,
    ),
    Legal(
        "mult_loops",
        "a_constant_number_of_outer_iterations_of_a_loop_that_starts_late",
        "n: size, x: f32[3, n + 2]",
        """
        for i in seq(0, 3):
            for j in seq(2, n + 2):
                x[i, j] += 1.0
        """,
        lambda p: mult_loops(p, "i", "k"),
    ),
    Legal(
        "mult_loops",
        "an_inner_extent_that_an_assertion_tells",
        "n: size, m: size, x: f32[n, m]",
        """
        assert m == 4
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 1.0
        """,
        lambda p: mult_loops(p, "i", "k"),
    ),
]
