"""Illegal steps of `add_loop`."""

from __future__ import annotations

from tests.corpus.callees import ACCUMULATE
from tests.corpus.case import Illegal, Malformed, Wrong
from usl_core.scheduling import add_loop

CASES = [
    Illegal(
        "add_loop",
        "a_reduction",
        "a: f32",
        "a += 1.0",
        lambda p: add_loop(p, "a += _", "i", 2),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        for i in seq(0, 2):
            a += 1.0
        """),
    ),
    Illegal(
        "add_loop",
        "an_update_in_place",
        "n: size, a: f32",
        "a = 2.0 * a",
        lambda p: add_loop(p, "a = _", "i", "n"),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        for i in seq(0, n):
            a = 2.0 * a
        """),
    ),
    Illegal(
        "add_loop",
        "it_may_not_run",
        "n: size, a: f32",
        "a = 1.0",
        lambda p: add_loop(p, "a = _", "i", "n - 1"),
        "E412",
        "cannot prove that n - 1 is at least 1",
        Wrong("""
        for i in seq(0, n - 1):
            a = 1.0
        """),
    ),
    Illegal(
        "add_loop",
        "guarded_and_empty",
        "a: f32",
        "a += 1.0",
        lambda p: add_loop(p, "a += _", "i", 0, guard=True),
        "E412",
        "cannot prove that 0 is at least 1",
        Wrong("""
        for i in seq(0, 0):
            if i == 0:
                a += 1.0
        """),
    ),
    Illegal(
        "add_loop",
        "guarded_over_half_a_size",
        "n: size, a: f32",
        "a += 1.0",
        lambda p: add_loop(p, "a += _", "i", "n / 2", guard=True),
        "E412",
        "cannot prove that n / 2 is at least 1",
        Wrong("""
        for i in seq(0, n / 2):
            if i == 0:
                a += 1.0
        """),
    ),
    Illegal(
        "add_loop",
        "an_allocation_leaves_its_scope",
        "x: f32",
        """
        t: f32
        t = x
        x = t + 1.0
        """,
        lambda p: add_loop(p, p.body()[0:2], "i", 2),
        "E416",
        "t is bound in the block and used after it",
        Malformed(
            """
            for i in seq(0, 2):
                t: f32
                t = x
            x = t + 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "add_loop",
        "a_read_of_what_a_later_statement_writes",
        "a: f32, x: f32",
        """
        x = a
        a = 2.0
        """,
        lambda p: add_loop(p, p.body(), "i", 2),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        for i in seq(0, 2):
            x = a
            a = 2.0
        """),
    ),
    Illegal(
        "add_loop",
        "a_place_that_moves_with_the_data",
        "k: i32[1], x: f32[4]",
        """
        x[idx(k[0], 0, 4)] = 2.0
        k[0] = 3
        """,
        lambda p: add_loop(p, p.body(), "i", 3),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        for i in seq(0, 3):
            x[idx(k[0], 0, 4)] = 2.0
            k[0] = 3
        """),
    ),
    Illegal(
        "add_loop",
        "a_call_that_reduces",
        "x: f32[2], v: f32",
        "accumulate(x[0:2], v)",
        lambda p, c: add_loop(p, "accumulate(_)", "i", 2),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        for i in seq(0, 2):
            accumulate(x[0:2], v)
        """),
        callees=(ACCUMULATE,),
    ),
    Illegal(
        "add_loop",
        "over_a_parallel_recurrence",
        "n: size, x: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i] = x[i + 1]
        """,
        lambda p: add_loop(p, "for i in _: _", "r", 2),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        for r in seq(0, 2):
            for i in seq(0, n):
                x[i] = x[i + 1]
        """),
    ),
    Illegal(
        "add_loop",
        "a_read_and_a_later_write_at_one_stride_of_a_local_buffer",
        "t: f32, u: f32",
        """
        for i in seq(0, 4):
            s: f32[2, 5 - i]
            if i > 0:
                copies(5 - i, s, t, u)
            if stride(s, 0) == 3:
                t = 1.0
        """,
        lambda p, c: add_loop(p, "for i in _: _", "r", 2),
        "E411",
        "may have an effect when it runs again",
        Wrong("""
        for r in seq(0, 2):
            for i in seq(0, 4):
                s: f32[2, 5 - i]
                if i > 0:
                    copies(5 - i, s, t, u)
                if stride(s, 0) == 3:
                    t = 1.0
        """),
        callees=(
            """
            def copies(m: size, s: f32[2, m], x: f32, y: f32):
                if stride(s, 0) == 3:
                    y = x
            """,
        ),
    ),
]
