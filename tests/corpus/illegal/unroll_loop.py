"""Illegal steps of `unroll_loop`."""

from __future__ import annotations

from tests.corpus.callees import CONFIGURED
from tests.corpus.case import Illegal, Misuse, Wrong
from usl_core.scheduling import unroll_loop

CASES = [
    Illegal(
        "unroll_loop",
        "a_symbolic_end",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "E415",
        "the limit n is not a constant",
        Wrong("x[0] = 1.0"),
    ),
    Illegal(
        "unroll_loop",
        "a_symbolic_start",
        "m: index, x: f32[4]",
        """
        assert 0 <= m and m <= 4
        for i in seq(m, 4):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "E415",
        "the limit m is not a constant",
        Wrong("""
        x[0] = 1.0
        x[1] = 1.0
        x[2] = 1.0
        x[3] = 1.0
        """),
    ),
    Illegal(
        "unroll_loop",
        "an_end_that_is_only_bounded",
        "n: size, x: f32[n]",
        """
        for i in seq(0, min(n, 2)):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "E415",
        "is not a constant",
        Wrong("""
        x[0] = 1.0
        x[1] = 1.0
        """),
    ),
    Illegal(
        "unroll_loop",
        "a_row_of_a_triangle",
        "x: f32[4, 4]",
        """
        for i in seq(0, 4):
            for j in seq(0, i):
                x[i, j] = 1.0
        """,
        lambda p: unroll_loop(p, "j"),
        "E415",
        "the limit i is not a constant",
        Wrong("""
        for i in seq(0, 4):
            x[i, 0] = 1.0
            x[i, 1] = 1.0
            x[i, 2] = 1.0
        """),
    ),
    Illegal(
        "unroll_loop",
        "too_many_copies",
        "x: f32[5000]",
        """
        for i in seq(0, 5000):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "E404",
        "5000 copies are too many",
        Misuse("a text of 5000 copies"),
    ),
    Illegal(
        "unroll_loop",
        "a_size_in_the_branch_where_it_is_another",
        "n: size, x: f32[n]",
        """
        if n == 2:
            x[0] = 2.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "E415",
        "the limit n is not a constant",
        Wrong("""
        if n == 2:
            x[0] = 2.0
        else:
            x[0] = 1.0
        """),
    ),
    Illegal(
        "unroll_loop",
        "a_size_after_the_branch_that_fixes_it",
        "n: size, x: f32[n + 2]",
        """
        if n == 2:
            x[0] = 2.0
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "E415",
        "the limit n is not a constant",
        Wrong("""
        if n == 2:
            x[0] = 2.0
        x[0] = 1.0
        x[1] = 1.0
        """),
    ),
    Illegal(
        "unroll_loop",
        "a_row_fixed_by_another_iteration",
        "x: f32[4, 4]",
        """
        for i in seq(0, 4):
            if i == 2:
                x[i, 0] = 2.0
            for j in seq(0, i):
                x[i, j] = 1.0
        """,
        lambda p: unroll_loop(p, "j"),
        "E415",
        "the limit i is not a constant",
        Wrong("""
        for i in seq(0, 4):
            if i == 2:
                x[i, 0] = 2.0
            x[i, 0] = 1.0
            x[i, 1] = 1.0
        """),
    ),
    Illegal(
        "unroll_loop",
        "a_name_that_is_bound_again",
        "x: f32[4, 4]",
        """
        for i in seq(0, 4):
            if i == 2:
                for i in seq(0, 4):
                    for j in seq(0, i):
                        x[i, j] = 1.0
        """,
        lambda p: unroll_loop(p, "j"),
        "E415",
        "the limit i is not a constant",
        Wrong("""
        for i in seq(0, 4):
            if i == 2:
                for i in seq(0, 4):
                    x[i, 0] = 1.0
                    x[i, 1] = 1.0
        """),
    ),
    Illegal(
        "unroll_loop",
        "a_field_after_a_write_of_it",
        "n: size, x: f32[n + 2]",
        """
        if Reg.len == 2:
            Reg.len = n
            for i in seq(0, Reg.len):
                x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "E420",
        "reads Reg.len, which f writes",
        Wrong("""
        if Reg.len == 2:
            Reg.len = n
            x[0] = 1.0
            x[1] = 1.0
        """),
        scope=CONFIGURED,
    ),
]
