"""Illegal steps of `remove_loop`."""

from __future__ import annotations

from tests.corpus.callees import TOTAL, TOTAL_OF_MANY
from tests.corpus.case import Illegal, Malformed, Wrong
from usl_core.scheduling import remove_loop

CASES = [
    Illegal(
        "remove_loop",
        "the_body_uses_the_iterator",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: remove_loop(p, "i"),
        "E414",
        "the body uses the iterator i",
        Malformed("x[i] = 1.0", "E200"),
    ),
    Illegal(
        "remove_loop",
        "a_reduction_is_repeated",
        "n: size, a: f32",
        """
        for i in seq(0, n):
            a += 1.0
        """,
        lambda p: remove_loop(p, "i"),
        "E411",
        "may have an effect when it runs again",
        Wrong("a += 1.0"),
    ),
    Illegal(
        "remove_loop",
        "a_value_is_read_before_it_is_written",
        "n: size, a: f32",
        """
        for i in seq(0, n):
            a = 2.0 * a
        """,
        lambda p: remove_loop(p, "i"),
        "E411",
        "may have an effect when it runs again",
        Wrong("a = 2.0 * a"),
    ),
    Illegal(
        "remove_loop",
        "two_values_are_swapped",
        "n: size, a: f32, b: f32, t: f32",
        """
        for i in seq(0, n):
            t = a
            a = b
            b = t
        """,
        lambda p: remove_loop(p, "i"),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        t = a
        a = b
        b = t
        """),
    ),
    Illegal(
        "remove_loop",
        "poison_that_a_second_run_defines",
        "n: size, x: f32, y: f32",
        """
        assert n >= 2
        t: f32
        for i in seq(0, n):
            y = t
            t = x
        """,
        lambda p: remove_loop(p, "i"),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        t: f32
        y = t
        t = x
        """),
    ),
    Illegal(
        "remove_loop",
        "the_place_moves_with_the_data",
        "n: size, k: i32[1], x: f32[4]",
        """
        for i in seq(0, n):
            x[idx(k[0], 0, 4)] = 2.0
            k[0] = 3
        """,
        lambda p: remove_loop(p, "i"),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        x[idx(k[0], 0, 4)] = 2.0
        k[0] = 3
        """),
    ),
    Illegal(
        "remove_loop",
        "a_branch_taken_only_the_second_time",
        "n: size, x: f32, y: f32",
        """
        for i in seq(0, n):
            if x < 0.0:
                y = 1.0
            x = -1.0
        """,
        lambda p: remove_loop(p, "i"),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        if x < 0.0:
            y = 1.0
        x = -1.0
        """),
    ),
    Illegal(
        "remove_loop",
        "a_window_hides_the_dependence",
        "n: size, x: f32[5]",
        """
        w = x[1:5]
        for i in seq(0, n):
            for j in seq(0, 4):
                w[3 - j] = x[3 - j]
        """,
        lambda p: remove_loop(p, "i"),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        w = x[1:5]
        for j in seq(0, 4):
            w[3 - j] = x[3 - j]
        """),
    ),
    Illegal(
        "remove_loop",
        "a_sum_in_a_loop_that_may_run_twice",
        "n: size, a: f32",
        """
        for i in seq(0, min(2, n - 1)):
            a += 2.0
        """,
        lambda p: remove_loop(p, "i"),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        if 0 < min(2, n - 1):
            a += 2.0
        """),
    ),
    Illegal(
        "remove_loop",
        "values_that_move_on_by_one_place",
        "n: size, x: f32[n + 1]",
        """
        for i in seq(0, 2):
            for j in seq(0, n):
                x[j] = x[j + 1]
        """,
        lambda p: remove_loop(p, "i"),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        for j in seq(0, n):
            x[j] = x[j + 1]
        """),
    ),
    Illegal(
        "remove_loop",
        "a_call_that_may_not_start_its_sum_anew",
        "n: size, m: size, x: f32[n], y: f32[1]",
        """
        for j in seq(0, m):
            total_of_many(n, y[0:1], x[0:n])
        """,
        lambda p, c: remove_loop(p, "j"),
        "E411",
        "may have an effect when it runs again",
        Wrong("total_of_many(n, y[0:1], x[0:n])"),
        callees=(TOTAL_OF_MANY,),
    ),
    Illegal(
        "remove_loop",
        "a_call_that_reads_what_it_overwrites",
        "n: size, m: size, x: f32[n], y: f32[1]",
        """
        for j in seq(0, m):
            total(1, x[0:1], y[0:1])
            y[0] += x[0]
        """,
        lambda p, c: remove_loop(p, "j"),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        total(1, x[0:1], y[0:1])
        y[0] += x[0]
        """),
        callees=(TOTAL,),
    ),
]
