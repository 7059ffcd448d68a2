"""Legal steps of `cut_loop`."""

from __future__ import annotations

from tests.corpus.callees import SAXPY, SAXPY_ARGS
from tests.corpus.case import Legal
from usl_core.scheduling import cut_loop

CASES = [
    Legal(
        "cut_loop",
        "at_one",
        SAXPY_ARGS,
        SAXPY,
        lambda p: cut_loop(p, "i", 1),
        """
        for i in seq(0, 1):
            y[i] += a * x[i]
        for i in seq(1, n):
            y[i] += a * x[i]
        """,
    ),
    Legal(
        "cut_loop",
        "in_the_middle",
        SAXPY_ARGS,
        SAXPY,
        lambda p: cut_loop(p, "i", "n / 2"),
        """
        for i in seq(0, n / 2):
            y[i] += a * x[i]
        for i in seq(n / 2, n):
            y[i] += a * x[i]
        """,
    ),
    Legal(
        "cut_loop",
        "at_a_clamped_constant",
        SAXPY_ARGS,
        SAXPY,
        lambda p: cut_loop(p, "i", "min(4, n)"),
        """
        for i in seq(0, min(4, n)):
            y[i] += a * x[i]
        for i in seq(min(4, n), n):
            y[i] += a * x[i]
        """,
    ),
    Legal(
        "cut_loop",
        "before_the_last",
        SAXPY_ARGS,
        SAXPY,
        lambda p: cut_loop(p, "i", "n - 1"),
        """
        for i in seq(0, n - 1):
            y[i] += a * x[i]
        for i in seq(n - 1, n):
            y[i] += a * x[i]
        """,
    ),
    Legal(
        "cut_loop",
        "at_the_end",
        SAXPY_ARGS,
        SAXPY,
        lambda p: cut_loop(p, "i", "n"),
        """
        for i in seq(0, n):
            y[i] += a * x[i]
        for i in seq(n, n):
            y[i] += a * x[i]
        """,
    ),
    Legal(
        "cut_loop",
        "at_full_tiles",
        SAXPY_ARGS,
        SAXPY,
        lambda p: cut_loop(p, "i", "n / 4 * 4"),
        """
        for i in seq(0, n / 4 * 4):
            y[i] += a * x[i]
        for i in seq(n / 4 * 4, n):
            y[i] += a * x[i]
        """,
    ),
    Legal(
        "cut_loop",
        "at_a_negative_quotient_that_rounds_down_to_zero",
        "m: size, n: size, x: f32[n]",
        """
        assert m <= n
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: cut_loop(p, "i", "(m - 5) / 4 + 1"),
    ),
    Legal(
        "cut_loop",
        "a_triangle_at_the_diagonal_block",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, i + 1):
                x[i, j] = 1.0
        """,
        lambda p: cut_loop(p, "j", "i / 4 * 4"),
    ),
]
