"""Lanes found by number: elements of tables, and the lanes' own numbers.

`table[idx(k[i], lo, hi)]` with k of one type and what is found of another: elements of 32 and 64 bits are gathered, narrower
ones are loaded one by one, but for tables of 256 bytes on processors that permute bytes (AVX512_VBMI): `bytes_table`, which is
in a table of its own. `iota` counts upwards, `parity` is 0 and 1 by turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from string import Template
from typing import Any

from usl_avx512.isa.families import Lanes, Source, Table, plain
from usl_avx512.isa.helpers_lookup import indices
from usl_avx512.isa.lanes import AVX512BW_VL, EPI32, EPU32, OF_LANES, PS

ROWS = [row for rows in OF_LANES.values() for row in rows]


def _forms(row: Lanes, name: str, value: str, formals: str, statement: str, known: str = "") -> Iterator[Source]:
    """A value in all lanes, and in those below n."""
    for form, c in (("", value), ("mask_", f"{row.extra['mov']}({{dst}}, {row.extra['mask']}, {value})")):
        size, guard = ("n: size, ", "if i < n:\n                        ") if form else ("", "")
        asserts = f"assert {known}\n                " if known else ""
        yield from plain(
            f"""
            @instr("{{dst}} = {c};")
            def {row.p}_{form}{name}({size}{formals}):
                {asserts}for i in seq(0, {row.l}):
                    {guard}{statement}
            """,
            *(row.features if row.l == 8 else AVX512BW_VL),
        )


def _lookup(row: Lanes, by: Lanes) -> Iterator[Source]:
    how = "gathered" if row.extra["bits"] in ("32", "64") else "lookup"
    found = f"usl_avx512_{how}_{row.extra['x']}_{by.t}({{table.ptr}}, {{k}}, {{lo}}, {{hi}})"
    register = f"[{row.t}][{row.l}] @ {row.memory}"
    yield from _forms(
        row,
        f"lookup_{by.t}_{row.s}",
        Template(row.extra["as_own"]).substitute(x=found),
        f"lo: index, hi: index, m: size, dst: {register}, table: [{row.t}][m] @ DRAM, k: [{by.t}][{by.l}] @ {by.memory}",
        "dst[i] = table[idx(k[i], lo, hi)]",
        "0 <= lo and lo < hi and hi <= m",
    )


LOOKUPS = chain.from_iterable(
    _lookup(row, by) for rows in OF_LANES.values() for row in rows if row.t != "i8" for by in rows if by.t in indices(row.l)
)


def _lookup_by_memory(row: Lanes) -> Iterator[Source]:
    """By sixteen i64s in memory, which fill two registers."""
    found = "usl_avx512_gathered_32x16_m64({table.ptr}, {k.ptr}, $mask, {lo}, {hi})"
    for form, mask, size in (("", "0xffff", ""), ("mask_", row.extra["mask"], "n: size, ")):
        keys, guard = ("n", "if i < n:\n                        ") if form else ("16", "")
        value = Template(row.extra["as_own"]).substitute(x=found.replace("$mask", mask))
        value = f"{row.extra['mov']}({{dst}}, {mask}, {value})" if form else value
        yield from plain(
            f"""
            @instr("{{dst}} = {value};")
            def mm512_{form}lookup_m64_{row.s}({size}lo: index, hi: index, m: size, dst: [{row.t}][16] @ AVX512,
                                                table: [{row.t}][m] @ DRAM, k: [i64][{keys}] @ DRAM):
                assert 0 <= lo and lo < hi and hi <= m
                for i in seq(0, 16):
                    {guard}dst[i] = table[idx(k[i], lo, hi)]
            """,
            *AVX512BW_VL,
        )


LOOKUPS_BY_MEMORY = chain.from_iterable(map(_lookup_by_memory, (PS, EPI32, EPU32)))


def _numbers(row: Lanes, values: list[int]) -> str:
    """A register of small numbers that are not negative."""
    bits, size = int(row.extra["bits"]), int(row.extra["bits"]) * row.l
    each = 32 // bits if bits < 32 else 1
    words = [sum(values[at + part] << (bits * part) for part in range(each)) for at in range(0, row.l, each)]
    return f"{row.extra['i']}_setr_epi{max(bits, 32)}{'x' if bits == 64 and size < 512 else ''}({', '.join(map(str, words))})"


def _iota(row: Lanes) -> Iterator[Source]:
    value = f"usl_avx512_counted_{row.s}({{start}})"
    if row.t[0] != "f":
        casts = {"8": "(char)", "16": "(short)", "32": "(int)", "64": "(long long)"}
        first = f"{row.extra['i']}_set1_{row.extra['b']}({casts[row.extra['bits']]}({{start}}))"
        value = f"{row.extra['i']}_add_{row.extra['b']}({first}, {_numbers(row, list(range(row.l)))})"
    register = f"[{row.t}][{row.l}] @ {row.memory}"
    for form in _forms(row, f"iota_{row.s}", value, f"start: index, dst: {register}", f"dst[i] = {row.t}(start + i)"):
        if form.name not in ("mm512_iota_epi32", "mm512_iota_epi64"):  # those are in `integers`
            yield form


def _parity(row: Lanes, odd: int) -> Iterator[Source]:
    turns = [(lane + odd) % 2 for lane in range(row.l)]
    if row.t[0] != "f":
        value = _numbers(row, turns)
    else:
        mask = sum(turn << lane for lane, turn in enumerate(turns))
        value = f"_mm512_maskz_mov_{row.s}((__mmask{row.l}){mask:#x}u, _mm512_set1_{row.s}(1.0{'f' if row.s == 'ps' else ''}))"
    number = "(i + 1) % 2" if odd else "i % 2"
    yield from _forms(
        row, f"parity{odd or ''}_{row.s}", value, f"dst: [{row.t}][{row.l}] @ {row.memory}", f"dst[i] = {row.t}({number})"
    )


COUNTED = chain(*map(_iota, ROWS), *(_parity(row, odd) for row in ROWS for odd in (0, 1)))

TABLE = Table(__name__, LOOKUPS, LOOKUPS_BY_MEMORY, COUNTED)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
