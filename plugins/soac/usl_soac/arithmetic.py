"""Operations on scalars and, element by element, on arrays of equal shape: their types, and the core that they become."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from usl_core.errors import Span
from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType
from usl_soac import core
from usl_soac.core import Const, Lambda, Param, Statement, Type
from usl_soac.scalars import BOOL, F64, I64, SCALARS, is_integer, is_number
from usl_soac.show import show_type
from usl_soac.text import ill_typed
from usl_soac.values import Block, Closure, Named, Num, Tup, Unassigned, Val, Value, known, typed

ARITHMETIC = frozenset({"+", "-", "*"})
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
FLOAT_FUNCTIONS = {
    **dict.fromkeys(("exp", "log", "sin", "cos", "tan", "tanh", "erf", "sqrt", "floor", "ceil"), 1),
    **dict.fromkeys(("pow", "atan2"), 2),
}
"""Functions of floats with the number of their arguments."""
OPERATORS = {"add": "+", "mul": "*", "min": "min", "max": "max", "and_": "and", "or_": "or", "xor": "^"}
"""Operators as functions, for reduce and scan."""
FUNCTIONS = frozenset({*FLOAT_FUNCTIONS, *OPERATORS, *SCALARS, "abs"})
"""Functions of scalars that the language has."""

NOT_TOTAL = frozenset({"//", "%", "**"})


def describe(value: Value) -> str:
    """The type of a value, in words for messages."""
    match value:
        case Val(type=typ):
            return show_type(typ).replace("?", "_")
        case Num(floating=floating):
            return "a number with a point" if floating else "a number"
        case Tup(items=items):
            return f"a tuple of {len(items)}"
        case Closure() | Named():
            return f"the function {value.name}"
        case Unassigned():
            return "unassigned on some paths"


def is_total(statements: Sequence[Statement]) -> bool:
    """Whether statements are scalar operations that cannot fail."""
    return all(isinstance(each.value, core.Size | core.Copy) or _total_op(each.value) for each in statements)


def _total_op(expr: core.Expr) -> bool:
    if not isinstance(expr, core.Op):
        return False
    divisor = expr.args[-1]
    return expr.op not in NOT_TOTAL or (isinstance(divisor, Const) and bool(divisor.value) and expr.op != "**")


# ---- numbers whose type is open


def fold(op: str, args: Sequence[Num]) -> Num | None:
    """The number that an operation on numbers gives, if that is one exactly."""
    if not all(isinstance(each.value, Fraction) for each in args):
        return Num(-args[0].value, True) if op == "neg" else None
    values = [Fraction(each.value) for each in args]
    floating = any(each.floating for each in args)
    match op, values:
        case "neg", [a] if a or not floating:  # -0.0 is no fraction
            return Num(-a, floating)
        case "+", [a, b] if not floating:
            return Num(a + b, False)
        case "-", [a, b] if not floating:
            return Num(a - b, False)
        case "*", [a, b] if not floating:
            return Num(a * b, False)
        case _:
            return None


def settle(values: Sequence[Value], expected: ScalarType | None, what: str, span: Span) -> list[Val]:
    """The operands, numbers among them as numbers of the type that the others have.

    Raises:
        SoacError: one is no scalar or array, or a number is not one of that type.
    """
    found = next((each.type.scalar for each in values if isinstance(each, Val)), expected)
    if found is None and any(isinstance(each, Num) and each.floating for each in values):
        found = F64
    result = []
    for each in values:
        match each:
            case Val():
                result.append(each)
            case Num():
                result.append(number(each, found, span))
            case Tup() | Closure() | Named() | Unassigned():
                raise ill_typed(f"{what} is for numbers and arrays, not for {describe(each)}", span)
    return result


def number(value: Num, scalar: ScalarType | None, span: Span) -> Val:
    """A number as one of a type.

    Raises:
        SoacError: the type has no such number.
    """
    if scalar is None:
        scalar = F64 if value.floating else I64
    if scalar is BOOL:
        raise ill_typed("a number stands where a truth value should", span)
    if scalar.is_int:
        if value.floating:
            raise ill_typed(
                f"a number with a point stands where an {scalar} should", span, f"hint: write it without, or {scalar}(…)"
            )
        low, high = scalar.int_range()
        if not low <= value.value <= high:
            raise ill_typed(f"{value.value} is no {scalar}", span)
    return typed(value, scalar)


# ---- operations


def operate(op: str, values: Sequence[Value], block: Block, span: Span, expected: ScalarType | None = None) -> Value:
    """An operation of the core on scalars or, element by element, on arrays.

    Raises:
        SoacError: it is not for these types.
    """
    numbers = [each for each in values if isinstance(each, Num)]
    if len(numbers) == len(values) and (folded := fold(op, numbers)) is not None:
        return folded
    if op in COMPARISONS or op in SCALARS:
        expected = None
    args = settle(values, expected, op, span)
    return lift(lambda inner, each: scalar(op, each, inner, span), args, block, op, span)


def scalar(op: str, args: Sequence[Val], block: Block, span: Span) -> Val:
    """An operation on scalars."""
    types = [each.type.scalar for each in args]
    if op in ("//", "**") and types[0].is_real:
        op = "pow" if op == "**" else op
    result = _result(op, types, args, span)
    return block.one(core.Op(op, tuple(each.atom for each in args), types[0], span=span), Type(result), span)


def lift(function: Callable[[Block, Sequence[Val]], Val], args: Sequence[Val], block: Block, what: str, span: Span) -> Val:
    """A function of scalars on scalars and arrays, whose shapes must be equal: maps, one inside the other."""
    ranks = {each.type.rank for each in args if each.type.rank}
    if not ranks:
        return function(block, args)
    if len(ranks) > 1:
        shown = " and ".join(describe(each) for each in args)
        raise ill_typed(
            f"{what} is for arrays of equal shape, not for {shown}", span, "hint: replicate the smaller one, or use map"
        )
    arrays = [each for each in args if each.type.rank]
    rank = ranks.pop()
    inner = Block()
    params = [Param(Sym("x"), known(rank - 1, each.type.scalar), span=span) for each in arrays]
    elements = iter([Val(each.name, each.type) for each in params])
    result = lift(function, [next(elements) if each.type.rank else each for each in args], inner, what, span)
    body = Lambda(tuple(params), inner.body([result], span), span=span)
    names = tuple(each.atom for each in arrays if isinstance(each.atom, Sym))
    return block.one(core.Map(body, names, span=span), known(rank, result.type.scalar), span)


def _result(op: str, types: Sequence[ScalarType], args: Sequence[Val], span: Span) -> ScalarType:
    """The type of the result, or the refusal."""
    first = types[0]
    if op in SCALARS:
        if len(types) != 1:
            raise ill_typed(f"{op} converts one number, {len(types)} given", span)
        return SCALARS[op]
    if any(each != first for each in types):
        shown = " and ".join(map(str, types))
        raise ill_typed(f"{op} is for two values of one type, not for {shown}", span, f"hint: convert one: {first}(…)")
    if op in COMPARISONS:
        if first is BOOL and op not in ("==", "!="):
            raise ill_typed(f"{op} is for numbers, not for bool", span)
        return BOOL
    if op in ("and", "or", "not"):
        if first is not BOOL:
            raise ill_typed(f"{op} is for truth values, not for {first}", span)
        return BOOL
    if not is_number(first):
        hint = {"&": "and", "|": "or", "~": "not", "^": "!="}.get(op)
        raise ill_typed(f"{op} is for numbers, not for {first}", span, *([f"hint: {hint}"] if hint else []))
    if op == "/" or op in FLOAT_FUNCTIONS:
        if not first.is_real:
            hint = "hint: // divides integers" if op == "/" else f"hint: {op}(f64(x))"
            raise ill_typed(f"{op} is for f32 and f64, not for {first}", span, hint)
    elif op in ("//", "%", "&", "|", "^", "<<", ">>", "~"):
        if not is_integer(first):
            hint = "hint: floor(x / y)" if op == "//" else "hint: x - y * floor(x / y)" if op == "%" else ""
            raise ill_typed(f"{op} is for integers, not for {first}", span, *([hint] if hint else []))
    elif op == "**":
        exponent = args[1].atom
        if not (isinstance(exponent, Const) and exponent.value >= 0):
            raise ill_typed("the exponent of an integer is a number that is not negative", span, "hint: pow(f64(x), f64(k))")
    elif op == "neg" and first.is_int and not first.signed:
        raise ill_typed(f"- is not for {first}, which has no negative numbers", span, "hint: 0 - x wraps")
    return first
