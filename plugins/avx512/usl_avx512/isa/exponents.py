"""Exponents and mantissas of f32 and f64, and scaling by powers of two: the functions of `usl_avx512.externs`, in lanes."""

from __future__ import annotations

from itertools import chain
from typing import Any

from usl_avx512.isa.families import Table, lanewise
from usl_avx512.isa.lanes import PD, PS

ROWS = (PS, PD)
MANTISSA = "_mm512_getmant_$s({src}, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan)"

TABLE = Table(
    __name__,
    chain(
        lanewise("scalef", "dst[i] = scaleb(a[i], b[i])", "_mm512_scalef_$s({a}, {b})", *ROWS),
        lanewise("getexp", "dst[i] = logb(src[i])", "_mm512_getexp_$s({src})", *ROWS),
        lanewise("getmant", "dst[i] = mantissa(src[i])", MANTISSA, *ROWS),
    ),
)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
