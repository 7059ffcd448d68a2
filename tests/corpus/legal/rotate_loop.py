"""Legal steps of `rotate_loop`."""

from __future__ import annotations

from tests.corpus.case import Legal, Step
from usl_core import Procedure
from usl_core.scheduling import reorder_stmts, rotate_loop


def _after(pattern: str) -> Step:
    return lambda p: rotate_loop(p, p.find(pattern).after())


def _filled_ahead(p: Procedure) -> Procedure:
    p = rotate_loop(p, p.find("b[_] = _").after())
    return reorder_stmts(p, p.find("y[_] = _").expand(0, 1))


CASES = [
    Legal(
        "rotate_loop",
        "a_value_that_each_iteration_passes_on",
        "x: f32[8], y: f32[8], a: f32",
        """
        for i in seq(0, 8):
            a = x[i]
            y[i] = a
        """,
        _after("a = _"),
        """
        for i in seq(0, 1):
            a = x[i]
        for i in seq(0, 8):
            y[i] = a
            if i < 7:
                a = x[i + 1]
        """,
    ),
    Legal(
        "rotate_loop",
        "a_prefix_sum",
        "n: size, x: f32[n + 2], y: f32[n + 2]",
        """
        for i in seq(1, n + 2):
            x[i] += x[i - 1]
            y[i] = x[i]
            x[i - 1] = 0.0
        """,
        _after("y[_] = _"),
    ),
    Legal(
        "rotate_loop",
        "a_buffer_of_two_parts_filled_ahead",
        "x: f32[8], y: f32[8]",
        """
        b: f32[2]
        for i in seq(0, 8):
            b[i % 2] = x[i]
            y[i] = b[i % 2]
        """,
        _filled_ahead,
        """
        b: f32[2]
        for i in seq(0, 1):
            b[i % 2] = x[i]
        for i in seq(0, 8):
            if i < 7:
                b[(i + 1) % 2] = x[i + 1]
            y[i] = b[i % 2]
        """,
    ),
    Legal(
        "rotate_loop",
        "a_loop_known_to_run_by_the_branch_around_it",
        "n: size, m: size, x: f32[n + m], y: f32[n + m]",
        """
        if m < n:
            for i in seq(m, n):
                t: f32
                t = x[i]
                x[i] = t + 1.0
                w = y[i:i + 1]
                w[0] = x[i]
        """,
        _after("x[_] = _"),
    ),
]
