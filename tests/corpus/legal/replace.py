"""Legal steps of `replace`."""

from __future__ import annotations

from typing import Any

from tests.corpus.callees import BROADCAST, COPY4, MASKED
from tests.corpus.case import Legal
from usl_core.ir.memory import Memory
from usl_core.procedure import Procedure
from usl_core.scheduling import divide_loop, replace, set_memory, stage_mem
from usl_stdlib import replace_all

CLEAR_BELOW = """
def clear_below(m: size, x: [f32][4]):
    assert m <= 4
    for k in seq(0, 4):
        if k < m:
            x[k] = 0.0
"""


SHIFTED = """
def shifted(n: size, lo: size, x: [f32][n + lo]):
    for k in seq(0, n):
        x[k + lo] = 0.0
"""


class Vector(Memory):
    """Registers of four lanes."""

    name = "Vector"


LOAD = """
def load(dst: [f32][4] @ Vector, src: [f32][4]):
    assert stride(src, 0) == 1
    for k in seq(0, 4):
        dst[k] = src[k]
"""


STORE = """
def store(dst: [f32][4], src: [f32][4] @ Vector):
    assert stride(dst, 0) == 1
    for k in seq(0, 4):
        dst[k] = src[k]
"""


FMA = """
def fma(dst: [f32][4] @ Vector, a: f32, b: [f32][4] @ Vector):
    for k in seq(0, 4):
        dst[k] += a * b[k]
"""


def _vectorised(p: Procedure, c: Any) -> Procedure:
    """saxpy on vectors of four: staged, put into registers, replaced by instructions."""
    p = divide_loop(p, "i", 4, ["io", "ii"], perfect=True)
    p = stage_mem(p, p.find_loop("ii"), "y[4 * io:4 * io + 4]", "vy")
    p = stage_mem(p, p.find_loop("ii"), "x[4 * io:4 * io + 4]", "vx")
    for name in ("vx", "vy"):
        p = set_memory(p, name, Vector)
    return replace_all(p, [c.load, c.store, c.fma])


_CLEAR = """
def clear(n: size, x: f32[n]):
    for k in seq(0, n):
        x[k] = 0.0
"""
_CLEAR2 = """
def clear2(n: size, m: size, x: f32[n, m]):
    for k in seq(0, n):
        for l in seq(0, m):
            x[k, l] = 0.0
"""

CASES = [
    Legal(
        "replace",
        "a_copy",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 4):
            x[i + 2] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "copy4(x[2:6], y[0:4])",
        callees=(COPY4,),
    ),
    Legal(
        "replace",
        "a_loop_that_starts_elsewhere",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(2, 6):
            x[i] = y[i - 2]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "copy4(x[2:6], y[0:4])",
        callees=(COPY4,),
    ),
    Legal(
        "replace",
        "a_column",
        "x: f32[4], y: f32[4, 8]",
        """
        for i in seq(0, 4):
            x[i] = y[i, 5]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "copy4(x[0:4], y[0:4, 5])",
        callees=(COPY4,),
    ),
    Legal(
        "replace",
        "a_masked_tail",
        "n: size, x: f32[n], y: f32[n]",
        """
        assert n % 4 > 0
        for i in seq(0, n % 4):
            x[i] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.masked),
        "masked(n % 4, x[0:n % 4], y[0:n % 4])",
        callees=(MASKED,),
    ),
    Legal(
        "replace",
        "a_guard",
        "n: size, x: f32[8]",
        """
        assert n <= 4
        for i in seq(0, 4):
            if i < n:
                x[i + 1] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear_below),
        "clear_below(n, x[1:5])",
        callees=(CLEAR_BELOW,),
    ),
    Legal(
        "replace",
        "a_number_for_a_scalar",
        "x: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = 0.25
        """,
        lambda p, c: replace(p, "for i in _: _", c.broadcast),
        "broadcast(x[0:4], 0.25)",
        callees=(BROADCAST,),
    ),
    Legal(
        "replace",
        "an_offset_that_the_indices_determine",
        "x: f32[10]",
        """
        for i in seq(0, 4):
            x[i + 3] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear_at_three),
        "clear_at_three(4, x[0:7])",
        callees=(
            SHIFTED.replace("shifted(n: size, lo: size, x: [f32][n + lo])", "clear_at_three(n: size, x: [f32][n + 3])").replace(
                "k + lo", "k + 3"
            ),
        ),
    ),
    Legal(
        "replace",
        "a_kernel_on_vectors",
        "n: size, a: f32, x: f32[n], y: f32[n]",
        """
        assert n % 4 == 0
        for i in seq(0, n):
            y[i] += a * x[i]
        """,
        _vectorised,
        callees=(LOAD, STORE, FMA),
        scope={"Vector": Vector},
    ),
    Legal(
        "replace",
        "a_row_for_a_dense_formal",
        "n: size, m: size, x: f32[n + 1, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i + 1, j] = 0.0
        """,
        lambda p, c: replace(p, "for j in _: _", c.clear),
        "for i in seq(0, n):\n    clear(m, x[i + 1, 0:m])",
        callees=(_CLEAR,),
    ),
    Legal(
        "replace",
        "a_window_of_unit_stride_for_a_dense_formal",
        "n: size, x: [f32][n]",
        """
        assert stride(x, 0) == 1
        for i in seq(0, n):
            x[i] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear),
        "clear(n, x)",
        callees=(_CLEAR,),
    ),
    Legal(
        "replace",
        "rows_for_a_dense_formal",
        "n: size, m: size, x: f32[3, n + 2, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[1, i + 1, j] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear2),
        "clear2(n, m, x[1, 1:n + 1, 0:m])",
        callees=(_CLEAR2,),
    ),
]
