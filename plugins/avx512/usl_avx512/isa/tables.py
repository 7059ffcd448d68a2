"""Lookups in the tables of `usl_avx512.tables`, in lanes: what functions are made of, not for users' loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from usl_avx512.isa.families import Source, Table, plain
from usl_avx512.table_values import F32_TABLES, F64_TABLES
from usl_avx512.tables import number

TEXT = """\
static inline {vector} usl_avx512_at_{name}(__m512i k)
{{
    static _Alignas(64) const {ctype} at[{size}] = {{{entries}}};
    return _mm512_permutex2var_{s}(_mm512_load_{s}(at), k, _mm512_load_{s}(at + {half}));
}}
"""


IN_ONE = """\
static inline {vector} usl_avx512_at_{name}(__m512i k)
{{
    static _Alignas(64) const {ctype} at[{size}] = {{{entries}}};
    return _mm512_permutexvar_{s}(k, _mm512_load_{s}(at));
}}
"""
"""Of a table that one register holds."""


def _text(name: str, values: Sequence[float], typ: str) -> str:
    vector, ctype, s = ("__m512", "float", "ps") if typ == "f32" else ("__m512d", "double", "pd")
    size, entries = len(values), ", ".join(number(x, typ) for x in values)
    text = TEXT if size == 2 * {"ps": 16, "pd": 8}[s] else IN_ONE
    return text.format(vector=vector, name=name, ctype=ctype, size=size, entries=entries, s=s, half=size // 2)


def _lookup(name: str, typ: str) -> Iterator[Source]:
    lanes, key = (16, "u32") if typ == "f32" else (8, "u64")
    yield from plain(
        f"""
        @instr("{{dst}} = usl_avx512_at_{name}({{k}});")
        def mm512_at_{name}(dst: [{typ}][{lanes}] @ AVX512, k: [{key}][{lanes}] @ AVX512):
            for i in seq(0, {lanes}):
                dst[i] = {name}(k[i])
        """,
        "avx512f",
    )


BY_TYPE = (("f32", F32_TABLES), ("f64", F64_TABLES))
TABLE_TEXTS = {f"usl_avx512_at_{name}": _text(name, values, typ) for typ, each in BY_TYPE for name, values in each.items()}
"""The C functions that look up, by name, without guards."""
TABLE = Table(__name__, (source for typ, each in BY_TYPE for name in each for source in _lookup(name, typ)))


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
