"""Illegal steps that change the range of a loop: divide_loop, cut_loop, join_loops, shift_loop, unroll_loop."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse, Stopped, Wrong, race
from usl_core.scheduling import cut_loop, divide_loop, join_loops, shift_loop, unroll_loop

_IO = ["io", "ii"]

CASES = [
    Illegal(
        "divide_loop", "perfect_though_a_remainder_is_left",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, _IO, perfect=True),
        "E412", "cannot prove that 4 divides n",
        Wrong("""
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop", "perfect_by_four_where_only_two_divides",
        "n: size, x: f32[n]",
        """
        assert n % 2 == 0
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, _IO, perfect=True),
        "E412", "cannot prove that 4 divides n",
        Wrong("""
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop", "perfect_in_a_sum_of_multiples",
        "n: size, m: size, x: f32[n + m]",
        """
        assert n % 4 == 0
        assert m % 6 == 0
        for i in seq(0, n + m):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, _IO, perfect=True),
        "E412", "cannot prove that 4 divides n + m",
        Wrong("""
        for io in seq(0, (n + m) / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """),
        factor=6,
    ),
    Illegal(
        "divide_loop", "starts_at_one",
        "n: size, x: f32[n]",
        """
        for i in seq(1, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, _IO),
        "E412", "must start at 0, not at 1",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                if 4 * io + ii < n:
                    x[4 * io + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop", "starts_at_a_formal",
        "m: index, n: size, x: f32[n]",
        """
        assert 0 <= m
        assert m <= n
        for i in seq(m, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 2, _IO, tail="cut"),
        "E412", "must start at 0, not at m",
        Wrong("""
        for io in seq(0, n / 2):
            for ii in seq(0, 2):
                x[2 * io + ii] = 1.0
        for ii in seq(0, n % 2):
            x[2 * (n / 2) + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop", "factor_zero", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 0, _IO),
        "E404", "the factor must be at least 1",
        Misuse("tiles of no iterations"),
    ),
    Illegal(
        "divide_loop", "negative_factor", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", -4, _IO),
        "E404", "the factor must be at least 1",
        Malformed(
            """
            for io in seq(0, (n - 5) / -4):
                for ii in seq(0, -4):
                    x[-4 * io + ii] = 1.0
            """,
            "E302",
        ),
    ),
    Illegal(
        "divide_loop", "shift_inwards_of_fewer_iterations_than_a_tile",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="shift_inwards"),
        "E412", "cannot prove",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[min(4 * io, n - 4) + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop", "shift_inwards_repeats_a_reduction",
        "n: size, x: f32[n], y: f32[n]",
        """
        assert n >= 4
        for i in seq(0, n):
            y[i] += x[i]
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="shift_inwards"),
        "E411", "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                y[min(4 * io, n - 4) + ii] += x[min(4 * io, n - 4) + ii]
        """),
    ),
    Illegal(
        "divide_loop", "shift_inwards_of_an_update_in_place",
        "n: size, x: f32[n]",
        """
        assert n >= 4
        for i in seq(0, n):
            x[i] = 2.0 * x[i]
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="shift_inwards"),
        "E411", "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[min(4 * io, n - 4) + ii] = 2.0 * x[min(4 * io, n - 4) + ii]
        """),
    ),
    Illegal(
        "divide_loop", "shift_inwards_reads_what_a_later_iteration_wrote",
        "n: size, x: f32[n + 1]",
        """
        assert n >= 4
        for i in seq(0, n):
            x[i] = x[i + 1]
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="shift_inwards"),
        "E411", "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[min(4 * io, n - 4) + ii] = x[min(4 * io, n - 4) + ii + 1]
        """),
    ),
    Illegal(
        "divide_loop", "shift_inwards_of_a_value_carried_on",
        "n: size, x: f32[n], y: f32[n], a: f32",
        """
        assert n >= 4
        for i in seq(0, n):
            y[i] = a
            a = x[i]
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="shift_inwards"),
        "E411", "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                y[min(4 * io, n - 4) + ii] = a
                a = x[min(4 * io, n - 4) + ii]
        """),
    ),
    Illegal(
        "divide_loop", "round_up_writes_beyond_a_formal",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="round_up"),
        "E413", "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop", "round_up_writes_a_formal_that_is_large_enough",
        "n: size, x: f32[n + 4]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="round_up"),
        "E413", "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop", "round_up_reads_garbage_into_a_sum",
        "n: size, x: f32[n + 4], y: f32",
        """
        t: f32
        t = 0.0
        for i in seq(0, n):
            t += x[i]
        y = t
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="round_up"),
        "E411", "divide_loop",
        Wrong("""
        t: f32
        t = 0.0
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                t += x[4 * io + ii]
        y = t
        """),
    ),
    Illegal(
        "divide_loop", "round_up_overwrites_what_is_read_later",
        "n: size, x: f32[n], y: f32[n + 4]",
        """
        t: f32[n + 4]
        for j in seq(0, n + 4):
            t[j] = 7.0
        for i in seq(0, n):
            t[i] = 1.0
        for k in seq(0, n + 4):
            y[k] = t[k]
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="round_up"),
        "E411", "divide_loop",
        Wrong("""
        t: f32[n + 4]
        for j in seq(0, n + 4):
            t[j] = 7.0
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                t[4 * io + ii] = 1.0
        for k in seq(0, n + 4):
            y[k] = t[k]
        """),
    ),
    Illegal(
        "divide_loop", "round_up_runs_a_check_beyond_the_end",
        "n: size, x: f32[n]",
        """
        t: f32[n + 4]
        for i in seq(0, n):
            check(i < n)
            t[i] = 0.0
        x[0] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="round_up"),
        "E413", "divide_loop",
        Stopped("""
        t: f32[n + 4]
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                check(4 * io + ii < n)
                t[4 * io + ii] = 0.0
        x[0] = 1.0
        """),
    ),
    # ---- cut_loop
    Illegal(
        "cut_loop", "behind_the_end",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: cut_loop(p, "i", 5),
        "E412", "cannot prove 0 <= 5 <= n",
        Wrong("""
        for i in seq(0, 5):
            x[i] = 1.0
        for i in seq(5, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "cut_loop", "before_the_start",
        "n: size, x: f32[n]",
        """
        assert n >= 2
        for i in seq(2, n):
            x[i] = 1.0
        """,
        lambda p: cut_loop(p, "i", 1),
        "E412", "cannot prove 2 <= 1 <= n",
        Wrong("""
        for i in seq(2, 1):
            x[i] = 1.0
        for i in seq(1, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "cut_loop", "negative_for_small_sizes",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: cut_loop(p, "i", "n - 3"),
        "E412", "cannot prove 0 <= n - 3 <= n",
        Wrong("""
        for i in seq(0, n - 3):
            x[i] = 1.0
        for i in seq(n - 3, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "cut_loop", "half_plus_two_of_a_short_loop",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] += 1.0
        """,
        lambda p: cut_loop(p, "i", "n / 2 + 2"),
        "E412", "cannot prove",
        Wrong("""
        for i in seq(0, n / 2 + 2):
            x[i] += 1.0
        for i in seq(n / 2 + 2, n):
            x[i] += 1.0
        """),
    ),
    Illegal(
        "cut_loop", "a_negative_quotient_rounds_down",
        "m: size, n: size, x: f32[n]",
        """
        assert m <= n
        for i in seq(0, n):
            x[i] = 1.0
        """,
        # Rounding towards zero, as C does, would give 0 for m = 1.
        lambda p: cut_loop(p, "i", "(m - 6) / 4 + 1"),
        "E412", "cannot prove",
        Wrong("""
        for i in seq(0, (m - 6) / 4 + 1):
            x[i] = 1.0
        for i in seq((m - 6) / 4 + 1, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "cut_loop", "at_another_size",
        "m: size, n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: cut_loop(p, "i", "m"),
        "E412", "cannot prove 0 <= m <= n",
        Wrong("""
        for i in seq(0, m):
            x[i] = 1.0
        for i in seq(m, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "cut_loop", "at_an_iterator_of_its_own_body",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = 1.0
        """,
        lambda p: cut_loop(p, "i", "j"),
        "E200", "j",
        Malformed(
            """
            for i in seq(0, j):
                for j in seq(0, n):
                    x[i, j] = 1.0
            for i in seq(j, n):
                for j in seq(0, n):
                    x[i, j] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "cut_loop", "in_a_triangle_where_the_row_is_short",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, i):
                x[i, j] = 1.0
        """,
        lambda p: cut_loop(p, "j", 1),
        "E412", "cannot prove 0 <= 1 <= i",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, 1):
                x[i, j] = 1.0
            for j in seq(1, i):
                x[i, j] = 1.0
        """),
    ),
    # ---- join_loops
    Illegal(
        "join_loops", "over_a_gap",
        "m: size, n: size, x: f32[n]",
        """
        assert m < n
        for i in seq(0, m):
            x[i] = 1.0
        for i in seq(m + 1, n):
            x[i] = 1.0
        """,
        lambda p: join_loops(p, "i", "i #1"),
        "E412", "is not proved to be m",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "join_loops", "overlapping_ranges_of_a_reduction",
        "m: size, n: size, x: f32[n]",
        """
        assert m <= n
        for i in seq(0, m):
            x[i] += 1.0
        for i in seq(m - 1, n):
            x[i] += 1.0
        """,
        lambda p: join_loops(p, "i", "i #1"),
        "E412", "is not proved to be m",
        Wrong("""
        for i in seq(0, n):
            x[i] += 1.0
        """),
    ),
    Illegal(
        "join_loops", "a_write_and_a_reduction",
        "m: size, n: size, x: f32[n]",
        """
        assert m <= n
        for i in seq(0, m):
            x[i] = 1.0
        for i in seq(m, n):
            x[i] += 1.0
        """,
        lambda p: join_loops(p, "i", "i #1"),
        "E404", "the bodies of the loops are not the same",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "join_loops", "bodies_that_differ_in_an_inner_iterator",
        "m: size, n: size, x: f32[n, n], y: f32[n, n]",
        """
        assert m <= n
        for i in seq(0, m):
            for j in seq(0, n):
                x[i, j] = y[i, j]
        for i in seq(m, n):
            for j in seq(0, n):
                x[i, j] = y[j, i]
        """,
        lambda p: join_loops(p, "i", "i #1"),
        "E404", "the bodies of the loops are not the same",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = y[i, j]
        """),
    ),
    Illegal(
        "join_loops", "with_a_statement_in_between",
        "m: size, n: size, x: f32[n], y: f32[n]",
        """
        assert m < n
        for i in seq(0, m):
            y[i] = x[i]
        x[m] = 3.0
        for i in seq(m, n):
            y[i] = x[i]
        """,
        lambda p: join_loops(p, "i", "i #1"),
        "E404", "must directly follow the first",
        Wrong("""
        for i in seq(0, n):
            y[i] = x[i]
        x[m] = 3.0
        """),
    ),
    Illegal(
        "join_loops", "the_later_one_first",
        "m: size, n: size, x: f32[n], a: f32",
        """
        assert m <= n
        for i in seq(m, n):
            a = x[i]
        for i in seq(0, m):
            a = x[i]
        """,
        lambda p: join_loops(p, "i #1", "i"),
        "E404", "must directly follow the first",
        Wrong("""
        for i in seq(0, n):
            a = x[i]
        """),
    ),
    Illegal(
        "join_loops", "a_parallel_and_a_dependent_loop",
        "m: size, n: size, x: f32[n + 1]",
        """
        assert m <= n
        for i in par(0, m):
            x[i + 1] = x[i]
        for i in seq(m, n):
            x[i + 1] = x[i]
        """,
        lambda p: join_loops(p, "i", "i #1"),
        "E404", "one of the loops is `par` and the other is not",
        race("""
        for i in par(0, n):
            x[i + 1] = x[i]
        """),
    ),
    # ---- shift_loop
    Illegal(
        "shift_loop", "below_zero", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: shift_loop(p, "i", -1),
        "E412", "cannot prove that the new start -1 is at least 0",
        Misuse("loops start at 0 or later"),
    ),
    Illegal(
        "shift_loop", "below_zero_for_small_sizes", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: shift_loop(p, "i", "n - 2"),
        "E412", "cannot prove that the new start n - 2 is at least 0",
        Misuse("loops start at 0 or later"),
    ),
    Illegal(
        "shift_loop", "to_an_iterator_of_its_own_body",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = 1.0
        """,
        lambda p: shift_loop(p, "i", "j"),
        "E200", "j",
        Malformed(
            """
            for i in seq(j, j + n):
                for j in seq(0, n):
                    x[i - j, j] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "shift_loop", "to_an_iterator_of_another_loop",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        for k in seq(0, n):
            x[k] += 1.0
        """,
        lambda p: shift_loop(p, "k", "i"),
        "E200", "i",
        Malformed(
            """
            for i in seq(0, n):
                x[i] = 1.0
            for k in seq(i, i + n):
                x[k - i] += 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "shift_loop", "to_data", "n: size, k: i32, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: shift_loop(p, "i", "idx(k, 0, 4)"),
        "E200", "idx",
        Malformed(
            """
            for i in seq(idx(k, 0, 4), idx(k, 0, 4) + n):
                x[i - idx(k, 0, 4)] = 1.0
            """,
            "E200",
        ),
    ),
    # ---- unroll_loop
    Illegal(
        "unroll_loop", "a_symbolic_end",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "E415", "the limit n is not a constant",
        Wrong("x[0] = 1.0"),
    ),
    Illegal(
        "unroll_loop", "a_symbolic_start",
        "m: index, x: f32[4]",
        """
        assert 0 <= m and m <= 4
        for i in seq(m, 4):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "E415", "the limit m is not a constant",
        Wrong("""
        x[0] = 1.0
        x[1] = 1.0
        x[2] = 1.0
        x[3] = 1.0
        """),
    ),
    Illegal(
        "unroll_loop", "an_end_that_is_only_bounded",
        "n: size, x: f32[n]",
        """
        for i in seq(0, min(n, 2)):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "E415", "is not a constant",
        Wrong("""
        x[0] = 1.0
        x[1] = 1.0
        """),
    ),
    Illegal(
        "unroll_loop", "a_row_of_a_triangle",
        "x: f32[4, 4]",
        """
        for i in seq(0, 4):
            for j in seq(0, i):
                x[i, j] = 1.0
        """,
        lambda p: unroll_loop(p, "j"),
        "E415", "the limit i is not a constant",
        Wrong("""
        for i in seq(0, 4):
            x[i, 0] = 1.0
            x[i, 1] = 1.0
            x[i, 2] = 1.0
        """),
    ),
    Illegal(
        "unroll_loop", "too_many_copies", "x: f32[5000]",
        """
        for i in seq(0, 5000):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "E404", "5000 copies are too many",
        Misuse("a text of 5000 copies"),
    ),
]  # fmt: skip
