"""Illegal steps of `parallelize_loop`."""

from __future__ import annotations

from tests.corpus.callees import ACCUMULATE
from tests.corpus.case import Illegal, Stopped, race
from usl_core.scheduling import parallelize_loop

CASES = [
    Illegal(
        "parallelize_loop",
        "a_recurrence",
        "n: size, x: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i + 1] = x[i] + 1.0
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            x[i + 1] = x[i] + 1.0
        """),
    ),
    Illegal(
        "parallelize_loop",
        "the_next_element_is_overwritten",
        "n: size, x: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i] = x[i + 1]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            x[i] = x[i + 1]
        """),
    ),
    Illegal(
        "parallelize_loop",
        "a_shared_temporary",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            if i % 2 == 0:
                t = x[i]
            y[i] = t
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        t: f32
        for i in par(0, n):
            if i % 2 == 0:
                t = x[i]
            y[i] = t
        """),
    ),
    Illegal(
        "parallelize_loop",
        "the_last_writer_counts",
        "n: size, x: f32[n], a: f32",
        """
        for i in seq(0, n):
            a = x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            a = x[i]
        """),
    ),
    Illegal(
        "parallelize_loop",
        "two_iterations_share_a_half",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            y[i / 2] = x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            y[i / 2] = x[i]
        """),
    ),
    Illegal(
        "parallelize_loop",
        "remainders_repeat",
        "n: size, x: f32[n], y: f32[3]",
        """
        for i in seq(0, n):
            y[i % 3] = x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            y[i % 3] = x[i]
        """),
    ),
    Illegal(
        "parallelize_loop",
        "a_window_hides_the_recurrence",
        "n: size, x: f32[n + 1]",
        """
        w = x[1:n + 1]
        for i in seq(0, n):
            w[i] = x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        w = x[1:n + 1]
        for i in par(0, n):
            w[i] = x[i]
        """),
    ),
    Illegal(
        "parallelize_loop",
        "a_scatter",
        "n: size, k: i32[n], x: f32[n], y: f32[4]",
        """
        for i in seq(0, n):
            y[idx(k[i], 0, 4)] = x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            y[idx(k[i], 0, 4)] = x[i]
        """),
    ),
    Illegal(
        "parallelize_loop",
        "a_partial_sum_is_read",
        "n: size, x: f32[n], y: f32[n], a: f32",
        """
        for i in seq(0, n):
            a += x[i]
            y[i] = a
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            a += x[i]
            y[i] = a
        """),
    ),
    Illegal(
        "parallelize_loop",
        "one_iteration_resets_what_others_add_to",
        "n: size, x: f32[n], a: f32",
        """
        for i in seq(0, n):
            if i == 0:
                a = 0.0
            a += x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            if i == 0:
                a = 0.0
            a += x[i]
        """),
    ),
    Illegal(
        "parallelize_loop",
        "a_call_that_writes_its_neighbour",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            accumulate(x[i:i + 2], y[i])
        """,
        lambda p, c: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            accumulate(x[i:i + 2], y[i])
        """),
        callees=(ACCUMULATE,),
    ),
    Illegal(
        "parallelize_loop",
        "tiles_that_all_overlap_and_update_in_place",
        "n: size, x: f32[n]",
        """
        assert n >= 4
        for io in seq(0, (n + 2) / 3):
            for ii in seq(0, 3):
                x[min(3 * io, n - 4) + ii + 1] = x[min(3 * io, n - 4) + ii] + 1.0
        """,
        lambda p: parallelize_loop(p, "io"),
        "E411",
        "the iterations of io may interfere",
        race("""
        for io in par(0, (n + 2) / 3):
            for ii in seq(0, 3):
                x[min(3 * io, n - 4) + ii + 1] = x[min(3 * io, n - 4) + ii] + 1.0
        """),
    ),
    Illegal(
        "parallelize_loop",
        "a_check_must_stop_in_order",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            check(i < 2)
            x[i] = 1.0
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "a check must stop the program in order",
        Stopped("""
        for j in seq(0, n):
            x[n - 1 - j] = 1.0
            check(n - 1 - j < 2)
        """),
    ),
    Illegal(
        "parallelize_loop",
        "bits_that_are_set_and_inverted",
        "n: size, x: u8[n], s: u8",
        """
        for i in seq(0, n):
            s |= x[i]
            s ^= 255
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            s |= x[i]
            s ^= 255
        """),
    ),
    Illegal(
        "parallelize_loop",
        "iterations_that_reduce_by_two_operations",
        "n: size, x: f32[n], s: f32",
        """
        for i in seq(0, n):
            s *= 0.5
            s @= max(x[i])
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411",
        "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            s *= 0.5
            s @= max(x[i])
        """),
    ),
]
