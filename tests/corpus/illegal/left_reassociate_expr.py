"""Illegal steps of `left_reassociate_expr`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Wrong
from usl_core.scheduling import left_reassociate_expr

CASES = [
    Illegal(
        "left_reassociate_expr",
        "a_difference_of_a_quotient",
        "x: i32, y: i32, z: i32",
        "z = x / (y / z)",
        lambda p: left_reassociate_expr(p, p.body()[0].rhs()),
        "E404",
        "is wanted here",
        Wrong("z = x / y / z"),
    ),
    Illegal(
        "left_reassociate_expr",
        "a_sum_of_products",
        "x: f32, y: f32, z: f32",
        "z = x * (y + z)",
        lambda p: left_reassociate_expr(p, p.body()[0].rhs()),
        "E404",
        "is wanted here",
        Wrong("z = x * y + z"),
    ),
    Illegal(
        "left_reassociate_expr",
        "through_a_cast_that_wraps",
        "x: i32, y: u8, z: u8, r: i32",
        "r = x + i32(y + z)",
        lambda p: left_reassociate_expr(p, p.body()[0].rhs()),
        "E404",
        "is wanted here",
        Wrong("r = x + i32(y) + i32(z)"),
    ),
    Illegal(
        "left_reassociate_expr",
        "through_a_minimum",
        "x: i32, y: i32, z: i32",
        "z = x + min(y + z, 255)",
        lambda p: left_reassociate_expr(p, p.body()[0].rhs()),
        "E404",
        "is wanted here",
        Wrong("z = min(x + y + z, 255)"),
    ),
]
