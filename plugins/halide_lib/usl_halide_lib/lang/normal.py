"""Index expressions as linear forms (halide.md §5.3); of what is not linear at most the ends are known."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import trunc
from typing import Any

from usl_halide_lib.lang.linear import Ends, Facts, Lin, Unknown, const, extremum, of_atom, quotient, variable
from usl_halide_lib.lang.nodes import Algorithm, Const, Hole, Name, Node, Op, Read
from usl_halide_lib.lang.types import I32, Kind, Type

FloatEnds = tuple[Any, Any]
"""Ends that are integers, fractions or None."""
Holes = Callable[[Hole], Lin | None]


class Normal:
    """The forms of expressions of one target program. holes gives what a hole is filled with, None if it is not known."""

    def __init__(self, algorithm: Algorithm, facts: Facts, holes: Holes) -> None:
        self.algorithm, self.facts, self.holes = algorithm, facts, holes
        self._funcs: dict[str, Ends] = {}

    def form(self, node: Node) -> Lin:
        """The form of an i32 expression."""
        match node:
            case Const(value=value):
                return const(int(value))
            case Name(name=name, type=typ):
                return variable(name) if typ == I32 else self._unknown(node)
            case Hole():
                return self.holes(node) or self._unknown(node)
            case Op(op="add", args=(a, b)) if node.type == I32:
                return self.form(a) + self.form(b)
            case Op(op="sub", args=(a, b)) if node.type == I32:
                return self.form(a) - self.form(b)
            case Op(op="neg", args=(a,)) if node.type == I32:
                return -self.form(a)
            case Op(op="mul", args=(a, b)) if node.type == I32:
                left, right = self.form(a), self.form(b)
                if left.is_constant() or right.is_constant():
                    return right.scaled(left.constant) if left.is_constant() else left.scaled(right.constant)
                return self._unknown(node)
            case Op(op="div" | "mod" | "shr" | "shl", args=(a, b)) if node.type == I32:
                return self._divided(node, node.op, self.form(a), self.form(b))
            case Op(op="min" | "max", args=(a, b)) if node.type == I32:
                return extremum(node.op == "max", [self.form(a), self.form(b)], self.facts)
            case Op(op="cast" | "saturating_cast", args=(a,), type=typ) if typ == I32 and _fits(a.type, typ):
                return self.form(a) if a.type == I32 else self._unknown(a)
            case _:
                return self._unknown(node)

    def _divided(self, node: Node, op: str, a: Lin, b: Lin) -> Lin:
        if not b.is_constant():
            return self._unknown(node)
        k = b.constant
        if op in ("shr", "shl"):
            if not 0 <= k < 31:
                return self._unknown(node)
            return quotient(a, 1 << k) if op == "shr" else a.scaled(1 << k)
        if k == 0:
            return const(0)
        whole = quotient(a, k) if k > 0 else -quotient(a, -k)
        return whole if op == "div" else a - whole.scaled(k)

    def _unknown(self, node: Node) -> Lin:
        low, high = self.ends(node)
        if low is not None and low == high:
            return const(low)
        return of_atom(Unknown(node, low, high))

    def ends(self, node: Node) -> Ends:
        """The ends of the values of any expression, by its type and its parts; (None, None) is any i32 or i64."""
        found = self._value(node)
        wraps = node.type.bits < 32 or node.type.kind is Kind.UINT  # i32 and i64 do not go beyond their ends
        if not node.type.is_float and wraps:
            return (
                _meet(found, (node.type.least, node.type.greatest))
                if _inside(found, node.type)
                else (node.type.least, node.type.greatest)
            )
        return found

    def _value(self, node: Node) -> Ends:
        match node:
            case Const(value=value) if value == int(value):
                return int(value), int(value)
            case Op(op="cast" | "saturating_cast", args=(a,)) if a.type.is_float:
                first, last = self.float_ends(a)
                return (None, None) if first is None or last is None else _meet((trunc(first), trunc(last)), _range(node.type))
            case Op(op="cast" | "saturating_cast", args=(a,)):
                found = self.ends(a)
                return found if _inside(found, node.type) else (None, None)
            case Op(op="select", args=(_, a, b)):
                return _hull(self.ends(a), self.ends(b))
            case Op(op="min" | "max", args=(a, b)):
                return _extreme(node.op == "max", self.ends(a), self.ends(b))
            case Op(op="add" | "sub" | "mul" | "div" | "mod", args=(a, b)) if not node.type.is_float:
                return _arithmetic(node.op, self.ends(a), self.ends(b))
            case Op(op="abs", args=(a,)) if not node.type.is_float:
                low, high = self.ends(a)
                return 0, None if low is None or high is None else max(-low, high)
            case Op(op="bitand", args=(a, b)):
                tops = [e[1] for e in (self.ends(a), self.ends(b)) if e[0] is not None and e[0] >= 0 and e[1] is not None]
                return (0, min(tops)) if tops else (None, None)
            case Name(name=name):
                return self.facts.get(name, (None, None))
            case Read(func=func, part=part):
                return self.func_ends(func, part)
            case _:
                return (0, 1) if node.type.kind is Kind.BOOL else (None, None)

    def float_ends(self, node: Node) -> FloatEnds:
        """The ends of a float's values, rounding included. What has an end is no NaN."""
        match node:
            case Const(value=value):
                return Fraction(value), Fraction(value)
            case Op(op="cast", args=(a,)):
                low, high = self.float_ends(a) if a.type.is_float else self.ends(a)
                return _rounded((low, high), node.type)
            case Op(op="min" | "max", args=(a, b)):
                return _extreme(node.op == "max", self.float_ends(a), self.float_ends(b))
            case Op(op="select", args=(_, a, b)):
                return _hull(self.float_ends(a), self.float_ends(b))
            case Op(op="neg", args=(a,)):
                return _mirrored(self.float_ends(a))
            case Op(op="add" | "sub" | "mul", args=(a, b)):
                left, right = self.float_ends(a), self.float_ends(b)
                if node.op == "mul" and None in left:
                    return None, None
                return _rounded(_arithmetic(node.op, left, right), node.type)
            case Op(op="div", args=(a, Const(value=value))) if value > 0:
                low, high = self.float_ends(a)
                return _rounded((None if low is None else low / value, None if high is None else high / value), node.type)
            case _:
                return None, None

    def func_ends(self, func: str, part: int) -> Ends:
        """The ends of a func's values: the hull of its stages' right sides. A func that reads itself may have any value."""
        key = f"{func}.{part}"
        if key not in self._funcs:
            self._funcs[key] = (None, None)  # what a self read gives while this is worked out
            definition = self.algorithm.func(func)
            hull: Ends | None = None
            for stage in definition.stages:
                found = self.ends(stage.values[part])
                hull = found if hull is None else _hull(hull, found)
            self._funcs[key] = hull or (None, None)
        return self._funcs[key]


