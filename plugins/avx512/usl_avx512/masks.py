"""Masks of leading lanes, for instructions that work on the first n lanes of a register."""

from __future__ import annotations

LANES_MACRO = """\
/* The mask of the lanes below n; all of them where n is at least 16. */
#define USL_AVX512_LANES(n) ((__mmask16)((n) < 16 ? (1u << (n)) - 1u : 0xffffu))
"""
"""C text that a masked instruction needs. It may stand in a file more than once: equal definitions of a macro are one."""

LANES = "USL_AVX512_LANES({n})"
"""The mask in a template with the control argument n >= 1."""

LANES8_MACRO = """\
/* The mask of the lanes below n; all of them where n is at least 8. */
#define USL_AVX512_LANES8(n) ((__mmask8)((n) < 8 ? (1u << (n)) - 1u : 0xffu))
"""
"""LANES_MACRO for registers of eight lanes."""

LANES8 = "USL_AVX512_LANES8({n})"
"""LANES for registers of eight lanes."""

LANES32_MACRO = """\
/* The mask of the lanes below n; all of them where n is at least 32. */
#define USL_AVX512_LANES32(n) ((__mmask32)((n) < 32 ? (1u << (n)) - 1u : 0xffffffffu))
"""
"""LANES_MACRO for registers of 32 lanes."""

LANES64_MACRO = """\
/* The mask of the lanes below n; all of them where n is at least 64. */
#define USL_AVX512_LANES64(n) ((__mmask64)((n) < 64 ? (1ull << (n)) - 1u : 0xffffffffffffffffull))
"""
"""LANES_MACRO for registers of 64 lanes."""

LANES_AVX2_MACRO = """\
/* All bits set in the lanes below n, of eight lanes of 32 bits. */
#define USL_AVX2_LANES(n) \\
    _mm256_cmpgt_epi32(_mm256_set1_epi32((n) < 8 ? (int)(n) : 8), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
"""
"""AVX2 has no mask registers: a mask is a vector."""

MACROS = {
    "USL_AVX512_LANES(": LANES_MACRO,
    "USL_AVX512_LANES8(": LANES8_MACRO,
    "USL_AVX512_LANES32(": LANES32_MACRO,
    "USL_AVX512_LANES64(": LANES64_MACRO,
    "USL_AVX2_LANES(": LANES_AVX2_MACRO,
}
"""What each macro needs at file scope, by how its use begins."""
