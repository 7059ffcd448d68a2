"""Illegal steps on buffers: stage_mem, expand_dim, lift_alloc, sink_alloc, delete_buffer, layouts and annotations."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse, Wrong, interleaved
from usl_core.ir.memory import DRAM
from usl_core.scheduling import (
    delete_buffer,
    divide_dim,
    expand_dim,
    lift_alloc,
    rearrange_dim,
    set_memory,
    set_precision,
    set_window,
    sink_alloc,
    stage_mem,
)

FILL4 = """
def fill4(dst: [f32][4], v: f32):
    for k in seq(0, 4):
        dst[k] = v
"""
UNIT = """
def unit(dst: [f32][4], v: f32):
    assert stride(dst, 0) == 1
    for k in seq(0, 4):
        dst[k] = v
"""
DENSE = """
def dense(dst: f32[4], v: f32):
    for k in seq(0, 4):
        dst[k] = v
"""
SQUARE = """
def square(dst: [f32][4, 4], v: f32):
    for k in seq(0, 4):
        dst[k, 0] = v
"""
DENSE_SQUARE = """
def dense_square(dst: f32[4, 4], v: f32):
    for k in seq(0, 4):
        dst[k, 0] = v
"""
SUM8 = """
def sum8(dst: [f32][1], src: [f32][8]):
    for k in seq(0, 8):
        dst[0] += src[k]
