"""The rewrites that the papers on exocompilation and user scheduling show, at sizes that the exact interpreter can run.

They are our own programs: the tiled matrix product for a machine with a scratchpad (Ikarashi 2022 ch. 2, Reinking 2022 §3.2),
the table of operators (Reinking 2022 table 3.1), blur and unsharp mask with the Halide schedules (Qian 2024 ch. 4).
"""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.ir.memory import Memory
from usl_core.procedure import Procedure
from usl_core.scheduling import (
    bind_expr,
    cut_loop,
    divide_loop,
    divide_with_recompute,
    fission,
    fuse,
    guard_redundant,
    inline_assign,
    lift_alloc,
    lift_scope,
    parallelize_loop,
    remove_loop,
    reorder_loops,
    reorder_stmts,
    replace,
    resize_dim,
    set_memory,
    set_precision,
    shift_loop,
    simplify,
    sink_alloc,
    specialize,
    stage_mem,
    unroll_loop,
)
from usl_stdlib import replace_all


class Scratchpad(Memory):
    """On-chip memory for operands."""

    name = "Scratchpad"


class Accumulator(Memory):
    """On-chip memory for results."""

    name = "Accumulator"


_MEMORIES = {"Scratchpad": Scratchpad, "Accumulator": Accumulator}
GEMM_ARGS = "A: R[8, 8], B: R[8, 8], C: R[8, 8]"
GEMM = """
for i in seq(0, 8):
    for j in seq(0, 8):
        for k in seq(0, 8):
            C[i, j] += A[i, k] * B[k, j]
"""
LOAD = """
def load(n: size, m: size, src: [R][n, m], dst: [R][n, 4] @ Scratchpad):
    assert m <= 4
    for i in seq(0, n):
        for j in seq(0, m):
            dst[i, j] = src[i, j]
"""
MATMUL = """
def matmul(res: [R][4, 4] @ Accumulator, a: [R][4, 4] @ Scratchpad, b: [R][4, 4] @ Scratchpad):
    for i in seq(0, 4):
        for j in seq(0, 4):
            for k in seq(0, 4):
                res[i, j] += a[i, k] * b[k, j]
"""
VECTOR_SUM = """
def vector_sum(dst: [f32][4], a: [f32][4], b: [f32][4], c: [f32][4]):
    for i in seq(0, 4):
        dst[i] = a[i] + b[i] + c[i]
"""
BROADCAST = """
def broadcast(out: [f32][8], val: f32):
    assert stride(out, 0) == 1
    for i in seq(0, 8):
        out[i] = val
"""
BLUR_ARGS = "W: size, H: size, blur_y: u16[H, W], inp: u16[H + 2, W + 2]"
BLUR = """
blur_x: u16[H + 2, W]
for y in seq(0, H + 2):
    for x in seq(0, W):
        blur_x[y, x] = inp[y, x] + inp[y, x + 1] + inp[y, x + 2]
for y in seq(0, H):
    for x in seq(0, W):
        blur_y[y, x] = blur_x[y, x] + blur_x[y + 1, x] + blur_x[y + 2, x]
"""
TILED_SIZES = "assert H % 2 == 0\nassert W % 4 == 0"
CHAIN_ARGS = "W: size, H: size, out: f32[H, W], inp: f32[H + 1, W]"
CHAIN = """
t: f32[H + 1, W]
for y in seq(0, H + 1):
    for x in seq(0, W):
        t[y, x] = inp[y, x] * inp[y, x]
for y in seq(0, H):
    for x in seq(0, W):
        out[y, x] = t[y, x] + t[y + 1, x]
"""
UNSHARP_ARGS = "W: size, H: size, out: f32[H, W], inp: f32[3, H + 2, W]"
UNSHARP = """
gray: f32[H + 2, W]
for y in seq(0, H + 2):
    for x in seq(0, W):
        gray[y, x] = 0.299 * inp[0, y, x] + 0.587 * inp[1, y, x] + 0.114 * inp[2, y, x]
blur: f32[H, W]
for y in seq(0, H):
    for x in seq(0, W):
        blur[y, x] = 0.25 * (gray[y, x] + gray[y + 2, x]) + 0.5 * gray[y + 1, x]
sharpen: f32[H, W]
for y in seq(0, H):
    for x in seq(0, W):
        sharpen[y, x] = 2.0 * gray[y + 1, x] - blur[y, x]
for y in seq(0, H):
    for x in seq(0, W):
        out[y, x] = sharpen[y, x] / gray[y + 1, x]
"""


