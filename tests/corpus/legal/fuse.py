"""Legal steps of `fuse`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import fuse

CASES = [
    Legal(
        "fuse",
        "element_by_element",
        "n: size, x: f32[n], y: f32[n], t: f32[n]",
        """
        for i in seq(0, n):
            t[i] = x[i]
        for j in seq(0, n):
            y[j] = 2.0 * t[j]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        """
        for i in seq(0, n):
            t[i] = x[i]
            y[i] = 2.0 * t[i]
        """,
    ),
    Legal(
        "fuse",
        "a_stencil_that_looks_back",
        "n: size, x: f32[n + 1], t: f32[n + 1], y: f32[n + 1]",
        """
        for i in seq(0, n):
            t[i + 1] = x[i]
        for j in seq(0, n):
            y[j] = t[j] + t[j + 1]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        """
        for i in seq(0, n):
            t[i + 1] = x[i]
            y[i] = t[i] + t[i + 1]
        """,
    ),
    Legal(
        "fuse",
        "ranges_that_are_equal_by_an_assertion",
        "n: size, m: size, x: f32[n], y: f32[m]",
        """
        assert n == m
        for i in seq(0, n):
            x[i] = 1.0
        for j in seq(0, m):
            y[j] = 1.0
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
    ),
    Legal(
        "fuse",
        "ranges_in_another_form",
        "n: size, x: f32[n + n], y: f32[n + n]",
        """
        for i in seq(0, 2 * n):
            x[i] = 1.0
        for j in seq(0, n + n):
            y[j] = 1.0
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        """
        for i in seq(0, 2 * n):
            x[i] = 1.0
            y[i] = 1.0
        """,
    ),
    Legal(
        "fuse",
        "two_conditions",
        "n: size, x: f32, y: f32",
        """
        if n < 4:
            x = 1.0
        if not n >= 4:
            y = 1.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
        """
        if n < 4:
            x = 1.0
            y = 1.0
        """,
    ),
    Legal(
        "fuse",
        "two_conditions_with_else",
        "n: size, x: f32, y: f32",
        """
        if n < 4:
            x = 1.0
        else:
            x = 2.0
        if n < 4:
            y = 1.0
        else:
            y = 2.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
        """
        if n < 4:
            x = 1.0
            y = 1.0
        else:
            x = 2.0
            y = 2.0
        """,
    ),
    Legal(
        "fuse",
        "conditions_on_data",
        "c: f32, x: f32, y: f32",
        """
        if c < 0.0:
            x = 1.0
        if c < 0.0:
            y = 1.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
        """
        if c < 0.0:
            x = 1.0
            y = 1.0
        """,
    ),
    Legal(
        "fuse",
        "conditions_that_are_equal_because_division_rounds_down",
        "k: index, x: f32, y: f32",
        """
        if (k - 4) / 2 == 0:
            x = 1.0
        if k == 4 or k == 5:
            y = 1.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
    ),
    Legal(
        "fuse",
        "two_reductions",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
        for j in seq(0, n):
            s += y[j]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        """
        for i in seq(0, n):
            s += x[i]
            s += y[i]
        """,
    ),
    Legal(
        "fuse",
        "a_parallel_and_a_sequential_loop",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in par(0, n):
            x[i] = 1.0
        for j in seq(0, n):
            y[j] = x[j]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        """
        for i in par(0, n):
            x[i] = 1.0
            y[i] = x[i]
        """,
    ),
    Legal(
        "fuse",
        "a_producer_that_has_written_in_an_earlier_iteration",
        "n: size, x: f32[2], t: f32[2], y: f32[n]",
        """
        for i in seq(0, n):
            if i % 2 == 0:
                t[0] = x[0]
        for j in seq(0, n):
            y[j] = t[0]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        """
        for i in seq(0, n):
            if i % 2 == 0:
                t[0] = x[0]
            y[i] = t[0]
        """,
    ),
]
