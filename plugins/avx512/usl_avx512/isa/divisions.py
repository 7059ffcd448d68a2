"""Quotients and remainders of integer lanes by one number, rounded down: exact for every dividend and every divisor.

A literal divisor costs a multiplication and a shift, or a shift; another one has its reciprocal computed where it is used.
Division by 0 gives 0, as in the object language. `helpers_division` says why the reciprocals are exact.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from usl_avx512.isa.families import Table, lanewise
from usl_avx512.isa.lanes import (
    AVX512BW_VL,
    EPI8,
    EPI16,
    EPI32,
    EPU8,
    EPU16,
    EPU32,
    X_EPI8,
    X_EPU8,
    Y_EPI8,
    Y_EPI16,
    Y_EPU8,
    Y_EPU16,
)

ROWS = (EPU32, EPI32, EPU16, EPI16, EPU8, EPI8, Y_EPU16, Y_EPI16, Y_EPU8, Y_EPI8, X_EPU8, X_EPI8)

TABLE = Table(
    __name__,
    chain.from_iterable(
        lanewise(name, f"dst[i] = src[i] {op} d", f"usl_avx512_{name}_${{u}}x$l({{src}}, {{d}})", *ROWS, features=AVX512BW_VL)
        for name, op in (("div", "/"), ("rem", "%"))
    ),
)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
