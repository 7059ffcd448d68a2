"""Legal steps of `join_loops`."""

from __future__ import annotations

from tests.corpus.callees import SAXPY, SAXPY_ARGS
from tests.corpus.case import Legal
from usl_core.scheduling import cut_loop, join_loops

CASES = [
    Legal(
        "join_loops",
        "two_halves",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n / 2):
            x[i] += 1.0
        for j in seq(n / 2, n):
            x[j] += 1.0
        """,
        lambda p: join_loops(p, "i", "j"),
        """
        for i in seq(0, n):
            x[i] += 1.0
        """,
    ),
    Legal(
        "join_loops",
        "what_cut_loop_made",
        SAXPY_ARGS,
        SAXPY,
        lambda p: join_loops(cut_loop(p, "i", "n - 1"), "i", "i #1"),
        """
        for i in seq(0, n):
            y[i] += a * x[i]
        """,
    ),
    Legal(
        "join_loops",
        "limits_that_are_equal_in_another_form",
        "n: size, x: f32[2 * n + 2]",
        """
        for i in seq(0, 2 * (n + 1) / 2):
            x[i] = 1.0
        for i in seq(n + 1, 2 * n + 2):
            x[i] = 1.0
        """,
        lambda p: join_loops(p, "i", "i #1"),
    ),
    Legal(
        "join_loops",
        "with_inner_names_that_differ",
        "n: size, m: size, x: f32[n, n]",
        """
        assert m <= n
        for i in seq(0, m):
            for j in seq(0, n):
                x[i, j] = 1.0
        for k in seq(m, n):
            for l in seq(0, n):
                x[k, l] = 1.0
        """,
        lambda p: join_loops(p, "i", "k"),
        """
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = 1.0
        """,
    ),
]
