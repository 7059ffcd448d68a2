"""Illegal steps of `lift_scope`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Wrong
from usl_core.scheduling import lift_scope

CASES = [
    Illegal(
        "lift_scope",
        "the_condition_uses_the_iterator",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            if i < 2:
                x[i] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        "E414",
        "depends on the iterator i",
        Malformed(
            """
            if i < 2:
                for i in seq(0, n):
                    x[i] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "lift_scope",
        "not_alone",
        "n: size, m: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = 1.0
            if m < 3:
                x[i] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        "E404",
        "must be alone",
        Wrong("""
        if m < 3:
            for i in seq(0, n):
                y[i] = 1.0
                x[i] = 1.0
        """),
    ),
    Illegal(
        "lift_scope",
        "data_that_a_loop_without_iterations_does_not_look_at",
        "n: size, x: f32[n], y: f32[n]",
        """
        y[0] = 5.0
        for i in seq(1, n):
            if x[0] < 0.0:
                y[i] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        "E412",
        "the loop i may not run",
        Wrong("""
        y[0] = 5.0
        if x[0] < 0.0:
            for i in seq(1, n):
                y[i] = 1.0
        """),
    ),
    Illegal(
        "lift_scope",
        "the_body_changes_the_data",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            if x[0] < 0.0:
                x[0] = 1.0
                y[i] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        "E411",
        "may change the data that",
        Wrong("""
        if x[0] < 0.0:
            for i in seq(0, n):
                x[0] = 1.0
                y[i] = 1.0
        """),
    ),
    Illegal(
        "lift_scope",
        "loops_that_do_not_commute",
        "n: size, x: f32[n + 1, n + 1]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                x[i + 1, j] = x[i, j + 1]
        """,
        lambda p: lift_scope(p, "for j in _: _"),
        "E411",
        "would change places do not commute",
        Wrong("""
        for j in seq(0, n):
            for i in seq(0, n):
                x[i + 1, j] = x[i, j + 1]
        """),
    ),
    Illegal(
        "lift_scope",
        "data_that_the_outer_condition_guards",
        "n: size, x: f32[2], y: f32",
        """
        y = 5.0
        if n > 2:
            if x[0] < 0.0:
                y = 1.0
        """,
        lambda p: lift_scope(p, "if x[0] < 0.0: _"),
        "E404",
        "depends on data, so its `if` does not change places",
        Wrong("""
        y = 5.0
        if x[0] < 0.0:
            if n > 2:
                y = 1.0
        """),
    ),
    Illegal(
        "lift_scope",
        "a_range_that_the_outer_condition_keeps_from_crossing",
        "n: size, x: f32[n], y: f32",
        """
        if n > 2:
            for j in seq(3, n):
                y += x[j]
        """,
        lambda p: lift_scope(p, "for j in _: _"),
        "E410",
        "lift_scope",
        Malformed(
            """
            for j in seq(3, n):
                if n > 2:
                    y += x[j]
            """,
            "E302",
        ),
    ),
    Illegal(
        "lift_scope",
        "a_loop_over_an_if_on_data_with_else",
        "n: size, c: f32, x: f32[n]",
        """
        if c < 3.0:
            for i in seq(0, n):
                x[i] = 1.0
        else:
            c = 1.0
        """,
        lambda p: lift_scope(p, "for i in _: _"),
        "E404",
        "its `if` has an `else`",
        Wrong("""
        for i in seq(0, n):
            if c < 3.0:
                x[i] = 1.0
            else:
                c = 1.0
        """),
    ),
    Illegal(
        "lift_scope",
        "a_loop_out_of_an_else_on_its_iterator",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            if i < 3:
                x[i] = 1.0
            else:
                x[i] = 2.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        "E414",
        "depends on the iterator i",
        Malformed(
            """
            if i < 3:
                for i in seq(0, n):
                    x[i] = 1.0
            else:
                for i in seq(0, n):
                    x[i] = 2.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "lift_scope",
        "out_of_an_else_with_other_statements",
        "n: size, m: size, x: f32[n]",
        """
        if m < 3:
            x[0] += 1.0
        else:
            x[0] = 2.0
            for i in seq(0, n):
                x[i] += 1.0
        """,
        lambda p: lift_scope(p, "for i in _: _"),
        "E404",
        "must be alone",
        Wrong("""
        if m < 3:
            x[0] += 1.0
        for i in seq(0, n):
            if m >= 3:
                x[0] = 2.0
                x[i] += 1.0
        """),
    ),
]
