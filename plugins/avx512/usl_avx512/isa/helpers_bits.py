"""C that brings the bits of all lanes together: halves of the register, then of what is left, by one operation."""

from __future__ import annotations

from string import Template

_ALL = """
static inline uint64_t usl_avx512_all_$op(__m512i x)
{
    const __m256i y = _mm256_${op}_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    const __m128i z = _mm_${op}_si128(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_${op}_si128(z, _mm_unpackhi_epi64(z, z)));
}
"""
_NARROWER = """
static inline uint64_t usl_avx512_all_${op}_$bits(__m512i x)
{
    uint64_t all = usl_avx512_all_$op(x);
    for (int width = 32; width >= $bits; width /= 2)
        all $sign= all >> width;
    return all;
}
"""

OPERATIONS = {"and": "&", "or": "|", "xor": "^"}


def _texts() -> dict[str, str]:
    found: dict[str, str] = {}
    for op, sign in OPERATIONS.items():
        for bits in (8, 16, 32, 64):
            name = f"usl_avx512_all_{op}_{bits}"
            both = Template(_ALL).substitute(op=op), Template(_NARROWER).substitute(op=op, sign=sign, bits=bits)
            guards = f"usl_avx512_all_{op}".upper(), name.upper()
            found[name] = "".join(
                f"#ifndef {guard}\n#define {guard}\n{text.strip()}\n#endif\n" for guard, text in zip(guards, both, strict=True)
            )
    return found


BITS_TEXTS = _texts()
