"""Legal steps of `inline`."""

from __future__ import annotations

from tests.corpus.callees import COPY, COPY4, SQUARES
from tests.corpus.case import Legal
from usl_core.scheduling import inline

ROW = """
def row(n: size, dst: [f32][n], v: f32):
    w = dst[0:1]
    for k in seq(0, n):
        dst[k] = v
    w[0] = 2.0 * v
"""


CASES = [
    Legal(
        "inline",
        "a_copy",
        "x: f32[8], y: f32[8]",
        "copy4(x[2:6], y[0:4])",
        lambda p, c: inline(p, "copy4(_)"),
        """
        for k in seq(0, 4):
            x[2 + k] = y[k]
        """,
        callees=(COPY4,),
    ),
    Legal(
        "inline",
        "with_a_size_and_a_column",
        "n: size, x: f32[n + 2, n], y: f32[n]",
        "copy(n, x[1:n + 1, n - 1], y[0:n])",
        lambda p, c: inline(p, "copy(_)"),
        """
        for k in seq(0, n):
            x[1 + k, n - 1] = y[k]
        """,
        callees=(COPY,),
    ),
    Legal(
        "inline",
        "with_a_window_inside",
        "x: f32[8], v: f32",
        "row(4, x[3:7], v)",
        lambda p, c: inline(p, "row(_)"),
        """
        w = x[3:4]
        for k in seq(0, 4):
            x[3 + k] = v
        w[0] = 2.0 * v
        """,
        callees=(ROW,),
    ),
    Legal(
        "inline",
        "with_a_number_for_a_scalar",
        "x: f32[8]",
        "row(4, x[3:7], 1.5)",
        lambda p, c: inline(p, "row(_)"),
        """
        w = x[3:4]
        for k in seq(0, 4):
            x[3 + k] = 1.5
        w[0] = 2.0 * 1.5
        """,
        callees=(ROW,),
    ),
    Legal(
        "inline",
        "names_that_clash",
        "n: size, x: f32[n], t: f32[n]",
        """
        for k in seq(0, n):
            t[k] = 1.0
        squares(n, x[0:n], t[0:n])
        """,
        lambda p, c: inline(p, "squares(_)"),
        callees=(SQUARES,),
    ),
]
