"""Scalar types of low precision that packages share: floats of 8 bits, and integers of 4 bits in pairs.

    from usl_c11.low_precision import f8e4m3, i4_low

Reference: Micikevicius et al., FP8 Formats for Deep Learning, 2022, §3; OCP 8-bit Floating Point Specification, rev. 1.0, §5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from usl_core.ir.externs import Extern
from usl_core.ir.types import I8, FloatFormat, Kind, ScalarType, Type

f8e4m3 = ScalarType("f8e4m3", Kind.FLOAT, 8, format=FloatFormat(4, -9, 9, finite=True), dtype="float8_e4m3fn")
"""4 bits of exponent, 3 of fraction, no infinities; to 448 in steps of at least 2^-9."""
f8e5m2 = ScalarType("f8e5m2", Kind.FLOAT, 8, format=FloatFormat(3, -16, 16), dtype="float8_e5m2")
"""5 bits of exponent, 2 of fraction, as IEEE 754 has them; to 57344 in steps of at least 2^-16."""
i4x2 = ScalarType("i4x2", Kind.INT, 8, signed=False)
"""Two integers from -8 to 7 in a byte, the first in the lower bits."""


def _typed(wanted: Sequence[ScalarType], result: ScalarType) -> Callable[[Sequence[Type]], Type]:
    def check(types: Sequence[Type]) -> Type:
        if tuple(types) != tuple(wanted):
            raise ValueError(f"arguments must be {', '.join(map(str, wanted))}, got {', '.join(map(str, types))}")
        return result

    return check


def _low(typ: ScalarType, x: Any) -> int:
    return ((int(x) & 15) ^ 8) - 8


def _high(typ: ScalarType, x: Any) -> int:
    return ((int(x) >> 4) ^ 8) - 8


def _pair(typ: ScalarType, low: Any, high: Any) -> int:
    return (int(low) & 15) | ((int(high) & 15) << 4)


def _low_c(typ: ScalarType, ctype: str, args: Sequence[str]) -> str:
    return f"(int8_t)((({args[0]} & 15) ^ 8) - 8)"


def _high_c(typ: ScalarType, ctype: str, args: Sequence[str]) -> str:
    return f"(int8_t)((({args[0]} >> 4) ^ 8) - 8)"


def _pair_c(typ: ScalarType, ctype: str, args: Sequence[str]) -> str:
    return f"(uint8_t)(({args[0]} & 15) | (({args[1]} & 15) << 4))"


i4_low = Extern("i4_low", 1, _typed([i4x2], I8), exact=_low, machine=_low, c=_low_c)
"""The first of a pair."""
i4_high = Extern("i4_high", 1, _typed([i4x2], I8), exact=_high, machine=_high, c=_high_c)
"""The second of a pair."""
i4_pair = Extern("i4_pair", 2, _typed([I8, I8], i4x2), exact=_pair, machine=_pair, c=_pair_c)
"""Two numbers, of which the lower 4 bits count."""
