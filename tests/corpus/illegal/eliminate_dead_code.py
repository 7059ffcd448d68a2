"""Illegal steps of `eliminate_dead_code`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Wrong
from usl_core.scheduling import eliminate_dead_code

CASES = [
    Illegal(
        "eliminate_dead_code",
        "it_depends_on_the_size",
        "n: size, x: f32",
        """
        if n < 4:
            x = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E412",
        "is neither always true nor always false",
        Wrong("x = 1.0"),
    ),
    Illegal(
        "eliminate_dead_code",
        "the_last_iteration_differs",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            if i < n - 1:
                x[i] = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E412",
        "is neither always true nor always false",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "eliminate_dead_code",
        "a_union_of_two_assumptions",
        "n: size, x: f32",
        """
        assert n < 3 or n > 6
        if n < 3:
            x = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E412",
        "is neither always true nor always false",
        Wrong("pass"),
    ),
    Illegal(
        "eliminate_dead_code",
        "true_only_if_division_truncates",
        "k: index, x: f32",
        """
        if k >= 4 or (k - 4) / 2 * 2 >= k - 4:
            x = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E412",
        "is neither always true nor always false",
        Wrong("x = 1.0"),
    ),
    Illegal(
        "eliminate_dead_code",
        "true_only_if_remainders_take_the_sign_of_the_dividend",
        "k: index, x: f32",
        """
        if k > 4 or (k - 4) % 3 <= 0:
            x = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E412",
        "is neither always true nor always false",
        Wrong("x = 1.0"),
    ),
    Illegal(
        "eliminate_dead_code",
        "a_loop_that_may_run",
        "n: size, x: f32[n]",
        """
        for i in seq(1, n):
            x[i] = 1.0
        """,
        lambda p: eliminate_dead_code(p, "for i in _: _"),
        "E412",
        "may run",
        Wrong("pass"),
    ),
    Illegal(
        "eliminate_dead_code",
        "a_condition_on_data",
        "x: f32, y: f32",
        """
        if x < x + y:
            y = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E404",
        "depends on data",
        Wrong("y = 1.0"),
    ),
    Illegal(
        "eliminate_dead_code",
        "a_maximum_below_the_end_of_the_loop",
        "x: f32[4]",
        """
        for i in seq(0, 4):
            if i < max(2, 3):
                x[i] = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E412",
        "is neither always true nor always false",
        Wrong("""
        for i in seq(0, 4):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "eliminate_dead_code",
        "an_assignment",
        "x: f32",
        "x = 1.0",
        lambda p: eliminate_dead_code(p, "x = _"),
        "E404",
        "an `if` or a loop is wanted here",
        Wrong("pass"),
    ),
    Illegal(
        "eliminate_dead_code",
        "a_branch_that_a_negated_fact_does_not_decide",
        "n: size, x: f32",
        """
        if n > 5:
            x = 1.0
        else:
            if n > 3:
                x = 2.0
        """,
        lambda p: eliminate_dead_code(p, "if n > 3: _"),
        "E412",
        "is neither always true nor always false",
        Wrong("""
        if n > 5:
            x = 1.0
        """),
    ),
]
