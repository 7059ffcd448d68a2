"""Random numbers that are functions of places: the same for the same pipeline, whatever the schedule, as in Halide.

`random_uint()` is a placeholder until a func is defined with it. Then it becomes integer arithmetic on an optional seed, the
number of the call, that of the definition, and the variables of the stage; nothing else of the compiler knows of it. Values are
Halide 21's if a process makes the same calls and definitions in the same order.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.expr import Expr, as_node, wrap
from usl_halide_lib.lang.nodes import Const, Name, Node, Op, rebuilt, show
from usl_halide_lib.lang.types import F32, I32, Type, UInt

_U32 = UInt(32)
_CALLS, _DEFINITIONS = itertools.count(), itertools.count()


def random_float(seed: Any = None) -> Expr:
    """A number in [0, 1) that looks random: another one for each place, call and seed."""
    return _random(F32, next(_CALLS), seed)


def random_uint(seed: Any = None) -> Expr:
    """An integer of 32 bits without a sign that looks random."""
    return _random(_U32, next(_CALLS), seed)


def random_int(seed: Any = None) -> Expr:
    """An integer of 32 bits that looks random."""
    return _random(I32, next(_CALLS), seed)


def _random(typ: Type, number: int, seed: Any) -> Expr:
    given: tuple[Node, ...] = () if seed is None else (as_node(seed),)
    for node in given:
        if node.type != I32:
            raise refuse(f"the seed {show(node)} of random numbers is {node.type}; it has to be int32: hl.i32 makes it that")
    return wrap(Op("random", (*given, Const(number, I32)), typ))


def defined(expressions: Sequence[Node], variables: Sequence[Name]) -> tuple[Node, ...]:
    """The expressions of a definition with arithmetic for random numbers; variables are those of the stage."""
    seeds: tuple[Node, ...] = (Const(next(_DEFINITIONS), I32), *reversed(variables))

    def change(node: Node) -> Node | None:
        return _value(node.type, (*node.args, *seeds)) if isinstance(node, Op) and node.op == "random" else None

    return tuple(rebuilt(each, change) for each in expressions)


def _value(typ: Type, seeds: Sequence[Node]) -> Node:
    """A hash of the seeds: each is added to that of those before, and a quadratic polynomial mixes the bits."""
    result = _mixed(_as_u32(seeds[0]))
    for each in seeds[1:]:
        result = _mixed(_op("add", result, _as_u32(each)))
    bits = _op("bitxor", result, _op("shr", result, _u32(16)))  # the low bits have short periods
    if typ == F32:
        return Op("mul", (Op("cast", (_op("shr", bits, _u32(9)),), F32), Const(Fraction(1, 1 << 23), F32)), F32)
    return bits if typ == _U32 else Op("cast", (bits,), typ)


def _mixed(x: Node) -> Node:
    return _op("add", _op("mul", _op("add", _op("mul", _u32(1040796640), x), _u32(1121052041)), x), _u32(576942909))


def _as_u32(node: Node) -> Node:
    if isinstance(node, Const):
        return _u32(int(node.value) % (1 << 32))
    return Op("cast", (node,), _U32)


def _u32(value: int) -> Const:
    return Const(value, _U32)


def _op(op: str, a: Node, b: Node) -> Op:
    return Op(op, (a, b), _U32)
