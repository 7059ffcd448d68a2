"""Illegal steps of `stage_mem`."""

from __future__ import annotations

from typing import Any

from tests.corpus.callees import CONFIGURED, SQUARE
from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.procedure import Procedure
from usl_core.scheduling import stage_mem


def _loop(p: Procedure, name: str = "i") -> Any:
    return p.find_loop(name)


SUM8 = """
def sum8(dst: [f32][1], src: [f32][8]):
    for k in seq(0, 8):
        dst[0] += src[k]
"""


CASES = [
    Illegal(
        "stage_mem",
        "an_access_outside_of_the_window",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[i] + x[i + 1]
        """,
        lambda p: stage_mem(p, _loop(p), "x[0:n]", "t"),
        "E412",
        "lies inside the window x[0:n]",
        Wrong("""
        t: f32[n]
        for k in seq(0, n):
            t[k] = x[k]
        for i in seq(0, n):
            y[i] = t[i] + t[i + 1]
        """),
    ),
    Illegal(
        "stage_mem",
        "a_halo_that_is_too_narrow",
        "n: size, x: f32[4 * n + 2], y: f32[4 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                y[4 * i + j] = x[4 * i + j + 2]
        """,
        lambda p: stage_mem(p, _loop(p, "j"), "x[4 * i:4 * i + 5]", "t"),
        "E412",
        "lies inside the window",
        Wrong("""
        for i in seq(0, n):
            t: f32[5]
            for k in seq(0, 5):
                t[k] = x[4 * i + k]
            for j in seq(0, 4):
                y[4 * i + j] = t[j + 2]
        """),
    ),
    Illegal(
        "stage_mem",
        "an_empty_window",
        "n: size, m: size, x: f32[n + m], y: f32",
        """
        for i in seq(0, n - 1):
            y += x[i]
        """,
        lambda p: stage_mem(p, _loop(p), "x[0:n - 1]", "t"),
        "E412",
        "the window may be empty",
        Malformed(
            """
            t: f32[n - 1]
            for k in seq(0, n - 1):
                t[k] = x[k]
            for i in seq(0, n - 1):
                y += t[i]
            """,
            "E303",
        ),
    ),
    Illegal(
        "stage_mem",
        "a_crossed_window",
        "x: f32[8], y: f32",
        "y = x[3]",
        lambda p: stage_mem(p, p.body()[0], "x[5:3]", "t"),
        "E412",
        "the window may be empty",
        Malformed(
            """
            t: f32[3 - 5]
            y = t[0]
            """,
            "E303",
        ),
    ),
    Illegal(
        "stage_mem",
        "the_block_writes_the_buffer_under_another_name",
        "x: f32[8], y: f32",
        """
        w = x[0:4]
        w[2] = 3.0
        y = x[2]
        """,
        lambda p: stage_mem(p, p.body()[1:3], "x[0:4]", "t"),
        "E450",
        "also reaches x under the name w",
        Wrong("""
        w = x[0:4]
        t: f32[4]
        for k in seq(0, 4):
            t[k] = x[k]
        w[2] = 3.0
        y = t[2]
        """),
    ),
    Illegal(
        "stage_mem",
        "a_window_of_the_copy_is_used_after_it",
        "x: f32[8], y: f32",
        """
        w = x[0:4]
        w[2] = 3.0
        x[2] = 5.0
        y = w[2]
        """,
        lambda p: stage_mem(p, p.body()[0:2], "x[0:4]", "t"),
        "E416",
        "a window of x that the block makes is used after it",
        Wrong("""
        t: f32[4]
        for k in seq(0, 4):
            t[k] = x[k]
        w = t[0:4]
        w[2] = 3.0
        for k in seq(0, 4):
            x[k] = t[k]
        x[2] = 5.0
        y = w[2]
        """),
    ),
    Illegal(
        "stage_mem",
        "sums_of_a_block_that_also_reads",
        "n: size, x: f32[n], a: f32[1], y: f32[n]",
        """
        for i in seq(0, n):
            a[0] += x[i]
            y[i] = a[0]
        """,
        lambda p: stage_mem(p, _loop(p), "a[0:1]", "t", accum=True),
        "E454",
        "accum needs a block that only reduces into a, but there is a read",
        Wrong("""
        t: f32
        t = 0.0
        for i in seq(0, n):
            t += x[i]
            y[i] = t
        a[0] += t
        """),
    ),
    Illegal(
        "stage_mem",
        "sums_of_a_block_that_also_writes",
        "n: size, x: f32[n], a: f32[1]",
        """
        a[0] = 0.0
        for i in seq(0, n):
            a[0] += x[i]
        """,
        lambda p: stage_mem(p, p.body(), "a[0:1]", "t", accum=True),
        "E454",
        "accum needs a block that only reduces into a, but there is a write",
        Wrong("""
        t: f32
        t = 0.0
        t = 0.0
        for i in seq(0, n):
            t += x[i]
        a[0] += t
        """),
    ),
    Illegal(
        "stage_mem",
        "the_block_depends_on_strides",
        "x: f32[8, 8], y: f32",
        """
        if stride(x, 0) == 8:
            y = x[0, 0]
        """,
        lambda p: stage_mem(p, p.body()[0], "x[0:2, 0:2]", "t"),
        "E457",
        "depends on strides of x",
        Wrong("""
        t: f32[2, 2]
        for k in seq(0, 2):
            for l in seq(0, 2):
                t[k, l] = x[k, l]
        if stride(t, 0) == 8:
            y = t[0, 0]
        """),
    ),
    Illegal(
        "stage_mem",
        "a_gather_from_more_than_the_window",
        "k: i32, x: f32[8], y: f32",
        "y = x[idx(k, 0, 8)]",
        lambda p: stage_mem(p, p.body()[0], "x[0:4]", "t"),
        "E412",
        "lies inside the window",
        Wrong("""
        t: f32[4]
        for l in seq(0, 4):
            t[l] = x[l]
        y = t[idx(k, 0, 8)]
        """),
    ),
    Illegal(
        "stage_mem",
        "a_callee_reads_more_than_the_window",
        "x: f32[8], y: f32[1]",
        "sum8(y[0:1], x[0:8])",
        lambda p, c: stage_mem(p, p.body()[0], "x[0:4]", "t"),
        "E412",
        "lies inside the window",
        Wrong("""
        t: f32[4]
        for l in seq(0, 4):
            t[l] = x[l]
        sum8(y[0:1], t[0:8])
        """),
        callees=(SUM8,),
    ),
    Illegal(
        "stage_mem",
        "an_iterator_of_the_block",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[i]
        """,
        lambda p: stage_mem(p, _loop(p), "x[i:i + 1]", "t"),
        "E200",
        "i",
        Malformed(
            """
            t: f32[1]
            t[0] = x[i]
            for i in seq(0, n):
                y[i] = t[0]
            """,
            "E200",
        ),
    ),
    Illegal(
        "stage_mem",
        "a_window_that_depends_on_data",
        "k: i32, x: f32[8], y: f32",
        "y = x[idx(k, 0, 8)]",
        lambda p: stage_mem(p, p.body()[0], "x[idx(k, 0, 8):idx(k, 0, 8) + 1]", "t"),
        "E200",
        "idx",
        Misuse("a limit of a window that is data"),
    ),
    Illegal(
        "stage_mem",
        "a_point_of_which_a_window_is_made",
        "x: f32[8, 4], v: f32",
        "square(x[0:4, 0:4], v)",
        lambda p, c: stage_mem(p, p.body()[0], "x[0:4, 0]", "t"),
        "E455",
        "of which one point is staged",
        Malformed(
            """
            t: f32[4]
            square(t[0:4, 0:4], v)
            """,
            "E200",
        ),
        callees=(SQUARE,),
    ),
    Illegal(
        "stage_mem",
        "a_buffer_that_the_block_does_not_use",
        "x: f32[8], y: f32",
        "y = 1.0",
        lambda p: stage_mem(p, p.body()[0], "x[0:4]", "t"),
        "E451",
        "the block does not use x",
        Misuse("nothing to redirect"),
    ),
    Illegal(
        "stage_mem",
        "a_negative_index_below_the_window",
        "n: size, x: f32[n + 2], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[(i - 3) / 2 + 2]
        """,
        # Truncation would make the smallest index 1.
        lambda p: stage_mem(p, _loop(p), "x[1:n + 2]", "t"),
        "E412",
        "lies inside the window",
        Wrong("""
        t: f32[n + 1]
        for k in seq(0, n + 1):
            t[k] = x[k + 1]
        for i in seq(0, n):
            y[i] = t[(i - 3) / 2 + 1]
        """),
    ),
    Illegal(
        "stage_mem",
        "an_access_that_is_now_inside_and_now_outside",
        "n: size, x: f32[16], y: f32[8]",
        """
        for i in seq(0, 8):
            x[i + 4] = 1.0
            y[i] = x[i]
        """,
        lambda p: stage_mem(p, "for i in _: _", "x[0:8]", "t"),
        "E412",
        "lies inside the window",
        Wrong("""
        t: f32[8]
        for i in seq(0, 8):
            t[i] = x[i]
        for i in seq(0, 8):
            x[i + 4] = 1.0
            y[i] = t[i]
        """),
    ),
    Illegal(
        "stage_mem",
        "a_window_that_reaches_into_the_staged_one",
        "n: size, x: f32[8], y: f32[4]",
        """
        w = x[3:8]
        for i in seq(0, 4):
            x[i] += 1.0
            y[i] = w[0]
        """,
        lambda p: stage_mem(p, "for i in _: _", "x[0:4]", "t"),
        "E450",
        "under the name w",
        Wrong("""
        t: f32[4]
        for i in seq(0, 4):
            t[i] = x[i]
        w = x[3:8]
        for i in seq(0, 4):
            t[i] += 1.0
            y[i] = w[0]
        for i in seq(0, 4):
            x[i] = t[i]
        """),
    ),
    Illegal(
        "stage_mem",
        "partial_results_of_two_operations",
        "n: size, x: f32[n], a: f32[1]",
        """
        for i in seq(0, n):
            a[0] += x[i]
            a[0] @= max(1.0)
        """,
        lambda p: stage_mem(p, _loop(p), "a[0]", "t", accum=True),
        "E454",
        "accum needs one operation",
        Wrong("""
        t: f32
        t = 0.0
        for i in seq(0, n):
            t += x[i]
            t @= max(1.0)
        a[0] += t
        """),
    ),
    Illegal(
        "stage_mem",
        "partial_results_that_start_before_another_value_is_set",
        "n: size, x: f32[n], a: f32[1]",
        """
        for i in seq(0, n):
            a[0] = 0.0
            for j in seq(0, n):
                a[0] @= max(x[j])
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "a[0]", "t", accum=True, start="i"),
        "E454",
        "the loop i changes a other than by `@= max`",
        Wrong("""
        t_start: f32
        t_start = a[0]
        for i in seq(0, n):
            a[0] = 0.0
            t: f32
            t = t_start
            for j in seq(0, n):
                t @= max(x[j])
            a[0] @= max(t)
        """),
    ),
    Illegal(
        "stage_mem",
        "partial_results_that_start_in_a_place_that_the_loop_chooses",
        "n: size, x: f32[n], a: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                a[i] @= max(x[j])
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "a[i]", "t", accum=True, start="i"),
        "E416",
        "i is not in scope before the loop i",
        Misuse("there is no such place before the loop"),
    ),
    Illegal(
        "stage_mem",
        "partial_results_that_start_before_another_loop",
        "n: size, x: f32[n], a: f32[1]",
        """
        for i in seq(0, n):
            x[i] = 0.0
        for j in seq(0, n):
            a[0] @= max(x[j])
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "a[0]", "t", accum=True, start="i"),
        "E404",
        "the loop named by start must be around the block",
        Misuse("the loop has nothing to do with the block"),
    ),
    Illegal(
        "stage_mem",
        "partial_results_that_start_in_a_place_that_a_field_chooses",
        "n: size, x: f32[n], a: f32[4]",
        """
        Reg.a = 0
        for i in seq(0, 2):
            Reg.a = 1
            for j in seq(0, n):
                a[1] @= max(x[j])
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "a[Reg.a]", "t", accum=True, start="i"),
        "E418",
        "the window depends on configuration state, which may differ before the loop",
        Wrong("""
        Reg.a = 0
        t_start: f32
        t_start = a[Reg.a]
        for i in seq(0, 2):
            Reg.a = 1
            t: f32
            t = t_start
            for j in seq(0, n):
                t @= max(x[j])
            a[Reg.a] @= max(t)
        """),
        scope=CONFIGURED,
    ),
    Illegal(
        "stage_mem",
        "a_start_of_what_is_no_partial_result",
        "n: size, x: f32[n], a: f32[1]",
        """
        for i in seq(0, n):
            a[0] @= max(x[i])
        """,
        lambda p: stage_mem(p, p.find("a[0] @= _"), "a[0]", "t", start="i"),
        "E404",
        "start is for partial results",
        Misuse("a copy starts at what is there"),
    ),
    Illegal(
        "stage_mem",
        "a_window_that_is_not_empty_only_inside_of_the_loop_before_which_it_is_saved",
        "n: size, k: index, x: f32[n], a: f32[n]",
        """
        assert 0 <= k
        assert k <= n
        for i in seq(0, n):
            if k > 0:
                for j in seq(0, k):
                    a[j] @= max(x[j])
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "a[0:k]", "t", accum=True, start="i"),
        "E412",
        "the window may be empty: cannot prove 0 < k",
        Misuse("a buffer has elements"),
    ),
]
