"""Illegal steps on expressions, calls and whole procedures: bind_expr, inline, replace, call_eqv, simplify, partial_eval and others."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.ir.memory import DRAM, Memory
from usl_core.procedure import proc_from_source
from usl_core.scheduling import (
    add_assertion,
    bind_expr,
    call_eqv,
    delete_pass,
    divide_loop,
    eliminate_dead_code,
    inline,
    insert_pass,
    lift_alloc,
    partial_eval,
    rename,
    replace,
    set_memory,
    set_precision,
    set_window,
    simplify,
)


class Registers(Memory):
    """A second memory."""

    name = "Registers"


COPY4 = """
def copy4(dst: [f32][4], src: [f32][4]):
    for k in seq(0, 4):
        dst[k] = src[k]
"""
UNIT_COPY4 = """
def unit_copy4(dst: [f32][4], src: [f32][4]):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for k in seq(0, 4):
        dst[k] = src[k]
"""
ADD4 = """
def add4(dst: [f32][4], a: [f32][4], b: [f32][4]):
    for k in seq(0, 4):
        dst[k] = a[k] + b[k]
"""
SUB4 = """
def sub4(dst: [f32][4], a: [f32][4], b: [f32][4]):
    for k in seq(0, 4):
        dst[k] = a[k] - b[k]
"""
SHIFT4 = """
def shift4(dst: [f32][4], src: [f32][4]):
    for k in seq(0, 4):
        dst[3 - k] = src[k]
"""
MASKED = """
def masked(m: size, dst: [f32][m], src: [f32][m]):
    assert m <= 4
    for k in seq(0, m):
        dst[k] = src[k]
"""
SPLAT = """
def splat(dst: [f32][2], v: f32):
    dst[0] = v
    dst[1] = v
"""
BUMP = """
def bump(dst: [f32][2], v: f32):
    dst[0] = v
    v = 2.0
"""
SATURATE = """
def saturate(dst: [i32][4], a: [i32][4], b: [i32][4]):
    for k in seq(0, 4):
        dst[k] = min(a[k] + b[k], 65535)
"""
LOAD = """
def load(dst: [f32][4] @ Registers, src: [f32][4]):
    for k in seq(0, 4):
        dst[k] = src[k]
"""
DENSE4 = """
def dense4(dst: f32[4]):
    for k in seq(0, 4):
        dst[k] = 0.0
"""
TAIL = """
def tail(n: size, m: size, x: [f32][n + m]):
    for k in seq(0, n):
        x[k + m] = 0.0
