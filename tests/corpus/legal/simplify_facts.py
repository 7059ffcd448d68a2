"""Legal steps of `simplify` that use what branches, assertions and checks determine."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import simplify

CASES = [
    Legal(
        "simplify",
        "a_size_that_a_branch_fixes",
        "n: size, x: f32[n]",
        """
        if n == 4:
            for i in seq(0, n):
                x[n - 1 - i] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
        simplify,
        """
        if n == 4:
            for i in seq(0, 4):
                x[3 - i] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "simplify",
        "quotients_that_an_assertion_fixes",
        "n: size, x: f32[n + 16]",
        """
        assert (n + 15) / 16 == 2
        for i in seq(0, 16 * ((n + 15) / 16) / 16):
            x[16 * i] = 1.0
        """,
        simplify,
        """
        for i in seq(0, 2):
            x[16 * i] = 1.0
        """,
        factor=16,
    ),
    Legal(
        "simplify",
        "sums_that_an_equation_shortens",
        "n: size, m: size, x: f32[n]",
        """
        assert n == 4 * m
        for i in seq(0, n / 4):
            x[n - 4 * m + 4 * i] = 1.0
        """,
        simplify,
        """
        for i in seq(0, m):
            x[4 * i] = 1.0
        """,
    ),
    Legal(
        "simplify",
        "a_size_that_a_check_fixes_after_it",
        "n: size, x: f32[n + 4]",
        """
        x[n] = 0.0
        check(n <= 1)
        x[n] = 1.0
        """,
        simplify,
        """
        x[n] = 0.0
        check(n <= 1)
        x[1] = 1.0
        """,
    ),
    Legal(
        "simplify",
        "iterators_under_a_guard_stay",
        "n: size, x: f32[n + 4]",
        """
        for i in seq(0, n):
            if i == 2:
                x[i] = 1.0
            else:
                x[i] = 2.0
            x[i + 1] = 3.0
        """,
        simplify,
        """
        for i in seq(0, n):
            if i == 2:
                x[i] = 1.0
            else:
                x[i] = 2.0
            x[i + 1] = 3.0
        """,
    ),
    Legal(
        "simplify",
        "loops_that_run_once_kept",
        "n: size, x: f32[n + 4]",
        """
        for i in seq(n, n + 1):
            for j in seq(0, 0):
                x[j] = 2.0
            x[i + 2 - 1] = 1.0
        """,
        lambda p: simplify(p, keep_unit_loops=True),
        """
        for i in seq(n, n + 1):
            x[i + 1] = 1.0
        """,
    ),
]
