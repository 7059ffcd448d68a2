"""Functions of expressions, with Halide's names and argument orders: select, clamp, cast, min, sqrt, widening_add and so on.

What has no meaning in the target is E770 where it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.expr import (
    Expr,
    absolute,
    as_node,
    comparison,
    condition,
    converted,
    numeric,
    operand,
    pair,
    shift,
    unsigned,
    wrap,
)
from usl_halide_lib.lang.nodes import Const, Node, Op, show
from usl_halide_lib.lang.syntax import Tuple
from usl_halide_lib.lang.types import BOOL, F32, I32, Float, Int, Kind, Type, UInt, coerced


def cast(typ: Type, value: Any) -> Expr:
    """value at another type: modulo 2^N between integers; of floats the integer toward zero, saturating, NaN 0."""
    if not isinstance(typ, Type):
        raise refuse(f"cast needs a type first, such as hl.UInt(8), not {typ!r}")
    if isinstance(value, int) and typ.is_int and not I32.least <= value <= I32.greatest:
        return wrap(Const(coerced(value, typ), typ))
    return wrap(converted(as_node(value), typ))


def saturating_cast(typ: Type, value: Any) -> Expr:
    """value at another type, at that type's nearest value where it does not fit."""
    node = as_node(value)
    return wrap(node if node.type == typ else Op("saturating_cast", (node,), typ))


def select(cond: Any, value: Any, *rest: Any) -> Any:
    """`select(c, a, b)`, or `select(c1, a1, c2, a2, ..., b)`: the value of the first condition that holds. Tuples too."""
    if len(rest) % 2 == 0:
        raise refuse("select takes conditions and values in turn, and a last value")
    otherwise = rest[0] if len(rest) == 1 else select(*rest)
    if isinstance(value, Tuple) or isinstance(otherwise, Tuple):
        return Tuple([select(cond, a, b) for a, b in zip(value.elements, otherwise.elements, strict=True)])
    a, b = pair(value, otherwise)
    return wrap(Op("select", (condition(cond, "what select decides by"), a, b), a.type))


def mux(index: Any, values: Any) -> Any:
    """The element of values at an index, the last one beyond."""
    *front, last = values.elements if isinstance(values, Tuple) else values
    result = last
    for place in reversed(range(len(front))):
        result = select(Expr(index) == place, front[place], result)
    return result


def clamp(value: Any, low: Any, high: Any) -> Expr:
    """value within [low, high], at value's type."""
    node = numeric(as_node(value), "clamp")
    lower, upper = (converted(operand(bound, node.type), node.type) for bound in (low, high))
    return wrap(Op("max", (Op("min", (node, upper), node.type), lower), node.type))


def unsafe_promise_clamped(value: Any, low: Any, high: Any) -> Expr:
    """clamp; nothing is promised."""
    return clamp(value, low, high)


def _fold(op: str, first: Any, rest: tuple[Any, ...]) -> Expr:
    if not rest:
        return Expr(first)
    a, b = pair(first, rest[0])
    numeric(a, op)
    return _fold(op, wrap(Op(op, (a, b), a.type)), rest[1:])


def min(first: Any, second: Any, *rest: Any) -> Expr:
    """The least operand."""
    return _fold("min", first, (second, *rest))


def max(first: Any, second: Any, *rest: Any) -> Expr:
    """The greatest operand."""
    return _fold("max", first, (second, *rest))


def abs(value: Any) -> Expr:
    """|value|, unsigned for integers."""
    return absolute(value)


def absd(a: Any, b: Any) -> Expr:
    """|a - b| without overflow, unsigned for integers."""
    left, right = pair(a, b)
    return wrap(Op("absd", (numeric(left, "absd"), right), unsigned(left.type)))


def likely(value: Any) -> Expr:
    """value; Halide cuts loops by it."""
    return Expr(value)


def strict_float(value: Any) -> Expr:
    """value; floats are computed as they are written everywhere here, also where there is NaN."""
    return Expr(value)


def logical_not(value: Any) -> Expr:
    """Whether a condition does not hold."""
    return wrap(Op("not", (condition(value, "logical_not's operand"),), BOOL))


