"""Legal steps of `fold_into_reduce`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import fold_into_reduce

CASES = [
    Legal("fold_into_reduce", "at_the_front", "x: f32, y: f32", "x = x + y", lambda p: fold_into_reduce(p, "x = _"), "x += y"),
    Legal("fold_into_reduce", "at_the_end", "x: u8, y: u8", "x = y + x", lambda p: fold_into_reduce(p, "x = _"), "x += y"),
    Legal(
        "fold_into_reduce",
        "in_a_longer_sum",
        "x: f32, y: f32",
        "x = x + y - 1.0",
        lambda p: fold_into_reduce(p, "x = _"),
        "x += y - 1.0",
    ),
    Legal(
        "fold_into_reduce",
        "equal_places_in_another_form",
        "n: size, x: f32[2 * n]",
        """
        for i in seq(0, n):
            x[i + i] = x[2 * i] + 1.0
        """,
        lambda p: fold_into_reduce(p, "x[_] = _"),
        """
        for i in seq(0, n):
            x[i + i] += 1.0
        """,
    ),
    Legal("fold_into_reduce", "a_product", "x: f32, y: f32", "x = y * x", lambda p: fold_into_reduce(p, "x = _"), "x *= y"),
    Legal(
        "fold_into_reduce",
        "the_least_of_three",
        "x: i8, y: i8, z: i8",
        "x = min(min(x, y), z)",
        lambda p: fold_into_reduce(p, "x = _"),
        "x @= min(min(y, z))",
    ),
    Legal(
        "fold_into_reduce",
        "a_selected_value",
        "x: f32, y: f32",
        "x = select(x, y, y, x)",
        lambda p: fold_into_reduce(p, "x = _"),
        "x @= max(y)",
    ),
    Legal(
        "fold_into_reduce",
        "a_comparison",
        "n: size, x: f32[n], m: f32",
        """
        for i in seq(0, n):
            if m < x[i]:
                m = x[i]
        """,
        lambda p: fold_into_reduce(p, "if _: _"),
        """
        for i in seq(0, n):
            m @= max(x[i])
        """,
    ),
]
