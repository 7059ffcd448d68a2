"""Illegal steps of `join_loops`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Wrong, race
from usl_core.scheduling import join_loops

CASES = [
    Illegal(
        "join_loops",
        "over_a_gap",
        "m: size, n: size, x: f32[n]",
        """
        assert m < n
        for i in seq(0, m):
            x[i] = 1.0
        for i in seq(m + 1, n):
            x[i] = 1.0
        """,
        lambda p: join_loops(p, "i", "i #1"),
        "E412",
        "is not proved to be m",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "join_loops",
        "overlapping_ranges_of_a_reduction",
        "m: size, n: size, x: f32[n]",
        """
        assert m <= n
        for i in seq(0, m):
            x[i] += 1.0
        for i in seq(m - 1, n):
            x[i] += 1.0
        """,
        lambda p: join_loops(p, "i", "i #1"),
        "E412",
        "is not proved to be m",
        Wrong("""
        for i in seq(0, n):
            x[i] += 1.0
        """),
    ),
    Illegal(
        "join_loops",
        "a_write_and_a_reduction",
        "m: size, n: size, x: f32[n]",
        """
        assert m <= n
        for i in seq(0, m):
            x[i] = 1.0
        for i in seq(m, n):
            x[i] += 1.0
        """,
        lambda p: join_loops(p, "i", "i #1"),
        "E404",
        "the bodies of the loops are not the same",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "join_loops",
        "bodies_that_differ_in_an_inner_iterator",
        "m: size, n: size, x: f32[n, n], y: f32[n, n]",
        """
        assert m <= n
        for i in seq(0, m):
            for j in seq(0, n):
                x[i, j] = y[i, j]
        for i in seq(m, n):
            for j in seq(0, n):
                x[i, j] = y[j, i]
        """,
        lambda p: join_loops(p, "i", "i #1"),
        "E404",
        "the bodies of the loops are not the same",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = y[i, j]
        """),
    ),
    Illegal(
        "join_loops",
        "with_a_statement_in_between",
        "m: size, n: size, x: f32[n], y: f32[n]",
        """
        assert m < n
        for i in seq(0, m):
            y[i] = x[i]
        x[m] = 3.0
        for i in seq(m, n):
            y[i] = x[i]
        """,
        lambda p: join_loops(p, "i", "i #1"),
        "E404",
        "must directly follow the first",
        Wrong("""
        for i in seq(0, n):
            y[i] = x[i]
        x[m] = 3.0
        """),
    ),
    Illegal(
        "join_loops",
        "the_later_one_first",
        "m: size, n: size, x: f32[n], a: f32",
        """
        assert m <= n
        for i in seq(m, n):
            a = x[i]
        for i in seq(0, m):
            a = x[i]
        """,
        lambda p: join_loops(p, "i #1", "i"),
        "E404",
        "must directly follow the first",
        Wrong("""
        for i in seq(0, n):
            a = x[i]
        """),
    ),
    Illegal(
        "join_loops",
        "a_parallel_and_a_dependent_loop",
        "m: size, n: size, x: f32[n + 1]",
        """
        assert m <= n
        for i in par(0, m):
            x[i + 1] = x[i]
        for i in seq(m, n):
            x[i + 1] = x[i]
        """,
        lambda p: join_loops(p, "i", "i #1"),
        "E404",
        "one of the loops is `par` and the other is not",
        race("""
        for i in par(0, n):
            x[i + 1] = x[i]
        """),
    ),
]
