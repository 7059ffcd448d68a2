"""Legal steps of `lift_alloc`."""

from __future__ import annotations

from tests.corpus.callees import PER_ITERATION, PER_ITERATION_ARGS
from tests.corpus.case import Legal
from usl_core.scheduling import expand_dim, lift_alloc

CASES = [
    Legal(
        "lift_alloc",
        "out_of_a_loop",
        PER_ITERATION_ARGS,
        PER_ITERATION,
        lambda p: lift_alloc(p, "t"),
        """
        t: f32
        for i in seq(0, n):
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "lift_alloc",
        "out_of_a_parallel_loop_after_expanding",
        PER_ITERATION_ARGS,
        PER_ITERATION.replace("seq", "par"),
        lambda p: lift_alloc(expand_dim(p, "t", "n", "i"), "t"),
        """
        t: f32[n]
        for i in par(0, n):
            t[i] = x[i]
            y[i] = t[i] * t[i]
        """,
    ),
    Legal(
        "lift_alloc",
        "out_of_two_loops_and_a_branch",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                if j < i:
                    t: f32[2]
                    t[0] = x[i, j]
                    x[j, i] = t[0]
        """,
        lambda p: lift_alloc(p, "t", 3),
        """
        t: f32[2]
        for i in seq(0, n):
            for j in seq(0, n):
                if j < i:
                    t[0] = x[i, j]
                    x[j, i] = t[0]
        """,
    ),
    Legal(
        "lift_alloc",
        "poison_may_become_an_older_value",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            if i == 0:
                t = x[0]
            y[i] = t
        """,
        lambda p: lift_alloc(p, "t"),
    ),
]
