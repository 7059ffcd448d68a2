"""Attention of bf16: products of pairs by the instruction that has them, everything else in f32.

    from usl_avx512.networks.attention_bf16 import attention

As `networks.attention`: heads of 64 elements, six queries at a time. Keys and values are put in pairs once for each head;
exponentials are rounded to bf16 before they weigh the values.
"""

from __future__ import annotations

from functools import cache

from usl_avx512 import isa
from usl_avx512.gemm.tiles import Kernel, scheduled
from usl_avx512.memories import AVX512
from usl_avx512.networks.attention import LANES, QUERIES, WIDTH, rest_in_registers
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import (
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    lift_alloc,
    rename,
    reorder_loops,
    replace,
    set_memory,
    simplify,
    stage_mem,
    unroll_loop,
)
from usl_stdlib import replace_all

PAIR = 2 * LANES
"""Elements of a register."""

TILE = """\
def pairs_6x64(G: size, A: [bf16][6, 2 * G], W: [bf16][G, 128], C: [f32][6, 64]):
    assert stride(A, 1) == 1
    assert stride(W, 1) == 1
    assert stride(C, 1) == 1
    for i in seq(0, 6):
        for j in seq(0, 64):
            C[i, j] = 0.0
            for g in seq(0, G):
                for r in seq(0, 2):
                    C[i, j] += f32(A[i, 2 * g + r]) * f32(W[g, 2 * j + r])
"""

PLAIN = """\
def attention_bf16(H: size, M: size, N: size, scale: f32, q: bf16[H, M, 64], k: bf16[H, N, 64], v: bf16[H, N, 64],
                   out: bf16[H, M, 64]):
    assert M >= 6
    assert N % 64 == 0
    for h in seq(0, H):
        keys: bf16[N / 64, 32, 128]
        for a in seq(0, N):
            for b in seq(0, 32):
                for c in seq(0, 2):
                    keys[a / 64, b, 2 * (a % 64) + c] = k[h, a, 2 * b + c]
        values: bf16[N / 2, 128]
        for a in seq(0, N / 2):
            for c in seq(0, 2):
                for b in seq(0, 64):
                    values[a, 2 * b + c] = v[h, 2 * a + c, b]
        for i in seq(0, M):
            s: f32[N]
            for j in seq(0, N):
                s[j] = 0.0
                for g in seq(0, 32):
                    for r in seq(0, 2):
                        s[j] += f32(q[h, i, 2 * g + r]) * f32(keys[j / 64, g, 2 * (j % 64) + r])
            m: f32
            m = -3.4028235e38
            for j in seq(0, N):
                t: f32
                t = scale * s[j]
                s[j] = t
                m @= max(t)
            p: bf16[N]
            z: f32
            z = 0.0
            for j in seq(0, N):
                e: f32
                e = exp(s[j] - m)
                p[j] = bf16(e)
                z += e
            o: f32[64]
            for d in seq(0, 64):
                o[d] = 0.0
                for g in seq(0, N / 2):
                    for r in seq(0, 2):
                        o[d] += f32(p[2 * g + r]) * f32(values[g, 2 * d + r])
            w: f32
            w = 1.0 / z
            for d in seq(0, 64):
                out[h, i, d] = bf16(o[d] * w)
"""

CAUSAL = """\
def causal_attention_bf16(H: size, B: size, scale: f32, q: bf16[H, 64 * B, 64], k: bf16[H, 64 * B, 64], v: bf16[H, 64 * B, 64],
                          out: bf16[H, 64 * B, 64]):
    for h in seq(0, H):
        keys: bf16[B, 32, 128]
        for a in seq(0, 64 * B):
            for b in seq(0, 32):
                for c in seq(0, 2):
                    keys[a / 64, b, 2 * (a % 64) + c] = k[h, a, 2 * b + c]
        values: bf16[32 * B, 128]
        for a in seq(0, 32 * B):
            for c in seq(0, 2):
                for b in seq(0, 64):
                    values[a, 2 * b + c] = v[h, 2 * a + c, b]
        for block in seq(0, B):
            for i in seq(0, 64):
                s: f32[64 * B]
                for j in seq(0, 64 * block + 64):
                    s[j] = 0.0
                    for g in seq(0, 32):
                        for r in seq(0, 2):
                            s[j] += f32(q[h, 64 * block + i, 2 * g + r]) * f32(keys[j / 64, g, 2 * (j % 64) + r])
                for j in seq(0, 64 * block + 64):
                    s[j] = scale * s[j]
                for later in seq(i + 1, 64):
                    s[64 * block + later] = -3.4028235e38
                m: f32
                m = -3.4028235e38
                for j in seq(0, 64 * block + 64):
                    m @= max(s[j])
                p: bf16[64 * B]
                z: f32
                z = 0.0
                for j in seq(0, 64 * block + 64):
                    e: f32
                    e = exp(s[j] - m)
                    p[j] = bf16(e)
                    z += e
                o: f32[64]
                for d in seq(0, 64):
                    o[d] = 0.0
                    for g in seq(0, 32 * block + 32):
                        for r in seq(0, 2):
                            o[d] += f32(p[2 * g + r]) * f32(values[g, 2 * d + r])
                w: f32
                w = 1.0 / z
                for d in seq(0, 64):
                    out[h, 64 * block + i, d] = bf16(o[d] * w)
"""


