"""Masks of leading lanes, for instructions that work on the first n of sixteen or eight."""

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