def _tiled_gemm(p: Procedure) -> Procedure:
    """Every loop split by four, the three outer ones outside."""
    for name in "ijk":
        p = divide_loop(p, name, 4, [f"{name}o", f"{name}i"], perfect=True)
    for pair in ("ii jo", "ji ko", "ii ko"):
        p = reorder_loops(p, pair)
    return p


def _staged_gemm(p: Procedure) -> Procedure:
    """Operands in the scratchpad, the tile of C in the accumulator over all of k."""
    p = _tiled_gemm(p)
    p = stage_mem(p, p.find_loop("ko"), "C[4 * io:4 * io + 4, 4 * jo:4 * jo + 4]", "res")
    p = stage_mem(p, p.find_loop("ii"), "A[4 * io:4 * io + 4, 4 * ko:4 * ko + 4]", "a")
    p = stage_mem(p, p.find_loop("ii"), "B[4 * ko:4 * ko + 4, 4 * jo:4 * jo + 4]", "b")
    for name, memory in (("res", Accumulator), ("a", Scratchpad), ("b", Scratchpad)):
        p = set_memory(p, name, memory)
    return p


def _tiled_blur(p: Procedure) -> Procedure:
    """Qian 2024, listing of the tiled blur: tiles of 2 by 4 of the second stage."""
    p = divide_loop(p, "y #1", 2, ["yo", "yi"], perfect=True)
    p = divide_loop(p, "x #1", 4, ["xo", "xi"], perfect=True)
    return lift_scope(p, "xo")


def _blur_per_row(p: Procedure) -> Procedure:
    """compute_at(blur_y, y): three rows of the first stage for each row of the second."""
    p = divide_with_recompute(p, "y", "H", 1, ["y", "yp"])
    return fuse(p, p.find_loop("y"), p.find_loop("y #1"))


def _chain_with_prologue(p: Procedure) -> Procedure:
    """The first row apart, then one new row per row."""
    p = cut_loop(p, "y", 1)
    p = shift_loop(p, "y #1", 0)
    return simplify(fuse(p, p.find_loop("y #1"), p.find_loop("y #2")))


def _chain_guarded(p: Procedure) -> Procedure:
    """The same in one statement: the row that is known is skipped."""
    p = divide_with_recompute(p, "y", "H", 1, ["y", "py"], extent="2")
    p = fuse(p, p.find_loop("y"), p.find_loop("y #1"))
    return guard_redundant(p, p.find_loop("py").body()[0], "y == 0 or py == 1")


def _fused_tail(p: Procedure) -> Procedure:
    """The last two stages in one nest."""
    p = fuse(p, p.find_loop("y #2"), p.find_loop("y #3"))
    return fuse(p, p.find_loop("x #2"), p.find_loop("x #3"))


