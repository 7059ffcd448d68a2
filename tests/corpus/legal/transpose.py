"""Legal steps of `transpose`."""

from __future__ import annotations

from tests.corpus.callees import ROW4
from tests.corpus.case import Legal
from usl_core.scheduling import transpose

CASES = [
    Legal(
        "transpose",
        "twice",
        "n: size, m: size, x: f32[n, m]",
        "for i in seq(0, n):\n    for j in seq(0, m):\n        x[i, j] = 1.0",
        lambda p: transpose(transpose(p, "x"), "x"),
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 1.0
        """,
    ),
    Legal(
        "transpose",
        "with_rows_as_arguments",
        "x: f32[8, 4], v: f32",
        "row4(x[2, 0:4], v)",
        lambda p, c: transpose(transpose(p, "x"), "x"),
        callees=(ROW4,),
    ),
    Legal(
        "transpose",
        "a_square_whose_elements_all_become_one",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = 1.0
        """,
        lambda p: transpose(p, "x"),
        """
        for i in seq(0, n):
            for j in seq(0, n):
                x[j, i] = 1.0
        """,
    ),
]
