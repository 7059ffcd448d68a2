"""Legal steps on loops and branches, as performance engineers take them."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import (
    add_loop,
    cut_loop,
    divide_loop,
    eliminate_dead_code,
    fission,
    fuse,
    join_loops,
    lift_scope,
    parallelize_loop,
    remove_loop,
    reorder_loops,
    reorder_stmts,
    shift_loop,
    simplify,
    specialize,
    unroll_loop,
)

_IO = ["io", "ii"]
SAXPY = """
for i in seq(0, n):
    y[i] += a * x[i]
"""
SAXPY_ARGS = "n: size, a: f32, x: f32[n], y: f32[n]"
PUT = """
def put(dst: [f32][1], v: f32):
    dst[0] = v
"""


def _after(pattern, n_lifts=1):
    return lambda p: fission(p, p.find(pattern).after(), n_lifts)


CASES = [
    # ---- divide_loop
    Legal("divide_loop", "guarded_tail", SAXPY_ARGS, SAXPY, lambda p: divide_loop(p, "i", 4, _IO), """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                if 4 * io + ii < n:
                    y[4 * io + ii] += a * x[4 * io + ii]
        """),
    Legal("divide_loop", "cut_tail", SAXPY_ARGS, SAXPY, lambda p: divide_loop(p, "i", 4, _IO, tail="cut"), """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                y[4 * io + ii] += a * x[4 * io + ii]
        for ii in seq(0, n % 4):
            y[ii + n / 4 * 4] += a * x[ii + n / 4 * 4]
        """),
    Legal("divide_loop", "cut_and_guarded_tail", SAXPY_ARGS, SAXPY, lambda p: divide_loop(p, "i", 4, _IO, tail="cut_and_guard"), """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                y[4 * io + ii] += a * x[4 * io + ii]
        if n % 4 > 0:
            for ii in seq(0, n % 4):
                y[ii + n / 4 * 4] += a * x[ii + n / 4 * 4]
        """),
    Legal(
        "divide_loop", "perfect_by_an_assertion", SAXPY_ARGS, "assert n % 4 == 0\n" + SAXPY.strip(),
        lambda p: divide_loop(p, "i", 4, _IO, perfect=True),
        """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                y[4 * io + ii] += a * x[4 * io + ii]
        """,
    ),
    Legal(
        "divide_loop", "perfect_by_the_form_of_the_size", "n: size, x: f32[8 * n]",
        """
        for i in seq(0, 8 * n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, _IO, perfect=True),
        """
        for io in seq(0, 8 * n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """,
    ),
    Legal(
        "divide_loop", "perfect_by_a_sum_of_multiples", "n: size, m: size, x: f32[n + m]",
        """
        assert n % 4 == 1
        assert m % 4 == 3
        for i in seq(0, n + m):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, _IO, perfect=True),
    ),
    Legal("divide_loop", "by_one", SAXPY_ARGS, SAXPY, lambda p: divide_loop(p, "i", 1, _IO, perfect=True), """
        for io in seq(0, n):
            for ii in seq(0, 1):
                y[io + ii] += a * x[io + ii]
        """),
    Legal(
        "divide_loop", "a_constant_that_leaves_a_rest", "x: f32[10]",
        """
        for i in seq(0, 10):
            x[i] = 1.0
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="cut"),
        """
        for io in seq(0, 2):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        for ii in seq(0, 2):
            x[ii + 8] = 1.0
        """,
    ),
    Legal(
        "divide_loop", "a_row_of_a_triangle", "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, i + 1):
                x[i, j] = 1.0
        """,
        lambda p: divide_loop(p, "j", 4, ["jo", "ji"], tail="cut"),
        """
        for i in seq(0, n):
            for jo in seq(0, (i + 1) / 4):
                for ji in seq(0, 4):
                    x[i, 4 * jo + ji] = 1.0
            for ji in seq(0, (i + 1) % 4):
                x[i, ji + (i + 1) / 4 * 4] = 1.0
        """,
    ),
    Legal(
        "divide_loop", "shift_inwards_of_writes", "n: size, x: f32[n], y: f32[n]",
        """
        assert n >= 4
        for i in seq(0, n):
            y[i] = 2.0 * x[i]
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="shift_inwards"),
        """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                y[min(4 * io, n - 4) + ii] = 2.0 * x[min(4 * io, n - 4) + ii]
        """,
    ),
    Legal(
        "divide_loop", "shift_inwards_of_a_stencil", "n: size, x: f32[n + 2], y: f32[n]",
        """
        assert n >= 4
        for i in seq(0, n):
            y[i] = x[i] + x[i + 1] + x[i + 2]
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="shift_inwards"),
    ),
    Legal(
        "divide_loop", "shift_inwards_with_a_sum_in_a_local_scalar", "n: size, m: size, x: f32[n, m], y: f32[n]",
        """
        assert n >= 4
        for i in seq(0, n):
            t: f32
            t = 0.0
            for j in seq(0, m):
                t += x[i, j]
            y[i] = t
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="shift_inwards"),
    ),
    Legal(
        "divide_loop", "shift_inwards_of_a_parallel_loop", "n: size, x: f32[n], y: f32[n]",
        """
        assert n >= 4
        for i in par(0, n):
            y[i] = 2.0 * x[i]
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="shift_inwards"),
    ),
    Legal(
        "divide_loop", "round_up_into_a_padded_local_buffer", "n: size, x: f32[4 * ((n + 3) / 4)], y: f32[n]",
        """
        t: f32[4 * ((n + 3) / 4)]
        for i in seq(0, n):
            t[i] = 2.0 * x[i]
        for j in seq(0, n):
            y[j] = t[j]
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="round_up"),
    ),
    Legal(
        "divide_loop", "a_histogram", "n: size, k: u8[n], h: i32[256]",
        """
        for i in seq(0, n):
            h[idx(k[i], 0, 256)] += 1
        """,
        lambda p: divide_loop(p, "i", 4, _IO, tail="cut"),
        """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                h[idx(k[4 * io + ii], 0, 256)] += 1
        for ii in seq(0, n % 4):
            h[idx(k[ii + n / 4 * 4], 0, 256)] += 1
        """,
    ),
    Legal(
        "divide_loop", "a_recurrence_keeps_its_order", "n: size, x: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i + 1] = 0.5 * x[i]
        """,
        lambda p: divide_loop(p, "i", 4, _IO),
    ),
    # ---- reorder_loops
    Legal(
        "reorder_loops", "independent_writes", "n: size, m: size, x: f32[n, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 2.0 * x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        """
        for j in seq(0, m):
            for i in seq(0, n):
                x[i, j] = 2.0 * x[i, j]
        """,
    ),
    Legal(
        "reorder_loops", "a_reduction", "n: size, m: size, x: f32[n, m], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                y[i] += x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        """
        for j in seq(0, m):
            for i in seq(0, n):
                y[i] += x[i, j]
        """,
    ),
    Legal(
        "reorder_loops", "a_wrapping_reduction", "n: size, m: size, x: u8[n, m], y: u8",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                y += x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
    ),
    Legal(
        "reorder_loops", "a_product_of_matrices", "n: size, A: f32[n, n], B: f32[n, n], C: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                for k in seq(0, n):
                    C[i, j] += A[i, k] * B[k, j]
        """,
        lambda p: reorder_loops(reorder_loops(p, "j k"), "i k"),
        """
        for k in seq(0, n):
            for i in seq(0, n):
                for j in seq(0, n):
                    C[i, j] += A[i, k] * B[k, j]
        """,
    ),
    Legal(
        "reorder_loops", "a_dependence_along_one_axis", "n: size, m: size, x: f32[n + 1, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i + 1, j] = x[i, j] + 1.0
        """,
        lambda p: reorder_loops(p, "i j"),
    ),
    Legal(
        "reorder_loops", "a_dependence_along_both_axes_forwards", "n: size, m: size, x: f32[n + 1, m + 1]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i + 1, j + 1] = x[i, j] + x[i, j + 1]
        """,
        lambda p: reorder_loops(p, "i j"),
    ),
    Legal(
        "reorder_loops", "a_histogram_over_two_axes", "n: size, k: u8[n, n], h: i32[4]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                h[idx(k[i, j], 0, 4)] += 1
        """,
        lambda p: reorder_loops(p, "i j"),
    ),
    Legal(
        "reorder_loops", "diagonals_that_round_down_do_not_meet", "n: size, x: f32[n, n], y: f32[2 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                y[(i - j) / 2 + n] = x[i, 0]
        """,
        # Iterations that change places differ by at least 2 in i - j, so by at least 1 in its half rounded down.
        lambda p: reorder_loops(p, "i j"),
    ),
    Legal(
        "reorder_loops", "a_window_that_keeps_rows_apart", "n: size, m: size, x: f32[2, n, m]",
        """
        w = x[0, 0:n, 0:m]
        v = x[1, 0:n, 0:m]
        for i in seq(0, n):
            for j in seq(0, m):
                w[i, j] = v[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
    ),
    Legal(
        "reorder_loops", "under_a_guard", "n: size, m: size, x: f32[n, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                if i + j < n:
                    x[i, j] = 0.0
        """,
        lambda p: reorder_loops(p, "i j"),
        """
        for j in seq(0, m):
            for i in seq(0, n):
                if i + j < n:
                    x[i, j] = 0.0
        """,
    ),
    # ---- cut_loop
    Legal("cut_loop", "at_one", SAXPY_ARGS, SAXPY, lambda p: cut_loop(p, "i", 1), """
        for i in seq(0, 1):
            y[i] += a * x[i]
        for i in seq(1, n):
            y[i] += a * x[i]
        """),
    Legal("cut_loop", "in_the_middle", SAXPY_ARGS, SAXPY, lambda p: cut_loop(p, "i", "n / 2"), """
        for i in seq(0, n / 2):
            y[i] += a * x[i]
        for i in seq(n / 2, n):
            y[i] += a * x[i]
        """),
    Legal("cut_loop", "at_a_clamped_constant", SAXPY_ARGS, SAXPY, lambda p: cut_loop(p, "i", "min(4, n)"), """
        for i in seq(0, min(4, n)):
            y[i] += a * x[i]
        for i in seq(min(4, n), n):
            y[i] += a * x[i]
        """),
    Legal("cut_loop", "before_the_last", SAXPY_ARGS, SAXPY, lambda p: cut_loop(p, "i", "n - 1"), """
        for i in seq(0, n - 1):
            y[i] += a * x[i]
        for i in seq(n - 1, n):
            y[i] += a * x[i]
        """),
    Legal("cut_loop", "at_the_end", SAXPY_ARGS, SAXPY, lambda p: cut_loop(p, "i", "n"), """
        for i in seq(0, n):
            y[i] += a * x[i]
        for i in seq(n, n):
            y[i] += a * x[i]
        """),
    Legal("cut_loop", "at_full_tiles", SAXPY_ARGS, SAXPY, lambda p: cut_loop(p, "i", "n / 4 * 4"), """
        for i in seq(0, n / 4 * 4):
            y[i] += a * x[i]
        for i in seq(n / 4 * 4, n):
            y[i] += a * x[i]
        """),
    Legal(
        "cut_loop", "at_a_negative_quotient_that_rounds_down_to_zero", "m: size, n: size, x: f32[n]",
        """
        assert m <= n
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: cut_loop(p, "i", "(m - 5) / 4 + 1"),
    ),
    Legal(
        "cut_loop", "a_triangle_at_the_diagonal_block", "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, i + 1):
                x[i, j] = 1.0
        """,
        lambda p: cut_loop(p, "j", "i / 4 * 4"),
    ),
    # ---- join_loops
    Legal(
        "join_loops", "two_halves", "n: size, x: f32[n]",
        """
        for i in seq(0, n / 2):
            x[i] += 1.0
        for j in seq(n / 2, n):
            x[j] += 1.0
        """,
        lambda p: join_loops(p, "i", "j"),
        """
        for i in seq(0, n):
            x[i] += 1.0
        """,
    ),
    Legal(
        "join_loops", "what_cut_loop_made", SAXPY_ARGS, SAXPY,
        lambda p: join_loops(cut_loop(p, "i", "n - 1"), "i", "i #1"),
        """
        for i in seq(0, n):
            y[i] += a * x[i]
        """,
    ),
    Legal(
        "join_loops", "limits_that_are_equal_in_another_form", "n: size, x: f32[2 * n + 2]",
        """
        for i in seq(0, 2 * (n + 1) / 2):
            x[i] = 1.0
        for i in seq(n + 1, 2 * n + 2):
            x[i] = 1.0
        """,
        lambda p: join_loops(p, "i", "i #1"),
    ),
    Legal(
        "join_loops", "with_inner_names_that_differ", "n: size, m: size, x: f32[n, n]",
        """
        assert m <= n
        for i in seq(0, m):
            for j in seq(0, n):
                x[i, j] = 1.0
        for k in seq(m, n):
            for l in seq(0, n):
                x[k, l] = 1.0
        """,
        lambda p: join_loops(p, "i", "k"),
        """
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = 1.0
        """,
    ),
    # ---- shift_loop
    Legal(
        "shift_loop", "to_zero", "n: size, x: f32[n]",
        """
        for i in seq(1, n):
            x[i] = 1.0
        """,
        lambda p: shift_loop(p, "i", 0),
        """
        for i in seq(0, n - 1):
            x[i + 1] = 1.0
        """,
    ),
    Legal(
        "shift_loop", "a_symbolic_start_to_zero", "m: size, n: size, x: f32[n]",
        """
        assert m <= n
        for i in seq(m, n):
            x[i] = 1.0
        """,
        lambda p: shift_loop(p, "i", 0),
        """
        for i in seq(0, n - m):
            x[i + m] = 1.0
        """,
    ),
    Legal("shift_loop", "to_a_size", SAXPY_ARGS, SAXPY, lambda p: shift_loop(p, "i", "n"), """
        for i in seq(n, n + n):
            y[i - n] += a * x[i - n]
        """),
    Legal(
        "shift_loop", "by_the_iterator_around_it", "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(i, n):
                x[i, j] = 1.0
        """,
        lambda p: shift_loop(p, "j", 0),
        """
        for i in seq(0, n):
            for j in seq(0, n - i):
                x[i, j + i] = 1.0
        """,
    ),
    # ---- unroll_loop
    Legal(
        "unroll_loop", "three_copies", "x: f32[3]",
        """
        for i in seq(0, 3):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        """
        x[0] = 1.0
        x[1] = 1.0
        x[2] = 1.0
        """,
    ),
    Legal(
        "unroll_loop", "one_copy", "x: f32[3]",
        """
        for i in seq(2, 3):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "x[2] = 1.0",
    ),
    Legal(
        "unroll_loop", "no_copy", "x: f32[3]",
        """
        x[0] = 2.0
        for i in seq(0, 0):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        "x[0] = 2.0",
    ),
    Legal(
        "unroll_loop", "with_allocations_and_inner_loops", "x: f32[2, 4]",
        """
        for i in seq(0, 2):
            t: f32
            t = 0.0
            for j in seq(0, 4):
                t += x[i, j]
            x[i, 0] = t
        """,
        lambda p: unroll_loop(p, "i"),
        """
        t: f32
        t = 0.0
        for j in seq(0, 4):
            t += x[0, j]
        x[0, 0] = t
        t_1: f32
        t_1 = 0.0
        for j in seq(0, 4):
            t_1 += x[1, j]
        x[1, 0] = t_1
        """,
    ),
    Legal(
        "unroll_loop", "rows_of_a_triangle", "x: f32[3, 3]",
        """
        for i in seq(0, 3):
            for j in seq(0, i):
                x[i, j] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        """
        for j in seq(0, 0):
            x[0, j] = 1.0
        for j in seq(0, 1):
            x[1, j] = 1.0
        for j in seq(0, 2):
            x[2, j] = 1.0
        """,
    ),
    Legal(
        "unroll_loop", "a_constant_number_of_iterations_after_simplifying", "n: size, x: f32[n + 4]",
        """
        for i in seq(n - n, 2 + 0 * n):
            x[i] = 1.0
        """,
        lambda p: unroll_loop(p, "i"),
        """
        x[0] = 1.0
        x[1] = 1.0
        """,
    ),
    # ---- fission
    Legal(
        "fission", "independent_statements", "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = 2.0
        """,
        _after("x[_] = _"),
        """
        for i in seq(0, n):
            x[i] = 1.0
        for i in seq(0, n):
            y[i] = 2.0
        """,
    ),
    Legal(
        "fission", "a_value_per_iteration", "n: size, x: f32[n], y: f32[n], t: f32[n]",
        """
        for i in seq(0, n):
            t[i] = x[i]
            y[i] = t[i] * t[i]
        """,
        _after("t[_] = _"),
        """
        for i in seq(0, n):
            t[i] = x[i]
        for i in seq(0, n):
            y[i] = t[i] * t[i]
        """,
    ),
    Legal(
        "fission", "a_read_of_what_an_earlier_iteration_wrote", "n: size, x: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            x[i + 1] = 1.0
            y[i] = x[i]
        """,
        _after("x[_] = _"),
        """
        for i in seq(0, n):
            x[i + 1] = 1.0
        for i in seq(0, n):
            y[i] = x[i]
        """,
    ),
    Legal(
        "fission", "the_initialisation_of_a_sum_through_two_loops", "n: size, m: size, x: f32[n, m], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = 0.0
            for j in seq(0, m):
                y[i] += x[i, j]
        """,
        _after("y[_] = _"),
        """
        for i in seq(0, n):
            y[i] = 0.0
        for i in seq(0, n):
            for j in seq(0, m):
                y[i] += x[i, j]
        """,
    ),
    Legal(
        "fission", "two_lifts", "n: size, m: size, x: f32[n, m], y: f32[n, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 1.0
                y[i, j] = x[i, j]
        """,
        _after("x[_] = _", 2),
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 1.0
        for i in seq(0, n):
            for j in seq(0, m):
                y[i, j] = x[i, j]
        """,
    ),
    Legal(
        "fission", "an_invariant_assignment", "n: size, x: f32[n], a: f32, b: f32",
        """
        for i in seq(0, n):
            a = b
            x[i] = a
        """,
        _after("a = _"),
        """
        for i in seq(0, n):
            a = b
        for i in seq(0, n):
            x[i] = a
        """,
    ),
    Legal(
        "fission", "through_a_guard", "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            if i < 3:
                x[i] = 1.0
                y[i] = 2.0
        """,
        _after("x[_] = _", 2),
        """
        for i in seq(0, n):
            if i < 3:
                x[i] = 1.0
        for i in seq(0, n):
            if i < 3:
                y[i] = 2.0
        """,
    ),
    Legal(
        "fission", "through_an_invariant_if_with_else", "n: size, m: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        for i in seq(0, n):
            if m < 3:
                x[i] = 1.0
                y[i] = 2.0
            else:
                z[i] = 3.0
        """,
        _after("x[_] = _", 2),
        """
        for i in seq(0, n):
            if m < 3:
                x[i] = 1.0
            else:
                z[i] = 3.0
        for i in seq(0, n):
            if m < 3:
                y[i] = 2.0
        """,
    ),
    Legal(
        "fission", "a_condition_on_data_that_stays", "n: size, c: f32[n], x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            if c[i] < 0.0:
                x[i] = 1.0
                y[i] = 2.0
        """,
        _after("x[_] = _"),
        """
        for i in seq(0, n):
            if c[i] < 0.0:
                x[i] = 1.0
            if c[i] < 0.0:
                y[i] = 2.0
        """,
    ),
    Legal(
        "fission", "two_reductions_into_one_sum", "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
            s += y[i]
        """,
        _after("s += x[_]"),
        """
        for i in seq(0, n):
            s += x[i]
        for i in seq(0, n):
            s += y[i]
        """,
    ),
    Legal(
        "fission", "a_triangle", "n: size, x: f32[n, n], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, i):
                x[i, j] = 1.0
            y[i] = 2.0
        """,
        lambda p: fission(p, p.find("for j in _: _").after()),
    ),
    Legal(
        "fission", "a_parallel_loop_stays_parallel", "n: size, x: f32[n], y: f32[n]",
        """
        for i in par(0, n):
            x[i] = 1.0
            y[i] = 2.0
        """,
        _after("x[_] = _"),
        """
        for i in par(0, n):
            x[i] = 1.0
        for i in par(0, n):
            y[i] = 2.0
        """,
    ),
    Legal(
        "fission", "halves_of_a_window_in_turn", "n: size, x: f32[2 * n]",
        """
        lo = x[0:n]
        hi = x[n:2 * n]
        for i in seq(0, n):
            lo[i] = 1.0
            hi[i] = 2.0
        """,
        _after("lo[_] = _"),
    ),
    # ---- fuse
    Legal(
        "fuse", "element_by_element", "n: size, x: f32[n], y: f32[n], t: f32[n]",
        """
        for i in seq(0, n):
            t[i] = x[i]
        for j in seq(0, n):
            y[j] = 2.0 * t[j]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        """
        for i in seq(0, n):
            t[i] = x[i]
            y[i] = 2.0 * t[i]
        """,
    ),
    Legal(
        "fuse", "a_stencil_that_looks_back", "n: size, x: f32[n + 1], t: f32[n + 1], y: f32[n + 1]",
        """
        for i in seq(0, n):
            t[i + 1] = x[i]
        for j in seq(0, n):
            y[j] = t[j] + t[j + 1]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        """
        for i in seq(0, n):
            t[i + 1] = x[i]
            y[i] = t[i] + t[i + 1]
        """,
    ),
    Legal(
        "fuse", "ranges_that_are_equal_by_an_assertion", "n: size, m: size, x: f32[n], y: f32[m]",
        """
        assert n == m
        for i in seq(0, n):
            x[i] = 1.0
        for j in seq(0, m):
            y[j] = 1.0
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
    ),
    Legal(
        "fuse", "ranges_in_another_form", "n: size, x: f32[n + n], y: f32[n + n]",
        """
        for i in seq(0, 2 * n):
            x[i] = 1.0
        for j in seq(0, n + n):
            y[j] = 1.0
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        """
        for i in seq(0, 2 * n):
            x[i] = 1.0
            y[i] = 1.0
        """,
    ),
    Legal(
        "fuse", "two_conditions", "n: size, x: f32, y: f32",
        """
        if n < 4:
            x = 1.0
        if not n >= 4:
            y = 1.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
        """
        if n < 4:
            x = 1.0
            y = 1.0
        """,
    ),
    Legal(
        "fuse", "two_conditions_with_else", "n: size, x: f32, y: f32",
        """
        if n < 4:
            x = 1.0
        else:
            x = 2.0
        if n < 4:
            y = 1.0
        else:
            y = 2.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
        """
        if n < 4:
            x = 1.0
            y = 1.0
        else:
            x = 2.0
            y = 2.0
        """,
    ),
    Legal(
        "fuse", "conditions_on_data", "c: f32, x: f32, y: f32",
        """
        if c < 0.0:
            x = 1.0
        if c < 0.0:
            y = 1.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
        """
        if c < 0.0:
            x = 1.0
            y = 1.0
        """,
    ),
    Legal(
        "fuse", "conditions_that_are_equal_because_division_rounds_down", "k: index, x: f32, y: f32",
        """
        if (k - 4) / 2 == 0:
            x = 1.0
        if k == 4 or k == 5:
            y = 1.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
    ),
    Legal(
        "fuse", "two_reductions", "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
        for j in seq(0, n):
            s += y[j]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        """
        for i in seq(0, n):
            s += x[i]
            s += y[i]
        """,
    ),
    Legal(
        "fuse", "a_parallel_and_a_sequential_loop", "n: size, x: f32[n], y: f32[n]",
        """
        for i in par(0, n):
            x[i] = 1.0
        for j in seq(0, n):
            y[j] = x[j]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        """
        for i in par(0, n):
            x[i] = 1.0
            y[i] = x[i]
        """,
    ),
    # ---- remove_loop
    Legal(
        "remove_loop", "an_invariant_assignment", "n: size, a: f32, b: f32",
        """
        for i in seq(0, n):
            a = b
        """,
        lambda p: remove_loop(p, "i"),
        "a = b",
    ),
    Legal(
        "remove_loop", "one_iteration_of_a_reduction", "n: size, a: f32",
        """
        for i in seq(n, n + 1):
            a += 1.0
        """,
        lambda p: remove_loop(p, "i"),
        "a += 1.0",
    ),
    Legal(
        "remove_loop", "a_whole_fill", "n: size, x: f32[4]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                x[j] = 1.0
        """,
        lambda p: remove_loop(p, "i"),
        """
        for j in seq(0, 4):
            x[j] = 1.0
        """,
    ),
    Legal(
        "remove_loop", "a_loop_of_min_length", "n: size, a: f32",
        """
        for i in seq(0, min(n, 4)):
            a = 2.0
        """,
        lambda p: remove_loop(p, "i"),
        "a = 2.0",
    ),
    # ---- lift_scope
    Legal(
        "lift_scope", "an_invariant_condition", "n: size, m: size, x: f32[n]",
        """
        for i in seq(0, n):
            if m < 3:
                x[i] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        """
        if m < 3:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "lift_scope", "an_invariant_condition_with_else", "n: size, m: size, x: f32[n]",
        """
        for i in seq(0, n):
            if m < 3:
                x[i] = 1.0
            else:
                x[i] = 2.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        """
        if m < 3:
            for i in seq(0, n):
                x[i] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 2.0
        """,
    ),
    Legal(
        "lift_scope", "a_loop_out_of_a_condition", "n: size, m: size, x: f32[n]",
        """
        if m < 3:
            for i in seq(0, n):
                x[i] = 1.0
        """,
        lambda p: lift_scope(p, "for i in _: _"),
        """
        for i in seq(0, n):
            if m < 3:
                x[i] = 1.0
        """,
    ),
    Legal(
        "lift_scope", "two_conditions", "n: size, m: size, x: f32",
        """
        if m < 3:
            if n < 4:
                x = 1.0
            else:
                x = 2.0
        else:
            x = 3.0
        """,
        lambda p: lift_scope(p, "if n < 4: _"),
        """
        if n < 4:
            if m < 3:
                x = 1.0
            else:
                x = 3.0
        elif m < 3:
            x = 2.0
        else:
            x = 3.0
        """,
    ),
    Legal(
        "lift_scope", "data_that_the_body_leaves_alone", "n: size, c: f32, x: f32[n]",
        """
        for i in seq(0, n):
            if c < 0.0:
                x[i] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        """
        if c < 0.0:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "lift_scope", "an_outer_tile_index_over_an_inner_loop", "n: size, x: f32[n]",
        """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                if 4 * io + 3 < n:
                    x[4 * io + ii] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        """
        for io in seq(0, (n + 3) / 4):
            if 4 * io + 3 < n:
                for ii in seq(0, 4):
                    x[4 * io + ii] = 1.0
        """,
    ),
    Legal(
        "lift_scope", "two_loops", "n: size, m: size, x: f32[n, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 1.0
        """,
        lambda p: lift_scope(p, "for j in _: _"),
        """
        for j in seq(0, m):
            for i in seq(0, n):
                x[i, j] = 1.0
        """,
    ),
    # ---- specialize
    Legal(
        "specialize", "for_a_size", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: specialize(p, "for i in _: _", "n == 4"),
        """
        if n == 4:
            for i in seq(0, n):
                x[i] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "specialize", "for_two_sizes", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: specialize(p, "for i in _: _", ["n % 4 == 0", "n % 2 == 0"]),
        """
        if n % 4 == 0:
            for i in seq(0, n):
                x[i] = 1.0
        elif n % 2 == 0:
            for i in seq(0, n):
                x[i] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "specialize", "and_use_the_fact", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(specialize(p, "for i in _: _", "n % 4 == 0"), "i", 4, _IO, perfect=True),
        """
        if n % 4 == 0:
            for io in seq(0, n / 4):
                for ii in seq(0, 4):
                    x[4 * io + ii] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "specialize", "for_a_clamped_tail", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(specialize(p, "for i in _: _", "n >= 4"), "i", 4, _IO, tail="shift_inwards"),
        """
        if n >= 4:
            for io in seq(0, (n + 3) / 4):
                for ii in seq(0, 4):
                    x[min(4 * io, n - 4) + ii] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "specialize", "for_the_first_iteration", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = 1.0
            x[i] = t
        """,
        lambda p: specialize(p, p.find_loop("i").body(), "i == 0"),
        """
        for i in seq(0, n):
            if i == 0:
                t: f32
                t = 1.0
                x[i] = t
            else:
                t: f32
                t = 1.0
                x[i] = t
        """,
    ),
    # ---- eliminate_dead_code
    Legal(
        "eliminate_dead_code", "a_guard_that_the_range_implies", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            if i < n:
                x[i] = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
    ),
    Legal(
        "eliminate_dead_code", "an_else_that_never_runs", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            if i > n:
                x[i] = 1.0
            else:
                x[i] = 2.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        """
        for i in seq(0, n):
            x[i] = 2.0
        """,
    ),
    Legal(
        "eliminate_dead_code", "a_loop_that_never_runs", "n: size, x: f32[n]",
        """
        x[0] = 1.0
        for i in seq(n, n):
            x[i - 1] = 2.0
        """,
        lambda p: eliminate_dead_code(p, "for i in _: _"),
        "x[0] = 1.0",
    ),
    Legal(
        "eliminate_dead_code", "a_guard_of_full_tiles", "n: size, x: f32[n]",
        """
        assert n % 4 == 0
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                if 4 * io + ii < n:
                    x[4 * io + ii] = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """,
    ),
    Legal(
        "eliminate_dead_code", "a_remainder_is_never_negative", "k: index, x: f32",
        """
        if (k - 4) % 3 >= 0:
            x = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "x = 1.0",
    ),
    Legal(
        "eliminate_dead_code", "a_check_decides", "n: size, x: f32",
        """
        check(n > 0)
        if n >= 1:
            x = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        """
        check(n > 0)
        x = 1.0
        """,
    ),
    # ---- add_loop
    Legal("add_loop", "around_an_assignment", "n: size, a: f32", "a = 1.0", lambda p: add_loop(p, "a = _", "i", "n"), """
        for i in seq(0, n):
            a = 1.0
        """),
    Legal("add_loop", "guarded", "n: size, a: f32", "a += 1.0", lambda p: add_loop(p, "a += _", "i", "n", guard=True), """
        for i in seq(0, n):
            if i == 0:
                a += 1.0
        """),
    Legal(
        "add_loop", "to_match_a_neighbour", "n: size, a: f32, x: f32[n]",
        """
        a = 1.0
        for j in seq(0, n):
            x[j] = a
        """,
        lambda p: fuse(q := add_loop(p, "a = _", "i", "n"), q.find_loop("i"), q.find_loop("j")),
        """
        for i in seq(0, n):
            a = 1.0
            x[i] = a
        """,
    ),
    # ---- parallelize_loop
    Legal("parallelize_loop", "element_by_element", SAXPY_ARGS, SAXPY, lambda p: parallelize_loop(p, "i"), """
        for i in par(0, n):
            y[i] += a * x[i]
        """),
    Legal(
        "parallelize_loop", "a_local_temporary", "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
        lambda p: parallelize_loop(p, "i"),
        """
        for i in par(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "parallelize_loop", "a_sum", "n: size, x: f32[n], a: f32",
        """
        for i in seq(0, n):
            a += x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        """
        for i in par(0, n):
            a += x[i]
        """,
    ),
    Legal(
        "parallelize_loop", "a_histogram", "n: size, k: u8[n], h: i32[4]",
        """
        for i in seq(0, n):
            h[idx(k[i], 0, 4)] += 1
        """,
        lambda p: parallelize_loop(p, "i"),
    ),
    Legal(
        "parallelize_loop", "rows_of_a_stencil", "n: size, x: f32[n + 2, n], y: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                y[i, j] = x[i, j] + x[i + 1, j] + x[i + 2, j]
        """,
        lambda p: parallelize_loop(p, "i"),
    ),
    Legal(
        "parallelize_loop", "full_tiles_and_one_that_overlaps_last", "n: size, x: f32[n], y: f32[n]",
        """
        assert n >= 4
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                y[min(4 * io, n - 4) + ii] = x[min(4 * io, n - 4) + ii]
        """,
        lambda p: parallelize_loop(p, "io"),
    ),
    Legal(
        "parallelize_loop", "even_and_odd_places", "n: size, x: f32[2 * n]",
        """
        for i in seq(0, n):
            x[2 * i] = x[2 * i + 1]
        """,
        lambda p: parallelize_loop(p, "i"),
    ),
    Legal(
        "parallelize_loop", "calls_with_windows_apart", "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            put(x[i:i + 1], y[i])
        """,
        lambda p, c: parallelize_loop(p, "i"),
        callees=(PUT,),
    ),
    # ---- reorder_stmts
    Legal(
        "reorder_stmts", "different_buffers", "x: f32, y: f32",
        """
        x = 1.0
        y = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        """
        y = 2.0
        x = 1.0
        """,
    ),
    Legal(
        "reorder_stmts", "different_elements", "n: size, x: f32[n + 1]",
        """
        x[n] = 1.0
        x[n - 1] = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        """
        x[n - 1] = 2.0
        x[n] = 1.0
        """,
    ),
    Legal(
        "reorder_stmts", "two_reductions_into_one_place", "x: u8, y: u8",
        """
        x += y
        x += 7
        """,
        lambda p: reorder_stmts(p, p.body()),
        """
        x += 7
        x += y
        """,
    ),
    Legal(
        "reorder_stmts", "windows_side_by_side", "x: f32[8]",
        """
        v = x[0:4]
        w = x[4:8]
        v[3] = 1.0
        w[0] = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()[2:4]),
        """
        v = x[0:4]
        w = x[4:8]
        w[0] = 2.0
        v[3] = 1.0
        """,
    ),
    Legal(
        "reorder_stmts", "an_allocation_and_a_statement", "x: f32",
        """
        x = 1.0
        t: f32
        t = x
        """,
        lambda p: reorder_stmts(p, p.body()[0:2]),
        """
        t: f32
        x = 1.0
        t = x
        """,
    ),
    Legal(
        "reorder_stmts", "loops_over_ranges_side_by_side", "n: size, m: size, x: f32[n]",
        """
        assert m < n
        for i in seq(0, m):
            x[i] = 1.0
        for j in seq(m, n):
            x[j] = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
    ),
    Legal(
        "reorder_stmts", "branches_that_exclude_each_other", "n: size, x: f32",
        """
        if n < 4:
            x = 1.0
        if n > 6:
            x = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
    ),
    Legal(
        "reorder_stmts", "two_reads_through_data", "k: i32[2], x: f32[4], y: f32[2]",
        """
        y[0] = x[idx(k[0], 0, 4)]
        y[1] = x[idx(k[1], 0, 4)]
        """,
        lambda p: reorder_stmts(p, p.body()),
        """
        y[1] = x[idx(k[1], 0, 4)]
        y[0] = x[idx(k[0], 0, 4)]
        """,
    ),
    Legal(
        "reorder_stmts", "even_and_odd_places", "k: index, x: f32[17]",
        """
        assert 0 <= k and k < 8
        x[2 * k] = 1.0
        x[2 * (k / 3) + 1] = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
    ),
    # ---- simplify
    Legal(
        "simplify", "a_loop_that_runs_once", "x: f32[4]",
        """
        for i in seq(2, 3):
            x[i] = 1.0
        """,
        simplify,
        "x[2] = 1.0",
    ),
    Legal(
        "simplify", "sums_of_indices", "n: size, x: f32[3 * n + 5]",
        """
        for i in seq(0, n):
            x[2 * i + 3 + i - 1 + 0] = 1.0
        """,
        simplify,
        """
        for i in seq(0, n):
            x[3 * i + 2] = 1.0
        """,
    ),
    Legal(
        "simplify", "quotients_and_remainders_of_tiles", "n: size, x: f32[n, 4]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                x[(4 * i + j) / 4, (4 * i + j) % 4] = 1.0
        """,
        simplify,
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                x[i, j] = 1.0
        """,
    ),
    Legal(
        "simplify", "a_negative_remainder_stays", "k: index, x: f32[4]",
        """
        x[(k - 2) % 4] = 1.0
        """,
        simplify,
    ),
    Legal(
        "simplify", "a_minimum_that_the_range_decides", "n: size, x: f32[n]",
        """
        for i in seq(0, min(n, n + 3)):
            if i < n and i < 3:
                x[i] = 1.0
        """,
        simplify,
        """
        for i in seq(0, n):
            if i < 3:
                x[i] = 1.0
        """,
    ),
    Legal(
        "simplify", "nothing_that_rounds", "x: f32, y: f32",
        """
        x = y * 0.1 + y * 0.2 + (1.0 + 2.0)
        """,
        simplify,
        "x = y * 0.1 + y * 0.2 + (1.0 + 2.0)",
    ),
    Legal(
        "simplify", "integers_that_wrap", "x: u8",
        """
        x = x + (200 + 100)
        """,
        simplify,
        "x = x + 44",
    ),
]  # fmt: skip
