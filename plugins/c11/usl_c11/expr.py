"""Expressions of the language as C expressions: control values, conditions, data, and the lvalues that data is read from."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from fractions import Fraction

from usl_c11 import arith, remainders
from usl_c11.ctext import C, binary, call, cast, unary
from usl_c11.folding import folded
from usl_c11.intervals import ends, fits
from usl_c11.literals import control_literal, float_literal, integer_literal, ring_literal, round_to
from usl_c11.memory import ask, overrides
from usl_c11.names import legal
from usl_c11.scope import Buffer, Function, Place
from usl_c11.types import is_narrow, require_arithmetic, ring
from usl_core.errors import BackendError, Span
from usl_core.ir import externs
from usl_core.ir.nodes import (
    BinaryOp,
    Cast,
    Expr,
    ExternCall,
    Interval,
    Literal,
    Read,
    ReadConfig,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
)
from usl_core.ir.types import B8, F32, I32, ControlType, ScalarType, all_bits, is_integer_control
from usl_core.ranges import Range, decided_by, range_of

TRUE, FALSE = C("true"), C("false")

# ---- control values


def control(expr: Expr, fn: Function) -> C:
    """An integer control expression, of type int64_t or a constant; constants are folded, overflow is excluded."""
    known = range_of(expr, fn.ranges)
    if known.lo == known.hi and not isinstance(expr, Read):
        return control_literal(known.lo)
    match expr:
        case Literal(value=value):
            return control_literal(int(value))
        case Read(name=name):
            return C(fn.controls[name])
        case UnaryMinus(arg=arg):
            return unary("-", control(arg, fn))
        case BinaryOp(op=("/" | "%") as op, lhs=lhs, rhs=rhs):
            return _floor(op, lhs, rhs, fn)
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            return _fold(op, control(lhs, fn), control(rhs, fn))
        case ExternCall(fn=function, args=args):
            return _control_extern(function, args, fn)
        case StrideExpr(name=name, dim=dim):
            return fn.buffer(name, expr.span).strides[dim]
        case ReadConfig():
            return config_field(expr, fn)
        case Cast() | WindowExpr():
            raise AssertionError(f"not an integer control expression: {expr}")


def _fold(op: str, lhs: C, rhs: C) -> C:
    """`lhs op rhs` without the neutral elements that rewriting leaves behind."""
    if lhs.text.isdigit() and rhs.text.isdigit():  # two constants of type int might overflow in C
        a, b = int(lhs.text), int(rhs.text)
        return control_literal({"+": a + b, "-": a - b, "*": a * b}[op])
    if rhs.text == "0" and op in "+-":
        return lhs
    if lhs.text == "0" and op == "+":
        return rhs
    if op == "*" and "1" in (lhs.text, rhs.text):
        return rhs if lhs.text == "1" else lhs
    return binary(op, lhs, rhs)


def product(factors: Sequence[C]) -> C:
    """The product of extents; 1 of none."""
    return functools.reduce(lambda a, b: _fold("*", a, b), factors, C("1"))


def _floor(op: str, lhs: Expr, rhs: Expr, fn: Function) -> C:
    """Division and remainder by a positive literal round down; C's operators do so where the left side is not negative.

    By a power of two shifts and masks do so everywhere.
    """
    operands = control(lhs, fn), control(rhs, fn)
    if range_of(lhs, fn.ranges).lo >= 0:
        return operands[0] if op == "/" and operands[1].text == "1" else binary(op, *operands)
    divisor = range_of(rhs, fn.ranges).lo
    if divisor & (divisor - 1) == 0:
        return arith.rounded_down(op, operands[0], divisor, fn.unit)
    helpers = fn.unit.helpers
    return call(helpers.floor_div() if op == "/" else helpers.floor_mod(), *operands)


def _control_extern(function: externs.Extern, args: Sequence[Expr], fn: Function) -> C:
    helpers = fn.unit.helpers
    if function is externs.IDX:
        value, scalar = data(args[0], fn), scalar_type(args[0])
        known, lo, hi = ends(args[0], fn), range_of(args[1], fn.ranges), range_of(args[2], fn.ranges)
        if lo.hi <= known.lo and known.hi < hi.lo:
            return cast("int64_t", value)
        if scalar.bits == 64 and not scalar.signed:
            value = call(helpers.index_limit(), value)
        return call(helpers.index_of(), value, control(args[1], fn), control(args[2], fn))
    pick = helpers.minimum if function is externs.MIN else helpers.maximum
    return call(pick(None), control(args[0], fn), control(args[1], fn))


def config_field(expr: ReadConfig, fn: Function) -> C:
    """`ctx->Config.field`; only fields that C may read back live in the context."""
    declared = expr.config.fields[expr.field]
    if not declared.readable:
        raise BackendError(
            f"{expr.config.name}.{expr.field} is write-only: C cannot read it back",
            span=expr.span,
            notes=("such a field may only feed an operand that an instruction's template does not print",),
        )
    return C(f"{fn.context}->{legal(expr.config.name)}.{legal(expr.field)}")


# ---- truth values


def condition(expr: Expr, fn: Function) -> C:
    """An expression of type bool or cond; what constants decide is folded, as compilers warn about such comparisons."""
    match expr:
        case Literal(value=value):
            return TRUE if value else FALSE
        case Read(name=name):
            return C(fn.controls[name])
        case ReadConfig():
            return config_field(expr, fn)
        case BinaryOp(op=("and" | "or") as op, lhs=lhs, rhs=rhs):
            if (always := remainders.decided(op, lhs, rhs)) is not None:
                return TRUE if always else FALSE
            return _connective(op, condition(lhs, fn), condition(rhs, fn))
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            return _comparison(op, lhs, rhs, fn)
        case UnaryMinus() | ExternCall() | Cast() | WindowExpr() | StrideExpr():
            raise AssertionError(f"not a condition: {expr}")


def _connective(op: str, lhs: C, rhs: C) -> C:
    neutral, absorbing = (TRUE, FALSE) if op == "and" else (FALSE, TRUE)
    if absorbing in (lhs, rhs):
        return absorbing
    if neutral in (lhs, rhs):
        return rhs if lhs == neutral else lhs
    return binary("&&" if op == "and" else "||", lhs, rhs)


def _comparison(op: str, lhs: Expr, rhs: Expr, fn: Function) -> C:
    if is_integer_control(lhs.type):
        a, b = range_of(lhs, fn.ranges), range_of(rhs, fn.ranges)
        decided = decided_by(op, a, b) if a.lo == a.hi and b.lo == b.hi else None
        if op in ("==", "!=") and remainders.never(lhs, rhs):
            decided = op == "!="
        left, right = control(lhs, fn), control(rhs, fn)
        exact = True
    elif isinstance(lhs.type, ControlType):
        left, right, decided, exact = condition(lhs, fn), condition(rhs, fn), None, True
    else:
        require_arithmetic(scalar_type(lhs), lhs.span)
        left, right = _compared(lhs, fn), _compared(rhs, fn)
        decided, exact = _data_decided(op, lhs, rhs, fn), isinstance(lhs.type, ScalarType) and lhs.type.is_int
    if decided is None and exact and left.text == right.text:
        decided = op in ("==", "<=", ">=")
    if decided is not None:
        return TRUE if decided else FALSE
    if lhs.type == B8 and right.text == "0":
        return left if op == "!=" else unary("!", left)
    return binary(op, left, right)


def _compared(expr: Expr, fn: Function) -> C:
    """A data operand of a comparison."""
    value, scalar = data(expr, fn), scalar_type(expr)
    if folded(expr) is not None:
        return value
    inner = expr
    while isinstance(inner, Cast):
        inner = inner.arg
    op = inner.op if isinstance(inner, BinaryOp) else ""
    narrow = is_narrow(scalar) and not scalar.signed and (_in_ring(expr) or op == "^")
    return call(fn.unit.helpers.opaque(scalar), value) if narrow or op in ("&", "|") else value


def _data_decided(op: str, lhs: Expr, rhs: Expr, fn: Function) -> bool | None:
    if not scalar_type(lhs).is_int:
        return None
    if op in ("==", "!=") and (_never_made(lhs, folded(rhs), fn) or _never_made(rhs, folded(lhs), fn)):
        return op == "!="
    left, right = ends(lhs, fn), ends(rhs, fn)
    return decided_by(op, Range(int(left.lo), int(left.hi)), Range(int(right.lo), int(right.hi)))


def _never_made(expr: Expr, value: int | None, fn: Function) -> bool:
    """Whether an unsigned number made of a narrower signed one, which is small or very large, is never this one in between."""
    if value is None or not isinstance(expr, Cast) or not isinstance(expr.arg.type, ScalarType):
        return False
    made, given = scalar_type(expr), expr.arg.type
    if made.signed or not (given.is_int and given.signed and given.bits <= made.bits):
        return False
    known = ends(expr.arg, fn)
    least, most = int(known.lo), int(known.hi)
    return least < 0 <= most < value < (1 << made.bits) + least


# ---- data


def scalar_type(expr: Expr) -> ScalarType:
    """The type of a data expression."""
    assert isinstance(expr.type, ScalarType)
    return expr.type


def data(expr: Expr, fn: Function) -> C:
    """A data expression, of exactly its C type (constants of narrow types: int)."""
    scalar, unit = scalar_type(expr), fn.unit
    if scalar.is_encoded:
        return _unpacked(expr, scalar, fn)
    unit.ctype(scalar, expr.span)  # the file needs what the type needs
    known = folded(expr)
    if known is not None:
        require_arithmetic(scalar, expr.span)
        return integer_literal(known, scalar)
    match expr:
        case Literal(value=value):
            require_arithmetic(scalar, expr.span)
            return float_literal(Fraction(value), scalar, expr.span)
        case Read() if scalar == B8:
            return is_true(_read(expr, fn))
        case Read():
            return _read(expr, fn)
        case ReadConfig():
            return config_field(expr, fn)
        case Cast(arg=arg):
            return _cast(arg, scalar, fn, expr.span)
        case WindowExpr() | StrideExpr():
            raise AssertionError(f"not a data expression: {expr}")
        case UnaryMinus() | BinaryOp() | ExternCall():
            require_arithmetic(scalar, expr.span)
    match expr:
        case UnaryMinus() | BinaryOp(op="+" | "-" | "*") if scalar.is_int:
            return _wrapping(expr, scalar, fn)
        case UnaryMinus(arg=arg):
            negated = unary("-", data(arg, fn))
            return arith.rounded(negated, scalar)
        case BinaryOp(op="^", lhs=lhs, rhs=rhs) if folded(rhs) == all_bits(scalar) and scalar == B8:
            return unary("!", data(lhs, fn))
        case BinaryOp(op="^", lhs=lhs, rhs=rhs) if folded(rhs) == all_bits(scalar):
            return arith.inverted(data(lhs, fn), scalar, unit, expr.span)
        case BinaryOp(op="&" | "|" as op, lhs=lhs, rhs=rhs) if scalar == B8 and (
            (always := remainders.decided(op, lhs, rhs)) is not None
        ):
            return integer_literal(int(always), scalar)
        case BinaryOp(op="&" | "|" | "^" as op, lhs=lhs, rhs=rhs):
            return arith.bitwise(op, data(lhs, fn), data(rhs, fn), scalar, unit, expr.span)
        case BinaryOp(op="<<" | ">>" as op, lhs=lhs, rhs=rhs):
            return arith.shift(op, data(lhs, fn), data(rhs, fn), scalar, folded(rhs), unit, expr.span)
        case BinaryOp(op=op, lhs=lhs, rhs=rhs) if scalar.is_int:
            return arith.division(op, data(lhs, fn), data(rhs, fn), scalar, folded(rhs), unit, expr.span)
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            return _float_operation(op, data(lhs, fn), data(rhs, fn), scalar, expr, fn)
        case ExternCall(fn=function, args=(lhs, rhs)) if function in externs.RELATIONS:
            held = _comparison(function.name, lhs, rhs, fn)
            return integer_literal(int(held == TRUE), scalar) if held in (TRUE, FALSE) else held
        case ExternCall(fn=function, args=args):
            require_arithmetic(scalar_type(args[0]), expr.span)
            if function in (externs.MIN, externs.MAX) and scalar.is_int and (idle := _lesser(function, args, fn)) is not None:
                return data(idle, fn)
            condition = scalar_type(args[0])
            operands = [data(arg, fn) for arg in args]
            return arith.extern_call(function, operands, scalar, F32 if condition.is_encoded else condition, unit, expr.span)


def is_true(byte: C) -> C:
    """Whether a byte from memory is a truth value that holds: any but 0, whoever has put it there."""
    return binary("!=", byte, C("0"))


def _unpacked(expr: Expr, scalar: ScalarType, fn: Function) -> C:
    """A number that C lacks, in float."""
    require_arithmetic(scalar, expr.span)
    if isinstance(expr, Literal):
        return float_literal(round_to(Fraction(expr.value), scalar, expr.span), F32, expr.span)
    return call(fn.unit.helpers.unpack(scalar), stored(expr, fn))


def stored(expr: Expr, fn: Function) -> C:
    """A data expression as arrays hold it: of a number that C lacks, its bits; of a truth value, a byte."""
    scalar, unit = scalar_type(expr), fn.unit
    match expr:
        case Read() if scalar.is_encoded or scalar == B8:
            return _read(expr, fn)
        case ReadConfig() if scalar.is_encoded:
            return config_field(expr, fn)
        case _ if not scalar.is_encoded:
            return data(expr, fn)
        case WindowExpr() | StrideExpr() | Read() | ReadConfig():
            raise AssertionError(f"not a data expression: {expr}")
        case Cast() | Literal() | UnaryMinus() | BinaryOp() | ExternCall():
            require_arithmetic(scalar, expr.span)
    match expr:
        case Cast(arg=arg) if isinstance(arg.type, ControlType):
            return arith.pack(control(arg, fn), None, scalar, unit)
        case Cast(arg=arg):
            source = scalar_type(arg)
            require_arithmetic(source, expr.span)
            return stored(arg, fn) if source == scalar else arith.pack(data(arg, fn), source, scalar, unit)
        case UnaryMinus(arg=arg):
            return arith.pack(unary("-", data(arg, fn)), F32, scalar, unit)
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            return arith.pack(_float_operation(op, data(lhs, fn), data(rhs, fn), F32, expr, fn), F32, scalar, unit)
        case ExternCall(fn=function, args=args):
            require_arithmetic(scalar_type(args[0]), expr.span)
            operands = [data(arg, fn) for arg in args]
            return arith.packed_call(function, operands, scalar, scalar_type(args[0]), unit, expr.span)
        case Literal():
            return arith.pack(data(expr, fn), F32, scalar, unit)


def _float_operation(op: str, lhs: C, rhs: C, scalar: ScalarType, expr: Expr, fn: Function) -> C:
    if op == "%":
        raise BackendError(f"`%` is not defined on {scalar_type(expr)}", span=expr.span)
    return arith.float_operation(op, lhs, rhs, scalar, fn.unit)


def _read(expr: Read, fn: Function) -> C:
    buffer = fn.buffer(expr.name, expr.span)
    access = element(buffer, [control(i, fn) for i in expr.idx], fn, expr.span)
    return _as_read(ask(buffer.mem, "read", access.text, fn.unit.ctype(scalar_type(expr), expr.span), expr.span), access)


def _lesser(function: externs.Extern, args: Sequence[Expr], fn: Function) -> Expr | None:
    """The one of two integers that is known to be the lesser, or the greater."""
    a, b = (ends(each, fn) for each in args)
    if function is externs.MAX:
        args = args[::-1]
    return args[0] if a.hi <= b.lo else args[1] if b.hi <= a.lo else None


def _as_read(text: str, access: C) -> C:
    """What a memory returns for a read: the lvalue itself, or text that may need parentheses."""
    return access if text == access.text else C(f"({text})")


def _cast(arg: Expr, target: ScalarType, fn: Function, span: Span) -> C:
    require_arithmetic(target, span)
    if isinstance(arg.type, ControlType):
        return cast(fn.unit.ctype(target, span), _masked(arg, fn))
    source = scalar_type(arg)
    require_arithmetic(source, span)
    if target.is_int and not source.is_int and folded(arg) is None and fits(arg, target, fn):
        whole = _truncated_first(arg, fn, span) if target.bits < 32 else None
        return (
            arith.truncated(data(arg, fn), target, fn.unit, span) if whole is None else cast(fn.unit.ctype(target, span), whole)
        )
    return arith.convert(data(arg, fn), F32 if source.is_encoded else source, target, fn.unit, span)


def _truncated_first(arg: Expr, fn: Function, span: Span) -> C | None:
    """`(int32_t)min(x, 255.5f)` as the minimum of `(int32_t)x` and 255, where x is known to fit: without fractions the order is
    the same, and gcc knows the instruction for the minimum of integers, not that of floats, which might be NaN."""
    if not isinstance(arg, ExternCall) or arg.fn not in (externs.MIN, externs.MAX):
        return None
    for limit, other in (arg.args, reversed(arg.args)):
        if isinstance(limit, Literal) and fits(limit, I32, fn) and fits(other, I32, fn):
            inner = _truncated_first(other, fn, span) or cast("int32_t", data(other, fn))
            whole = int(round_to(Fraction(limit.value), scalar_type(limit), span))
            return arith.extern_call(arg.fn, [inner, integer_literal(whole, I32)], I32, I32, fn.unit, span)
    return None


def _masked(expr: Expr, fn: Function) -> C:
    """A control value that becomes data. The remainder by a power of two is a mask, as C's own has a sign to look after."""
    if isinstance(expr, BinaryOp) and expr.op == "%":
        divisor = range_of(expr.rhs, fn.ranges).lo
        if divisor & (divisor - 1) == 0 and (known := range_of(expr, fn.ranges)).lo < known.hi:
            return arith.rounded_down("%", control(expr.lhs, fn), divisor, fn.unit)
    return control(expr, fn)


