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


TABLE = Table(__name__, _all())


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