def lerp(zero: Any, one: Any, weight: Any) -> Expr:
    """`zero·(1 - weight) + one·weight`, integers rounded. An integer weight is unsigned, and its greatest value means 1."""
    a, b = pair(zero, one)
    w = as_node(weight)
    if w.type == BOOL:
        return Expr(select(weight, wrap(b), wrap(a)))
    if w.type.is_int:
        return _lerp_by_integer(a, b, weight, w.type)
    blend = wrap(converted(a, w.type)) * (1 - Expr(weight)) + wrap(converted(b, w.type)) * Expr(weight)
    return blend if a.type.is_float else cast(a.type, floor(blend + 0.5))


def _lerp_by_integer(a: Node, b: Node, weight: Any, typ: Type) -> Expr:
    """Halide's lerp in whole numbers: the weight in as many bits as the values have, the sum divided by 2^bits - 1, rounded."""
    if typ.is_signed or typ.bits > 32:
        raise refuse(f"lerp's weight {show(as_node(weight))} is {typ}; unsigned integers and floats are weights")
    if a.type.is_float:
        whole = cast(Float(64) if typ.bits == 32 else a.type, weight) / ((1 << typ.bits) - 1)
        return lerp(wrap(a), wrap(b), cast(a.type, whole))
    bits = a.type.bits
    if bits > 16:
        raise refuse(f"lerp of {a.type} by an integer is not supported; cast to 16 bits, or take a float weight", code="E770")
    narrow, wide = UInt(bits), UInt(2 * bits)
    w: Any = Expr(weight)
    if typ.bits > bits:
        w = cast(narrow, w / (((1 << typ.bits) - 1) // ((1 << bits) - 1)))
    elif typ.bits < bits:
        w = cast(narrow, w) * (((1 << bits) - 1) // ((1 << typ.bits) - 1))
    most, bias = (1 << bits) - 1, cast(narrow, 1 << (bits - 1)) if a.type.is_signed else cast(narrow, 0)
    low, high = (cast(wide, cast(narrow, wrap(each)) + bias) for each in (a, b))
    total = low * cast(wide, most - w) + high * cast(wide, w) + (1 << (bits - 1))
    return cast(a.type, cast(narrow, (total + (total >> bits)) >> bits) - bias)


def _real(op: str, value: Any) -> Expr:
    node = numeric(as_node(value), op)
    node = node if node.type.is_float else converted(node, F32)
    return wrap(Op(op, (node,), node.type))


def sqrt(value: Any) -> Expr:
    """The square root; integers become f32 first, as in the functions below."""
    return _real("sqrt", value)


def exp(value: Any) -> Expr:
    """e to a power."""
    return _real("exp", value)


def log(value: Any) -> Expr:
    """The natural logarithm."""
    return _real("log", value)


def sin(value: Any) -> Expr:
    """The sine."""
    return _real("sin", value)


def cos(value: Any) -> Expr:
    """The cosine."""
    return _real("cos", value)


def tanh(value: Any) -> Expr:
    """The hyperbolic tangent."""
    return _real("tanh", value)


def tan(value: Any) -> Expr:
    """The tangent."""
    return _real("tan", value)


def atan2(y: Any, x: Any) -> Expr:
    """The angle of the point (x, y); integers become f32."""
    return _real_of_two("atan2", y, x)


def erf(value: Any) -> Expr:
    """The error function."""
    return _real("erf", value)


def floor(value: Any) -> Expr:
    """The greatest whole number below, as a float."""
    return _real("floor", value)


def ceil(value: Any) -> Expr:
    """The least whole number above, as a float."""
    return _real("ceil", value)


def round(value: Any) -> Expr:
    """The nearest whole number, ties to even, as a float."""
    return _real("round", value)


def trunc(value: Any) -> Expr:
    """The whole part, as a float."""
    return _real("trunc", value)


def pow(base: Any, exponent: Any) -> Expr:
    """A power of floats; integers become f32. A whole number as exponent is multiplied out."""
    if isinstance(exponent, int) and 0 <= exponent <= 16:
        result: Any = 1
        for _ in range(exponent):
            result = Expr(base) * result
        return Expr(result)
    return _real_of_two("pow", base, exponent)


def _real_of_two(op: str, first: Any, second: Any) -> Expr:
    a, b = pair(first, second)
    typ = numeric(a, op).type if a.type.is_float else F32
    return wrap(Op(op, (converted(a, typ), converted(b, typ)), typ))


def _wider(typ: Type, signed: bool | None = None) -> Type:
    if not typ.is_int:
        return Float(typ.bits * 2) if typ.is_float else typ
    kind = Kind.INT if (typ.kind is Kind.INT if signed is None else signed) else Kind.UINT
    return Int(typ.bits * 2) if kind is Kind.INT else UInt(typ.bits * 2)


def _widening(op: str, a: Any, b: Any, signed: bool | None = None) -> Expr:
    left, right = pair(a, b)
    typ = _wider(left.type, signed)
    return wrap(Op(op, (converted(left, typ), converted(right, typ)), typ))


def widening_add(a: Any, b: Any) -> Expr:
    """a + b at twice the width."""
    return _widening("add", a, b)


def widening_mul(a: Any, b: Any) -> Expr:
    """a · b at twice the width."""
    return _widening("mul", a, b)


def widening_sub(a: Any, b: Any) -> Expr:
    """a - b at twice the width, signed."""
    return _widening("sub", a, b, signed=True)


def _narrowed(wide: Expr, typ: Type) -> Expr:
    return wrap(Op("saturating_cast", (wide.node,), typ))


def saturating_add(a: Any, b: Any) -> Expr:
    """a + b, at the type's nearest value where it does not fit."""
    return _narrowed(widening_add(a, b), pair(a, b)[0].type)


def saturating_sub(a: Any, b: Any) -> Expr:
    """a - b, at the type's nearest value where it does not fit."""
    return _narrowed(widening_sub(a, b), pair(a, b)[0].type)


def halving_add(a: Any, b: Any) -> Expr:
    """The floor of (a + b) / 2 without overflow."""
    return cast(pair(a, b)[0].type, widening_add(a, b) >> 1)


def rounding_halving_add(a: Any, b: Any) -> Expr:
    """The floor of (a + b + 1) / 2 without overflow."""
    return cast(pair(a, b)[0].type, (widening_add(a, b) + 1) >> 1)


def halving_sub(a: Any, b: Any) -> Expr:
    """The floor of (a - b) / 2 without overflow, at a's type."""
    return cast(pair(a, b)[0].type, widening_sub(a, b) >> 1)


def rounding_shift_right(a: Any, b: Any) -> Expr:
    """a / 2^b rounded to the nearest, ties up; b is not negative."""
    node, wide = as_node(a), cast(_wider(as_node(a).type), a)
    half = select(comparison("gt", b, 0), shift("shl", cast(wide.type(), 1), Expr(b) - 1), cast(wide.type(), 0))
    return cast(node.type, shift("shr", wide + half, b))


def undef(typ: Type) -> Expr:
    """A value that does not matter: 0 here."""
    return wrap(Const(0, typ))


def _sized(typ: Type, saturating: bool = False) -> Callable[[Any], Expr]:
    def convert(value: Any) -> Expr:
        return saturating_cast(typ, value) if saturating else cast(typ, value)

    convert.__doc__ = f"value as {typ}."
    return convert


i8, i16, i32, i64 = (_sized(Int(bits)) for bits in (8, 16, 32, 64))
u8, u16, u32, u64 = (_sized(UInt(bits)) for bits in (8, 16, 32, 64))
f16, f32, f64 = (_sized(Float(bits)) for bits in (16, 32, 64))
i8_sat, i16_sat, i32_sat, i64_sat = (_sized(Int(bits), True) for bits in (8, 16, 32, 64))
u8_sat, u16_sat, u32_sat, u64_sat = (_sized(UInt(bits), True) for bits in (8, 16, 32, 64))

UNSUPPORTED = {
    **dict.fromkeys(("print", "print_when"), "interpret gives the values of any func"),
    "require": "assert it in Python before realize, or use hl.select",
    "memoize_tag": "realize computes everything anew",
    "BFloat": "Float(16), Float(32) and Float(64) are",
    "Handle": "images and parameters are numbers",
}
"""Halide's functions that there is no meaning for, and what to do instead: each call is E770."""


def unsupported(name: str) -> Any:
    """The function that refuses a name."""

    def refused(*_: Any, **__: Any) -> Any:
        raise refuse(f"{name} is not supported; {UNSUPPORTED[name]}", code="E770")

    return refused
