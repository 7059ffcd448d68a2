"""Illegal steps of `commute_expr`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Wrong
from usl_core.scheduling import commute_expr

CASES = [
    Illegal(
        "commute_expr",
        "a_difference",
        "x: f32, y: f32, z: f32",
        "z = x - y",
        lambda p: commute_expr(p, "x - y"),
        "E404",
        "`+`, `*`, `&`, `|` or `^` is wanted here",
        Wrong("z = y - x"),
    ),
    Illegal(
        "commute_expr",
        "an_integer_quotient",
        "x: i32, y: i32, z: i32",
        "z = x / y",
        lambda p: commute_expr(p, "x / y"),
        "E404",
        "`+`, `*`, `&`, `|` or `^` is wanted here",
        Wrong("z = y / x"),
    ),
    Illegal(
        "commute_expr",
        "a_shift",
        "x: i32, y: i32, z: i32",
        "z = x << y",
        lambda p: commute_expr(p, "x << y"),
        "E404",
        "`+`, `*`, `&`, `|` or `^` is wanted here",
        Wrong("z = y << x"),
    ),
    Illegal(
        "commute_expr",
        "a_negative_remainder_of_an_index",
        "k: index, x: f32[8]",
        "x[(k - 6) % 8] = 1.0",
        lambda p: commute_expr(p, p.body()[0].idx()[0]),
        "E404",
        "`+`, `*`, `&`, `|` or `^` is wanted here",
        Malformed("x[8 % (k - 6)] = 1.0", "E200"),
    ),
]
