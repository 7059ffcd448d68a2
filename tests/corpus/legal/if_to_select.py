"""Legal steps of `if_to_select`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import if_to_select

CASES = [
    Legal(
        "if_to_select",
        "both_branches",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            if x[i] < 0.0:
                y[i] = -x[i]
            else:
                y[i] = x[i]
        """,
        lambda p: if_to_select(p, "if _: _"),
        """
        for i in seq(0, n):
            y[i] = select(x[i], 0.0, -x[i], x[i])
        """,
    ),
    Legal(
        "if_to_select",
        "a_sum_of_some",
        "n: size, x: i16[n], s: i16",
        """
        for i in seq(0, n):
            if x[i] != 3:
                s += x[i]
        """,
        lambda p: if_to_select(p, "if _: _"),
        """
        for i in seq(0, n):
            s += select(x[i], 3, x[i], select(3, x[i], x[i], 0))
        """,
    ),
    Legal(
        "if_to_select",
        "in_a_parallel_loop",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in par(0, n):
            if x[i] > 0.0 and x[i] < 1.0:
                y[i] = x[i]
        """,
        lambda p: if_to_select(p, "if _: _"),
        """
        for i in par(0, n):
            y[i] = select(0.0, x[i], select(x[i], 1.0, x[i], y[i]), y[i])
        """,
    ),
]
