"""Illegal steps of `insert_noop_call`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Stopped, Wrong
from usl_core.scheduling import insert_noop_call

SET = """
def set_first(dst: [f32][4]):
    dst[0] = 1.0
"""


STOP = """
def stop(n: size):
    check(n > 2)
"""


NOTHING = """
def nothing(src: [f32][4]):
    assert stride(src, 0) == 1
    pass
"""


CASES = [
    Illegal(
        "insert_noop_call",
        "a_callee_that_writes",
        "x: f32[8]",
        "x[1] = 2.0",
        lambda p, c: insert_noop_call(p, p.body()[0].before(), c.set_first, ["x[0:4]"]),
        "E432",
        "is not a no-op",
        Wrong("""
        set_first(x[0:4])
        x[1] = 2.0
        """),
        callees=(SET,),
    ),
    Illegal(
        "insert_noop_call",
        "a_callee_that_may_stop",
        "n: size, x: f32[8]",
        "x[1] = 2.0",
        lambda p, c: insert_noop_call(p, p.body()[0].before(), c.stop, ["n"]),
        "E432",
        "is not a no-op",
        Stopped("""
        stop(n)
        x[1] = 2.0
        """),
        callees=(STOP,),
    ),
    Illegal(
        "insert_noop_call",
        "a_stride_that_the_callee_forbids",
        "x: f32[4, 8]",
        "x[1, 1] = 2.0",
        lambda p, c: insert_noop_call(p, p.body()[0].before(), c.nothing, ["x[0:4, 2]"]),
        "E410",
        "may break its assertion stride(src, 0) == 1",
        Wrong("""
        nothing(x[0:4, 2])
        x[1, 1] = 2.0
        """),
        callees=(NOTHING,),
    ),
    Illegal(
        "insert_noop_call",
        "a_window_out_of_bounds",
        "n: size, x: f32[n]",
        "x[0] = 2.0",
        lambda p, c: insert_noop_call(p, p.body()[0].before(), c.nothing, ["x[0:4]"]),
        "E410",
        "may be out of bounds",
        Wrong("""
        nothing(x[0:4])
        x[0] = 2.0
        """),
        callees=(NOTHING,),
    ),
]
