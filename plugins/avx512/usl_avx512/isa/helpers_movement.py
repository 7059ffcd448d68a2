"""The C functions behind the templates of `movement`."""

from __future__ import annotations

from string import Template

from usl_avx512.isa.helpers_transpose import PD as _PD
from usl_avx512.isa.helpers_transpose import PS as _PS
from usl_avx512.isa.helpers_transpose import TRANSPOSITIONS

_OFFSETS = """\
/* The distances of eight elements from the first, by 64-bit arithmetic that wraps. */
static inline __m512i usl_avx512_offsets(int64_t stride)
{
    const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i low = _mm512_mul_epu32(lane, _mm512_set1_epi64(stride));
    const __m512i high = _mm512_mul_epu32(lane, _mm512_srli_epi64(_mm512_set1_epi64(stride), 32));
    return _mm512_add_epi64(low, _mm512_slli_epi64(high, 32));
}
"""

_GATHER_PS = """\
/* Single loads: on Zen 4 twice as fast as the instruction that gathers. */
static inline __m512 usl_avx512_gather_ps(const float *x, int64_t stride)
{
    return _mm512_set_ps(
        x[15 * stride], x[14 * stride], x[13 * stride], x[12 * stride],
        x[11 * stride], x[10 * stride], x[9 * stride], x[8 * stride],
        x[7 * stride], x[6 * stride], x[5 * stride], x[4 * stride],
        x[3 * stride], x[2 * stride], x[stride], x[0]);
}
"""

_MASK_GATHER_PS = """\
static inline __m512 usl_avx512_join_ps(__m256 low, __m256 high)
{
    const __m512d whole = _mm512_castps_pd(_mm512_castps256_ps512(low));
    return _mm512_castpd_ps(_mm512_insertf64x4(whole, _mm256_castps_pd(high), 1));
}

static inline __m512 usl_avx512_mask_gather_ps(__m512 old, __mmask16 lanes, const float *x, int64_t stride)
{
    const __m512i offsets = usl_avx512_offsets(stride);
    const __mmask8 first = (__mmask8)lanes, last = (__mmask8)(lanes >> 8);
    const __m256 low = _mm512_mask_i64gather_ps(_mm512_castps512_ps256(old), first, offsets, x, 4);
    __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(old), 1));
    if (last != 0)
        high = _mm512_mask_i64gather_ps(high, last, offsets, x + 8 * stride, 4);
    return usl_avx512_join_ps(low, high);
}
"""

_SCATTER_PS = """\
static inline void usl_avx512_scatter_ps(float *x, int64_t stride, __mmask16 lanes, __m512 value)
{
    const __m512i offsets = usl_avx512_offsets(stride);
    const __mmask8 first = (__mmask8)lanes, last = (__mmask8)(lanes >> 8);
    _mm512_mask_i64scatter_ps(x, first, offsets, _mm512_castps512_ps256(value), 4);
    if (last != 0)
        _mm512_mask_i64scatter_ps(
            x + 8 * stride, last, offsets, _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(value), 1)), 4);
}
"""

_GATHER_PD = """\
/* Single loads: on Zen 4 twice as fast as the instruction that gathers. */
static inline __m512d usl_avx512_gather_pd(const double *x, int64_t stride)
{
    return _mm512_set_pd(
        x[7 * stride], x[6 * stride], x[5 * stride], x[4 * stride],
        x[3 * stride], x[2 * stride], x[stride], x[0]);
}
"""

_MASK_GATHER_PD = """\
static inline __m512d usl_avx512_mask_gather_pd(__m512d old, __mmask8 lanes, const double *x, int64_t stride)
{
    return _mm512_mask_i64gather_pd(old, lanes, usl_avx512_offsets(stride), x, 8);
}
"""

_SCATTER_PD = """\
static inline void usl_avx512_scatter_pd(double *x, int64_t stride, __mmask8 lanes, __m512d value)
{
    _mm512_mask_i64scatter_pd(x, lanes, usl_avx512_offsets(stride), value, 8);
}
"""

