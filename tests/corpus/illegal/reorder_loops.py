"""Illegal steps of `reorder_loops`."""

from __future__ import annotations

from tests.corpus.callees import PUT
from tests.corpus.case import Illegal, Malformed, Stopped, Wrong
from usl_core.scheduling import reorder_loops

CASES = [
    Illegal(
        "reorder_loops",
        "a_wavefront",
        "n: size, m: size, x: f32[n + 1, m + 1]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i + 1, j] = x[i, j + 1] + 1.0
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411",
        "would change places do not commute",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                x[i + 1, j] = x[i, j + 1] + 1.0
        """),
    ),
    Illegal(
        "reorder_loops",
        "another_last_writer_on_a_diagonal",
        "n: size, m: size, x: f32[n, m], y: f32[n + m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                y[i + j] = x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411",
        "would change places do not commute",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                y[i + j] = x[i, j]
        """),
    ),
    Illegal(
        "reorder_loops",
        "another_last_writer_after_a_negative_division",
        "n: size, x: f32[n, n], y: f32[2 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                y[(i + j - n) / 2 + n] = x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411",
        "would change places do not commute",
        Wrong("""
        for j in seq(0, n):
            for i in seq(0, n):
                y[(i + j - n) / 2 + n] = x[i, j]
        """),
    ),
    Illegal(
        "reorder_loops",
        "not_directly_nested",
        "n: size, m: size, x: f32[n, m], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = 0.0
            for j in seq(0, m):
                y[i] += x[i, j]
        """,
        lambda p: reorder_loops(p, "i"),
        "E404",
        "must be one loop and nothing else",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                y[i] = 0.0
                y[i] += x[i, j]
        """),
    ),
    Illegal(
        "reorder_loops",
        "a_window_that_hides_the_dependence",
        "n: size, m: size, x: f32[n + 1, m + 1]",
        """
        w = x[1:n + 1, 0:m]
        for i in seq(0, n):
            for j in seq(0, m):
                w[i, j] = x[i, j + 1] + 1.0
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411",
        "would change places do not commute",
        Wrong("""
        w = x[1:n + 1, 0:m]
        for j in seq(0, m):
            for i in seq(0, n):
                w[i, j] = x[i, j + 1] + 1.0
        """),
    ),
    Illegal(
        "reorder_loops",
        "partial_sums_are_stored",
        "n: size, m: size, x: f32[n, m], y: f32[n, m], a: f32",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                a += x[i, j]
                y[i, j] = a
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411",
        "would change places do not commute",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                a += x[i, j]
                y[i, j] = a
        """),
    ),
    Illegal(
        "reorder_loops",
        "the_callee_writes_one_place_from_two_iterations",
        "n: size, m: size, x: f32[n, m], y: f32[n + m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                put(y[i + j:i + j + 1], x[i, j])
        """,
        lambda p, c: reorder_loops(p, "i j"),
        "E411",
        "would change places do not commute",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                put(y[i + j:i + j + 1], x[i, j])
        """),
        callees=(PUT,),
    ),
    Illegal(
        "reorder_loops",
        "a_write_through_data",
        "n: size, m: size, k: i32[n, m], x: f32[n, m], y: f32[4]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                y[idx(k[i, j], 0, 4)] = x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411",
        "would change places do not commute",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                y[idx(k[i, j], 0, 4)] = x[i, j]
        """),
    ),
    Illegal(
        "reorder_loops",
        "a_reduction_and_a_reset",
        "n: size, m: size, x: f32[n, m], y: f32[n + m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                if j == 0:
                    y[i + j] = 0.0
                y[i + j] += x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411",
        "would change places do not commute",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                if j == 0:
                    y[i + j] = 0.0
                y[i + j] += x[i, j]
        """),
    ),
    Illegal(
        "reorder_loops",
        "a_check_in_the_body",
        "n: size, m: size, x: f32[n, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 1.0
                check(i < 2)
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411",
        "would change places do not commute",
        Stopped("""
        for j in seq(0, m):
            for i in seq(0, n):
                x[i, j] = 1.0
                check(i < 2)
        """),
    ),
    Illegal(
        "reorder_loops",
        "a_floor_division_maps_two_iterations_to_one_place",
        "n: size, x: f32[n, n], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                y[(i + j) / 2] = x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411",
        "would change places do not commute",
        Wrong("""
        for j in seq(0, n):
            for i in seq(0, n):
                y[(i + j) / 2] = x[i, j]
        """),
    ),
    Illegal(
        "reorder_loops",
        "a_triangle_of_every_second_place",
        "n: size, x: f32[n, 2 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, 2 * i):
                x[i, j] = 1.0
        """,
        lambda p: reorder_loops(p, "i j"),
        "E414",
        "the range of j depends on i",
        Malformed(
            """
            for j in seq(0, 2 * i):
                for i in seq(0, n):
                    x[i, j] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "reorder_loops",
        "a_triangle_with_a_last_writer",
        "n: size, x: f32[2 * n], y: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, i + 1):
                x[i + j] = y[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411",
        "would change places do not commute",
        Wrong("""
        for j in seq(0, n):
            for i in seq(j, n):
                x[i + j] = y[i, j]
        """),
    ),
]
