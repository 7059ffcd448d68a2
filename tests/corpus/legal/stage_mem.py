"""Legal steps of `stage_mem`."""

from __future__ import annotations

from tests.corpus.callees import COPY4
from tests.corpus.case import Legal
from usl_core.scheduling import stage_mem

CASES = [
    Legal(
        "stage_mem",
        "a_tile_that_is_read",
        "n: size, x: f32[4 * n], y: f32[4 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                y[4 * i + j] = 2.0 * x[4 * i + j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "x[4 * i:4 * i + 4]", "t"),
        """
        for i in seq(0, n):
            t: f32[4]
            for i0 in seq(0, 4):
                t[i0] = x[4 * i + i0]
            for j in seq(0, 4):
                y[4 * i + j] = 2.0 * t[j]
        """,
    ),
    Legal(
        "stage_mem",
        "a_tile_that_is_overwritten",
        "n: size, x: f32[4 * n], y: f32[4 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                y[4 * i + j] = 2.0 * x[4 * i + j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "y[4 * i:4 * i + 4]", "t"),
        """
        for i in seq(0, n):
            t: f32[4]
            for j in seq(0, 4):
                t[j] = 2.0 * x[4 * i + j]
            for i0 in seq(0, 4):
                y[4 * i + i0] = t[i0]
        """,
    ),
    Legal(
        "stage_mem",
        "a_tile_that_is_written_in_part",
        "x: f32[4]",
        """
        for j in seq(0, 3):
            x[j] = 1.0
        """,
        # What is not written must be there when it is copied out.
        lambda p: stage_mem(p, p.find_loop("j"), "x[0:4]", "t"),
        """
        t: f32[4]
        for i0 in seq(0, 4):
            t[i0] = x[i0]
        for j in seq(0, 3):
            t[j] = 1.0
        for i0 in seq(0, 4):
            x[i0] = t[i0]
        """,
    ),
    Legal(
        "stage_mem",
        "a_tile_that_is_written_if_data_says_so",
        "c: f32[4], x: f32[4]",
        """
        for j in seq(0, 4):
            if c[j] < 0.0:
                x[j] = 1.0
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "x[0:4]", "t"),
        """
        t: f32[4]
        for i0 in seq(0, 4):
            t[i0] = x[i0]
        for j in seq(0, 4):
            if c[j] < 0.0:
                t[j] = 1.0
        for i0 in seq(0, 4):
            x[i0] = t[i0]
        """,
    ),
    Legal(
        "stage_mem",
        "a_tile_that_is_scattered_into",
        "k: i32[4], x: f32[4]",
        """
        for j in seq(0, 4):
            x[idx(k[j], 0, 4)] = 1.0
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "x[0:4]", "t"),
        """
        t: f32[4]
        for i0 in seq(0, 4):
            t[i0] = x[i0]
        for j in seq(0, 4):
            t[idx(k[j], 0, 4)] = 1.0
        for i0 in seq(0, 4):
            x[i0] = t[i0]
        """,
    ),
    Legal(
        "stage_mem",
        "an_accumulator",
        "n: size, x: f32[n], y: f32[1]",
        """
        for i in seq(0, n):
            y[0] += x[i]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "y[0]", "t", accum=True),
        """
        t: f32
        t = 0.0
        for i in seq(0, n):
            t += x[i]
        y[0] += t
        """,
    ),
    Legal(
        "stage_mem",
        "an_accumulator_that_starts_with_what_is_there",
        "n: size, x: f32[n], y: f32[1]",
        """
        for i in seq(0, n):
            y[0] += x[i]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "y[0]", "t"),
        """
        t: f32
        t = y[0]
        for i in seq(0, n):
            t += x[i]
        y[0] = t
        """,
    ),
    Legal(
        "stage_mem",
        "a_wrapping_accumulator",
        "n: size, x: u8[n], y: u8[2]",
        """
        for i in seq(0, n):
            y[1] += x[i]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "y[1]", "t", accum=True),
    ),
    Legal(
        "stage_mem",
        "a_halo",
        "n: size, x: f32[4 * n + 2], y: f32[4 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                y[4 * i + j] = x[4 * i + j] + x[4 * i + j + 1] + x[4 * i + j + 2]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "x[4 * i:4 * i + 6]", "t"),
        """
        for i in seq(0, n):
            t: f32[6]
            for i0 in seq(0, 6):
                t[i0] = x[4 * i + i0]
            for j in seq(0, 4):
                y[4 * i + j] = t[j] + t[j + 1] + t[j + 2]
        """,
    ),
    Legal(
        "stage_mem",
        "a_tile_that_reaches_over_the_end",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, (n + 3) / 4):
            for j in seq(0, 4):
                if 4 * i + j < n:
                    y[4 * i + j] = x[4 * i + j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "x[4 * i:4 * i + 4]", "t"),
        """
        for i in seq(0, (n + 3) / 4):
            t: f32[4]
            for i0 in seq(0, 4):
                if 4 * i + i0 < n:
                    t[i0] = x[4 * i + i0]
            for j in seq(0, 4):
                if 4 * i + j < n:
                    y[4 * i + j] = t[j]
        """,
    ),
    Legal(
        "stage_mem",
        "a_tile_that_reaches_over_the_end_and_is_written",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, (n + 3) / 4):
            for j in seq(0, 4):
                if 4 * i + j < n:
                    y[4 * i + j] = x[4 * i + j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "y[4 * i:4 * i + 4]", "t"),
    ),
    Legal(
        "stage_mem",
        "a_column",
        "n: size, x: f32[n, n], y: f32[n]",
        """
        for j in seq(0, n):
            for i in seq(0, n):
                y[i] += x[i, j]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "x[0:n, j]", "t"),
        """
        for j in seq(0, n):
            t: f32[n]
            for i0 in seq(0, n):
                t[i0] = x[i0, j]
            for i in seq(0, n):
                y[i] += t[i]
        """,
    ),
    Legal(
        "stage_mem",
        "a_gather_table",
        "n: size, k: u8[n], x: f32[16], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[idx(k[i], 0, 16)]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "x[0:16]", "t"),
        """
        t: f32[16]
        for i0 in seq(0, 16):
            t[i0] = x[i0]
        for i in seq(0, n):
            y[i] = t[idx(k[i], 0, 16)]
        """,
    ),
    Legal(
        "stage_mem",
        "an_argument_of_a_call",
        "x: f32[8], y: f32[8]",
        "copy4(y[2:6], x[0:4])",
        lambda p, c: stage_mem(p, p.body()[0], "y[2:6]", "t"),
        """
        t: f32[4]
        copy4(t[0:4], x[0:4])
        for i0 in seq(0, 4):
            y[2 + i0] = t[i0]
        """,
        callees=(COPY4,),
    ),
    Legal(
        "stage_mem",
        "through_a_window",
        "n: size, x: f32[n, 8], y: f32[n]",
        """
        for i in seq(0, n):
            w = x[i, 2:6]
            for j in seq(0, 4):
                y[i] += w[j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "w[0:4]", "t"),
    ),
    Legal(
        "stage_mem",
        "in_a_parallel_loop",
        "n: size, x: f32[n, 4], y: f32[n]",
        """
        for i in par(0, n):
            for j in seq(0, 4):
                y[i] += x[i, j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "y[i]", "t", accum=True),
        """
        for i in par(0, n):
            t: f32
            t = 0.0
            for j in seq(0, 4):
                t += x[i, j]
            y[i] += t
        """,
    ),
    Legal(
        "stage_mem",
        "a_row_of_a_triangle",
        "n: size, x: f32[n, n], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, i + 1):
                y[i] += x[i, j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "x[i, 0:i + 1]", "t"),
    ),
    Legal(
        "stage_mem",
        "indices_that_are_negative_before_they_are_shifted",
        "n: size, x: f32[n + 2], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[(i - 3) / 2 + 2]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "x[0:n + 1]", "t"),
    ),
    Legal(
        "stage_mem",
        "accesses_beside_the_window_stay",
        "n: size, x: f32[n + 8], y: f32[n]",
        """
        for i in seq(0, 4):
            x[i] = x[i + 4] + 1.0
            x[i + 4] = 2.0
        """,
        lambda p: stage_mem(p, "for i in _: _", "x[0:4]", "t"),
        """
        t: f32[4]
        for i in seq(0, 4):
            t[i] = x[i + 4] + 1.0
            x[i + 4] = 2.0
        for i0 in seq(0, 4):
            x[i0] = t[i0]
        """,
    ),
    Legal(
        "stage_mem",
        "a_row_beside_others_and_a_window_of_another_row",
        "n: size, x: f32[n + 2, 8], y: f32[8]",
        """
        w = x[n, 0:8]
        for i in seq(0, n):
            for j in seq(0, 8):
                x[i, j] += x[i + 1, j] * w[j]
        """,
        lambda p: stage_mem(p, "for j in _: _", "x[i, 0:8]", "t", accum=True),
        """
        w = x[n, 0:8]
        for i in seq(0, n):
            t: f32[8]
            for i0 in seq(0, 8):
                t[i0] = 0.0
            for j in seq(0, 8):
                t[j] += x[i + 1, j] * w[j]
            for i0 in seq(0, 8):
                x[i, i0] += t[i0]
        """,
    ),
    Legal(
        "stage_mem",
        "calls_with_windows_on_both_sides",
        "n: size, x: f32[8]",
        """
        copy4(x[0:4], x[4:8])
        """,
        lambda p, c: stage_mem(p, "copy4(_)", "x[4:8]", "t"),
        callees=(COPY4,),
    ),
    Legal(
        "stage_mem",
        "a_partial_product",
        "n: size, x: f32[n], y: f32[1]",
        """
        for i in seq(0, n):
            y[0] *= x[i]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "y[0]", "t", accum=True),
        """
        t: f32
        t = 1.0
        for i in seq(0, n):
            t *= x[i]
        y[0] *= t
        """,
    ),
    *(
        Legal(
            "stage_mem",
            f"partial_bits_by_{name}",
            "n: size, x: i8[n], y: i8[1]",
            f"""
            for i in seq(0, n):
                y[0] {op}= x[i]
            """,
            lambda p: stage_mem(p, p.find_loop("i"), "y[0]", "t", accum=True),
            f"""
            t: i8
            t = {start}
            for i in seq(0, n):
                t {op}= x[i]
            y[0] {op}= t
            """,
        )
        for name, op, start in (("and", "&", -1), ("or", "|", 0), ("exclusive_or", "^", 0))
    ),
    Legal(
        "stage_mem",
        "a_partial_greatest_value_of_integers",
        "n: size, x: i8[n], y: i8[1]",
        """
        for i in seq(0, n):
            y[0] @= max(x[i])
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "y[0]", "t", accum=True),
        """
        t: i8
        t = -128
        for i in seq(0, n):
            t @= max(x[i])
        y[0] @= max(t)
        """,
    ),
    Legal(
        "stage_mem",
        "a_partial_greatest_value_starts_at_what_is_there",
        "n: size, x: f32[n], y: f32[1]",
        """
        for i in seq(0, n):
            y[0] @= max(x[i])
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "y[0]", "t", accum=True),
        """
        t: f32
        t = y[0]
        for i in seq(0, n):
            t @= max(x[i])
        y[0] @= max(t)
        """,
    ),
    Legal(
        "stage_mem",
        "a_partial_least_value_starts_at_what_was_there_before_a_loop",
        "n: size, x: f32[8, n], y: f32[4]",
        """
        for l in seq(0, 8):
            for i in seq(0, n):
                y[1] @= min(x[l, i])
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "y[0:2]", "t", accum=True, start="l"),
        """
        t_start: f32[2]
        for i0 in seq(0, 2):
            t_start[i0] = y[i0]
        for l in seq(0, 8):
            t: f32[2]
            for i0 in seq(0, 2):
                t[i0] = t_start[i0]
            for i in seq(0, n):
                t[1] @= min(x[l, i])
            for i0 in seq(0, 2):
                y[i0] @= min(t[i0])
        """,
    ),
]
