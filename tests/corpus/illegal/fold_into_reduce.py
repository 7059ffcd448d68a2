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
        "a_quotient",
        "x: f32, y: f32",
        "x = x / y",
        lambda p: fold_into_reduce(p, "x = _"),
        "E412",
        "the right side is not x",
        Wrong("x += y"),
    ),
    Illegal(
        "fold_into_reduce",
        "the_greatest_of_more_than_the_target",
        "x: f32, y: f32",
        "x = max(x + y, 1.0)",
        lambda p: fold_into_reduce(p, "x = _"),
        "E412",
        "the right side is not x",
        Wrong("x @= max(y)"),
    ),
    Illegal(
        "fold_into_reduce",
        "what_is_kept_is_not_what_is_compared",
        "x: f32, y: f32",
        """
        if y > x:
            x = y + 1.0
        """,
        lambda p: fold_into_reduce(p, "if _: _"),
        "E412",
        "the `if` does not compare x",
        Wrong("x @= max(y + 1.0)"),
    ),
    Illegal(
        "fold_into_reduce",
        "the_lesser_is_kept_of_another",
        "x: f32[2], y: f32",
        """
        if y < x[0]:
            x[1] = y
        """,
        lambda p: fold_into_reduce(p, "if _: _"),
        "E412",
        "the `if` does not compare x",
        Wrong("x[1] @= min(y)"),
    ),
]
