"""Legal steps of `left_reassociate_expr`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import left_reassociate_expr

CASES = [
    Legal(
        "left_reassociate_expr",
        "a_sum",
        "x: f32, y: f32",
        "x = x + (y + 1.0)",
        lambda p: left_reassociate_expr(p, p.body()[0].rhs()),
        "x = x + y + 1.0",
    ),
    Legal(
        "left_reassociate_expr",
        "a_difference",
        "x: i8, y: i8",
        "x = x - (y - 100)",
        lambda p: left_reassociate_expr(p, p.body()[0].rhs()),
        "x = x - y + 100",
    ),
    Legal(
        "left_reassociate_expr",
        "bits",
        "x: u8, y: u8",
        "x = x ^ (y ^ 7)",
        lambda p: left_reassociate_expr(p, p.body()[0].rhs()),
        "x = x ^ y ^ 7",
    ),
    Legal(
        "left_reassociate_expr",
        "a_wrapping_product",
        "x: u8, y: u8",
        "x = x * (y * 7)",
        lambda p: left_reassociate_expr(p, p.body()[0].rhs()),
        "x = x * y * 7",
    ),
    Legal(
        "left_reassociate_expr",
        "an_index",
        "n: size, x: f32[2 * n + 4]",
        "x[n + (n + 3)] = 1.0",
        lambda p: left_reassociate_expr(p, p.body()[0].idx()[0]),
        "x[n + n + 3] = 1.0",
    ),
]
