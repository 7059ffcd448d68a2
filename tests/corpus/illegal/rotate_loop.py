"""Illegal steps of `rotate_loop`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse, Step, Wrong
from usl_core.scheduling import rotate_loop


def _after(pattern: str) -> Step:
    return lambda p: rotate_loop(p, p.find(pattern).after())


CASES = [
    Illegal(
        "rotate_loop",
        "a_loop_that_may_not_run",
        "n: size, x: f32[n + 1], a: f32",
        """
        for i in seq(1, n):
            a = x[i]
            x[i] = 2.0
        """,
        _after("a = _"),
        "E412",
        "cannot prove that the loop over i runs: 1 < n",
        Wrong("""
        for i in seq(1, 2):
            a = x[i]
        for i in seq(1, n):
            x[i] = 2.0
            if i < n - 1:
                a = x[i + 1]
        """),
    ),
    Illegal(
        "rotate_loop",
        "an_allocation_used_behind_the_gap",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 8):
            t: f32
            t = x[i]
            y[i] = t
        """,
        _after("t = _"),
        "E416",
        "t is bound before the gap and used after it",
        Malformed(
            """
            for i in seq(0, 1):
                t: f32
                t = x[i]
            for i in seq(0, 8):
                y[i] = t
                if i < 7:
                    t: f32
                    t = x[i + 1]
            """,
            "E200",
        ),
    ),
    Illegal(
        "rotate_loop",
        "a_parallel_loop",
        "x: f32[8], y: f32[8]",
        """
        for i in par(0, 8):
            x[i] = 1.0
            y[i] = x[i]
        """,
        _after("x[_] = _"),
        "E404",
        "the loop is `par`",
        Misuse("what two iterations of the new loop share may race"),
    ),
    Illegal(
        "rotate_loop",
        "nothing_behind_the_gap",
        "x: f32[8]",
        """
        for i in seq(0, 8):
            x[i] = 1.0
        """,
        _after("x[_] = _"),
        "E404",
        "there must be a statement before and one after the gap",
        Misuse("there is nothing to begin with"),
    ),
    Illegal(
        "rotate_loop",
        "a_branch",
        "n: size, x: f32[8]",
        """
        if n < 3:
            x[0] = 1.0
            x[1] = 1.0
        """,
        _after("x[0] = _"),
        "E404",
        "the gap is not directly in a loop",
        Misuse("there is no next iteration"),
    ),
]
