"""Legal steps of `parallelize_loop`."""

from __future__ import annotations

from tests.corpus.callees import PUT, SAXPY, SAXPY_ARGS
from tests.corpus.case import Legal
from usl_core.scheduling import parallelize_loop

CASES = [
    Legal(
        "parallelize_loop",
        "element_by_element",
        SAXPY_ARGS,
        SAXPY,
        lambda p: parallelize_loop(p, "i"),
        """
        for i in par(0, n):
            y[i] += a * x[i]
        """,
    ),
    Legal(
        "parallelize_loop",
        "a_local_temporary",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
        lambda p: parallelize_loop(p, "i"),
        """
        for i in par(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "parallelize_loop",
        "a_sum",
        "n: size, x: f32[n], a: f32",
        """
        for i in seq(0, n):
            a += x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        """
        for i in par(0, n):
            a += x[i]
        """,
    ),
    Legal(
        "parallelize_loop",
        "a_histogram",
        "n: size, k: u8[n], h: i32[4]",
        """
        for i in seq(0, n):
            h[idx(k[i], 0, 4)] += 1
        """,
        lambda p: parallelize_loop(p, "i"),
    ),
    Legal(
        "parallelize_loop",
        "rows_of_a_stencil",
        "n: size, x: f32[n + 2, n], y: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                y[i, j] = x[i, j] + x[i + 1, j] + x[i + 2, j]
        """,
        lambda p: parallelize_loop(p, "i"),
    ),
    Legal(
        "parallelize_loop",
        "full_tiles_and_one_that_overlaps_last",
        "n: size, x: f32[n], y: f32[n]",
        """
        assert n >= 4
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                y[min(4 * io, n - 4) + ii] = x[min(4 * io, n - 4) + ii]
        """,
        lambda p: parallelize_loop(p, "io"),
    ),
    Legal(
        "parallelize_loop",
        "even_and_odd_places",
        "n: size, x: f32[2 * n]",
        """
        for i in seq(0, n):
            x[2 * i] = x[2 * i + 1]
        """,
        lambda p: parallelize_loop(p, "i"),
    ),
    Legal(
        "parallelize_loop",
        "calls_with_windows_apart",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            put(x[i:i + 1], y[i])
        """,
        lambda p, c: parallelize_loop(p, "i"),
        callees=(PUT,),
    ),
    Legal(
        "parallelize_loop",
        "bits_that_all_have",
        "n: size, x: u16[n], m: u16",
        """
        for i in seq(0, n):
            m &= x[i] << 1
        """,
        lambda p: parallelize_loop(p, "i"),
        """
        for i in par(0, n):
            m &= x[i] << 1
        """,
    ),
    Legal(
        "parallelize_loop",
        "a_least_value",
        "n: size, x: i16[n], m: i16",
        """
        for i in seq(0, n):
            m @= min(x[i])
        """,
        lambda p: parallelize_loop(p, "i"),
        """
        for i in par(0, n):
            m @= min(x[i])
        """,
    ),
]