CASES = [
    Legal(
        "divide_loop",
        "matrix_product_tiled",
        GEMM_ARGS,
        GEMM,
        _tiled_gemm,
        """
        for io in seq(0, 2):
            for jo in seq(0, 2):
                for ko in seq(0, 2):
                    for ii in seq(0, 4):
                        for ji in seq(0, 4):
                            for ki in seq(0, 4):
                                C[4 * io + ii, 4 * jo + ji] += A[4 * io + ii, 4 * ko + ki] * B[4 * ko + ki, 4 * jo + ji]
        """,
    ),
    Legal("stage_mem", "matrix_product_with_a_scratchpad", GEMM_ARGS, GEMM, _staged_gemm, scope=_MEMORIES),
    Legal(
        "replace",
        "matrix_product_on_an_accelerator",
        GEMM_ARGS,
        GEMM,
        lambda p, c: replace_all(_staged_gemm(p), [c.matmul, c.load]),
        callees=(LOAD, MATMUL),
        scope=_MEMORIES,
    ),
    Legal(
        "replace",
        "load_of_a_tile",
        "A: R[8, 8]",
        """
        a: R[4, 4] @ Scratchpad
        for i in seq(0, 4):
            for k in seq(0, 4):
                a[i, k] = A[i + 4, k]
        """,
        lambda p, c: replace(p, "for i in _: _", c.load),
        callees=(LOAD,),
        scope=_MEMORIES,
    ),
    Legal(
        "set_precision",
        "matrix_product_in_single",
        GEMM_ARGS,
        GEMM,
        lambda p: set_precision(set_precision(set_precision(p, "A", "f32"), "B", "f32"), "C", "f32"),
        """
        for i in seq(0, 8):
            for j in seq(0, 8):
                for k in seq(0, 8):
                    C[i, j] += A[i, k] * B[k, j]
        """,
    ),
    # ---- Reinking 2022, table 3.1
    Legal(
        "reorder_loops",
        "table_reorder",
        GEMM_ARGS,
        GEMM,
        lambda p: reorder_loops(p, "i j"),
        """
        for j in seq(0, 8):
            for i in seq(0, 8):
                for k in seq(0, 8):
                    C[i, j] += A[i, k] * B[k, j]
        """,
    ),
    Legal(
        "divide_loop",
        "table_split",
        "n: size, m: size, x: R[n, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 0.0
        """,
        lambda p: divide_loop(p, "i", 16, ["io", "ii"], tail="cut"),
        factor=16,
    ),
    Legal(
        "unroll_loop",
        "table_unroll",
        "x: R[2]",
        "for i in seq(0, 2):\n    x[i] = 0.0",
        lambda p: unroll_loop(p, "i"),
        """
        x[0] = 0.0
        x[1] = 0.0
        """,
    ),
    Legal(
        "bind_expr",
        "table_bind",
        "x: R[2]",
        "x[0] = x[1] + x[1]",
        lambda p: bind_expr(p, p.find("x[1]", many=True), "a"),
        """
        a: R
        a = x[1]
        x[0] = a + a
        """,
    ),
    Legal(
        "stage_mem",
        "table_stage",
        "n: size, a: R[1], x: R[n]",
        """
        for i in seq(0, n):
            a[0] += x[i]
        """,
        lambda p: stage_mem(p, p.find_loop("i"), "a[0:1]", "s"),
        """
        s: R[1]
        for i0 in seq(0, 1):
            s[i0] = a[i0]
        for i in seq(0, n):
            s[0] += x[i]
        for i0 in seq(0, 1):
            a[i0] = s[i0]
        """,
    ),
    Legal(
        "lift_alloc",
        "table_lift_alloc",
        "n: size, x: R[n]",
        """
        for i in seq(0, n):
            a: R
            a = x[i]
            x[i] = a + a
        """,
        lambda p: lift_alloc(p, "a"),
        """
        a: R
        for i in seq(0, n):
            a = x[i]
            x[i] = a + a
        """,
    ),
    Legal(
        "fission",
        "table_fission",
        "n: size, x: R[n], y: R[n]",
        """
        for i in seq(0, n):
            x[i] = 0.0
            y[i] = x[i]
        """,
        lambda p: fission(p, p.find("x[_] = _").after()),
        """
        for i in seq(0, n):
            x[i] = 0.0
        for i in seq(0, n):
            y[i] = x[i]
        """,
    ),
    Legal(
        "reorder_stmts",
        "table_reorder_stmts",
        "x: R, y: R",
        "x = 0.0\ny = 1.0",
        lambda p: reorder_stmts(p, "x = _ ; y = _"),
        """
        y = 1.0
        x = 0.0
        """,
    ),
    Legal(
        "specialize",
        "table_add_guard",
        "n: size, x: R",
        "x = 0.0",
        lambda p: specialize(p, "x = _", "n == 4"),
        """
        if n == 4:
            x = 0.0
        else:
            x = 0.0
        """,
    ),
    Legal(
        "fuse",
        "table_fuse",
        "n: size, x: R[n], y: R[n]",
        """
        for i in seq(0, n):
            x[i] = 0.0
        for i in seq(0, n):
            y[i] = x[i]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("i #1")),
        """
        for i in seq(0, n):
            x[i] = 0.0
            y[i] = x[i]
        """,
    ),
    Legal(
        "lift_scope",
        "table_lift_if",
        "n: size, m: size, x: R[n]",
        """
        for i in seq(0, n):
            if m == 3:
                x[i] = 0.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        """
        if m == 3:
            for i in seq(0, n):
                x[i] = 0.0
        """,
    ),
    Legal(
        "cut_loop",
        "table_partition",
        "n: size, x: R[n + 2]",
        "for i in seq(0, n + 2):\n    x[i] = 0.0",
        lambda p: cut_loop(p, "i", 2),
        """
        for i in seq(0, 2):
            x[i] = 0.0
        for i in seq(2, n + 2):
            x[i] = 0.0
        """,
    ),
    Legal(
        "remove_loop",
        "table_remove_loop",
        "n: size, x: R",
        "for i in seq(0, n):\n    x = 0.0",
        lambda p: remove_loop(p, "i"),
        "x = 0.0",
    ),
    # ---- Qian 2024
    Legal(
        "lift_scope",
        "blur_tiled",
        BLUR_ARGS,
        TILED_SIZES + BLUR.rstrip(),
        _tiled_blur,
    ),
    Legal(
        "fuse",
        "blur_computed_per_row",
        BLUR_ARGS,
        BLUR,
        _blur_per_row,
        """
        blur_x: u16[H + 2, W]
        for y in seq(0, H):
            for yp in seq(0, H + 2 - (H - 1)):
                for x in seq(0, W):
                    blur_x[y + yp, x] = inp[y + yp, x] + inp[y + yp, x + 1] + inp[y + yp, x + 2]
            for x in seq(0, W):
                blur_y[y, x] = blur_x[y, x] + blur_x[y + 1, x] + blur_x[y + 2, x]
        """,
    ),
    Legal(
        "sink_alloc",
        "blur_stored_per_row",
        BLUR_ARGS,
        BLUR,
        lambda p: simplify(resize_dim(sink_alloc(_blur_per_row(p), "blur_x"), "blur_x", 0, 3, "y")),
        """
        for y in seq(0, H):
            blur_x: u16[3, W]
            for yp in seq(0, 3):
                for x in seq(0, W):
                    blur_x[yp, x] = inp[y + yp, x] + inp[y + yp, x + 1] + inp[y + yp, x + 2]
            for x in seq(0, W):
                blur_y[y, x] = blur_x[0, x] + blur_x[1, x] + blur_x[2, x]
        """,
    ),
    Legal(
        "parallelize_loop",
        "blur_in_parallel",
        BLUR_ARGS,
        BLUR,
        lambda p: parallelize_loop(sink_alloc(_blur_per_row(p), "blur_x"), "y"),
    ),
    Legal(
        "resize_dim",
        "blur_in_three_rows",
        BLUR_ARGS,
        BLUR,
        lambda p: resize_dim(_blur_per_row(p), "blur_x", 0, 3, 0, fold=True),
    ),
    Legal(
        "divide_with_recompute",
        "chain_one_row_at_a_time",
        CHAIN_ARGS,
        CHAIN,
        lambda p: divide_with_recompute(p, "y", "H", 1, ["y", "py"]),
        """
        t: f32[H + 1, W]
        for y in seq(0, H):
            for py in seq(0, H + 1 - (H - 1)):
                for x in seq(0, W):
                    t[y + py, x] = inp[y + py, x] * inp[y + py, x]
        for y in seq(0, H):
            for x in seq(0, W):
                out[y, x] = t[y, x] + t[y + 1, x]
        """,
    ),
    Legal(
        "fuse",
        "chain_with_a_prologue",
        CHAIN_ARGS,
        CHAIN,
        _chain_with_prologue,
        """
        t: f32[H + 1, W]
        for x in seq(0, W):
            t[0, x] = inp[0, x] * inp[0, x]
        for y in seq(0, H):
            for x in seq(0, W):
                t[y + 1, x] = inp[y + 1, x] * inp[y + 1, x]
            for x in seq(0, W):
                out[y, x] = t[y, x] + t[y + 1, x]
        """,
    ),
    Legal(
        "guard_redundant",
        "chain_with_a_guard",
        CHAIN_ARGS,
        CHAIN,
        _chain_guarded,
        """
        t: f32[H + 1, W]
        for y in seq(0, H):
            for py in seq(0, 2):
                if y == 0 or py == 1:
                    for x in seq(0, W):
                        t[y + py, x] = inp[y + py, x] * inp[y + py, x]
            for x in seq(0, W):
                out[y, x] = t[y, x] + t[y + 1, x]
        """,
    ),
    Legal(
        "inline_assign",
        "unsharp_without_its_stages",
        UNSHARP_ARGS,
        UNSHARP,
        lambda p: inline_assign(_fused_tail(p), "sharpen[_] = _"),
    ),
    Legal(
        "divide_loop",
        "a_parallel_loop_with_a_last_tile_that_overlaps",
        "N: size, x: i8[N]",
        """
        assert N >= 4
        for i in par(0, N):
            x[i] = 7
        """,
        lambda p: divide_loop(p, "i", 4, ["io", "ii"], tail="shift_inwards"),
        """
        for io in par(0, (N + 3) / 4):
            for ii in seq(0, 4):
                x[min(4 * io, N - 4) + ii] = 7
        """,
    ),
    Legal(
        "replace",
        "a_number_for_the_operand_of_a_broadcast",
        "x: f32[8]",
        """
        for i in seq(0, 8):
            x[i] = 1.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.broadcast),
        "broadcast(x[0:8], 1.0)",
        callees=(BROADCAST,),
    ),
    Legal(
        "replace",
        "blur_on_vectors",
        "n: size, inp: f32[4 * n + 2], out: f32[4 * n]",
        """
        for x in seq(0, 4 * n):
            out[x] = inp[x] + inp[x + 1] + inp[x + 2]
        """,
        lambda p, c: replace(divide_loop(p, "x", 4, ["xo", "xi"], perfect=True), "for xi in _: _", c.vector_sum),
        """
        for xo in seq(0, 4 * n / 4):
            vector_sum(out[4 * xo:4 * xo + 4], inp[4 * xo:4 * xo + 4], inp[4 * xo + 1:4 * xo + 5], inp[4 * xo + 2:4 * xo + 6])
        """,
        callees=(VECTOR_SUM,),
    ),
    Legal(
        "stage_mem",
        "a_window_of_what_a_tile_reads",
        "N: size, arr: f32[32 * N + 2], x: f32[32 * N]",
        """
        for io in seq(0, N):
            for ii in seq(0, 32):
                x[32 * io + ii] = arr[32 * io + ii] + arr[32 * io + ii + 1] + arr[32 * io + ii + 2]
        """,
        lambda p: stage_mem(p, p.find_loop("ii"), "arr[32 * io:32 * io + 34]", "t"),
    ),
]
