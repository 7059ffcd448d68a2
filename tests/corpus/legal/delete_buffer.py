"""Legal steps of `delete_buffer`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import delete_buffer

CASES = [
    Legal("delete_buffer", "a_scalar", "x: f32", "t: f32\nx = 1.0", lambda p: delete_buffer(p, "t"), "x = 1.0"),
    Legal("delete_buffer", "the_last_statement", "x: f32", "x = 1.0\nt: f32[4]", lambda p: delete_buffer(p, "t"), "x = 1.0"),
    Legal(
        "delete_buffer",
        "an_outer_one_that_is_shadowed",
        "x: f32",
        """
        t: f32
        if x < 2.0:
            t: f32
            t = x
            x = t
        """,
        lambda p: delete_buffer(p, p.find("t: _")),
        """
        if x < 2.0:
            t: f32
            t = x
            x = t
        """,
    ),
]
