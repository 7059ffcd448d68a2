"""Data on its way: strided loads and stores, permutations, transpositions, prefetches, stores past the caches.

A transposition in registers wants its sixteen (or eight) registers side by side, `stride(src, 0) == 16`; the forms from memory
to memory take rows any distance apart and are what packs a panel. A prefetch computes nothing: `insert_noop_call` puts it where
it helps, `ahead` elements after the one named; no address makes it fault. Copies and fills past the caches end with a fence, so
that other threads see them in order like any other store. Stores of single registers leave the fence to the backend, and are
stores like others at an address that no cache line begins at. `vectorize` does not choose them. `replace` does not find
`broadcast_lane` and `permutexvar`, whose bodies do not determine an argument: a procedure calls them by name.
Reference: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 1, §10.4.6.2 and vol. 2, PREFETCHh, VPERMPS.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from usl_avx512.isa.families import Table, family, plain
from usl_avx512.isa.lanes import EPI8, EPI16, EPI32, EPU8, EPU16, EPU32, PD, PS

ROWS = (PS, PD)
BW_VL = ("avx512f", "avx512bw", "avx512vl")
FILTERED = (("ps", "f32", "i32", 16), ("pd", "f64", "i64", 8), ("epi32", "i32", "i32", 16), ("epi64", "i64", "i64", 8))

STRIDED = chain(
    family(
        """
        @instr("{dst} = usl_avx512_gather_$s({src.ptr}, {src.stride0});")
        def mm512_gather_$s(dst: [$t][$l] @ AVX512, src: [$t][$l] @ DRAM):
            for i in seq(0, $l):
                dst[i] = src[i]
        """,
        *ROWS,
    ),
    family(
        """
        @instr("{dst} = usl_avx512_mask_gather_$s({dst}, $mask, {src.ptr}, {src.stride0});")
        def mm512_mask_gather_$s(n: size, dst: [$t][$l] @ AVX512, src: [$t][n] @ DRAM):
            for i in seq(0, $l):
                if i < n:
                    dst[i] = src[i]
        """,
        *ROWS,
    ),
    family(
        """
        @instr("usl_avx512_scatter_$s({dst.ptr}, {dst.stride0}, $all, {src});")
        def mm512_scatter_$s(dst: [$t][$l] @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                dst[i] = src[i]
        """,
        *ROWS,
    ),
    family(
        """
        @instr("usl_avx512_scatter_$s({dst.ptr}, {dst.stride0}, $mask, {src});")
        def mm512_mask_scatter_$s(n: size, dst: [$t][n] @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                if i < n:
                    dst[i] = src[i]
        """,
        *ROWS,
    ),
)
"""Elements any distance apart."""

PERMUTATIONS = chain(
    family(
        """
        @instr("{dst} = _mm512_permutexvar_$s($reversed, {src});")
        def mm512_reverse_$s(dst: [$t][$l] @ AVX512, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                dst[i] = src[$l - 1 - i]
        """,
        *ROWS,
    ),
    family(
        """
        @instr("{dst} = _mm512_permutexvar_$s(_mm512_set1_$e({lane}), {src});")
        def mm512_broadcast_lane_$s(lane: index, dst: [$t][$l] @ AVX512, src: [$t][$l] @ AVX512):
            assert 0 <= lane and lane < $l
            for i in seq(0, $l):
                dst[i] = src[lane]
        """,
        PD,
    ),
    family(
        """
        @instr("{dst} = _mm512_permutexvar_$s(_mm512_set1_$e((int)({lane})), {src});")
        def mm512_broadcast_lane_$s(lane: index, dst: [$t][$l] @ AVX512, src: [$t][$l] @ AVX512):
            assert 0 <= lane and lane < $l
            for i in seq(0, $l):
                dst[i] = src[lane]
        """,
        PS,
    ),
    family(
        """
        @instr("{dst} = _mm512_permutexvar_$s({order}, {src});")
        def mm512_permutexvar_$s(dst: [$t][$l] @ AVX512, order: [$j][$l] @ AVX512, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                dst[i] = src[idx(order[i] % $l, 0, $l)]
        """,
        *ROWS,
    ),
)

TRANSPOSITIONS = chain(
    family(
        """
        @instr("usl_avx512_transpose_$s(&{dst}, &{src});")
        def mm512_transpose_$s(dst: [$t][$l, $l] @ AVX512, src: [$t][$l, $l] @ AVX512):
            assert stride(dst, 0) == $l
            assert stride(dst, 1) == 1
            assert stride(src, 0) == $l
            assert stride(src, 1) == 1
            for i in seq(0, $l):
                for j in seq(0, $l):
                    dst[j, i] = src[i, j]
        """,
        *ROWS,
    ),
    plain(
        """
        @instr("usl_avx512_compress_ps({c.ptr}, {dst.ptr}, {m}, {src.ptr}, {keep.ptr});")
        def mm512_compressu_ps(m: size, c: i64 @ DRAM, dst: [f32][m] @ DRAM, src: [f32][16] @ DRAM, keep: [u8][16] @ DRAM):
            assert stride(dst, 0) == 1
            assert stride(src, 0) == 1
            assert stride(keep, 0) == 1
            for i in seq(0, 16):
                if 0 < keep[i]:
                    dst[idx(c, 0, m)] = src[i]
                    c += 1
        """,
        *BW_VL,
    ),
    *(
        plain(
            f"""
            @instr("usl_avx512_filter_{suffix}({{c.ptr}}, {{dst.ptr}}, {{m}}, {{src}}, {{keep}});")
            def mm512_filter_{suffix}(m: size, c: i64 @ DRAM, dst: [{scalar}][m] @ DRAM, src: [{scalar}][{lanes}] @ AVX512,
                                      keep: [{flag}][{lanes}] @ AVX512):
                for i in seq(0, {lanes}):
                    dst[idx(c, 0, m)] = src[i]
                    c += select(0, keep[i], 1, 0)
            """,
            "avx512f",
        )
        for suffix, scalar, flag, lanes in FILTERED
    ),
    family(
        """
        @instr("usl_avx512_transposeu_$s({dst.ptr}, {dst.stride0}, {src.ptr}, {src.stride0});")
        def mm512_transposeu_$s(dst: [$t][$l, $l] @ DRAM, src: [$t][$l, $l] @ DRAM):
            assert stride(dst, 1) == 1
            assert stride(src, 1) == 1
            for i in seq(0, $l):
                for j in seq(0, $l):
                    dst[j, i] = src[i, j]
        """,
        *ROWS,
    ),
    *(
        family(
            f"""
            @instr("usl_avx512_mask_{name}_$s({{m}}, {{n}}, {{dst.ptr}}, {{dst.stride0}}, {{src.ptr}}, {{src.stride0}});")
            def mm512_mask_{name}_$s(m: size, n: size, dst: [$t][n, m] @ DRAM, src: [$t][m, n] @ DRAM):
                assert m <= $l
                assert n <= $l
                assert stride(dst, 1) == 1
                assert stride(src, 1) == 1
                for i in seq(0, m):
                    for j in seq(0, n):
                        dst[j, i] {does} src[i, j]
            """,
            *ROWS,
        )
        for name, does in (("transposeu", "="), ("accumulate_transposeu", "+="))
    ),
)

PREFETCHES = chain(
    *(
        plain(
            f"""
            @instr("_mm_prefetch((const char *)((uintptr_t){{x.ptr}} + {size}u * (uintptr_t)({{ahead}})), {hint});")
            def mm_prefetch_{name}_{scalar}(ahead: index, x: [{scalar}][1] @ DRAM):
                pass
            """,
            "sse",
        )
        for scalar, size in (("f32", 4), ("f64", 8), ("bf16", 2), ("u16", 2), ("u8", 1), ("i8", 1))
        for name, hint in (("t0", "_MM_HINT_T0"), ("t1", "_MM_HINT_T1"), ("nta", "_MM_HINT_NTA"))
    ),
    *(
        plain(
            f"""
            @instr("_mm_prefetch((const char *)((uintptr_t){{x.ptr}} + {size}u * (uintptr_t)({{rows}}) * "
                   "(uintptr_t){{x.stride0}}), {hint});")
            def mm_prefetch_row_{name}_{scalar}(rows: index, x: [{scalar}][1, 1] @ DRAM):
                pass
            """,
            "sse",
        )
        for scalar, size in (("f32", 4), ("f64", 8), ("i32", 4), ("i16", 2), ("u16", 2), ("bf16", 2), ("u8", 1), ("i8", 1))
        for name, hint in (("t0", "_MM_HINT_T0"), ("t1", "_MM_HINT_T1"))
    ),
)
"""The element that is so many elements ahead of x, or so many rows below it: in bounds or not, nothing is read."""

STREAMS = chain(
    family(
        """
        @instr("usl_avx512_stream_copy_$s({n}, {dst.ptr}, {src.ptr});")
        def mm512_stream_copy_$s(n: size, dst: [$t][n] @ DRAM, src: [$t][n] @ DRAM):
            for i in seq(0, n):
                dst[i] = src[i]
        """,
        *ROWS,
    ),
    family(
        """
        @instr("usl_avx512_stream_set1_$s({n}, {dst.ptr}, {a});")
        def mm512_stream_set1_$s(n: size, dst: [$t][n] @ DRAM, a: $t @ DRAM):
            for i in seq(0, n):
                dst[i] = a
        """,
        *ROWS,
    ),
)
"""Any number of elements, at any address."""

STREAMED = chain.from_iterable(
    family(
        f"""
        @instr("usl_avx512_streamu_{kind}({{dst.ptr}}, {{src}});", fence="_mm_sfence();")
        def mm512_streamu_$s(dst: [$t][$l] @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                dst[i] = src[i]
        """,
        *rows,
    )
    for kind, rows in (("ps", (PS,)), ("pd", (PD,)), ("si512", (EPI32, EPU32, EPI16, EPU16, EPI8, EPU8)))
)
"""Registers past the caches, for what is larger than these. Worth it where nearly all addresses are multiples of 64 bytes."""

KEPT = family(
    """
    @instr("{dst} = usl_avx512_kept_$s(_mm512_loadu_$s({src.ptr}));")
    def mm512_loadu_kept_$s(dst: [$t][$l] @ AVX512, src: [$t][$l] @ DRAM):
        for i in seq(0, $l):
            dst[i] = src[i]
    """,
    *ROWS,
)
"""Loads of what is used more than once: compilers do other loads again for each use, as operands of what uses them."""

TABLE = Table(__name__, KEPT, STRIDED, PERMUTATIONS, TRANSPOSITIONS, PREFETCHES, STREAMS, STREAMED)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