@cache
def causal_attention() -> Procedure:
    """A query for each of 64 B keys, which sees those up to its own."""
    return attention_schedule(proc_from_source(CAUSAL))


@cache
def attention() -> Procedure:
    """At least six queries, keys and values a multiple of 64."""
    return attention_schedule(proc_from_source(PLAIN))


def attention_schedule(p: Procedure) -> Procedure:
    """Both of them."""
    tile = tile_of_pairs()
    scores, outputs, w = p.find("s[_] = 0.0").parent(), p.find("o[_] = 0.0").parent(), p.find("w: _")
    p = in_pairs(p)
    p = divide_loop(p, "i", QUERIES, ["io", "ii"], tail="shift_inwards")
    for name in "szpo":
        p = lift_alloc(expand_dim(p, name, QUERIES, "ii"), name)
    for gap in (scores.after(), outputs.before(), w.before()):
        p = fission(p, p.forward(gap))
    p = divide_loop(p, p.forward(scores), WIDTH, ["jo", "ji"], perfect=True)
    p = simplify(reorder_loops(p, p.forward(scores).parent()))
    p = tile.call(p, p.find_loop("jo").body())
    p = tile.call(p, p.forward(outputs).parent())
    p = rest_in_registers(p, ("s", "p", "o", "keys", "values"))
    return scheduled(p, tile)


def in_pairs(p: Procedure) -> Procedure:
    """Keys and values are rearranged 16 x 32 elements and 2 x 16 elements at a time."""
    p = divide_loop(p, "a", WIDTH, ["ao", "ai"], perfect=True)
    p = divide_loop(p, "ai", LANES, ["at", "al"], perfect=True)
    p = divide_loop(p, "b", LANES, ["bt", "bl"], perfect=True)
    p = simplify(reorder_loops(p, "al bt"))
    p = replace(p, "al", isa.mm512_transposeu_pairs_bf16)
    p = divide_loop(p, "b", LANES, ["bt", "bl"], perfect=True)
    p = simplify(reorder_loops(p, "c bt"))
    return replace(p, "c", isa.mm_pack2_bf16)


@cache
def tile_of_pairs() -> Kernel:
    """Products of six rows of pairs with 64 columns of pairs: 24 registers of sums."""
    base = p = proc_from_source(TILE)
    p = stage_mem(p, p.find_loop("i"), f"C[0:{QUERIES}, 0:{WIDTH}]", "sums")
    p = fission(p, p.find("sums[_] = 0.0").after(), n_lifts=2)
    g = p.find_loop("g")
    for outer in ("j", "i"):
        p = reorder_loops(p, f"{outer} g")
    p = stage_mem(p, p.forward(g).body(), f"W[g, 0:{2 * WIDTH}]", "row")
    clear, store = p.forward(g).prev(), p.forward(g).next()
    copy, multiply = p.forward(g).body()[-2:]
    p = divide_loop(p, copy, PAIR, ["jt", "jl"], perfect=True)
    for nest in (clear, multiply, store):
        p = divide_loop(p, p.forward(nest).body()[0], LANES, ["jt", "jl"], perfect=True)
    p = divide_dim(divide_dim(p, "sums", 1, LANES), "row", 0, PAIR)
    for buffer in ("sums", "row"):
        p = set_memory(p, buffer, AVX512)
    sums = isa.mm512_setzero_ps, isa.mm512_storeu_ps
    p = simplify(replace_all(simplify(p), (*sums, isa.mm512_dpbf16_flushed_set1_ps, isa.mm512_loadu_bf16)))
    while loops := [loop for loop in p.find("for _ in _: _", many=True) if loop.name() != "g"]:
        p = unroll_loop(p, loops[0])
    return Kernel(base, rename(simplify(p), "pairs_6x64_in_registers"))
