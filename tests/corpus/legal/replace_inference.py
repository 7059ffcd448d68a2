"""Legal steps of `replace` whose arguments the statements alone do not show, or whose block stands in another form."""

from __future__ import annotations

from tests.corpus.callees import CONFIGURED
from tests.corpus.case import Legal, Step
from usl_core.procedure import Procedure
from usl_core.scheduling import replace

HISTOGRAM = """
def histogram(n: size, k: [u8][n], h: [i32][8]):
    for i in seq(0, n):
        h[idx(k[i], 0, 8)] += 1
"""
GATHER = """
def gather(n: size, m: size, k: [u8][n], table: [i32][m], dst: [i32][n]):
    for i in seq(0, n):
        dst[i] = table[idx(k[i], 0, m)]
"""
AXPY4 = """
def axpy4(dst: [f32][4], a: f32, src: [f32][4]):
    for k in seq(0, 4):
        dst[k] += a * src[k]
"""
CLEAR2 = """
def clear2(dst: [f32][2]):
    for k in seq(0, 2):
        dst[k] = 0.0
"""
FIRST = """
def first(n: size, dst: f32[n]):
    dst[0] = 0.0
"""
RANGE = """
def clear_range(lo: index, hi: index, n: size, dst: f32[n]):
    assert 0 <= lo and lo <= hi and hi <= n
    for i in seq(lo, hi):
        dst[i] = 0.0
"""
UNUSED = """
def clear4(u: size, k: index, b: bool, t: f32, w: [f32][2], dst: [f32][4]):
    for i in seq(0, 4):
        dst[i] = 0.0
"""
FILL = """
def fill(n: size, dst: [f32][n]):
    for k in seq(0, n):
        dst[k] = 1.0
"""
PASSES_ON = """
def rows(n: size, dst: [f32][n, 4]):
    for i in seq(0, n):
        w = dst[i, 0:4]
        fill(4, w)
        fill(2, dst[i, 1:3])
"""
PASSES_WHOLE = """
def whole(n: size, dst: [f32][n]):
    fill(n, dst)
    dst[0] = 0.0
"""
SCALE = """
def scale4(dst: [f32][4], src: [f32][4]):
    for i in seq(0, 4):
        dst[i] = Reg.scale * src[i]
"""
LENGTH = """
def clear_up_to(n: size, dst: [f32][8]):
    assert Reg.len == n and n <= 8
    for i in seq(0, Reg.len):
        dst[i] = 0.0
"""


def _first_loop(name: str) -> Step:
    return lambda p, c: replace(p, "for i in _: _", getattr(c, name))


def _steps(p: Procedure, name: object, wanted: list[str]) -> Procedure:
    """The result of replacing the loop, made in these steps."""
    q = replace(p, "for i in _: _", name)  # type: ignore[arg-type]
    assert [step.operator for step in q.history()][1:] == wanted
    return q


