"""Legal steps of `add_assertion`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import add_assertion, divide_loop

CASES = [
    Legal(
        "add_assertion",
        "a_multiple",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(add_assertion(p, "n % 4 == 0"), "i", 4, ["io", "ii"], perfect=True),
        """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """,
    ),
    Legal(
        "add_assertion",
        "a_smallest_size",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(add_assertion(p, "n >= 4"), "i", 4, ["io", "ii"], tail="shift_inwards"),
        """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[min(4 * io, n - 4) + ii] = 1.0
        """,
    ),
    Legal(
        "add_assertion",
        "what_is_known_already",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: add_assertion(p, "n >= 1"),
        "x[0] = 1.0",
    ),
]
