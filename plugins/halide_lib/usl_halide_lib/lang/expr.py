"""`Expr`: what Python operators on Var, RVar, Param and reads of funcs build; Python runs and leaves a tree."""

from __future__ import annotations

from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.nodes import Const, Node, Op, show
from usl_halide_lib.lang.types import BOOL, F32, I32, Kind, Type, coerced, mixed


class Expr:
    """An expression of the algorithm language. Its operators are Halide's; a Python number takes the other operand's type."""

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None
    _node: Node

    def __init__(self, value: Any) -> None:
        self._node = as_node(value)

    @property
    def node(self) -> Node:
        """The tree."""
        return self._node

    def type(self) -> Type:
        """The type of its values."""
        return self.node.type

    def __str__(self) -> str:
        return show(self.node)

    __repr__ = __str__

    def __bool__(self) -> bool:
        raise refuse(f"{self} has no value while the algorithm is written; use hl.select, or & and | between conditions")

    def __iter__(self) -> Any:
        raise refuse(f"{self} is one value and cannot be taken apart")

    def __add__(self, other: Any) -> Expr:
        return arithmetic("add", self, other)

    def __radd__(self, other: Any) -> Expr:
        return arithmetic("add", other, self)

    def __sub__(self, other: Any) -> Expr:
        return arithmetic("sub", self, other)

    def __rsub__(self, other: Any) -> Expr:
        return arithmetic("sub", other, self)

    def __mul__(self, other: Any) -> Expr:
        return arithmetic("mul", self, other)

    def __rmul__(self, other: Any) -> Expr:
        return arithmetic("mul", other, self)

    def __truediv__(self, other: Any) -> Expr:
        return arithmetic("div", self, other)

    def __rtruediv__(self, other: Any) -> Expr:
        return arithmetic("div", other, self)

    def __floordiv__(self, other: Any) -> Expr:
        return floor_quotient(self, other)

    def __rfloordiv__(self, other: Any) -> Expr:
        return floor_quotient(other, self)

    def __mod__(self, other: Any) -> Expr:
        return arithmetic("mod", self, other)

    def __rmod__(self, other: Any) -> Expr:
        return arithmetic("mod", other, self)

    def __neg__(self) -> Expr:
        if isinstance(self.node, Const):
            return wrap(Const(coerced(-self.node.value, self.node.type), self.node.type))
        return wrap(Op("neg", (numeric(self.node, "-"),), self.node.type))

    def __abs__(self) -> Expr:
        return absolute(self)

    def __lt__(self, other: Any) -> Expr:
        return comparison("lt", self, other)

    def __le__(self, other: Any) -> Expr:
        return comparison("le", self, other)

    def __gt__(self, other: Any) -> Expr:
        return comparison("gt", self, other)

    def __ge__(self, other: Any) -> Expr:
        return comparison("ge", self, other)

    def __eq__(self, other: Any) -> Expr:  # type: ignore[override]
        return comparison("eq", self, other)

    def __ne__(self, other: Any) -> Expr:  # type: ignore[override]
        return comparison("ne", self, other)

    def __and__(self, other: Any) -> Expr:
        return bitwise("and", self, other)

    def __rand__(self, other: Any) -> Expr:
        return bitwise("and", other, self)

    def __or__(self, other: Any) -> Expr:
        return bitwise("or", self, other)

    def __ror__(self, other: Any) -> Expr:
        return bitwise("or", other, self)

    def __xor__(self, other: Any) -> Expr:
        return bitwise("xor", self, other)

    def __rxor__(self, other: Any) -> Expr:
        return bitwise("xor", other, self)

    def __invert__(self) -> Expr:
        if self.node.type == BOOL:
            return wrap(Op("not", (self.node,), BOOL))
        return wrap(Op("bitnot", (integral(self.node, "~"),), self.node.type))

    def __lshift__(self, other: Any) -> Expr:
        return shift("shl", self, other)

    def __rlshift__(self, other: Any) -> Expr:
        return shift("shl", other, self)

    def __rshift__(self, other: Any) -> Expr:
        return shift("shr", self, other)

    def __rrshift__(self, other: Any) -> Expr:
        return shift("shr", other, self)


def wrap(node: Node) -> Expr:
    """The user's view of a node."""
    expr = Expr.__new__(Expr)
    expr._node = node
    return expr


def number_of(value: Any) -> int | Fraction | None:
    """A Python or NumPy number, decimals as they are written (0.1 is 1/10); None if it is none that is finite."""
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Rational):
        return Fraction(str(value))
    if isinstance(value, Real) or type(value).__name__ in ("float16", "float32"):
        text = str(value)
        return None if "n" in text else Fraction(text)
    return None


