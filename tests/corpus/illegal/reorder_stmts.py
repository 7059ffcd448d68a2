"""Illegal steps of `reorder_stmts`."""

from __future__ import annotations

from tests.corpus.callees import SMOOTH
from tests.corpus.case import Illegal, Malformed, Misuse, Stopped, Wrong
from usl_core.scheduling import reorder_stmts

CASES = [
    Illegal(
        "reorder_stmts",
        "read_after_write",
        "x: f32, y: f32",
        """
        x = 1.0
        y = x
        """,
        lambda p: reorder_stmts(p, "x = _ ; y = _"),
        "E411",
        "the statements do not commute",
        Wrong("""
        y = x
        x = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts",
        "write_after_read",
        "x: f32, y: f32",
        """
        y = x
        x = 1.0
        """,
        lambda p: reorder_stmts(p, "y = _ ; x = _"),
        "E411",
        "the statements do not commute",
        Wrong("""
        x = 1.0
        y = x
        """),
    ),
    Illegal(
        "reorder_stmts",
        "write_after_write_that_may_coincide",
        "n: size, i: index, j: index, x: f32[n]",
        """
        assert 0 <= i and i < n
        assert 0 <= j and j < n
        x[i] = 1.0
        x[j] = 2.0
        """,
        lambda p: reorder_stmts(p, "x[i] = _ ; x[j] = _"),
        "E411",
        "the statements do not commute",
        Wrong("""
        x[j] = 2.0
        x[i] = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts",
        "a_write_and_a_reduction",
        "x: f32, y: f32",
        """
        x = y
        x += 1.0
        """,
        lambda p: reorder_stmts(p, "x = _ ; x += _"),
        "E411",
        "the statements do not commute",
        Wrong("""
        x += 1.0
        x = y
        """),
    ),
    Illegal(
        "reorder_stmts",
        "a_reduction_of_the_other_s_value",
        "x: f32, y: f32",
        """
        x += y
        y += x
        """,
        lambda p: reorder_stmts(p, "x += _ ; y += _"),
        "E411",
        "the statements do not commute",
        Wrong("""
        y += x
        x += y
        """),
    ),
    Illegal(
        "reorder_stmts",
        "an_allocation_behind_its_use",
        "x: f32[4]",
        """
        t: f32
        t = 1.0
        x[0] = t
        """,
        lambda p: reorder_stmts(p, "t: _ ; t = _"),
        "E416",
        "the second statement uses t",
        Malformed(
            """
            t = 1.0
            t: f32
            x[0] = t
            """,
            "E200",
        ),
    ),
    Illegal(
        "reorder_stmts",
        "a_window_behind_its_use",
        "x: f32[4]",
        """
        w = x[0:2]
        w[0] = 1.0
        """,
        lambda p: reorder_stmts(p, "w = _ ; w[_] = _"),
        "E416",
        "the second statement uses w",
        Malformed(
            """
            w[0] = 1.0
            w = x[0:2]
            """,
            "E200",
        ),
    ),
    Illegal(
        "reorder_stmts",
        "two_windows_of_one_buffer",
        "x: f32[8], y: f32[4]",
        """
        v = x[0:4]
        w = x[3:7]
        v[3] = 1.0
        y[0] = w[0]
        """,
        lambda p: reorder_stmts(p, "v[_] = _ ; y[_] = _"),
        "E411",
        "the statements do not commute",
        Wrong("""
        v = x[0:4]
        w = x[3:7]
        y[0] = w[0]
        v[3] = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts",
        "a_call_through_overlapping_windows",
        "x: f32[8], y: f32[8]",
        """
        smooth(y[0:4], x[0:4])
        smooth(x[3:7], y[4:8])
        """,
        lambda p, c: reorder_stmts(p, p.body()),
        "E411",
        "the statements do not commute",
        Wrong("""
        smooth(x[3:7], y[4:8])
        smooth(y[0:4], x[0:4])
        """),
        callees=(SMOOTH,),
    ),
    Illegal(
        "reorder_stmts",
        "a_write_past_a_check",
        "n: size, x: f32[n]",
        """
        check(n < 3)
        x[0] = 1.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411",
        "the statements do not commute",
        Stopped("""
        x[0] = 1.0
        check(n < 3)
        """),
    ),
    Illegal(
        "reorder_stmts",
        "an_access_before_the_check_that_guards_it",
        "n: size, x: f32[n], y: f32",
        """
        check(n > 3)
        y = x[3]
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411",
        "the statements do not commute",
        Malformed(
            """
            y = x[3]
            check(n > 3)
            """,
            "E305",
        ),
    ),
    Illegal(
        "reorder_stmts",
        "a_gather_and_a_scatter",
        "k: i32[2], x: f32[4], y: f32[4]",
        """
        x[idx(k[0], 0, 4)] = 1.0
        y[0] = x[idx(k[1], 0, 4)]
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411",
        "the statements do not commute",
        Wrong("""
        y[0] = x[idx(k[1], 0, 4)]
        x[idx(k[0], 0, 4)] = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts",
        "an_index_that_the_other_statement_changes",
        "k: i32[2], x: f32[4], y: f32[4]",
        """
        k[0] = 2
        x[idx(k[0], 0, 4)] = 1.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411",
        "the statements do not commute",
        Wrong("""
        x[idx(k[0], 0, 4)] = 1.0
        k[0] = 2
        """),
    ),
    Illegal(
        "reorder_stmts",
        "a_condition_on_what_the_other_writes",
        "x: f32, y: f32",
        """
        x = 1.0
        if x < 0.0:
            y = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411",
        "the statements do not commute",
        Wrong("""
        if x < 0.0:
            y = 2.0
        x = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts",
        "places_that_differ_only_if_division_truncates",
        "k: index, x: f32[8]",
        """
        assert 0 <= k and k < 8
        x[(k - 5) / 2 + 3] = 1.0
        x[(k - 4) / 2 + 2] = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411",
        "the statements do not commute",
        Wrong("""
        x[(k - 4) / 2 + 2] = 2.0
        x[(k - 5) / 2 + 3] = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts",
        "loops_over_ranges_that_touch",
        "n: size, m: size, x: f32[n]",
        """
        assert m < n
        for i in seq(0, m + 1):
            x[i] = 1.0
        for j in seq(m, n):
            x[j] = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411",
        "the statements do not commute",
        Wrong("""
        for j in seq(m, n):
            x[j] = 2.0
        for i in seq(0, m + 1):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts",
        "three_statements",
        "x: f32, y: f32, z: f32",
        """
        x = 1.0
        y = 1.0
        z = 1.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E404",
        "a block of two statements is wanted, not 3",
        Misuse("no two statements to swap"),
    ),
    Illegal(
        "reorder_stmts",
        "over_several_of_which_the_last_reads",
        "n: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        y[0] = x[0]
        x[0] = 2.0
        z[0] = y[0]
        """,
        lambda p: reorder_stmts(p, p.body()[0:3], split=1),
        "E411",
        "the statements do not commute",
        Wrong("""
        x[0] = 2.0
        z[0] = y[0]
        y[0] = x[0]
        """),
    ),
    Illegal(
        "reorder_stmts",
        "an_allocation_behind_its_use_further_on",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        y[0] = x[0]
        t = x[0]
        y[0] = t
        """,
        lambda p: reorder_stmts(p, p.body()[0:3], split=1),
        "E416",
        "uses t, which the first binds",
        Malformed(
            """
            y[0] = x[0]
            t = x[0]
            t: f32
            y[0] = t
            """,
            "E200",
        ),
    ),
    Illegal(
        "reorder_stmts",
        "a_split_behind_the_end",
        "x: f32, y: f32",
        """
        x = 1.0
        y = 1.0
        """,
        lambda p: reorder_stmts(p, p.body(), split=2),
        "E404",
        "split=2 leaves one part of a block of 2 empty",
        Misuse("one part is empty"),
    ),
    Illegal(
        "reorder_stmts",
        "a_sum_and_a_greatest",
        "x: i32, y: i32, z: i32",
        """
        x += y
        x @= max(z)
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411",
        "the statements do not commute",
        Wrong("""
        x @= max(z)
        x += y
        """),
    ),
]
