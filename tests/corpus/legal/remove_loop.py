"""Legal steps of `remove_loop`."""

from __future__ import annotations

from tests.corpus.callees import TOTAL
from tests.corpus.case import Legal
from usl_core.scheduling import remove_loop

CASES = [
    Legal(
        "remove_loop",
        "an_invariant_assignment",
        "n: size, a: f32, b: f32",
        """
        for i in seq(0, n):
            a = b
        """,
        lambda p: remove_loop(p, "i"),
        "a = b",
    ),
    Legal(
        "remove_loop",
        "one_iteration_of_a_reduction",
        "n: size, a: f32",
        """
        for i in seq(n, n + 1):
            a += 1.0
        """,
        lambda p: remove_loop(p, "i"),
        "a += 1.0",
    ),
    Legal(
        "remove_loop",
        "a_whole_fill",
        "n: size, x: f32[4]",
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
        "remove_loop",
        "a_loop_of_min_length",
        "n: size, a: f32",
        """
        for i in seq(0, min(n, 4)):
            a = 2.0
        """,
        lambda p: remove_loop(p, "i"),
        "a = 2.0",
    ),
    Legal(
        "remove_loop",
        "a_reset_and_a_sum",
        "n: size, m: size, x: f32[m], a: f32",
        """
        for i in seq(0, n):
            a = 0.0
            for j in seq(0, m):
                a += x[j]
        """,
        lambda p: remove_loop(p, "i"),
        """
        a = 0.0
        for j in seq(0, m):
            a += x[j]
        """,
    ),
    Legal(
        "remove_loop",
        "both_branches_on_data_write",
        "n: size, x: f32, y: f32",
        """
        for i in seq(0, n):
            if x < 1.0:
                y = 2.0
            else:
                y = 3.0
        """,
        lambda p: remove_loop(p, "i"),
        """
        if x < 1.0:
            y = 2.0
        else:
            y = 3.0
        """,
    ),
    Legal(
        "remove_loop",
        "it_may_not_run",
        "n: size, a: f32",
        """
        for i in seq(1, n):
            a = 2.0
        """,
        lambda p: remove_loop(p, "i"),
        """
        if 1 < n:
            a = 2.0
        """,
    ),
    Legal(
        "remove_loop",
        "a_row_of_a_triangle_may_be_empty",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, i):
                x[i] = 2.0
        """,
        lambda p: remove_loop(p, "j"),
        """
        for i in seq(0, n):
            if 0 < i:
                x[i] = 2.0
        """,
    ),
    Legal(
        "remove_loop",
        "a_sum_in_a_loop_that_runs_at_most_once",
        "n: size, a: f32",
        """
        for i in seq(0, min(1, n - 1)):
            a += 2.0
        """,
        lambda p: remove_loop(p, "i"),
        """
        if 0 < min(1, n - 1):
            a += 2.0
        """,
    ),
    Legal(
        "remove_loop",
        "a_temporary_and_a_window_go_under_the_condition",
        "n: size, x: f32[8], y: f32[8]",
        """
        for i in seq(0, n / 2):
            t: f32
            w = x[2:6]
            t = y[0]
            w[0] = t
        """,
        lambda p: remove_loop(p, "i"),
        """
        if 0 < n / 2:
            t: f32
            w = x[2:6]
            t = y[0]
            w[0] = t
        """,
    ),
    Legal(
        "remove_loop",
        "a_call_that_starts_its_sum_anew",
        "n: size, m: size, x: f32[n], y: f32[2]",
        """
        for j in seq(0, m):
            total(n, y[1:2], x[0:n])
        """,
        lambda p, c: remove_loop(p, "j"),
        "total(n, y[1:2], x[0:n])",
        callees=(TOTAL,),
    ),
]