CASES = [
    Legal(
        "replace",
        "a_histogram",
        "n: size, k: u8[n + 1], h: i32[2, 8]",
        """
        for i in seq(0, n):
            h[1, idx(k[i + 1], 0, 8)] += 1
        """,
        _first_loop("histogram"),
        "histogram(n, k[1:n + 1], h[1, 0:8])",
        callees=(HISTOGRAM,),
    ),
    Legal(
        "replace",
        "a_gather_whose_range_is_a_size",
        "n: size, k: u8[n], t: i32[16], y: i32[n]",
        """
        for i in seq(0, n):
            y[i] = t[idx(k[i], 0, 16)]
        """,
        _first_loop("gather"),
        "gather(n, 16, k[0:n], t[0:16], y[0:n])",
        callees=(GATHER,),
    ),
    Legal(
        "replace",
        "a_gather_from_the_second_half_of_a_table",
        "n: size, k: u8[n], t: i32[2, 32], y: i32[n]",
        """
        for i in seq(0, n):
            y[i] = t[1, idx(k[i], 0, 16) + 16]
        """,
        _first_loop("gather"),
        "gather(n, 16, k[0:n], t[1, 16:32], y[0:n])",
        callees=(GATHER,),
    ),
    Legal(
        "replace",
        "operands_in_the_other_order",
        "x: f32[8], y: f32[8], s: f32",
        """
        for i in seq(0, 4):
            x[i] += y[i + 2] * s
        """,
        lambda p, c: _steps(p, c.axpy4, ["commute_expr", "replace"]),
        "axpy4(x[0:4], s, y[2:6])",
        callees=(AXPY4,),
    ),
    Legal(
        "replace",
        "a_sum_into_its_own_target",
        "x: f32[8], y: f32[8], s: f32[4]",
        """
        for j in seq(0, 4):
            for i in seq(0, 4):
                x[i] = y[i + 2] * s[j] + x[i]
        """,
        lambda p, c: _steps(p, c.axpy4, ["fold_into_reduce", "commute_expr", "replace"]),
        """
        for j in seq(0, 4):
            axpy4(x[0:4], s[j], y[2:6])
        """,
        callees=(AXPY4,),
    ),
    Legal(
        "replace",
        "a_callee_that_adds_to_its_target_by_an_assignment",
        "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 4):
            x[i] += y[i + 2] * 2.0
        """,
        lambda p, c: _steps(p, c.add4, ["commute_expr", "replace", "call_eqv"]),
        "add4(x[0:4], 2.0, y[2:6])",
        callees=(AXPY4.replace("axpy4", "add4").replace("dst[k] += ", "dst[k] = dst[k] + "),),
    ),
    Legal(
        "replace",
        "a_size_that_a_branch_fixes",
        "m: size, x: f32[m]",
        """
        if m == 2:
            for i in seq(0, m):
                x[i] = 0.0
        """,
        _first_loop("clear2"),
        """
        if m == 2:
            clear2(x[0:2])
        """,
        callees=(CLEAR2,),
        factor=2,
    ),
    Legal(
        "replace",
        "a_size_that_bounds_of_a_quotient_fix",
        "n: size, x: f32[2 * n]",
        """
        assert (n + 1) / 2 == 1 and n >= 2
        for i in seq(n, n + n):
            x[i] = 0.0
        """,
        _first_loop("clear2"),
        "clear2(x[n:n + 2])",
        callees=(CLEAR2,),
        factor=2,
    ),
    Legal(
        "replace",
        "a_size_only_in_the_extent_of_a_dense_formal",
        "m: size, x: f32[m + 2]",
        "x[0] = 0.0",
        lambda p, c: replace(p, "x[_] = _", c.first),
        "first(m + 2, x)",
        callees=(FIRST,),
    ),
    Legal(
        "replace",
        "both_limits_of_a_loop",
        "m: size, x: f32[m]",
        """
        for i in seq(1, m):
            x[i] = 0.0
        """,
        _first_loop("clear_range"),
        "clear_range(1, m, m, x)",
        callees=(RANGE,),
    ),
    Legal(
        "replace",
        "both_limits_of_a_loop_over_a_window",
        "m: size, x: f32[m + 2]",
        """
        for i in seq(1, m):
            x[i + 1] = 0.0
        """,
        _first_loop("clear_range"),
        "clear_range(1, m, m + 1, x[1:m + 2])",
        callees=(RANGE.replace("dst: f32[n]", "dst: [f32][n]"),),
    ),
    Legal(
        "replace",
        "formals_that_are_not_used",
        "m: size, x: f32[4], y: f32[m + 2]",
        """
        for i in seq(0, 4):
            x[i] = 0.0
        """,
        _first_loop("clear4"),
        "clear4(1, 0, False, 0.0, y[0:2], x[0:4])",
        callees=(UNUSED,),
    ),
    Legal(
        "replace",
        "a_callee_that_passes_windows_of_its_formals_on",
        "m: size, x: f32[m, 8]",
        """
        for i in seq(0, m):
            v = x[i, 2:6]
            fill(4, v)
            fill(2, x[i, 3:5])
        """,
        _first_loop("rows"),
        "rows(m, x[0:m, 2:6])",
        callees=(FILL, PASSES_ON),
    ),
    Legal(
        "replace",
        "a_callee_that_passes_a_formal_on_as_a_whole",
        "m: size, x: f32[m], y: f32[3, m]",
        """
        fill(m, x)
        x[0] = 0.0
        fill(m, y[1, 0:m])
        y[1, 0] = 0.0
        """,
        lambda p, c: replace(replace(p, p.body()[0:2], c.whole), p.body()[2:4], c.whole),
        """
        whole(m, x[0:m])
        whole(m, y[1, 0:m])
        """,
        callees=(FILL, PASSES_WHOLE),
    ),
    Legal(
        "replace",
        "a_scale_that_a_field_holds",
        "q: f32, x: f32[4], y: f32[4]",
        """
        Reg.scale = q
        for i in seq(0, 4):
            x[i] = y[i] * q
        """,
        _first_loop("scale4"),
        """
        Reg.scale = q
        scale4(x[0:4], y[0:4])
        """,
        callees=(SCALE,),
        scope=CONFIGURED,
    ),
    Legal(
        "replace",
        "a_size_that_a_field_holds",
        "m: size, x: f32[8]",
        """
        assert m <= 8
        Reg.len = m
        for i in seq(0, m):
            x[i] = 0.0
        """,
        _first_loop("clear_up_to"),
        """
        Reg.len = m
        clear_up_to(m, x[0:8])
        """,
        callees=(LENGTH,),
        scope=CONFIGURED,
    ),
]
