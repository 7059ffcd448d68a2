"""From any type to any other in registers with as many lanes: casts of the object language, exact or rounded once.

`mm512_cast_u8_i32` works on sixteen lanes, `mm512_cast32_u8_i16` on 32. Integers narrow by keeping the low part; f32 to
integers saturates and makes NaN 0. What `conversions` has, loads and stores that convert and those between 32-bit types, is not
repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from usl_avx512.isa.families import Lanes, Source, Table, plain
from usl_avx512.isa.lanes import AVX512BW_VL, OF_LANES

LANES = (16, 32, 64)
THERE = {("i32", "f32"), ("u32", "f32"), ("f32", "i32")}
"""`conversions` has these."""

_SATURATED = "usl_avx512_saturate_ps({src})"
_POSITIVE = f"_mm512_max_epi32({_SATURATED}, _mm512_setzero_si512())"
FROM_FLOAT = {
    "u32": "_mm512_cvttps_epu32(_mm512_max_ps({src}, _mm512_setzero_ps()))",
    "i16": f"_mm512_cvtsepi32_epi16({_SATURATED})",
    "u16": f"_mm512_cvtusepi32_epi16({_POSITIVE})",
    "i8": f"_mm512_cvtsepi32_epi8({_SATURATED})",
    "u8": f"_mm512_cvtusepi32_epi8({_POSITIVE})",
}
"""The conversion to u32 makes what is too large the greatest u32, and `max` gives its second operand where one is NaN."""


def _value(source: Lanes, target: Lanes) -> str:
    """C for `{src}` in another type."""
    if source.t == "f32":
        return FROM_FLOAT[target.t]
    if target.t == "f32":
        return f"_mm512_cvtepi32_ps(_mm512_cvtep{source.t[0]}{source.t[1:]}_epi32({{src}}))"
    narrow, wide = int(source.t[1:]), int(target.t[1:])
    if narrow == wide:
        return "{src}"
    if narrow < wide:
        return f"{target.extra['i']}_cvtep{source.t[0]}{narrow}_epi{wide}({{src}})"
    return f"{source.extra['i']}_cvtepi{narrow}_epi{wide}({{src}})"


def _cast(source: Lanes, target: Lanes) -> Iterator[Source]:
    value, lanes = _value(source, target), "" if source.l == 16 else source.l
    name, mask = f"cast{lanes}_{source.t}_{target.t}", target.extra["mask"]
    operands = f"dst: [{target.t}][{target.l}] @ {target.memory}, src: [{source.t}][{source.l}] @ {source.memory}"
    for form, c in (("", value), ("mask_", f"{target.extra['mov']}({{dst}}, {mask}, {value})")):
        size, guard = ("n: size, ", "if i < n:\n                        ") if form else ("", "")
        yield from plain(
            f"""
            @instr("{{dst}} = {c};")
            def mm512_{form}{name}({size}{operands}):
                for i in seq(0, {target.l}):
                    {guard}dst[i] = {target.t}(src[i])
            """,
            *AVX512BW_VL,
        )


def _all() -> Iterator[Source]:
    for lanes in LANES:
        for source in OF_LANES[lanes]:
            for target in OF_LANES[lanes]:
                if source.t != target.t and (source.t, target.t) not in THERE:
                    yield from _cast(source, target)


TABLE = Table(__name__, _all())


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
