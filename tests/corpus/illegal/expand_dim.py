"""Illegal steps of `expand_dim`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Wrong
from usl_core.scheduling import expand_dim

CASES = [
    Illegal(
        "expand_dim",
        "an_extent_that_may_be_zero",
        "n: size, y: f32[n]",
        """
        t: f32
        t = 1.0
        y[0] = t
        """,
        lambda p: expand_dim(p, "t", "n - 1", "0"),
        "E412",
        "the new extent may be below 1",
        Malformed(
            """
            t: f32[n - 1]
            t[0] = 1.0
            y[0] = t[0]
            """,
            "E303",
        ),
    ),
    Illegal(
        "expand_dim",
        "an_index_beyond_the_extent",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t
        """,
        lambda p: expand_dim(p, "t", "n", "i + 1"),
        "E412",
        "cannot prove 0 <= i + 1 < n where t is used",
        Wrong("""
        for i in seq(0, n):
            t: f32[n]
            t[i + 1] = x[i]
            y[i] = t[i + 1]
        """),
    ),
    Illegal(
        "expand_dim",
        "a_negative_index",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t
        """,
        lambda p: expand_dim(p, "t", "n", "i - 1"),
        "E412",
        "cannot prove 0 <= i - 1 < n",
        Wrong("""
        for i in seq(0, n):
            t: f32[n]
            t[i - 1] = x[i]
            y[i] = t[i - 1]
        """),
    ),
    Illegal(
        "expand_dim",
        "a_value_carried_from_iteration_to_iteration",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            if i == 0:
                t = 0.0
            y[i] = t
            t = x[i]
        """,
        lambda p: expand_dim(p, "t", "n", "i"),
        "E452",
        "may see a value from an earlier one",
        Wrong("""
        t: f32[n]
        for i in seq(0, n):
            if i == 0:
                t[i] = 0.0
            y[i] = t[i]
            t[i] = x[i]
        """),
    ),
    Illegal(
        "expand_dim",
        "a_sum_carried_from_iteration_to_iteration",
        "n: size, x: f32[n], y: f32",
        """
        t: f32
        for i in seq(0, n):
            if i == 0:
                t = 0.0
            t += x[i]
            y = t
        """,
        lambda p: expand_dim(p, "t", "n", "i"),
        "E452",
        "may see a value from an earlier one",
        Wrong("""
        t: f32[n]
        for i in seq(0, n):
            if i == 0:
                t[i] = 0.0
            t[i] += x[i]
            y = t[i]
        """),
    ),
    Illegal(
        "expand_dim",
        "written_only_if_data_says_so",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            if x[i] < 3.0:
                t = x[i]
            y[i] = t
        """,
        lambda p: expand_dim(p, "t", "n", "i"),
        "E452",
        "may see a value from an earlier one",
        Wrong("""
        t: f32[n]
        for i in seq(0, n):
            if x[i] < 3.0:
                t[i] = x[i]
            y[i] = t[i]
        """),
    ),
    Illegal(
        "expand_dim",
        "an_iterator_that_only_some_uses_see",
        "n: size, x: f32[n], y: f32",
        """
        t: f32
        for i in seq(0, n):
            t = x[i]
        y = t
        """,
        lambda p: expand_dim(p, "t", "n", "i"),
        "E200",
        "i",
        Malformed(
            """
            t: f32[n]
            for i in seq(0, n):
                t[i] = x[i]
            y = t[i]
            """,
            "E200",
        ),
    ),
    Illegal(
        "expand_dim",
        "an_index_that_changes_while_the_value_lives",
        "n: size, x: f32[n], y: f32[2 * n]",
        """
        t: f32
        for i in seq(0, n):
            for j in seq(0, 2):
                if j == 0:
                    t = x[i]
                y[2 * i + j] = t
        """,
        lambda p: expand_dim(p, "t", 2, "j"),
        "E452",
        "may see a value from an earlier one",
        Wrong("""
        t: f32[2]
        for i in seq(0, n):
            for j in seq(0, 2):
                if j == 0:
                    t[j] = x[i]
                y[2 * i + j] = t[j]
        """),
    ),
]
