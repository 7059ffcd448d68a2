"""Legal steps on expressions, calls and whole procedures."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.ir.memory import Memory
from usl_core.procedure import Procedure
from usl_core.scheduling import (
    add_assertion,
    bind_expr,
    call_eqv,
    delete_pass,
    divide_loop,
    eliminate_dead_code,
    inline,
    insert_pass,
    lift_alloc,
    parallelize_loop,
    partial_eval,
    rename,
    replace,
    replace_all,
    set_memory,
    simplify,
    stage_mem,
)


class Vector(Memory):
    """Registers of four lanes."""

    name = "Vector"


COPY4 = """
def copy4(dst: [f32][4], src: [f32][4]):
    for k in seq(0, 4):
        dst[k] = src[k]
"""
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
MASKED = """
def masked(m: size, dst: [f32][m], src: [f32][m]):
    assert m <= 4
    for k in seq(0, m):
        dst[k] = src[k]
"""
CLEAR_BELOW = """
def clear_below(m: size, x: [f32][4]):
    assert m <= 4
    for k in seq(0, 4):
        if k < m:
            x[k] = 0.0
"""
BROADCAST = """
def broadcast(dst: [f32][4], v: f32):
    assert stride(dst, 0) == 1
    for k in seq(0, 4):
        dst[k] = v
"""
SHIFTED = """
def shifted(n: size, lo: size, x: [f32][n + lo]):
    for k in seq(0, n):
        x[k + lo] = 0.0
"""
COPY = """
def copy(n: size, dst: [f32][n], src: [f32][n]):
    for k in seq(0, n):
        dst[k] = src[k]
"""
SQUARES = """
def squares(n: size, dst: [f32][n], src: [f32][n]):
    for k in seq(0, n):
        t: f32
        t = src[k]
        dst[k] = t * t
"""
ROW = """
def row(n: size, dst: [f32][n], v: f32):
    w = dst[0:1]
    for k in seq(0, n):
        dst[k] = v
    w[0] = 2.0 * v
"""
HISTOGRAM = """
def histogram(n: size, k: [u8][n], h: [i32][8]):
    for i in seq(0, n):
        h[idx(k[i], 0, 8)] += 1
