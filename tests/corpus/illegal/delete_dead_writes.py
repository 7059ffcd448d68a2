"""Illegal steps of `delete_dead_writes`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse, Stopped, Wrong
from usl_core.scheduling import delete_dead_writes

CASES = [
    Illegal(
        "delete_dead_writes",
        "the_caller_sees_it",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: delete_dead_writes(p, "i"),
        "E419",
        "the caller sees",
        Wrong("pass"),
    ),
    Illegal(
        "delete_dead_writes",
        "read_in_the_next_iteration",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        t = 0.0
        for i in seq(0, n):
            y[i] = t
            t = x[i]
        """,
        lambda p: delete_dead_writes(p, "t = _ #1"),
        "E411",
        "may be read later",
        Wrong("""
        t: f32
        t = 0.0
        for i in seq(0, n):
            y[i] = t
        """),
    ),
    Illegal(
        "delete_dead_writes",
        "the_last_element_is_read",
        "n: size, x: f32[n], y: f32",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i]
        for i in seq(0, n - 1):
            t[i] = 0.0
        y = t[n - 1]
        """,
        lambda p: delete_dead_writes(p, "i"),
        "E411",
        "may be read later",
        Wrong("""
        t: f32[n]
        for i in seq(0, n - 1):
            t[i] = 0.0
        y = t[n - 1]
        """),
    ),
    Illegal(
        "delete_dead_writes",
        "added_to_later",
        "n: size, x: f32[n], y: f32",
        """
        t: f32
        t = 0.0
        for i in seq(0, n):
            t += x[i]
        y = t
        """,
        lambda p: delete_dead_writes(p, "t = _"),
        "E411",
        "may be read later",
        Wrong("""
        t: f32
        for i in seq(0, n):
            t += x[i]
        y = t
        """),
    ),
    Illegal(
        "delete_dead_writes",
        "overwritten_under_a_condition_on_data",
        "c: f32, y: f32",
        """
        t: f32
        t = 1.0
        if c < 0.0:
            t = 2.0
        y = t
        """,
        lambda p: delete_dead_writes(p, "t = _"),
        "E411",
        "may be read later",
        Wrong("""
        t: f32
        if c < 0.0:
            t = 2.0
        y = t
        """),
    ),
    Illegal(
        "delete_dead_writes",
        "read_through_a_window",
        "x: f32[4], y: f32",
        """
        t: f32[4]
        w = t[2:4]
        for i in seq(0, 4):
            t[i] = x[i]
        y = w[1]
        """,
        lambda p: delete_dead_writes(p, "i"),
        "E411",
        "may be read later",
        Wrong("""
        t: f32[4]
        w = t[2:4]
        y = w[1]
        """),
    ),
    Illegal(
        "delete_dead_writes",
        "a_check",
        "n: size, x: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            check(i < 3)
            t = 1.0
        x[0] = 2.0
        """,
        lambda p: delete_dead_writes(p, "i"),
        "E419",
        "has a `check`",
        Stopped("t: f32\nx[0] = 2.0"),
    ),
    Illegal(
        "delete_dead_writes",
        "a_window_that_is_used_after_it",
        "x: f32[4], y: f32",
        """
        t: f32[4]
        for i in seq(0, 4):
            t[i] = x[i]
        w = t[0:2]
        w[0] = 1.0
        y = w[1]
        """,
        lambda p: delete_dead_writes(p, p.body()[2:4]),
        "E416",
        "w is bound in the block and used after it",
        Malformed(
            """
            t: f32[4]
            for i in seq(0, 4):
                t[i] = x[i]
            y = w[1]
            """,
            "E200",
        ),
    ),
    Illegal(
        "delete_dead_writes",
        "code_that_writes_nothing",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            pass
        x[0] = 1.0
        """,
        lambda p: delete_dead_writes(p, "for i in _: _"),
        "E451",
        "the code writes nothing",
        Misuse("there is no write to delete"),
    ),
]
