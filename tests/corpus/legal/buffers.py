"""Legal steps on buffers: staging, layouts, lifetimes, annotations."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.ir.memory import DRAM, Memory
from usl_core.scheduling import (
    delete_buffer,
    divide_dim,
    expand_dim,
    inline_window,
    lift_alloc,
    mult_dim,
    rearrange_dim,
    resize_dim,
    reuse_buffer,
    set_memory,
    set_precision,
    set_window,
    sink_alloc,
    stage_mem,
    unroll_buffer,
    unroll_loop,
)


class Registers(Memory):
    """A second memory."""

    name = "Registers"


COPY4 = """
def copy4(dst: [f32][4], src: [f32][4]):
    for k in seq(0, 4):
        dst[k] = src[k]
"""
UNIT = """
def unit(dst: [f32][4], v: f32):
    assert stride(dst, 0) == 1
    for k in seq(0, 4):
        dst[k] = v
"""
PER_ITERATION = """
for i in seq(0, n):
    t: f32
    t = x[i]
    y[i] = t * t
"""
PER_ITERATION_ARGS = "n: size, x: f32[n], y: f32[n]"
TABLE = """
t: f32[8, 4]
for i in seq(0, 8):
    for j in seq(0, 4):
        t[i, j] = x[i, j]
for i in seq(0, 8):
    for j in seq(0, 4):
        y[i, j] = t[i, j] + t[i, 3 - j]