def _wrapping(expr: UnaryMinus | BinaryOp, scalar: ScalarType, fn: Function) -> C:
    """Integer `+ - *`, reduced once at the end: the ring laws hold modulo any power of two."""
    if isinstance(expr, BinaryOp) and arith.promoted_fits(expr.op, scalar) and not (_in_ring(expr.lhs) or _in_ring(expr.rhs)):
        value = binary(expr.op, data(expr.lhs, fn), data(expr.rhs, fn))
    else:
        value = in_ring(expr, scalar, fn)
    return arith.narrow(value, scalar, fn.unit, expr.span)


def _in_ring(expr: Expr) -> bool:
    return isinstance(expr, UnaryMinus) or (isinstance(expr, BinaryOp) and expr.op in ("+", "-", "*"))


def in_ring(expr: Expr, scalar: ScalarType, fn: Function) -> C:
    """An integer expression modulo 2^32 or 2^64, of the unsigned type `ring(scalar)`."""
    known = folded(expr)
    if known is not None:
        return ring_literal(known, scalar)
    match expr:
        case BinaryOp(op=("+" | "-" | "*") as op, lhs=lhs, rhs=rhs):
            return binary(op, in_ring(lhs, scalar, fn), in_ring(rhs, scalar, fn))
        case UnaryMinus(arg=arg):
            return binary("-", ring_literal(0, scalar), in_ring(arg, scalar, fn))
        case Read() | Literal() | BinaryOp() | ExternCall() | Cast() | WindowExpr() | StrideExpr() | ReadConfig():
            leaf = data(expr, fn)
            return leaf if scalar.name == "u32" else cast(ring(scalar), leaf)


