"""Scalar operations whose result is known when their arguments are: constants, and identities that hold for all values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from usl_core.ir.types import ScalarType
from usl_soac.core import Atom, Const
from usl_soac.scalars import BOOL, is_integer
from usl_soac.sizes import Term, maximum, minimum

_COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
_INTEGER: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "min": min,
    "max": max,
}


def fold(op: str, args: Sequence[Atom], operand: ScalarType) -> Atom | None:
    """The atom that an operation gives, if it is one."""
    if op == "select":
        return _select(args)
    if operand == BOOL:
        return _logic(op, args)
    if not is_integer(operand):
        return None
    return _integers(op, args, operand)


def _select(args: Sequence[Atom]) -> Atom | None:
    condition, yes, no = args
    if isinstance(condition, Const):
        return yes if condition.value else no
    return yes if yes == no and not _is_float(yes) else None


def _is_float(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.scalar.is_real


def _logic(op: str, args: Sequence[Atom]) -> Atom | None:
    if op == "not":
        (only,) = args
        return Const(not only.value, BOOL) if isinstance(only, Const) else None
    if op not in ("and", "or", "==", "!="):
        return None
    left, right = args
    if op in ("==", "!="):
        if left == right:
            return Const(op == "==", BOOL)
        if isinstance(left, Const) and isinstance(right, Const):
            return Const((left.value == right.value) == (op == "=="), BOOL)
        return None
    if left == right:
        return left
    decides = op == "or"
    for this, other in ((left, right), (right, left)):
        if isinstance(this, Const):
            return Const(decides, BOOL) if bool(this.value) == decides else other
    return None


def _integers(op: str, args: Sequence[Atom], scalar: ScalarType) -> Atom | None:
    if len(args) == 2:
        left, right = args
        if isinstance(left, Const) and isinstance(right, Const):
            return _constants(op, int(left.value), int(right.value), scalar)
        if left == right and op in _COMPARE:
            return Const(op in ("<=", ">=", "=="), BOOL)
        if left == right and op in ("min", "max"):
            return left
    if op == scalar.name:
        return args[0]
    return None


def _constants(op: str, left: int, right: int, scalar: ScalarType) -> Atom | None:
    if op in _COMPARE:
        return Const(_COMPARE[op](left, right), BOOL)
    if op not in _INTEGER or (op in ("//", "%") and right == 0):
        return None
    low, high = scalar.int_range()
    value = _INTEGER[op](left, right)
    return Const((value - low) % (high - low + 1) + low, scalar)


def arithmetic(op: str, args: Sequence[Term]) -> Term | None:
    """The term that an operation on i64 gives, if it is one."""
    match op, args:
        case "+", [a, b]:
            return a + b
        case "-", [a, b]:
            return a - b
        case "*", [a, b]:
            return a * b
        case "neg", [a]:
            return -a
        case "//", [a, b] if b.constant:
            return a // b.constant
        case "min", [a, b]:
            return minimum(a, b)
        case "max", [a, b]:
            return maximum(a, b)
        case "i64", [a]:
            return a
        case _:
            return None
