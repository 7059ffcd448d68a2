"""Legal steps of `reorder_loops`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import reorder_loops

CASES = [
    Legal(
        "reorder_loops",
        "independent_writes",
        "n: size, m: size, x: f32[n, m]",
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
        "reorder_loops",
        "a_reduction",
        "n: size, m: size, x: f32[n, m], y: f32[n]",
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
        "reorder_loops",
        "a_wrapping_reduction",
        "n: size, m: size, x: u8[n, m], y: u8",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                y += x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
    ),
    Legal(
        "reorder_loops",
        "a_product_of_matrices",
        "n: size, A: f32[n, n], B: f32[n, n], C: f32[n, n]",
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
        "reorder_loops",
        "a_dependence_along_one_axis",
        "n: size, m: size, x: f32[n + 1, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i + 1, j] = x[i, j] + 1.0
        """,
        lambda p: reorder_loops(p, "i j"),
    ),
    Legal(
        "reorder_loops",
        "a_dependence_along_both_axes_forwards",
        "n: size, m: size, x: f32[n + 1, m + 1]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i + 1, j + 1] = x[i, j] + x[i, j + 1]
        """,
        lambda p: reorder_loops(p, "i j"),
    ),
    Legal(
        "reorder_loops",
        "a_histogram_over_two_axes",
        "n: size, k: u8[n, n], h: i32[4]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                h[idx(k[i, j], 0, 4)] += 1
        """,
        lambda p: reorder_loops(p, "i j"),
    ),
    Legal(
        "reorder_loops",
        "diagonals_that_round_down_do_not_meet",
        "n: size, x: f32[n, n], y: f32[2 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                y[(i - j) / 2 + n] = x[i, 0]
        """,
        # Iterations that change places differ by at least 2 in i - j, so by at least 1 in its half rounded down.
        lambda p: reorder_loops(p, "i j"),
    ),
    Legal(
        "reorder_loops",
        "a_window_that_keeps_rows_apart",
        "n: size, m: size, x: f32[2, n, m]",
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
        "reorder_loops",
        "under_a_guard",
        "n: size, m: size, x: f32[n, m]",
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
    Legal(
        "reorder_loops",
        "a_lower_triangle",
        "n: size, x: f32[n, n], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, i):
                y[j] += x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        """
        for j in seq(0, n - 1):
            for i in seq(j + 1, n):
                y[j] += x[i, j]
        """,
    ),
    Legal(
        "reorder_loops",
        "an_upper_triangle_of_a_loop_that_may_not_run",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n / 2):
            for j in seq(i, n):
                x[i, j] = 1.0
        """,
        lambda p: reorder_loops(p, "i j"),
    ),
    Legal(
        "reorder_loops",
        "a_band",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(max(0, i - 2), min(n, i + 3)):
                x[i, j] += 1.0
        """,
        lambda p: reorder_loops(p, "i j"),
        """
        for j in seq(0, n):
            for i in seq(max(j - 2, 0), min(n, j + 3)):
                x[i, j] += 1.0
        """,
    ),
    Legal(
        "reorder_loops",
        "an_antidiagonal",
        "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(n - 1 - i, n):
                x[i, j] = 1.0
        """,
        lambda p: reorder_loops(p, "i j"),
        """
        for j in seq(0, n):
            for i in seq(n - j - 1, n):
                x[i, j] = 1.0
        """,
    ),
    Legal(
        "reorder_loops",
        "a_triangle_there_and_back",
        "n: size, x: f32[n + 2, n + 2]",
        """
        for i in seq(2, n + 2):
            for j in seq(1, i):
                x[i, j] = x[i, j] * 2.0
        """,
        lambda p: reorder_loops(reorder_loops(p, "i j"), "j i"),
    ),
    Legal(
        "reorder_loops",
        "products_along_the_outer_loop",
        "n: size, x: f32[n, n], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                y[j] *= x[i, j]
        """,
        lambda p: reorder_loops(p, "i j"),
        """
        for j in seq(0, n):
            for i in seq(0, n):
                y[j] *= x[i, j]
        """,
    ),
]
