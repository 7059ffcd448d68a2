"""Loads and stores of elements that are not side by side: what image pipelines read and write.

| body | |
|---|---|
| `src[2 * i]`, and 3, 4 | every second element: an image reduced to half its width |
| `dst[2 * i] = even[i]`, `dst[2 * i + 1] = odd[i]` | two images as the columns of one, in whole registers |
| `src[i]` where the stride is 2, 3 or 4 | one of as many interleaved channels, `x[i, c]` |
| `src[i]` of any stride | a column of a matrix, element by element |
| `src[15 - i]` | backwards |
| `src[i / 2]`, `src[(i + 1) / 2]` | each element twice: an image enlarged |
| `src[min(max(first + i, lo), hi)]` and its parts | borders repeated; a plain load where no lane is beyond a border |

Masked forms work on the lanes below n; none of the forms reads or writes beyond the elements that its body does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import Template
from typing import Any

from usl_avx512.isa.families import Lanes, Source, Table, plain
from usl_avx512.isa.lanes import AVX512BW_VL, EPI16, EPI32, EPU8, EPU16, EPU32, PD, PS, X_EPU8, Y_EPI16, Y_EPU8, Y_EPU16

ROWS = (PS, EPI32, EPU32, Y_EPI16, Y_EPU16, X_EPU8, EPI16, EPU16, Y_EPU8, EPU8, PD)

PAIRED = (PS, EPI32, EPU32, EPI16, EPU16, EPU8)

N = "({n} < $l ? {n} : $l)"
"""How many lanes a masked form works on, at most all."""


def _features(row: Lanes) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*row.features, *AVX512BW_VL)))


def _own(row: Lanes, value: str) -> str:
    """A register of integers as one of the row's type."""
    return Template(row.extra["as_own"]).substitute(x=value)


def _ints(row: Lanes, value: str) -> str:
    return Template(row.extra["as_int"]).substitute(x=value)


def _load(
    row: Lanes, name: str, values: Sequence[str], src: str, index: str, known: str = "", first: str = ""
) -> Iterator[Source]:
    """Both forms of a load: C for what is loaded of all lanes and of those below n, the operand in memory, its index."""
    for form, c in zip(("", "mask_"), values, strict=True):
        loaded = _own(row, c)
        result = f"{row.extra['mov']}({{dst}}, $mask, {loaded})" if form else loaded
        count = "n" if form else str(row.l)
        statement = f"dst[i] = src[{index.replace('COUNT', count)}]"
        yield from _completed(
            row,
            f"{form}{name}",
            f"{{dst}} = {result};",
            form,
            f"{first}dst: [$t][$l] @ $m, src: {src}",
            statement,
            known,
            count,
        )


def _store(row: Lanes, name: str, put: str, dst: str, index: str, known: str = "") -> Iterator[Source]:
    """Both forms of a store; put has VALUE, LANES for how many lanes, and ALL for the number that is given."""
    for form, lanes, given in (("", "$l", "$l"), ("mask_", N, "{n}")):
        c = put.replace("VALUE", _ints(row, "{src}")).replace("LANES", lanes).replace("ALL", given)
        count = "n" if form else str(row.l)
        statement = f"dst[{index.replace('COUNT', count)}] = src[i]"
        yield from _completed(row, f"{form}{name}", f"{c};", form, f"dst: {dst}, src: [$t][$l] @ $m", statement, known, count)


def _completed(
    row: Lanes, name: str, c: str, form: str, formals: str, statement: str, known: str, count: str
) -> Iterator[Source]:
    size, guard = ("n: size, ", "if i < n:\n    ") if form else ("", "")
    asserts = "".join(f"    assert {each}\n" for each in known.replace("COUNT", count).split("; ") if each)
    text = f"""\
@instr({c!r})
def $p_{name}_$s({size}{formals.replace("COUNT", count)}):
{asserts}    for i in seq(0, $l):
        {guard.replace("    ", "            ")}{statement}
"""
    yield from plain(Template(text.replace("$p_", "${p}_")).substitute(row.blanks()), *_features(row))


def _strided(row: Lanes, k: int) -> Iterator[Source]:
    x = row.extra["x"]
    most, part = str(k * (row.l - 1) + 1), f"{k} * ({N} - 1) + 1"
    spread = f"[$t][{k} * COUNT - {k - 1}] @ DRAM"
    for name, shape, index, known in (
        (f"{k}", spread, f"{k} * i", ""),
        (f"_of{k}", "[$t][COUNT] @ DRAM", "i", f"stride(OPERAND, 0) == {k}"),
    ):
        loads = [f"usl_avx512_load{k}_{x}({{src.ptr}}, {count})" for count in (most, part)]
        yield from _load(row, f"load{name}", loads, shape, index, known.replace("OPERAND", "src"))
        put = f"usl_avx512_store{k}_{x}({{dst.ptr}}, VALUE, {k} * (LANES - 1) + 1)"
        yield from _store(row, f"store{name}", put, shape, index, known.replace("OPERAND", "dst"))


