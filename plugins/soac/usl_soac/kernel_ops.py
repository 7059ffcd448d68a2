"""Scalar operations of the core as expressions of the object language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial

from usl_core import build
from usl_core.ir import externs
from usl_core.ir.nodes import BinaryOp, Expr, Literal
from usl_core.ir.types import I32, I64, ScalarType
from usl_soac.core import Const, Op
from usl_soac.kernel_values import NotAKernel, Scalar
from usl_soac.scalars import BOOL, SCALARS

_INFIX: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "+": build.add, "-": build.sub, "*": build.mul, "/": build.div, "//": build.div, "%": build.mod,
    "&": build.bit_and, "|": build.bit_or, "^": build.bit_xor,
    "min": build.min_, "max": build.max_,
}  # fmt: skip
_COMPARISONS: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "<": build.lt, "<=": build.le, ">": build.gt, ">=": build.ge, "==": build.eq, "!=": build.ne,
}  # fmt: skip
_FUNCTIONS = {
    "exp": externs.EXP, "log": externs.LOG, "sin": externs.SIN, "cos": externs.COS, "tan": externs.TAN,
    "tanh": externs.TANH, "pow": externs.POW, "atan2": externs.ATAN2, "erf": externs.ERF, "sqrt": externs.SQRT,
    "floor": externs.FLOOR, "ceil": externs.CEIL, "abs": externs.ABS, "**": externs.POW,
}  # fmt: skip


def data_type(scalar: ScalarType) -> ScalarType:
    """The type of its elements in the object language, which has no arrays of truth values."""
    return SCALARS["u8"] if scalar is BOOL else scalar


def constant(const: Const) -> Scalar:
    """A constant.

    Raises:
        NotAKernel: it is no number.
    """
    value = const.value
    if const.scalar is BOOL:
        return Scalar(BOOL, condition=build.literal(bool(value)))
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise NotAKernel("a constant is no number")
        value = Fraction(value)
    data = build.literal(value, const.scalar)
    return Scalar(const.scalar, data, control=_small(value) if const.scalar == I64 else None)


def _small(value: int | Fraction) -> Expr | None:
    return build.literal(int(value)) if -(1 << 31) < value < (1 << 31) else None


def data(value: Scalar) -> Expr:
    """A number as data."""
    if value.data is not None:
        return value.data
    if value.control is not None:
        return build.cast(value.type, value.control)
    if value.outside is not None and value.type is not BOOL:
        return data(value.outside.as_data())
    raise NotAKernel("a truth value stands where a number should")


def condition(value: Scalar) -> Expr:
    """A truth value as a condition."""
    if value.condition is None and value.outside is not None:
        return condition(value.outside.as_data())
    if value.condition is None:
        raise NotAKernel("a number stands where a truth value should")
    return value.condition


def control(value: Scalar) -> Expr | None:
    """A number as a control value, where it is one."""
    if value.control is None and value.outside is not None and value.type == I64:
        return value.outside.as_control()
    return value.control


def operation(op: Op, args: list[Scalar], checked: bool) -> Scalar:
    """The value of an operation whose result needs no statement. checked: a test before it says that it cannot fail.

    Raises:
        NotAKernel: it may fail, or the object language has no such operation.
    """
    name, operand = op.op, op.operand
    if operand is BOOL:
        return _truth(name, args)
    if name in _COMPARISONS:
        first, second = (_narrow(arg) if operand == I64 else None for arg in args)
        sides = (first(), second()) if first is not None and second is not None else (data(args[0]), data(args[1]))
        return Scalar(BOOL, condition=_COMPARISONS[name](*sides))
    if name in SCALARS:
        if name == "bool":
            return Scalar(BOOL, condition=build.ne(data(args[0]), build.literal(0, operand)))
        if operand == SCALARS[name]:
            return args[0]
        control = args[0].control if args[0].data is None else None
        narrow = _as_i32(data(args[0]), operand) if SCALARS[name] == I64 and control is None else None
        return Scalar(SCALARS[name], build.cast(SCALARS[name], data(args[0]) if control is None else control), narrow=narrow)
    if name in ("//", "%"):
        divisor = op.args[-1]
        if operand.is_real or not (checked or (isinstance(divisor, Const) and bool(divisor.value))):
            raise NotAKernel("a division may fail")
    if name == "**" and not operand.is_real:
        raise NotAKernel("a power of integers may fail")
    as_control = _control(name, args) if operand == I64 else None
    if as_control is not None:
        return Scalar(operand, control=as_control)
    if name in _INFIX:
        narrow = _narrower(name, args) if operand == I64 else None
        return Scalar(operand, _INFIX[name](data(args[0]), data(args[1])), narrow=narrow)
    if name in ("<<", ">>"):
        shift = build.shift_left if name == "<<" else build.shift_right
        return Scalar(operand, shift(data(args[0]), _distance(data(args[1]), operand)))
    if name in _FUNCTIONS:
        return Scalar(operand, build.extern(_FUNCTIONS[name], *map(data, args)))
    match name:
        case "neg":
            return Scalar(operand, build.neg(data(args[0])))
        case "~":
            return Scalar(operand, build.bit_not(data(args[0])))
        case _:
            raise NotAKernel(f"the operation {name} is not in the object language")


def _distance(expr: Expr, typ: ScalarType) -> Expr:
    """By how many bits: modulo the width."""
    if isinstance(expr, Literal) and isinstance(expr.value, int | Fraction):
        return build.literal(int(expr.value) % typ.bits, typ)
    return build.bit_and(expr, build.literal(typ.bits - 1, typ))


def _control(name: str, args: list[Scalar]) -> Expr | None:
    """The same of control values, where the object language has it."""
    controls = [arg.control for arg in args]
    if name == "neg" and controls[0] is not None:
        return build.neg(controls[0])
    if len(controls) != 2 or controls[0] is None or controls[1] is None:
        return None
    if name in ("+", "-", "min", "max"):
        return _INFIX[name](controls[0], controls[1])
    if name == "*" and any(isinstance(each, Literal) for each in controls):
        return build.mul(controls[0], controls[1])
    return None


def _as_i32(expr: Expr, typ: ScalarType) -> Callable[[], Expr] | None:
    """A number of a type that i32 holds."""
    if typ == I32:
        return lambda: expr
    return partial(build.cast, I32, expr) if not typ.is_real and typ.bits < I32.bits else None


def _narrower(name: str, args: list[Scalar]) -> Callable[[], Expr] | None:
    """The smaller or larger of two i64s that an i32 holds."""
    first, second = (_narrow(arg) for arg in args) if name in ("min", "max") else (None, None)
    return None if first is None or second is None else lambda: _INFIX[name](first(), second())


def _narrow(value: Scalar) -> Callable[[], Expr] | None:
    """An i64 as an i32, if it is known to be one."""
    if value.narrow is None and isinstance(value.control, Literal) and value.type == I64:
        return partial(build.literal, int(value.control.value), I32)
    return value.narrow


def _truth(name: str, args: list[Scalar]) -> Scalar:
    first = condition(args[0])
    if name in ("not", "~"):
        return Scalar(BOOL, condition=build.not_(first))
    if name == "bool":
        return args[0]
    if len(args) != 2:
        raise NotAKernel(f"{name} of a truth value needs a statement")
    second = condition(args[1])
    match name:
        case "and" | "&" | "min":
            return Scalar(BOOL, condition=build.and_(first, second))
        case "or" | "|" | "max":
            return Scalar(BOOL, condition=build.or_(first, second))
        case "^" | "!=":
            return Scalar(BOOL, condition=_either(first, second))
        case "==":
            return Scalar(BOOL, condition=_either(build.not_(first), second))
        case _:
            raise NotAKernel(f"{name} of truth values is not in the object language")


def _either(first: Expr, second: Expr) -> Expr:
    return build.or_(build.and_(first, build.not_(second)), build.and_(build.not_(first), second))


def chosen(test: Expr, then: Expr, other: Expr) -> Expr | None:
    """`then if test else other` as a select, if the test is made of comparisons of data that select has."""
    if not isinstance(test, BinaryOp) or not isinstance(test.lhs.type, ScalarType):
        return None
    a, b = test.lhs, test.rhs
    integers = isinstance(a.type, ScalarType) and a.type.is_int
    match test.op:
        case "<":
            return build.select(a, b, then, other)
        case ">":
            return build.select(b, a, then, other)
        case "<=" if integers:
            return build.select(b, a, other, then)
        case ">=" if integers:
            return build.select(a, b, other, then)
        case "!=" if isinstance(b, Literal) and not b.value and a.type == SCALARS["u8"]:
            return build.select(b, a, then, other)  # a truth value that is kept
        case _:
            return None


def is_choice(test: Expr) -> bool:
    """Whether a select can make this choice."""
    one = build.literal(0, I64)
    return chosen(test, one, one) is not None
