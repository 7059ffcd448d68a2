"""Arithmetic on data with exactly the language's results, given the C of the operands.

An operand's C has the value's own C type, except that constants of narrow integer types have type int. Integer `+ - *` is done
in an unsigned type that wraps and converted back once; the file asserts that this conversion wraps too.
"""

from __future__ import annotations

from collections.abc import Sequence

from usl_c11.ctext import C, binary, call, cast, unary
from usl_c11.types import is_narrow, ring
from usl_c11.unit import Unit
from usl_core.errors import BackendError, Span
from usl_core.ir import externs
from usl_core.ir.externs import Extern
from usl_core.ir.types import F32, F64, I64, U64, ScalarType


def narrow(value: C, scalar: ScalarType, unit: Unit, span: Span) -> C:
    """A sum or product computed in the ring of an integer type, as a value of the type."""
    return value if scalar.name == "u32" else cast(unit.ctype(scalar, span), value)


def float_operation(op: str, lhs: C, rhs: C, scalar: ScalarType, unit: Unit) -> C:
    """`+ - * /` of floats."""
    return rounded(binary(op, lhs, rhs), scalar)


def rounded(value: C, scalar: ScalarType) -> C:
    """A result of a floating type. What is not float or double is rounded, because C may compute f16, say, in float."""
    return value if scalar in (F32, F64) else cast(scalar.c, value)


def promoted_fits(op: str, scalar: ScalarType) -> bool:
    """Whether `op` on two values of a narrow type cannot leave int, to which C promotes them."""
    return is_narrow(scalar) and (op in "+-" or scalar.name != "u16")


def division(op: str, lhs: C, rhs: C, scalar: ScalarType, divisor: int | None, unit: Unit, span: Span) -> C:
    """`/` and `%` on integers: the plain operator for an unsigned type and a literal divisor, else a helper."""
    if scalar.signed and divisor and divisor > 0 and divisor & (divisor - 1) == 0:
        plain = rounded_down(op, lhs, divisor, unit)
        return cast(unit.ctype(scalar, span), plain) if is_narrow(scalar) else plain
    if not scalar.signed and divisor:
        plain = binary(op, lhs, rhs)
        return cast(unit.ctype(scalar, span), plain) if is_narrow(scalar) else plain
    helper = unit.helpers.divide if op == "/" else unit.helpers.modulo
    return call(helper(scalar), lhs, rhs)


def rounded_down(op: str, lhs: C, divisor: int, unit: Unit) -> C:
    """`/` or `%` of a signed number by a power of two: a shift, or the last bits. Both round down, and no branch is needed."""
    if op == "%":
        return binary("&", lhs, C(str(divisor - 1)))
    unit.globals.setdefault(_SIGN_STAYS)
    return binary(">>", lhs, C(str(divisor.bit_length() - 1)))


_SIGN_STAYS = '_Static_assert(-1 >> 1 == -1, "shifts to the right keep the sign");'


def inverted(arg: C, scalar: ScalarType, unit: Unit, span: Span) -> C:
    """`~arg` on an integer type."""
    plain = unary("~", arg)
    return cast(unit.ctype(scalar, span), plain) if is_narrow(scalar) else plain


def bitwise(op: str, lhs: C, rhs: C, scalar: ScalarType, unit: Unit, span: Span) -> C:
    """`& | ^` on an integer type; narrow operands are promoted, which changes no bit of the result."""
    plain = binary(op, lhs, rhs)
    return cast(unit.ctype(scalar, span), plain) if is_narrow(scalar) else plain


def shift(op: str, value: C, by: C, scalar: ScalarType, amount: int | None, unit: Unit, span: Span) -> C:
    """`<<` and `>>` on an integer type: C's operator for a literal amount below the width, else a helper."""
    if op == ">>" and scalar.signed:
        unit.globals.setdefault(_SIGN_STAYS)
    if amount is None or not 0 <= amount < scalar.bits:
        return call(unit.helpers.shift(op, scalar), value, by)
    if op == ">>":
        plain = binary(op, value, by)
        return cast(unit.ctype(scalar, span), plain) if is_narrow(scalar) else plain
    return narrow(binary(op, cast(ring(scalar), value), by), scalar, unit, span)


