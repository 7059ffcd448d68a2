"""Illegal steps of `fold_into_argreduce`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Wrong
from usl_core.scheduling import fold_into_argreduce


def two_reductions(element: str, position: str, m: str = "m", k: str = "k", none: int = 2147483647, typ: str = "i32") -> Wrong:
    """What the operator would make of a search for the greatest element."""
    return Wrong(f"""
        before: f32
        before = {m}
        for i in seq(0, n):
            {m} @= max({element})
        first: {typ}
        first = {none}
        for i in seq(0, n):
            first @= min(select({element}, {m}, {none}, {position}))
        {k} = select(before, {m}, first, {k})
        """)


CASES = [
    Illegal(
        "fold_into_argreduce",
        "the_last_of_equal_elements",
        "n: size, x: f32[n], m: f32, k: i32",
        """
        assert n <= 1000
        for i in seq(0, n):
            if x[i] >= m:
                m = x[i]
                k = i32(i)
        """,
        lambda p: fold_into_argreduce(p, "i"),
        "E404",
        "does not ask whether an element is greater or less",
        two_reductions("x[i]", "i32(i)"),
    ),
    Illegal(
        "fold_into_argreduce",
        "another_element_is_kept",
        "n: size, x: f32[n], m: f32, k: i32",
        """
        assert n <= 1000
        for i in seq(0, n):
            if x[i] > m:
                m = x[n - 1 - i]
                k = i32(i)
        """,
        lambda p: fold_into_argreduce(p, "i"),
        "E412",
        "neither assignment gives what is compared",
        two_reductions("x[i]", "i32(i)"),
    ),
    Illegal(
        "fold_into_argreduce",
        "more_in_the_loop",
        "n: size, x: f32[n], m: f32, k: i32, y: f32",
        """
        assert n <= 1000
        for i in seq(0, n):
            if x[i] > m:
                m = x[i]
                k = i32(i)
            y += m
        """,
        lambda p: fold_into_argreduce(p, "i"),
        "E404",
        "an `if` without `else` in it, and nothing more",
        two_reductions("x[i]", "i32(i)"),
    ),
    Illegal(
        "fold_into_argreduce",
        "an_element_is_where_the_greatest_is_kept",
        "n: size, x: f32[n], k: i32",
        """
        assert n <= 1000
        for i in seq(0, n):
            if x[i] > x[0]:
                x[0] = x[i]
                k = i32(i)
        """,
        lambda p: fold_into_argreduce(p, "i"),
        "E411",
        "x may be read as an element",
        two_reductions("x[i]", "i32(i)", m="x[0]"),
    ),
    Illegal(
        "fold_into_argreduce",
        "the_position_chooses_elements",
        "n: size, x: f32[n], m: f32, k: i32",
        """
        assert n <= 1000
        for i in seq(0, n):
            if x[idx(k + i32(i), 0, n)] > m:
                m = x[idx(k + i32(i), 0, n)]
                k = i32(i)
        """,
        lambda p: fold_into_argreduce(p, "i"),
        "E411",
        "k may be read as an element",
        two_reductions("x[idx(k + i32(i), 0, n)]", "i32(i)"),
    ),
    Illegal(
        "fold_into_argreduce",
        "another_place_in_each_iteration",
        "n: size, x: f32[n], y: f32[n], k: i32",
        """
        assert n <= 1000
        for i in seq(0, n):
            if x[i] > y[i]:
                y[i] = x[i]
                k = i32(i)
        """,
        lambda p: fold_into_argreduce(p, "i"),
        "E412",
        "each iteration has another y",
        two_reductions("x[i]", "i32(i)", m="y[0]"),
    ),
    Illegal(
        "fold_into_argreduce",
        "one_place_for_both",
        "n: size, x: i32[n], y: i32[2]",
        """
        assert n <= 1000
        for i in seq(0, n):
            if x[i] > y[0]:
                y[0] = x[i]
                y[0] = i32(i)
        """,
        lambda p: fold_into_argreduce(p, "i"),
        "E411",
        "y may be read as an element",
        Wrong("""
        before: i32
        before = y[0]
        for i in seq(0, n):
            y[0] @= max(x[i])
        first: i32
        first = 2147483647
        for i in seq(0, n):
            first @= min(select(x[i], y[0], 2147483647, i32(i)))
        y[0] = select(before, y[0], first, y[0])
        """),
    ),
    Illegal(
        "fold_into_argreduce",
        "a_position_that_falls",
        "n: size, x: f32[n], m: f32, k: i32",
        """
        assert n <= 1000
        for i in seq(0, n):
            if x[i] > m:
                m = x[i]
                k = i32(n - i)
        """,
        lambda p: fold_into_argreduce(p, "i"),
        "E412",
        "never falls from one iteration to the next",
        two_reductions("x[i]", "i32(n - i)"),
    ),
    Illegal(
        "fold_into_argreduce",
        "a_position_that_wraps",
        "n: size, x: f32[n], m: f32, k: i8",
        """
        assert n <= 1000
        for i in seq(0, n):
            if x[i] > m:
                m = x[i]
                k = i8(i + 126)
        """,
        lambda p: fold_into_argreduce(p, "i"),
        "E412",
        "cannot prove that i + 126 fits i8",
        two_reductions("x[i]", "i8(i + 126)", none=127, typ="i8"),
    ),
    Illegal(
        "fold_into_argreduce",
        "a_position_that_wraps_from_below",
        "n: size, x: f32[n], m: f32, k: i8",
        """
        assert n <= 20
        for i in seq(0, n):
            if x[i] > m:
                m = x[i]
                k = i8(i - 129)
        """,
        lambda p: fold_into_argreduce(p, "i"),
        "E412",
        "cannot prove that i - 129 fits i8",
        two_reductions("x[i]", "i8(i - 129)", none=127, typ="i8"),
    ),
    Illegal(
        "fold_into_argreduce",
        "a_position_that_is_data",
        "n: size, x: f32[n], m: f32, k: i32, z: i32[n]",
        """
        assert n <= 1000
        for i in seq(0, n):
            if x[i] > m:
                m = x[i]
                k = z[i]
        """,
        lambda p: fold_into_argreduce(p, "i"),
        "E404",
        "is no control value as an integer",
        two_reductions("x[i]", "z[i]"),
    ),
]