"""


CASES = [
    # ---- bind_expr
    Illegal(
        "bind_expr", "the_value_changes_between_two_uses",
        "x: f32, y: f32, z: f32",
        """
        y = x + 1.0
        x = 2.0
        z = x + 1.0
        """,
        lambda p: bind_expr(p, p.find("x + _", many=True), "t"),
        "E411", "may be modified before its last use",
        Wrong("""
        t: f32
        t = x + 1.0
        y = t
        x = 2.0
        z = t
        """),
    ),
    Illegal(
        "bind_expr", "the_value_changes_in_a_loop_before_the_second_use",
        "n: size, x: f32[n], y: f32, z: f32",
        """
        y = x[0]
        for i in seq(0, n):
            x[i] = 2.0
        z = x[0]
        """,
        lambda p: bind_expr(p, p.find("x[0]", many=True), "t"),
        "E411", "may be modified before its last use",
        Wrong("""
        t: f32
        t = x[0]
        y = t
        for i in seq(0, n):
            x[i] = 2.0
        z = t
        """),
    ),
    Illegal(
        "bind_expr", "a_later_iteration_reads_what_an_earlier_one_wrote",
        "n: size, a: f32, x: f32[n], y: f32[n]",
        """
        y[0] = a
        for i in seq(0, n):
            y[i] = a
            a = x[i]
        """,
        lambda p: bind_expr(p, [p.body()[0].rhs(), p.body()[1].body()[0].rhs()], "t"),
        "E411", "may be modified before its last use",
        Wrong("""
        t: f32
        t = a
        y[0] = t
        for i in seq(0, n):
            y[i] = t
            a = x[i]
        """),
    ),
    Illegal(
        "bind_expr", "the_value_changes_through_a_window",
        "x: f32[8], y: f32, z: f32",
        """
        w = x[2:6]
        y = x[3]
        w[1] = 7.0
        z = x[3]
        """,
        lambda p: bind_expr(p, p.find("x[3]", many=True), "t"),
        "E411", "may be modified before its last use",
        Wrong("""
        w = x[2:6]
        t: f32
        t = x[3]
        y = t
        w[1] = 7.0
        z = t
        """),
    ),
    Illegal(
        "bind_expr", "the_value_changes_in_a_call",
        "x: f32[8], s: f32[8], y: f32, z: f32",
        """
        y = x[3]
        copy4(x[0:4], s[0:4])
        z = x[3]
        """,
        lambda p, c: bind_expr(p, p.find("x[3]", many=True), "t"),
        "E411", "may be modified before its last use",
        Wrong("""
        t: f32
        t = x[3]
        y = t
        copy4(x[0:4], s[0:4])
        z = t
        """),
        callees=(COPY4,),
    ),
    Illegal(
        "bind_expr", "two_loops_with_iterators_of_one_name",
        "n: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[i]
        for i in seq(0, n):
            z[i] = x[i]
        """,
        lambda p: bind_expr(p, p.find("x[_]", many=True), "t"),
        "E404", "the expressions differ",
        Malformed(
            """
            t: f32
            t = x[i]
            for i in seq(0, n):
                y[i] = t
            for i in seq(0, n):
                z[i] = t
            """,
            "E200",
        ),
    ),
    Illegal(
        "bind_expr", "an_iterator_bound_below_the_place",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                y[i] += x[i]
            if n > 2:
                for j in seq(0, n):
                    y[i] += x[j]
                    y[i] += x[j]
        """,
        lambda p: bind_expr(p, [p.find("x[i]"), p.find("x[j]")], "t"),
        "E404", "the expressions differ",
        Wrong("""
        for i in seq(0, n):
            t: f32
            t = x[i]
            for j in seq(0, 4):
                y[i] += t
            if n > 2:
                for j in seq(0, n):
                    y[i] += t
                    y[i] += x[j]
        """),
    ),
    Illegal(
        "bind_expr", "out_of_bounds_above_the_guards",
        "n: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        for i in seq(0, n):
            if i + 1 < n:
                y[i] = x[i + 1]
            if i + 1 < n:
                z[i] = x[i + 1]
        """,
        lambda p: bind_expr(p, p.find("x[_]", many=True), "t"),
        "E410", "may be out of bounds",
        Wrong("""
        for i in seq(0, n):
            t: f32
            t = x[i + 1]
            if i + 1 < n:
                y[i] = t
            if i + 1 < n:
                z[i] = t
        """),
    ),
    Illegal(
        "bind_expr", "an_argument_that_the_callee_writes",
        "x: f32[2], v: f32",
        "bump(x[0:2], v)",
        lambda p, c: bind_expr(p, p.body()[0].args()[1], "t"),
        "E413", "bump writes its argument v",
        Wrong("""
        t: f32
        t = v
        bump(x[0:2], t)
        """),
        callees=(BUMP,),
    ),
    Illegal(
        "bind_expr", "an_index_made_of_data_that_may_be_poison",
        "n: size, k: i32, x: f32[4], y: f32, z: f32",
        """
        y = 1.0
        z = 1.0
        if n > 2:
            y = x[idx(k, 0, 4)]
        if n > 2:
            z = x[idx(k, 0, 4)]
        """,
        lambda p: bind_expr(p, p.find("x[_]", many=True), "t"),
        "E413", "would be computed where it may not have been",
        Wrong("""
        y = 1.0
        z = 1.0
        t: f32
        t = x[idx(k, 0, 4)]
        if n > 2:
            y = t
        if n > 2:
            z = t
        """),
    ),
    Illegal(
        "bind_expr", "a_control_expression",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[n - 1 - i] = 1.0
        """,
        lambda p: bind_expr(p, p.find("x[_] = _").idx()[0], "t"),
        "E404", "only data can be bound to a scalar",
        Malformed(
            """
            for i in seq(0, n):
                t: f32
                t = f32(n - 1 - i)
                x[t] = 1.0
            """,
            "E200",
        ),
    ),
    # ---- passes
    Illegal(
        "insert_pass", "at_a_statement", "x: f32",
        "x = 1.0",
        lambda p: insert_pass(p, p.body()[0]),
        "E404", "a gap is wanted here",
        Misuse("no place between statements"),
    ),
    Illegal(
        "insert_pass", "at_a_place_that_is_gone", "x: f32[2]",
        """
        for i in seq(0, 0):
            x[i] = 1.0
        """,
        lambda p: insert_pass(eliminate_dead_code(p, "for i in _: _"), p.find("x[_] = _").before()),
        "E402", "eliminate_dead_code",
        Misuse("no loop any more"),
    ),
    Illegal(
        "insert_pass", "in_a_procedure_from_elsewhere", "x: f32",
        "x = 1.0",
        lambda p: insert_pass(proc_from_source("def g(y: f32):\n    y = 1.0\n"), p.body()[0].after()),
        "E403", "belongs to f",
        Misuse("another procedure"),
    ),
    Illegal(
        "delete_pass", "an_assignment", "x: f32",
        "x = 1.0",
        lambda p: delete_pass(p, "x = _"),
        "E404", "delete_pass",
        Wrong("pass"),
    ),
    Illegal(
        "delete_pass", "a_call", "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: delete_pass(p, "copy4(_)"),
        "E404", "delete_pass",
        Wrong("pass"),
        callees=(COPY4,),
    ),
    Illegal(
        "delete_pass", "a_loop_around_a_pass", "n: size, x: f32",
        """
        for i in seq(0, n):
            pass
        """,
        lambda p: delete_pass(p, "for i in _: _"),
        "E404", "delete_pass",
        Misuse("a loop is no pass"),
    ),
    Illegal(
        "delete_pass", "a_block_with_an_assignment", "x: f32",
        """
        pass
        x = 1.0
        """,
        lambda p: delete_pass(p, p.body()),
        "E404", "delete_pass",
        Wrong("pass"),
    ),
    # ---- inline
    Illegal(
        "inline", "an_assignment", "x: f32",
        "x = 1.0",
        lambda p: inline(p, "x = _"),
        "E404", "a call is wanted here",
        Misuse("no callee"),
    ),
    Illegal(
        "inline", "a_callee_that_is_not_called", "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: inline(p, "add4(_)"),
        "E401", "add4",
        Misuse("no such call"),
        callees=(COPY4, ADD4),
    ),
    Illegal(
        "inline", "twice", "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: inline(inline(p, "copy4(_)"), p.find("copy4(_)")),
        "E404", "a call is wanted here",
        Misuse("the call is gone"),
        callees=(COPY4,),
    ),
    # ---- replace
    Illegal(
        "replace", "a_reduction_for_a_write",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 4):
            x[i] += y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "E430", "the statements are of different kinds",
        Wrong("copy4(x[0:4], y[0:4])"),
        callees=(COPY4,),
    ),
    Illegal(
        "replace", "one_iteration_too_many",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 5):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "E430", "copy4 does not match the block",
        Wrong("copy4(x[0:4], y[0:4])"),
        callees=(COPY4,),
    ),
    Illegal(
        "replace", "a_stride_of_two",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = y[2 * i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "E430", "no window of y explains all accesses",
        Wrong("copy4(x[0:4], y[0:4])"),
        callees=(COPY4,),
    ),
    Illegal(
        "replace", "a_column_where_unit_stride_is_needed",
        "x: f32[4], y: f32[4, 4]",
        """
        for i in seq(0, 4):
            x[i] = y[i, 1]
        """,
        lambda p, c: replace(p, "for i in _: _", c.unit_copy4),
        "E410", "may break its assertion stride(src, 0) == 1",
        Wrong("unit_copy4(x[0:4], y[0:4, 1])"),
        callees=(UNIT_COPY4,),
    ),
    Illegal(
        "replace", "a_window_formal_where_unit_stride_is_needed",
        "x: [f32][4], y: f32[4]",
        """
        for i in seq(0, 4):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.unit_copy4),
        "E410", "may break its assertion stride(dst, 0) == 1",
        Wrong("unit_copy4(x[0:4], y[0:4])"),
        callees=(UNIT_COPY4,),
    ),
    Illegal(
        "replace", "more_lanes_than_the_instruction_has",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.masked),
        "E410", "may break its assertion m <= 4",
        Wrong("masked(n, x[0:n], y[0:n])"),
        callees=(MASKED,),
    ),
    Illegal(
        "replace", "a_size_that_may_be_zero",
        "n: size, x: f32[n], y: f32[n]",
        """
        assert n <= 4
        for i in seq(1, n):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.masked),
        "E410", "may be empty",
        Wrong("masked(n - 1, x[1:n], y[1:n])"),
        callees=(MASKED,),
    ),
    Illegal(
        "replace", "arguments_that_overlap",
        "x: f32[8]",
        """
        for i in seq(0, 4):
            x[i + 1] = x[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "E410", "may overlap",
        Malformed("copy4(x[1:5], x[0:4])", "E315"),
        callees=(COPY4,),
    ),
    Illegal(
        "replace", "arguments_that_coincide",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = x[i] + y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.add4),
        "E410", "may overlap",
        Malformed("add4(x[0:4], x[0:4], y[0:4])", "E315"),
        callees=(ADD4,),
    ),
    Illegal(
        "replace", "arguments_that_overlap_through_a_window",
        "x: f32[8]",
        """
        w = x[2:8]
        for i in seq(0, 4):
            w[i] = x[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "E410", "may overlap",
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
        "replace", "operands_in_the_other_order",
        "x: f32[8], y: f32[8], z: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = y[i] - z[i]
            x[i + 4] = z[i] - y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.two_subs),
        "E430", "two_subs does not match the block",
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
        "replace", "another_operator",
        "x: f32[8], y: f32[8], z: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = y[i] + z[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.sub4),
        "E430", "sub4 does not match the block",
        Wrong("sub4(x[0:4], y[0:4], z[0:4])"),
        callees=(SUB4,),
    ),
    Illegal(
        "replace", "lanes_in_reverse",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.shift4),
        "E430", "shift4 does not match the block",
        Wrong("shift4(x[0:4], y[0:4])"),
        callees=(SHIFT4,),
    ),
    Illegal(
        "replace", "a_constant_that_differs",
        "x: f32[4]",
        """
        for i in seq(0, 4):
            x[i] = 1.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.dense4),
        "E430", "dense4 does not match the block",
        Wrong("dense4(x)"),
        callees=(DENSE4,),
    ),
    Illegal(
        "replace", "a_part_of_a_buffer_for_a_dense_formal",
        "x: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.dense4),
        "E430", "is dense, but only a part of x would be passed",
        Malformed("dense4(x[0:4])", "E200"),
        callees=(DENSE4,),
    ),
    Illegal(
        "replace", "two_constants_for_one_formal",
        "x: f32[2]",
        """
        x[0] = 1.0
        x[1] = 2.0
        """,
        lambda p, c: replace(p, p.body(), c.splat),
        "E430", "two different constants",
        Wrong("splat(x[0:2], 1.0)"),
        callees=(SPLAT,),
    ),
    Illegal(
        "replace", "a_constant_for_a_formal_that_is_written",
        "x: f32[2], y: f32",
        """
        x[0] = 1.0
        y = 2.0
        """,
        lambda p, c: replace(p, p.body(), c.bump),
        "E430", "v would have to be a constant and a buffer",
        Malformed("bump(x[0:2], 1.0)", "E200"),
        callees=(BUMP,),
    ),
    Illegal(
        "replace", "one_formal_for_two_buffers",
        "x: f32[2], y: f32, z: f32",
        """
        x[0] = y
        x[1] = z
        """,
        lambda p, c: replace(p, p.body(), c.splat),
        "E430", "v would have to be both y and z",
        Wrong("splat(x[0:2], y)"),
        callees=(SPLAT,),
    ),
    Illegal(
        "replace", "a_saturating_sum_for_a_wrapping_one",
        "x: i32[4], y: i32[4], z: i32[4]",
        """
        for i in seq(0, 4):
            x[i] = y[i] + z[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.saturate),
        "E430", "saturate does not match the block",
        Wrong("saturate(x[0:4], y[0:4], z[0:4])"),
        callees=(SATURATE,),
    ),
    Illegal(
        "replace", "a_buffer_in_another_memory",
        "x: f32[4], y: f32[4]",
        """
        for i in seq(0, 4):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.load),
        "E430", "dst is in Registers, but",
        Misuse("the interpreter has one memory; the C text of a load is not that of a copy"),
        callees=(LOAD,),
        scope={"Registers": Registers},
    ),
    Illegal(
        "replace", "another_precision",
        "x: f64[4], y: f64[4]",
        """
        for i in seq(0, 4):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "E430", "one is f32, the other f64",
        Malformed("copy4(x[0:4], y[0:4])", "E200"),
        callees=(COPY4,),
    ),
    Illegal(
        "replace", "the_offset_would_depend_on_an_iterator_of_the_block",
        "n: size, x: f32[n + 4, n + 4]",
        """
        for i in seq(0, n):
            for k in seq(0, i):
                x[i, k] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.rows),
        "E430", "rows does not match the block",
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
        "replace", "a_guard_that_is_off_by_one",
        "n: size, x: f32[4]",
        """
        for i in seq(0, 4):
            if i <= n:
                x[i] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear_below),
        "E410", "clear_below",
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
        "replace", "two_statements_in_the_other_order",
        "x: f32[1], y: f32",
        """
        x[0] = 1.0
        y = x[0]
        """,
        lambda p, c: replace(p, p.body(), c.late),
        "E430", "late does not match the block",
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
        "replace", "a_parallel_loop_for_a_sequential_one",
        "x: f32[4], a: f32",
        """
        for i in seq(0, 4):
            a = x[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.last),
        "E430", "one loop is par, the other seq",
        Wrong("last(x[0:4], a)", permute=True),
        callees=(
            """
            def last(x: [f32][4], a: f32):
                for k in par(0, 4):
                    a = x[k]
            """,
        ),
    ),
    # ---- call_eqv
    Illegal(
        "call_eqv", "a_procedure_of_another_origin", "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: call_eqv(p, "copy4(_)", c.shift4),
        "E431", "call_eqv",
        Wrong("shift4(x[0:4], y[0:4])"),
        callees=(COPY4, SHIFT4),
    ),
    Illegal(
        "call_eqv", "a_procedure_of_the_same_text", "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: call_eqv(p, "copy4(_)", c.twin),
        "E431", "call_eqv",
        Misuse("nothing says that the two belong together"),
        callees=(COPY4, COPY4.replace("copy4", "twin")),
    ),
    Illegal(
        "call_eqv", "a_narrower_version_where_its_assertion_may_fail",
        "n: size, x: f32[n], y: f32[n]",
        "copy(n, x[0:n], y[0:n])",
        lambda p, c: call_eqv(p, "copy(_)", divide_loop(add_assertion(c.copy, "n % 4 == 0"), "k", 4, ["ko", "ki"], perfect=True)),
        "E410", "may break its assertion n % 4 == 0",
        Wrong("copy_by_four(n, x[0:n], y[0:n])"),
        callees=(
            """
            def copy(n: size, dst: [f32][n], src: [f32][n]):
                for k in seq(0, n):
                    dst[k] = src[k]
            """,
            """
            def copy_by_four(n: size, dst: [f32][n], src: [f32][n]):
                for ko in seq(0, n / 4):
                    for ki in seq(0, 4):
                        dst[4 * ko + ki] = src[4 * ko + ki]
            """,
        ),
    ),
    Illegal(
        "call_eqv", "upwards_along_a_refinement",
        "n: size, x: f32[n], y: f32[n]",
        "hoisted(n, x[0:n], y[0:n])",
        lambda p, c: _upwards(c),
        "E431", "call_eqv",
        Misuse("the original leaves poison where the version may give a value"),
        callees=(
            """
            def hoisted(n: size, dst: [f32][n], src: [f32][n]):
                for k in seq(0, n):
                    t: f32
                    if k == 0:
                        t = src[0]
                    dst[k] = t
            """,
        ),
    ),
    Illegal(
        "call_eqv", "a_version_without_one_argument",
        "n: size, x: f32[n]",
        "clear(n, x[0:n])",
        lambda p, c: call_eqv(p, "clear(_)", partial_eval(c.clear, n=4)),
        "E431", "2 arguments against 1",
        Malformed(
            "clear_four(n, x[0:n])",
            "E200",
        ),
        callees=(
            """
            def clear(n: size, dst: [f32][n]):
                for k in seq(0, n):
                    dst[k] = 0.0
            """,
            """
            def clear_four(dst: [f32][4]):
                for k in seq(0, 4):
                    dst[k] = 0.0
            """,
        ),
    ),
    Illegal(
        "call_eqv", "a_version_for_another_memory", "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: call_eqv(p, "copy4(_)", set_memory(c.copy4, "dst", Registers)),
        "E431", "call_eqv",
        Misuse("the interpreter has one memory"),
        callees=(COPY4,),
    ),
    Illegal(
        "call_eqv", "a_version_in_another_precision", "x: R[4], y: R[4]",
        "copy_real(x, y)",
        lambda p, c: call_eqv(p, "copy_real(_)", set_precision(set_precision(c.copy_real, "src", "f32"), "dst", "f32")),
        "E431", "call_eqv",
        Malformed("copy_single(x, y)", "E200"),
        callees=(
            """
            def copy_real(dst: R[4], src: R[4]):
                for k in seq(0, 4):
                    dst[k] = src[k]
            """,
            """
            def copy_single(dst: f32[4], src: f32[4]):
                for k in seq(0, 4):
                    dst[k] = src[k]
            """,
        ),
    ),
    Illegal(
        "call_eqv", "a_dense_version_for_windows", "x: f32[8], y: f32[8]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: call_eqv(p, "copy4(_)", set_window(set_window(c.copy4, "dst", False), "src", False)),
        "E431", "call_eqv",
        Malformed("dense_copy4(x[0:4], y[0:4])", "E200"),
        callees=(COPY4, COPY4.replace("copy4", "dense_copy4").replace("[f32]", "f32")),
    ),
    Illegal(
        "call_eqv", "a_number", "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: call_eqv(p, "copy4(_)", 3),
        "E404", "the procedure to call is wanted here",
        Misuse("nothing to call"),
        callees=(COPY4,),
    ),
    # ---- simplify, rename
    Illegal(
        "simplify", "not_a_procedure", "x: f32",
        "x = 1.0",
        lambda p: simplify(p.body()),
        "E404", "the first argument must be a procedure",
        Misuse("a block"),
    ),
    Illegal(
        "simplify", "the_ir_of_a_procedure", "x: f32",
        "x = 1.0",
        lambda p: simplify(p.ir),
        "E404", "the first argument must be a procedure",
        Misuse("what is not checked is not rewritten"),
    ),
    Illegal(
        "simplify", "the_text_of_a_procedure", "x: f32",
        "x = 1.0",
        lambda p: simplify(str(p)),
        "E404", "the first argument must be a procedure",
        Misuse("a text"),
    ),
    Illegal(
        "rename", "a_keyword", "x: f32", "x = 1.0",
        lambda p: rename(p, "for"),
        "E404", "must be an identifier",
        Misuse("no name"),
    ),
    Illegal(
        "rename", "a_name_that_starts_with_a_digit", "x: f32", "x = 1.0",
        lambda p: rename(p, "2d"),
        "E404", "must be an identifier",
        Misuse("no name"),
    ),
    Illegal(
        "rename", "code_in_a_name", "x: f32", "x = 1.0",
        lambda p: rename(p, "f(void) { } void g"),
        "E404", "must be an identifier",
        Misuse("no name"),
    ),
    # ---- partial_eval, add_assertion
    Illegal(
        "partial_eval", "a_size_of_zero", "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: partial_eval(p, n=0),
        "E404", "size n must be at least 1, got 0",
        Malformed("x[0] = 1.0", "E303", formals="x: f32[0]"),
    ),
    Illegal(
        "partial_eval", "against_an_assertion", "n: size, x: f32[n]",
        """
        assert n % 4 == 0
        x[0] = 1.0
        """,
        lambda p: partial_eval(p, n=6),
        "E410", "contradict",
        Malformed(
            """
            assert 6 % 4 == 0
            x[0] = 1.0
            """,
            "E301",
            formals="x: f32[6]",
        ),
    ),
    Illegal(
        "partial_eval", "against_an_assertion_with_a_negative_remainder", "k: index, x: f32",
        """
        assert k % 4 == 1
        x = 1.0
        """,
        # -3 % 4 is 1, and -1 % 4 is 3.
        lambda p: partial_eval(p, k=-1),
        "E410", "contradict",
        Malformed(
            """
            assert -1 % 4 == 1
            x = 1.0
            """,
            "E301",
            formals="x: f32",
        ),
    ),
    Illegal(
        "partial_eval", "an_unknown_formal", "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: partial_eval(p, m=4),
        "E404", "m is not a control formal of f",
        Misuse("no such formal"),
    ),
    Illegal(
        "partial_eval", "a_data_formal", "n: size, x: f32[n], a: f32",
        "x[0] = a",
        lambda p: partial_eval(p, a=4),
        "E404", "a is not a control formal of f",
        Misuse("data is not fixed"),
    ),
    Illegal(
        "partial_eval", "a_number_for_a_truth_value", "flag: bool, x: f32",
        """
        if flag:
            x = 1.0
        """,
        lambda p: partial_eval(p, flag=1),
        "E404", "flag is a bool",
        Misuse("1 is not a truth value"),
    ),
    Illegal(
        "partial_eval", "more_values_than_formals", "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: partial_eval(p, 4, 5),
        "E404", "2 values for 1 control formals",
        Misuse("no second formal"),
    ),
    Illegal(
        "add_assertion", "a_contradiction", "n: size, x: f32[n]",
        """
        assert n < 4
        x[0] = 1.0
        """,
        lambda p: add_assertion(p, "n > 5"),
        "E410", "contradict",
        Malformed(
            """
            assert n < 4
            assert n > 5
            x[0] = 1.0
            """,
            "E301",
        ),
    ),
    Illegal(
        "add_assertion", "a_size_below_one", "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: add_assertion(p, "n <= 0"),
        "E410", "contradict",
        Malformed(
            """
            assert n <= 0
            x[0] = 1.0
            """,
            "E301",
        ),
    ),
    Illegal(
        "add_assertion", "two_remainders", "n: size, x: f32[n]",
        """
        assert n % 4 == 2
        x[0] = 1.0
        """,
        lambda p: add_assertion(p, "n % 8 == 0"),
        "E410", "contradict",
        Malformed(
            """
            assert n % 4 == 2
            assert n % 8 == 0
            x[0] = 1.0
            """,
            "E301",
        ),
    ),
    Illegal(
        "add_assertion", "on_an_iterator", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: add_assertion(p, "i < 4"),
        "E200", "i",
        Malformed(
            """
            assert i < 4
            for i in seq(0, n):
                x[i] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "add_assertion", "on_data", "x: f32",
        "x = 1.0",
        lambda p: add_assertion(p, "x < 4.0"),
        "E200", "add_assertion",
        Malformed(
            """
            assert x < 4.0
            x = 1.0
            """,
            "E200",
        ),
    ),
]  # fmt: skip


def _upwards(c):
    """The version with the allocation hoisted is called, and the original is asked for."""
    version = lift_alloc(c.hoisted, "t")
    caller = proc_from_source("def g(n: size, x: f32[n], y: f32[n]):\n    version(n, x[0:n], y[0:n])\n", {"version": version})
    return call_eqv(caller, "hoisted(_)", c.hoisted)
