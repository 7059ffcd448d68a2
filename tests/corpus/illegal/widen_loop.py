"""Illegal steps of `widen_loop`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Wrong
from usl_core.scheduling import widen_loop

CASES = [
    Illegal(
        "widen_loop",
        "what_the_caller_sees",
        "n: size, x: f32[n + 2]",
        "for i in seq(0, n):\n    x[i] = 1.0",
        lambda p: widen_loop(p, "i", "n + 1"),
        "E419",
        "iterations beyond the end would write x",
        Wrong("for i in seq(0, n + 1):\n    x[i] = 1.0"),
    ),
    Illegal(
        "widen_loop",
        "over_a_value_that_is_read",
        "n: size, x: f32[n], y: f32",
        """
        t: f32[n + 1]
        t[n] = 5.0
        for i in seq(0, n):
            t[i] = x[0]
        y = t[n]
        """,
        lambda p: widen_loop(p, "i", "n + 1"),
        "E411",
        "beyond the end may write what is read",
        Wrong("""
        t: f32[n + 1]
        t[n] = 5.0
        for i in seq(0, n + 1):
            t[i] = x[0]
        y = t[n]
        """),
    ),
    Illegal(
        "widen_loop",
        "out_of_the_buffer",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[0]
        for i in seq(0, n):
            y[i] = t[i]
        """,
        lambda p: widen_loop(p, "i", "n + 1"),
        "E410",
        "may be out of bounds",
        Malformed(
            """
            t: f32[n]
            for i in seq(0, n + 1):
                t[i] = x[0]
            for i in seq(0, n):
                y[i] = t[i]
            """,
            "E305",
        ),
    ),
    Illegal(
        "widen_loop",
        "to_an_earlier_end",
        "n: size, x: f32[n + 2], y: f32[n + 2]",
        """
        t: f32[n + 2]
        for i in seq(0, n + 2):
            t[i] = x[i]
        for i in seq(0, n + 2):
            y[i] = t[i]
        """,
        lambda p: widen_loop(p, "i", "n"),
        "E412",
        "cannot prove n + 2 <= n",
        Wrong("""
        t: f32[n + 2]
        for i in seq(0, n):
            t[i] = x[i]
        for i in seq(0, n + 2):
            y[i] = t[i]
        """),
    ),
    Illegal(
        "widen_loop",
        "over_a_place_that_later_code_fills_for_the_next_round",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n + 1]
        for r in seq(0, n):
            for i in seq(0, n):
                t[i] = x[r]
            if r > 0:
                y[r] = t[n]
            if r == 0:
                t[n] = 5.0
        """,
        lambda p: widen_loop(p, "i", "n + 1"),
        "E411",
        "beyond the end may write what is read",
        Wrong("""
        t: f32[n + 1]
        for r in seq(0, n):
            for i in seq(0, n + 1):
                t[i] = x[r]
            if r > 0:
                y[r] = t[n]
            if r == 0:
                t[n] = 5.0
        """),
    ),
]
