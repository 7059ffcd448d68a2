"""Blocks that are a callee's body by what is known at the place, or with operands in another order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from usl_core.analysis import affine
from usl_core.analysis.context import Context
from usl_core.ir.combining import OPERATORS, is_function, operands
from usl_core.ir.memo import per_node
from usl_core.ir.nodes import (
    Arg,
    Assign,
    BinaryOp,
    Block,
    Expr,
    ExprBase,
    ExternCall,
    For,
    If,
    Interval,
    Literal,
    Node,
    Proc,
    Read,
    ReadConfig,
    Reduce,
    SimpleStmt,
    Stmt,
)
from usl_core.ir.operation import Operation
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import child_nodes, free_names, same_expr
from usl_core.ir.types import is_control
from usl_core.primitives.calls.solving import solve
from usl_core.primitives.calls.unify import Mismatch, Unifier

MOST_ORDERS = 16
"""Orders of operands tried where more than one may be meant."""


class Rearranged(Exception):
    """The block is an instance of the body once some statements of it, or of the body, are reductions, or operands swapped."""

    def __init__(self, folded: Sequence[Stmt] = (), of_callee: Sequence[Stmt] = (), commuted: Sequence[Expr] = ()) -> None:
        super().__init__("the block matches in another form")
        self.folded = folded
        self.of_callee = of_callee
        self.commuted = commuted


def solve_otherwise(callee: Proc, where: Callable[[], Context], block: Block, mismatch: Mismatch) -> Unifier:
    """A match of callee that uses what is known at the place.

    Raises:
        Rearranged: there is one, or may be one, after a rearrangement. Mismatch: the one given, as there is none.
    """
    if mismatch.final:
        raise mismatch
    folded, of_callee = list(_folded(callee.body, block)), list(_folded(block, callee.body))
    if folded or of_callee:
        raise Rearranged(folded, of_callee)
    known, orders = cache(where), list[bool]()
    for _ in range(MOST_ORDERS):
        match = _Reordering(callee, known, orders)
        try:
            solve(match, block)
        except Mismatch:
            orders = match.orders
            while orders and orders[-1]:
                orders.pop()
            if not orders:
                break
            orders[-1] = True
            continue
        if match.commuted:
            raise Rearranged(commuted=match.commuted)
        return match
    raise mismatch


@per_node
def shape(node: Node) -> int:
    """A number that is the same for code that could be the same but for names, indices and the order of operands."""
    match node:
        case For(body=body):
            return hash((For, *map(shape, body)))
        case If(cond=cond, body=body, orelse=orelse):
            return hash((If, shape(cond), *map(shape, body), len(body), *map(shape, orelse)))
        case Reduce(op=op, rhs=rhs) if is_function(op):  # as `x = max(x, e)`
            return hash((Assign, hash((ExternCall, 1, shape(rhs)))))
        case Reduce(op=op, rhs=rhs):  # as `x = x + e`
            return hash((Assign, _sum(op, 1, shape(rhs))))
        case Assign(rhs=rhs):
            return hash((Assign, shape(rhs)))
        case ExprBase() if is_control(node.type):
            return 0
        case BinaryOp(op=op, lhs=lhs, rhs=rhs) if op in OPERATORS:
            return _sum(op, shape(lhs), shape(rhs))
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            return hash((op, shape(lhs), shape(rhs)))
        case Read() | Literal() | ReadConfig():
            return 1
        case ExprBase():
            return hash((type(node), *map(shape, child_nodes(node))))
        case SimpleStmt() | Interval() | Arg() | Proc():
            return hash(type(node))


def _sum(op: str | Operation, lhs: int, rhs: int) -> int:
    """The shape of a sum or product, whichever operand comes first."""
    return hash((op, min(lhs, rhs), max(lhs, rhs)))


def alike(body: Block, block: Block) -> bool:
    """Whether code could be the same; if not, it never is."""
    return len(body) == len(block) and all(shape(a) == shape(b) for a, b in zip(body, block, strict=True))


def _combines(stmt: Assign, op: str | Operation) -> bool:
    """Whether it is `x = x op e` or `x = e op x`."""
    sides = (side for side in operands(op, stmt.rhs) or () if isinstance(side, Read) and side.name is stmt.name)
    return any(all(map(same_expr, side.idx, stmt.idx)) for side in sides)


def _folded(body: Block, block: Block) -> Iterator[Stmt]:
    """The statements of block that combine with their target by `=` where body does so by a reduction."""
    for a, b in zip(body, block, strict=True):
        match a, b:
            case For(), For():
                yield from _folded(a.body, b.body)
            case If(), If():
                yield from _folded((*a.body, *a.orelse), (*b.body, *b.orelse))
            case Reduce(op=op), Assign() if _combines(b, op):
                yield b
            case _:
                pass


class _Reordering(Unifier):
    """Matches operands of sums and products in the order that fits; orders are the decisions where both do."""

    def __init__(self, callee: Proc, where: Callable[[], Context], orders: list[bool]) -> None:
        super().__init__(callee, where, facts=True)
        self.orders = orders
        self.decided = 0
        self.commuted: list[Expr] = []

    def data(self, a: Expr, b: Expr) -> None:
        if not (
            isinstance(a, BinaryOp) and isinstance(b, BinaryOp) and a.op == b.op and a.op in OPERATORS and self._swap(a, b)
        ):
            super().data(a, b)
            return
        self.commuted.append(b)
        self.data(a.lhs, b.rhs)
        self.data(a.rhs, b.lhs)

    def _swap(self, a: BinaryOp, b: BinaryOp) -> bool:
        if is_control(a.type) or not (self._fits(a.lhs, b.rhs) and self._fits(a.rhs, b.lhs)):
            return False
        if not (self._fits(a.lhs, b.lhs) and self._fits(a.rhs, b.rhs)):
            return True
        if self.decided == len(self.orders):
            self.orders = [*self.orders, False]
        self.decided += 1
        return self.orders[self.decided - 1]

    def _fits(self, a: Expr, b: Expr) -> bool:
        """Whether two operands might match: the same shape, dependent on the same loops, of buffers that match so far."""
        if shape(a) != shape(b) or (isinstance(b, Literal) and isinstance(a, Read) and not self._is_scalar_formal(a.name)):
            return False
        if isinstance(a, Literal) and not isinstance(b, Literal):
            return False
        if isinstance(a, Read) and isinstance(b, Read):
            uses = self.accesses.get(a.name)
            if self.locals.get(a.name, uses[0].buffer if uses else b.name) is not b.name:
                return False
        loops = {name for lin in self.iterators.values() for name in affine.syms(lin)} & self.bound
        mapped: set[Sym] = {n for each in free_names(a) if each in self.iterators for n in affine.syms(self.iterators[each])}
        return mapped & loops == free_names(b) & loops