_STREAM_COPY = """\
static inline void usl_avx512_stream_copy_$s(int64_t n, $c *to, const $c *from)
{
    int64_t i = 0;
    for (; i < n && ((uintptr_t)(to + i) & 63u) != 0; i++)
        to[i] = from[i];
    for (; i + $lanes <= n; i += $lanes)
        _mm512_stream_$s(to + i, _mm512_loadu_$s(from + i));
    for (; i < n; i++)
        to[i] = from[i];
    _mm_sfence();
}
"""

_STREAM_SET1 = """\
static inline void usl_avx512_stream_set1_$s(int64_t n, $c *to, $c value)
{
    int64_t i = 0;
    for (; i < n && ((uintptr_t)(to + i) & 63u) != 0; i++)
        to[i] = value;
    for (; i + $lanes <= n; i += $lanes)
        _mm512_stream_$s(to + i, _mm512_set1_$s(value));
    for (; i < n; i++)
        to[i] = value;
    _mm_sfence();
}
"""


_STREAMU = """\
/* Lines of the cache that are written whole go past it; where address is in the middle of one, x is stored as usual. */
static inline void usl_avx512_streamu_$s(void *address, $v x)
{
    if (((uintptr_t)address & 63u) == 0)
        _mm512_stream_$s(address, x);
    else
        _mm512_storeu_$s(address, x);
}
"""


_KEPT = """\
/* x, as a value that a compiler computes once: a load that is used twice, gcc 12 does twice. */
static inline $v usl_avx512_kept_$s($v x)
{
#if defined(__GNUC__) && !defined(SIMDE_NO_NATIVE)
    __asm__("" : "+v"(x));
#endif
    return x;
}
"""

_FUNCTIONS = {
    "gather_ps": _GATHER_PS,
    "gather_pd": _GATHER_PD,
    "mask_gather_ps": _MASK_GATHER_PS,
    "mask_gather_pd": _MASK_GATHER_PD,
    "scatter_ps": _SCATTER_PS,
    "scatter_pd": _SCATTER_PD,
    **TRANSPOSITIONS,
    "stream_copy_ps": Template(_STREAM_COPY).substitute(_PS),
    "stream_copy_pd": Template(_STREAM_COPY).substitute(_PD),
    "stream_set1_ps": Template(_STREAM_SET1).substitute(_PS),
    "stream_set1_pd": Template(_STREAM_SET1).substitute(_PD),
    "kept_ps": Template(_KEPT).substitute(_PS),
    "kept_pd": Template(_KEPT).substitute(_PD),
    "offsets": _OFFSETS,
}

_USES = {
    "gather": ("gather",),
    "mask_gather": ("offsets", "mask_gather"),
    "scatter": ("offsets", "scatter"),
    "transpose": ("transpose",),
    "transposeu": ("transpose",),
    "mask_transposeu": ("transpose", "transpose_in_part"),
    "mask_accumulate_transposeu": ("transpose", "transpose_and_add"),
    "stream_copy": ("stream_copy",),
    "stream_set1": ("stream_set1",),
    "kept": ("kept",),
}


def _guarded(name: str) -> str:
    guard = f"USL_AVX512_{name.upper()}"
    return f"#ifndef {guard}\n#define {guard}\n{_FUNCTIONS[name].strip()}\n#endif\n"


def _parts(needed: tuple[str, ...], suffix: str) -> str:
    return "".join(_guarded(part if part in _FUNCTIONS else f"{part}_{suffix}") for part in needed)


MOVEMENT = {f"usl_avx512_{use}_{s}": _parts(needed, s) for use, needed in _USES.items() for s in ("ps", "pd")}
"""The C that each function needs at file scope, itself included."""

STREAM_TEXTS = {
    f"streamu_{s}": Template(_STREAMU).substitute(v=v, s=s)
    for s, v in (("ps", "__m512"), ("pd", "__m512d"), ("si512", "__m512i"))
}
"""Stores past the caches, without guards, by name without `usl_avx512_`."""
