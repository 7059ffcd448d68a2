"""Literals as text: exact decimals that read back as the same number."""

from __future__ import annotations

from fractions import Fraction

from usl_core.ir.nodes import Literal
from usl_core.ir.types import B8

_LONGEST = 24
"""Numbers of more digits than this are written with an exponent."""


def literal_text(literal: Literal) -> str:
    """`3`, `True`, `-0.5`, `1e-30`: numbers of R and of floating types always show a point or an exponent."""
    value = literal.value
    if literal.type == B8:
        return str(bool(value))
    return decimal_text(value) if isinstance(value, Fraction) else str(value)


def decimal_text(value: Fraction) -> str:
    """The exact decimal of value; a fraction without one (never in a checked procedure) is written as a quotient."""
    parts = decimal_parts(value)
    if parts is None:
        return f"({value.numerator}.0 / {value.denominator}.0)"
    digits, exponent = parts
    sign, text = ("-", str(-digits)) if digits < 0 else ("", str(digits))
    if exponent >= 0:
        if len(text) + exponent <= _LONGEST:
            return f"{sign}{text}{'0' * exponent}.0"
        return f"{sign}{text}e{exponent}"
    if max(len(text), -exponent) <= _LONGEST or (len(text) > -exponent):
        padded = text.rjust(1 - exponent, "0")
        return f"{sign}{padded[:exponent]}.{padded[exponent:]}"
    return f"{sign}{text}e{exponent}"


def decimal_parts(value: Fraction) -> tuple[int, int] | None:
    """(digits, exponent) with value = digits * 10 ** exponent and digits no multiple of 10; None if there are none."""
    if value == 0:
        return 0, 0
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return None
    exponent = -max(twos, fives)
    digits = value.numerator * 10**-exponent // value.denominator
    while digits % 10 == 0:
        digits, exponent = digits // 10, exponent + 1
    return digits, exponent