def as_node(value: Any) -> Node:
    """The node of an expression, or of a number at its usual type: i32, f32, bool.

    Raises:
        AlgorithmError: value is neither.
    """
    if isinstance(value, Expr):
        return value.node
    if isinstance(value, bool):
        return Const(int(value), BOOL)
    plain = number_of(value)
    if plain is None:
        raise refuse(f"an expression is wanted, not {value!r} of type {type(value).__name__}")
    typ = F32 if isinstance(plain, Fraction) else I32
    return Const(coerced(plain, typ), typ)


def operand(value: Any, typ: Type) -> Node:
    """value where the other operand has type typ: a Python number takes that type, if it is one for numbers."""
    if not isinstance(value, bool) and (plain := number_of(value)) is not None:
        if isinstance(plain, Fraction) and not typ.is_float:
            return Const(plain, F32)
        if typ != BOOL:
            return Const(coerced(plain, typ), typ)
    return as_node(value)


def pair(a: Any, b: Any) -> tuple[Node, Node]:
    """Two operands at the type in which they meet."""
    if number_of(a) is not None and not isinstance(a, bool):
        right = as_node(b)
        left = operand(a, right.type)
    else:
        left = as_node(a)
        right = operand(b, left.type)
    typ = mixed(left.type, right.type)
    return converted(left, typ), converted(right, typ)


def converted(node: Node, typ: Type) -> Node:
    """The node cast to a type, if it has another."""
    if node.type == typ:
        return node
    if isinstance(node, Const) and typ.is_float:
        return Const(node.value, typ)
    if isinstance(node, Const) and typ.is_int and node.value == int(node.value) and typ.least <= node.value <= typ.greatest:
        return Const(int(node.value), typ)
    return Op("cast", (node,), typ)


def numeric(node: Node, symbol: str) -> Node:
    """The node, which must not be a truth value."""
    if node.type == BOOL:
        raise refuse(f"{symbol} needs numbers, and {show(node)} is a condition; use hl.select, or hl.cast it")
    return node


def integral(node: Node, symbol: str) -> Node:
    """The node, which must be an integer."""
    if not node.type.is_int:
        raise refuse(f"{symbol} needs integers, and {show(node)} is {node.type}")
    return node


_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%"}


def arithmetic(op: str, a: Any, b: Any) -> Expr:
    """`a op b` at the type in which they meet."""
    for each in (a, b):
        if isinstance(each, bool) or number_of(each) is None:  # a number is judged at the type that it takes
            numeric(as_node(each), _SYMBOLS[op])
    left, right = pair(a, b)
    return wrap(Op(op, (left, right), left.type))


def floor_quotient(a: Any, b: Any) -> Expr:
    """`a // b`: Halide's division on integers, the floor of the quotient on floats."""
    quotient = arithmetic("div", a, b).node
    return wrap(Op("floor", (quotient,), quotient.type) if quotient.type.is_float else quotient)


def comparison(op: str, a: Any, b: Any) -> Expr:
    """A condition on two operands at the type in which they meet."""
    return wrap(Op(op, pair(a, b), BOOL))


def bitwise(op: str, a: Any, b: Any) -> Expr:
    """`& | ^`: of conditions their conjunction and so on, of integers of their bits."""
    left, right = pair(a, b)
    if left.type == BOOL:
        return wrap(Op({"and": "and", "or": "or", "xor": "ne"}[op], (left, right), BOOL))
    return wrap(Op("bit" + op, (integral(left, {"and": "&", "or": "|", "xor": "^"}[op]), right), left.type))


def shift(op: str, a: Any, b: Any) -> Expr:
    """`<<` and `>>`: the type of the left operand; a negative distance shifts the other way."""
    left = as_node(a) if isinstance(a, Expr) else operand(a, as_node(b).type)
    symbol = {"shl": "<<", "shr": ">>"}[op]
    integral(left, symbol)
    right = integral(as_node(b), symbol)
    return wrap(Op(op, (left, right), left.type))


def absolute(value: Any) -> Expr:
    """|value|, unsigned for integers."""
    node = numeric(as_node(value), "abs")
    return wrap(Op("abs", (node,), unsigned(node.type)))


def unsigned(typ: Type) -> Type:
    """The type of a distance between values of an integer type; floats have their own."""
    if typ.kind is not Kind.INT:
        return typ
    return Type(Kind.UINT, typ.bits)


def condition(value: Any, what: str) -> Node:
    """A node of type bool.

    Raises:
        AlgorithmError: it is a number.
    """
    node = as_node(value)
    if node.type != BOOL:
        raise refuse(f"{what} must be a condition; {show(node)} is {node.type}: compare it with something")
    return node
