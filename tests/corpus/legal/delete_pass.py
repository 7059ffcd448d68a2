"""Legal steps of `delete_pass`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import delete_pass, insert_pass

CASES = [
    Legal("delete_pass", "beside_an_assignment", "x: f32", "pass\nx = 1.0", lambda p: delete_pass(p, "pass"), "x = 1.0"),
    Legal(
        "delete_pass",
        "in_a_loop",
        "n: size, x: f32[n]",
        "for i in seq(0, n):\n    x[i] = 1.0\n    pass",
        lambda p: delete_pass(p, "pass"),
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
    ),
    Legal(
        "delete_pass",
        "a_loop_of_nothing_else",
        "n: size, x: f32",
        "x = 1.0\nfor i in seq(min(8, n), 8):\n    if i < n:\n        pass\n    pass",
        lambda p: delete_pass(p, "for i in _: _"),
        "x = 1.0",
    ),
    Legal(
        "delete_pass",
        "both_branches_of_an_if",
        "n: size, x: f32[4]",
        "if x[0] < 1.0:\n    pass\nelse:\n    for i in par(0, n):\n        pass",
        lambda p: delete_pass(p, "if _: _"),
        "pass",
    ),
    Legal(
        "delete_pass",
        "that_was_inserted",
        "x: f32",
        "x = 1.0",
        lambda p: delete_pass(insert_pass(p, p.body()[0].after()), "pass"),
        "x = 1.0",
    ),
    Legal(
        "delete_pass",
        "all_that_does_nothing",
        "n: size, x: f32[n]",
        """
        pass
        for io in seq(0, (n + 7) / 8):
            for ii in seq(0, min(8, n - 8 * io)):
                x[8 * io + ii] = 1.0
                pass
            for ii in seq(min(8, n - 8 * io), 8):
                pass
                if n > 8:
                    pass
        if n > 4:
            pass
        else:
            x[0] = 2.0
        """,
        delete_pass,
        """
        for io in seq(0, (n + 7) / 8):
            for ii in seq(0, min(8, n - 8 * io)):
                x[8 * io + ii] = 1.0
        if n <= 4:
            x[0] = 2.0
        """,
    ),
    Legal(
        "delete_pass",
        "the_loop_around_it",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(i, n):
                pass
            x[i] = 1.0
        """,
        lambda p: delete_pass(p, "pass"),
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
    ),
    Legal(
        "delete_pass",
        "all_of_a_procedure_that_does_nothing",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            pass
        pass
        """,
        delete_pass,
        "pass",
    ),
]
