"""Legal steps of `insert_pass`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import insert_pass

CASES = [
    Legal(
        "insert_pass",
        "behind_an_assignment",
        "x: f32",
        "x = 1.0",
        lambda p: insert_pass(p, p.body()[0].after()),
        """
        x = 1.0
        pass
        """,
    ),
    Legal(
        "insert_pass",
        "in_a_loop",
        "n: size, x: f32[n]",
        "for i in seq(0, n):\n    x[i] = 1.0",
        lambda p: insert_pass(p, p.find("x[_] = _").before()),
        """
        for i in seq(0, n):
            pass
            x[i] = 1.0
        """,
    ),
    Legal(
        "insert_pass",
        "at_the_start",
        "x: f32",
        "x = 1.0",
        lambda p: insert_pass(p, p.body().before()),
        """
        pass
        x = 1.0
        """,
    ),
]