def _apart(row: Lanes) -> Iterator[Source]:
    """Any distance; those of f32 and f64 are in `movement`."""
    x, shape = row.extra["x"], "[$t][COUNT] @ DRAM"
    loads = [f"usl_avx512_apart_{x}({{src.ptr}}, {{src.stride0}}, {count})" for count in ("$l", N)]
    yield from _load(row, "load_apart", loads, shape, "i")
    yield from _store(row, "store_apart", f"usl_avx512_store_apart_{x}({{dst.ptr}}, {{dst.stride0}}, VALUE, LANES)", shape, "i")


def _backwards(row: Lanes) -> Iterator[Source]:
    x, shape = row.extra["x"], "[$t][COUNT] @ DRAM"
    loads = [f"usl_avx512_backwards_{x}({{src.ptr}}, {count})" for count in ("$l", "{n}")]
    yield from _load(row, "load_backwards", loads, shape, "COUNT - 1 - i")
    yield from _store(
        row, "store_backwards", f"usl_avx512_store_backwards_{x}({{dst.ptr}}, VALUE, ALL)", shape, "COUNT - 1 - i"
    )


def _doubled(row: Lanes, odd: int) -> Iterator[Source]:
    x = row.extra["x"]
    counts = (row.l // 2 + odd, f"({N} + {1 - odd}) / 2 + {odd}")
    loads = [f"usl_avx512_doubled_{x}({{src.ptr}}, {count}, {odd})" for count in counts]
    elements = "[$t][COUNT / 2 + 1] @ DRAM" if odd else "[$t][(COUNT + 1) / 2] @ DRAM"
    yield from _load(row, f"load_doubled{odd or ''}", loads, elements, "(i + 1) / 2" if odd else "i / 2")


def _pairs(row: Lanes) -> Iterator[Source]:
    even, odd = (_ints(row, f"{{{name}}}") for name in ("even", "odd"))
    for name, function, option in (("store", "", ""), ("streamu", "streamu_", ', fence="_mm_sfence();"')):
        text = f"""\
@instr("usl_avx512_{function}interleaved_{row.extra["x"]}({{dst.ptr}}, {even}, {odd});"{option})
def ${{p}}_{name}_pairs_$s(dst: [$t][2 * $l] @ DRAM, even: [$t][$l] @ $m, odd: [$t][$l] @ $m):
    for i in seq(0, $l):
        dst[2 * i] = even[i]
        dst[2 * i + 1] = odd[i]
"""
        yield from plain(Template(text).substitute(row.blanks()), *_features(row))


BORDERS = {
    "clamped": ("min(max(first + i, lo), hi)", "{lo}", "{hi}", "0 <= lo and lo <= hi and hi < m"),
    "clamped1": ("max(min(first + i, hi), lo)", "{lo}", "{hi}", "0 <= lo and lo <= hi and hi < m"),
    "from": ("max(first + i, lo)", "{lo}", "", "0 <= lo and lo < m and first + COUNT <= m"),
    "upto": ("min(first + i, hi)", "", "{hi}", "0 <= first and 0 <= hi and hi < m"),
}
"""Index, the least and the greatest place that is read, and what is asserted."""


def _clamped(row: Lanes, name: str) -> Iterator[Source]:
    index, lo, hi, known = BORDERS[name]
    loads = []
    for lanes in ("$l", N):
        last = f"{{first}} + {lanes} - 1"
        low = lo or "({first} < {hi} ? {first} : {hi})"
        high = hi or f"({last} > {{lo}} ? {last} : {{lo}})"
        loads.append(f"usl_avx512_clamped_{row.extra['x']}({{src.ptr}}, {{first}}, {low}, {high})")
    limits = "".join(f"{each}: index, " for each in ("lo", "hi") if each in index)
    yield from _load(row, f"load_{name}", loads, "[$t][m] @ DRAM", index, known, f"first: index, {limits}m: size, ")


def _all(row: Lanes) -> Iterator[Source]:
    for k in (2, 3, 4):
        yield from _strided(row, k)
    if row in PAIRED:
        yield from _pairs(row)
    if row not in (PS, PD):
        yield from _apart(row)
    yield from _backwards(row)
    for odd in (0, 1) if row is not PD else ():
        yield from _doubled(row, odd)
    for name in BORDERS:
        yield from _clamped(row, name)


TABLE = Table(__name__, *map(_all, ROWS))


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
