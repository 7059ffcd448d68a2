"""Attention on AVX-512, from the plain loops: products of tiles in registers, the scores of six queries at a time.

    from usl_avx512.networks.attention import attention

Heads of 64 elements. The scores of a block of queries stay in the cache, so that their maximum is there before the first
exponential: that is faster than bringing sums up to date (`usl_avx512.networks.online`) as long as there is room for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from usl_avx512 import isa
from usl_avx512.gemm.tiles import SINGLE, Kernel, in_registers, rows_written_out, scheduled
from usl_avx512.memories import AVX512
from usl_avx512.networks.rows import available, rows_schedule
from usl_core import Procedure, proc_from_source
from usl_core.cursors import AllocCursor
from usl_core.scheduling import (
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    lift_alloc,
    rearrange_dim,
    rename,
    reorder_loops,
    replace,
    set_memory,
    simplify,
    stage_mem,
    unroll_loop,
)
from usl_stdlib import interleave, replace_all, vectorize

QUERIES, WIDTH, LANES, REGISTERS = 6, 64, 16, 4
"""Queries whose scores are computed together, and the elements of a head: a tile of 6 x 64 sums fills 24 registers."""

PLAIN = """\
def attention(H: size, M: size, N: size, scale: f32, q: f32[H, M, D], k: f32[H, N, D], v: f32[H, N, D], out: f32[H, M, D]):
    for h in seq(0, H):
        for i in seq(0, M):
            u: f32[D]
            for d in seq(0, D):
                u[d] = scale * q[h, i, d]
            s: f32[N]
            for j in seq(0, N):
                s[j] = 0.0
                for d in seq(0, D):
                    s[j] += u[d] * k[h, j, d]
            m: f32
            m = -3.4028235e38
            for j in seq(0, N):
                m @= max(s[j])
            z: f32
            z = 0.0
            for j in seq(0, N):
                e: f32
                e = exp(s[j] - m)
                s[j] = e
                z += e
            for d in seq(0, D):
                out[h, i, d] = 0.0
                for j in seq(0, N):
                    out[h, i, d] += s[j] * v[h, j, d]
            w: f32
            w = 1.0 / z
            for d in seq(0, D):
                out[h, i, d] = out[h, i, d] * w
"""

CAUSAL = """\
def causal_attention(H: size, B: size, scale: f32, q: f32[H, D * B, D], k: f32[H, D * B, D], v: f32[H, D * B, D],
                     out: f32[H, D * B, D]):
    for h in seq(0, H):
        for b in seq(0, B):
            for i in seq(0, D):
                u: f32[D]
                for d in seq(0, D):
                    u[d] = scale * q[h, D * b + i, d]
                s: f32[D * B]
                for j in seq(0, D * b + D):
                    s[j] = 0.0
                    for d in seq(0, D):
                        s[j] += u[d] * k[h, j, d]
                for later in seq(i + 1, D):
                    s[D * b + later] = -3.4028235e38
                m: f32
                m = -3.4028235e38
                for j in seq(0, D * b + D):
                    m @= max(s[j])
                z: f32
                z = 0.0
                for j in seq(0, D * b + D):
                    e: f32
                    e = exp(s[j] - m)
                    s[j] = e
                    z += e
                for d in seq(0, D):
                    out[h, D * b + i, d] = 0.0
                    for j in seq(0, D * b + D):
                        out[h, D * b + i, d] += s[j] * v[h, j, d]
                w: f32
                w = 1.0 / z
                for d in seq(0, D):
                    out[h, D * b + i, d] = out[h, D * b + i, d] * w
"""

TILE = """\
def product_Mx64(M: size, K: size, A: [f32][M, K], B: [f32][K, 64], C: [f32][M, 64]):
    assert stride(A, 1) == 1
    assert stride(B, 1) == 1
    assert stride(C, 1) == 1
    for i in seq(0, M):
        for j in seq(0, 64):
            C[i, j] = 0.0
            for k in seq(0, K):
                C[i, j] += A[i, k] * B[k, j]
