"""Legal steps of `rename`."""

from __future__ import annotations

from tests.corpus.callees import COPY4
from tests.corpus.case import Legal
from usl_core.scheduling import rename

CASES = [
    Legal("rename", "a_procedure", "x: f32", "x = 1.0", lambda p: rename(p, "g"), "x = 1.0"),
    Legal("rename", "twice", "x: f32", "x = 1.0", lambda p: rename(rename(p, "g"), "h"), "x = 1.0"),
    Legal(
        "rename",
        "one_that_calls_another",
        "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: rename(p, "copy4"),
        callees=(COPY4,),
    ),
]