def _fits(source: Type, target: Type) -> bool:
    """Whether every value of an integer type is one of another."""
    return not source.is_float and target.least <= source.least and source.greatest <= target.greatest


def _inside(found: Ends, typ: Type) -> bool:
    low, high = found
    return low is not None and high is not None and typ.least <= low and high <= typ.greatest


def _range(typ: Type) -> Ends:
    return typ.least, typ.greatest


def _rounded(ends: FloatEnds, typ: Type) -> FloatEnds:
    """Ends with room for the rounding of one operation of a type."""
    step = Fraction(1, 1 << {16: 10, 32: 22, 64: 50}[typ.bits])
    low, high = ends
    return None if low is None else low - abs(low) * step, None if high is None else high + abs(high) * step


def _meet(a: Ends, b: Ends) -> Ends:
    return _extreme(True, (a[0], None), (b[0], None))[0], _extreme(False, (None, a[1]), (None, b[1]))[1]


def _hull(a: FloatEnds, b: FloatEnds) -> FloatEnds:
    return (
        None if a[0] is None or b[0] is None else min(a[0], b[0]),
        None if a[1] is None or b[1] is None else max(a[1], b[1]),
    )


def _extreme(is_max: bool, a: FloatEnds, b: FloatEnds) -> FloatEnds:
    if not is_max:
        low, high = _extreme(True, _mirrored(a), _mirrored(b))
        return _mirrored((low, high))
    lows = [each for each in (a[0], b[0]) if each is not None]
    return max(lows, default=None), None if a[1] is None or b[1] is None else max(a[1], b[1])


def _mirrored(a: FloatEnds) -> FloatEnds:
    return None if a[1] is None else -a[1], None if a[0] is None else -a[0]


def _arithmetic(op: str, a: FloatEnds, b: FloatEnds) -> FloatEnds:
    if op == "add":
        return (
            None if a[0] is None or b[0] is None else a[0] + b[0],
            None if a[1] is None or b[1] is None else a[1] + b[1],
        )
    if op == "sub":
        return _arithmetic("add", a, _mirrored(b))
    if op == "mod":
        if b[0] is None or b[1] is None:
            return 0, None
        return 0, max(abs(b[0]), abs(b[1]), 1) - 1
    if a[0] is None or a[1] is None:
        return None, None
    if op == "div":
        if b[0] is not None and b[0] == b[1] and b[0] > 0:
            return a[0] // b[0], a[1] // b[0]
        most = max(abs(a[0]), abs(a[1]))
        return -most, most
    if b[0] is None or b[1] is None:
        return None, None
    corners = [x * y for x in a if x is not None for y in b if y is not None]
    return min(corners), max(corners)
