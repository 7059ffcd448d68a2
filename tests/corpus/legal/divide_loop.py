"""Legal steps of `divide_loop`."""

from __future__ import annotations

from tests.corpus.callees import SAXPY, SAXPY_ARGS, TILE
from tests.corpus.case import Legal
from usl_core.scheduling import divide_loop, specialize

CASES = [
    Legal(
        "divide_loop",
        "guarded_tail",
        SAXPY_ARGS,
        SAXPY,
        lambda p: divide_loop(p, "i", 4, TILE),
        """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                if 4 * io + ii < n:
                    y[4 * io + ii] += a * x[4 * io + ii]
        """,
    ),
    Legal(
        "divide_loop",
        "cut_tail",
        SAXPY_ARGS,
        SAXPY,
        lambda p: divide_loop(p, "i", 4, TILE, tail="cut"),
        """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                y[4 * io + ii] += a * x[4 * io + ii]
        for ii in seq(0, n % 4):
            y[ii + n / 4 * 4] += a * x[ii + n / 4 * 4]
        """,
    ),
    Legal(
        "divide_loop",
        "cut_and_guarded_tail",
        SAXPY_ARGS,
        SAXPY,
        lambda p: divide_loop(p, "i", 4, TILE, tail="cut_and_guard"),
        """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                y[4 * io + ii] += a * x[4 * io + ii]
        if n % 4 > 0:
            for ii in seq(0, n % 4):
                y[ii + n / 4 * 4] += a * x[ii + n / 4 * 4]
        """,
    ),
    Legal(
        "divide_loop",
        "perfect_by_an_assertion",
        SAXPY_ARGS,
        "assert n % 4 == 0\n" + SAXPY.strip(),
        lambda p: divide_loop(p, "i", 4, TILE, perfect=True),
        """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                y[4 * io + ii] += a * x[4 * io + ii]
        """,
    ),
    Legal(
        "divide_loop",
        "perfect_by_the_form_of_the_size",
        "n: size, x: f32[8 * n]",
        """
        for i in seq(0, 8 * n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, TILE, perfect=True),
        """
        for io in seq(0, 8 * n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """,
    ),
    Legal(
        "divide_loop",
        "perfect_by_a_sum_of_multiples",
        "n: size, m: size, x: f32[n + m]",
        """
        assert n % 4 == 1
        assert m % 4 == 3
        for i in seq(0, n + m):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, TILE, perfect=True),
    ),
    Legal(
        "divide_loop",
        "by_one",
        SAXPY_ARGS,
        SAXPY,
        lambda p: divide_loop(p, "i", 1, TILE, perfect=True),
        """
        for io in seq(0, n):
            for ii in seq(0, 1):
                y[io + ii] += a * x[io + ii]
        """,
    ),
    Legal(
        "divide_loop",
        "a_constant_that_leaves_a_rest",
        "x: f32[10]",
        """
        for i in seq(0, 10):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="cut"),
        """
        for io in seq(0, 2):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        for ii in seq(0, 2):
            x[ii + 8] = 1.0
        """,
    ),
    Legal(
        "divide_loop",
        "a_row_of_a_triangle",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, i + 1):
                x[i, j] = 1.0
        """,
        lambda p: divide_loop(p, "j", 4, ["jo", "ji"], tail="cut"),
        """
        for i in seq(0, n):
            for jo in seq(0, (i + 1) / 4):
                for ji in seq(0, 4):
                    x[i, 4 * jo + ji] = 1.0
            for ji in seq(0, (i + 1) % 4):
                x[i, ji + (i + 1) / 4 * 4] = 1.0
        """,
    ),
    Legal(
        "divide_loop",
        "shift_inwards_of_writes",
        "n: size, x: f32[n], y: f32[n]",
        """
        assert n >= 4
        for i in seq(0, n):
            y[i] = 2.0 * x[i]
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="shift_inwards"),
        """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                y[min(4 * io, n - 4) + ii] = 2.0 * x[min(4 * io, n - 4) + ii]
        """,
    ),
    Legal(
        "divide_loop",
        "shift_inwards_of_a_stencil",
        "n: size, x: f32[n + 2], y: f32[n]",
        """
        assert n >= 4
        for i in seq(0, n):
            y[i] = x[i] + x[i + 1] + x[i + 2]
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="shift_inwards"),
    ),
    Legal(
        "divide_loop",
        "shift_inwards_with_a_sum_in_a_local_scalar",
        "n: size, m: size, x: f32[n, m], y: f32[n]",
        """
        assert n >= 4
        for i in seq(0, n):
            t: f32
            t = 0.0
            for j in seq(0, m):
                t += x[i, j]
            y[i] = t
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="shift_inwards"),
    ),
    Legal(
        "divide_loop",
        "shift_inwards_of_a_parallel_loop",
        "n: size, x: f32[n], y: f32[n]",
        """
        assert n >= 4
        for i in par(0, n):
            y[i] = 2.0 * x[i]
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="shift_inwards"),
    ),
    Legal(
        "divide_loop",
        "round_up_into_a_padded_local_buffer",
        "n: size, x: f32[4 * ((n + 3) / 4)], y: f32[n]",
        """
        t: f32[4 * ((n + 3) / 4)]
        for i in seq(0, n):
            t[i] = 2.0 * x[i]
        for j in seq(0, n):
            y[j] = t[j]
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="round_up"),
    ),
    Legal(
        "divide_loop",
        "a_histogram",
        "n: size, k: u8[n], h: i32[256]",
        """
        for i in seq(0, n):
            h[idx(k[i], 0, 256)] += 1
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="cut"),
        """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                h[idx(k[4 * io + ii], 0, 256)] += 1
        for ii in seq(0, n % 4):
            h[idx(k[ii + n / 4 * 4], 0, 256)] += 1
        """,
    ),
    Legal(
        "divide_loop",
        "a_recurrence_keeps_its_order",
        "n: size, x: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i + 1] = 0.5 * x[i]
        """,
        lambda p: divide_loop(p, "i", 4, TILE),
    ),
    Legal(
        "divide_loop",
        "tiles_as_long_as_there_is_something_left",
        SAXPY_ARGS,
        SAXPY,
        lambda p: divide_loop(p, "i", 4, TILE, tail="bound"),
        """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, min(4, n - 4 * io)):
                y[4 * io + ii] += a * x[4 * io + ii]
        """,
    ),
    Legal(
        "divide_loop",
        "bounded_tiles_of_a_loop_that_may_not_run",
        "n: size, m: size, x: f32[n + m]",
        """
        for i in seq(0, n / 2):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 3, ["io", "ii"], tail="bound"),
        """
        for io in seq(0, (n / 2 + 2) / 3):
            for ii in seq(0, min(3, n / 2 - 3 * io)):
                x[3 * io + ii] = 1.0
        """,
    ),
    Legal(
        "divide_loop",
        "round_up_where_indices_are_filled_to_the_end",
        "n: size, q: i32[n], x: f32[n], y: f32[n]",
        """
        k: i32[4 * ((n + 3) / 4)]
        t: f32[4 * ((n + 3) / 4)]
        for j in seq(0, 4 * ((n + 3) / 4)):
            k[j] = 0
        for j in seq(0, n):
            k[j] = q[j]
        for i in seq(0, n):
            t[i] = x[idx(k[i], 0, n)]
        for i in seq(0, n):
            y[i] = t[i]
        """,
        lambda p: divide_loop(p, "i", 4, ["io", "ii"], tail="round_up"),
    ),
    Legal(
        "divide_loop",
        "round_up_where_conditions_are_filled_to_the_end",
        "n: size, q: i32[n], x: f32[n], y: f32[n]",
        """
        k: i32[4 * ((n + 3) / 4)]
        t: f32[4 * ((n + 3) / 4)]
        w: f32[4 * ((n + 3) / 4)]
        for j in seq(0, 4 * ((n + 3) / 4)):
            k[j] = 0
        for j in seq(0, n):
            k[j] = q[j]
        for j in seq(0, n):
            w[j] = x[j]
        for i in seq(0, n):
            t[i] = w[i]
            if k[i] > 2:
                t[i] = 2.0
        for i in seq(0, n):
            y[i] = t[i]
        """,
        lambda p: divide_loop(p, "i", 4, ["io", "ii"], tail="round_up"),
    ),
    Legal(
        "divide_loop",
        "by_a_size_that_an_assertion_fixes",
        "n: size, q: size, x: f32[n]",
        """
        assert q == 4
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", "q", ["io", "ii"], tail="cut"),
        """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        for ii in seq(0, n % 4):
            x[ii + n / 4 * 4] = 1.0
        """,
    ),
    Legal(
        "divide_loop",
        "by_a_size_in_each_case",
        "n: size, q: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(specialize(p, "i", "q == 4"), "i", "2 * q", ["io", "ii"]),
        """
        if q == 4:
            for io in seq(0, (n + 7) / 8):
                for ii in seq(0, 8):
                    if 8 * io + ii < n:
                        x[8 * io + ii] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
]
