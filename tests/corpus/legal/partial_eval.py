"""Legal steps of `partial_eval`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import eliminate_dead_code, partial_eval, simplify

CASES = [
    Legal(
        "partial_eval",
        "a_size",
        "m: size, n: size, x: f32[m, n]",
        """
        for i in seq(0, m):
            for j in seq(0, n):
                x[i, j] = 1.0
        """,
        lambda p: partial_eval(p, n=4),
        """
        for i in seq(0, m):
            for j in seq(0, 4):
                x[i, j] = 1.0
        """,
        fixed={"n": 4},
    ),
    Legal(
        "partial_eval",
        "a_truth_value_and_the_branch_it_decides",
        "flag: bool, x: f32",
        """
        if flag:
            x = 1.0
        else:
            x = 2.0
        """,
        lambda p: eliminate_dead_code(partial_eval(p, flag=False), "if _: _"),
        "x = 2.0",
        fixed={"flag": False},
    ),
    Legal(
        "partial_eval",
        "a_size_within_its_assertion",
        "n: size, x: f32[n]",
        """
        assert n % 4 == 0
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: simplify(partial_eval(p, n=8)),
        """
        for i in seq(0, 8):
            x[i] = 1.0
        """,
        fixed={"n": 8},
    ),
]
