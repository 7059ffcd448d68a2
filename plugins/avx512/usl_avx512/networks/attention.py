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
from usl_avx512.gemm.tiles import SINGLE, full_tiles, scheduled, windowed
from usl_avx512.kernels_algorithms import gemm
from usl_avx512.memories import AVX512
from usl_avx512.networks.rows import available, rows_schedule
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import (
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    lift_alloc,
    rearrange_dim,
    reorder_loops,
    replace,
    rewrite_expr,
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
            s: f32[N]
            for j in seq(0, N):
                s[j] = 0.0
                for d in seq(0, D):
                    s[j] += scale * (q[h, i, d] * k[h, j, d])
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
                s: f32[D * B]
                for j in seq(0, D * b + D):
                    s[j] = 0.0
                    for d in seq(0, D):
                        s[j] += scale * (q[h, D * b + i, d] * k[h, j, d])
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
    return attention_schedule(p, "N")


@cache
def causal_attention() -> Procedure:
    """A query for each of 64 B keys, which sees those up to its own."""
    p = proc_from_source(CAUSAL.replace("D", str(WIDTH)))
    return attention_schedule(p, f"{WIDTH} * B")


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


def attention_schedule(p: Procedure, keys: str) -> Procedure:
    """The loops over h, i, j, d for heads of 64, as tiles and rows in registers; keys is the number of all keys."""
    tile = full_tiles(windowed(gemm, SINGLE), REGISTERS, SINGLE).of(QUERIES)
    scores, outputs = p.find("s[_] += _"), p.find("out[_] += _")
    p = rows_together(p)
    p = scores_by_tiles(p, p.forward(scores))
    p = keys_by_columns(p, keys)
    p = tile.call(p, p.forward(scores).parent().parent().parent())
    p = rewrite_expr(p, p.forward(outputs).rhs(), "1.0 * (s[ii, j] * v[h, j, d])")
    p = tile.call(p, p.forward(outputs).parent().parent().parent())
    p = rest_in_registers(p)
    return scheduled(p, tile)


# ---- steps


def rows_together(p: Procedure) -> Procedure:
    """Six queries at a time, and for all of them one thing after the other. The last six may have been computed before."""
    clear, w, zero = p.find("s[_] = 0.0"), p.find("w: _"), p.find("out[_] = 0.0")
    outputs = zero.parent()
    p = divide_loop(p, "i", QUERIES, ["io", "ii"], tail="shift_inwards")
    for name in "sz":
        p = lift_alloc(expand_dim(p, name, QUERIES, "ii"), name)
    p = fission(p, p.forward(clear).after())
    added = p.forward(clear).parent().next()
    p = fission(p, p.forward(added).before())
    p = fission(p, p.forward(added).after())
    p = fission(p, p.forward(outputs).before())
    p = fission(p, p.forward(w).before())
    return fission(p, p.forward(zero).after(), n_lifts=2)


def scores_by_tiles(p: Procedure, scores: Any) -> Procedure:
    """Products of queries with 64 keys at a time."""
    keys = scores.parent().parent()
    p = divide_loop(p, keys, WIDTH, ["jo", "ji"], perfect=True)
    return reorder_loops(p, p.forward(keys).parent())


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
