"""Legal steps of `divide_with_recompute`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import divide_with_recompute, fuse

HALO = """
for i in seq(0, n + 1):
    t[i] = 2.0 * x[i]
for i in seq(0, n):
    y[i] = t[i] + t[i + 1]
"""


HALO_ARGS = "n: size, x: f32[n + 1], t: f32[n + 1], y: f32[n]"


CASES = [
    Legal(
        "divide_with_recompute", "a_halo_of_one", HALO_ARGS, HALO, lambda p: divide_with_recompute(p, "i", "n", 1, ["io", "ii"])
    ),
    Legal(
        "divide_with_recompute",
        "a_producer_per_tile",
        "n: size, x: f32[4 * n + 2], y: f32[4 * n]",
        """
        t: f32[4 * n + 2]
        for i in seq(0, 4 * n + 2):
            t[i] = 2.0 * x[i]
        for io in seq(0, n):
            for ii in seq(0, 4):
                y[4 * io + ii] = t[4 * io + ii] + t[4 * io + ii + 2]
        """,
        lambda p: fuse(q := divide_with_recompute(p, "i", "n", 4, ["it", "ih"]), q.find_loop("it"), q.find_loop("io")),
        """
        t: f32[4 * n + 2]
        for it in seq(0, n):
            for ih in seq(0, 4 * n + 2 - 4 * (n - 1)):
                t[4 * it + ih] = 2.0 * x[4 * it + ih]
            for ii in seq(0, 4):
                y[4 * it + ii] = t[4 * it + ii] + t[4 * it + ii + 2]
        """,
    ),
    Legal(
        "divide_with_recompute",
        "tiles_that_shift_inwards",
        "n: size, x: f32[n + 2], t: f32[n + 2]",
        """
        assert n >= 4
        for i in seq(0, n + 2):
            t[i] = 2.0 * x[i]
        """,
        lambda p: divide_with_recompute(p, "i", "(n + 3) / 4", 4, ["io", "ii"], base="min(4 * io, n - 4)", extent="6"),
    ),
    Legal(
        "divide_with_recompute",
        "a_recurrence_that_one_repetition_leaves_alone",
        "n: size, x: f32[n + 2]",
        """
        for i in seq(0, n + 1):
            x[i] = x[i + 1]
        """,
        lambda p: divide_with_recompute(p, "i", "n", 1, ["io", "ii"]),
    ),
]
