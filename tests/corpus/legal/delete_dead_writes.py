"""Legal steps of `delete_dead_writes`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import cut_loop, delete_dead_writes

CASES = [
    Legal(
        "delete_dead_writes",
        "the_part_of_a_producer_that_nobody_reads",
        "n: size, x: f32[2 * n], y: f32[n]",
        """
        t: f32[2 * n]
        for i in seq(0, 2 * n):
            t[i] = x[i] * 2.0
        for i in seq(0, n):
            y[i] = t[i]
        """,
        lambda p: delete_dead_writes(cut_loop(p, "i", "n"), "i #1"),
        """
        t: f32[2 * n]
        for i in seq(0, n):
            t[i] = x[i] * 2.0
        for i in seq(0, n):
            y[i] = t[i]
        """,
    ),
    Legal(
        "delete_dead_writes",
        "a_value_that_is_overwritten",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            t = x[i] * 2.0
            t = x[i] + 1.0
            y[i] = t
        """,
        lambda p: delete_dead_writes(p, "t = _"),
        """
        t: f32
        for i in seq(0, n):
            t = x[i] + 1.0
            y[i] = t
        """,
    ),
    Legal(
        "delete_dead_writes",
        "a_condition_on_data_and_a_temporary",
        "n: size, x: f32[n], y: f32",
        """
        t: f32[n]
        for i in seq(0, n):
            u: f32
            u = x[i] * 2.0
            if u < 1.0:
                t[i] = u
        y = 1.0
        """,
        lambda p: delete_dead_writes(p, "i"),
        """
        t: f32[n]
        y = 1.0
        """,
    ),
    Legal(
        "delete_dead_writes",
        "every_second_element",
        "n: size, x: f32[2 * n], y: f32[n]",
        """
        t: f32[2 * n]
        for i in seq(0, n):
            t[2 * i] = x[2 * i]
            t[2 * i + 1] = x[2 * i + 1]
        for i in seq(0, n):
            y[i] = t[2 * i]
        """,
        lambda p: delete_dead_writes(p, "t[_] = _ #1"),
        """
        t: f32[2 * n]
        for i in seq(0, n):
            t[2 * i] = x[2 * i]
        for i in seq(0, n):
            y[i] = t[2 * i]
        """,
    ),
    Legal(
        "delete_dead_writes",
        "under_a_condition_on_data",
        "n: size, x: f32[n], y: f32",
        """
        t: f32[n]
        for i in seq(0, n):
            if x[i] < 0.0:
                t[i] = 1.0
        y = 1.0
        """,
        lambda p: delete_dead_writes(p, "for i in _: _"),
        """
        t: f32[n]
        y = 1.0
        """,
    ),
]
