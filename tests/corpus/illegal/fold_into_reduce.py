"""Illegal steps of `fold_into_reduce`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Wrong
from usl_core.scheduling import fold_into_reduce

CASES = [
    Illegal(
        "fold_into_reduce",
        "another_place",
        "n: size, x: f32[n + 1]",
        "x[n] = x[n - 1] + 1.0",
        lambda p: fold_into_reduce(p, "x[_] = _"),
        "E412",
        "the right side is not x",
        Wrong("x[n] += 1.0"),
    ),
    Illegal(
        "fold_into_reduce",
        "the_target_is_subtracted",
        "x: f32, y: f32",
        "x = y - x",
        lambda p: fold_into_reduce(p, "x = _"),
        "E412",
        "the right side is not x",
        Wrong("x += y"),
    ),
    Illegal(
        "fold_into_reduce",
        "the_target_is_under_a_cast",
        "x: u8, y: i32",
        "x = u8(i32(x) / 2 + y)",
        lambda p: fold_into_reduce(p, "x = _"),
        "E412",
        "the right side is not x",
        Wrong("x += u8(y)"),
    ),
    Illegal(
        "fold_into_reduce",
        "a_product",
        "x: f32, y: f32",
        "x = x * y",
        lambda p: fold_into_reduce(p, "x = _"),
        "E412",
        "the right side is not x",
        Wrong("x += y"),
    ),
]
