"""Illegal steps of `replace`."""

from __future__ import annotations

from tests.corpus.callees import ADD4, BUMP, COPY4, MASKED, SHIFT4
from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.ir.memory import Memory
from usl_core.scheduling import replace

UNIT_COPY4 = """
def unit_copy4(dst: [f32][4], src: [f32][4]):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for k in seq(0, 4):
        dst[k] = src[k]
"""


SUB4 = """
def sub4(dst: [f32][4], a: [f32][4], b: [f32][4]):
    for k in seq(0, 4):
        dst[k] = a[k] - b[k]
"""


DENSE4 = """
def dense4(dst: f32[4]):
    for k in seq(0, 4):
        dst[k] = 0.0
"""


SPLAT = """
def splat(dst: [f32][2], v: f32):
    dst[0] = v
    dst[1] = v
"""


SATURATE = """
def saturate(dst: [i32][4], a: [i32][4], b: [i32][4]):
    for k in seq(0, 4):
        dst[k] = min(a[k] + b[k], 65535)
"""


class Registers(Memory):
    """A second memory."""

    name = "Registers"


LOAD = """
def load(dst: [f32][4] @ Registers, src: [f32][4]):
    for k in seq(0, 4):
        dst[k] = src[k]
"""


CASES = [
    Illegal(
        "replace",
        "a_reduction_for_a_write",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 4):
            x[i] += y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "E430",
        "the statements are of different kinds",
        Wrong("copy4(x[0:4], y[0:4])"),
        callees=(COPY4,),
    ),
    Illegal(
        "replace",
        "one_iteration_too_many",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 5):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "E430",
        "copy4 does not match the block",
        Wrong("copy4(x[0:4], y[0:4])"),
        callees=(COPY4,),
    ),
    Illegal(
        "replace",
        "a_stride_of_two",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = y[2 * i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "E430",
        "no window of y explains all accesses",
        Wrong("copy4(x[0:4], y[0:4])"),
        callees=(COPY4,),
    ),
    Illegal(
        "replace",
        "a_column_where_unit_stride_is_needed",
        "x: f32[4], y: f32[4, 4]",
        """
        for i in seq(0, 4):
            x[i] = y[i, 1]
        """,
        lambda p, c: replace(p, "for i in _: _", c.unit_copy4),
        "E410",
        "may break its assertion stride(src, 0) == 1",
        Wrong("unit_copy4(x[0:4], y[0:4, 1])"),
        callees=(UNIT_COPY4,),
    ),
    Illegal(
        "replace",
        "a_window_formal_where_unit_stride_is_needed",
        "x: [f32][4], y: f32[4]",
        """
        for i in seq(0, 4):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.unit_copy4),
        "E410",
        "may break its assertion stride(dst, 0) == 1",
        Wrong("unit_copy4(x[0:4], y[0:4])"),
        callees=(UNIT_COPY4,),
    ),
    Illegal(
        "replace",
        "more_lanes_than_the_instruction_has",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.masked),
        "E410",
        "may break its assertion m <= 4",
        Wrong("masked(n, x[0:n], y[0:n])"),
        callees=(MASKED,),
    ),
    Illegal(
        "replace",
        "a_size_that_may_be_zero",
        "n: size, x: f32[n], y: f32[n]",
        """
        assert n <= 4
        for i in seq(1, n):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.masked),
        "E410",
        "may be empty",
        Wrong("masked(n - 1, x[1:n], y[1:n])"),
        callees=(MASKED,),
    ),
    Illegal(
        "replace",
        "arguments_that_overlap",
        "x: f32[8]",
        """
        for i in seq(0, 4):
            x[i + 1] = x[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "E410",
        "may overlap",
        Malformed("copy4(x[1:5], x[0:4])", "E315"),
        callees=(COPY4,),
    ),
    Illegal(
        "replace",
        "arguments_that_coincide",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = x[i] + y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.add4),
        "E410",
        "may overlap",
        Malformed("add4(x[0:4], x[0:4], y[0:4])", "E315"),
        callees=(ADD4,),
    ),
    Illegal(
        "replace",
        "arguments_that_overlap_through_a_window",
        "x: f32[8]",
        """
        w = x[2:8]
        for i in seq(0, 4):
            w[i] = x[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "E410",
        "may overlap",
        Malformed(
            """
            w = x[2:8]
            copy4(w[0:4], x[0:4])
            """,
            "E315",
        ),
        callees=(COPY4,),
    ),
    Illegal(
        "replace",
        "operands_in_the_other_order",
        "x: f32[8], y: f32[8], z: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = y[i] - z[i]
            x[i + 4] = z[i] - y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.two_subs),
        "E430",
        "two_subs does not match the block",
        Wrong("two_subs(x[0:8], y[0:4], z[0:4])"),
        callees=(
            """
            def two_subs(dst: [f32][8], a: [f32][4], b: [f32][4]):
                for k in seq(0, 4):
                    dst[k] = a[k] - b[k]
                    dst[k + 4] = a[k] - b[k]
            """,
        ),
    ),
    Illegal(
        "replace",
        "another_operator",
        "x: f32[8], y: f32[8], z: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = y[i] + z[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.sub4),
        "E430",
        "sub4 does not match the block",
        Wrong("sub4(x[0:4], y[0:4], z[0:4])"),
        callees=(SUB4,),
    ),
    Illegal(
        "replace",
        "lanes_in_reverse",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.shift4),
        "E430",
        "shift4 does not match the block",
        Wrong("shift4(x[0:4], y[0:4])"),
        callees=(SHIFT4,),
    ),
    Illegal(
        "replace",
        "a_constant_that_differs",
        "x: f32[4]",
        """
        for i in seq(0, 4):
            x[i] = 1.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.dense4),
        "E430",
        "dense4 does not match the block",
        Wrong("dense4(x)"),
        callees=(DENSE4,),
    ),
    Illegal(
        "replace",
        "a_part_of_a_buffer_for_a_dense_formal",
        "x: f32[8, 2]",
        """
        for i in seq(0, 4):
            x[i, 0] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.dense4),
        "E430",
        "is dense, and the part x[0:4, 0] that would be passed may not be",
        Malformed("dense4(x[0:4, 0])", "E313"),
        callees=(DENSE4,),
    ),
    Illegal(
        "replace",
        "another_place_in_a_buffer_for_a_dense_formal",
        "x: f32[4]",
        """
        x[1] = 0.0
        x[2] = 0.0
        """,
        lambda p, c: replace(p, p.body(), c.first_two),
        "E410",
        "dimension 0 of window x[1:5] may be out of bounds",
        Malformed("first_two(x[1:5])", "E305"),
        callees=("def first_two(dst: f32[4]):\n    dst[0] = 0.0\n    dst[1] = 0.0\n",),
    ),
    Illegal(
        "replace",
        "two_constants_for_one_formal",
        "x: f32[2]",
        """
        x[0] = 1.0
        x[1] = 2.0
        """,
        lambda p, c: replace(p, p.body(), c.splat),
        "E430",
        "two different constants",
        Wrong("splat(x[0:2], 1.0)"),
        callees=(SPLAT,),
    ),
    Illegal(
        "replace",
        "a_constant_for_a_formal_that_is_written",
        "x: f32[2], y: f32",
        """
        x[0] = 1.0
        y = 2.0
        """,
        lambda p, c: replace(p, p.body(), c.bump),
        "E430",
        "v would have to be a constant and a buffer",
        Malformed("bump(x[0:2], 1.0)", "E200"),
        callees=(BUMP,),
    ),
    Illegal(
        "replace",
        "one_formal_for_two_buffers",
        "x: f32[2], y: f32, z: f32",
        """
        x[0] = y
        x[1] = z
        """,
        lambda p, c: replace(p, p.body(), c.splat),
        "E430",
        "v would have to be both y and z",
        Wrong("splat(x[0:2], y)"),
        callees=(SPLAT,),
    ),
    Illegal(
        "replace",
        "a_saturating_sum_for_a_wrapping_one",
        "x: i32[4], y: i32[4], z: i32[4]",
        """
        for i in seq(0, 4):
            x[i] = y[i] + z[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.saturate),
        "E430",
        "saturate does not match the block",
        Wrong("saturate(x[0:4], y[0:4], z[0:4])"),
        callees=(SATURATE,),
    ),
    Illegal(
        "replace",
        "a_buffer_in_another_memory",
        "x: f32[4], y: f32[4]",
        """
        for i in seq(0, 4):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.load),
        "E430",
        "dst is in Registers, but",
        Misuse("the interpreter has one memory; the C text of a load is not that of a copy"),
        callees=(LOAD,),
        scope={"Registers": Registers},
    ),
    Illegal(
        "replace",
        "another_precision",
        "x: f64[4], y: f64[4]",
        """
        for i in seq(0, 4):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "E430",
        "one is f32, the other f64",
        Malformed("copy4(x[0:4], y[0:4])", "E200"),
        callees=(COPY4,),
    ),
    Illegal(
        "replace",
        "the_offset_would_depend_on_an_iterator_of_the_block",
        "n: size, x: f32[n + 4, n + 4]",
        """
        for i in seq(0, n):
            for k in seq(0, i):
                x[i, k] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.rows),
        "E430",
        "rows does not match the block",
        Wrong("rows(n, x[0:n, 0:n])"),
        callees=(
            """
            def rows(n: size, x: [f32][n, n]):
                for i in seq(0, n):
                    for k in seq(0, n):
                        x[i, k] = 0.0
            """,
        ),
    ),
    Illegal(
        "replace",
        "a_guard_that_is_off_by_one",
        "n: size, x: f32[4]",
        """
        for i in seq(0, 4):
            if i <= n:
                x[i] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear_below),
        "E410",
        "clear_below",
        Wrong("clear_below(n, x[0:4])"),
        callees=(
            """
            def clear_below(m: size, x: [f32][4]):
                assert m <= 4
                for k in seq(0, 4):
                    if k < m:
                        x[k] = 0.0
            """,
        ),
    ),
    Illegal(
        "replace",
        "two_statements_in_the_other_order",
        "x: f32[1], y: f32",
        """
        x[0] = 1.0
        y = x[0]
        """,
        lambda p, c: replace(p, p.body(), c.late),
        "E430",
        "late does not match the block",
        Wrong("late(x[0:1], y)"),
        callees=(
            """
            def late(x: [f32][1], y: f32):
                y = x[0]
                x[0] = 1.0
            """,
        ),
    ),
    Illegal(
        "replace",
        "a_parallel_loop_for_a_sequential_one",
        "x: f32[4], a: f32",
        """
        for i in seq(0, 4):
            a = x[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.last),
        "E430",
        "one loop is par, the other seq",
        Wrong("last(x[0:4], a)", permute=True),
        callees=(
            """
            def last(x: [f32][4], a: f32):
                for k in par(0, 4):
                    a = x[k]
            """,
        ),
    ),
    Illegal(
        "replace",
        "two_conditions_for_one_bool",
        "n: size, x: f32[2]",
        """
        if n > 3:
            x[0] = 1.0
        if n > 4:
            x[1] = 1.0
        """,
        lambda p, c: replace(p, p.body(), c.both),
        "E430",
        "do not give the block back",
        Wrong("both(n > 3, x)"),
        callees=(
            """
            def both(b: bool, x: f32[2]):
                if b:
                    x[0] = 1.0
                if b:
                    x[1] = 1.0
            """,
        ),
    ),
]
