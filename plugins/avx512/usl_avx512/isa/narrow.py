"""Lanes of 8 and 16 bits: moves of parts of registers, masked arithmetic, sums that saturate, averages, differences.

Registers that 32-bit lanes fill go with halves of 16-bit lanes and quarters of 8-bit ones, so that a loop of one width mixes
the types. Arithmetic wraps unless a body says otherwise, so every template is exact. What `integers` has is not repeated.
Reference: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, PADDUSB, PAVGB, PSUBUSB, PMULHUW.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from usl_avx512.isa.families import Lanes, Source, Table, family, lanewise
from usl_avx512.isa.lanes import (
    EPI8,
    EPI16,
    EPI32,
    EPI64,
    EPU8,
    EPU16,
    EPU32,
    PARTS,
    X_EPI8,
    X_EPU8,
    Y_EPI8,
    Y_EPI16,
    Y_EPU8,
    Y_EPU16,
)

NARROW = (EPI16, EPU16, EPI8, EPU8)
"""Whole registers, of which `integers` has the forms without masks."""
ALL = (*PARTS, *NARROW)
SHORTS = (Y_EPI16, Y_EPU16, EPI16, EPU16)
SIGNED = (Y_EPI16, EPI16, Y_EPI8, X_EPI8, EPI8)
UNSIGNED = (Y_EPU16, EPU16, Y_EPU8, X_EPU8, EPU8)
BYTES = (Y_EPU8, X_EPU8, EPU8)
MASKED = ("mask_",)

MOVES = chain(
    *(
        # kernels_int has loads and stores of sixteen u16
        family(text, *(row for row in PARTS if row is not Y_EPU16 or "mask" in text))
        for text in (
            """
            @instr("{dst} = $whole;")
            def ${p}_loadu_$s(dst: [$t][$l] @ $m, src: [$t][$l] @ DRAM):
                for i in seq(0, $l):
                    dst[i] = src[i]
            """,
            """
            @instr("$put;")
            def ${p}_storeu_$s(dst: [$t][$l] @ DRAM, src: [$t][$l] @ $m):
                for i in seq(0, $l):
                    dst[i] = src[i]
            """,
            """
            @instr("{dst} = $masked({dst}, $mask, {src.ptr});")
            def ${p}_mask_loadu_$s(n: size, dst: [$t][$l] @ $m, src: [$t][n] @ DRAM):
                for i in seq(0, $l):
                    if i < n:
                        dst[i] = src[i]
            """,
            """
            @instr("$put_masked({dst.ptr}, $mask, {src});")
            def ${p}_mask_storeu_$s(n: size, dst: [$t][n] @ DRAM, src: [$t][$l] @ $m):
                for i in seq(0, $l):
                    if i < n:
                        dst[i] = src[i]
            """,
        )
    ),
    lanewise("set1", "dst[i] = a", "$one", *PARTS),
    lanewise("set1", "dst[i] = a", "$one", *NARROW, EPU32, forms=MASKED),
    lanewise("mov", "dst[i] = src[i]", "{src}", *PARTS),
    lanewise("mov", "dst[i] = src[i]", "{src}", *NARROW, EPI32, EPU32, EPI64, forms=MASKED),
)


def _both(name: str, statement: str, value: str, *rows: Lanes, **options: Any) -> Iterator[Source]:
    """All forms for parts of registers, and the masked one for whole registers, of which `integers` has the other."""
    yield from lanewise(name, statement, value, *(row for row in rows if row in PARTS), **options)
    yield from lanewise(name, statement, value, *(row for row in rows if row not in PARTS), forms=MASKED, **options)


ARITHMETIC = chain(
    _both("add", "dst[i] += src[i]", "${i}_add_$b({dst}, {src})", *(row for row in ALL if row is not EPU16), alias=False),
    lanewise("add", "dst[i] += src[i]", "${i}_add_$b({dst}, {src})", EPU16, forms=MASKED, alias=False),
    _both("add3", "dst[i] = a[i] + b[i]", "${i}_add_$b({a}, {b})", *ALL),
    _both("sub", "dst[i] = a[i] - b[i]", "${i}_sub_$b({a}, {b})", *ALL),
    _both("mul", "dst[i] = a[i] * b[i]", "${i}_mullo_$b({a}, {b})", *SHORTS),
    _both("min", "dst[i] = min(a[i], b[i])", "${i}_min_$u({a}, {b})", *ALL),
    _both("max", "dst[i] = max(a[i], b[i])", "${i}_max_$u({a}, {b})", *ALL),
    lanewise("abs", "dst[i] = abs(src[i])", "${i}_abs_$b({src})", *SIGNED),
    lanewise("neg", "dst[i] = -src[i]", "${i}_sub_$b(_mm512_setzero_si512(), {src})", *NARROW, EPI32, EPU32, EPI64),
    lanewise("neg", "dst[i] = -src[i]", "_mm256_sub_$b(_mm256_setzero_si256(), {src})", Y_EPI16, Y_EPU16, Y_EPI8, Y_EPU8),
    lanewise("neg", "dst[i] = -src[i]", "_mm_sub_$b(_mm_setzero_si128(), {src})", X_EPI8, X_EPU8),
)

SATURATING = chain(
    _both("avg", "dst[i] = $t(($w(a[i]) + $w(b[i]) + 1) / 2)", "${i}_avg_$u({a}, {b})", *UNSIGNED),
    _both("adds", "dst[i] = $t(min($w(a[i]) + $w(b[i]), $greatest))", "${i}_adds_$u({a}, {b})", *UNSIGNED),
    lanewise("adds2", "dst[i] = $t(min($greatest, $w(a[i]) + $w(b[i])))", "${i}_adds_$u({a}, {b})", *UNSIGNED),
    *(
        lanewise(
            f"{name}s",
            f"dst[i] = $t(clamp($w(a[i]) {op} $w(b[i]), $least, $greatest))",
            f"${{i}}_{name}s_$b({{a}}, {{b}})",
            *SIGNED,
        )
        for name, op in (("add", "+"), ("sub", "-"))
    ),
    *(
        lanewise(
            f"{name}s2",
            f"dst[i] = $t(min(max($w(a[i]) {op} $w(b[i]), $least), $greatest))",
            f"${{i}}_{name}s_$b({{a}}, {{b}})",
            *SIGNED,
        )
        for name, op in (("add", "+"), ("sub", "-"))
    ),
    _both("subs", "dst[i] = max(a[i], b[i]) - b[i]", "${i}_subs_$u({a}, {b})", *UNSIGNED),
    lanewise("subs2", "dst[i] = a[i] - min(a[i], b[i])", "${i}_subs_$u({a}, {b})", *UNSIGNED),
    lanewise("subs3", "dst[i] = $t(max($ws(a[i]) - $ws(b[i]), 0))", "${i}_subs_$u({a}, {b})", *UNSIGNED),
    lanewise(
        "absd", "dst[i] = max(a[i], b[i]) - min(a[i], b[i])", "${i}_sub_$b(${i}_max_$u({a}, {b}), ${i}_min_$u({a}, {b}))", *ALL
    ),
    lanewise(
        "absd2",
        "dst[i] = $t(abs($ws(a[i]) - $ws(b[i])))",
        "${i}_sub_$b(${i}_max_$u({a}, {b}), ${i}_min_$u({a}, {b}))",
        *UNSIGNED,
    ),
    lanewise("mulhi", "dst[i] = u16(u32(a[i]) * u32(b[i]) / 65536)", "${i}_mulhi_epu16({a}, {b})", Y_EPU16, EPU16),
)
"""Sums and differences that do not wrap, averages rounded up, distances between numbers; a number after the name is another
way to write the same."""

WIDER = chain(
    lanewise("min", "dst[i] = min(a[i], b[i])", "_mm512_min_epi64({a}, {b})", EPI64),
    lanewise("max", "dst[i] = max(a[i], b[i])", "_mm512_max_epi64({a}, {b})", EPI64),
)
"""What `integers` lacks of 32 and 64 bits."""

TABLE = Table(__name__, MOVES, ARITHMETIC, SATURATING, WIDER)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
