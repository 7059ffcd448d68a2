"""Legal steps of `add_loop`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import add_loop, fuse

CASES = [
    Legal(
        "add_loop",
        "around_an_assignment",
        "n: size, a: f32",
        "a = 1.0",
        lambda p: add_loop(p, "a = _", "i", "n"),
        """
        for i in seq(0, n):
            a = 1.0
        """,
    ),
    Legal(
        "add_loop",
        "guarded",
        "n: size, a: f32",
        "a += 1.0",
        lambda p: add_loop(p, "a += _", "i", "n", guard=True),
        """
        for i in seq(0, n):
            if i == 0:
                a += 1.0
        """,
    ),
    Legal(
        "add_loop",
        "to_match_a_neighbour",
        "n: size, a: f32, x: f32[n]",
        """
        a = 1.0
        for j in seq(0, n):
            x[j] = a
        """,
        lambda p: fuse(q := add_loop(p, "a = _", "i", "n"), q.find_loop("i"), q.find_loop("j")),
        """
        for i in seq(0, n):
            a = 1.0
            x[i] = a
        """,
    ),
    Legal(
        "add_loop",
        "around_a_whole_computation",
        "n: size, x: f32[n], a: f32",
        """
        a = 0.0
        for j in seq(0, n):
            a += x[j]
        """,
        lambda p: add_loop(p, p.body(), "i", 3),
        """
        for i in seq(0, 3):
            a = 0.0
            for j in seq(0, n):
                a += x[j]
        """,
    ),
]
