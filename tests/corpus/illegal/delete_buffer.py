"""Illegal steps of `delete_buffer`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed
from usl_core.scheduling import delete_buffer

CASES = [
    Illegal(
        "delete_buffer",
        "it_is_read",
        "x: f32",
        """
        t: f32
        t = 1.0
        x = t
        """,
        lambda p: delete_buffer(p, "t"),
        "E450",
        "t is used",
        Malformed("t = 1.0\nx = t", "E200"),
    ),
    Illegal(
        "delete_buffer",
        "it_is_written_only",
        "x: f32",
        """
        t: f32
        t = 1.0
        """,
        lambda p: delete_buffer(p, "t"),
        "E450",
        "t is used",
        Malformed("t = 1.0", "E200"),
    ),
    Illegal(
        "delete_buffer",
        "a_window_of_it_is_made",
        "x: f32",
        """
        t: f32[4]
        w = t[0:2]
        """,
        lambda p: delete_buffer(p, "t"),
        "E450",
        "t is used",
        Malformed("w = t[0:2]", "E200"),
    ),
    Illegal(
        "delete_buffer",
        "its_stride_is_read",
        "x: f32",
        """
        t: f32[4]
        if stride(t, 0) == 1:
            x = 1.0
        """,
        lambda p: delete_buffer(p, "t"),
        "E450",
        "t is used",
        Malformed(
            """
            if stride(t, 0) == 1:
                x = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "delete_buffer",
        "another_of_the_same_name_is_unused",
        "x: f32",
        """
        t: f32
        t = 1.0
        x = t
        if x < 2.0:
            t: f32
            pass
        """,
        lambda p: delete_buffer(p, p.find("t: _")),
        "E450",
        "t is used",
        Malformed("t = 1.0\nx = t", "E200"),
    ),
]
