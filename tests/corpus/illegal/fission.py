"""Illegal steps of `fission`."""

from __future__ import annotations

from tests.corpus.callees import SMOOTH
from tests.corpus.case import Illegal, Malformed, Misuse, Step, Stopped, Wrong
from usl_core.scheduling import fission


def _after(pattern: str) -> Step:
    """Fission after the first match of pattern."""
    return lambda p: fission(p, p.find(pattern).after())


CASES = [
    Illegal(
        "fission",
        "a_scalar_that_carries_the_value",
        "n: size, x: f32[n], y: f32[n], a: f32",
        """
        for i in seq(0, n):
            a = x[i]
            y[i] = a
        """,
        _after("a = _"),
        "E411",
        "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            a = x[i]
        for i in seq(0, n):
            y[i] = a
        """),
    ),
    Illegal(
        "fission",
        "an_allocation_used_behind_the_gap",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t
        """,
        _after("t = _"),
        "E416",
        "t is bound before the gap and used after it",
        Malformed(
            """
            for i in seq(0, n):
                t: f32
                t = x[i]
            for i in seq(0, n):
                y[i] = t
            """,
            "E200",
        ),
    ),
    Illegal(
        "fission",
        "a_window_used_behind_the_gap",
        "n: size, x: f32[n, 4], y: f32[n]",
        """
        for i in seq(0, n):
            w = x[i, 0:4]
            w[0] = 1.0
            y[i] = w[1]
        """,
        _after("w[0] = _"),
        "E416",
        "w is bound before the gap and used after it",
        Malformed(
            """
            for i in seq(0, n):
                w = x[i, 0:4]
                w[0] = 1.0
            for i in seq(0, n):
                y[i] = w[1]
            """,
            "E200",
        ),
    ),
    Illegal(
        "fission",
        "a_read_of_what_the_next_iteration_writes",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = x[i + 1]
        """,
        _after("x[_] = _"),
        "E411",
        "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
        for i in seq(0, n):
            y[i] = x[i + 1]
        """),
    ),
    Illegal(
        "fission",
        "a_prefix_sum",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
            y[i] = s
        """,
        _after("s += _"),
        "E411",
        "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            s += x[i]
        for i in seq(0, n):
            y[i] = s
        """),
    ),
    Illegal(
        "fission",
        "a_reduction_behind_a_reset",
        "n: size, x: f32[n], s: f32",
        """
        for i in seq(0, n):
            s = 0.0
            s += x[i]
        """,
        _after("s = _"),
        "E411",
        "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            s = 0.0
        for i in seq(0, n):
            s += x[i]
        """),
    ),
    Illegal(
        "fission",
        "a_window_hides_that_both_halves_meet",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        w = x[1:n + 1]
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = w[i]
        """,
        _after("x[_] = _"),
        "E411",
        "does not commute with what precedes it",
        Wrong("""
        w = x[1:n + 1]
        for i in seq(0, n):
            x[i] = 1.0
        for i in seq(0, n):
            y[i] = w[i]
        """),
    ),
    Illegal(
        "fission",
        "the_first_part_is_invariant_but_reads_what_the_second_writes",
        "n: size, y: f32[n], a: f32, b: f32",
        """
        for i in seq(0, n):
            a = b
            b = y[i]
        """,
        _after("a = _"),
        "E411",
        "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            a = b
        for i in seq(0, n):
            b = y[i]
        """),
    ),
    Illegal(
        "fission",
        "the_first_part_is_invariant_but_the_second_overwrites_it",
        "n: size, x: f32[n], y: f32[n], a: f32, b: f32",
        """
        for i in seq(0, n):
            a = b
            y[i] = a
            a = x[i]
        """,
        _after("a = b"),
        "E411",
        "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            a = b
        for i in seq(0, n):
            y[i] = a
            a = x[i]
        """),
    ),
    Illegal(
        "fission",
        "the_first_part_is_invariant_but_writes_only_if_data_says_so",
        "n: size, c: f32[1], y: f32[n], a: f32",
        """
        for i in seq(0, n):
            if c[0] < 0.0:
                a = 1.0
            y[i] = a
            c[0] = -1.0
        """,
        lambda p: fission(p, p.find("if _: _").after()),
        "E411",
        "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            if c[0] < 0.0:
                a = 1.0
        for i in seq(0, n):
            y[i] = a
            c[0] = -1.0
        """),
    ),
    Illegal(
        "fission",
        "a_guard_that_reads_what_its_body_writes",
        "x: f32[1], y: f32[1]",
        """
        if x[0] < 0.0:
            x[0] = 1.0
            y[0] = 2.0
        """,
        _after("x[_] = _"),
        "E411",
        "the condition depends on data",
        Wrong("""
        if x[0] < 0.0:
            x[0] = 1.0
        if x[0] < 0.0:
            y[0] = 2.0
        """),
    ),
    Illegal(
        "fission",
        "an_else_that_meets_the_second_part",
        "n: size, y: f32[n], a: f32",
        """
        for i in seq(0, n):
            if i < 1:
                a = 1.0
                y[i] = a
            else:
                a = 3.0
        """,
        lambda p: fission(p, p.find("a = 1.0").after(), n_lifts=2),
        "E411",
        "does not commute with what precedes it in later iterations of i",
        Wrong("""
        for i in seq(0, n):
            if i < 1:
                a = 1.0
            else:
                a = 3.0
        for i in seq(0, n):
            if i < 1:
                y[i] = a
        """),
    ),
    Illegal(
        "fission",
        "two_loops_where_only_the_inner_may_be_split",
        "n: size, m: size, x: f32[n, m], y: f32[n, m], t: f32[m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                t[j] = x[i, j]
                y[i, j] = t[j]
        """,
        lambda p: fission(p, p.find("t[_] = _").after(), n_lifts=2),
        "E411",
        "does not commute with what precedes it in later iterations of i",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, m):
                t[j] = x[i, j]
        for i in seq(0, n):
            for j in seq(0, m):
                y[i, j] = t[j]
        """),
    ),
    Illegal(
        "fission",
        "a_callee_writes_beyond_its_own_iteration",
        "n: size, x: f32[n + 5], y: f32[n + 4], z: f32[n]",
        """
        for i in seq(0, n):
            smooth(x[i:i + 4], y[i:i + 4])
            z[i] = x[i + 4]
        """,
        lambda p, c: fission(p, p.find("smooth(_)").after()),
        "E411",
        "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            smooth(x[i:i + 4], y[i:i + 4])
        for i in seq(0, n):
            z[i] = x[i + 4]
        """),
        callees=(SMOOTH,),
    ),
    Illegal(
        "fission",
        "a_histogram_read_in_between",
        "n: size, k: i32[n], h: i32[4], y: i32[n]",
        """
        for i in seq(0, n):
            h[idx(k[i], 0, 4)] += 1
            y[i] = h[0]
        """,
        _after("h[_] += _"),
        "E411",
        "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            h[idx(k[i], 0, 4)] += 1
        for i in seq(0, n):
            y[i] = h[0]
        """),
    ),
    Illegal(
        "fission",
        "a_check_that_would_come_first_later",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
            check(i < 2)
        """,
        _after("x[_] = _"),
        "E411",
        "does not commute with what precedes it",
        Stopped("""
        for i in seq(0, n):
            x[i] = 1.0
        for i in seq(0, n):
            check(i < 2)
        """),
    ),
    Illegal(
        "fission",
        "nothing_behind_the_gap",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        _after("x[_] = _"),
        "E404",
        "there must be a statement before and one after the gap",
        Misuse("a loop without a body"),
    ),
    Illegal(
        "fission",
        "more_lifts_than_loops",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = 1.0
        """,
        lambda p: fission(p, p.find("x[_] = _").after(), n_lifts=2),
        "E404",
        "no loop or `if` left to split",
        Misuse("no second loop"),
    ),
    Illegal(
        "fission",
        "the_floor_of_a_half_is_shared",
        "n: size, x: f32[n], y: f32[n], t: f32[n]",
        """
        for i in seq(0, n):
            t[i / 2] = x[i]
            y[i] = t[i / 2]
        """,
        _after("t[_] = _"),
        "E411",
        "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            t[i / 2] = x[i]
        for i in seq(0, n):
            y[i] = t[i / 2]
        """),
    ),
    Illegal(
        "fission",
        "an_else_that_changes_the_condition_on_data",
        "a: f32, b: f32",
        """
        if a < 0.0:
            b = 1.0
            a = -3.0
        else:
            a = -1.0
        """,
        lambda p: fission(p, p.find("b = _").after()),
        "E411",
        "depends on data that the statements before the gap may change",
        Wrong("""
        if a < 0.0:
            b = 1.0
        else:
            a = -1.0
        if a < 0.0:
            a = -3.0
        """),
    ),
    Illegal(
        "fission",
        "a_body_that_changes_the_condition_of_its_else",
        "a: f32, b: f32",
        """
        if a < 0.0:
            a = 1.0
        else:
            b = 1.0
            a = 2.0
        """,
        lambda p: fission(p, p.find("b = _").after()),
        "E411",
        "depends on data that the statements before the gap may change",
        Wrong("""
        if a < 0.0:
            a = 1.0
        else:
            b = 1.0
        if a < 0.0:
            pass
        else:
            a = 2.0
        """),
    ),
    Illegal(
        "fission",
        "bits_that_are_set_and_inverted",
        "n: size, x: u8[n], s: u8",
        """
        for i in seq(0, n):
            s |= x[i]
            s ^= 255
        """,
        lambda p: fission(p, p.find("s |= _").after()),
        "E411",
        "does not commute",
        Wrong("""
        for i in seq(0, n):
            s |= x[i]
        for i in seq(0, n):
            s ^= 255
        """),
    ),
    Illegal(
        "fission",
        "sums_and_least_values",
        "n: size, x: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
            s @= min(1.0)
        """,
        lambda p: fission(p, p.find("s += _").after()),
        "E411",
        "does not commute",
        Wrong("""
        for i in seq(0, n):
            s += x[i]
        for i in seq(0, n):
            s @= min(1.0)
        """),
    ),
]
