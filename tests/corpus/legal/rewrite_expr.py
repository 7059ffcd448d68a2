"""Legal steps of `rewrite_expr`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import rewrite_expr

CASES = [
    Legal(
        "rewrite_expr",
        "a_common_factor",
        "x: f32, a: f32, b: f32",
        "x = x * a + x * b",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x * (a + b)"),
        "x = x * (a + b)",
    ),
    Legal(
        "rewrite_expr",
        "a_sum_as_a_product",
        "x: u8, y: u8",
        "y = x + x + x + x",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "4 * x"),
        "y = 4 * x",
    ),
    Legal(
        "rewrite_expr",
        "a_product_as_a_shift",
        "x: u8, y: u8",
        "y = 4 * x + x * 128",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "(x << 2) + (x << 7)"),
        "y = (x << 2) + (x << 7)",
    ),
    Legal(
        "rewrite_expr",
        "a_quotient_as_a_shift",
        "x: i8, y: i8",
        "y = x / 64",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x >> 2 >> 4"),
        "y = x >> 2 >> 4",
    ),
    Legal(
        "rewrite_expr",
        "bits_in_another_order",
        "x: i8, y: i8",
        "y = x & y | x ^ 3",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "3 ^ x | y & x"),
        "y = 3 ^ x | y & x",
    ),
    Legal(
        "rewrite_expr",
        "a_product_and_a_sum_fused",
        "x: f32, y: f32, z: f32",
        "z = x * y + z",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "fma(x, y, z)"),
        "z = fma(x, y, z)",
    ),
    Legal(
        "rewrite_expr",
        "a_number_modulo_its_width",
        "x: u8, y: u8",
        "y = x * 255",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "-x"),
    ),
    Legal(
        "rewrite_expr",
        "a_difference_that_vanishes",
        "x: f32, y: f32",
        "y = x - x + y",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "y"),
        "y = y",
    ),
    Legal(
        "rewrite_expr",
        "an_index_in_its_range",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[min(i, n - 1)] = 1.0
        """,
        lambda p: rewrite_expr(p, p.find("x[_] = _").idx()[0], "i"),
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
    ),
    Legal(
        "rewrite_expr",
        "a_negative_quotient",
        "k: index, x: f32[8]",
        "assert 0 <= k and k < 6\nx[(k - 5) / 2 + 3] = 1.0",
        lambda p: rewrite_expr(p, p.body()[0].idx()[0], "(k + 1) / 2"),
        "x[(k + 1) / 2] = 1.0",
    ),
    Legal(
        "rewrite_expr",
        "operands_of_a_minimum_in_another_order",
        "x: f32, a: f32, b: f32",
        "x = min(min(x, a), x) + max(a, max(b, x))",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "max(max(x, b), a) + min(a, x)"),
        "x = max(max(x, b), a) + min(a, x)",
    ),
    Legal(
        "rewrite_expr",
        "two_quotients_of_integers",
        "x: i16, y: i16",
        "y = (x + 3) / 2 / 2 / 4",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "(x + 3) / 16"),
        "y = (x + 3) / 16",
    ),
    Legal(
        "rewrite_expr",
        "two_quotients_of_sizes",
        "n: size, x: f32[n]",
        "x[n / 2 / 2 - n / 4] = 1.0",
        lambda p: rewrite_expr(p, p.body()[0].idx()[0], "n / 4 - n / 2 / 2"),
        "x[n / 4 - n / 2 / 2] = 1.0",
    ),
    Legal(
        "rewrite_expr",
        "casts_by_way_of_a_wider_type",
        "x: i8, y: i32, s: f32, t: f64",
        "y = i32(i16(x)) + i32(i8(x))\nt = f64(f32(x)) + f64(s)",
        lambda p: rewrite_expr(
            rewrite_expr(p, p.body()[0].rhs(), "i32(x) + i32(x)"), p.body()[1].rhs(), "f64(s) + f64(i32(x))"
        ),
        "y = i32(x) + i32(x)\nt = f64(s) + f64(i32(x))",
    ),
    Legal(
        "rewrite_expr",
        "a_quotient_as_a_product_with_the_inverse",
        "x: f32, y: f32, z: f32",
        "z = x / y",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "1.0 / y * x"),
        "z = 1.0 / y * x",
    ),
    Legal(
        "rewrite_expr",
        "quotients_by_one_divisor_added",
        "x: f32, y: f32, z: f32",
        "z = x / y + z / y",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "(z + x) / y"),
        "z = (z + x) / y",
    ),
    Legal(
        "rewrite_expr",
        "the_positive_part_as_a_greatest_value",
        "x: f32, y: f32",
        "y = max(relu(x), y)",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "max(max(y, x), 0.0)"),
        "y = max(max(y, x), 0.0)",
    ),
    Legal(
        "rewrite_expr",
        "a_clamped_number_as_extremes",
        "x: i8, y: i8, z: i8",
        "z = clamp(x, y, 9)",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "max(min(9, x), y)"),
        "z = max(min(9, x), y)",
    ),
    Legal(
        "rewrite_expr",
        "a_choice_of_the_greater",
        "x: f32, y: f32, z: f32",
        "z = select(x, y, y, x)",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "max(y, x)"),
        "z = max(y, x)",
    ),
    Legal(
        "rewrite_expr",
        "a_choice_of_the_lesser",
        "x: u8, y: u8, z: u8",
        "z = select(x, y, x, y)",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "min(x, y)"),
        "z = min(x, y)",
    ),
]
