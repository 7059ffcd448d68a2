"""Legal steps of `bind_expr`."""

from __future__ import annotations

from tests.corpus.callees import BROADCAST
from tests.corpus.case import Legal
from usl_core.scheduling import bind_expr

CASES = [
    Legal(
        "bind_expr",
        "two_equal_operands",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[i] * x[i]
        """,
        lambda p: bind_expr(p, p.find("x[_]", many=True), "t"),
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "bind_expr",
        "a_sum_in_two_statements",
        "x: u8, y: u8, z: u8[2]",
        """
        z[0] = x + y
        z[1] = (x + y) / 2
        """,
        lambda p: bind_expr(p, p.find("x + y", many=True), "t"),
        """
        t: u8
        t = x + y
        z[0] = t
        z[1] = t / 2
        """,
    ),
    Legal(
        "bind_expr",
        "a_cast",
        "x: u8, y: i32[2]",
        """
        y[0] = i32(x) + 1
        y[1] = i32(x) * 2
        """,
        lambda p: bind_expr(p, p.find("i32(x)", many=True), "t"),
    ),
    Legal(
        "bind_expr",
        "the_old_value_of_an_update",
        "x: f32",
        "x = x + x",
        lambda p: bind_expr(p, p.find("x", many=True), "t"),
    ),
    Legal(
        "bind_expr",
        "a_gather",
        "n: size, k: i32[n], x: f32[4], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[idx(k[i], 0, 4)] * 2.0
        """,
        lambda p: bind_expr(p, p.find("x[_]"), "t"),
        """
        for i in seq(0, n):
            t: f32
            t = x[idx(k[i], 0, 4)]
            y[i] = t * 2.0
        """,
    ),
    Legal(
        "bind_expr",
        "an_argument_that_is_only_read",
        "x: f32[8], v: f32[2]",
        "broadcast(x[2:6], v[1])",
        lambda p, c: bind_expr(p, p.body()[0].args()[1], "t"),
        """
        t: f32
        t = v[1]
        broadcast(x[2:6], t)
        """,
        callees=(BROADCAST,),
    ),
    Legal(
        "bind_expr",
        "across_a_loop_that_writes_something_else",
        "n: size, a: f32, x: f32[n], y: f32[n]",
        """
        y[0] = a
        for i in seq(0, n):
            x[i] = a + 1.0
        """,
        lambda p: bind_expr(p, p.find("a", many=True), "t"),
        """
        t: f32
        t = a
        y[0] = t
        for i in seq(0, n):
            x[i] = t + 1.0
        """,
    ),
    Legal(
        "bind_expr",
        "those_equal_to_the_first",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[i] * x[i + 1] + x[i]
        """,
        lambda p: bind_expr(p, p.find("x[_]", many=True), "t"),
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * x[i + 1] + t
        """,
    ),
    Legal(
        "bind_expr",
        "iterators_of_one_name_are_two",
        "n: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[i]
        for i in seq(0, n):
            z[i] = x[i]
        """,
        lambda p: bind_expr(p, p.find("x[_]", many=True), "t"),
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t
        for i in seq(0, n):
            z[i] = x[i]
        """,
    ),
    Legal(
        "bind_expr",
        "an_iterator_bound_below_the_place_is_another",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                y[i] += x[i]
            if n > 2:
                for j in seq(0, n):
                    y[i] += x[j]
        """,
        lambda p: bind_expr(p, [p.find("x[i]"), p.find("x[j]")], "t"),
        """
        for i in seq(0, n):
            for j in seq(0, 4):
                t: f32
                t = x[i]
                y[i] += t
            if n > 2:
                for j in seq(0, n):
                    y[i] += x[j]
        """,
    ),
]