# ---- places


def element(buffer: Buffer, indices: Sequence[C], fn: Function, span: Span) -> C:
    """The lvalue of a scalar or of an element."""
    match buffer.place:
        case Place.VALUE | Place.ACCUMULATOR:
            return C(buffer.name)
        case Place.POINTER:
            return unary("*", C(buffer.name))
        case Place.VIEW:
            assert buffer.base is not None
            return element(buffer.base, view_indices(buffer, indices, fn), fn, span)
        case Place.DENSE | Place.WINDOW:
            return _indexed(buffer, indices, fn, span)


def _indexed(buffer: Buffer, indices: Sequence[C], fn: Function, span: Span) -> C:
    if overrides(buffer.mem, "window"):
        texts, strides = [i.text for i in indices], [s.text for s in buffer.strides]
        return C(ask(buffer.mem, "window", buffer.data, fn.unit.ctype(buffer.scalar, span), texts, strides, span))
    return C(f"{buffer.data}[{offset(indices, buffer.strides)}]")


def offset(indices: Sequence[C], strides: Sequence[C]) -> C:
    """The distance in elements from the first; it fits 64 bits because the buffer's bytes fit PTRDIFF_MAX."""
    total = C("0")
    for index, stride in zip(indices, strides, strict=True):
        if index.text != "0":
            total = _fold("+", total, _fold("*", index, stride))
    return total


def view_indices(view: Buffer, indices: Sequence[C], fn: Function) -> list[C]:
    """Indices of a view as indices of its base."""
    rest = iter(indices)
    return [_fold("+", control(at.lo, fn), next(rest)) if isinstance(at, Interval) else control(at, fn) for at in view.view]


def constant(expr: Expr, fn: Function) -> int | None:
    """The value of a control expression that is a constant in C."""
    known = range_of(expr, fn.ranges)
    return known.lo if known.lo == known.hi and not isinstance(expr, Read) else None
