"""Illegal steps of `delete_pass`."""

from __future__ import annotations

from tests.corpus.callees import COPY4
from tests.corpus.case import Illegal, Misuse, Wrong
from usl_core.scheduling import delete_pass

CASES = [
    Illegal(
        "delete_pass",
        "an_assignment",
        "x: f32",
        "x = 1.0",
        lambda p: delete_pass(p, "x = _"),
        "E404",
        "delete_pass",
        Wrong("pass"),
    ),
    Illegal(
        "delete_pass",
        "a_call",
        "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: delete_pass(p, "copy4(_)"),
        "E404",
        "delete_pass",
        Wrong("pass"),
        callees=(COPY4,),
    ),
    Illegal(
        "delete_pass",
        "a_loop_around_an_assignment",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            pass
            x[i] = 1.0
        """,
        lambda p: delete_pass(p, "for i in _: _"),
        "E404",
        "delete_pass",
        Wrong("pass"),
    ),
    Illegal(
        "delete_pass",
        "an_assignment_in_an_else",
        "n: size, x: f32",
        """
        if n < 4:
            pass
        else:
            for i in seq(0, n):
                x = 1.0
        """,
        lambda p: delete_pass(p, "if _: _"),
        "E404",
        "delete_pass",
        Wrong("pass"),
    ),
    Illegal(
        "delete_pass",
        "a_block_with_an_assignment",
        "x: f32",
        """
        pass
        x = 1.0
        """,
        lambda p: delete_pass(p, p.body()),
        "E404",
        "delete_pass",
        Wrong("pass"),
    ),
    Illegal(
        "delete_pass",
        "under_a_condition_on_data",
        "x: f32",
        """
        t: f32
        if t < 1.0:
            pass
        x = 2.0
        """,
        lambda p: delete_pass(p, "pass"),
        "E404",
        "alone in its block",
        Misuse("the program stops at the condition, whose data is poison"),
    ),
]
