"""Every second or fourth element, or one of as many channels, as numbers so wide that they take the place of all: no shuffle.

`dst[i] = u16(src[2 * i])` is a load of 64 bytes of which the odd ones are cleared. The pairs of two such loads add up to an
image of half the width; `f32(x[i, c])` takes a channel of RGBA.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from usl_avx512.isa.families import Lanes, Source, Table, plain
from usl_avx512.isa.lanes import AVX512BW_VL, EPI16, EPI32, EPU16, EPU32, PS

ROWS = (("u8", EPU16), ("u8", EPI16), ("u16", EPU32), ("u16", EPI32), ("u16", PS), ("u8", EPU32), ("u8", EPI32), ("u8", PS))
"""The type in memory, and the registers."""


def _widened(source: str, row: Lanes) -> Iterator[Source]:
    bits, wide = int(source[1:]), 512 // row.l
    k, most = wide // bits, 512 // bits
    kept = "_mm512_set1_epi16(0x00ff)" if wide == 16 else f"_mm512_set1_epi32({(1 << bits) - 1:#x})"
    for form, lanes in (("", str(row.l)), ("mask_", f"({{n}} < {row.l} ? {{n}} : {row.l})")):
        loaded = f"usl_avx512_upto_{bits}x{most}({{src.ptr}}, {k} * ({lanes} - 1) + 1)"
        value = f"_mm512_and_si512({loaded}, {kept})"
        value = f"_mm512_cvtepi32_ps({value})" if row is PS else value
        value = f"{row.extra['mov']}({{dst}}, {row.extra['mask']}, {value})" if form else value
        count = "n" if form else str(row.l)
        size, guard = ("n: size, ", f"if i < n:\n{' ' * 28}") if form else ("", "")
        for name, shape, index, known in (
            (f"{k}", f"[{source}][{k} * {count} - {k - 1}]", f"{k} * i", ""),
            (f"_of{k}", f"[{source}][{count}]", "i", f"assert stride(src, 0) == {k}\n{' ' * 20}"),
        ):
            yield from plain(
                f"""
                @instr("{{dst}} = {value};")
                def mm512_{form}load{name}_{source}_{row.s}({size}dst: [{row.t}][{row.l}] @ AVX512, src: {shape} @ DRAM):
                    {known}for i in seq(0, {row.l}):
                        {guard}dst[i] = {row.t}(src[{index}])
                """,
                *AVX512BW_VL,
            )


TABLE = Table(__name__, chain.from_iterable(_widened(source, row) for source, row in ROWS))


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
