"""`select(a, b, x, y)`, x where a < b and else y: the numbers compared of any type, those chosen of any with as many lanes.

`mm512_select_u8_i32` compares u8 and chooses i32, sixteen lanes of each; with 32 and 64 lanes it is `mm512_select32_u8_i16`. A
comparison with NaN is false. What `floats` has, f32 and f64 that choose numbers as wide, is not repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from usl_avx512.isa.families import Lanes, Source, Table, plain
from usl_avx512.isa.lanes import AVX512BW_VL, OF_LANES

THERE = {("f32", "f32"), ("f32", "i32"), ("f64", "f64"), ("f64", "i64")}
"""`floats` has these."""


def _select(compared: Lanes, chosen: Lanes) -> Iterator[Source]:
    lanes, t = "" if chosen.l in (8, 16) else chosen.l, chosen.t
    name, mov = f"select{lanes}_{compared.t}_{t}", chosen.extra["mov"]
    value = f"{mov}({{y}}, {compared.extra['less']}, {{x}})"
    register, own = f"[{compared.t}][{compared.l}] @ {compared.memory}", f"[{t}][{chosen.l}] @ {chosen.memory}"
    shared = ("dst", "a", "b", "x", "y") if compared is chosen else ("dst", "x", "y")
    for form, c in (("", value), ("mask_", f"{mov}({{dst}}, {chosen.extra['mask']}, {value})")):
        size, guard = ("n: size, ", "if i < n:\n                        ") if form else ("", "")
        yield from plain(
            f"""
            @instr("{{dst}} = {c};", aliasable={shared!r})
            def mm512_{form}{name}({size}dst: {own}, a: {register}, b: {register}, x: {own}, y: {own}):
                for i in seq(0, {chosen.l}):
                    {guard}dst[i] = select(a[i], b[i], x[i], y[i])
            """,
            *(AVX512BW_VL if chosen.l > 8 else chosen.features),
        )


def _all() -> Iterator[Source]:
    for rows in OF_LANES.values():
        for compared in rows:
            for chosen in rows:
                if (compared.t, chosen.t) not in THERE:
                    yield from _select(compared, chosen)


def _by_memory(mirrored: bool) -> Iterator[Source]:
    """i32s chosen by sixteen i64s in memory, which fill two registers, and one number."""
    less = "_mm512_mask_cmp{how}_epi64_mask((__mmask8)({lanes} >> {first}), {load}, _mm512_set1_epi64({{b}}))"
    how = "gt" if mirrored else "lt"
    for form, lanes, size in (("", "0xffff", ""), ("mask_", "USL_AVX512_LANES({n})", "n: size, ")):
        halves = [
            less.format(how=how, lanes=lanes, first=first, load=load)
            for first, load in (
                (0, f"_mm512_maskz_loadu_epi64((__mmask8){lanes}, {{a.ptr}})"),
                (8, f"_mm512_maskz_loadu_epi64((__mmask8)({lanes} >> 8), {{a.ptr}} + 8)"),
            )
        ]
        halves = [each.replace("{{", "{").replace("}}", "}") for each in halves]
        chosen = f"_mm512_mask_mov_epi32({{y}}, (__mmask16)({halves[0]} | ({halves[1]} << 8)), {{x}})"
        c = f"_mm512_mask_mov_epi32({{dst}}, {lanes}, {chosen})" if form else chosen
        keys, guard = ("n", "if i < n:\n                        ") if form else ("16", "")
        compared = "b, a[i]" if mirrored else "a[i], b"
        register = "[i32][16] @ AVX512"
        yield from plain(
            f"""
            @instr("{{dst}} = {c};", aliasable=("dst", "x", "y"))
            def mm512_{form}select_{"above" if mirrored else "below"}_m64_i32({size}dst: {register}, a: [i64][{keys}] @ DRAM,
                                                              b: i64, x: {register}, y: {register}):
                for i in seq(0, 16):
                    {guard}dst[i] = select({compared}, x[i], y[i])
            """,
            *AVX512BW_VL,
        )


TABLE = Table(__name__, _all(), _by_memory(mirrored=False), _by_memory(mirrored=True))


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
