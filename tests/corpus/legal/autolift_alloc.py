"""Legal steps of `autolift_alloc`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import autolift_alloc

CASES = [
    Legal(
        "autolift_alloc",
        "an_element_for_each_value",
        "n: size, m: size, x: f32[m], y: f32[n, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                t: f32
                t = x[j] * x[j]
                y[i, j] += t
        """,
        lambda p: autolift_alloc(p, "t", 2, keep_dims="dependent"),
        """
        t: f32[m]
        for i in seq(0, n):
            for j in seq(0, m):
                t[j] = x[j] * x[j]
                y[i, j] += t[j]
        """,
    ),
    Legal(
        "autolift_alloc",
        "values_that_an_iterator_reaches_through_others",
        "n: size, m: size, x: f32[n], y: f32[n, m]",
        """
        for i in seq(0, n):
            s: f32[4]
            w = s[0:2]
            w[1] = x[i]
            for j in seq(0, m):
                t: f32
                t = s[1]
                y[i, j] += t
        """,
        lambda p: autolift_alloc(p, "t", 2, keep_dims="dependent"),
        """
        t: f32[n]
        for i in seq(0, n):
            s: f32[4]
            w = s[0:2]
            w[1] = x[i]
            for j in seq(0, m):
                t[i] = s[1]
                y[i, j] += t[i]
        """,
    ),
    Legal(
        "autolift_alloc",
        "parallel_iterations_never_share",
        "n: size, s: f32, y: f32[n]",
        """
        for i in par(0, n):
            t: f32
            t = s
            y[i] += t
        """,
        lambda p: autolift_alloc(p, "t", keep_dims="dependent"),
        """
        t: f32[n]
        for i in par(0, n):
            t[i] = s
            y[i] += t[i]
        """,
    ),
    Legal(
        "autolift_alloc",
        "what_iterations_leave_to_later_ones",
        "n: size, s: f32, y: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = s
            s += 1.0
            y[i] = t
        """,
        lambda p: autolift_alloc(p, "t", keep_dims="dependent"),
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = s
            s += 1.0
            y[i] = t[i]
        """,
    ),
    Legal(
        "autolift_alloc",
        "a_condition_and_a_limit_on_the_iterator",
        "n: size, s: f32, y: f32[n]",
        """
        for i in seq(0, n):
            if i < 2:
                t: f32[4]
                for k in seq(0, 4):
                    t[k] = s
                y[i] = t[1]
        """,
        lambda p: autolift_alloc(p, "t", 2, keep_dims="dependent"),
    ),
]
