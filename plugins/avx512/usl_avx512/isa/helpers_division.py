"""The C functions behind the templates of `divisions`: quotients and remainders of lanes by one number.

A quotient is the high half of a product with the reciprocal of the divisor, rounded up, and a shift. Where the divisor is a
literal, a compiler computes the reciprocal. For numbers below 2^N the reciprocal m = floor(2^(N+l) / d) + 1 with
2^(l-1) < d <= 2^l is exact, but has N + 1 bits; it has N bits if l - 1 does for l, which holds where
m d - 2^(N+l-1) <= 2^(l-1); else the highest bit is added by hand. Signed numbers are mirrored at -1/2, which rounds down, and
have a bit less. Reference: Granlund and Montgomery 1994, Division by invariant integers using multiplication, theorem 4.2.
"""

from __future__ import annotations

from collections.abc import Iterator

_CEIL_LOG2 = """
/* The least l with d <= 2^l, d >= 1. */
static inline int usl_avx512_ceil_log2(uint32_t d)
{
    int l = 0;
    for (int bit = 0; bit < 32; bit++)
        l += d > (1u << bit) ? 1 : 0;
    return l;
}
"""


def _v(size: int) -> str:
    return f"__m{size}i"


def _i(size: int) -> str:
    return {128: "_mm", 256: "_mm256", 512: "_mm512"}[size]


def _high32() -> str:
    return """
/* The high halves of products of 32-bit lanes; the even and the odd lanes are multiplied apart. */
static inline __m512i usl_avx512_mulhi_epu32(__m512i x, uint32_t m)
{
    const __m512i factor = _mm512_set1_epi64((long long)(uint64_t)m);
    const __m512i even = _mm512_srli_epi64(_mm512_mul_epu32(x, factor), 32);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), factor);
    return _mm512_mask_mov_epi32(even, 0xaaaa, odd);
}
"""


def _unsigned(bits: int, lanes: int) -> str:
    size, i = bits * lanes, _i(bits * lanes)
    one = "(short)" if bits == 16 else "(int)"
    high = f"{i}_mulhi_epu16(x, {i}_set1_epi16((short)m))" if bits == 16 else "usl_avx512_mulhi_epu32(x, (uint32_t)m)"
    return f"""
static inline {_v(size)} usl_avx512_div_epu{bits}x{lanes}({_v(size)} x, uint{bits}_t d)
{{
    if (d <= 1)
        return d == 1 ? x : {i}_setzero_si{size}();
    const int l = usl_avx512_ceil_log2(d);
    if (((uint32_t)d & ((uint32_t)d - 1u)) == 0)
        return {i}_srlv_epi{bits}(x, {i}_set1_epi{bits}({one}l));
    const uint64_t power = (uint64_t)1 << ({bits} + l - 1), most = power + ((uint64_t)1 << (l - 1));
    uint64_t m = power / d + 1;
    if (m * d <= most)
        return {i}_srlv_epi{bits}({high}, {i}_set1_epi{bits}({one}(l - 1)));
    m = ((((uint64_t)1 << l) - d) << {bits}) / d + 1; /* less 2^{bits}, which is added as x */
    const {_v(size)} high = {high};
    const {_v(size)} sum = {i}_add_epi{bits}(high, {i}_srli_epi{bits}({i}_sub_epi{bits}(x, high), 1));
    return {i}_srlv_epi{bits}(sum, {i}_set1_epi{bits}({one}(l - 1)));
}}
"""


