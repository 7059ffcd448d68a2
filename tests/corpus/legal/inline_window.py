"""Legal steps of `inline_window`."""

from __future__ import annotations

from tests.corpus.callees import COPY4
from tests.corpus.case import Legal
from usl_core.scheduling import inline_window

CASES = [
    Legal(
        "inline_window",
        "an_element",
        "n: size, x: f32[n, 8]",
        """
        for i in seq(0, n):
            w = x[i, 2:6]
            w[1] = 3.0
        """,
        lambda p: inline_window(p, "w"),
        """
        for i in seq(0, n):
            x[i, 3] = 3.0
        """,
    ),
    Legal(
        "inline_window",
        "a_window_of_a_window",
        "x: f32[8, 8]",
        """
        w = x[1:7, 3]
        v = w[1:4]
        v[0] = w[5]
        """,
        lambda p: inline_window(p, "w"),
        """
        v = x[2:5, 3]
        v[0] = x[6, 3]
        """,
    ),
    Legal(
        "inline_window",
        "an_argument",
        "x: f32[8, 8], y: f32[4]",
        """
        w = x[1:5, 3]
        copy4(w, y[0:4])
        """,
        lambda p, c: inline_window(p, "w"),
        "copy4(x[1:5, 3], y[0:4])",
        callees=(COPY4,),
    ),
]
