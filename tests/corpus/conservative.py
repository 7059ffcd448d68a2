"""Legal steps that are refused, each with the reason: what a user cannot do, and why."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import add_loop, remove_loop

_RESET_AND_SUM = "a reduction is taken to read what was there before, also where the block itself has just set it"

KNOWN_CONSERVATIVE: list[tuple[Legal, str]] = [
    (
        Legal(
            "remove_loop", "a_reset_and_a_sum", "n: size, m: size, x: f32[m], a: f32",
            """
            for i in seq(0, n):
                a = 0.0
                for j in seq(0, m):
                    a += x[j]
            """,
            lambda p: remove_loop(p, "i"),
        ),
        _RESET_AND_SUM,
    ),
    (
        Legal(
            "add_loop", "around_a_whole_computation", "n: size, x: f32[n], a: f32",
            """
            a = 0.0
            for j in seq(0, n):
                a += x[j]
            """,
            lambda p: add_loop(p, p.body(), "i", 3),
        ),
        _RESET_AND_SUM,
    ),
]  # fmt: skip
