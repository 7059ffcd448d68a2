"""Legal steps of `expand_dim`."""

from __future__ import annotations

from tests.corpus.callees import COPY4, PER_ITERATION, PER_ITERATION_ARGS
from tests.corpus.case import Legal
from usl_core.scheduling import expand_dim

CASES = [
    Legal(
        "expand_dim",
        "one_element_per_iteration",
        PER_ITERATION_ARGS,
        PER_ITERATION,
        lambda p: expand_dim(p, "t", "n", "i"),
        """
        for i in seq(0, n):
            t: f32[n]
            t[i] = x[i]
            y[i] = t[i] * t[i]
        """,
    ),
    Legal(
        "expand_dim",
        "room_for_more",
        PER_ITERATION_ARGS,
        PER_ITERATION,
        lambda p: expand_dim(p, "t", "n + 3", "i + 2"),
        """
        for i in seq(0, n):
            t: f32[n + 3]
            t[i + 2] = x[i]
            y[i] = t[i + 2] * t[i + 2]
        """,
    ),
    Legal(
        "expand_dim",
        "a_constant_index",
        PER_ITERATION_ARGS,
        PER_ITERATION,
        lambda p: expand_dim(p, "t", 4, 1),
        """
        for i in seq(0, n):
            t: f32[4]
            t[1] = x[i]
            y[i] = t[1] * t[1]
        """,
    ),
    Legal(
        "expand_dim",
        "a_circular_index",
        PER_ITERATION_ARGS,
        PER_ITERATION,
        lambda p: expand_dim(p, "t", 4, "i % 4"),
        """
        for i in seq(0, n):
            t: f32[4]
            t[i % 4] = x[i]
            y[i] = t[i % 4] * t[i % 4]
        """,
    ),
    Legal(
        "expand_dim",
        "a_buffer_that_is_passed_to_a_callee",
        "n: size, x: f32[n, 4], y: f32[n, 4]",
        """
        for i in seq(0, n):
            t: f32[4]
            copy4(t[0:4], x[i, 0:4])
            copy4(y[i, 0:4], t[0:4])
        """,
        lambda p, c: expand_dim(p, "t", "n", "i"),
        """
        for i in seq(0, n):
            t: f32[n, 4]
            copy4(t[i, 0:4], x[i, 0:4])
            copy4(y[i, 0:4], t[i, 0:4])
        """,
        callees=(COPY4,),
    ),
]
