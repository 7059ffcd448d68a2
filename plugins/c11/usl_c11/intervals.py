"""What values data expressions can have, where their text tells: tests and clamps that can do nothing are left out of C.

Of integers the ends are those of their operations, or of their type. Of floats only what has ends, rounding included, is known,
which then is no NaN: a conversion of it needs no saturation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from usl_c11.folding import Ends, folded
from usl_c11.scope import Function
from usl_core.ir import externs
from usl_core.ir.nodes import (
    Alloc,
    Assign,
    AssignConfig,
    BinaryOp,
    Call,
    Cast,
    Check,
    Expr,
    ExternCall,
    For,
    If,
    Literal,
    Pass,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import inner_stmts, names_used, walk_kinds
from usl_core.ir.types import ControlType, ScalarType, TensorType, is_integer_control
from usl_core.ranges import range_of

LARGEST = 1e30
"""Floats beyond have no ends here, so that nothing overflows."""


ANY = Ends(-math.inf, math.inf, True)


def ends(expr: Expr, fn: Function) -> Ends:
    """The ends of a data expression; of integers they are ints."""
    if isinstance(expr.type, ControlType):
        if not is_integer_control(expr.type):
            return Ends(0, 1)
        known = range_of(expr, fn.ranges)
        return Ends(known.lo, known.hi)
    scalar = expr.type
    assert isinstance(scalar, ScalarType)
    if scalar.is_int:
        return _of_integer(expr, scalar, fn)
    return _rounded(_of_float(expr, fn), scalar)


def fits(expr: Expr, target: ScalarType, fn: Function) -> bool:
    """Whether a float is known to be a value of an integer type when its fraction is dropped."""
    known, (lo, hi) = ends(expr, fn), target.int_range()
    return not known.nan and known.lo > lo - 1 and known.hi < hi + 1


def is_written_once(name: Sym, rest: Sequence[Stmt]) -> bool:
    """Whether a scalar that is allocated before rest is assigned in one place, and never passed on."""
    return _writes(name, rest) == 1


def is_table_of_places(name: Sym, typ: TensorType, rest: Sequence[Stmt]) -> bool:
    """Whether an array of integers is written in one place, and is where elements of others are looked up."""
    if not typ.scalar.is_int or not is_written_once(name, rest):
        return False
    calls = (each for stmt in rest for each in walk_kinds(stmt, ExternCall))
    return any(isinstance(each, ExternCall) and each.fn is externs.IDX and name in names_used(each) for each in calls)


def _writes(name: Sym, block: Sequence[Stmt]) -> int:
    count = 0
    for stmt in block:
        match stmt:
            case Assign() | Reduce():
                count += (stmt.name is name) * (1 if isinstance(stmt, Assign) else 2)
            case Call():
                count += 2 * any(name in names_used(each) for each in stmt.args)
            case WindowStmt():
                count += 2 * (stmt.rhs.name is name)
            case For() | If() | Alloc() | AssignConfig() | Check() | Pass():
                count += _writes(name, inner_stmts(stmt))
        if count > 1:
            break
    return count


def _of_integer(expr: Expr, scalar: ScalarType, fn: Function) -> Ends:
    known = folded(expr)
    if known is not None:
        return Ends(known, known)
    lo, hi = scalar.int_range()
    found = _computed(expr, fn)
    return found if found is not None and lo <= found.lo and found.hi <= hi else Ends(lo, hi)


def _computed(expr: Expr, fn: Function) -> Ends | None:
    """The ends of an integer as if its type had no limits."""
    match expr:
        case Read(name=name, idx=idx):
            return fn.elements.get(name) if idx else fn.values.get(name)
        case Cast(arg=arg):
            inner = ends(arg, fn)
            if isinstance(arg.type, ScalarType) and not arg.type.is_int:
                if inner.nan or not (abs(inner.lo) < LARGEST and abs(inner.hi) < LARGEST):
                    return None
                return Ends(math.trunc(inner.lo), math.trunc(inner.hi))
            return inner
        case UnaryMinus(arg=arg):
            inner = ends(arg, fn)
            return Ends(-inner.hi, -inner.lo)
        case BinaryOp(op="+" | "-" | "*" as op, lhs=lhs, rhs=rhs):
            return _arithmetic(op, ends(lhs, fn), ends(rhs, fn))
        case BinaryOp(op="/" | "%" as op, lhs=lhs, rhs=rhs) if (divisor := folded(rhs)) is not None and divisor > 0:
            inner = ends(lhs, fn)
            return Ends(inner.lo // divisor, inner.hi // divisor) if op == "/" else Ends(0, divisor - 1)
        case ExternCall(fn=function, args=args) if function in (externs.MIN, externs.MAX):
            return _extreme(function is externs.MAX, *(ends(each, fn) for each in args))
        case ExternCall(fn=externs.SELECT, args=(_, _, yes, no)):
            return ends(yes, fn).hull(ends(no, fn))
        case BinaryOp() | ExternCall() | Literal() | ReadConfig() | StrideExpr() | WindowExpr():
            return None


def _of_float(expr: Expr, fn: Function) -> Ends:
    match expr:
        case Literal(value=value):
            return Ends(float(value), float(value))
        case Read(name=name, idx=()):
            return fn.values.get(name) or ANY
        case Cast(arg=arg):
            inner = ends(arg, fn)
            return Ends(float(inner.lo), float(inner.hi), inner.nan)
        case UnaryMinus(arg=arg):
            inner = ends(arg, fn)
            return Ends(-inner.hi, -inner.lo, inner.nan)
        case BinaryOp(op="+" | "-" | "*" as op, lhs=lhs, rhs=rhs):
            a, b = ends(lhs, fn), ends(rhs, fn)
            return _arithmetic(op, a, b) if _is_bounded(a) and _is_bounded(b) else ANY
        case ExternCall(fn=function, args=args) if function in (externs.MIN, externs.MAX):
            return _extreme(function is externs.MAX, *(ends(each, fn) for each in args))
        case ExternCall(fn=externs.SELECT, args=(_, _, yes, no)):
            return ends(yes, fn).hull(ends(no, fn))
        case BinaryOp(op="/", lhs=lhs, rhs=rhs):
            a, b = ends(lhs, fn), ends(rhs, fn)
            if not _is_bounded(a) or not 2.0**-40 < b.lo <= b.hi < LARGEST or b.nan:
                return ANY
            return _arithmetic("*", a, Ends(1 / b.hi, 1 / b.lo))
        case ExternCall(fn=externs.ABS, args=(arg,)):
            inner = ends(arg, fn)
            return Ends(0.0, max(abs(inner.lo), abs(inner.hi)), inner.nan)
        case ExternCall(fn=externs.FLOOR, args=(arg,)) if _is_bounded(inner := ends(arg, fn)):
            return Ends(math.floor(inner.lo), math.floor(inner.hi), inner.nan)
        case ExternCall(fn=externs.RINT, args=(arg,)):
            inner = ends(arg, fn)
            return Ends(inner.lo - 0.5, inner.hi + 0.5, inner.nan)
        case BinaryOp() | ExternCall() | Read() | ReadConfig() | StrideExpr() | WindowExpr():
            return ANY


def _is_bounded(known: Ends) -> bool:
    return abs(known.lo) < LARGEST and abs(known.hi) < LARGEST


def _rounded(known: Ends, scalar: ScalarType) -> Ends:
    """With room for rounding, of the operation and of the ends; what may overflow has none."""
    if scalar.bits < 32:
        return ANY
    lo, hi = (each if abs(each) < LARGEST else math.copysign(math.inf, each) for each in (known.lo, known.hi))
    if lo >= LARGEST or hi <= -LARGEST:
        return ANY
    return Ends(_outwards(lo, -1, scalar), _outwards(hi, 1, scalar), known.nan)


def _outwards(end: float, sign: int, scalar: ScalarType) -> float:
    whole, step = (2**20, 2.0**-20) if scalar.bits == 32 else (2**50, 2.0**-48)
    if math.isinf(end) or (end == int(end) and abs(end) < whole):
        return end  # rounding goes to the nearest and these are floats, so that it does not cross them
    return end + sign * (abs(end) * step + 2.0**-100)


def _arithmetic(op: str, a: Ends, b: Ends) -> Ends:
    nan = a.nan or b.nan
    match op:
        case "+":
            return Ends(a.lo + b.lo, a.hi + b.hi, nan)
        case "-":
            return Ends(a.lo - b.hi, a.hi - b.lo, nan)
        case _:
            corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
            return Ends(min(corners), max(corners), nan)


def _extreme(is_max: bool, a: Ends, b: Ends) -> Ends:
    """`a < b ? a : b`, or with `>`: b where a is NaN."""
    pick = max if is_max else min
    lo, hi = pick(a.lo, b.lo), pick(a.hi, b.hi)
    return Ends(min(lo, b.lo), max(hi, b.hi), b.nan) if a.nan else Ends(lo, hi, b.nan)
