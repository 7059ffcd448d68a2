"""Illegal steps of `lift_alloc`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse, interleaved
from usl_core.scheduling import lift_alloc

CASES = [
    Illegal(
        "lift_alloc",
        "an_extent_made_of_the_iterator",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            t: f32[i + 1]
            t[i] = x[i]
            x[i] = 2.0 * t[i]
        """,
        lambda p: lift_alloc(p, "t"),
        "E414",
        "the extent of t depends on i",
        Malformed(
            """
            t: f32[i + 1]
            for i in seq(0, n):
                t[i] = x[i]
                x[i] = 2.0 * t[i]
            """,
            "E200",
        ),
    ),
    Illegal(
        "lift_alloc",
        "out_of_a_parallel_loop",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in par(0, n):
            t: f32
            t = x[i]
            y[i] = t
        """,
        lambda p: lift_alloc(p, "t"),
        "E411",
        "would share elements of t",
        interleaved("""
        t: f32
        for i in seq(0, n):
            t = x[i]
        for i in seq(0, n):
            y[i] = t
        """),
    ),
    Illegal(
        "lift_alloc",
        "out_of_a_parallel_loop_whose_iterations_share_one_element",
        "n: size, x: f32[n], y: f32[n, 4]",
        """
        for i in par(0, n):
            t: f32[n + 3]
            for j in seq(0, 4):
                t[i + j] = x[i]
            for j in seq(0, 4):
                y[i, j] = t[i + j]
        """,
        lambda p: lift_alloc(p, "t"),
        "E411",
        "would share elements of t",
        interleaved("""
        t: f32[n + 3]
        for i in seq(0, n):
            for j in seq(0, 4):
                t[i + j] = x[i]
        for i in seq(0, n):
            for j in seq(0, 4):
                y[i, j] = t[i + j]
        """),
    ),
    Illegal(
        "lift_alloc",
        "over_two_loops_of_which_the_outer_is_parallel",
        "n: size, x: f32[n, n], y: f32[n, n]",
        """
        for i in par(0, n):
            for j in seq(0, n):
                t: f32
                t = x[i, j]
                y[i, j] = t
        """,
        lambda p: lift_alloc(p, "t", 2),
        "E411",
        "would share elements of t",
        interleaved("""
        t: f32
        for i in seq(0, n):
            t = x[i, 0]
        for i in seq(0, n):
            y[i, 0] = t
            for j in seq(1, n):
                y[i, j] = x[i, j]
        """),
    ),
    Illegal(
        "lift_alloc",
        "further_than_there_are_loops",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            x[i] = 2.0 * t
        """,
        lambda p: lift_alloc(p, "t", 2),
        "E404",
        "cannot be lifted 2 times",
        Misuse("no place outside of the procedure"),
    ),
    Illegal(
        "lift_alloc",
        "out_of_the_branch_that_makes_its_extent_positive",
        "n: size, x: f32[n]",
        """
        if n > 1:
            t: f32[n - 1]
            t[0] = x[0]
            x[1] = t[0]
        """,
        lambda p: lift_alloc(p, "t"),
        "E410",
        "may be below 1",
        Malformed(
            """
            t: f32[n - 1]
            if n > 1:
                t[0] = x[0]
                x[1] = t[0]
            """,
            "E303",
        ),
    ),
    Illegal(
        "lift_alloc",
        "out_of_the_loop_that_makes_its_extent_positive",
        "m: index, x: f32[4]",
        """
        assert 0 <= m
        for i in seq(0, m):
            t: f32[m]
            t[i] = x[0]
            x[0] = t[i]
        """,
        lambda p: lift_alloc(p, "t"),
        "E410",
        "may be below 1",
        Malformed(
            """
            t: f32[m]
            for i in seq(0, m):
                t[i] = x[0]
                x[0] = t[i]
            """,
            "E303",
        ),
    ),
]
