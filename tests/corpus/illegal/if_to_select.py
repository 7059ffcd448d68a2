"""Illegal steps of `if_to_select`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Misuse, Stopped, Wrong
from usl_core.scheduling import if_to_select

CASES = [
    Illegal(
        "if_to_select",
        "a_condition_that_the_first_statement_changes",
        "x: f32, y: f32",
        """
        if x < 0.0:
            x = 1.0
            y = 2.0
        """,
        lambda p: if_to_select(p, "if _: _"),
        "E411",
        "the condition reads x",
        Wrong("""
        x = select(x, 0.0, 1.0, x)
        y = select(x, 0.0, 2.0, y)
        """),
    ),
    Illegal(
        "if_to_select",
        "two_places",
        "x: f32, y: f32",
        """
        if x < 0.0:
            x = 1.0
        else:
            y = 2.0
        """,
        lambda p: if_to_select(p, "if _: _"),
        "E412",
        "not proved to write the same place",
        Wrong("x = select(x, 0.0, 1.0, 2.0)"),
    ),
    Illegal(
        "if_to_select",
        "a_sum_or_a_product",
        "x: f32, y: f32",
        """
        if y < 0.0:
            x += y
        else:
            x *= y
        """,
        lambda p: if_to_select(p, "if _: _"),
        "E412",
        "both reduce by different operations",
        Wrong("x += y"),
    ),
    Illegal(
        "if_to_select",
        "a_check",
        "n: size, x: f32, y: f32",
        """
        if y < 0.0:
            x = y
            check(n > 3)
        """,
        lambda p: if_to_select(p, "if _: _"),
        "E404",
        "a branch has Check in it",
        Stopped("""
        x = select(y, 0.0, y, x)
        check(n > 3)
        """),
    ),
    Illegal(
        "if_to_select",
        "a_condition_on_sizes",
        "n: size, x: f32",
        """
        if n < 3:
            x = 1.0
        """,
        lambda p: if_to_select(p, "if _: _"),
        "E404",
        "n < 3 is no comparison of data",
        Misuse("select compares data"),
    ),
]
