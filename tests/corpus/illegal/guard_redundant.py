"""Illegal steps of `guard_redundant`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Wrong
from usl_core.scheduling import guard_redundant

CASES = [
    Illegal(
        "guard_redundant",
        "the_new_element_is_skipped",
        "n: size, x: f32[n + 1], t: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = x[i + j]
            y[i] = t[i] + t[i + 1]
        """,
        lambda p: guard_redundant(p, "t[_] = _", "i == 0 or j == 0"),
        "E411",
        "the code may be needed where",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, 2):
                if i == 0 or j == 0:
                    t[i + j] = x[i + j]
            y[i] = t[i] + t[i + 1]
        """),
    ),
    Illegal(
        "guard_redundant",
        "the_first_iteration_is_skipped",
        "n: size, x: f32[n + 1], t: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = x[i + j]
            y[i] = t[i] + t[i + 1]
        """,
        lambda p: guard_redundant(p, "t[_] = _", "j == 1"),
        "E411",
        "the code may be needed where",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, 2):
                if j == 1:
                    t[i + j] = x[i + j]
            y[i] = t[i] + t[i + 1]
        """),
    ),
    Illegal(
        "guard_redundant",
        "the_input_changes_in_between",
        "n: size, x: f32[n + 1], t: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = x[i + j]
            y[i] = t[i] + t[i + 1]
            x[i + 1] = 0.0
        """,
        lambda p: guard_redundant(p, "t[_] = _", "i == 0 or j == 1"),
        "E411",
        "the code may be needed where",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, 2):
                if i == 0 or j == 1:
                    t[i + j] = x[i + j]
            y[i] = t[i] + t[i + 1]
            x[i + 1] = 0.0
        """),
    ),
    Illegal(
        "guard_redundant",
        "a_reduction",
        "n: size, x: f32[n + 1], t: f32[n + 1]",
        """
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] += x[i + j]
        """,
        lambda p: guard_redundant(p, "t[_] += _", "i == 0 or j == 1"),
        "E411",
        "the code may be needed where",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, 2):
                if i == 0 or j == 1:
                    t[i + j] += x[i + j]
        """),
    ),
    Illegal(
        "guard_redundant",
        "a_local_buffer_that_is_new_in_each_iteration",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            t: f32[n + 1]
            for j in seq(0, 2):
                t[i + j] = x[i + j]
            y[i] = t[i] + t[i + 1]
        """,
        lambda p: guard_redundant(p, "t[_] = _", "i == 0 or j == 1"),
        "E411",
        "the code may be needed where",
        Wrong("""
        for i in seq(0, n):
            t: f32[n + 1]
            for j in seq(0, 2):
                if i == 0 or j == 1:
                    t[i + j] = x[i + j]
            y[i] = t[i] + t[i + 1]
        """),
    ),
    Illegal(
        "guard_redundant",
        "an_outer_loop_resets_an_element",
        "n: size, x: f32[n + 1], t: f32[n + 1], y: f32[n]",
        """
        for r in seq(0, 2):
            for i in seq(0, n):
                for j in seq(0, 2):
                    t[i + j] = x[i + j]
                y[i] = t[i] + t[i + 1]
            t[0] = 5.0
        """,
        lambda p: guard_redundant(p, "t[_] = _", "r == 0"),
        "E411",
        "the code may be needed where",
        Wrong("""
        for r in seq(0, 2):
            for i in seq(0, n):
                for j in seq(0, 2):
                    if r == 0:
                        t[i + j] = x[i + j]
                y[i] = t[i] + t[i + 1]
            t[0] = 5.0
        """),
    ),
    Illegal(
        "guard_redundant",
        "an_element_that_is_reset_beside_the_window",
        "n: size, x: f32[n + 1], t: f32[n + 1], y: f32[n]",
        """
        w = t[0:n + 1]
        for i in seq(0, n):
            for j in seq(0, 2):
                w[i + j] = x[i + j]
            y[i] = t[i] + t[i + 1]
            t[i + 1] = 5.0
        """,
        lambda p: guard_redundant(p, "w[_] = _", "i == 0 or j == 1"),
        "E411",
        "the code may be needed where",
        Wrong("""
        w = t[0:n + 1]
        for i in seq(0, n):
            for j in seq(0, 2):
                if i == 0 or j == 1:
                    w[i + j] = x[i + j]
            y[i] = t[i] + t[i + 1]
            t[i + 1] = 5.0
        """),
    ),
    Illegal(
        "guard_redundant",
        "a_sum_of_which_only_the_last_term_is_the_same",
        "n: size, x: f32[16], t: f32[2]",
        """
        assert n <= 8
        for i in seq(0, n):
            s: f32
            s = 0.0
            for j in seq(0, 2):
                s += x[max(i, 8 * j)]
                if j == 1:
                    t[j] = s
        """,
        lambda p: guard_redundant(p, p.find_loop("i").body(), "i == 0"),
        "E411",
        "the code may be needed where",
        Wrong("""
        for i in seq(0, n):
            if i == 0:
                s: f32
                s = 0.0
                for j in seq(0, 2):
                    s += x[max(i, 8 * j)]
                    if j == 1:
                        t[j] = s
        """),
    ),
    Illegal(
        "guard_redundant",
        "what_is_needed_one_iteration_later",
        "n: size, x: f32[n + 8], y: f32[n + 8]",
        """
        t: f32[2]
        t[1] = 0.0
        for i in seq(0, n + 8):
            t[i % 2] = x[i]
            if i % 2 == 1:
                y[i] = t[0] + t[1]
        """,
        lambda p: guard_redundant(p, "t[_ % 2] = _", "i % 2 == 1"),
        "E411",
        "the code may be needed",
        Wrong("""
        t: f32[2]
        t[1] = 0.0
        for i in seq(0, n + 8):
            if i % 2 == 1:
                t[i % 2] = x[i]
            if i % 2 == 1:
                y[i] = t[0] + t[1]
        """),
    ),
    Illegal(
        "guard_redundant",
        "what_the_caller_sees",
        "n: size, x: f32[n + 8], y: f32[n + 8]",
        """
        for i in seq(0, n + 8):
            y[i] = x[i]
        """,
        lambda p: guard_redundant(p, "y[_] = _", "i % 2 == 1"),
        "E411",
        "the caller sees what it writes to y",
        Wrong("""
        for i in seq(0, n + 8):
            if i % 2 == 1:
                y[i] = x[i]
        """),
    ),
    Illegal(
        "guard_redundant",
        "a_pyramid_without_its_first_row",
        "n: size, x: f32[n + 1], y: f32[2 * n]",
        """
        d: f32[n + 1]
        for i in seq(0, 2 * n):
            for j in seq(0, 2):
                d[i / 2 + j] = 2.0 * x[i / 2 + j]
            y[i] = d[i / 2] + d[(i + 1) / 2]
        """,
        lambda p: guard_redundant(p, "d[_] = _", "j == 1 and i % 2 == 1"),
        "E411",
        "the code may be needed where",
        Wrong("""
        d: f32[n + 1]
        for i in seq(0, 2 * n):
            for j in seq(0, 2):
                if j == 1 and i % 2 == 1:
                    d[i / 2 + j] = 2.0 * x[i / 2 + j]
            y[i] = d[i / 2] + d[(i + 1) / 2]
        """),
    ),
    Illegal(
        "guard_redundant",
        "every_fourth_row_where_every_second_is_read",
        "n: size, x: f32[n + 1], y: f32[2 * n]",
        """
        d: f32[n + 1]
        for i in seq(0, 2 * n):
            for j in seq(0, 2):
                d[i / 2 + j] = 2.0 * x[i / 2 + j]
            y[i] = d[i / 2] + d[(i + 1) / 2]
        """,
        lambda p: guard_redundant(p, "d[_] = _", "i == 0 or j == 1 and i % 4 == 1"),
        "E411",
        "the code may be needed where",
        Wrong("""
        d: f32[n + 1]
        for i in seq(0, 2 * n):
            for j in seq(0, 2):
                if i == 0 or j == 1 and i % 4 == 1:
                    d[i / 2 + j] = 2.0 * x[i / 2 + j]
            y[i] = d[i / 2] + d[(i + 1) / 2]
        """),
    ),
    Illegal(
        "guard_redundant",
        "the_last_row_of_a_pyramid_which_follows_it",
        "n: size, x: f32[n + 1], y: f32[2 * n]",
        """
        d: f32[n + 1]
        for i in seq(0, 2 * n - 1):
            for j in seq(0, 2):
                d[i / 2 + j] = 2.0 * x[i / 2 + j]
            y[i] = d[i / 2] + d[(i + 1) / 2]
        y[0] = d[n]
        """,
        lambda p: guard_redundant(p, "d[_] = _", "i == 0 and j == 0 or j == 1 and i % 2 == 1"),
        "E411",
        "the code may be needed where",
        Wrong("""
        d: f32[n + 1]
        for i in seq(0, 2 * n - 1):
            for j in seq(0, 2):
                if i == 0 and j == 0 or j == 1 and i % 2 == 1:
                    d[i / 2 + j] = 2.0 * x[i / 2 + j]
            y[i] = d[i / 2] + d[(i + 1) / 2]
        y[0] = d[n]
        """),
    ),
    Illegal(
        "guard_redundant",
        "a_pyramid_of_what_changes",
        "n: size, x: f32[n + 1], y: f32[2 * n]",
        """
        d: f32[n + 1]
        for i in seq(0, 2 * n):
            for j in seq(0, 2):
                d[i / 2 + j] = 2.0 * x[i / 2 + j]
            y[i] = d[i / 2] + d[(i + 1) / 2]
            x[i / 2] += 1.0
        """,
        lambda p: guard_redundant(p, "d[_] = _", "i == 0 or j == 1 and i % 2 == 1"),
        "E411",
        "the code may be needed where",
        Wrong("""
        d: f32[n + 1]
        for i in seq(0, 2 * n):
            for j in seq(0, 2):
                if i == 0 or j == 1 and i % 2 == 1:
                    d[i / 2 + j] = 2.0 * x[i / 2 + j]
            y[i] = d[i / 2] + d[(i + 1) / 2]
            x[i / 2] += 1.0
        """),
    ),
    Illegal(
        "guard_redundant",
        "the_last_row_of_a_pyramid_which_the_next_round_reads",
        "n: size, x: f32[n + 1], y: f32[2 * n]",
        """
        d: f32[n + 1]
        for r in seq(0, 2):
            for i in seq(0, 2 * n - 1):
                if r > 0 and i == 0:
                    y[2 * n - 1] = d[n]
                for j in seq(0, 2):
                    d[i / 2 + j] = 2.0 * x[i / 2 + j]
                y[i] = d[i / 2] + d[(i + 1) / 2]
        """,
        lambda p: guard_redundant(p, "d[_] = _", "i == 0 or j == 1 and i % 2 == 1"),
        "E411",
        "the code may be needed where",
        Wrong("""
        d: f32[n + 1]
        for r in seq(0, 2):
            for i in seq(0, 2 * n - 1):
                if r > 0 and i == 0:
                    y[2 * n - 1] = d[n]
                for j in seq(0, 2):
                    if i == 0 or j == 1 and i % 2 == 1:
                        d[i / 2 + j] = 2.0 * x[i / 2 + j]
                y[i] = d[i / 2] + d[(i + 1) / 2]
        """),
    ),
]
