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
]
