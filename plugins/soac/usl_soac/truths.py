"""Truth values in kernels: choices by them, their opposites, their numbers; as selects where these say it, else as branches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usl_core import build
from usl_core.errors import UslError
from usl_core.ir.types import I32
from usl_soac import core
from usl_soac.choices import where
from usl_soac.kernel_ops import chosen, condition, data
from usl_soac.kernel_values import NotAKernel, Scalar
from usl_soac.scalars import BOOL, SCALARS

if TYPE_CHECKING:
    from usl_soac.lowering import Lowering


def select(at: Lowering, expr: core.Op) -> Scalar:
    """`a if c else b` of two known scalars."""
    test, then, other = (at.scalar(each) for each in expr.args)
    if then.type is BOOL:
        a, b, c = condition(test), condition(then), condition(other)
        return Scalar(BOOL, condition=build.or_(build.and_(a, b), build.and_(build.not_(a), c)))
    one = chosen(condition(test), data(then), data(other))
    if one is not None:
        return Scalar(then.type, one)
    target = at.local("chosen", then.type)
    with at.b.if_(condition(test)):
        at.store(target, then)
    with at.b.else_():
        at.store(target, other)
    return Scalar(then.type, build.read(target.buffer))


def negation(at: Lowering, value: Scalar) -> Scalar:
    """The other truth value. That of `a < b` is no comparison where a side is NaN, but a flag."""
    test = condition(value)
    try:
        return Scalar(BOOL, condition=build.not_(test))
    except UslError:
        yes, no = (build.literal(each, I32) for each in (1, 0))
        flag = where(test, no, yes)
    if flag is None:
        target = at.local("flag", I32)
        with at.b.if_(test):
            at.b.assign(target.buffer, (), no)
        with at.b.else_():
            at.b.assign(target.buffer, (), yes)
        flag = build.read(target.buffer)
    return Scalar(BOOL, condition=build.lt(0, flag))


def number(at: Lowering, op: str, value: Scalar) -> Scalar:
    """A truth value as a number."""
    if op not in SCALARS:
        raise NotAKernel(f"{op} of truth values is not in the object language")
    typ = SCALARS[op]
    one, none = (Scalar(typ, build.literal(each, typ)) for each in (1, 0))
    either = chosen(condition(value), data(one), data(none))
    if either is not None:
        return Scalar(typ, either)
    target = at.local("number", typ)
    with at.b.if_(condition(value)):
        at.store(target, one)
    with at.b.else_():
        at.store(target, none)
    return Scalar(typ, build.read(target.buffer))
