"""Legal steps of `simplify`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import simplify

CASES = [
    Legal(
        "simplify",
        "a_loop_that_runs_once",
        "x: f32[4]",
        """
        for i in seq(2, 3):
            x[i] = 1.0
        """,
        simplify,
        "x[2] = 1.0",
    ),
    Legal(
        "simplify",
        "sums_of_indices",
        "n: size, x: f32[3 * n + 5]",
        """
        for i in seq(0, n):
            x[2 * i + 3 + i - 1 + 0] = 1.0
        """,
        simplify,
        """
        for i in seq(0, n):
            x[3 * i + 2] = 1.0
        """,
    ),
    Legal(
        "simplify",
        "quotients_and_remainders_of_tiles",
        "n: size, x: f32[n, 4]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                x[(4 * i + j) / 4, (4 * i + j) % 4] = 1.0
        """,
        simplify,
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                x[i, j] = 1.0
        """,
    ),
    Legal(
        "simplify",
        "a_negative_remainder_stays",
        "k: index, x: f32[4]",
        """
        x[(k - 2) % 4] = 1.0
        """,
        simplify,
    ),
    Legal(
        "simplify",
        "a_minimum_that_the_range_decides",
        "n: size, x: f32[n]",
        """
        for i in seq(0, min(n, n + 3)):
            if i < n and i < 3:
                x[i] = 1.0
        """,
        simplify,
        """
        for i in seq(0, n):
            if i < 3:
                x[i] = 1.0
        """,
    ),
    Legal(
        "simplify",
        "nothing_that_rounds",
        "x: f32, y: f32",
        """
        x = y * 0.1 + y * 0.2 + (1.0 + 2.0)
        """,
        simplify,
        "x = y * 0.1 + y * 0.2 + (1.0 + 2.0)",
    ),
    Legal(
        "simplify",
        "integers_that_wrap",
        "x: u8",
        """
        x = x + (200 + 100)
        """,
        simplify,
        "x = x + 44",
    ),
    Legal(
        "simplify",
        "a_loop_with_nothing_to_do",
        "n: size, x: f32[n]",
        """
        for io in seq(0, (n + 7) / 8):
            for ii in seq(0, min(8, n - 8 * io)):
                x[8 * io + ii] = 1.0
            for ii in seq(min(8, n - 8 * io), 8):
                pass
        """,
        simplify,
        """
        for io in seq(0, (n + 7) / 8):
            for ii in seq(0, min(8, n - 8 * io)):
                x[8 * io + ii] = 1.0
        """,
    ),
    Legal(
        "simplify",
        "branches_with_nothing_to_do",
        "n: size, m: size, x: f32[n]",
        """
        if n > 8 and m > 4:
            for i in seq(0, n):
                pass
        else:
            x[0] = 1.0
        if n > 9:
            x[0] = 2.0
        else:
            if m > 3:
                pass
        """,
        simplify,
        """
        if n <= 8 or m <= 4:
            x[0] = 1.0
        if n > 9:
            x[0] = 2.0
        """,
    ),
    Legal(
        "simplify",
        "a_condition_on_data_is_looked_at",
        "n: size, x: f32[n]",
        """
        if x[0] < 1.0:
            pass
        """,
        simplify,
        """
        if x[0] < 1.0:
            pass
        """,
    ),
    Legal(
        "simplify",
        "what_is_divided_where_the_quotient_stays",
        "n: size, x: f32[4 * n + 4]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                x[(4 * i + 4 * i + 2 * j + 3) / 3] = 1.0
        """,
        simplify,
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                x[(8 * i + 2 * j + 3) / 3] = 1.0
        """,
    ),
]
