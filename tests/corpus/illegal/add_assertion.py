"""Illegal steps of `add_assertion`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed
from usl_core.scheduling import add_assertion

CASES = [
    Illegal(
        "add_assertion",
        "a_contradiction",
        "n: size, x: f32[n]",
        """
        assert n < 4
        x[0] = 1.0
        """,
        lambda p: add_assertion(p, "n > 5"),
        "E410",
        "contradict",
        Malformed(
            """
            assert n < 4
            assert n > 5
            x[0] = 1.0
            """,
            "E301",
        ),
    ),
    Illegal(
        "add_assertion",
        "a_size_below_one",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: add_assertion(p, "n <= 0"),
        "E410",
        "contradict",
        Malformed(
            """
            assert n <= 0
            x[0] = 1.0
            """,
            "E301",
        ),
    ),
    Illegal(
        "add_assertion",
        "two_remainders",
        "n: size, x: f32[n]",
        """
        assert n % 4 == 2
        x[0] = 1.0
        """,
        lambda p: add_assertion(p, "n % 8 == 0"),
        "E410",
        "contradict",
        Malformed(
            """
            assert n % 4 == 2
            assert n % 8 == 0
            x[0] = 1.0
            """,
            "E301",
        ),
    ),
    Illegal(
        "add_assertion",
        "on_an_iterator",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: add_assertion(p, "i < 4"),
        "E200",
        "i",
        Malformed(
            """
            assert i < 4
            for i in seq(0, n):
                x[i] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "add_assertion",
        "on_data",
        "x: f32",
        "x = 1.0",
        lambda p: add_assertion(p, "x < 4.0"),
        "E200",
        "add_assertion",
        Malformed(
            """
            assert x < 4.0
            x = 1.0
            """,
            "E200",
        ),
    ),
]
