"""Illegal steps of `sink_alloc`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Wrong
from usl_core.scheduling import sink_alloc

CASES = [
    Illegal(
        "sink_alloc",
        "a_sum_over_iterations",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            if i == 0:
                t = 0.0
            t += x[i]
            y[i] = t
        """,
        lambda p: sink_alloc(p, "t"),
        "E452",
        "may see what an earlier iteration of i wrote",
        Wrong("""
        for i in seq(0, n):
            t: f32
            if i == 0:
                t = 0.0
            t += x[i]
            y[i] = t
        """),
    ),
    Illegal(
        "sink_alloc",
        "written_in_every_second_iteration",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            if i % 2 == 0:
                t = x[i]
            y[i] = t
        """,
        lambda p: sink_alloc(p, "t"),
        "E452",
        "may see what an earlier iteration of i wrote",
        Wrong("""
        for i in seq(0, n):
            t: f32
            if i % 2 == 0:
                t = x[i]
            y[i] = t
        """),
    ),
    Illegal(
        "sink_alloc",
        "written_only_if_data_says_so",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            if x[i] < 3.0:
                t = x[i]
            y[i] = t
        """,
        lambda p: sink_alloc(p, "t"),
        "E452",
        "may see what an earlier iteration of i wrote",
        Wrong("""
        for i in seq(0, n):
            t: f32
            if x[i] < 3.0:
                t = x[i]
            y[i] = t
        """),
    ),
    Illegal(
        "sink_alloc",
        "a_scatter_writes_nothing_definitely",
        "n: size, k: i32[n], x: f32[n], y: f32[n]",
        """
        t: f32[2]
        for i in seq(0, n):
            t[idx(k[i], 0, 2)] = x[i]
            y[i] = t[0]
        """,
        lambda p: sink_alloc(p, "t"),
        "E452",
        "may see what an earlier iteration of i wrote",
        Wrong("""
        for i in seq(0, n):
            t: f32[2]
            t[idx(k[i], 0, 2)] = x[i]
            y[i] = t[0]
        """),
    ),
    Illegal(
        "sink_alloc",
        "a_row_that_is_filled_only_in_part",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[4]
        for i in seq(0, n):
            for j in seq(0, min(i + 1, 3)):
                t[j] = x[i]
            y[i] = t[2]
            t[2] = x[0]
        """,
        lambda p: sink_alloc(p, "t"),
        "E452",
        "may see what an earlier iteration of i wrote",
        Wrong("""
        for i in seq(0, n):
            t: f32[4]
            for j in seq(0, min(i + 1, 3)):
                t[j] = x[i]
            y[i] = t[2]
            t[2] = x[0]
        """),
    ),
    Illegal(
        "sink_alloc",
        "used_after_the_loop_too",
        "n: size, x: f32[n], y: f32",
        """
        t: f32
        for i in seq(0, n):
            t = x[i]
        y = t
        """,
        lambda p: sink_alloc(p, "t"),
        "E450",
        "is used in 2 statements",
        Malformed(
            """
            for i in seq(0, n):
                t: f32
                t = x[i]
            y = t
            """,
            "E200",
        ),
    ),
    Illegal(
        "sink_alloc",
        "used_in_the_condition",
        "x: f32",
        """
        t: f32
        if t < 3.0:
            t = 1.0
            x = t
        """,
        lambda p: sink_alloc(p, "t"),
        "E450",
        "is used in the condition",
        Malformed(
            """
            if t < 3.0:
                t: f32
                t = 1.0
                x = t
            """,
            "E200",
        ),
    ),
    Illegal(
        "sink_alloc",
        "a_place_that_only_the_first_iteration_writes",
        "n: size, x: f32[n + 2], y: f32[n + 2]",
        """
        t: f32[2]
        for i in seq(0, n + 2):
            t[0] = x[i]
            if i == 0:
                t[1] = x[0]
            y[i] = select(x[i], 1.0, t[0], t[1])
        """,
        lambda p: sink_alloc(p, "t"),
        "E452",
        "may see what an earlier iteration of i wrote",
        Wrong("""
        for i in seq(0, n + 2):
            t: f32[2]
            t[0] = x[i]
            if i == 0:
                t[1] = x[0]
            y[i] = select(x[i], 1.0, t[0], t[1])
        """),
    ),
    Illegal(
        "sink_alloc",
        "a_place_that_is_added_to_and_never_written",
        "n: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        t: f32[2]
        for i in seq(0, n):
            u = t[0:2]
            if i == 0:
                u[1] = 0.0
            u[1] += x[i]
            y[i] = t[1]
        """,
        lambda p: sink_alloc(p, "t"),
        "E452",
        "may see what an earlier iteration of i wrote",
        Wrong("""
        for i in seq(0, n):
            t: f32[2]
            u = t[0:2]
            if i == 0:
                u[1] = 0.0
            u[1] += x[i]
            y[i] = t[1]
        """),
    ),
    Illegal(
        "sink_alloc",
        "tiles_that_read_a_place_of_the_tile_before",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        g: f32[(n + 3) / 4 * 4 + 1]
        f: f32[(n + 3) / 4 * 4]
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, min(5, n + 1 - 4 * io)):
                if io == 0 or ii > 0:
                    g[4 * io + ii] = x[4 * io + ii]
            for ii in seq(0, 4):
                f[4 * io + ii] = g[4 * io + ii] + g[4 * io + ii + 1]
        for i in seq(0, n):
            y[i] = f[i]
        """,
        lambda p: sink_alloc(p, "g"),
        "E452",
        "may see what an earlier iteration of io wrote",
        Wrong("""
        f: f32[(n + 3) / 4 * 4]
        for io in seq(0, (n + 3) / 4):
            g: f32[(n + 3) / 4 * 4 + 1]
            for ii in seq(0, min(5, n + 1 - 4 * io)):
                if io == 0 or ii > 0:
                    g[4 * io + ii] = x[4 * io + ii]
            for ii in seq(0, 4):
                f[4 * io + ii] = g[4 * io + ii] + g[4 * io + ii + 1]
        for i in seq(0, n):
            y[i] = f[i]
        """),
    ),
]
