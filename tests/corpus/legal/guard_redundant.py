"""Legal steps of `guard_redundant`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import guard_redundant

CASES = [
    Legal(
        "guard_redundant",
        "the_older_of_two",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        t: f32[n + 1]
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = 2.0 * x[i + j]
            y[i] = t[i] + t[i + 1]
        """,
        lambda p: guard_redundant(p, "t[_] = _", "i == 0 or j == 1"),
        """
        t: f32[n + 1]
        for i in seq(0, n):
            for j in seq(0, 2):
                if i == 0 or j == 1:
                    t[i + j] = 2.0 * x[i + j]
            y[i] = t[i] + t[i + 1]
        """,
    ),
    Legal(
        "guard_redundant",
        "the_older_two_of_three",
        "n: size, x: f32[n + 2], y: f32[n]",
        """
        t: f32[n + 2]
        for i in seq(0, n):
            for j in seq(0, 3):
                t[i + j] = 2.0 * x[i + j]
            y[i] = t[i] + t[i + 2]
        """,
        lambda p: guard_redundant(p, "t[_] = _", "i == 0 or j == 2"),
    ),
    Legal(
        "guard_redundant",
        "an_invariant_fill",
        "n: size, x: f32[4], y: f32[n]",
        """
        t: f32[4]
        for i in seq(0, n):
            for j in seq(0, 4):
                t[j] = 2.0 * x[j]
            y[i] = t[3]
        """,
        lambda p: guard_redundant(p, p.find_loop("j"), "i == 0"),
        """
        t: f32[4]
        for i in seq(0, n):
            if i == 0:
                for j in seq(0, 4):
                    t[j] = 2.0 * x[j]
            y[i] = t[3]
        """,
    ),
    Legal(
        "guard_redundant",
        "what_is_not_needed_yet",
        "n: size, x: f32[n + 4], y: f32[n]",
        """
        t: f32[4]
        for i in seq(0, n):
            for j in seq(0, 4):
                t[j] = x[i + j]
            if i % 4 == 3:
                for j in seq(0, 4):
                    y[i] += t[j]
        """,
        lambda p: guard_redundant(p, "for j in _: _", "i % 4 == 3"),
        """
        t: f32[4]
        for i in seq(0, n):
            if i % 4 == 3:
                for j in seq(0, 4):
                    t[j] = x[i + j]
            if i % 4 == 3:
                for j in seq(0, 4):
                    y[i] += t[j]
        """,
    ),
    Legal(
        "guard_redundant",
        "a_sum_that_is_used_in_the_first_rows_only",
        "n: size, m: size, x: f32[n, m], y: f32[n]",
        """
        for i in seq(0, n):
            s: f32
            s = 0.0
            for j in seq(0, m):
                s += x[i, j]
            if i < 3:
                y[i] = s
        """,
        lambda p: guard_redundant(p, p.find("s = _ ; for j in _: _"), "i < 3"),
    ),
    Legal(
        "guard_redundant",
        "every_second_row_of_a_pyramid",
        "n: size, x: f32[n + 1], y: f32[2 * n]",
        """
        d: f32[n + 1]
        for i in seq(0, 2 * n):
            for j in seq(0, 2):
                d[i / 2 + j] = 2.0 * x[i / 2 + j]
            y[i] = d[i / 2] + d[(i + 1) / 2]
        """,
        lambda p: guard_redundant(p, "d[_] = _", "i == 0 or j == 1 and i % 2 == 1"),
        """
        d: f32[n + 1]
        for i in seq(0, 2 * n):
            for j in seq(0, 2):
                if i == 0 or j == 1 and i % 2 == 1:
                    d[i / 2 + j] = 2.0 * x[i / 2 + j]
            y[i] = d[i / 2] + d[(i + 1) / 2]
        """,
    ),
]
