"""What a call of a `@proc` assumes of its arguments, as tests: sizes, lengths of arrays, assertions.

Sizes and indices are at most `LARGEST` in magnitude, so that the arithmetic of the tests cannot wrap around.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from usl_core.errors import Span
from usl_core.ir.externs import MAX, MIN
from usl_core.ir.nodes import BinaryOp, Expr, ExternCall, Literal, Proc, Read, StrideExpr, UnaryMinus
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.types import SIZE, ControlType, TensorType
from usl_perceus import ir
from usl_perceus.errors import PerceusError
from usl_perceus.front.block import Block

LARGEST = (1 << 31) - 1
"""The largest size or index of a kernel, as its C takes it."""

_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod"}
_TRUTH = {"and": "and", "or": "or", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}

Part = tuple[ir.Atom, ir.Atom]
"""The first element of a part of an array, and how many it has."""


@dataclass(frozen=True, slots=True)
class KernelArguments:
    """The arguments of a call, whole arrays; parts: of those of which the kernel gets a part only, by position."""

    atoms: tuple[ir.Atom, ...]
    parts: Mapping[int, Part]

    def kept(self, positions: Sequence[int]) -> KernelArguments:
        """Those at some positions."""
        parts = {new: self.parts[old] for new, old in enumerate(positions) if old in self.parts}
        return KernelArguments(tuple(self.atoms[i] for i in positions), parts)


def length_of(given: KernelArguments, position: int, block: Block, span: Span) -> ir.Atom:
    """How many elements of an array the kernel gets."""
    if position in given.parts:
        return given.parts[position][1]
    return block.atom(ir.Prim("array_len", (given.atoms[position],), ir.I64, span=span), ir.I64, "length", span)


class Tests:
    """The tests of one call, each with the steps that compute it and what it means if it fails; later ones may use what
    earlier ones have computed."""

    def __init__(self, proc: Proc, given: KernelArguments, span: Span, may_be_zero: Collection[int] = ()) -> None:
        """may_be_zero: the positions of sizes that were asked for 0 before."""
        self._proc = proc
        self._given = given
        self._may_be_zero = may_be_zero
        self._atoms = dict(zip((arg.name for arg in proc.args), given.atoms, strict=True))
        self._span = span
        self._done: list[tuple[Block, ir.Atom, str]] = []

    def all(self) -> list[tuple[Block, ir.Atom, str]]:
        """The tests in the order in which they are made."""
        for position, arg in enumerate(self._proc.args):
            if isinstance(arg.type, ControlType) and self._atoms[arg.name].type == ir.I64:
                least = f"-{LARGEST}" if arg.type is not SIZE else "0" if position in self._may_be_zero else "1"
                self._add(
                    lambda block, arg=arg: self._in_range(self._atoms[arg.name], arg.type is SIZE, block),  # type: ignore[misc]
                    f"{arg.name.name} is not from {least} to {LARGEST}",
                )
        for position, arg in enumerate(self._proc.args):
            if isinstance(arg.type, TensorType):
                self._length(position, arg.name, arg.type)
        for pred in self._proc.preds:
            self._add(lambda block, pred=pred: self._expr(pred, block), f"its assertion {show_expr(pred)} does not hold")  # type: ignore[misc]
        return self._done

    def _add(self, test: Callable[[Block], ir.Atom], failed: str) -> None:
        block = Block()
        self._done.append((block, test(block), failed))

    def _in_range(self, value: ir.Atom, positive: bool, block: Block) -> ir.Atom:
        """1 <= value <= LARGEST, or -LARGEST <= value <= LARGEST, in one comparison without sign."""
        shifted = self._prim("add", (value, number(-1 if positive else LARGEST)), ir.I64, block)
        unsigned = self._prim("cast", (shifted,), ir.U64, block)
        limit = LARGEST if positive else 2 * LARGEST + 1
        return self._prim("lt", (unsigned, ir.Lit(limit, ir.U64)), ir.BOOL, block)

    def _length(self, position: int, name: Sym, type_: TensorType) -> None:
        """The length is the product of the extents; it is divided by them one by one, because a product might wrap around."""
        rest = list[ir.Atom]()
        shape = " * ".join(
            f"({show_expr(extent)})" if isinstance(extent, BinaryOp) else show_expr(extent) for extent in type_.shape
        )
        failed = f"the length of {name.name} is not {shape}"

        def begin(block: Block) -> ir.Atom:
            rest.append(length_of(self._given, position, block, self._span))
            return self._compared(type_.shape[0], rest[-1], block, last=len(type_.shape) == 1)

        self._add(begin, failed)
        for dim, extent in enumerate(type_.shape[1:], start=1):
            before = type_.shape[dim - 1]

            def further(block: Block, extent: Expr = extent, before: Expr = before, dim: int = dim) -> ir.Atom:
                rest.append(self._prim("div", (rest[-1], self._expr(before, block)), ir.I64, block))
                return self._compared(extent, rest[-1], block, last=dim == len(type_.shape) - 1)

            self._add(further, failed)

    def _compared(self, extent: Expr, length: ir.Atom, block: Block, *, last: bool) -> ir.Atom:
        """The last extent is what is left of the length, another divides it. Extents are at least 1."""
        value = self._expr(extent, block)
        positive = self._prim("ge", (value, number(1)), ir.BOOL, block)
        if last:
            fits: ir.Atom = self._prim("eq", (length, value), ir.BOOL, block)
            return self._prim("and", (positive, fits), ir.BOOL, block)
        # A divisor that is 0 would be no number to divide by; the test fails anyhow.
        safe = self._chosen(positive, value, number(1), block)
        remainder = self._prim("mod", (length, safe), ir.I64, block)
        fits = self._prim("eq", (remainder, number(0)), ir.BOOL, block)
        return self._prim("and", (positive, fits), ir.BOOL, block)

    def _chosen(self, test: ir.Atom, then: ir.Atom, orelse: ir.Atom, block: Block) -> ir.Atom:
        choice = ir.If(test, ir.Ret(then, span=self._span), ir.Ret(orelse, span=self._span), span=self._span)
        return block.atom(choice, ir.I64, "value", self._span)

    def _prim(self, op: str, args: tuple[ir.Atom, ...], type_: ir.Type, block: Block) -> ir.Atom:
        return block.atom(ir.Prim(op, args, type_, span=self._span), type_, "value", self._span)

    # -- control expressions

    def _expr(self, expr: Expr, block: Block) -> ir.Atom:
        """The value of a control expression over the arguments."""
        if _magnitude(expr) > 1 << 62:
            raise self._refusal("a number in its interface may be too large")
        match expr:
            case Literal(value=bool() as value):
                return ir.Nullary(ir.TRUE if value else ir.FALSE)
            case Literal(value=int() as value):
                return number(value)
            case Read(name=name, idx=()):
                return self._atoms[name]
            case UnaryMinus(arg=arg):
                return self._prim("neg", (self._expr(arg, block),), ir.I64, block)
            case BinaryOp(op=op, lhs=lhs, rhs=rhs):
                sides = (self._expr(lhs, block), self._expr(rhs, block))
                if op in _TRUTH:
                    return self._prim(_TRUTH[op], sides, ir.BOOL, block)
                return self._prim(_ARITHMETIC[op], sides, ir.I64, block)
            case ExternCall(fn=fn, args=args) if fn is MIN or fn is MAX:
                first, second = (self._expr(arg, block) for arg in args)
                test = self._prim("le" if fn is MIN else "ge", (first, second), ir.BOOL, block)
                return self._chosen(test, first, second, block)
            case StrideExpr(name=name, dim=dim):
                return self._stride(name, dim, block)
            case _:
                raise self._refusal("its interface depends on more than its arguments")

    def _stride(self, name: Sym, dim: int, block: Block) -> ir.Atom:
        """Arrays are dense, row by row. The lengths are tested before, so that this is at most one of them."""
        (type_,) = (arg.type for arg in self._proc.args if arg.name == name)
        assert isinstance(type_, TensorType)
        stride: ir.Atom = number(1)
        for extent in type_.shape[dim + 1 :]:
            stride = self._prim("mul", (stride, self._expr(extent, block)), ir.I64, block)
        return stride

    def _refusal(self, why: str) -> PerceusError:
        return PerceusError(f"{self._proc.name} cannot be called here: {why}", span=self._span, code="E726")


def number(value: int) -> ir.Lit:
    """A number of type i64."""
    return ir.Lit(value, ir.I64)


def _magnitude(expr: Expr) -> int:
    """A bound of the absolute value of a control expression whose variables are at most LARGEST."""
    match expr:
        case Literal(value=value):
            return abs(int(value))
        case Read() | StrideExpr():
            return LARGEST
        case UnaryMinus(arg=arg):
            return _magnitude(arg)
        case BinaryOp(op="*", lhs=lhs, rhs=rhs):
            return _magnitude(lhs) * _magnitude(rhs)
        case BinaryOp(lhs=lhs, rhs=rhs):
            return _magnitude(lhs) + _magnitude(rhs)
        case ExternCall(args=args):
            return max(map(_magnitude, args), default=0)
        case _:
            return 0
