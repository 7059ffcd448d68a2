"""Illegal steps of `inline_producer`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.scheduling import inline_producer

CASES = [
    Illegal(
        "inline_producer",
        "what_it_reads_changes_in_between",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i] * 2.0
        x[0] = 1.0
        for i in seq(0, n):
            y[i] = t[i]
        """,
        lambda p: inline_producer(p, "t"),
        "E411",
        "may be modified before its last use",
        Wrong("""
        x[0] = 1.0
        for i in seq(0, n):
            y[i] = x[i] * 2.0
        """),
    ),
    Illegal(
        "inline_producer",
        "a_reader_that_overwrites_what_the_formula_reads",
        "n: size, x: f32[n + 1]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i] * 2.0
        for i in seq(0, n):
            x[i + 1] = t[i]
        """,
        lambda p: inline_producer(p, "t"),
        "E411",
        "may be modified before its last use",
        Wrong("""
        for i in seq(0, n):
            x[i + 1] = x[i] * 2.0
        """),
    ),
    Illegal(
        "inline_producer",
        "a_running_sum",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n + 1]
        t[0] = 0.0
        for i in seq(0, n):
            t[i + 1] = t[i] + x[i]
        for i in seq(0, n):
            y[i] = t[i + 1]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "the code that fills t reads it",
        Wrong("""
        for i in seq(0, n):
            y[i] = 0.0 + x[i]
        """),
    ),
    Illegal(
        "inline_producer",
        "the_last_iteration_decides",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            t = x[i]
        for i in seq(0, n):
            y[i] = t
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "do not determine the iterator i",
        Wrong("""
        for i in seq(0, n):
            y[i] = x[i]
        """),
    ),
    Illegal(
        "inline_producer",
        "places_that_overlap",
        "n: size, x: f32[n, 4], y: f32[n]",
        """
        t: f32[3 * n + 1]
        for io in seq(0, n):
            for ii in seq(0, 4):
                t[3 * io + ii] = x[io, ii]
        for i in seq(0, n):
            y[i] = t[3 * i]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "do not determine the iterator i",
        Wrong("""
        for i in seq(0, n):
            y[i] = x[max(i - 1, 0), 3]
        """),
    ),
    Illegal(
        "inline_producer",
        "a_decision_on_data_at_a_place_that_was_not_filled",
        "n: size, c: f32, y: f32[n + 1]",
        """
        u: f32[n + 1]
        t: f32[n + 1]
        for i in seq(0, n):
            u[i] = c
        for i in seq(0, n):
            if u[i] < 1.0:
                t[i] = 1.0
            else:
                t[i] = 2.0
        for i in seq(0, n + 1):
            y[i] = t[i]
        """,
        lambda p: inline_producer(p, "t"),
        "E412",
        "may not be filled",
        Wrong("""
        u: f32[n + 1]
        for i in seq(0, n):
            u[i] = c
        for i in seq(0, n + 1):
            if u[i] < 1.0:
                y[i] = 1.0
            else:
                y[i] = 2.0
        """),
    ),
    Illegal(
        "inline_producer",
        "an_element_that_was_never_filled",
        "n: size, x: f32[n], y: f32[n + 1]",
        """
        t: f32[n + 1]
        for i in seq(0, n):
            t[i] = x[i]
        for i in seq(0, n + 1):
            y[i] = t[i]
        """,
        lambda p: inline_producer(p, "t"),
        "E410",
        "inline_producer",
        Malformed(
            """
            for i in seq(0, n + 1):
                y[i] = x[i]
            """,
            "E305",
        ),
    ),
    Illegal(
        "inline_producer",
        "a_reader_before_it",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            y[i] = t[i]
        for i in seq(0, n):
            t[i] = x[i]
        """,
        lambda p: inline_producer(p, "t"),
        "E450",
        "is read before it is filled",
        Misuse("what is read is uninitialised, so that any result is one"),
    ),
    Illegal(
        "inline_producer",
        "a_recurrence",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            if i == 0:
                t[i] = x[0]
            else:
                t[i] = t[i - 1] + x[i]
        for i in seq(0, n):
            y[i] = t[i]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "the code that fills t reads it",
        Malformed(
            """
            for i in seq(0, n):
                if i == 0:
                    y[i] = x[0]
                else:
                    y[i] = t[i - 1] + x[i]
            """,
            "E200",
        ),
    ),
    Illegal(
        "inline_producer",
        "a_buffer_that_is_not_used",
        "n: size, x: f32[n]",
        """
        t: f32[n]
        x[0] = 1.0
        """,
        lambda p: inline_producer(p, "t"),
        "E451",
        "t is not used",
        Misuse("nothing is computed into it, and nothing read"),
    ),
    Illegal(
        "inline_producer",
        "a_use_by_its_strides",
        "x: f32[4], y: f32[4]",
        """
        t: f32[4]
        for i in seq(0, 4):
            t[i] = x[i] * 2.0
        if stride(t, 0) == 1:
            y[0] = t[0]
        """,
        lambda p: inline_producer(p, "t"),
        "E450",
        "is used through a window, by its strides, or as a whole",
        Malformed("if stride(t, 0) == 1:\n    y[0] = x[0] * 2.0", "E200"),
    ),
    Illegal(
        "inline_producer",
        "a_whole_argument",
        "x: f32[4], y: f32[4]",
        """
        t: f32[4]
        for i in seq(0, 4):
            t[i] = x[i] * 2.0
        first(t, y[0])
        """,
        lambda p, _: inline_producer(p, "t"),
        "E450",
        "is used through a window, by its strides, or as a whole",
        Malformed("first(t, y[0])", "E200"),
        callees=("def first(a: f32[4], b: f32):\n    b = a[0]\n",),
    ),
    Illegal(
        "inline_producer",
        "an_argument_that_is_a_location",
        "x: f32[4], y: f32[4]",
        """
        t: f32[4]
        for i in seq(0, 4):
            t[i] = x[i] * 2.0
        copies(t[1], y[0])
        """,
        lambda p, _: inline_producer(p, "t"),
        "E450",
        "is read where its formula cannot stand",
        Malformed("copies(x[1] * 2.0, y[0])", "E200"),
        callees=("def copies(a: f32, b: f32):\n    b = a\n",),
    ),
    Illegal(
        "inline_producer",
        "five_readings_of_a_formula_with_two_branches",
        "x: f32[5], y: f32",
        """
        t: f32[5]
        for i in seq(0, 5):
            if x[i] < 0.0:
                t[i] = 0.0
            else:
                t[i] = x[i]
        y = t[0] + t[1] + t[2] + t[3] + t[4]
        """,
        lambda p: inline_producer(p, "t"),
        "E404",
        "would be copied more than 16 times",
        Misuse("32 statements would stand for one"),
    ),
    Illegal(
        "inline_producer",
        "a_sum",
        "n: size, x: f32[n, 4], y: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = 0.0
        for i in seq(0, n):
            for k in seq(0, 4):
                t[i] += x[i, k]
        for i in seq(0, n):
            y[i] = t[i]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "t is filled by a reduction",
        Wrong("""
        for i in seq(0, n):
            y[i] = 0.0 + x[i, 3]
        """),
    ),
    Illegal(
        "inline_producer",
        "assigned_twice_in_a_branch",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            if i >= 1:
                t[i] = 1.0
                t[i] = x[i]
            else:
                t[i] = 2.0
        for i in seq(0, n):
            y[i] += t[i]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "a place of t is assigned more than once",
        Wrong("""
        for i in seq(0, n):
            if i >= 1:
                y[i] += 1.0
                y[i] += x[i]
            else:
                y[i] += 2.0
        """),
    ),
    Illegal(
        "inline_producer",
        "two_places_in_one_iteration",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        t: f32[n + 1]
        for i in seq(0, n):
            t[i] = x[i]
            t[i + 1] = 0.0
        for i in seq(0, n):
            y[i] = t[i]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "a nest that fills t does more than assign to one place",
        Wrong("""
        for i in seq(0, n):
            if i >= 1:
                y[i] = 0.0
            else:
                y[i] = x[i]
        """),
    ),
    Illegal(
        "inline_producer",
        "data_decides_which_nest_made_it",
        "n: size, k: u8[n], x: f32[16], y: f32[n]",
        """
        t: f32[16]
        for i in seq(0, 16):
            t[i] = x[i]
        for i in seq(0, 4):
            t[i] = 0.0
        for i in seq(0, n):
            y[i] = t[idx(k[i], 0, 16)]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "which of the nests that fill t makes t[idx(k[i], 0, 16)] is not known before it runs",
        Wrong("""
        for i in seq(0, n):
            y[i] = x[idx(k[i], 0, 16)]
        """),
    ),
    Illegal(
        "inline_producer",
        "places_that_do_not_say_which_iteration_made_them",
        "n: size, x: f32[2 * n], y: f32[2 * n]",
        """
        t: f32[2 * n]
        for i in seq(0, 2 * n):
            t[i] = x[i]
        for i in seq(0, n):
            for j in seq(0, n):
                t[i + j] = 0.0
        for i in seq(0, 2 * n):
            y[i] = t[i]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "is not known before it runs",
        Wrong("""
        for i in seq(0, 2 * n):
            y[i] = x[i]
        """),
    ),
    Illegal(
        "inline_producer",
        "what_the_first_nest_reads_changes_before_the_second",
        "n: size, x: f32[2 * n], y: f32[2 * n]",
        """
        t: f32[2 * n]
        for i in seq(0, n):
            t[i] = x[i]
        x[0] = 4.0
        for i in seq(0, n):
            t[n + i] = 1.0
        for i in seq(0, 2 * n):
            y[i] = t[i]
        """,
        lambda p: inline_producer(p, "t"),
        "E411",
        "may be modified before its last use",
        Wrong("""
        x[0] = 4.0
        for i in seq(0, 2 * n):
            if n <= i:
                y[i] = 1.0
            else:
                y[i] = x[i]
        """),
    ),
    Illegal(
        "inline_producer",
        "a_condition_on_an_element_of_two_nests",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i]
        t[0] = 1.0
        for i in seq(0, n):
            if t[i] < 0.0:
                y[i] = 0.0
        """,
        lambda p: inline_producer(p, "t"),
        "E450",
        "t is read where its formula cannot stand",
        Wrong("""
        for i in seq(0, n):
            if x[i] < 0.0:
                y[i] = 0.0
        """),
    ),
    Illegal(
        "inline_producer",
        "an_index_from_data_in_a_control_condition",
        "n: size, k: u8[n], x: f32[8], y: f32[n]",
        """
        t: f32[8]
        for i in seq(0, 8):
            if i < 3:
                t[i] = x[i]
            else:
                t[i] = 0.0
        for i in seq(0, n):
            y[i] = t[idx(k[i], 0, 8)]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "i < 3 cannot be evaluated for an element that data choose",
        Malformed("for i in seq(0, n):\n    if idx(k[i], 0, 8) < 3:\n        y[i] = x[idx(k[i], 0, 8)]", "E200"),
    ),
    Illegal(
        "inline_producer",
        "an_index_from_data_in_the_limits_of_another",
        "n: size, k: u8[8], m: u8[n], x: f32[8], y: f32[n]",
        """
        t: f32[8]
        for i in seq(0, 8):
            t[i] = x[idx(k[i], 0, i + 1)]
        for i in seq(0, n):
            y[i] = t[idx(m[i], 0, 8)]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "x[idx(k[i], 0, i + 1)] cannot be evaluated for an element that data choose",
        Malformed("for i in seq(0, n):\n    y[i] = x[idx(k[idx(m[i], 0, 8)], 0, idx(m[i], 0, 8) + 1)]", "E200"),
    ),
    Illegal(
        "inline_producer",
        "data_decides_where_a_nest_writes",
        "n: size, k: u8[n], x: f32[8], y: f32[n]",
        """
        t: f32[n, 8]
        for i in seq(0, n):
            for j in seq(0, 8):
                t[i, j] = x[j]
        for i in seq(0, n):
            t[i, idx(k[i], 0, 8)] = 0.0
        for i in seq(0, n):
            y[i] = t[i, 2]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "is not known before it runs",
        Wrong("""
        for i in seq(0, n):
            y[i] = x[2]
        """),
    ),
    Illegal(
        "inline_producer",
        "branches_that_assign_to_different_places",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n + 1]
        for i in seq(0, n):
            if i >= 1:
                t[i] = x[i]
            else:
                t[n] = 2.0
        for i in seq(0, n):
            y[i] = t[i + 1]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "a nest that fills t does more than assign to one place",
        Wrong("""
        for i in seq(0, n):
            y[i] = x[min(i + 1, n - 1)]
        """),
    ),
    Illegal(
        "inline_producer",
        "branches_that_assign_to_different_buffers",
        "n: size, x: f32[n], y: f32[n], u: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            if x[i] < 0.0:
                t[i] = x[i]
            else:
                u[i] = 2.0
        for i in seq(0, n):
            if x[i] < 0.0:
                y[i] = t[i]
        """,
        lambda p: inline_producer(p, "t"),
        "E454",
        "a nest that fills t does more than assign to one place",
        Wrong("""
        for i in seq(0, n):
            if x[i] < 0.0:
                y[i] = x[i]
        """),
    ),
]
