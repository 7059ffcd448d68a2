"""Operations on the bits of integers, and shifts by as many places as another register or one number says.

A shift of the object language counts its amount as a number without a sign and shifts everything out from the width on, which
is what the instructions do, so that templates are exact for every amount. There are none for lanes of 8 bits.
Reference: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, VPSLLV, VPSRLV, VPSRAV, VPTERNLOG.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from usl_avx512.isa.families import Table, family, lanewise
from usl_avx512.isa.helpers_bits import OPERATIONS
from usl_avx512.isa.lanes import EPI8, EPI16, EPI32, EPI64, EPU8, EPU16, EPU32, EPU64, PD, PS

ALL = (EPI64, EPU64, EPI32, EPU32, EPI16, EPU16, EPI8, EPU8)
SIGNED, UNSIGNED = (EPI64, EPI32, EPI16), (EPU64, EPU32, EPU16)

LOGICAL = chain(
    *(
        chain(
            lanewise(op, f"dst[i] = a[i] {sign} b[i]", f"_mm512_{op}_si512({{a}}, {{b}})", *ALL),
            lanewise(f"{op}_into", f"dst[i] {sign}= src[i]", f"_mm512_{op}_si512({{dst}}, {{src}})", *ALL, alias=False),
            lanewise(f"{op}_set1", f"dst[i] = src[i] {sign} a", f"_mm512_{op}_si512({{src}}, $one)", *ALL),
        )
        for op, sign in OPERATIONS.items()
    ),
    lanewise("andnot", "dst[i] = ~a[i] & b[i]", "_mm512_andnot_si512({a}, {b})", *ALL),
    lanewise(
        "merge",
        "dst[i] = a[i] ^ (a[i] ^ b[i]) & mask[i]",
        "_mm512_ternarylogic_epi32({a}, {b}, {mask}, 0xd8)",
        EPU64,
        EPU32,
    ),
    lanewise("not", "dst[i] = ~src[i]", "_mm512_ternarylogic_epi32({src}, {src}, {src}, 0x55)", *ALL),
)
"""Register by register, onto the target, with one number in all lanes. `merge` has the bits of b where the mask's are set."""

SHIFTS = chain(
    lanewise("sll", "dst[i] = a[i] << b[i]", "_mm512_sllv_$b({a}, {b})", *SIGNED, *UNSIGNED),
    lanewise("sra", "dst[i] = a[i] >> b[i]", "_mm512_srav_$b({a}, {b})", *SIGNED),
    lanewise("srl", "dst[i] = a[i] >> b[i]", "_mm512_srlv_$b({a}, {b})", *UNSIGNED),
    lanewise("sll_set1", "dst[i] = src[i] << a", "_mm512_sllv_$b({src}, $one)", *SIGNED, *UNSIGNED),
    lanewise("sra_set1", "dst[i] = src[i] >> a", "_mm512_srav_$b({src}, $one)", *SIGNED),
    lanewise("srl_set1", "dst[i] = src[i] >> a", "_mm512_srlv_$b({src}, $one)", *UNSIGNED),
)

_START = {"and": "-1", "or": "0", "xor": "0"}
REDUCTIONS = chain(
    *(
        family(
            f"""
            @instr("*{{dst.ptr}} = ($c)(*{{dst.ptr}} {sign} ($c)usl_avx512_all_{op}_$bits({{src}}));")
            def mm512_reduce_{op}_$s(dst: $t @ DRAM, src: [$t][$l] @ AVX512):
                for i in seq(0, $l):
                    dst {sign}= src[i]
            """,
            *ALL,
        )
        for op, sign in OPERATIONS.items()
    ),
    *(
        family(
            f"""
            @instr("*{{dst.ptr}} = ($c)(*{{dst.ptr}} {sign} "
                   "($c)usl_avx512_all_{op}_$bits($mov(_mm512_set1_epi64({_START[op]}), $mask, {{src}})));")
            def mm512_mask_reduce_{op}_$s(n: size, dst: $t @ DRAM, src: [$t][$l] @ AVX512):
                for i in seq(0, $l):
                    if i < n:
                        dst {sign}= src[i]
            """,
            *ALL,
        )
        for op, sign in OPERATIONS.items()
    ),
)
"""All lanes onto a number in memory."""

FLOATS = chain(
    family(
        """
        @instr("{dst} = _mm512_cast${s}_si512({src});")
        def mm512_bits_$s(dst: [u$bits][$l] @ AVX512, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                dst[i] = bits(src[i])
        """,
        PS,
        PD,
    ),
    family(
        """
        @instr("{dst} = _mm512_castsi512_$s({src});")
        def mm512_from_bits_$s(dst: [$t][$l] @ AVX512, src: [u$bits][$l] @ AVX512):
            for i in seq(0, $l):
                dst[i] = from_bits(src[i])
        """,
        PS,
        PD,
    ),
)
"""The bits of floats as integers and back: the same register under another type."""

TABLE = Table(__name__, LOGICAL, SHIFTS, REDUCTIONS, FLOATS)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
