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
        "that_was_inserted",
        "x: f32",
        "x = 1.0",
        lambda p: delete_pass(insert_pass(p, p.body()[0].after()), "pass"),
        "x = 1.0",
    ),
]