def _signed(bits: int, lanes: int) -> str:
    size, i = bits * lanes, _i(bits * lanes)
    one = "(short)" if bits == 16 else "(int)"
    high = f"{i}_mulhi_epu16(y, {i}_set1_epi16((short)m))" if bits == 16 else "usl_avx512_mulhi_epu32(y, (uint32_t)m)"
    pointer = "" if size == 512 else f"({_v(size)} *)"
    const = "" if size == 512 else f"(const {_v(size)} *)"
    return f"""
static inline {_v(size)} usl_avx512_div_epi{bits}x{lanes}({_v(size)} x, int{bits}_t d)
{{
    if (d <= 0) {{
        int{bits}_t lanes[{lanes}];
        {i}_storeu_si{size}({pointer}lanes, x);
        for (int lane = 0; lane < {lanes}; lane++) {{
            const int64_t n = -(int64_t)lanes[lane], by = -(int64_t)d;
            lanes[lane] = (int{bits}_t)(by == 0 ? 0 : n / by - (n % by < 0 ? 1 : 0));
        }}
        return {i}_loadu_si{size}({const}lanes);
    }}
    const int l = usl_avx512_ceil_log2((uint32_t)d);
    if (((uint32_t)d & ((uint32_t)d - 1u)) == 0)
        return {i}_srav_epi{bits}(x, {i}_set1_epi{bits}({one}l));
    const uint64_t m = ((uint64_t)1 << ({bits - 1} + l)) / (uint64_t)d + 1;
    const {_v(size)} sign = {i}_srai_epi{bits}(x, {bits - 1}), y = {i}_xor_si{size}(x, sign);
    return {i}_xor_si{size}({i}_srlv_epi{bits}({high}, {i}_set1_epi{bits}({one}(l - 1))), sign);
}}
"""


def _rest(sign: str, bits: int, lanes: int) -> str:
    size, i = bits * lanes, _i(bits * lanes)
    one = "(short)" if bits == 16 else "(int)"
    c = f"{'u' if sign == 'u' else ''}int{bits}_t"
    s = f"ep{sign}{bits}x{lanes}"
    return f"""
static inline {_v(size)} usl_avx512_rem_{s}({_v(size)} x, {c} d)
{{
    if (d == 0)
        return {i}_setzero_si{size}();
    const {_v(size)} multiple = {i}_mullo_epi{bits}(usl_avx512_div_{s}(x, d), {i}_set1_epi{bits}({one}d));
    return {i}_sub_epi{bits}(x, multiple);
}}
"""


def _byte(operation: str, sign: str, lanes: int) -> str:
    """Bytes as 16-bit numbers: a quotient or remainder of bytes is a byte."""
    size, c = 8 * lanes, "uint8_t" if sign == "u" else "int8_t"
    head = f"static inline {_v(size)} usl_avx512_{operation}_ep{sign}8x{lanes}({_v(size)} x, {c} d)"
    wide = min(2 * size, 512)
    inner = f"usl_avx512_{operation}_ep{sign}16x{wide // 16}"

    def part(value: str) -> str:
        return f"{_i(wide)}_cvtepi16_epi8({inner}({_i(wide)}_cvtep{sign}8_epi16({value}), d))"

    if lanes < 64:
        return f"\n{head}\n{{\n    return {part('x')};\n}}\n"
    return f"""
{head}
{{
    const __m256i low = {part("_mm512_castsi512_si256(x)")};
    const __m256i high = {part("_mm512_extracti64x4_epi64(x, 1)")};
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}}
"""


def _all() -> Iterator[tuple[str, str]]:
    yield "ceil_log2", _CEIL_LOG2
    yield "mulhi_epu32", _high32()
    for bits, lanes in ((16, 16), (16, 32), (32, 16)):
        yield f"div_epu{bits}x{lanes}", _unsigned(bits, lanes)
        yield f"div_epi{bits}x{lanes}", _signed(bits, lanes)
        for sign in ("u", "i"):
            yield f"rem_ep{sign}{bits}x{lanes}", _rest(sign, bits, lanes)
    for operation in ("div", "rem"):
        for sign in ("u", "i"):
            for lanes in (16, 32, 64):
                yield f"{operation}_ep{sign}8x{lanes}", _byte(operation, sign, lanes)


DIVISION_TEXTS = dict(_all())
"""The functions, without guards, by name without `usl_avx512_`; each stands after those that it calls."""
