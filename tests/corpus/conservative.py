"""Legal steps that are refused, each with the reason: what a user cannot do, and why."""

from __future__ import annotations

from tests.corpus.callees import CONFIGURED
from tests.corpus.case import Legal
from usl_core.scheduling import (
    divide_loop,
    parallelize_loop,
    reorder_loops,
    reuse_buffer,
    set_precision,
    shift_loop,
)

KNOWN_CONSERVATIVE: list[tuple[Legal, str]] = [
    (
        Legal(
            "reorder_loops",
            "a_temporary_outside_of_the_loops",
            "n: size, x: f32[n, n], y: f32[n]",
            """
            t: f32
            for i in seq(0, n):
                for j in seq(0, n):
                    t = x[i, j]
                    y[i] += t
            """,
            lambda p: reorder_loops(p, "i j"),
        ),
        "a value that each iteration writes before it reads it still orders the iterations: use sink_alloc first",
    ),
    (
        Legal(
            "parallelize_loop",
            "one_value_from_all_iterations",
            "n: size, x: f32[n], found: i32",
            """
            for i in seq(0, n):
                if x[i] < 0.0:
                    found = 1
            """,
            lambda p: parallelize_loop(p, "i"),
        ),
        "two writes of one place never commute, also where they write the same value",
    ),
    (
        Legal(
            "divide_loop",
            "shift_inwards_where_neighbours_are_overwritten",
            "n: size, x: f32[n], y: f32[n + 1]",
            """
            assert n >= 4
            for i in seq(0, n):
                y[i] = x[i]
                y[i + 1] = 0.0
            """,
            lambda p: divide_loop(p, "i", 4, ["io", "ii"], tail="shift_inwards"),
        ),
        "an iteration is not repeated after others that write what it writes, although the others are repeated as well",
    ),
    (
        Legal(
            "reuse_buffer",
            "element_by_element_in_a_call",
            "x: f32[4], y: f32[4]",
            """
            a: f32[4]
            copy4(a[0:4], x[0:4])
            b: f32[4]
            copy4(b[0:4], a[0:4])
            copy4(y[0:4], b[0:4])
            """,
            lambda p, c: reuse_buffer(p, "a", "b"),
            callees=("def copy4(dst: [f32][4], src: [f32][4]):\n    for k in seq(0, 4):\n        dst[k] = src[k]",),
        ),
        "the order of accesses inside of a callee is not looked at; and its arguments would overlap",
    ),
    (
        Legal(
            "set_precision",
            "an_integer_that_fits",
            "y: i32",
            """
            t: i32
            t = 7
            y = t
            """,
            lambda p: set_precision(p, "t", "i8"),
        ),
        "the ranges of integer data are not analysed, so integer types never change",
    ),
    (
        Legal(
            "shift_loop",
            "a_parallel_loop_from_a_field_on",
            "n: size, x: f32[n]",
            """
            for i in par(min(n, max(0, Reg.a)), n):
                x[i] = 1.0
            """,
            lambda p: shift_loop(p, "i", 0),
            scope=CONFIGURED,
        ),
        "of a field in an index it is not known that all iterations read the same there",
    ),
]
