"""Illegal steps of `extract_subproc`."""

from __future__ import annotations

from tests.corpus.callees import COPY4
from tests.corpus.case import Illegal, Malformed, Misuse
from usl_core.scheduling import extract_subproc

CASES = [
    Illegal(
        "extract_subproc",
        "an_allocation_that_is_used_after_it",
        "x: f32, y: f32",
        """
        t: f32
        t = x
        y = t
        """,
        lambda p: extract_subproc(p, p.body()[0:2], "part"),
        "E416",
        "t is bound in the block and used after it",
        Malformed("y = t", "E200"),
    ),
    Illegal(
        "extract_subproc",
        "two_windows_of_one_buffer_that_may_overlap",
        "x: f32[8], y: f32",
        """
        v = x[0:4]
        w = x[2:6]
        for i in seq(0, 4):
            v[i] = w[i]
        y = v[2]
        """,
        lambda p, c: extract_subproc(p, p.body()[2], "part"),
        "E410",
        "may overlap",
        Malformed(
            """
            v = x[0:4]
            w = x[2:6]
            copy4(v, w)
            y = v[2]
            """,
            "E315",
        ),
        callees=(COPY4,),
    ),
    Illegal(
        "extract_subproc",
        "a_name_that_is_none",
        "x: f32",
        "x = 1.0",
        lambda p: extract_subproc(p, p.body()[0], "part of it"),
        "E404",
        "must be an identifier",
        Misuse("no name"),
    ),
]
