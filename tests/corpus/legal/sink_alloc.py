"""Legal steps of `sink_alloc`."""

from __future__ import annotations

from tests.corpus.callees import COPY4
from tests.corpus.case import Legal
from usl_core.scheduling import sink_alloc

CASES = [
    Legal(
        "sink_alloc",
        "into_the_loop_that_uses_it",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            t = x[i]
            y[i] = t * t
        """,
        lambda p: sink_alloc(p, "t"),
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "sink_alloc",
        "into_a_parallel_loop",
        "n: size, x: f32[n, 4], y: f32[n]",
        """
        t: f32[4]
        for i in par(0, n):
            for j in seq(0, 4):
                t[j] = x[i, j]
            for j in seq(0, 4):
                y[i] += t[3 - j]
        """,
        lambda p: sink_alloc(p, "t"),
    ),
    Legal(
        "sink_alloc",
        "into_the_branch_that_uses_it",
        "n: size, x: f32, y: f32",
        """
        t: f32
        if n < 3:
            t = x
            y = t
        else:
            y = 0.0
        """,
        lambda p: sink_alloc(p, "t"),
        """
        if n < 3:
            t: f32
            t = x
            y = t
        else:
            y = 0.0
        """,
    ),
    Legal(
        "sink_alloc",
        "into_an_else",
        "n: size, x: f32, y: f32",
        """
        t: f32
        if n < 3:
            y = 0.0
        else:
            t = x
            y = t
        """,
        lambda p: sink_alloc(p, "t"),
        """
        if n < 3:
            y = 0.0
        else:
            t: f32
            t = x
            y = t
        """,
    ),
    Legal(
        "sink_alloc",
        "into_both_branches",
        "n: size, x: f32[n]",
        """
        t: f32[4]
        if n < 3:
            t[0] = 1.0
            x[0] = t[0]
        else:
            w = t[0:2]
            w[1] = 2.0
            x[0] = t[1]
        """,
        lambda p: sink_alloc(p, "t"),
        """
        if n < 3:
            t: f32[4]
            t[0] = 1.0
            x[0] = t[0]
        else:
            t: f32[4]
            w = t[0:2]
            w[1] = 2.0
            x[0] = t[1]
        """,
    ),
    Legal(
        "sink_alloc",
        "into_both_branches_on_data",
        "n: size, c: f32, x: f32[4], y: f32[4]",
        """
        t: f32[4]
        if c < 3.0:
            copy4(t, x)
            copy4(y, t)
        else:
            t[2] = 1.0
            y[2] = t[2]
        """,
        lambda p, c: sink_alloc(p, "t"),
        callees=(COPY4,),
    ),
    Legal(
        "sink_alloc",
        "places_that_are_read_and_never_written",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[2]
        for i in seq(0, n):
            t[0] = x[i]
            y[i] = select(x[i], 1.0, t[0], t[1])
        """,
        lambda p: sink_alloc(p, "t"),
        """
        for i in seq(0, n):
            t: f32[2]
            t[0] = x[i]
            y[i] = select(x[i], 1.0, t[0], t[1])
        """,
    ),
    Legal(
        "sink_alloc",
        "places_that_only_later_iterations_write",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n + 1]
        for i in seq(0, n):
            t[i] = x[i]
            y[i] = select(x[i], 1.0, t[i], t[i + 1])
        """,
        lambda p: sink_alloc(p, "t"),
    ),
    Legal(
        "sink_alloc",
        "tiles_of_which_the_last_reads_places_that_none_wrote",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        g: f32[(n + 3) / 4 * 4 + 1]
        f: f32[(n + 3) / 4 * 4]
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, min(5, n + 1 - 4 * io)):
                g[4 * io + ii] = x[4 * io + ii]
            for ii in seq(0, 4):
                f[4 * io + ii] = g[4 * io + ii] + g[4 * io + ii + 1]
        for i in seq(0, n):
            y[i] = f[i]
        """,
        lambda p: sink_alloc(p, "g"),
    ),
]
