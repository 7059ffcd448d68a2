"""Steps of scans in a register, and reads of single lanes.

A step combines each lane from d on with the one d lanes before; steps of 1, 2, 4 and 8 are a scan of 16 lanes, which is what
`recursive_doubling` makes of a loop. Reference: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, VPERMPS.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from usl_avx512.isa.families import Table, family
from usl_avx512.isa.lanes import EPI32, EPI64, EPU32, EPU64, PD, PS

FLOATS = (PS, PD)
INTEGERS = (EPI32, EPU32, EPI64, EPU64)
STATEMENTS = {"add": "t[i] += u[i]", "mul": "t[i] *= u[i]", "min": "t[i] @= min(u[i])", "max": "t[i] @= max(u[i])"}
_OF_INTEGERS = {"add": "add_$b", "min": "min_$u", "max": "max_$u"}

STEPS = chain.from_iterable(
    family(
        f"""
        @instr("{{t}} = _mm512_mask_{intrinsic}({{t}}, ($k)(~0u << {{d}}), {{t}}, usl_avx512_behind_{suffix}({{t}}, {{d}}));")
        def mm512_scan_{name}_$s(d: size, t: [$t][$l] @ AVX512):
            assert d < $l
            u: $t[$l]
            for i in seq(d, $l):
                u[i] = t[i - d]
            for i in seq(d, $l):
                {STATEMENTS[name]}
        """,
        *rows,
    )
    for name, intrinsic, suffix, rows in (
        *((name, f"{name}_$s", "$s", FLOATS) for name in STATEMENTS),
        *((name, intrinsic, "epi$bits", INTEGERS) for name, intrinsic in _OF_INTEGERS.items()),
    )
)

SINGLES = chain.from_iterable(
    family(
        f"""
        @instr("*{{dst.ptr}} = {value};")
        def mm512_{name}_$s(dst: $t @ DRAM, src: [$t][$l] @ AVX512):
            dst = src[{lane}]
        """,
        row,
    )
    for row, get in (
        (PS, "_mm512_cvtss_f32({})"),
        (PD, "_mm512_cvtsd_f64({})"),
        (EPI32, "_mm_cvtsi128_si32(_mm512_castsi512_si128({}))"),
        (EPU32, "(uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128({}))"),
        (EPI64, "_mm_cvtsi128_si64(_mm512_castsi512_si128({}))"),
        (EPU64, "(uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128({}))"),
    )
    for name, lane, moved in (
        ("first", 0, "{src}"),
        ("last", row.l - 1, f"usl_avx512_behind_{row.s.replace('epu', 'epi')}({{src}}, 1)"),
    )
    for value in (get.format(moved),)
)

TABLE = Table(__name__, STEPS, SINGLES)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
