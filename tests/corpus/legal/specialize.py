"""Legal steps of `specialize`."""

from __future__ import annotations

from tests.corpus.callees import TILE
from tests.corpus.case import Legal
from usl_core.scheduling import divide_loop, specialize

CASES = [
    Legal(
        "specialize",
        "for_a_size",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: specialize(p, "for i in _: _", "n == 4"),
        """
        if n == 4:
            for i in seq(0, n):
                x[i] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "specialize",
        "for_two_sizes",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: specialize(p, "for i in _: _", ["n % 4 == 0", "n % 2 == 0"]),
        """
        if n % 4 == 0:
            for i in seq(0, n):
                x[i] = 1.0
        elif n % 2 == 0:
            for i in seq(0, n):
                x[i] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "specialize",
        "and_use_the_fact",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(specialize(p, "for i in _: _", "n % 4 == 0"), "i", 4, TILE, perfect=True),
        """
        if n % 4 == 0:
            for io in seq(0, n / 4):
                for ii in seq(0, 4):
                    x[4 * io + ii] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "specialize",
        "for_a_clamped_tail",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(specialize(p, "for i in _: _", "n >= 4"), "i", 4, TILE, tail="shift_inwards"),
        """
        if n >= 4:
            for io in seq(0, (n + 3) / 4):
                for ii in seq(0, 4):
                    x[min(4 * io, n - 4) + ii] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "specialize",
        "for_the_first_iteration",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = 1.0
            x[i] = t
        """,
        lambda p: specialize(p, p.find_loop("i").body(), "i == 0"),
        """
        for i in seq(0, n):
            if i == 0:
                t: f32
                t = 1.0
                x[i] = t
            else:
                t: f32
                t = 1.0
                x[i] = t
        """,
    ),
]
