"""Legal steps of `extract_subproc`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import extract_subproc

CASES = [
    Legal(
        "extract_subproc",
        "a_loop",
        "n: size, x: f32[n], y: f32[n]",
        "y[0] = 2.0\nfor i in seq(0, n):\n    x[i] = y[i]",
        lambda p: extract_subproc(p, p.find_loop("i"), "part")[0],
        """
        y[0] = 2.0
        part(n, x, y)
        """,
    ),
    Legal(
        "extract_subproc",
        "under_a_guard",
        "n: size, x: f32[n]",
        "if n > 5:\n    x[5] = 1.0",
        lambda p: extract_subproc(p, p.find("x[_] = _"), "part")[0],
        """
        if n > 5:
            part(n, x)
        """,
    ),
    Legal(
        "extract_subproc",
        "a_statement_with_iterators",
        "n: size, x: f32[n, n]",
        "for i in seq(0, n):\n    for j in seq(0, i):\n        x[i, j] += x[j, i]",
        lambda p: extract_subproc(p, p.find("x[_] += _"), "part")[0],
    ),
]
