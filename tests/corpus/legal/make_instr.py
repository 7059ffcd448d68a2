"""Legal steps of `make_instr`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import make_instr

CASES = [
    Legal(
        "make_instr",
        "a_procedure",
        "n: size, x: f32[n]",
        "for i in seq(0, n):\n    x[i] = 0.0",
        lambda p: make_instr(p, "clear({n}, {x.ptr});"),
        """
        for i in seq(0, n):
            x[i] = 0.0
        """,
    ),
    Legal(
        "make_instr",
        "with_a_header",
        "x: f32",
        "x = 0.0",
        lambda p: make_instr(p, "{x} = 0;", includes=["<math.h>"]),
        "x = 0.0",
    ),
    Legal(
        "make_instr",
        "with_roundings",
        "x: f32",
        "x = x * 0.1",
        lambda p: make_instr(p, "{x} *= 0.1f;", roundings=1),
        "x = x * 0.1",
    ),
]
