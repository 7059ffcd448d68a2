"""Legal steps of `shift_loop`."""

from __future__ import annotations

from tests.corpus.callees import SAXPY, SAXPY_ARGS
from tests.corpus.case import Legal
from usl_core.scheduling import shift_loop

CASES = [
    Legal(
        "shift_loop",
        "to_zero",
        "n: size, x: f32[n]",
        """
        for i in seq(1, n):
            x[i] = 1.0
        """,
        lambda p: shift_loop(p, "i", 0),
        """
        for i in seq(0, n - 1):
            x[i + 1] = 1.0
        """,
    ),
    Legal(
        "shift_loop",
        "a_symbolic_start_to_zero",
        "m: size, n: size, x: f32[n]",
        """
        assert m <= n
        for i in seq(m, n):
            x[i] = 1.0
        """,
        lambda p: shift_loop(p, "i", 0),
        """
        for i in seq(0, n - m):
            x[i + m] = 1.0
        """,
    ),
    Legal(
        "shift_loop",
        "to_a_size",
        SAXPY_ARGS,
        SAXPY,
        lambda p: shift_loop(p, "i", "n"),
        """
        for i in seq(n, n + n):
            y[i - n] += a * x[i - n]
        """,
    ),
    Legal(
        "shift_loop",
        "by_the_iterator_around_it",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(i, n):
                x[i, j] = 1.0
        """,
        lambda p: shift_loop(p, "j", 0),
        """
        for i in seq(0, n):
            for j in seq(0, n - i):
                x[i, j + i] = 1.0
        """,
    ),
    Legal(
        "shift_loop",
        "to_and_fro",
        "q: size, x: f32[q + 1]",
        """
        for i in seq(0, q):
            x[i + 1] = f32(i)
        """,
        lambda p: shift_loop(shift_loop(shift_loop(shift_loop(p, "i", 2), "i", 0), "i", "q"), "i", 1),
        """
        for i in seq(1, q + 1):
            x[i] = f32(i - 1)
        """,
    ),
]
