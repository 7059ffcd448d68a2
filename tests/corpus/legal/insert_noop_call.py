"""Legal steps of `insert_noop_call`."""

from __future__ import annotations

from tests.corpus.callees import CONFIGURED, NEEDS_A, SET_A
from tests.corpus.case import Legal
from usl_core.scheduling import insert_noop_call

PREFETCH = """
def prefetch(src: [f32][4]):
    assert stride(src, 0) == 1
    pass
"""


BARRIER = """
def barrier():
    pass
"""


CASES = [
    Legal(
        "insert_noop_call",
        "a_prefetch",
        "n: size, x: f32[n + 4], y: f32[n]",
        "for i in seq(0, n):\n    y[i] = x[i]",
        lambda p, c: insert_noop_call(p, p.find("y[_] = _").before(), c.prefetch, ["x[i:i + 4]"]),
        """
        for i in seq(0, n):
            prefetch(x[i:i + 4])
            y[i] = x[i]
        """,
        callees=(PREFETCH,),
    ),
    Legal(
        "insert_noop_call",
        "a_barrier",
        "x: f32",
        "x = 1.0",
        lambda p, c: insert_noop_call(p, p.body()[0].after(), c.barrier, []),
        """
        x = 1.0
        barrier()
        """,
        callees=(BARRIER,),
    ),
    Legal(
        "insert_noop_call",
        "guarded",
        "n: size, x: f32[n]",
        "if n > 5:\n    x[5] = 1.0",
        lambda p, c: insert_noop_call(p, p.find("x[_] = _").before(), c.prefetch, ["x[2:6]"]),
        """
        if n > 5:
            prefetch(x[2:6])
            x[5] = 1.0
        """,
        callees=(PREFETCH,),
    ),
    Legal(
        "insert_noop_call",
        "a_setting_that_another_follows",
        "n: size, x: f32[n]",
        "for i in seq(0, n):\n    set_a(n)\n    needs_a(n, x[i:i + 1])",
        lambda p, c: insert_noop_call(p, p.find_loop("i").before(), c.set_a, ["n"]),
        """
        set_a(n)
        for i in seq(0, n):
            set_a(n)
            needs_a(n, x[i:i + 1])
        """,
        callees=(SET_A, NEEDS_A),
        scope=CONFIGURED,
    ),
]
