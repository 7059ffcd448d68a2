"""exp and log of f32 as arithmetic, so that compilers make vectors of them; the C library's are calls, lane by lane.

The methods and coefficients are those of S. L. Moshier's Cephes library (expf, logf): Cody-Waite reduction by ln 2 in two
parts, then a polynomial. Results are within 1 unit in the last place, with the limits, infinities and NaN of IEEE 754.
"""

from __future__ import annotations

from collections.abc import Callable

Keep = Callable[[str, str], str]
"""Gives a name to a value, of a type."""

LN2 = "0.693359375", "0.00021219444"
"""The high part of ln 2, whose products with small integers are exact, and what it is too large by."""
EXP = "0.00019875691500 0.0013981999507 0.0083334519073 0.041665795894 0.16666665459 0.50000001201".split()
LOG = [
    *"0.070376836292 -0.11514610310 0.11676998740 -0.12420140846 0.14249322787".split(),
    *"-0.16668057665 0.20000714765 -0.24999993993 0.33333331174".split(),
]
ONE_BIT = 8388608
"""2^23: one in the exponent of an f32."""
LEAST_NORMAL, GREATEST = "0.000000000000000000000000000000000000011754943508222875", "340282346638528859811704183484516925440.0"
ROOT_HALF = 0x3F3504F3
"""The bits of the root of 1/2: mantissas are taken between it and its double."""


def exp32(x: str, keep: Keep) -> str:
    """e to the power of a scalar x."""
    bounded = keep("f32", f"min(89.0, max(-104.0, {x}))")  # numbers come first, so that NaN stays NaN
    times = keep("f32", f"rint({bounded} * 1.4426950408889634)")
    rest = keep("f32", f"({bounded} - {times} * {LN2[0]}) + {times} * {LN2[1]}")
    power = keep("f32", f"({_polynomial(EXP, rest)} * ({rest} * {rest}) + {rest}) + 1.0")
    exponent = keep("i32", f"i32({times})")
    half = keep("i32", f"{exponent} / 2")  # in two steps, as 2^-149 and 2^128 are beyond what an exponent holds
    return f"({power} * {_power_of_two(half)} * {_power_of_two(f'{exponent} - {half}')})"


def log32(x: str, keep: Keep) -> str:
    """The natural logarithm of a scalar x."""
    normal = keep("f32", f"select({x}, {LEAST_NORMAL}, {x} * {ONE_BIT}.0, {x})")
    bits = keep("i32", f"i32(bits({normal}))")
    exponent = keep("i32", f"({bits} - {ROOT_HALF}) / {ONE_BIT}")
    f = keep("f32", f"from_bits(u32({bits} - {exponent} * {ONE_BIT})) - 1.0")
    square = keep("f32", f"{f} * {f}")
    times = keep("f32", f"f32({exponent} - select({x}, {LEAST_NORMAL}, i32(23), i32(0)))")
    small = keep("f32", f"{_polynomial(LOG, f)} * {f} * {square} - {times} * {LN2[1]} - 0.5 * {square}")
    finite = keep("f32", f"({f} + {small}) + {times} * {LN2[0]}")
    nan, low = f"from_bits(u32({0x7FC00000}))", f"from_bits(u32({0xFF800000}))"
    other = keep("f32", f"select({x}, 0.0, {nan}, {x} + {low})")
    return f"select(0.0, {x}, select({GREATEST}, {x}, {x}, {finite}), {other})"


def _polynomial(coefficients: list[str], x: str) -> str:
    """Horner's rule, the coefficient of the highest power first."""
    text = coefficients[0]
    for each in coefficients[1:]:
        text = f"({text} * {x} + {each})"
    return text


def _power_of_two(exponent: str) -> str:
    return f"from_bits(u32({exponent} + 127) * {ONE_BIT})"