"""

BY_ROWS = """\
def attention_by_rows(H: size, M: size, N: size, E: size, scale: f32, q: f32[H, M, E], k: f32[H, N, E], v: f32[H, N, E],
                      out: f32[H, M, E]):
    s: f32[N]
    for h in seq(0, H):
        for i in seq(0, M):
            for n in seq(0, N):
                t: f32
                t = 0.0
                for j in seq(0, E):
                    t += q[h, i, j] * k[h, n, j]
                s[n] = scale * t
            m: f32
            m = -3.4028235e38
            for j in seq(0, N):
                m @= max(s[j])
            z: f32
            z = 0.0
            for j in seq(0, N):
                e: f32
                e = exp(s[j] - m)
                s[j] = e
                z += e
            w: f32
            w = 1.0 / z
            for j in seq(0, E):
                out[h, i, j] = 0.0
            for n in seq(0, N):
                p: f32
                p = s[n] * w
                for j in seq(0, E):
                    out[h, i, j] += p * v[h, n, j]
"""


@cache
def attention() -> Procedure:
    """At least six queries, keys and values a multiple of 64."""
    p = proc_from_source(PLAIN.replace("D", str(WIDTH)))
    p = p.add_assertion(f"M >= {QUERIES}").add_assertion(f"N % {WIDTH} == 0")
    return attention_schedule(p, "N", "shift_inwards")


@cache
def causal_attention() -> Procedure:
    """A query for each of 64 B keys, which sees those up to its own."""
    p = proc_from_source(CAUSAL.replace("D", str(WIDTH)))
    p = lift_alloc(expand_dim(p, "s", QUERIES, f"i % {QUERIES}"), "s")
    return attention_schedule(p, f"{WIDTH} * B", "cut")


@cache
def attention_by_rows(causal: bool) -> Procedure:
    """Heads of any size, one query at a time: for few queries, as where text is written word by word, and for odd sizes."""
    text = BY_ROWS
    if causal:
        text = text.replace("seq(0, N)", "seq(0, i + 1)").replace("attention_by_rows", "causal_attention_by_rows")
        text = text.replace("    s: f32[N]", "    assert M <= N\n    s: f32[N]")
    return rows_schedule(proc_from_source(text))


@cache
def attention_of_few() -> Procedure:
    """Heads of 64, one query at a time, any number of keys: for text written word by word. The output stays in registers."""
    p = proc_from_source(BY_ROWS.replace("attention_by_rows", "attention_of_few")).partial_eval(E=WIDTH)
    scores, *over_keys, clear, add = p.find("for j in _: _", many=True)
    p = stage_mem(p, add.parent(), f"out[h, i, 0:{WIDTH}]", "o")
    p = set_memory(divide_dim(p, "o", 0, LANES), "o", AVX512)
    registers = [*p.find("for i0 in _: _", many=True), add]
    for loop in registers:
        p = divide_loop(p, p.forward(loop), LANES, ["jo", "ji"], perfect=True)
    p = simplify(p)
    for loop in registers:
        p, _ = vectorize(p, p.forward(loop).body()[0], LANES, AVX512, available(), tail="perfect")
        p = unroll_loop(p, p.forward(loop))
    p, _ = vectorize(p, p.forward(scores), LANES, AVX512, available(), tail="perfect")
    for loop in (*over_keys, clear):
        p, vectorized = vectorize(p, p.forward(loop), LANES, AVX512, available(), tail="masked")
        p, _ = interleave(p, vectorized.loop, REGISTERS, par_reduce=True)
    return simplify(replace_all(p, available()))


def attention_schedule(p: Procedure, keys: str, tail: str) -> Procedure:
    """The loops over h, i, j, d for heads of 64, as tiles and rows in registers; keys is the number of all keys.

    Six queries at a time, and the last ones as tail says.
    """
    p = keys_by_columns(p, keys)
    p = simplify(divide_loop(p, "i", QUERIES, ["io", "ii"], tail=tail))
    kernels = []
    for rows in p.find("u: _", many=True):
        height = p.forward(rows).parent().hi().value()
        kernels.append(tile_of_products(height))
        p = rows_together(p, p.forward(rows).parent(), height, kernels[-1])
    return scheduled(rest_in_registers(p), *kernels)


@cache
def tile_of_products(rows: int) -> Kernel:
    """Products of so many rows with 64 columns, all sums in registers."""
    base = p = rename(proc_from_source(TILE).partial_eval(M=rows), f"product_{rows}x{WIDTH}")
    p = stage_mem(p, p.find_loop("i"), f"C[0:{rows}, 0:{WIDTH}]", "sums")
    p = fission(p, p.find("sums[_] = 0.0").after(), n_lifts=2)
    for outer in ("j", "i"):
        p = reorder_loops(p, f"{outer} k")
    p = stage_mem(p, p.find_loop("k").body(), f"B[k, 0:{WIDTH}]", "row")
    p = rows_written_out(replace_all(in_registers(p, (WIDTH,), SINGLE), (isa.mm512_storeu_ps,)))
    return Kernel(base, rename(p, f"{base.name()}_in_registers"))


# ---- steps


def rows_together(p: Procedure, rows: Any, height: int, tile: Kernel) -> Procedure:
    """The queries of a loop together, and for all of them one thing after the other, products by tiles."""
    stmts = rows.body()
    scores, outputs = (rows.find(f"{name}[_] = 0.0").parent() for name in ("s", "out"))
    w, name = rows.find("w: _"), rows.name()
    for buffer in [each for each in stmts if isinstance(each, AllocCursor) and each.name() in "usz"]:
        p = expand_dim(p, p.forward(buffer), height, name)
        p = lift_alloc(p, p.forward(buffer))
    for gap in (scores.before(), scores.after(), outputs.before(), w.before()):
        p = fission(p, p.forward(gap))
    p = divide_loop(p, p.forward(scores), WIDTH, ["jo", "ji"], perfect=True)
    p = simplify(reorder_loops(p, p.forward(scores).parent()))
    p = tile.call(p, p.forward(scores).body())
    return tile.call(p, p.forward(outputs).parent())


def keys_by_columns(p: Procedure, keys: str) -> Procedure:
    """The keys of a head are transposed once, in panels of 64."""
    p = stage_mem(p, p.find_loop("h").body(), f"k[h, 0:{keys}, 0:{WIDTH}]", "columns")
    p = rearrange_dim(divide_dim(p, "columns", 0, WIDTH), "columns", [0, 2, 1])
    p = divide_loop(p, "i0", WIDTH, ["jo", "ji"], perfect=True)
    p = divide_loop(p, "ji", LANES, ["jt", "jl"], perfect=True)
    p = divide_loop(p, "i1", LANES, ["dt", "dl"], perfect=True)
    p = simplify(reorder_loops(p, "jl dt"))
    return replace(p, "jl", isa.mm512_transposeu_ps)


def rest_in_registers(p: Procedure, kept: Sequence[str] = ("s", "columns")) -> Procedure:
    """The other loops over keys and columns in vector registers, four at a time; memory for what is kept is asked for once."""
    for name in "jd":
        for loop in p.find(f"for {name} in _: _", many=True):
            p, vectorized = vectorize(p, p.forward(loop), LANES, AVX512, available(), tail="perfect")
            p, _ = interleave(p, vectorized.loop, REGISTERS, par_reduce=True)
    for name in kept:
        while p.find_alloc_or_arg(name).parent() != p.find_loop("h").parent():
            p = lift_alloc(p, name)
    return simplify(replace_all(p, available()))