"""


def _vectorised(p: Procedure, c: object) -> Procedure:
    """saxpy on vectors of four: staged, put into registers, replaced by instructions."""
    p = divide_loop(p, "i", 4, ["io", "ii"], perfect=True)
    p = stage_mem(p, p.find_loop("ii"), "y[4 * io:4 * io + 4]", "vy")
    p = stage_mem(p, p.find_loop("ii"), "x[4 * io:4 * io + 4]", "vx")
    for name in ("vx", "vy"):
        p = set_memory(p, name, Vector)
    return replace_all(p, [c.load, c.store, c.fma])


CASES = [
    # ---- bind_expr
    Legal(
        "bind_expr", "two_equal_operands", "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[i] * x[i]
        """,
        lambda p: bind_expr(p, p.find("x[_]", many=True), "t"),
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "bind_expr", "a_sum_in_two_statements", "x: u8, y: u8, z: u8[2]",
        """
        z[0] = x + y
        z[1] = (x + y) / 2
        """,
        lambda p: bind_expr(p, p.find("x + y", many=True), "t"),
        """
        t: u8
        t = x + y
        z[0] = t
        z[1] = t / 2
        """,
    ),
    Legal(
        "bind_expr", "a_cast", "x: u8, y: i32[2]",
        """
        y[0] = i32(x) + 1
        y[1] = i32(x) * 2
        """,
        lambda p: bind_expr(p, p.find("i32(x)", many=True), "t"),
    ),
    Legal(
        "bind_expr", "the_old_value_of_an_update", "x: f32",
        "x = x + x",
        lambda p: bind_expr(p, p.find("x", many=True), "t"),
    ),
    Legal(
        "bind_expr", "a_gather", "n: size, k: i32[n], x: f32[4], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[idx(k[i], 0, 4)] * 2.0
        """,
        lambda p: bind_expr(p, p.find("x[_]"), "t"),
        """
        for i in seq(0, n):
            t: f32
            t = x[idx(k[i], 0, 4)]
            y[i] = t * 2.0
        """,
    ),
    Legal(
        "bind_expr", "an_argument_that_is_only_read", "x: f32[8], v: f32[2]",
        "broadcast(x[2:6], v[1])",
        lambda p, c: bind_expr(p, p.body()[0].args()[1], "t"),
        """
        t: f32
        t = v[1]
        broadcast(x[2:6], t)
        """,
        callees=(BROADCAST,),
    ),
    Legal(
        "bind_expr", "across_a_loop_that_writes_something_else", "n: size, a: f32, x: f32[n], y: f32[n]",
        """
        y[0] = a
        for i in seq(0, n):
            x[i] = a + 1.0
        """,
        lambda p: bind_expr(p, p.find("a", many=True), "t"),
        """
        t: f32
        t = a
        y[0] = t
        for i in seq(0, n):
            x[i] = t + 1.0
        """,
    ),
    # ---- passes
    Legal("insert_pass", "behind_an_assignment", "x: f32", "x = 1.0", lambda p: insert_pass(p, p.body()[0].after()), """
        x = 1.0
        pass
        """),
    Legal("insert_pass", "in_a_loop", "n: size, x: f32[n]", "for i in seq(0, n):\n    x[i] = 1.0", lambda p: insert_pass(p, p.find("x[_] = _").before()), """
        for i in seq(0, n):
            pass
            x[i] = 1.0
        """),
    Legal("insert_pass", "at_the_start", "x: f32", "x = 1.0", lambda p: insert_pass(p, p.body().before()), """
        pass
        x = 1.0
        """),
    Legal("delete_pass", "beside_an_assignment", "x: f32", "pass\nx = 1.0", lambda p: delete_pass(p, "pass"), "x = 1.0"),
    Legal("delete_pass", "in_a_loop", "n: size, x: f32[n]", "for i in seq(0, n):\n    x[i] = 1.0\n    pass", lambda p: delete_pass(p, "pass"), """
        for i in seq(0, n):
            x[i] = 1.0
        """),
    Legal("delete_pass", "that_was_inserted", "x: f32", "x = 1.0", lambda p: delete_pass(insert_pass(p, p.body()[0].after()), "pass"), "x = 1.0"),
    # ---- inline
    Legal("inline", "a_copy", "x: f32[8], y: f32[8]", "copy4(x[2:6], y[0:4])", lambda p, c: inline(p, "copy4(_)"), """
        for k in seq(0, 4):
            x[2 + k] = y[k]
        """, callees=(COPY4,)),
    Legal(
        "inline", "with_a_size_and_a_column", "n: size, x: f32[n + 2, n], y: f32[n]",
        "copy(n, x[1:n + 1, n - 1], y[0:n])",
        lambda p, c: inline(p, "copy(_)"),
        """
        for k in seq(0, n):
            x[1 + k, n - 1] = y[k]
        """,
        callees=(COPY,),
    ),
    Legal("inline", "with_a_window_inside", "x: f32[8], v: f32", "row(4, x[3:7], v)", lambda p, c: inline(p, "row(_)"), """
        w = x[3:4]
        for k in seq(0, 4):
            x[3 + k] = v
        w[0] = 2.0 * v
        """, callees=(ROW,)),
    Legal("inline", "with_a_number_for_a_scalar", "x: f32[8]", "row(4, x[3:7], 1.5)", lambda p, c: inline(p, "row(_)"), """
        w = x[3:4]
        for k in seq(0, 4):
            x[3 + k] = 1.5
        w[0] = 2.0 * 1.5
        """, callees=(ROW,)),
    Legal(
        "inline", "names_that_clash", "n: size, x: f32[n], t: f32[n]",
        """
        for k in seq(0, n):
            t[k] = 1.0
        squares(n, x[0:n], t[0:n])
        """,
        lambda p, c: inline(p, "squares(_)"),
        callees=(SQUARES,),
    ),
    # ---- replace
    Legal(
        "replace", "a_copy", "x: f32[8], y: f32[8]",
        """
        for i in seq(0, 4):
            x[i + 2] = y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "copy4(x[2:6], y[0:4])",
        callees=(COPY4,),
    ),
    Legal(
        "replace", "a_loop_that_starts_elsewhere", "x: f32[8], y: f32[8]",
        """
        for i in seq(2, 6):
            x[i] = y[i - 2]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "copy4(x[2:6], y[0:4])",
        callees=(COPY4,),
    ),
    Legal(
        "replace", "a_column", "x: f32[4], y: f32[4, 8]",
        """
        for i in seq(0, 4):
            x[i] = y[i, 5]
        """,
        lambda p, c: replace(p, "for i in _: _", c.copy4),
        "copy4(x[0:4], y[0:4, 5])",
        callees=(COPY4,),
    ),
    Legal(
        "replace", "a_masked_tail", "n: size, x: f32[n], y: f32[n]",
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
        "replace", "a_guard", "n: size, x: f32[8]",
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
        "replace", "a_number_for_a_scalar", "x: f32[8]",
        """
        for i in seq(0, 4):
            x[i] = 0.25
        """,
        lambda p, c: replace(p, "for i in _: _", c.broadcast),
        "broadcast(x[0:4], 0.25)",
        callees=(BROADCAST,),
    ),
    Legal(
        "replace", "an_offset_that_the_indices_determine", "x: f32[10]",
        """
        for i in seq(0, 4):
            x[i + 3] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear_at_three),
        "clear_at_three(4, x[0:7])",
        callees=(SHIFTED.replace("shifted(n: size, lo: size, x: [f32][n + lo])", "clear_at_three(n: size, x: [f32][n + 3])").replace("k + lo", "k + 3"),),
    ),
    Legal(
        "replace", "a_histogram", "n: size, k: u8[n], h: i32[8]",
        """
        for i in seq(0, n):
            h[idx(k[i], 0, 8)] += 1
        """,
        lambda p, c: replace(p, "for i in _: _", c.histogram),
        "@",
        callees=(HISTOGRAM,),
    ),
    Legal(
        "replace", "a_kernel_on_vectors", "n: size, a: f32, x: f32[n], y: f32[n]",
        """
        assert n % 4 == 0
        for i in seq(0, n):
            y[i] += a * x[i]
        """,
        _vectorised,
        callees=(LOAD, STORE, FMA),
        scope={"Vector": Vector},
    ),
    # ---- call_eqv
    Legal(
        "call_eqv", "a_divided_version", "n: size, x: f32[n], y: f32[n]",
        "copy(n, x[0:n], y[0:n])",
        lambda p, c: call_eqv(p, "copy(_)", rename(divide_loop(c.copy, "k", 4, ["ko", "ki"]), "copy_tiled")),
        "copy_tiled(n, x[0:n], y[0:n])",
        callees=(COPY,),
    ),
    Legal(
        "call_eqv", "a_version_that_refines", "n: size, x: f32[n], y: f32[n]",
        "squares(n, x[0:n], y[0:n])",
        lambda p, c: call_eqv(p, "squares(_)", rename(lift_alloc(c.squares, "t"), "squares_hoisted")),
        "squares_hoisted(n, x[0:n], y[0:n])",
        callees=(SQUARES,),
    ),
    Legal(
        "call_eqv", "a_narrower_version_where_its_assertion_holds", "n: size, x: f32[4 * n], y: f32[4 * n]",
        "copy(4 * n, x[0:4 * n], y[0:4 * n])",
        lambda p, c: call_eqv(
            p, "copy(_)", rename(divide_loop(add_assertion(c.copy, "n % 4 == 0"), "k", 4, ["ko", "ki"], perfect=True), "copy_by_four")
        ),
        "copy_by_four(4 * n, x[0:4 * n], y[0:4 * n])",
        callees=(COPY,),
    ),
    Legal(
        "call_eqv", "a_sibling", "n: size, x: f32[n], y: f32[n]",
        "copy(n, x[0:n], y[0:n])",
        lambda p, c: call_eqv(
            call_eqv(p, "copy(_)", parallelize_loop(c.copy, "k")), "copy(_)", divide_loop(c.copy, "k", 4, ["ko", "ki"], tail="cut")
        ),
        callees=(COPY,),
    ),
    # ---- rename, partial_eval, add_assertion
    Legal("rename", "a_procedure", "x: f32", "x = 1.0", lambda p: rename(p, "g"), "x = 1.0"),
    Legal("rename", "twice", "x: f32", "x = 1.0", lambda p: rename(rename(p, "g"), "h"), "x = 1.0"),
    Legal(
        "rename", "one_that_calls_another", "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: rename(p, "copy4"),
        callees=(COPY4,),
    ),
    Legal(
        "partial_eval", "a_size", "m: size, n: size, x: f32[m, n]",
        """
        for i in seq(0, m):
            for j in seq(0, n):
                x[i, j] = 1.0
        """,
        lambda p: partial_eval(p, n=4),
        """
        for i in seq(0, m):
            for j in seq(0, 4):
                x[i, j] = 1.0
        """,
        fixed={"n": 4},
    ),
    Legal(
        "partial_eval", "a_truth_value_and_the_branch_it_decides", "flag: bool, x: f32",
        """
        if flag:
            x = 1.0
        else:
            x = 2.0
        """,
        lambda p: eliminate_dead_code(partial_eval(p, flag=False), "if _: _"),
        "x = 2.0",
        fixed={"flag": False},
    ),
    Legal(
        "partial_eval", "a_size_within_its_assertion", "n: size, x: f32[n]",
        """
        assert n % 4 == 0
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: simplify(partial_eval(p, n=8)),
        """
        for i in seq(0, 8):
            x[i] = 1.0
        """,
        fixed={"n": 8},
    ),
    Legal(
        "add_assertion", "a_multiple", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(add_assertion(p, "n % 4 == 0"), "i", 4, ["io", "ii"], perfect=True),
        """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 1.0
        """,
    ),
    Legal(
        "add_assertion", "a_smallest_size", "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: divide_loop(add_assertion(p, "n >= 4"), "i", 4, ["io", "ii"], tail="shift_inwards"),
        """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                x[min(4 * io, n - 4) + ii] = 1.0
        """,
    ),
    Legal("add_assertion", "what_is_known_already", "n: size, x: f32[n]", "x[0] = 1.0", lambda p: add_assertion(p, "n >= 1"), "x[0] = 1.0"),
]  # fmt: skip

