"""Short constructors of nodes, and the extents that generated programs are made of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tests.fuzz.kernels_operations import DECLARED
from usl_core.ir.combining import operations
from usl_core.ir.externs import Extern
from usl_core.ir.nodes import BinaryOp, Expr, ExternCall, Interval, Literal, Read, WindowExpr
from usl_core.ir.operation import Operation
from usl_core.ir.sym import Sym
from usl_core.ir.types import B8, BOOL, COND, INDEX, ScalarType, TensorType

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def reductions(typ: ScalarType) -> list[str | Operation]:
    """The operations by which data of a type is reduced, declared ones too."""
    return [*operations(typ), *(op for op in DECLARED if op.type == typ)]


def usual_operation(typ: ScalarType) -> str:
    """What sums are, of a type that has them."""
    return "^" if typ == B8 else "+"


def num(value: int) -> Literal:
    return Literal(value, type=INDEX)


def var(name: Sym) -> Read:
    return Read(name, (), type=INDEX)


def index_op(op: str, lhs: Expr, rhs: Expr | int) -> Expr:
    """Index arithmetic, without operations that do nothing."""
    right = num(rhs) if isinstance(rhs, int) else rhs
    if op in "+-" and isinstance(right, Literal) and right.value == 0:
        return lhs
    return BinaryOp(op, lhs, right, type=INDEX)


def compare(op: str, lhs: Expr, rhs: Expr) -> BinaryOp:
    """A comparison of two control or two data values."""
    return BinaryOp(op, lhs, rhs, type=COND if isinstance(lhs.type, ScalarType) else BOOL)


def literal(typ: ScalarType, value: int | Fraction) -> Literal:
    return Literal(int(value) if typ.is_int else Fraction(value), type=typ)


def index_call(fn: Extern, *args: Expr) -> ExternCall:
    return ExternCall(fn, args, type=INDEX)


def window(name: Sym, typ: ScalarType, entries: list[Expr | tuple[Expr, Expr, Expr]]) -> WindowExpr:
    """The view at points and intervals (lo, hi, extent)."""
    idx = tuple(Interval(e[0], e[1]) if isinstance(e, tuple) else e for e in entries)
    shape = tuple(e[2] for e in entries if isinstance(e, tuple))
    return WindowExpr(name, idx, type=TensorType(typ, shape, window=True))


@dataclass(frozen=True)
class Extent:
    """`base + offset` elements; base None is a literal extent. `least` is a lower bound of its value, at least 1."""

    base: Sym | None
    offset: int
    least: int

    def expr(self) -> Expr:
        if self.base is None:
            return num(self.offset)
        return index_op("+", var(self.base), self.offset) if self.offset >= 0 else index_op("-", var(self.base), -self.offset)

    def plus(self, amount: int) -> Extent:
        return Extent(self.base, self.offset + amount, self.least + amount)

    def surely_at_most(self, other: Extent) -> bool:
        """Whether self <= other whatever the sizes are."""
        if self.base is other.base:
            return self.offset <= other.offset
        return self.base is None and self.offset <= other.least
