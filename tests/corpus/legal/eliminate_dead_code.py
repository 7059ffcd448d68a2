"""Legal steps of `eliminate_dead_code`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import eliminate_dead_code

CASES = [
    Legal(
        "eliminate_dead_code",
        "a_guard_that_the_range_implies",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            if i < n:
                x[i] = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
    ),
    Legal(
        "eliminate_dead_code",
        "an_else_that_never_runs",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            if i > n:
                x[i] = 1.0
            else:
                x[i] = 2.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        """
        for i in seq(0, n):
            x[i] = 2.0
        """,
    ),
    Legal(
        "eliminate_dead_code",
        "a_loop_that_never_runs",
        "n: size, x: f32[n]",
        """
        x[0] = 1.0
        for i in seq(n, n):
            x[i - 1] = 2.0
        """,
        lambda p: eliminate_dead_code(p, "for i in _: _"),
        "x[0] = 1.0",
    ),
    Legal(
        "eliminate_dead_code",
        "a_guard_of_full_tiles",
        "n: size, x: f32[n]",
        """
        assert n % 4 == 0
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                if 4 * io + ii < n:
                    x[4 * io + ii] = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """,
    ),
    Legal(
        "eliminate_dead_code",
        "a_remainder_is_never_negative",
        "k: index, x: f32",
        """
        if (k - 4) % 3 >= 0:
            x = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "x = 1.0",
    ),
    Legal(
        "eliminate_dead_code",
        "a_check_decides",
        "n: size, x: f32",
        """
        check(n > 0)
        if n >= 1:
            x = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        """
        check(n > 0)
        x = 1.0
        """,
    ),
]
