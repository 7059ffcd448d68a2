"""Number literals before their type is known, and the checks when they take one.

A literal adopts the type of what it meets: the other operand, the target of an assignment, a formal. Until then it (and
arithmetic on literals alone) has one of two private types; `usl_core.frontend.operators.settle` gives it the final one.
"""

from __future__ import annotations

import numbers
from fractions import Fraction

from usl_core.errors import NOWHERE, Span, TypeError_
from usl_core.ir.literal_text import decimal_parts, decimal_text
from usl_core.ir.nodes import Expr, Literal
from usl_core.ir.types import B8, BOOL, INDEX, ControlType, ScalarType, TensorType, Type

INTEGER_LITERAL = ControlType("integer literal")
DECIMAL_LITERAL = ControlType("decimal literal")

_INDEX_BITS = 63
_MOST_DIGITS = 2000


def is_untyped(expr: Expr) -> bool:
    """Whether expr consists of literals only and has no type yet."""
    return expr.type is INTEGER_LITERAL or expr.type is DECIMAL_LITERAL


def literal(value: object, *, span: Span = NOWHERE) -> Literal:
    """The literal for a Python value: a bool has its type, a number none yet. A float means the decimal that Python shows."""
    match value:
        case bool():
            return Literal(value, type=BOOL, span=span)
        case numbers.Integral():
            return Literal(int(value), type=INTEGER_LITERAL, span=span)
        case Fraction():
            return _decimal(value, str(value), span)
        case numbers.Real():
            return decimal_literal(repr(float(value)), span=span)
        case _:
            raise TypeError_(f"a {type(value).__name__} is not a value of the object language", span=span)


def decimal_literal(text: str, *, span: Span = NOWHERE) -> Literal:
    """The literal for a decimal as written, digit by digit."""
    mantissa, _, exponent = text.lower().replace("_", "").partition("e")
    if mantissa.lstrip("-") in ("inf", "nan"):
        raise TypeError_(f"{text} is not a number that a literal can hold", span=span)
    if len(mantissa) > _MOST_DIGITS or (exponent and abs(int(exponent)) > _MOST_DIGITS):
        raise TypeError_(f"a literal may have at most {_MOST_DIGITS} digits", span=span)
    return _decimal(Fraction(f"{mantissa}e{exponent or 0}"), text, span)


def _decimal(value: Fraction, text: str, span: Span) -> Literal:
    if decimal_parts(value) is None:
        raise TypeError_(f"{text} has no finite decimal form, so it cannot be a literal; write it as a division", span=span)
    return Literal(value, type=DECIMAL_LITERAL, span=span)


def typed_literal(value: int | bool | Fraction, typ: Type, *, span: Span = NOWHERE) -> Literal:
    """The literal of a given type, after a range check."""
    if isinstance(value, bool) or typ is BOOL or typ == B8:
        if not (isinstance(value, bool) and (typ is BOOL or typ == B8)):
            hint = "" if isinstance(value, bool) else "; write True or False"
            raise TypeError_(f"{value} is not of type {typ}{hint}", span=span)
        return Literal(value if typ is BOOL else int(value), type=typ, span=span)
    if isinstance(typ, ScalarType) and typ.is_real:
        return Literal(Fraction(value), type=typ, span=span)
    if not (isinstance(typ, ScalarType) or typ is INDEX):
        raise TypeError_(f"a number where {describe(typ)} is expected", span=span)
    if isinstance(value, Fraction):
        hint = f"; write {value.numerator}" if value.denominator == 1 else ""
        raise TypeError_(f"the decimal {decimal_text(value)} where {describe(typ)} is expected{hint}", span=span)
    least, greatest = typ.int_range() if isinstance(typ, ScalarType) else (-(1 << _INDEX_BITS), (1 << _INDEX_BITS) - 1)
    if not least <= value <= greatest:
        raise TypeError_(f"{value} does not fit {typ}, whose values are {least} to {greatest}", span=span)
    return Literal(value, type=typ, span=span)


def describe(typ: Type) -> str:
    """A type as messages name it."""
    match typ:
        case ScalarType():
            return f"{typ} data"
        case ControlType(name="cond"):
            return "a condition on data"
        case ControlType(name="bool"):
            return "a truth value (bool)"
        case ControlType(name="index" | "size"):
            return "an index (control) value"
        case ControlType():
            return f"an {typ}" if typ is INTEGER_LITERAL else f"a {typ}"
        case TensorType():
            return "a whole buffer"
