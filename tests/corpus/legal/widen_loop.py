"""Legal steps of `widen_loop`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import divide_loop, widen_loop

STAGED = """
t: f32[4 * ((n + 3) / 4) + 4]
for i in seq(0, n):
    t[i] = x[min(i, n - 1)]
for i in seq(0, n):
    y[i] = t[i]
"""

CASES = [
    Legal(
        "widen_loop",
        "to_full_tiles",
        "n: size, x: f32[n], y: f32[n]",
        STAGED,
        lambda p: divide_loop(widen_loop(p, "i", "4 * ((n + 3) / 4)"), "i", 4, ["io", "ii"], perfect=True),
        """
        t: f32[4 * ((n + 3) / 4) + 4]
        for io in seq(0, 4 * ((n + 3) / 4) / 4):
            for ii in seq(0, 4):
                t[4 * io + ii] = x[min(4 * io + ii, n - 1)]
        for i in seq(0, n):
            y[i] = t[i]
        """,
    ),
    Legal(
        "widen_loop",
        "by_a_few",
        "n: size, x: f32[n], y: f32[n]",
        STAGED,
        lambda p: widen_loop(p, "i", "n + 4"),
        """
        t: f32[4 * ((n + 3) / 4) + 4]
        for i in seq(0, n + 4):
            t[i] = x[min(i, n - 1)]
        for i in seq(0, n):
            y[i] = t[i]
        """,
    ),
    Legal(
        "widen_loop",
        "a_loop_that_starts_late_and_runs_again",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        t: f32[n + 2]
        for r in seq(0, n):
            t[0] = 1.0
            for i in seq(1, n + 1):
                t[i] = x[i] + t[0]
            y[r] = t[r + 1]
        """,
        lambda p: widen_loop(p, "i", "n + 1"),
    ),
    Legal(
        "widen_loop",
        "a_producer_of_rounded_tiles",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        g: f32[(n + 3) / 4 * 4 + 1]
        for i in seq(0, n + 1):
            g[i] = x[min(i, n)]
        f: f32[(n + 3) / 4 * 4]
        for j in seq(0, n):
            f[j] = g[j] + g[j + 1]
        for j in seq(0, n):
            y[j] = f[j]
        """,
        lambda p: divide_loop(widen_loop(p, "i", "(n + 3) / 4 * 4 + 1"), "j", 4, ["jo", "ji"], tail="round_up"),
        """
        g: f32[(n + 3) / 4 * 4 + 1]
        for i in seq(0, (n + 3) / 4 * 4 + 1):
            g[i] = x[min(i, n)]
        f: f32[(n + 3) / 4 * 4]
        for jo in seq(0, (n + 3) / 4):
            for ji in seq(0, 4):
                f[4 * jo + ji] = g[4 * jo + ji] + g[4 * jo + ji + 1]
        for j in seq(0, n):
            y[j] = f[j]
        """,
    ),
]
