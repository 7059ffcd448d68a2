"""Illegal steps of `inline`."""

from __future__ import annotations

from tests.corpus.callees import ADD4, COPY4
from tests.corpus.case import Illegal, Misuse
from usl_core.scheduling import inline

CASES = [
    Illegal(
        "inline",
        "an_assignment",
        "x: f32",
        "x = 1.0",
        lambda p: inline(p, "x = _"),
        "E404",
        "a call is wanted here",
        Misuse("no callee"),
    ),
    Illegal(
        "inline",
        "a_callee_that_is_not_called",
        "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: inline(p, "add4(_)"),
        "E401",
        "add4",
        Misuse("no such call"),
        callees=(COPY4, ADD4),
    ),
    Illegal(
        "inline",
        "twice",
        "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: inline(inline(p, "copy4(_)"), p.find("copy4(_)")),
        "E404",
        "a call is wanted here",
        Misuse("the call is gone"),
        callees=(COPY4,),
    ),
]
