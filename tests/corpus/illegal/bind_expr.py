"""Illegal steps of `bind_expr`."""

from __future__ import annotations

from tests.corpus.callees import BUMP, COPY4
from tests.corpus.case import Illegal, Malformed, Wrong
from usl_core.scheduling import bind_expr

CASES = [
    Illegal(
        "bind_expr",
        "the_value_changes_between_two_uses",
        "x: f32, y: f32, z: f32",
        """
        y = x + 1.0
        x = 2.0
        z = x + 1.0
        """,
        lambda p: bind_expr(p, p.find("x + _", many=True), "t"),
        "E411",
        "may be modified before its last use",
        Wrong("""
        t: f32
        t = x + 1.0
        y = t
        x = 2.0
        z = t
        """),
    ),
    Illegal(
        "bind_expr",
        "the_value_changes_in_a_loop_before_the_second_use",
        "n: size, x: f32[n], y: f32, z: f32",
        """
        y = x[0]
        for i in seq(0, n):
            x[i] = 2.0
        z = x[0]
        """,
        lambda p: bind_expr(p, p.find("x[0]", many=True), "t"),
        "E411",
        "may be modified before its last use",
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
        "bind_expr",
        "a_later_iteration_reads_what_an_earlier_one_wrote",
        "n: size, a: f32, x: f32[n], y: f32[n]",
        """
        y[0] = a
        for i in seq(0, n):
            y[i] = a
            a = x[i]
        """,
        lambda p: bind_expr(p, [p.body()[0].rhs(), p.body()[1].body()[0].rhs()], "t"),
        "E411",
        "may be modified before its last use",
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
        "bind_expr",
        "the_value_changes_through_a_window",
        "x: f32[8], y: f32, z: f32",
        """
        w = x[2:6]
        y = x[3]
        w[1] = 7.0
        z = x[3]
        """,
        lambda p: bind_expr(p, p.find("x[3]", many=True), "t"),
        "E411",
        "may be modified before its last use",
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
        "bind_expr",
        "the_value_changes_in_a_call",
        "x: f32[8], s: f32[8], y: f32, z: f32",
        """
        y = x[3]
        copy4(x[0:4], s[0:4])
        z = x[3]
        """,
        lambda p, c: bind_expr(p, p.find("x[3]", many=True), "t"),
        "E411",
        "may be modified before its last use",
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
        "bind_expr",
        "out_of_bounds_above_the_guards",
        "n: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        for i in seq(0, n):
            if i + 1 < n:
                y[i] = x[i + 1]
            if i + 1 < n:
                z[i] = x[i + 1]
        """,
        lambda p: bind_expr(p, p.find("x[_]", many=True), "t"),
        "E410",
        "may be out of bounds",
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
        "bind_expr",
        "an_argument_that_the_callee_writes",
        "x: f32[2], v: f32",
        "bump(x[0:2], v)",
        lambda p, c: bind_expr(p, p.body()[0].args()[1], "t"),
        "E454",
        "bump writes its argument v",
        Wrong("""
        t: f32
        t = v
        bump(x[0:2], t)
        """),
        callees=(BUMP,),
    ),
    Illegal(
        "bind_expr",
        "an_index_made_of_data_that_may_be_poison",
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
        "E418",
        "would be computed where it may not have been",
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
        "bind_expr",
        "a_control_expression",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[n - 1 - i] = 1.0
        """,
        lambda p: bind_expr(p, p.find("x[_] = _").idx()[0], "t"),
        "E404",
        "only data can be bound to a scalar",
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
    Illegal(
        "bind_expr",
        "an_index_made_of_data_behind_and",
        "n: size, k: i32, x: f32[4], y: f32",
        """
        y = 1.0
        if n > 2 and x[idx(k, 0, 4)] < 1.0:
            y = 2.0
        """,
        lambda p: bind_expr(p, "x[_]", "t"),
        "E418",
        "would be computed where it may not have been",
        Wrong("""
        y = 1.0
        t: f32
        t = x[idx(k, 0, 4)]
        if n > 2 and t < 1.0:
            y = 2.0
        """),
    ),
    Illegal(
        "bind_expr",
        "an_index_made_of_data_in_a_loop_that_may_not_run",
        "n: size, m: index, k: i32, x: f32[4], y: f32[n], z: f32",
        """
        assert 0 <= m and m <= n
        z = 1.0
        for i in seq(0, m):
            y[i] = x[idx(k, 0, 4)]
        if m > 2:
            z = x[idx(k, 0, 4)]
        """,
        lambda p: bind_expr(p, p.find("x[_]", many=True), "t"),
        "E418",
        "would be computed where it may not have been",
        Wrong("""
        z = 1.0
        t: f32
        t = x[idx(k, 0, 4)]
        for i in seq(0, m):
            y[i] = t
        if m > 2:
            z = t
        """),
    ),
]