def convert(value: C, source: ScalarType, target: ScalarType, unit: Unit, span: Span) -> C:
    """An explicit cast between data types."""
    if source == target:
        return value
    if target.is_int and not source.is_int:
        return call(unit.helpers.saturate(target, source), value)
    if target.name == "u32" and source.signed and is_narrow(source):
        return call(unit.helpers.widen(source), value)
    return cast(unit.ctype(target, span), value)


def truncated(value: C, target: ScalarType, unit: Unit, span: Span) -> C:
    """A float that is known to be in range as an integer. By way of `int` if narrow, which processors have instructions for."""
    return cast(unit.ctype(target, span), cast("int32_t", value) if is_narrow(target) else value)


def pack(value: C, source: ScalarType | None, target: ScalarType, unit: Unit) -> C:
    """The bits of the number of the type target next to a value; source None is a control value."""
    if source is not None and not source.is_int:
        return call(unit.helpers.pack(target, F64 if source == F64 else F32), value)
    if source is None or source.bits == 64:
        return call(unit.helpers.pack(target, U64 if source and not source.signed else I64), value)
    exact = F32 if source.bits < 32 else F64
    return call(unit.helpers.pack(target, exact), cast(exact.c, value))


def packed_call(fn: Extern, args: Sequence[C], target: ScalarType, condition: ScalarType, unit: Unit, span: Span) -> C:
    """A function of numbers that C lacks, as bits; its arguments are in float, and so is what a plugin's C is given."""
    if fn is externs.FMA:
        return call(unit.helpers.pack(target, F64), call(unit.helpers.fma(), *args))
    if fn is externs.RSQRT:  # rounded twice
        root = call(unit.helpers.unpack(target), pack(_math("sqrt", args, F32, unit), F32, target, unit))
        return pack(binary("/", C("1.0f"), root), F32, target, unit)
    return pack(extern_call(fn, args, F32, F32 if condition.is_encoded else condition, unit, span), F32, target, unit)


_MATH = frozenset({*externs.FUNCTIONS, *externs.ROUNDINGS, externs.FMA} - {externs.RSQRT})
"""What is in `<math.h>` under its own name."""


def extern_call(fn: Extern, args: Sequence[C], scalar: ScalarType, condition: ScalarType, unit: Unit, span: Span) -> C:
    """A built-in or plugin function of data of the type scalar; condition is the type of the first argument."""
    helpers = unit.helpers
    if fn is externs.MIN:
        return call(helpers.minimum(scalar), *args)
    if fn is externs.MAX:
        return call(helpers.maximum(scalar), *args)
    if fn is externs.RELU:
        return call(helpers.relu(scalar), *args)
    if fn is externs.SELECT:
        return call(helpers.select(scalar, condition), *args)
    if fn is externs.CLAMP:
        x, lo, hi = args
        return call(helpers.maximum(scalar), lo, call(helpers.minimum(scalar), x, hi))
    if fn is externs.ABS:
        return _absolute(args[0], scalar, unit)
    if fn is externs.FMA and scalar not in (F32, F64):
        return rounded(call(helpers.fma(), *args), scalar)
    if fn in _MATH:
        return _math(fn.name, args, scalar, unit)
    if fn is externs.RSQRT:
        one = C("1.0" if scalar == F64 else "1.0f")
        return float_operation("/", one, _math("sqrt", args, scalar, unit), scalar, unit)
    if fn is externs.BITS:
        return call(helpers.bits(condition), *args)
    if fn is externs.FROM_BITS:
        return call(helpers.from_bits(scalar), *args)
    if fn.c is None:
        raise BackendError(f"extern {fn.name} declares no C", span=span)
    unit.extern(fn)
    return C(f"({fn.c(scalar, unit.ctype(scalar, span), [arg.text for arg in args])})")


def _absolute(arg: C, scalar: ScalarType, unit: Unit) -> C:
    if not scalar.is_int:
        return _math("fabs", (arg,), scalar, unit)
    return call(unit.helpers.absolute(scalar), arg) if scalar.signed else arg


def _math(name: str, args: Sequence[C], scalar: ScalarType, unit: Unit) -> C:
    unit.include("<math.h>")
    if scalar == F64:
        return call(name, *args)
    return rounded(call(f"{name}f", *args), scalar)
