"""Random expressions: indices that stay inside an extent by construction, conditions, data of a given type."""

from __future__ import annotations

import random
from fractions import Fraction

from tests.fuzz.scope import Data, Scope
from tests.fuzz.terms import COMPARISONS, Extent, compare, index_call, index_op, literal, num
from usl_core.ir.externs import (
    ABS,
    BITS,
    CLAMP,
    EQUAL,
    FMA,
    FROM_BITS,
    FUNCTIONS,
    IDX,
    MAX,
    MIN,
    RELATIONS,
    RELU,
    ROUNDINGS,
    SELECT,
)
from usl_core.ir.nodes import BinaryOp, Cast, Expr, ExternCall, Read, UnaryMinus
from usl_core.ir.types import B8, BOOL, COND, F32, F64, INDEX, U32, U64, ScalarType, all_bits


class Expressions:
    """Draws expressions from `rng`; `types` are the scalar types of the program."""

    def __init__(self, rng: random.Random, types: tuple[ScalarType, ...]) -> None:
        self.rng = rng
        self.types = types

    # ---- control

    def index(self, scope: Scope, extent: Extent, exotic: bool = True) -> Expr:
        """An expression with 0 <= value < extent."""
        fitting = [p for p in scope.positions if p.below.surely_at_most(extent)]
        options = [self._plain] * 6 * bool(fitting) + [self._constant]
        if exotic and fitting:
            options += [self._mirrored, self._divided, self._shifted, self._shifted]
        if exotic and scope.positions:
            options += [self._remainder, self._clamped]
        if exotic and self.rng.random() < 0.05:
            options += [self._gathered]
        return self.rng.choice(options)(scope, extent)

    def _plain(self, scope: Scope, extent: Extent) -> Expr:
        return self.rng.choice([p for p in scope.positions if p.below.surely_at_most(extent)]).expr

    def _constant(self, scope: Scope, extent: Extent) -> Expr:
        if extent.base is not None and self.rng.random() < 0.3:
            return index_op("-", extent.expr(), 1)
        return num(self.rng.randrange(extent.least))

    def _mirrored(self, scope: Scope, extent: Extent) -> Expr:
        return index_op("-", extent.plus(-1).expr(), self._plain(scope, extent))

    def _divided(self, scope: Scope, extent: Extent) -> Expr:
        return index_op("/", self._plain(scope, extent), self.rng.choice((2, 3, 4)))

    def _shifted(self, scope: Scope, extent: Extent) -> Expr:
        """`i + k` as far as the extent allows, `i + j` where the two together stay inside."""
        p = self.rng.choice([p for p in scope.positions if p.below.surely_at_most(extent)])
        literals = [
            q for q in scope.positions if q.below.base is None and p.below.plus(q.below.offset - 1).surely_at_most(extent)
        ]
        if literals and self.rng.random() < 0.7:
            return index_op("+", p.expr, self.rng.choice(literals).expr)
        slack = extent.offset - p.below.offset if p.below.base is extent.base else extent.least - p.below.offset
        return index_op("+", p.expr, self.rng.randint(0, min(slack, 3)))

    def _remainder(self, scope: Scope, extent: Extent) -> Expr:
        if extent.least == 1:
            return self._clamped(scope, extent)
        return index_op("%", self.rng.choice(scope.positions).expr, self.rng.randint(2, min(extent.least, 5)))

    def _clamped(self, scope: Scope, extent: Extent) -> Expr:
        position = self.rng.choice(scope.positions)
        amount = self.rng.randint(0, 3)
        if position.below.surely_at_most(extent) and self.rng.random() < 0.5:
            return index_call(MAX, index_op("-", position.expr, amount), num(0))
        return index_call(MIN, index_op("+", position.expr, amount), extent.plus(-1).expr())

    def _gathered(self, scope: Scope, extent: Extent) -> Expr:
        sources = [d for d in scope.readable() if d.input and d.scalar.is_int]
        if not sources:
            return self._constant(scope, extent)
        return index_call(IDX, self.read(scope, self.rng.choice(sources), exotic=False), num(0), extent.expr())

    def condition(self, scope: Scope, depth: int = 0) -> Expr:
        """A control condition."""
        if depth < 1 and self.rng.random() < 0.2:
            op = self.rng.choice(("and", "or"))
            return BinaryOp(op, self.condition(scope, depth + 1), self.condition(scope, depth + 1), type=BOOL)
        if scope.flags and self.rng.random() < 0.2:
            return self.rng.choice(scope.flags)
        if not scope.positions:
            return compare("<", num(0), num(self.rng.randint(0, 2)))
        position = self.rng.choice(scope.positions)
        match self.rng.randrange(4):
            case 0:
                return compare(self.rng.choice(COMPARISONS), index_op("%", position.expr, self.rng.randint(2, 4)), num(0))
            case 1:
                return compare("<", index_op("+", position.expr, self.rng.randint(0, 3)), position.below.expr())
            case 2:
                return compare(self.rng.choice(COMPARISONS), position.expr, self.rng.choice(scope.positions).expr)
            case _:
                return compare(self.rng.choice(COMPARISONS), position.expr, num(self.rng.randint(0, 4)))

    # ---- data

    def read(self, scope: Scope, data: Data, exotic: bool = True) -> Read:
        return Read(data.name, tuple(self.index(scope, dim, exotic) for dim in data.dims), type=data.scalar)

    def data_condition(self, scope: Scope) -> Expr:
        typ = self.rng.choice(self.types)
        result = compare(
            self.rng.choice(("==", "!=") if typ == B8 else COMPARISONS), self.data(scope, typ, 1), self.data(scope, typ, 1)
        )
        if self.rng.random() < 0.15:
            other = compare("!=" if typ == B8 else "<", self.data(scope, typ, 0), self.data(scope, typ, 0))
            return BinaryOp(self.rng.choice(("and", "or")), result, other, type=COND)
        return result

    def data(self, scope: Scope, typ: ScalarType, depth: int, pure: bool = False) -> Expr:
        """A data value of typ. pure: it depends on inputs only, so that products of it do not grow without end."""
        if typ == B8 and depth > 0:
            return self._flag(scope, depth, pure)
        if depth <= 0 or self.rng.random() < 0.25:
            return self._leaf(scope, typ, pure)
        choice = self.rng.random()
        if choice < 0.45:
            op = self.rng.choice("+-+-+")
            return BinaryOp(op, self.data(scope, typ, depth - 1, pure), self.data(scope, typ, depth - 1, pure), type=typ)
        if choice < 0.7:
            factors = [self.data(scope, typ, depth - 1, pure), self.data(scope, typ, depth - 1, True)]
            self.rng.shuffle(factors)
            return BinaryOp("*", factors[0], factors[1], type=typ)
        if choice < 0.76:
            return UnaryMinus(self.data(scope, typ, depth - 1, pure), type=typ)
        if choice < 0.81:
            return self._quotient(scope, typ, depth, pure)
        if choice < 0.85:
            return self._bits(scope, typ, depth, pure)
        if choice < 0.92:
            return self._builtin(scope, typ, depth, pure)
        return self._cast(scope, typ, depth, pure)

    def _leaf(self, scope: Scope, typ: ScalarType, pure: bool) -> Expr:
        sources = [d for d in scope.readable() if d.scalar == typ and (d.input or not pure)]
        if sources and self.rng.random() < 0.8:
            return self.read(scope, self.rng.choice(sources))
        if scope.positions and self.rng.random() < 0.2 and typ != B8:
            return Cast(self.rng.choice(scope.positions).expr, type=typ)
        return self.literal(typ)

    def _flag(self, scope: Scope, depth: int, pure: bool) -> Expr:
        """A truth value: one that is read or chosen, a comparison, what operations on bits make of them."""
        choice = self.rng.random()
        if choice < 0.2:
            return self._leaf(scope, B8, pure)
        if choice < 0.55:
            op = self.rng.choice(("&", "|", "^"))
            return BinaryOp(op, self.data(scope, B8, depth - 1, pure), self.data(scope, B8, depth - 1, pure), type=B8)
        if choice < 0.65:
            return BinaryOp("^", self.data(scope, B8, depth - 1, pure), literal(B8, 1), type=B8)
        typ = self.rng.choice(self.types)
        sides = self.data(scope, typ, depth - 1, pure), self.data(scope, typ, depth - 1, pure)
        if choice < 0.75:
            return ExternCall(SELECT, (*sides, self.data(scope, B8, 0, pure), self.data(scope, B8, 0, pure)), type=B8)
        return ExternCall(EQUAL if typ == B8 else self.rng.choice(RELATIONS), sides, type=B8)

    def literal(self, typ: ScalarType) -> Expr:
        if typ == B8:
            return literal(typ, self.rng.randint(0, 1))
        if typ.is_int:
            lo, hi = typ.int_range()
            return literal(typ, self.rng.choice((0, 1, 2, 3, 7, hi, max(lo, -1))))
        return literal(
            typ, self.rng.choice((Fraction(0), Fraction(1), Fraction(2), Fraction(1, 2), Fraction(-3, 4), Fraction(5)))
        )

    def _quotient(self, scope: Scope, typ: ScalarType, depth: int, pure: bool) -> Expr:
        op = self.rng.choice("/%") if typ.is_int else "/"
        divisor = literal(typ, self.rng.choice((2, 3, 4))) if self.rng.random() < 0.6 else self.data(scope, typ, 0, True)
        return BinaryOp(op, self.data(scope, typ, depth - 1, pure), divisor, type=typ)

    def _bits(self, scope: Scope, typ: ScalarType, depth: int, pure: bool) -> Expr:
        """What is done to bits; of a floating type a multiply-add, a rounding, a number taken apart and put together."""
        first = self.data(scope, typ, depth - 1, pure)
        if typ.is_int:
            op = self.rng.choice(("&", "|", "^", "<<", ">>"))
            if op in ("<<", ">>") and self.rng.random() < 0.6:
                return BinaryOp(op, first, literal(typ, self.rng.choice((0, 1, 2, typ.bits - 1, typ.bits))), type=typ)
            second = literal(typ, all_bits(typ)) if self.rng.random() < 0.2 else self.data(scope, typ, 0, True)
            return BinaryOp(op, first, second, type=typ)
        choice = self.rng.random()
        if choice < 0.3 and typ in (F32, F64):
            whole = U32 if typ == F32 else U64
            bits = BinaryOp("&", ExternCall(BITS, (first,), type=whole), literal(whole, whole.int_range()[1] >> 1), type=whole)
            return ExternCall(FROM_BITS, (bits,), type=typ)
        if choice < 0.6:
            return ExternCall(FMA, (first, self.data(scope, typ, 0, True), self.data(scope, typ, depth - 1, pure)), type=typ)
        return ExternCall(self.rng.choice(ROUNDINGS), (first,), type=typ)

    def _builtin(self, scope: Scope, typ: ScalarType, depth: int, pure: bool) -> Expr:
        if not typ.is_int and self.rng.random() < 0.1:
            fn = self.rng.choice(FUNCTIONS)
            return ExternCall(fn, tuple(self._leaf(scope, typ, True) for _ in range(fn.arity)), type=typ)
        fn = self.rng.choice((MIN, MAX, MIN, MAX, SELECT, RELU, ABS, CLAMP))
        return ExternCall(fn, tuple(self.data(scope, typ, depth - 1, pure) for _ in range(fn.arity)), type=typ)

    def _cast(self, scope: Scope, typ: ScalarType, depth: int, pure: bool) -> Expr:
        others = [t for t in self.types if t != typ]
        if not others:
            return self._leaf(scope, typ, pure)
        return Cast(self.data(scope, self.rng.choice(others), depth - 1, pure), type=typ)


__all__ = ["INDEX", "Expressions"]