"""
TABLE_ARGS = "x: f32[8, 4], y: f32[8, 4]"

CASES = [
    # ---- stage_mem
    Legal(
        "stage_mem", "a_tile_that_is_read", "n: size, x: f32[4 * n], y: f32[4 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                y[4 * i + j] = 2.0 * x[4 * i + j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "x[4 * i:4 * i + 4]", "t"),
        """
        for i in seq(0, n):
            t: f32[4]
            for i0 in seq(0, 4):
                t[i0] = x[4 * i + i0]
            for j in seq(0, 4):
                y[4 * i + j] = 2.0 * t[j]
        """,
    ),
    Legal(
        "stage_mem", "a_tile_that_is_overwritten", "n: size, x: f32[4 * n], y: f32[4 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                y[4 * i + j] = 2.0 * x[4 * i + j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "y[4 * i:4 * i + 4]", "t"),
        """
        for i in seq(0, n):
            t: f32[4]
            for j in seq(0, 4):
                t[j] = 2.0 * x[4 * i + j]
            for i0 in seq(0, 4):
                y[4 * i + i0] = t[i0]
        """,
    ),
    Legal(
        "stage_mem", "a_tile_that_is_written_in_part", "x: f32[4]",
        """
        for j in seq(0, 3):
            x[j] = 1.0
        """,
        # What is not written must be there when it is copied out.
        lambda p: stage_mem(p, p.find_loop("j"), "x[0:4]", "t"),
        """
        t: f32[4]
        for i0 in seq(0, 4):
            t[i0] = x[i0]
        for j in seq(0, 3):
            t[j] = 1.0
        for i0 in seq(0, 4):
            x[i0] = t[i0]
        """,
    ),
    Legal(
        "stage_mem", "a_tile_that_is_written_if_data_says_so", "c: f32[4], x: f32[4]",
        """
        for j in seq(0, 4):
            if c[j] < 0.0:
                x[j] = 1.0
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "x[0:4]", "t"),
        """
        t: f32[4]
        for i0 in seq(0, 4):
            t[i0] = x[i0]
        for j in seq(0, 4):
            if c[j] < 0.0:
                t[j] = 1.0
        for i0 in seq(0, 4):
            x[i0] = t[i0]
        """,
    ),
    Legal(
        "stage_mem", "a_tile_that_is_scattered_into", "k: i32[4], x: f32[4]",
        """
        for j in seq(0, 4):
            x[idx(k[j], 0, 4)] = 1.0
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "x[0:4]", "t"),
        """
        t: f32[4]
        for i0 in seq(0, 4):
            t[i0] = x[i0]
        for j in seq(0, 4):
            t[idx(k[j], 0, 4)] = 1.0
        for i0 in seq(0, 4):
            x[i0] = t[i0]
        """,
    ),
    Legal(
        "stage_mem", "an_accumulator", "n: size, x: f32[n], y: f32[1]",
        """
        for i in seq(0, n):
            y[0] += x[i]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "y[0]", "t", accum=True),
        """
        t: f32
        t = 0.0
        for i in seq(0, n):
            t += x[i]
        y[0] += t
        """,
    ),
    Legal(
        "stage_mem", "an_accumulator_that_starts_with_what_is_there", "n: size, x: f32[n], y: f32[1]",
        """
        for i in seq(0, n):
            y[0] += x[i]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "y[0]", "t"),
        """
        t: f32
        t = y[0]
        for i in seq(0, n):
            t += x[i]
        y[0] = t
        """,
    ),
    Legal(
        "stage_mem", "a_wrapping_accumulator", "n: size, x: u8[n], y: u8[2]",
        """
        for i in seq(0, n):
            y[1] += x[i]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "y[1]", "t", accum=True),
    ),
    Legal(
        "stage_mem", "a_halo", "n: size, x: f32[4 * n + 2], y: f32[4 * n]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                y[4 * i + j] = x[4 * i + j] + x[4 * i + j + 1] + x[4 * i + j + 2]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "x[4 * i:4 * i + 6]", "t"),
        """
        for i in seq(0, n):
            t: f32[6]
            for i0 in seq(0, 6):
                t[i0] = x[4 * i + i0]
            for j in seq(0, 4):
                y[4 * i + j] = t[j] + t[j + 1] + t[j + 2]
        """,
    ),
    Legal(
        "stage_mem", "a_tile_that_reaches_over_the_end", "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, (n + 3) / 4):
            for j in seq(0, 4):
                if 4 * i + j < n:
                    y[4 * i + j] = x[4 * i + j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "x[4 * i:4 * i + 4]", "t"),
        """
        for i in seq(0, (n + 3) / 4):
            t: f32[4]
            for i0 in seq(0, 4):
                if 4 * i + i0 < n:
                    t[i0] = x[4 * i + i0]
            for j in seq(0, 4):
                if 4 * i + j < n:
                    y[4 * i + j] = t[j]
        """,
    ),
    Legal(
        "stage_mem", "a_tile_that_reaches_over_the_end_and_is_written", "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, (n + 3) / 4):
            for j in seq(0, 4):
                if 4 * i + j < n:
                    y[4 * i + j] = x[4 * i + j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "y[4 * i:4 * i + 4]", "t"),
    ),
    Legal(
        "stage_mem", "a_column", "n: size, x: f32[n, n], y: f32[n]",
        """
        for j in seq(0, n):
            for i in seq(0, n):
                y[i] += x[i, j]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "x[0:n, j]", "t"),
        """
        for j in seq(0, n):
            t: f32[n]
            for i0 in seq(0, n):
                t[i0] = x[i0, j]
            for i in seq(0, n):
                y[i] += t[i]
        """,
    ),
    Legal(
        "stage_mem", "a_gather_table", "n: size, k: u8[n], x: f32[16], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[idx(k[i], 0, 16)]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "x[0:16]", "t"),
        """
        t: f32[16]
        for i0 in seq(0, 16):
            t[i0] = x[i0]
        for i in seq(0, n):
            y[i] = t[idx(k[i], 0, 16)]
        """,
    ),
    Legal(
        "stage_mem", "an_argument_of_a_call", "x: f32[8], y: f32[8]",
        "copy4(y[2:6], x[0:4])",
        lambda p, c: stage_mem(p, p.body()[0], "y[2:6]", "t"),
        """
        t: f32[4]
        copy4(t[0:4], x[0:4])
        for i0 in seq(0, 4):
            y[2 + i0] = t[i0]
        """,
        callees=(COPY4,),
    ),
    Legal(
        "stage_mem", "through_a_window", "n: size, x: f32[n, 8], y: f32[n]",
        """
        for i in seq(0, n):
            w = x[i, 2:6]
            for j in seq(0, 4):
                y[i] += w[j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "w[0:4]", "t"),
    ),
    Legal(
        "stage_mem", "in_a_parallel_loop", "n: size, x: f32[n, 4], y: f32[n]",
        """
        for i in par(0, n):
            for j in seq(0, 4):
                y[i] += x[i, j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "y[i]", "t", accum=True),
        """
        for i in par(0, n):
            t: f32
            t = 0.0
            for j in seq(0, 4):
                t += x[i, j]
            y[i] += t
        """,
    ),
    Legal(
        "stage_mem", "a_row_of_a_triangle", "n: size, x: f32[n, n], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, i + 1):
                y[i] += x[i, j]
        """,
        lambda p: stage_mem(p, p.find_loop("j"), "x[i, 0:i + 1]", "t"),
    ),
    Legal(
        "stage_mem", "indices_that_are_negative_before_they_are_shifted", "n: size, x: f32[n + 2], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[(i - 3) / 2 + 2]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "x[0:n + 1]", "t"),
    ),
    # ---- expand_dim, lift_alloc, sink_alloc
    Legal("expand_dim", "one_element_per_iteration", PER_ITERATION_ARGS, PER_ITERATION, lambda p: expand_dim(p, "t", "n", "i"), """
        for i in seq(0, n):
            t: f32[n]
            t[i] = x[i]
            y[i] = t[i] * t[i]
        """),
    Legal("expand_dim", "room_for_more", PER_ITERATION_ARGS, PER_ITERATION, lambda p: expand_dim(p, "t", "n + 3", "i + 2"), """
        for i in seq(0, n):
            t: f32[n + 3]
            t[i + 2] = x[i]
            y[i] = t[i + 2] * t[i + 2]
        """),
    Legal("expand_dim", "a_constant_index", PER_ITERATION_ARGS, PER_ITERATION, lambda p: expand_dim(p, "t", 4, 1), """
        for i in seq(0, n):
            t: f32[4]
            t[1] = x[i]
            y[i] = t[1] * t[1]
        """),
    Legal("expand_dim", "a_circular_index", PER_ITERATION_ARGS, PER_ITERATION, lambda p: expand_dim(p, "t", 4, "i % 4"), """
        for i in seq(0, n):
            t: f32[4]
            t[i % 4] = x[i]
            y[i] = t[i % 4] * t[i % 4]
        """),
    Legal(
        "expand_dim", "a_buffer_that_is_passed_to_a_callee", "n: size, x: f32[n, 4], y: f32[n, 4]",
        """
        for i in seq(0, n):
            t: f32[4]
            copy4(t[0:4], x[i, 0:4])
            copy4(y[i, 0:4], t[0:4])
        """,
        lambda p, c: expand_dim(p, "t", "n", "i"),
        """
        for i in seq(0, n):
            t: f32[n, 4]
            copy4(t[i, 0:4], x[i, 0:4])
            copy4(y[i, 0:4], t[i, 0:4])
        """,
        callees=(COPY4,),
    ),
    Legal(
        "lift_alloc", "out_of_a_loop", PER_ITERATION_ARGS, PER_ITERATION,
        lambda p: lift_alloc(p, "t"),
        """
        t: f32
        for i in seq(0, n):
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "lift_alloc", "out_of_a_parallel_loop_after_expanding", PER_ITERATION_ARGS, PER_ITERATION.replace("seq", "par"),
        lambda p: lift_alloc(expand_dim(p, "t", "n", "i"), "t"),
        """
        t: f32[n]
        for i in par(0, n):
            t[i] = x[i]
            y[i] = t[i] * t[i]
        """,
    ),
    Legal(
        "lift_alloc", "out_of_two_loops_and_a_branch", "n: size, x: f32[n, n]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                if j < i:
                    t: f32[2]
                    t[0] = x[i, j]
                    x[j, i] = t[0]
        """,
        lambda p: lift_alloc(p, "t", 3),
        """
        t: f32[2]
        for i in seq(0, n):
            for j in seq(0, n):
                if j < i:
                    t[0] = x[i, j]
                    x[j, i] = t[0]
        """,
    ),
    Legal(
        "lift_alloc", "poison_may_become_an_older_value", "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            t: f32
            if i == 0:
                t = x[0]
            y[i] = t
        """,
        lambda p: lift_alloc(p, "t"),
    ),
    Legal(
        "sink_alloc", "into_the_loop_that_uses_it", "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            t = x[i]
            y[i] = t * t
        """,
        lambda p: sink_alloc(p, "t"),
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "sink_alloc", "into_a_parallel_loop", "n: size, x: f32[n, 4], y: f32[n]",
        """
        t: f32[4]
        for i in par(0, n):
            for j in seq(0, 4):
                t[j] = x[i, j]
            for j in seq(0, 4):
                y[i] += t[3 - j]
        """,
        lambda p: sink_alloc(p, "t"),
    ),
    Legal(
        "sink_alloc", "into_the_branch_that_uses_it", "n: size, x: f32, y: f32",
        """
        t: f32
        if n < 3:
            t = x
            y = t
        else:
            y = 0.0
        """,
        lambda p: sink_alloc(p, "t"),
        """
        if n < 3:
            t: f32
            t = x
            y = t
        else:
            y = 0.0
        """,
    ),
    Legal(
        "sink_alloc", "into_an_else", "n: size, x: f32, y: f32",
        """
        t: f32
        if n < 3:
            y = 0.0
        else:
            t = x
            y = t
        """,
        lambda p: sink_alloc(p, "t"),
        """
        if n < 3:
            y = 0.0
        else:
            t: f32
            t = x
            y = t
        """,
    ),
    Legal("delete_buffer", "a_scalar", "x: f32", "t: f32\nx = 1.0", lambda p: delete_buffer(p, "t"), "x = 1.0"),
    Legal("delete_buffer", "the_last_statement", "x: f32", "x = 1.0\nt: f32[4]", lambda p: delete_buffer(p, "t"), "x = 1.0"),
    Legal(
        "delete_buffer", "an_outer_one_that_is_shadowed", "x: f32",
        """
        t: f32
        if x < 2.0:
            t: f32
            t = x
            x = t
        """,
        lambda p: delete_buffer(p, p.find("t: _")),
        """
        if x < 2.0:
            t: f32
            t = x
            x = t
        """,
    ),
    # ---- layouts
    Legal("divide_dim", "rows_into_pairs", TABLE_ARGS, TABLE, lambda p: divide_dim(p, "t", 0, 2), """
        t: f32[4, 2, 4]
        for i in seq(0, 8):
            for j in seq(0, 4):
                t[i / 2, i % 2, j] = x[i, j]
        for i in seq(0, 8):
            for j in seq(0, 4):
                y[i, j] = t[i / 2, i % 2, j] + t[i / 2, i % 2, 3 - j]
        """),
    Legal("divide_dim", "columns", TABLE_ARGS, TABLE, lambda p: divide_dim(p, "t", 1, 4)),
    Legal(
        "divide_dim", "with_windows_inside_of_a_tile", "x: f32[8], y: f32[8]",
        """
        t: f32[8]
        for i in seq(0, 2):
            copy4(t[4 * i:4 * i + 4], x[4 * i:4 * i + 4])
        for i in seq(0, 8):
            y[i] = t[i]
        """,
        lambda p, c: divide_dim(p, "t", 0, 4),
        """
        t: f32[2, 4]
        for i in seq(0, 2):
            copy4(t[i, 0:4], x[4 * i:4 * i + 4])
        for i in seq(0, 8):
            y[i] = t[i / 4, i % 4]
        """,
        callees=(COPY4,),
    ),
    Legal(
        "divide_dim", "an_extent_with_a_size", "n: size, x: f32[4 * n], y: f32[4 * n]",
        """
        t: f32[4 * n]
        for i in seq(0, 4 * n):
            t[i] = x[i]
        for i in seq(0, 4 * n):
            y[i] = t[4 * n - 1 - i]
        """,
        lambda p: divide_dim(p, "t", 0, 4),
    ),
    Legal("rearrange_dim", "transposed", TABLE_ARGS, TABLE, lambda p: rearrange_dim(p, "t", [1, 0]), """
        t: f32[4, 8]
        for i in seq(0, 8):
            for j in seq(0, 4):
                t[j, i] = x[i, j]
        for i in seq(0, 8):
            for j in seq(0, 4):
                y[i, j] = t[j, i] + t[3 - j, i]
        """),
    Legal("rearrange_dim", "not_at_all", TABLE_ARGS, TABLE, lambda p: rearrange_dim(p, "t", [0, 1]), """
        t: f32[8, 4]
        for i in seq(0, 8):
            for j in seq(0, 4):
                t[i, j] = x[i, j]
        for i in seq(0, 8):
            for j in seq(0, 4):
                y[i, j] = t[i, j] + t[i, 3 - j]
        """),
    Legal(
        "rearrange_dim", "three_dimensions_with_a_window_of_one", "x: f32[4], y: f32[4]",
        """
        t: f32[2, 3, 4]
        copy4(t[1, 2, 0:4], x[0:4])
        copy4(y[0:4], t[1, 2, 0:4])
        """,
        lambda p, c: rearrange_dim(p, "t", [2, 0, 1]),
        """
        t: f32[4, 2, 3]
        copy4(t[0:4, 1, 2], x[0:4])
        copy4(y[0:4], t[0:4, 1, 2])
        """,
        callees=(COPY4,),
    ),
    Legal(
        "rearrange_dim", "so_that_an_instruction_keeps_unit_stride", "v: f32, y: f32",
        """
        t: f32[2, 3, 4]
        unit(t[1, 2, 0:4], v)
        y = t[1, 2, 3]
        """,
        lambda p, c: rearrange_dim(p, "t", [1, 0, 2]),
        """
        t: f32[3, 2, 4]
        unit(t[2, 1, 0:4], v)
        y = t[2, 1, 3]
        """,
        callees=(UNIT,),
    ),
    Legal("mult_dim", "rows_and_columns", TABLE_ARGS, TABLE, lambda p: mult_dim(p, "t", 0, 1), """
        t: f32[32]
        for i in seq(0, 8):
            for j in seq(0, 4):
                t[4 * i + j] = x[i, j]
        for i in seq(0, 8):
            for j in seq(0, 4):
                y[i, j] = t[4 * i + j] + t[4 * i - j + 3]
        """),
    Legal("mult_dim", "columns_and_rows", TABLE_ARGS, TABLE, lambda p: mult_dim(p, "t", 1, 0), """
        t: f32[32]
        for i in seq(0, 8):
            for j in seq(0, 4):
                t[8 * j + i] = x[i, j]
        for i in seq(0, 8):
            for j in seq(0, 4):
                y[i, j] = t[8 * j + i] + t[i - 8 * j + 24]
        """),
    Legal(
        "mult_dim", "with_windows_of_the_inner_dimension", "x: f32[2, 4], y: f32[2, 4]",
        """
        t: f32[2, 4]
        for i in seq(0, 2):
            copy4(t[i, 0:4], x[i, 0:4])
        for i in seq(0, 2):
            copy4(y[i, 0:4], t[i, 0:4])
        """,
        lambda p, c: mult_dim(p, "t", 0, 1),
        """
        t: f32[8]
        for i in seq(0, 2):
            copy4(t[4 * i:4 * i + 4], x[i, 0:4])
        for i in seq(0, 2):
            copy4(y[i, 0:4], t[4 * i:4 * i + 4])
        """,
        callees=(COPY4,),
    ),
    Legal("mult_dim", "back_from_divide_dim", TABLE_ARGS, TABLE, lambda p: mult_dim(divide_dim(p, "t", 0, 2), "t", 0, 1)),
    Legal(
        "resize_dim", "to_what_is_used", "n: size, x: f32[n + 8], y: f32[4]",
        """
        t: f32[n + 8]
        for i in seq(0, 4):
            t[n + i] = x[n + i]
        for i in seq(0, 4):
            y[i] = t[n + i]
        """,
        lambda p: resize_dim(p, "t", 0, 4, "n"),
        """
        t: f32[4]
        for i in seq(0, 4):
            t[i] = x[n + i]
        for i in seq(0, 4):
            y[i] = t[i]
        """,
    ),
    Legal("resize_dim", "larger", TABLE_ARGS, TABLE, lambda p: resize_dim(p, "t", 1, 8, 0), """
        t: f32[8, 8]
        for i in seq(0, 8):
            for j in seq(0, 4):
                t[i, j] = x[i, j]
        for i in seq(0, 8):
            for j in seq(0, 4):
                y[i, j] = t[i, j] + t[i, 3 - j]
        """),
    Legal(
        "resize_dim", "two_lines_of_a_stencil", "n: size, x: f32[n + 1], y: f32[n]",
        """
        t: f32[n + 1]
        t[0] = x[0]
        for i in seq(0, n):
            t[i + 1] = x[i + 1]
            y[i] = t[i] + t[i + 1]
        """,
        lambda p: resize_dim(p, "t", 0, 2, 0, fold=True),
        """
        t: f32[2]
        t[0] = x[0]
        for i in seq(0, n):
            t[(i + 1) % 2] = x[i + 1]
            y[i] = t[i % 2] + t[(i + 1) % 2]
        """,
    ),
    Legal(
        "resize_dim", "a_circular_buffer_with_room_to_spare", "n: size, x: f32[n + 2], y: f32[n]",
        """
        t: f32[n + 2]
        for i in seq(0, 2):
            t[i] = x[i]
        for i in seq(0, n):
            t[i + 2] = x[i + 2]
            y[i] = t[i] + t[i + 1] + t[i + 2]
        """,
        lambda p: resize_dim(p, "t", 0, 4, 0, fold=True),
    ),
    Legal(
        "reuse_buffer", "one_after_the_other", "n: size, x: f32[n], y: f32[n]",
        """
        a: f32
        a = x[0]
        y[0] = a
        b: f32
        b = 2.0
        x[0] = b
        """,
        lambda p: reuse_buffer(p, "a", "b"),
        """
        a: f32
        a = x[0]
        y[0] = a
        a = 2.0
        x[0] = a
        """,
    ),
    Legal(
        "reuse_buffer", "in_each_iteration", "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            a: f32
            a = x[i]
            y[i] = a
            b: f32
            b = 2.0 * x[i]
            x[i] = b
        """,
        lambda p: reuse_buffer(p, "a", "b"),
        """
        for i in seq(0, n):
            a: f32
            a = x[i]
            y[i] = a
            a = 2.0 * x[i]
            x[i] = a
        """,
    ),
    Legal(
        "reuse_buffer", "element_by_element", "n: size, x: f32[n], y: f32[n]",
        """
        a: f32[n]
        for i in seq(0, n):
            a[i] = x[i]
        b: f32[n]
        for i in seq(0, n):
            b[i] = 2.0 * a[i]
        for i in seq(0, n):
            y[i] = b[i]
        """,
        lambda p: reuse_buffer(p, "a", "b"),
    ),
    Legal(
        "unroll_buffer", "two_registers", "x: f32[2], y: f32[2]",
        """
        t: f32[2]
        t[0] = x[1]
        t[1] = x[0]
        y[0] = t[0]
        y[1] = t[1]
        """,
        lambda p: unroll_buffer(p, "t", 0),
        """
        t_0: f32
        t_1: f32
        t_0 = x[1]
        t_1 = x[0]
        y[0] = t_0
        y[1] = t_1
        """,
    ),
    Legal(
        "unroll_buffer", "rows", "x: f32[2, 4], y: f32[2, 4]",
        """
        t: f32[2, 4]
        copy4(t[0, 0:4], x[1, 0:4])
        copy4(t[1, 0:4], x[0, 0:4])
        copy4(y[0, 0:4], t[0, 0:4])
        copy4(y[1, 0:4], t[1, 0:4])
        """,
        lambda p, c: unroll_buffer(p, "t", 0),
        """
        t_0: f32[4]
        t_1: f32[4]
        copy4(t_0[0:4], x[1, 0:4])
        copy4(t_1[0:4], x[0, 0:4])
        copy4(y[0, 0:4], t_0[0:4])
        copy4(y[1, 0:4], t_1[0:4])
        """,
        callees=(COPY4,),
    ),
    Legal(
        "unroll_buffer", "after_its_loop", "x: f32[3], y: f32[3]",
        """
        t: f32[3]
        for i in seq(0, 3):
            t[i] = x[i]
            y[i] = t[i]
        """,
        lambda p: unroll_buffer(unroll_loop(p, "i"), "t", 0),
        """
        t_0: f32
        t_1: f32
        t_2: f32
        t_0 = x[0]
        y[0] = t_0
        t_1 = x[1]
        y[1] = t_1
        t_2 = x[2]
        y[2] = t_2
        """,
    ),
    Legal(
        "inline_window", "an_element", "n: size, x: f32[n, 8]",
        """
        for i in seq(0, n):
            w = x[i, 2:6]
            w[1] = 3.0
        """,
        lambda p: inline_window(p, "w"),
        """
        for i in seq(0, n):
            x[i, 3] = 3.0
        """,
    ),
    Legal(
        "inline_window", "a_window_of_a_window", "x: f32[8, 8]",
        """
        w = x[1:7, 3]
        v = w[1:4]
        v[0] = w[5]
        """,
        lambda p: inline_window(p, "w"),
        """
        v = x[2:5, 3]
        v[0] = x[6, 3]
        """,
    ),
    Legal(
        "inline_window", "an_argument", "x: f32[8, 8], y: f32[4]",
        """
        w = x[1:5, 3]
        copy4(w, y[0:4])
        """,
        lambda p, c: inline_window(p, "w"),
        "copy4(x[1:5, 3], y[0:4])",
        callees=(COPY4,),
    ),
    # ---- annotations
    Legal("set_memory", "of_a_local_buffer", PER_ITERATION_ARGS, PER_ITERATION, lambda p: set_memory(p, "t", Registers), scope={"Registers": Registers}),
    Legal("set_memory", "of_a_formal", PER_ITERATION_ARGS, PER_ITERATION, lambda p: set_memory(p, "x", Registers), scope={"Registers": Registers}),
    Legal("set_memory", "back", PER_ITERATION_ARGS, PER_ITERATION, lambda p: set_memory(set_memory(p, "t", Registers), "t", DRAM), """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """),
    Legal(
        "set_precision", "of_everything", "n: size, x: R[n], y: R[n]", PER_ITERATION.replace("f32", "R"),
        lambda p: set_precision(set_precision(set_precision(p, "x", "f32"), "t", "f32"), "y", "f32"),
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "set_precision", "a_wider_accumulator", "n: size, x: f32[n], y: f32",
        """
        t: f32
        t = 0.0
        for i in seq(0, n):
            t += x[i]
        y = t
        """,
        lambda p: set_precision(p, "t", "f64"),
        """
        t: f64
        t = 0.0
        for i in seq(0, n):
            t += f64(x[i])
        y = f32(t)
        """,
    ),
    Legal(
        "set_precision", "a_narrower_result", "x: f64, y: f64",
        "y = x + 1.0",
        lambda p: set_precision(p, "y", "f32"),
        "y = f32(x + 1.0)",
    ),
    Legal("set_window", "of_an_input", PER_ITERATION_ARGS, PER_ITERATION, lambda p: set_window(p, "x"), """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """),
    Legal("set_window", "and_back", PER_ITERATION_ARGS, PER_ITERATION, lambda p: set_window(set_window(p, "x"), "x", False), """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """),
    Legal(
        "set_window", "with_the_stride_asserted", "x: f32[8], v: f32",
        """
        assert stride(x, 0) == 1
        unit(x[2:6], v)
        """,
        lambda p, c: set_window(p, "x"),
        callees=(UNIT,),
    ),
]  # fmt: skip
