"""Illegal steps of `rewrite_expr`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Wrong
from usl_core.scheduling import rewrite_expr

CASES = [
    Illegal(
        "rewrite_expr",
        "nothing_times_a_quotient_by_what_may_be_zero",
        "x: f32[2]",
        "x[1] = x[0]",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x[0] + 0.0 * (1.0 / x[0])"),
        "E453",
        "may have no value where",
        Wrong("x[1] = x[0] + 0.0 * (1.0 / x[0])"),
    ),
    Illegal(
        "rewrite_expr",
        "a_quotient_by_zero_less_itself",
        "x: R[2]",
        "x[1] = x[0]",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x[0] + 1.0 / (x[0] - x[0]) - 1.0 / 0.0"),
        "E453",
        "may have no value where",
        Wrong("x[1] = x[0] + 1.0 / (x[0] - x[0]) - 1.0 / 0.0"),
    ),
    Illegal(
        "rewrite_expr",
        "nothing_times_the_root_of_what_may_be_negative",
        "x: f32[2]",
        "x[1] = x[0]",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x[0] + 0.0 * sqrt(-x[0] * x[0] - 1.0)"),
        "E453",
        "may have no value where",
        Wrong("x[1] = x[0] + 0.0 * sqrt(-x[0] * x[0] - 1.0)"),
    ),
    Illegal(
        "rewrite_expr",
        "the_same_divisor_only_where_it_is_not_selected",
        "x: f32[2]",
        "x[1] = select(x[0], 0.0, 1.0, 1.0 / x[0])",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "select(x[0], 0.0, 1.0, 1.0 / x[0]) + 1.0 / x[0] - 1.0 / x[0]"),
        "E453",
        "may have no value where",
        Wrong("x[1] = select(x[0] - 1.0, 0.0, 1.0, 1.0 / x[0]) + 1.0 / (x[0] - x[0])"),
    ),
    Illegal(
        "rewrite_expr",
        "doubling_and_halving_integers",
        "x: u8, y: u8",
        "y = x * 2 / 2",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x"),
        "E412",
        "rewrite_expr",
        Wrong("y = x"),
    ),
    Illegal(
        "rewrite_expr",
        "a_cast_pulled_out_of_a_wrapping_sum",
        "x: u8, y: u8, z: i32",
        "z = i32(x + y)",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "i32(x) + i32(y)"),
        "E412",
        "rewrite_expr",
        Wrong("z = i32(x) + i32(y)"),
    ),
    Illegal(
        "rewrite_expr",
        "a_comparison_that_wraps",
        "x: i8, y: i8",
        "y = max(x + 1, x)",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x + 1"),
        "E412",
        "rewrite_expr",
        Wrong("y = x + 1"),
    ),
    Illegal(
        "rewrite_expr",
        "an_average_of_integers",
        "x: i32, y: i32, z: i32",
        "z = (x + y) / 2",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x / 2 + y / 2"),
        "E412",
        "rewrite_expr",
        Wrong("z = x / 2 + y / 2"),
    ),
    Illegal(
        "rewrite_expr",
        "zero_as_a_difference_of_something_unread",
        "x: f32, y: f32",
        "y = 0.0",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x - x"),
        "E453",
        "reads data that",
        Wrong("y = x - x"),
    ),
    Illegal(
        "rewrite_expr",
        "an_index_that_is_equal_only_if_division_truncates",
        "k: index, x: f32[8]",
        """
        assert 0 <= k and k < 6
        x[(k - 5) / 2 + 3] = 1.0
        """,
        lambda p: rewrite_expr(p, p.body()[0].idx()[0], "(k - 4) / 2 + 3"),
        "E412",
        "rewrite_expr",
        Wrong("x[(k - 4) / 2 + 3] = 1.0"),
    ),
    Illegal(
        "rewrite_expr",
        "an_index_out_of_range",
        "n: size, x: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: rewrite_expr(p, p.find("x[_] = _").idx()[0], "i + 1"),
        "E412",
        "rewrite_expr",
        Wrong("""
        for i in seq(0, n):
            x[i + 1] = 1.0
        """),
    ),
    Illegal(
        "rewrite_expr",
        "a_divisor_that_may_be_zero",
        "x: f32, y: f32",
        "y = y",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "y * x / x"),
        "E453",
        "reads data that",
        Wrong("y = y * x / x"),
    ),
    Illegal(
        "rewrite_expr",
        "a_quotient_as_a_product_with_a_rounded_number",
        "x: f32, y: f32",
        "y = x / 3.0",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x * 0.3333333333"),
        "E412",
        "are not proved equal",
        Wrong("y = x * 0.3333333333"),
    ),
    Illegal(
        "rewrite_expr",
        "a_condition_that_holds_once_more",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            if i < n - 1:
                x[i] = 1.0
        """,
        lambda p: rewrite_expr(p, p.find("if _: _").cond(), "i <= n - 1"),
        "E412",
        "are not proved equal",
        Wrong("""
        for i in seq(0, n):
            if i <= n - 1:
                x[i] = 1.0
        """),
    ),
    Illegal(
        "rewrite_expr",
        "a_divisor_that_is_no_number",
        "n: size, x: f32[4]",
        """
        assert n == 4
        for i in seq(0, 8):
            x[i % 4] = 0.0
        """,
        lambda p: rewrite_expr(p, p.find("_ % _").rhs(), "n"),
        "E404",
        "must stay a number",
        Malformed(
            """
            assert n == 4
            for i in seq(0, 8):
                x[i % n] = 0.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "rewrite_expr",
        "a_product_of_two_variables",
        "n: size, x: f32[32]",
        """
        assert n == 4
        for i in seq(0, 8):
            x[4 * i] = 0.0
        """,
        lambda p: rewrite_expr(p, p.find("_ * _").lhs(), "n"),
        "E404",
        "must stay a number",
        Malformed(
            """
            assert n == 4
            for i in seq(0, 8):
                x[n * i] = 0.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "rewrite_expr",
        "a_cast_that_saturates_on_its_way",
        "x: i16, y: i8",
        "y = i8(f32(x))",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "i8(x)"),
        "E412",
        "not proved equal",
        Wrong("y = i8(x)"),
    ),
    Illegal(
        "rewrite_expr",
        "a_cast_by_way_of_a_narrow_type",
        "x: i16, y: i32",
        "y = i32(i8(x))",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "i32(x)"),
        "E412",
        "not proved equal",
        Wrong("y = i32(x)"),
    ),
    Illegal(
        "rewrite_expr",
        "a_sign_lost_on_the_way",
        "x: i8, y: i32",
        "y = i32(u16(x))",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "i32(x)"),
        "E412",
        "not proved equal",
        Wrong("y = i32(x)"),
    ),
    Illegal(
        "rewrite_expr",
        "quotients_whose_product_is_no_number_of_the_type",
        "x: i8, y: i8",
        "y = x / 16 / 16",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x / 0"),
        "E412",
        "not proved equal",
        Wrong("y = x / 0"),
    ),
    Illegal(
        "rewrite_expr",
        "quotients_by_a_negative_number",
        "x: i16, y: i16",
        "y = x / 2 / -2",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x / -4"),
        "E412",
        "not proved equal",
        Wrong("y = x / -4"),
    ),
    Illegal(
        "rewrite_expr",
        "the_larger_for_the_smaller",
        "x: f32, y: f32",
        "x = min(x, y)",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "max(y, x)"),
        "E412",
        "not proved equal",
        Wrong("x = max(y, x)"),
    ),
    Illegal(
        "rewrite_expr",
        "a_shift_by_the_width",
        "x: i8, y: i8",
        "y = x << 8",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x << 0"),
        "E412",
        "not proved equal",
        Wrong("y = x << 0"),
    ),
    Illegal(
        "rewrite_expr",
        "a_shift_to_the_right_that_keeps_the_sign",
        "x: i8, y: i8",
        "y = x >> 8",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "0"),
        "E412",
        "not proved equal",
        Wrong("y = 0"),
    ),
    Illegal(
        "rewrite_expr",
        "a_shift_by_what_is_no_number_of_the_type",
        "x: i8, y: i8",
        "y = x >> 7",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x / -128"),
        "E412",
        "not proved equal",
        Wrong("y = x / -128"),
    ),
    Illegal(
        "rewrite_expr",
        "bits_and_a_sum",
        "x: u8, y: u8",
        "y = y ^ x",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "y + x"),
        "E412",
        "not proved equal",
        Wrong("y = y + x"),
    ),
    Illegal(
        "rewrite_expr",
        "bits_of_a_rounded_number",
        "x: f32, y: u32",
        "y = bits(x + 1.0)",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "bits(x) + 1065353216"),
        "E412",
        "not proved equal",
        Wrong("y = bits(x) + 1065353216"),
    ),
    Illegal(
        "rewrite_expr",
        "an_integer_quotient_as_a_product",
        "x: i8, y: i8",
        "y = x / y",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x * (1 / y)"),
        "E412",
        "",
        Wrong("y = x * (1 / y)"),
    ),
    Illegal(
        "rewrite_expr",
        "an_inverse_that_vanishes",
        "x: f32, y: f32",
        "x = x * 1.0",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "x * (0.0 / y) + x"),
        "E453",
        "",
        Wrong("x = x * (0.0 / y) + x"),
    ),
    Illegal(
        "rewrite_expr",
        "a_choice_of_the_lesser_for_the_greater",
        "x: f32, y: f32",
        "x = select(x, y, x, y)",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "max(x, y)"),
        "E412",
        "",
        Wrong("x = max(x, y)"),
    ),
    Illegal(
        "rewrite_expr",
        "a_choice_of_other_numbers",
        "x: f32, y: f32",
        "x = select(x, y, y, 1.0)",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "max(x, y)"),
        "E412",
        "",
        Wrong("x = max(x, y)"),
    ),
    Illegal(
        "rewrite_expr",
        "limits_the_other_way_round",
        "x: i8, y: i8",
        "x = clamp(x, y, 3)",
        lambda p: rewrite_expr(p, p.body()[0].rhs(), "min(3, max(x, y))"),
        "E412",
        "",
        Wrong("x = min(3, max(x, y))"),
    ),
]