"""


def _loop(p, name="i"):
    return p.find_loop(name)


CASES = [
    # ---- stage_mem
    Illegal(
        "stage_mem", "an_access_outside_of_the_window",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[i] + x[i + 1]
        """,
        lambda p: stage_mem(p, _loop(p), "x[0:n]", "t"),
        "E412", "lies inside the window x[0:n]",
        Wrong("""
        t: f32[n]
        for k in seq(0, n):
            t[k] = x[k]
        for i in seq(0, n):
            y[i] = t[i] + t[i + 1]
        """),
    ),
    Illegal(
        "stage_mem", "a_halo_that_is_too_narrow",
        "n: size, x: f32[4 * n + 2], y: f32[4 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                y[4 * i + j] = x[4 * i + j + 2]
        """,
        lambda p: stage_mem(p, _loop(p, "j"), "x[4 * i:4 * i + 5]", "t"),
        "E412", "lies inside the window",
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
        "stage_mem", "an_empty_window",
        "n: size, m: size, x: f32[n + m], y: f32",
        """
        for i in seq(0, n - 1):
            y += x[i]
        """,
        lambda p: stage_mem(p, _loop(p), "x[0:n - 1]", "t"),
        "E412", "the window may be empty",
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
        "stage_mem", "a_crossed_window",
        "x: f32[8], y: f32",
        "y = x[3]",
        lambda p: stage_mem(p, p.body()[0], "x[5:3]", "t"),
        "E412", "the window may be empty",
        Malformed(
            """
            t: f32[3 - 5]
            y = t[0]
            """,
            "E303",
        ),
    ),
    Illegal(
        "stage_mem", "the_block_writes_the_buffer_under_another_name",
        "x: f32[8], y: f32",
        """
        w = x[0:4]
        w[2] = 3.0
        y = x[2]
        """,
        lambda p: stage_mem(p, p.body()[1:3], "x[0:4]", "t"),
        "E413", "also reaches x under the name w",
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
        "stage_mem", "a_window_of_the_copy_is_used_after_it",
        "x: f32[8], y: f32",
        """
        w = x[0:4]
        w[2] = 3.0
        x[2] = 5.0
        y = w[2]
        """,
        lambda p: stage_mem(p, p.body()[0:2], "x[0:4]", "t"),
        "E413", "a window of x that the block makes is used after it",
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
        "stage_mem", "sums_of_a_block_that_also_reads",
        "n: size, x: f32[n], a: f32[1], y: f32[n]",
        """
        for i in seq(0, n):
            a[0] += x[i]
            y[i] = a[0]
        """,
        lambda p: stage_mem(p, _loop(p), "a[0:1]", "t", accum=True),
        "E413", "accum needs a block that only reduces into a, but there is a read",
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
        "stage_mem", "sums_of_a_block_that_also_writes",
        "n: size, x: f32[n], a: f32[1]",
        """
        a[0] = 0.0
        for i in seq(0, n):
            a[0] += x[i]
        """,
        lambda p: stage_mem(p, p.body(), "a[0:1]", "t", accum=True),
        "E413", "accum needs a block that only reduces into a, but there is a write",
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
        "stage_mem", "the_block_depends_on_strides",
        "x: f32[8, 8], y: f32",
        """
        if stride(x, 0) == 8:
            y = x[0, 0]
        """,
        lambda p: stage_mem(p, p.body()[0], "x[0:2, 0:2]", "t"),
        "E413", "depends on strides of x",
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
        "stage_mem", "a_gather_from_more_than_the_window",
        "k: i32, x: f32[8], y: f32",
        "y = x[idx(k, 0, 8)]",
        lambda p: stage_mem(p, p.body()[0], "x[0:4]", "t"),
        "E412", "lies inside the window",
        Wrong("""
        t: f32[4]
        for l in seq(0, 4):
            t[l] = x[l]
        y = t[idx(k, 0, 8)]
        """),
    ),
    Illegal(
        "stage_mem", "a_callee_reads_more_than_the_window",
        "x: f32[8], y: f32[1]",
        "sum8(y[0:1], x[0:8])",
        lambda p, c: stage_mem(p, p.body()[0], "x[0:4]", "t"),
        "E412", "lies inside the window",
        Wrong("""
        t: f32[4]
        for l in seq(0, 4):
            t[l] = x[l]
        sum8(y[0:1], t[0:8])
        """),
        callees=(SUM8,),
    ),
    Illegal(
        "stage_mem", "an_iterator_of_the_block",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[i]
        """,
        lambda p: stage_mem(p, _loop(p), "x[i:i + 1]", "t"),
        "E200", "i",
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
        "stage_mem", "a_window_that_depends_on_data",
        "k: i32, x: f32[8], y: f32",
        "y = x[idx(k, 0, 8)]",
        lambda p: stage_mem(p, p.body()[0], "x[idx(k, 0, 8):idx(k, 0, 8) + 1]", "t"),
        "E200", "idx",
        Misuse("a limit of a window that is data"),
    ),
    Illegal(
        "stage_mem", "a_point_of_which_a_window_is_made",
        "x: f32[8, 4], v: f32",
        "square(x[0:4, 0:4], v)",
        lambda p, c: stage_mem(p, p.body()[0], "x[0:4, 0]", "t"),
        "E413", "of which one point is staged",
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
        "stage_mem", "a_buffer_that_the_block_does_not_use",
        "x: f32[8], y: f32",
        "y = 1.0",
        lambda p: stage_mem(p, p.body()[0], "x[0:4]", "t"),
        "E413", "the block does not use x",
        Misuse("nothing to redirect"),
    ),
    Illegal(
        "stage_mem", "a_negative_index_below_the_window",
        "n: size, x: f32[n + 2], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[(i - 3) / 2 + 2]
        """,
        # Truncation would make the smallest index 1.
        lambda p: stage_mem(p, _loop(p), "x[1:n + 2]", "t"),
        "E412", "lies inside the window",
        Wrong("""
        t: f32[n + 1]
        for k in seq(0, n + 1):
            t[k] = x[k + 1]
        for i in seq(0, n):
            y[i] = t[(i - 3) / 2 + 1]
        """),
    ),
    # ---- expand_dim
    Illegal(
        "expand_dim", "an_extent_that_may_be_zero",
        "n: size, y: f32[n]",
        """
        t: f32
        t = 1.0
        y[0] = t
        """,
        lambda p: expand_dim(p, "t", "n - 1", "0"),
        "E412", "the new extent may be below 1",
        Malformed(
            """
            t: f32[n - 1]
            t[0] = 1.0
            y[0] = t[0]
            """,
            "E303",
        ),
    ),
    Illegal(
        "expand_dim", "an_index_beyond_the_extent",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t
        """,
        lambda p: expand_dim(p, "t", "n", "i + 1"),
        "E412", "cannot prove 0 <= i + 1 < n where t is used",
        Wrong("""
        for i in seq(0, n):
            t: f32[n]
            t[i + 1] = x[i]
            y[i] = t[i + 1]
        """),
    ),
    Illegal(
        "expand_dim", "a_negative_index",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t
        """,
        lambda p: expand_dim(p, "t", "n", "i - 1"),
        "E412", "cannot prove 0 <= i - 1 < n",
        Wrong("""
        for i in seq(0, n):
            t: f32[n]
            t[i - 1] = x[i]
            y[i] = t[i - 1]
        """),
    ),
    Illegal(
        "expand_dim", "a_value_carried_from_iteration_to_iteration",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            if i == 0:
                t = 0.0
            y[i] = t
            t = x[i]
        """,
        lambda p: expand_dim(p, "t", "n", "i"),
        "E413", "may see a value from an earlier one",
        Wrong("""
        t: f32[n]
        for i in seq(0, n):
            if i == 0:
                t[i] = 0.0
            y[i] = t[i]
            t[i] = x[i]
        """),
    ),
    Illegal(
        "expand_dim", "a_sum_carried_from_iteration_to_iteration",
        "n: size, x: f32[n], y: f32",
        """
        t: f32
        for i in seq(0, n):
            if i == 0:
                t = 0.0
            t += x[i]
            y = t
        """,
        lambda p: expand_dim(p, "t", "n", "i"),
        "E413", "may see a value from an earlier one",
        Wrong("""
        t: f32[n]
        for i in seq(0, n):
            if i == 0:
                t[i] = 0.0
            t[i] += x[i]
            y = t[i]
        """),
    ),
    Illegal(
        "expand_dim", "written_only_if_data_says_so",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            if x[i] < 3.0:
                t = x[i]
            y[i] = t
        """,
        lambda p: expand_dim(p, "t", "n", "i"),
        "E413", "may see a value from an earlier one",
        Wrong("""
        t: f32[n]
        for i in seq(0, n):
            if x[i] < 3.0:
                t[i] = x[i]
            y[i] = t[i]
        """),
    ),
    Illegal(
        "expand_dim", "an_iterator_that_only_some_uses_see",
        "n: size, x: f32[n], y: f32",
        """
        t: f32
        for i in seq(0, n):
            t = x[i]
        y = t
        """,
        lambda p: expand_dim(p, "t", "n", "i"),
        "E200", "i",
        Malformed(
            """
            t: f32[n]
            for i in seq(0, n):
                t[i] = x[i]
            y = t[i]
            """,
            "E200",
        ),
    ),
    # ---- lift_alloc
    Illegal(
        "lift_alloc", "an_extent_made_of_the_iterator",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            t: f32[i + 1]
            t[i] = x[i]
            x[i] = 2.0 * t[i]
        """,
        lambda p: lift_alloc(p, "t"),
        "E413", "the extent of t depends on i",
        Malformed(
            """
            t: f32[i + 1]
            for i in seq(0, n):
                t[i] = x[i]
                x[i] = 2.0 * t[i]
            """,
            "E200",
        ),
    ),
    Illegal(
        "lift_alloc", "out_of_a_parallel_loop",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in par(0, n):
            t: f32
            t = x[i]
            y[i] = t
        """,
        lambda p: lift_alloc(p, "t"),
        "E411", "would share elements of t",
        interleaved("""
        t: f32
        for i in seq(0, n):
            t = x[i]
        for i in seq(0, n):
            y[i] = t
        """),
    ),
    Illegal(
        "lift_alloc", "out_of_a_parallel_loop_whose_iterations_share_one_element",
        "n: size, x: f32[n], y: f32[n, 4]",
        """
        for i in par(0, n):
            t: f32[n + 3]
            for j in seq(0, 4):
                t[i + j] = x[i]
            for j in seq(0, 4):
                y[i, j] = t[i + j]
        """,
        lambda p: lift_alloc(p, "t"),
        "E411", "would share elements of t",
        interleaved("""
        t: f32[n + 3]
        for i in seq(0, n):
            for j in seq(0, 4):
                t[i + j] = x[i]
        for i in seq(0, n):
            for j in seq(0, 4):
                y[i, j] = t[i + j]
        """),
    ),
    Illegal(
        "lift_alloc", "over_two_loops_of_which_the_outer_is_parallel",
        "n: size, x: f32[n, n], y: f32[n, n]",
        """
        for i in par(0, n):
            for j in seq(0, n):
                t: f32
                t = x[i, j]
                y[i, j] = t
        """,
        lambda p: lift_alloc(p, "t", 2),
        "E411", "would share elements of t",
        interleaved("""
        t: f32
        for i in seq(0, n):
            t = x[i, 0]
        for i in seq(0, n):
            y[i, 0] = t
            for j in seq(1, n):
                y[i, j] = x[i, j]
        """),
    ),
    Illegal(
        "lift_alloc", "further_than_there_are_loops",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            x[i] = 2.0 * t
        """,
        lambda p: lift_alloc(p, "t", 2),
        "E413", "cannot be lifted 2 times",
        Misuse("no place outside of the procedure"),
    ),
    Illegal(
        "lift_alloc", "out_of_the_branch_that_makes_its_extent_positive",
        "n: size, x: f32[n]",
        """
        if n > 1:
            t: f32[n - 1]
            t[0] = x[0]
            x[1] = t[0]
        """,
        lambda p: lift_alloc(p, "t"),
        "E410", "may be below 1",
        Malformed(
            """
            t: f32[n - 1]
            if n > 1:
                t[0] = x[0]
                x[1] = t[0]
            """,
            "E303",
        ),
    ),
    Illegal(
        "lift_alloc", "out_of_the_loop_that_makes_its_extent_positive",
        "m: index, x: f32[4]",
        """
        assert 0 <= m
        for i in seq(0, m):
            t: f32[m]
            t[i] = x[0]
            x[0] = t[i]
        """,
        lambda p: lift_alloc(p, "t"),
        "E410", "may be below 1",
        Malformed(
            """
            t: f32[m]
            for i in seq(0, m):
                t[i] = x[0]
                x[0] = t[i]
            """,
            "E303",
        ),
    ),
    # ---- sink_alloc
    Illegal(
        "sink_alloc", "a_sum_over_iterations",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            if i == 0:
                t = 0.0
            t += x[i]
            y[i] = t
        """,
        lambda p: sink_alloc(p, "t"),
        "E413", "may see what an earlier iteration of i wrote",
        Wrong("""
        for i in seq(0, n):
            t: f32
            if i == 0:
                t = 0.0
            t += x[i]
            y[i] = t
        """),
    ),
    Illegal(
        "sink_alloc", "written_in_every_second_iteration",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            if i % 2 == 0:
                t = x[i]
            y[i] = t
        """,
        lambda p: sink_alloc(p, "t"),
        "E413", "may see what an earlier iteration of i wrote",
        Wrong("""
        for i in seq(0, n):
            t: f32
            if i % 2 == 0:
                t = x[i]
            y[i] = t
        """),
    ),
    Illegal(
        "sink_alloc", "written_only_if_data_says_so",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            if x[i] < 3.0:
                t = x[i]
            y[i] = t
        """,
        lambda p: sink_alloc(p, "t"),
        "E413", "may see what an earlier iteration of i wrote",
        Wrong("""
        for i in seq(0, n):
            t: f32
            if x[i] < 3.0:
                t = x[i]
            y[i] = t
        """),
    ),
    Illegal(
        "sink_alloc", "a_scatter_writes_nothing_definitely",
        "n: size, k: i32[n], x: f32[n], y: f32[n]",
        """
        t: f32[2]
        for i in seq(0, n):
            t[idx(k[i], 0, 2)] = x[i]
            y[i] = t[0]
        """,
        lambda p: sink_alloc(p, "t"),
        "E413", "may see what an earlier iteration of i wrote",
        Wrong("""
        for i in seq(0, n):
            t: f32[2]
            t[idx(k[i], 0, 2)] = x[i]
            y[i] = t[0]
        """),
    ),
    Illegal(
        "sink_alloc", "a_row_that_is_filled_only_in_part",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[4]
        for i in seq(0, n):
            for j in seq(0, min(i + 1, 3)):
                t[j] = x[i]
            y[i] = t[2]
            t[2] = x[0]
        """,
        lambda p: sink_alloc(p, "t"),
        "E413", "may see what an earlier iteration of i wrote",
        Wrong("""
        for i in seq(0, n):
            t: f32[4]
            for j in seq(0, min(i + 1, 3)):
                t[j] = x[i]
            y[i] = t[2]
            t[2] = x[0]
        """),
    ),
    Illegal(
        "sink_alloc", "used_after_the_loop_too",
        "n: size, x: f32[n], y: f32",
        """
        t: f32
        for i in seq(0, n):
            t = x[i]
        y = t
        """,
        lambda p: sink_alloc(p, "t"),
        "E413", "is used in 2 statements",
        Malformed(
            """
            for i in seq(0, n):
                t: f32
                t = x[i]
            y = t
            """,
            "E200",
        ),
    ),
    Illegal(
        "sink_alloc", "used_in_both_branches",
        "n: size, x: f32",
        """
        t: f32
        if n < 3:
            t = 1.0
            x = t
        else:
            t = 2.0
            x = t
        """,
        lambda p: sink_alloc(p, "t"),
        "E413", "is used in both branches",
        Malformed(
            """
            if n < 3:
                t: f32
                t = 1.0
                x = t
            else:
                t = 2.0
                x = t
            """,
            "E200",
        ),
    ),
    Illegal(
        "sink_alloc", "used_in_the_condition",
        "x: f32",
        """
        t: f32
        if t < 3.0:
            t = 1.0
            x = t
        """,
        lambda p: sink_alloc(p, "t"),
        "E413", "is used in the condition",
        Malformed(
            """
            if t < 3.0:
                t: f32
                t = 1.0
                x = t
            """,
            "E200",
        ),
    ),
    # ---- delete_buffer
    Illegal(
        "delete_buffer", "it_is_read", "x: f32",
        """
        t: f32
        t = 1.0
        x = t
        """,
        lambda p: delete_buffer(p, "t"),
        "E413", "t is used",
        Malformed("t = 1.0\nx = t", "E200"),
    ),
    Illegal(
        "delete_buffer", "it_is_written_only", "x: f32",
        """
        t: f32
        t = 1.0
        """,
        lambda p: delete_buffer(p, "t"),
        "E413", "t is used",
        Malformed("t = 1.0", "E200"),
    ),
    Illegal(
        "delete_buffer", "a_window_of_it_is_made", "x: f32",
        """
        t: f32[4]
        w = t[0:2]
        """,
        lambda p: delete_buffer(p, "t"),
        "E413", "t is used",
        Malformed("w = t[0:2]", "E200"),
    ),
    Illegal(
        "delete_buffer", "its_stride_is_read", "x: f32",
        """
        t: f32[4]
        if stride(t, 0) == 1:
            x = 1.0
        """,
        lambda p: delete_buffer(p, "t"),
        "E413", "t is used",
        Malformed(
            """
            if stride(t, 0) == 1:
                x = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "delete_buffer", "another_of_the_same_name_is_unused", "x: f32",
        """
        t: f32
        t = 1.0
        x = t
        if x < 2.0:
            t: f32
            pass
        """,
        lambda p: delete_buffer(p, p.find("t: _")),
        "E413", "t is used",
        Malformed("t = 1.0\nx = t", "E200"),
    ),
    # ---- divide_dim
    Illegal(
        "divide_dim", "the_factor_does_not_divide",
        "n: size, x: f32[n + 4], y: f32[n + 4]",
        """
        t: f32[n + 4]
        for i in seq(0, n + 4):
            t[i] = x[i]
        for i in seq(0, n + 4):
            y[i] = t[i]
        """,
        lambda p: divide_dim(p, "t", 0, 4),
        "E412", "cannot prove that 4 divides the extent n + 4",
        Wrong("""
        t: f32[(n + 4) / 4, 4]
        for i in seq(0, n + 4):
            t[i / 4, i % 4] = x[i]
        for i in seq(0, n + 4):
            y[i] = t[i / 4, i % 4]
        """),
    ),
    Illegal(
        "divide_dim", "passed_whole_to_a_callee",
        "v: f32, y: f32",
        """
        t: f32[4]
        dense(t, v)
        y = t[0]
        """,
        lambda p, c: divide_dim(p, "t", 0, 2),
        "E413", "is passed whole to a call",
        Malformed(
            """
            t: f32[2, 2]
            dense(t, v)
            y = t[0, 0]
            """,
            "E200",
        ),
        callees=(DENSE,),
    ),
    Illegal(
        "divide_dim", "a_window_that_reaches_over_a_tile",
        "v: f32, y: f32[8]",
        """
        t: f32[8]
        for i in seq(0, 8):
            t[i] = 0.0
        fill4(t[2:6], v)
        for i in seq(0, 8):
            y[i] = t[i]
        """,
        lambda p, c: divide_dim(p, "t", 0, 4),
        "E412", "may reach over a tile of 4 elements",
        Wrong("""
        t: f32[2, 4]
        for i in seq(0, 8):
            t[i / 4, i % 4] = 0.0
        fill4(t[0, 2:6], v)
        for i in seq(0, 8):
            y[i] = t[i / 4, i % 4]
        """),
        callees=(FILL4,),
    ),
    Illegal(
        "divide_dim", "no_such_dimension", "y: f32",
        """
        t: f32[4]
        t[0] = 1.0
        y = t[0]
        """,
        lambda p: divide_dim(p, "t", 1, 2),
        "E404", "there is no dimension 1",
        Misuse("no extent to divide"),
    ),
    Illegal(
        "divide_dim", "a_formal", "x: f32[4]",
        "x[0] = 1.0",
        lambda p: divide_dim(p, "x", 0, 2),
        "E404", "an allocation is wanted here",
        Malformed("x[0, 0] = 1.0", "E200"),
    ),
    # ---- rearrange_dim
    Illegal(
        "rearrange_dim", "a_square_buffer_passed_whole",
        "v: f32, y: f32[4, 4]",
        """
        t: f32[4, 4]
        for i in seq(0, 4):
            for j in seq(0, 4):
                t[i, j] = 0.0
        dense_square(t, v)
        for i in seq(0, 4):
            for j in seq(0, 4):
                y[i, j] = t[i, j]
        """,
        lambda p, c: rearrange_dim(p, "t", [1, 0]),
        "E413", "is passed whole to a call",
        Wrong("""
        t: f32[4, 4]
        for i in seq(0, 4):
            for j in seq(0, 4):
                t[j, i] = 0.0
        dense_square(t, v)
        for i in seq(0, 4):
            for j in seq(0, 4):
                y[i, j] = t[j, i]
        """),
        callees=(DENSE_SQUARE,),
    ),
    Illegal(
        "rearrange_dim", "a_square_window_would_be_transposed",
        "v: f32, y: f32[4, 4]",
        """
        t: f32[4, 4]
        for i in seq(0, 4):
            for j in seq(0, 4):
                t[i, j] = 0.0
        square(t[0:4, 0:4], v)
        for i in seq(0, 4):
            for j in seq(0, 4):
                y[i, j] = t[i, j]
        """,
        lambda p, c: rearrange_dim(p, "t", [1, 0]),
        "E413", "would change places too",
        Wrong("""
        t: f32[4, 4]
        for i in seq(0, 4):
            for j in seq(0, 4):
                t[j, i] = 0.0
        square(t[0:4, 0:4], v)
        for i in seq(0, 4):
            for j in seq(0, 4):
                y[i, j] = t[j, i]
        """),
        callees=(SQUARE,),
    ),
    Illegal(
        "rearrange_dim", "the_program_looks_at_a_stride",
        "y: f32",
        """
        t: f32[2, 4]
        t[0, 0] = 1.0
        y = 5.0
        if stride(t, 0) == 4:
            y = t[0, 0]
        """,
        lambda p: rearrange_dim(p, "t", [1, 0]),
        "E413", "depends on strides of t",
        Wrong("""
        t: f32[4, 2]
        t[0, 0] = 1.0
        y = 5.0
        if stride(t, 1) == 4:
            y = t[0, 0]
        """),
    ),
    Illegal(
        "rearrange_dim", "an_instruction_needs_unit_stride",
        "v: f32, y: f32",
        """
        t: f32[2, 4]
        unit(t[1, 0:4], v)
        y = t[1, 2]
        """,
        lambda p, c: rearrange_dim(p, "t", [1, 0]),
        "E410", "may break its assertion stride(dst, 0) == 1",
        Wrong("""
        t: f32[4, 2]
        unit(t[0:4, 1], v)
        y = t[2, 1]
        """),
        callees=(UNIT,),
    ),
    Illegal(
        "rearrange_dim", "no_permutation", "y: f32",
        """
        t: f32[2, 4]
        t[0, 0] = 1.0
        y = t[0, 0]
        """,
        lambda p: rearrange_dim(p, "t", [0, 0]),
        "E404", "a permutation of the 2 dimensions of t is wanted",
        Misuse("one dimension twice"),
    ),
    # ---- annotations
    Illegal(
        "set_memory", "no_memory", "x: f32",
        "x = 1.0",
        lambda p: set_memory(p, "x", "DRAM"),
        "E404", "a memory is wanted",
        Misuse("a text is no memory"),
    ),
    Illegal(
        "set_memory", "a_size", "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: set_memory(p, "n", DRAM),
        "E404", "n",
        Misuse("a control value lives nowhere"),
    ),
    Illegal(
        "set_memory", "a_statement", "x: f32",
        "x = 1.0",
        lambda p: set_memory(p, p.body()[0], DRAM),
        "E404", "an allocation or a formal is wanted here",
        Misuse("no buffer"),
    ),
    Illegal(
        "set_precision", "integers_would_not_wrap_any_more", "x: u8, y: u8",
        """
        t: u8
        t = x + y
        x = t / 2
        """,
        lambda p: set_precision(p, "t", "f32"),
        "E413", "integers wrap",
        Wrong("""
        t: f32
        t = f32(x) + f32(y)
        x = u8(t / 2.0)
        """),
    ),
    Illegal(
        "set_precision", "a_wider_integer_wraps_elsewhere", "x: u8, y: u8",
        """
        t: u8
        t = x + y
        x = t / 2
        """,
        lambda p: set_precision(p, "t", "i32"),
        "E413", "integers wrap",
        Wrong("""
        t: i32
        t = i32(x) + i32(y)
        x = u8(t / 2)
        """),
    ),
    Illegal(
        "set_precision", "a_float_would_be_cut", "x: f32, y: f32",
        """
        t: f32
        t = x
        y = t
        """,
        lambda p: set_precision(p, "t", "i8"),
        "E413", "integers wrap",
        Wrong("""
        t: i8
        t = i8(x)
        y = f32(t)
        """),
    ),
    Illegal(
        "set_precision", "back_to_a_real", "x: f32",
        "x = 1.0",
        lambda p: set_precision(p, "x", "R"),
        "E404", "cannot go back to R",
        Misuse("a decision is not taken back"),
    ),
    Illegal(
        "set_precision", "an_argument_of_a_callee", "v: f32, y: f32",
        """
        t: f32[4]
        dense(t, v)
        y = t[0]
        """,
        lambda p, c: set_precision(p, "t", "f64"),
        "E413", "is the argument dst of dense",
        Malformed(
            """
            t: f64[4]
            dense(t, v)
            y = f32(t[0])
            """,
            "E200",
        ),
        callees=(DENSE,),
    ),
    Illegal(
        "set_precision", "a_size", "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: set_precision(p, "n", "f32"),
        "E404", "n",
        Misuse("a control value has no precision"),
    ),
    Illegal(
        "set_window", "a_callee_wants_a_dense_buffer", "x: f32[4], v: f32",
        "dense(x, v)",
        lambda p, c: set_window(p, "x"),
        "E410", "is dense, so a window cannot be passed",
        Malformed("dense(x, v)", "E200", formals="x: [f32][4], v: f32"),
        callees=(DENSE,),
    ),
    Illegal(
        "set_window", "a_callee_wants_unit_stride", "x: f32[4], v: f32",
        "unit(x[0:4], v)",
        lambda p, c: set_window(p, "x"),
        "E410", "may break its assertion stride(dst, 0) == 1",
        Wrong("unit(x[0:4], v)", formals="x: [f32][4], v: f32"),
        callees=(UNIT,),
    ),
    Illegal(
        "set_window", "a_dense_row_has_no_free_stride", "n: size, x: f32[2, n], y: f32",
        """
        assert n == 4
        if stride(x, 0) == 4:
            y = x[0, 0]
        square_row(x[0, 0:4], y)
        """,
        lambda p, c: set_window(p, "x"),
        "E410", "may break its assertion stride(dst, 0) == 1",
        Wrong(
            """
            if stride(x, 0) == 4:
                y = x[0, 0]
            square_row(x[0, 0:4], y)
            """,
            formals="n: size, x: [f32][2, n], y: f32",
        ),
        callees=(UNIT.replace("unit", "square_row"),),
    ),
    Illegal(
        "set_window", "an_allocation", "y: f32",
        """
        t: f32[4]
        t[0] = 1.0
        y = t[0]
        """,
        lambda p: set_window(p, "t"),
        "E404", "t is no formal with dimensions",
        Misuse("a local buffer has one layout"),
    ),
    Illegal(
        "set_window", "a_scalar", "y: f32",
        "y = 1.0",
        lambda p: set_window(p, "y"),
        "E404", "y is no formal with dimensions",
        Misuse("a scalar has no strides"),
    ),
]  # fmt: skip
