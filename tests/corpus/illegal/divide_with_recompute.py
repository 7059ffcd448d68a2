"""Illegal steps of `divide_with_recompute`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Wrong
from usl_core.scheduling import divide_with_recompute

CASES = [
    Illegal(
        "divide_with_recompute",
        "a_reduction",
        "n: size, x: f32[n + 1], t: f32[n + 1]",
        """
        for i in seq(0, n + 1):
            t[i] += x[i]
        """,
        lambda p: divide_with_recompute(p, "i", "n", 1, ["io", "ii"]),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        for io in seq(0, n):
            for ii in seq(0, 2):
                t[io + ii] += x[io + ii]
        """),
    ),
    Illegal(
        "divide_with_recompute",
        "a_recurrence_that_two_repetitions_move_on",
        "n: size, x: f32[n + 3]",
        """
        for i in seq(0, n + 2):
            x[i] = x[i + 1]
        """,
        lambda p: divide_with_recompute(p, "i", "n", 1, ["io", "ii"]),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        for io in seq(0, n):
            for ii in seq(0, 3):
                x[io + ii] = x[io + ii + 1]
        """),
    ),
    Illegal(
        "divide_with_recompute",
        "tiles_that_leave_a_gap",
        "n: size, x: f32[4 * n], t: f32[4 * n]",
        """
        for i in seq(0, 4 * n):
            t[i] = x[i]
        """,
        lambda p: divide_with_recompute(p, "i", "n", 4, ["io", "ii"], extent="3"),
        "E412",
        "may leave out iterations",
        Wrong("""
        for io in seq(0, n):
            for ii in seq(0, 3):
                t[4 * io + ii] = x[4 * io + ii]
        """),
    ),
    Illegal(
        "divide_with_recompute",
        "a_tile_beyond_the_end",
        "n: size, x: f32[4 * n], t: f32[4 * n]",
        """
        for i in seq(0, 4 * n):
            t[i] = x[i]
        """,
        lambda p: divide_with_recompute(p, "i", "n", 4, ["io", "ii"], extent="6"),
        "E412",
        "lies within 0 .. 4 * n",
        Wrong("""
        for io in seq(0, n):
            for ii in seq(0, 6):
                t[4 * io + ii] = x[4 * io + ii]
        """),
    ),
    Illegal(
        "divide_with_recompute",
        "a_value_that_depends_on_more_than_its_place",
        "n: size, a: f32, x: f32[n + 1], t: f32[n + 1]",
        """
        for i in seq(0, n + 1):
            t[i] = a
            a = x[i]
        """,
        lambda p: divide_with_recompute(p, "i", "n", 1, ["io", "ii"]),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        for io in seq(0, n):
            for ii in seq(0, 2):
                t[io + ii] = a
                a = x[io + ii]
        """),
    ),
    Illegal(
        "divide_with_recompute",
        "a_condition_on_the_buffer_through_a_window",
        "n: size, x: f32[n + 3], t: f32[n + 3]",
        """
        w = t[0:n + 3]
        for i in seq(0, n + 2):
            if w[i + 1] < 0.0:
                t[i] = x[i]
        """,
        lambda p: divide_with_recompute(p, "i", "n", 1, ["io", "ii"]),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        w = t[0:n + 3]
        for io in seq(0, n):
            for ii in seq(0, 3):
                if w[io + ii + 1] < 0.0:
                    t[io + ii] = x[io + ii]
        """),
    ),
    Illegal(
        "divide_with_recompute",
        "a_loop_that_does_not_start_at_0",
        "n: size, x: f32[4 * n], t: f32[4 * n]",
        """
        for i in seq(1, 4 * n):
            t[i] = x[i]
        """,
        lambda p: divide_with_recompute(p, "i", "n", 4, ["io", "ii"]),
        "E412",
        "must start at 0",
        Wrong("""
        for io in seq(0, n):
            for ii in seq(0, 4):
                t[4 * io + ii] = x[4 * io + ii]
        """),
    ),
]
