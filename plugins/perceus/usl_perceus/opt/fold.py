"""Primitive operations on constants."""

from __future__ import annotations

from usl_perceus.ir import (
    BOOL,
    FALSE,
    TRUE,
    Atom,
    FloatType,
    IntType,
    Lit,
    Nullary,
    Prim,
)
from usl_perceus.scalars import evaluate


def fold(expr: Prim) -> Atom | None:
    """The value of a primitive whose arguments are all constants; None if it is not computed here.

    Not: what may break a precondition (it is left to the run, behind the test that the front end made), and floats, whose
    operations may round or signal elsewhere in a way of their own.
    """
    if expr.op == "str_concat":
        a, b = expr.args
        if isinstance(a, Lit) and isinstance(b, Lit) and isinstance(a.value, bytes) and isinstance(b.value, bytes):
            return Lit(a.value + b.value, expr.type)
        return None
    numbers = tuple(number for number in map(_number, expr.args) if number is not None)
    scalar = isinstance(expr.type, IntType) or expr.type == BOOL
    if not scalar or len(numbers) != len(expr.args) or not numbers or any(isinstance(arg.type, FloatType) for arg in expr.args):
        return None
    if expr.op in ("div", "mod") and numbers[1] == 0:
        return None
    value = evaluate(expr.op, numbers, expr.args[0].type, expr.type)
    if expr.type == BOOL:
        return Nullary(TRUE if value else FALSE)
    return Lit(value, expr.type)


def _number(atom: Atom) -> int | None:
    """The integer, or the tag of the enumerated constant, that an atom is."""
    match atom:
        case Lit(value=int() as value):
            return value
        case Nullary(con=con):
            return con.tag
        case _:
            return None
