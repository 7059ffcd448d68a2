"""Legal steps of `commute_expr`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import commute_expr

CASES = [
    Legal("commute_expr", "a_sum", "x: f32, y: f32", "x = x + y", lambda p: commute_expr(p, "x + y"), "x = y + x"),
    Legal("commute_expr", "a_wrapping_product", "x: u8, y: u8", "x = x * y", lambda p: commute_expr(p, "x * y"), "x = y * x"),
    Legal("commute_expr", "bits", "x: i8, y: i8", "x = x & (y | 3)", lambda p: commute_expr(p, "x & _"), "x = (y | 3) & x"),
    Legal(
        "commute_expr",
        "an_index",
        "n: size, x: f32[n + 4]",
        "x[n + 3] = 1.0",
        lambda p: commute_expr(p, p.body()[0].idx()[0]),
        "x[3 + n] = 1.0",
    ),
    Legal(
        "commute_expr",
        "all_of_a_nest",
        "x: f32, y: f32",
        "x = (x + y) * (y + 1.0)",
        lambda p: commute_expr(p, p.find("_ + _", many=True)),
        "x = (y + x) * (1.0 + y)",
    ),
]
