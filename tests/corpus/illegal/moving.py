"""Illegal steps that move iterations or statements past each other: reorder_loops, fission, fuse, reorder_stmts."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse, Stopped, Wrong, race
from usl_core.scheduling import fission, fuse, reorder_loops, reorder_stmts

PUT = """
def put(dst: [f32][1], v: f32):
    dst[0] = v
"""
SMOOTH = """
def smooth(dst: [f32][4], src: [f32][4]):
    for k in seq(0, 4):
        dst[k] = src[k] + 1.0
"""


def _after(pattern):
    """Fission after the first match of pattern."""
    return lambda p: fission(p, p.find(pattern).after())


def _block(p, pattern, length=2):
    return p.find(pattern).as_block().expand(0, length - 1)


CASES = [
    # ---- reorder_loops
    Illegal(
        "reorder_loops", "a_wavefront",
        "n: size, m: size, x: f32[n + 1, m + 1]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i + 1, j] = x[i, j + 1] + 1.0
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411", "would change places do not commute",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                x[i + 1, j] = x[i, j + 1] + 1.0
        """),
    ),
    Illegal(
        "reorder_loops", "another_last_writer_on_a_diagonal",
        "n: size, m: size, x: f32[n, m], y: f32[n + m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                y[i + j] = x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411", "would change places do not commute",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                y[i + j] = x[i, j]
        """),
    ),
    Illegal(
        "reorder_loops", "another_last_writer_after_a_negative_division",
        "n: size, x: f32[n, n], y: f32[2 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                y[(i + j - n) / 2 + n] = x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411", "would change places do not commute",
        Wrong("""
        for j in seq(0, n):
            for i in seq(0, n):
                y[(i + j - n) / 2 + n] = x[i, j]
        """),
    ),
    Illegal(
        "reorder_loops", "a_triangle",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, i + 1):
                x[i, j] = 1.0
        """,
        lambda p: reorder_loops(p, "i j"),
        "E414", "the range of j depends on i",
        Malformed(
            """
            for j in seq(0, i + 1):
                for i in seq(0, n):
                    x[i, j] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "reorder_loops", "not_directly_nested",
        "n: size, m: size, x: f32[n, m], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = 0.0
            for j in seq(0, m):
                y[i] += x[i, j]
        """,
        lambda p: reorder_loops(p, "i"),
        "E404", "must be one loop and nothing else",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                y[i] = 0.0
                y[i] += x[i, j]
        """),
    ),
    Illegal(
        "reorder_loops", "a_window_that_hides_the_dependence",
        "n: size, m: size, x: f32[n + 1, m + 1]",
        """
        w = x[1:n + 1, 0:m]
        for i in seq(0, n):
            for j in seq(0, m):
                w[i, j] = x[i, j + 1] + 1.0
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411", "would change places do not commute",
        Wrong("""
        w = x[1:n + 1, 0:m]
        for j in seq(0, m):
            for i in seq(0, n):
                w[i, j] = x[i, j + 1] + 1.0
        """),
    ),
    Illegal(
        "reorder_loops", "partial_sums_are_stored",
        "n: size, m: size, x: f32[n, m], y: f32[n, m], a: f32",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                a += x[i, j]
                y[i, j] = a
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411", "would change places do not commute",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                a += x[i, j]
                y[i, j] = a
        """),
    ),
    Illegal(
        "reorder_loops", "the_callee_writes_one_place_from_two_iterations",
        "n: size, m: size, x: f32[n, m], y: f32[n + m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                put(y[i + j:i + j + 1], x[i, j])
        """,
        lambda p, c: reorder_loops(p, "i j"),
        "E411", "would change places do not commute",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                put(y[i + j:i + j + 1], x[i, j])
        """),
        callees=(PUT,),
    ),
    Illegal(
        "reorder_loops", "a_write_through_data",
        "n: size, m: size, k: i32[n, m], x: f32[n, m], y: f32[4]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                y[idx(k[i, j], 0, 4)] = x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411", "would change places do not commute",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                y[idx(k[i, j], 0, 4)] = x[i, j]
        """),
    ),
    Illegal(
        "reorder_loops", "a_reduction_and_a_reset",
        "n: size, m: size, x: f32[n, m], y: f32[n + m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                if j == 0:
                    y[i + j] = 0.0
                y[i + j] += x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411", "would change places do not commute",
        Wrong("""
        for j in seq(0, m):
            for i in seq(0, n):
                if j == 0:
                    y[i + j] = 0.0
                y[i + j] += x[i, j]
        """),
    ),
    Illegal(
        "reorder_loops", "a_check_in_the_body",
        "n: size, m: size, x: f32[n, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 1.0
                check(i < 2)
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411", "would change places do not commute",
        Stopped("""
        for j in seq(0, m):
            for i in seq(0, n):
                x[i, j] = 1.0
                check(i < 2)
        """),
    ),
    Illegal(
        "reorder_loops", "a_floor_division_maps_two_iterations_to_one_place",
        "n: size, x: f32[n, n], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                y[(i + j) / 2] = x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        "E411", "would change places do not commute",
        Wrong("""
        for j in seq(0, n):
            for i in seq(0, n):
                y[(i + j) / 2] = x[i, j]
        """),
    ),
    # ---- fission
    Illegal(
        "fission", "a_scalar_that_carries_the_value",
        "n: size, x: f32[n], y: f32[n], a: f32",
        """
        for i in seq(0, n):
            a = x[i]
            y[i] = a
        """,
        _after("a = _"),
        "E411", "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            a = x[i]
        for i in seq(0, n):
            y[i] = a
        """),
    ),
    Illegal(
        "fission", "an_allocation_used_behind_the_gap",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t
        """,
        _after("t = _"),
        "E416", "t is bound before the gap and used after it",
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
        "fission", "a_window_used_behind_the_gap",
        "n: size, x: f32[n, 4], y: f32[n]",
        """
        for i in seq(0, n):
            w = x[i, 0:4]
            w[0] = 1.0
            y[i] = w[1]
        """,
        _after("w[0] = _"),
        "E416", "w is bound before the gap and used after it",
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
        "fission", "a_read_of_what_the_next_iteration_writes",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = x[i + 1]
        """,
        _after("x[_] = _"),
        "E411", "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
        for i in seq(0, n):
            y[i] = x[i + 1]
        """),
    ),
    Illegal(
        "fission", "a_prefix_sum",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
            y[i] = s
        """,
        _after("s += _"),
        "E411", "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            s += x[i]
        for i in seq(0, n):
            y[i] = s
        """),
    ),
    Illegal(
        "fission", "a_reduction_behind_a_reset",
        "n: size, x: f32[n], s: f32",
        """
        for i in seq(0, n):
            s = 0.0
            s += x[i]
        """,
        _after("s = _"),
        "E411", "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            s = 0.0
        for i in seq(0, n):
            s += x[i]
        """),
    ),
    Illegal(
        "fission", "a_window_hides_that_both_halves_meet",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        w = x[1:n + 1]
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = w[i]
        """,
        _after("x[_] = _"),
        "E411", "does not commute with what precedes it",
        Wrong("""
        w = x[1:n + 1]
        for i in seq(0, n):
            x[i] = 1.0
        for i in seq(0, n):
            y[i] = w[i]
        """),
    ),
    Illegal(
        "fission", "the_first_part_is_invariant_but_reads_what_the_second_writes",
        "n: size, y: f32[n], a: f32, b: f32",
        """
        for i in seq(0, n):
            a = b
            b = y[i]
        """,
        _after("a = _"),
        "E411", "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            a = b
        for i in seq(0, n):
            b = y[i]
        """),
    ),
    Illegal(
        "fission", "the_first_part_is_invariant_but_the_second_overwrites_it",
        "n: size, x: f32[n], y: f32[n], a: f32, b: f32",
        """
        for i in seq(0, n):
            a = b
            y[i] = a
            a = x[i]
        """,
        _after("a = b"),
        "E411", "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            a = b
        for i in seq(0, n):
            y[i] = a
            a = x[i]
        """),
    ),
    Illegal(
        "fission", "the_first_part_is_invariant_but_writes_only_if_data_says_so",
        "n: size, c: f32[1], y: f32[n], a: f32",
        """
        for i in seq(0, n):
            if c[0] < 0.0:
                a = 1.0
            y[i] = a
            c[0] = -1.0
        """,
        lambda p: fission(p, p.find("if _: _").after()),
        "E411", "does not commute with what precedes it",
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
        "fission", "a_guard_that_reads_what_its_body_writes",
        "x: f32[1], y: f32[1]",
        """
        if x[0] < 0.0:
            x[0] = 1.0
            y[0] = 2.0
        """,
        _after("x[_] = _"),
        "E411", "the condition depends on data",
        Wrong("""
        if x[0] < 0.0:
            x[0] = 1.0
        if x[0] < 0.0:
            y[0] = 2.0
        """),
    ),
    Illegal(
        "fission", "an_else_that_meets_the_second_part",
        "n: size, y: f32[n], a: f32",
        """
        for i in seq(0, n):
            if i < 2:
                a = 1.0
                y[i] = a
            else:
                a = 3.0
        """,
        lambda p: fission(p, p.find("a = 1.0").after(), n_lifts=2),
        "E404", "an `if` with `else`",
        Wrong("""
        for i in seq(0, n):
            if i < 2:
                a = 1.0
            else:
                a = 3.0
        for i in seq(0, n):
            if i < 2:
                y[i] = a
        """),
    ),
    Illegal(
        "fission", "two_loops_where_only_the_inner_may_be_split",
        "n: size, m: size, x: f32[n, m], y: f32[n, m], t: f32[m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                t[j] = x[i, j]
                y[i, j] = t[j]
        """,
        lambda p: fission(p, p.find("t[_] = _").after(), n_lifts=2),
        "E411", "does not commute with what precedes it in later iterations of i",
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
        "fission", "a_callee_writes_beyond_its_own_iteration",
        "n: size, x: f32[n + 5], y: f32[n + 4], z: f32[n]",
        """
        for i in seq(0, n):
            smooth(x[i:i + 4], y[i:i + 4])
            z[i] = x[i + 4]
        """,
        lambda p, c: fission(p, p.find("smooth(_)").after()),
        "E411", "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            smooth(x[i:i + 4], y[i:i + 4])
        for i in seq(0, n):
            z[i] = x[i + 4]
        """),
        callees=(SMOOTH,),
    ),
    Illegal(
        "fission", "a_histogram_read_in_between",
        "n: size, k: i32[n], h: i32[4], y: i32[n]",
        """
        for i in seq(0, n):
            h[idx(k[i], 0, 4)] += 1
            y[i] = h[0]
        """,
        _after("h[_] += _"),
        "E411", "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            h[idx(k[i], 0, 4)] += 1
        for i in seq(0, n):
            y[i] = h[0]
        """),
    ),
    Illegal(
        "fission", "a_check_that_would_come_first_later",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
            check(i < 2)
        """,
        _after("x[_] = _"),
        "E411", "does not commute with what precedes it",
        Stopped("""
        for i in seq(0, n):
            x[i] = 1.0
        for i in seq(0, n):
            check(i < 2)
        """),
    ),
    Illegal(
        "fission", "nothing_behind_the_gap", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        _after("x[_] = _"),
        "E404", "there must be a statement before and one after the gap",
        Misuse("a loop without a body"),
    ),
    Illegal(
        "fission", "more_lifts_than_loops", "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = 1.0
        """,
        lambda p: fission(p, p.find("x[_] = _").after(), n_lifts=2),
        "E404", "no loop or `if` left to split",
        Misuse("no second loop"),
    ),
    Illegal(
        "fission", "the_floor_of_a_half_is_shared",
        "n: size, x: f32[n], y: f32[n], t: f32[n]",
        """
        for i in seq(0, n):
            t[i / 2] = x[i]
            y[i] = t[i / 2]
        """,
        _after("t[_] = _"),
        "E411", "does not commute with what precedes it",
        Wrong("""
        for i in seq(0, n):
            t[i / 2] = x[i]
        for i in seq(0, n):
            y[i] = t[i / 2]
        """),
    ),
    # ---- fuse
    Illegal(
        "fuse", "a_stencil_that_reads_ahead",
        "n: size, x: f32[n + 1], t: f32[n + 1], y: f32[n + 1]",
        """
        for i in seq(0, n):
            t[i] = x[i]
        for j in seq(0, n):
            y[j] = t[j] + t[j + 1]
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E411", "do not commute with later iterations of i",
        Wrong("""
        for i in seq(0, n):
            t[i] = x[i]
            y[i] = t[i] + t[i + 1]
        """),
    ),
    Illegal(
        "fuse", "different_lengths",
        "n: size, m: size, x: f32[n + m], y: f32[n + m]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        for j in seq(0, m):
            y[j] = 1.0
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E412", "cannot prove that the ranges",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = 1.0
        """),
    ),
    Illegal(
        "fuse", "one_iteration_more",
        "n: size, x: f32[n + 1], y: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        for j in seq(0, n + 1):
            y[j] = 1.0
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E412", "cannot prove that the ranges",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = 1.0
        """),
    ),
    Illegal(
        "fuse", "equal_lengths_at_other_places",
        "n: size, x: f32[n + 1], y: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        for j in seq(1, n + 1):
            y[j] = 1.0
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E412", "cannot prove that the ranges",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = 1.0
        """),
    ),
    Illegal(
        "fuse", "a_statement_in_between",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        x[0] = 2.0
        for j in seq(0, n):
            y[j] = x[j]
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E404", "must directly follow the first",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = x[i]
        x[0] = 2.0
        """),
    ),
    Illegal(
        "fuse", "the_second_overwrites_what_the_first_still_reads",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[i]
        for j in seq(0, n):
            x[j + 1] = 0.0
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E411", "do not commute with later iterations of i",
        Wrong("""
        for i in seq(0, n):
            y[i] = x[i]
            x[i + 1] = 0.0
        """),
    ),
    Illegal(
        "fuse", "the_sum_is_used",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
        for j in seq(0, n):
            y[j] = s
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E411", "do not commute with later iterations of i",
        Wrong("""
        for i in seq(0, n):
            s += x[i]
            y[i] = s
        """),
    ),
    Illegal(
        "fuse", "a_window_hides_the_stencil",
        "n: size, x: f32[n + 1], y: f32[n], z: f32[n]",
        """
        w = x[1:n + 1]
        for i in seq(0, n):
            x[i] = z[i]
        for j in seq(0, n):
            y[j] = w[j]
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E411", "do not commute with later iterations of i",
        Wrong("""
        w = x[1:n + 1]
        for i in seq(0, n):
            x[i] = z[i]
            y[i] = w[i]
        """),
    ),
    Illegal(
        "fuse", "conditions_that_differ_at_the_limit",
        "n: size, x: f32[n], y: f32[n]",
        """
        if n < 4:
            x[0] = 1.0
        if n <= 4:
            y[0] = 1.0
        """,
        lambda p: fuse(p, "if n < 4: _", "if n <= 4: _"),
        "E412", "are equivalent",
        Wrong("""
        if n < 4:
            x[0] = 1.0
            y[0] = 1.0
        """),
    ),
    Illegal(
        "fuse", "conditions_that_are_equal_only_if_division_truncates",
        "k: index, x: f32[1], y: f32[1]",
        """
        if (k - 4) / 2 == 0:
            x[0] = 1.0
        if k == 3 or k == 4 or k == 5:
            y[0] = 1.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
        "E412", "are equivalent",
        Wrong("""
        if (k - 4) / 2 == 0:
            x[0] = 1.0
            y[0] = 1.0
        """),
    ),
    Illegal(
        "fuse", "a_condition_on_data_that_the_first_changes",
        "x: f32[1], y: f32[1]",
        """
        if x[0] < 0.0:
            x[0] = 1.0
        if x[0] < 0.0:
            y[0] = 1.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
        "E411", "depends on data that the first `if` may change",
        Wrong("""
        if x[0] < 0.0:
            x[0] = 1.0
            y[0] = 1.0
        """),
    ),
    Illegal(
        "fuse", "a_scatter_and_a_gather",
        "n: size, k: i32[n], x: f32[n], y: f32[n], t: f32[4]",
        """
        for i in seq(0, n):
            t[idx(k[i], 0, 4)] = x[i]
        for j in seq(0, n):
            y[j] = t[idx(k[j], 0, 4)]
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E411", "do not commute with later iterations of i",
        Wrong("""
        for i in seq(0, n):
            t[idx(k[i], 0, 4)] = x[i]
            y[i] = t[idx(k[i], 0, 4)]
        """),
    ),
    Illegal(
        "fuse", "a_loop_and_an_if", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        if n > 2:
            x[0] = 2.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
        "E404", "two loops or two ifs are wanted",
        Misuse("no two heads that agree"),
    ),
    # ---- reorder_stmts
    Illegal(
        "reorder_stmts", "read_after_write", "x: f32, y: f32",
        """
        x = 1.0
        y = x
        """,
        lambda p: reorder_stmts(p, "x = _ ; y = _"),
        "E411", "the statements do not commute",
        Wrong("""
        y = x
        x = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts", "write_after_read", "x: f32, y: f32",
        """
        y = x
        x = 1.0
        """,
        lambda p: reorder_stmts(p, "y = _ ; x = _"),
        "E411", "the statements do not commute",
        Wrong("""
        x = 1.0
        y = x
        """),
    ),
    Illegal(
        "reorder_stmts", "write_after_write_that_may_coincide",
        "n: size, i: index, j: index, x: f32[n]",
        """
        assert 0 <= i and i < n
        assert 0 <= j and j < n
        x[i] = 1.0
        x[j] = 2.0
        """,
        lambda p: reorder_stmts(p, "x[i] = _ ; x[j] = _"),
        "E411", "the statements do not commute",
        Wrong("""
        x[j] = 2.0
        x[i] = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts", "a_write_and_a_reduction", "x: f32, y: f32",
        """
        x = y
        x += 1.0
        """,
        lambda p: reorder_stmts(p, "x = _ ; x += _"),
        "E411", "the statements do not commute",
        Wrong("""
        x += 1.0
        x = y
        """),
    ),
    Illegal(
        "reorder_stmts", "a_reduction_of_the_other_s_value", "x: f32, y: f32",
        """
        x += y
        y += x
        """,
        lambda p: reorder_stmts(p, "x += _ ; y += _"),
        "E411", "the statements do not commute",
        Wrong("""
        y += x
        x += y
        """),
    ),
    Illegal(
        "reorder_stmts", "an_allocation_behind_its_use", "x: f32[4]",
        """
        t: f32
        t = 1.0
        x[0] = t
        """,
        lambda p: reorder_stmts(p, "t: _ ; t = _"),
        "E416", "the second statement uses t",
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
        "reorder_stmts", "a_window_behind_its_use", "x: f32[4]",
        """
        w = x[0:2]
        w[0] = 1.0
        """,
        lambda p: reorder_stmts(p, "w = _ ; w[_] = _"),
        "E416", "the second statement uses w",
        Malformed(
            """
            w[0] = 1.0
            w = x[0:2]
            """,
            "E200",
        ),
    ),
    Illegal(
        "reorder_stmts", "two_windows_of_one_buffer",
        "x: f32[8], y: f32[4]",
        """
        v = x[0:4]
        w = x[3:7]
        v[3] = 1.0
        y[0] = w[0]
        """,
        lambda p: reorder_stmts(p, "v[_] = _ ; y[_] = _"),
        "E411", "the statements do not commute",
        Wrong("""
        v = x[0:4]
        w = x[3:7]
        y[0] = w[0]
        v[3] = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts", "a_call_through_overlapping_windows",
        "x: f32[8], y: f32[8]",
        """
        smooth(y[0:4], x[0:4])
        smooth(x[3:7], y[4:8])
        """,
        lambda p, c: reorder_stmts(p, p.body()),
        "E411", "the statements do not commute",
        Wrong("""
        smooth(x[3:7], y[4:8])
        smooth(y[0:4], x[0:4])
        """),
        callees=(SMOOTH,),
    ),
    Illegal(
        "reorder_stmts", "a_write_past_a_check", "n: size, x: f32[n]",
        """
        check(n < 3)
        x[0] = 1.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411", "the statements do not commute",
        Stopped("""
        x[0] = 1.0
        check(n < 3)
        """),
    ),
    Illegal(
        "reorder_stmts", "an_access_before_the_check_that_guards_it",
        "n: size, x: f32[n], y: f32",
        """
        check(n > 3)
        y = x[3]
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411", "the statements do not commute",
        Malformed(
            """
            y = x[3]
            check(n > 3)
            """,
            "E305",
        ),
    ),
    Illegal(
        "reorder_stmts", "a_gather_and_a_scatter",
        "k: i32[2], x: f32[4], y: f32[4]",
        """
        x[idx(k[0], 0, 4)] = 1.0
        y[0] = x[idx(k[1], 0, 4)]
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411", "the statements do not commute",
        Wrong("""
        y[0] = x[idx(k[1], 0, 4)]
        x[idx(k[0], 0, 4)] = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts", "an_index_that_the_other_statement_changes",
        "k: i32[2], x: f32[4], y: f32[4]",
        """
        k[0] = 2
        x[idx(k[0], 0, 4)] = 1.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411", "the statements do not commute",
        Wrong("""
        x[idx(k[0], 0, 4)] = 1.0
        k[0] = 2
        """),
    ),
    Illegal(
        "reorder_stmts", "a_condition_on_what_the_other_writes",
        "x: f32, y: f32",
        """
        x = 1.0
        if x < 0.0:
            y = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411", "the statements do not commute",
        Wrong("""
        if x < 0.0:
            y = 2.0
        x = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts", "places_that_differ_only_if_division_truncates",
        "k: index, x: f32[8]",
        """
        assert 0 <= k and k < 8
        x[(k - 5) / 2 + 3] = 1.0
        x[(k - 4) / 2 + 2] = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411", "the statements do not commute",
        Wrong("""
        x[(k - 4) / 2 + 2] = 2.0
        x[(k - 5) / 2 + 3] = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts", "loops_over_ranges_that_touch",
        "n: size, m: size, x: f32[n]",
        """
        assert m < n
        for i in seq(0, m + 1):
            x[i] = 1.0
        for j in seq(m, n):
            x[j] = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E411", "the statements do not commute",
        Wrong("""
        for j in seq(m, n):
            x[j] = 2.0
        for i in seq(0, m + 1):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "reorder_stmts", "three_statements", "x: f32, y: f32, z: f32",
        """
        x = 1.0
        y = 1.0
        z = 1.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        "E404", "a block of two statements is wanted, not 3",
        Misuse("no two statements to swap"),
    ),
]  # fmt: skip
