"""Tables of 256 bytes in registers, for processors that permute bytes (AVX512_VBMI)."""

from __future__ import annotations

from typing import Any

from usl_avx512.isa.families import Table, family
from usl_avx512.isa.lanes import EPU8

VBMI = ("avx512vbmi",)

TABLE = Table(
    __name__,
    family(
        """
        @instr("{dst} = usl_avx512_lookup_bytes({table.ptr}, {k});", aliasable=("dst", "k"))
        def mm512_lookup_bytes(dst: [u8][64] @ AVX512, table: [u8][256] @ DRAM, k: [u8][64] @ AVX512):
            for i in seq(0, 64):
                dst[i] = table[idx(k[i], 0, 256)]
        """,
        EPU8,
        features=VBMI,
    ),
    family(
        """
        @instr("{dst} = _mm512_mask_mov_epi8({dst}, $mask, usl_avx512_lookup_bytes({table.ptr}, {k}));", aliasable=("dst", "k"))
        def mm512_mask_lookup_bytes(n: size, dst: [u8][64] @ AVX512, table: [u8][256] @ DRAM, k: [u8][64] @ AVX512):
            for i in seq(0, 64):
                if i < n:
                    dst[i] = table[idx(k[i], 0, 256)]
        """,
        EPU8,
        features=VBMI,
    ),
)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
