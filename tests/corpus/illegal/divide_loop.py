"""Illegal steps of `divide_loop`."""

from __future__ import annotations

from tests.corpus.callees import TILE
from tests.corpus.case import Illegal, Malformed, Misuse, Stopped, Wrong
from usl_core.scheduling import divide_loop

CASES = [
    Illegal(
        "divide_loop",
        "round_up_gathers_with_poison",
        "n: size, k: i32[n], x: f32[4], y: f32[n]",
        """
        j: i32[n + 4]
        t: f32[n + 4]
        for l in seq(0, n):
            j[l] = k[l]
        for i in seq(0, n):
            t[i] = x[idx(j[i], 0, 4)]
        for l in seq(0, n):
            y[l] = t[l]
        """,
        lambda p: divide_loop(p, "i", 4, ["io", "ii"], tail="round_up"),
        "E418",
        "may be uninitialised beyond the end",
        Wrong("""
        j: i32[n + 4]
        t: f32[n + 4]
        for l in seq(0, n):
            j[l] = k[l]
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                t[4 * io + ii] = x[idx(j[4 * io + ii], 0, 4)]
        for l in seq(0, n):
            y[l] = t[l]
        """),
    ),
    Illegal(
        "divide_loop",
        "perfect_though_a_remainder_is_left",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, TILE, perfect=True),
        "E412",
        "cannot prove that 4 divides n",
        Wrong("""
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop",
        "perfect_by_four_where_only_two_divides",
        "n: size, x: f32[n]",
        """
        assert n % 2 == 0
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, TILE, perfect=True),
        "E412",
        "cannot prove that 4 divides n",
        Wrong("""
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop",
        "perfect_in_a_sum_of_multiples",
        "n: size, m: size, x: f32[n + m]",
        """
        assert n % 4 == 0
        assert m % 6 == 0
        for i in seq(0, n + m):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, TILE, perfect=True),
        "E412",
        "cannot prove that 4 divides n + m",
        Wrong("""
        for io in seq(0, (n + m) / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """),
        factor=6,
    ),
    Illegal(
        "divide_loop",
        "starts_at_one",
        "n: size, x: f32[n]",
        """
        for i in seq(1, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, TILE),
        "E412",
        "must start at 0, not at 1",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                if 4 * io + ii < n:
                    x[4 * io + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop",
        "starts_at_a_formal",
        "m: index, n: size, x: f32[n]",
        """
        assert 0 <= m
        assert m <= n
        for i in seq(m, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 2, TILE, tail="cut"),
        "E412",
        "must start at 0, not at m",
        Wrong("""
        for io in seq(0, n / 2):
            for ii in seq(0, 2):
                x[2 * io + ii] = 1.0
        for ii in seq(0, n % 2):
            x[2 * (n / 2) + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop",
        "factor_zero",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 0, TILE),
        "E404",
        "the factor must be at least 1",
        Misuse("tiles of no iterations"),
    ),
    Illegal(
        "divide_loop",
        "negative_factor",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", -4, TILE),
        "E404",
        "the factor must be at least 1",
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
        "divide_loop",
        "shift_inwards_of_fewer_iterations_than_a_tile",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="shift_inwards"),
        "E412",
        "cannot prove",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[min(4 * io, n - 4) + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop",
        "shift_inwards_repeats_a_reduction",
        "n: size, x: f32[n], y: f32[n]",
        """
        assert n >= 4
        for i in seq(0, n):
            y[i] += x[i]
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="shift_inwards"),
        "E411",
        "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                y[min(4 * io, n - 4) + ii] += x[min(4 * io, n - 4) + ii]
        """),
    ),
    Illegal(
        "divide_loop",
        "shift_inwards_of_an_update_in_place",
        "n: size, x: f32[n]",
        """
        assert n >= 4
        for i in seq(0, n):
            x[i] = 2.0 * x[i]
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="shift_inwards"),
        "E411",
        "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[min(4 * io, n - 4) + ii] = 2.0 * x[min(4 * io, n - 4) + ii]
        """),
    ),
    Illegal(
        "divide_loop",
        "shift_inwards_reads_what_a_later_iteration_wrote",
        "n: size, x: f32[n + 1]",
        """
        assert n >= 4
        for i in seq(0, n):
            x[i] = x[i + 1]
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="shift_inwards"),
        "E411",
        "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[min(4 * io, n - 4) + ii] = x[min(4 * io, n - 4) + ii + 1]
        """),
    ),
    Illegal(
        "divide_loop",
        "shift_inwards_of_a_value_carried_on",
        "n: size, x: f32[n], y: f32[n], a: f32",
        """
        assert n >= 4
        for i in seq(0, n):
            y[i] = a
            a = x[i]
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="shift_inwards"),
        "E411",
        "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                y[min(4 * io, n - 4) + ii] = a
                a = x[min(4 * io, n - 4) + ii]
        """),
    ),
    Illegal(
        "divide_loop",
        "round_up_writes_beyond_a_formal",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="round_up"),
        "E419",
        "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop",
        "round_up_writes_a_formal_that_is_large_enough",
        "n: size, x: f32[n + 4]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="round_up"),
        "E419",
        "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """),
    ),
    Illegal(
        "divide_loop",
        "round_up_reads_garbage_into_a_sum",
        "n: size, x: f32[n + 4], y: f32",
        """
        t: f32
        t = 0.0
        for i in seq(0, n):
            t += x[i]
        y = t
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="round_up"),
        "E411",
        "divide_loop",
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
        "divide_loop",
        "round_up_overwrites_what_is_read_later",
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
        lambda p: divide_loop(p, "i", 4, TILE, tail="round_up"),
        "E411",
        "divide_loop",
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
        "divide_loop",
        "round_up_runs_a_check_beyond_the_end",
        "n: size, x: f32[n]",
        """
        t: f32[n + 4]
        for i in seq(0, n):
            check(i < n)
            t[i] = 0.0
        x[0] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="round_up"),
        "E419",
        "divide_loop",
        Stopped("""
        t: f32[n + 4]
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                check(4 * io + ii < n)
                t[4 * io + ii] = 0.0
        x[0] = 1.0
        """),
    ),
    Illegal(
        "divide_loop",
        "shift_inwards_of_a_shift_through_a_window",
        "n: size, x: f32[n + 1]",
        """
        assert n >= 4
        w = x[0:n]
        for i in seq(0, n):
            w[i] = x[i + 1]
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="shift_inwards"),
        "E411",
        "divide_loop",
        Wrong("""
        w = x[0:n]
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                w[min(4 * io, n - 4) + ii] = x[min(4 * io, n - 4) + ii + 1]
        """),
    ),
    Illegal(
        "divide_loop",
        "shift_inwards_of_rows_that_move_by_one",
        "n: size, x: f32[n, 4]",
        """
        assert n >= 4
        for i in seq(0, n):
            for k in seq(0, 3):
                x[i, k] = x[i, k + 1]
        """,
        lambda p: divide_loop(p, "i", 4, TILE, tail="shift_inwards"),
        "E411",
        "divide_loop",
        Wrong("""
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                for k in seq(0, 3):
                    x[min(4 * io, n - 4) + ii, k] = x[min(4 * io, n - 4) + ii, k + 1]
        """),
    ),
    Illegal(
        "divide_loop",
        "round_up_where_indices_end_early",
        "n: size, q: i32[n], x: f32[n], y: f32[n]",
        """
        k: i32[4 * ((n + 3) / 4)]
        t: f32[4 * ((n + 3) / 4)]
        for j in seq(0, n):
            k[j] = 0
        for j in seq(0, n):
            k[j] = q[j]
        for i in seq(0, n):
            t[i] = x[idx(k[i], 0, n)]
        for i in seq(0, n):
            y[i] = t[i]
        """,
        lambda p: divide_loop(p, "i", 4, ["io", "ii"], tail="round_up"),
        "E418",
        "may be uninitialised beyond the end",
        Wrong("""
        k: i32[4 * ((n + 3) / 4)]
        t: f32[4 * ((n + 3) / 4)]
        for j in seq(0, n):
            k[j] = q[j]
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                t[4 * io + ii] = x[idx(k[4 * io + ii], 0, n)]
        for i in seq(0, n):
            y[i] = t[i]
        """),
    ),
    Illegal(
        "divide_loop",
        "by_a_size_that_may_be_two_numbers",
        "n: size, q: size, x: f32[n]",
        """
        assert q == 4 or q == 8
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", "q", ["io", "ii"]),
        "E415",
        "the factor q may be more than one number here",
        Malformed(
            """
            for io in seq(0, n / q):
                for ii in seq(0, q):
                    x[q * io + ii] = 1.0
            """,
            "E200",
        ),
    ),
]
