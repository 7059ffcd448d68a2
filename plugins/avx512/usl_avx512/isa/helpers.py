"""C functions that templates call, where one expression does not say it. A file may get one twice: each has a guard."""

from __future__ import annotations

from string import Template
from textwrap import dedent


def _guarded(name: str, text: str) -> str:
    """The text of one function, which may stand in a file more than once."""
    guard = name.upper()
    return f"#ifndef {guard}\n#define {guard}\n{dedent(text).strip()}\n#endif\n"


def _floats(text: str, name: str) -> dict[str, str]:
    """A function for registers of f32 and of f64; name ends in an underscore, the suffix follows."""
    rows = (
        {"s": "ps", "v": "__m512", "c": "float", "k": "__mmask16", "e": "epi32", "sign": "INT32_MIN", "one": "int"},
        {"s": "pd", "v": "__m512d", "c": "double", "k": "__mmask8", "e": "epi64", "sign": "INT64_MIN", "one": "long long"},
    )
    return {f"{name}{row['s']}": _guarded(f"{name}{row['s']}", Template(text).substitute(row)) for row in rows}


_NEG = """
    static inline $v usl_avx512_neg_$s($v x)
    {
        const __m512i sign = _mm512_set1_$e(($one)$sign);
        return _mm512_castsi512_$s(_mm512_xor_si512(_mm512_cast${s}_si512(x), sign));
    }
"""

_REDUCE = """
    static inline void usl_avx512_reduce_{pick}_$s($c *to, $k lanes, $v x)
    {{
        const $c found = _mm512_mask_reduce_{pick}_$s(lanes, x);
        *to = *to {relation} found ? *to : found;
    }}
"""

HELPERS: dict[str, str] = {
    **_floats(_NEG, "usl_avx512_neg_"),
    **_floats(_REDUCE.format(pick="min", relation="<"), "usl_avx512_reduce_min_"),
    **_floats(_REDUCE.format(pick="max", relation=">"), "usl_avx512_reduce_max_"),
}
"""By the name of the function."""
