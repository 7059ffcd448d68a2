"""Illegal steps of `specialize`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.scheduling import specialize

CASES = [
    Illegal(
        "specialize",
        "an_allocation_leaves_its_scope",
        "n: size, x: f32",
        """
        t: f32
        t = x
        x = t + 1.0
        """,
        lambda p: specialize(p, p.body()[0:2], "n < 3"),
        "E416",
        "t is bound in the block and used after it",
        Malformed(
            """
            if n < 3:
                t: f32
                t = x
            else:
                t: f32
                t = x
            x = t + 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "specialize",
        "a_window_leaves_its_scope",
        "n: size, x: f32[n + 2]",
        """
        w = x[0:2]
        w[0] = 1.0
        """,
        lambda p: specialize(p, p.body()[0], "n < 3"),
        "E416",
        "w is bound in the block and used after it",
        Malformed(
            """
            if n < 3:
                w = x[0:2]
            else:
                w = x[0:2]
            w[0] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "specialize",
        "data_that_may_be_poison",
        "x: f32, y: f32",
        "y = 1.0",
        lambda p: specialize(p, "y = _", "x < 0.0"),
        "E200",
        "specialize",
        Wrong("""
        if x < 0.0:
            y = 1.0
        else:
            y = 1.0
        """),
    ),
    Illegal(
        "specialize",
        "an_iterator_of_another_loop",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        x[0] = 2.0
        """,
        lambda p: specialize(p, "x[0] = _", "i < 3"),
        "E200",
        "i",
        Malformed(
            """
            for i in seq(0, n):
                x[i] = 1.0
            if i < 3:
                x[0] = 2.0
            else:
                x[0] = 2.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "specialize",
        "a_condition_from_an_inner_scope",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            if i < 3:
                x[i] = 1.0
        """,
        lambda p: specialize(p, "for i in _: _", p.find("if _: _").cond()),
        "E416",
        "uses i, which is not in scope there",
        Malformed(
            """
            if i < 3:
                for i in seq(0, n):
                    x[i] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "specialize",
        "no_condition",
        "x: f32",
        "x = 1.0",
        lambda p: specialize(p, "x = _", []),
        "E404",
        "at least one condition is wanted",
        Misuse("no case"),
    ),
]
