"""A loop over lanes around assignments, operation by operation: which instruction computes what is read off the operators.

`usl_stdlib.vectorize` finds the cheapest combination of any instructions, and takes its time. This is for what most stencils
are made of, arithmetic on neighbours, where there is nothing to choose; it refuses everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.cursors import (
    AllocCursor,
    AssignCursor,
    BinaryOpCursor,
    CastCursor,
    ExternFunctionCursor,
    IfCursor,
    LiteralCursor,
    ReadCursor,
    ReduceCursor,
)
from usl_core.errors import SchedulingError
from usl_core.inspect import affine
from usl_core.ir.memory import Memory
from usl_core.ir.types import ScalarType
from usl_core.scheduling import bind_expr, expand_dim, fission, lift_alloc, reorder_stmts, replace, set_memory, stage_mem
from usl_halide_lib.apart import vectorised_apart
from usl_halide_lib.idioms import idiom
from usl_halide_lib.places import text_of
from usl_halide_lib.working import Working
from usl_stdlib import walk

Find = Callable[[str, str, str], Procedure | None]
"""The instruction for an operation, by its name, the type of its result and that of its operands; None if there is none.

Names are "load", "store", "+", "a*+" (`a * x + y` with a scalar a), "/3", "load2" (every second element),
"average", "cast", "store pairs" (the elements of two registers by turns), ...
"""


def by_operations(
    working: Working, loop: Any, width: int, memory_of: Callable[[str], type[Memory]], find: Find, owner: object
) -> None:
    """Put instructions for the loop over lanes, masked ones if its body is under a condition.

    memory_of and find are those of owner, for this width and for whether there is a condition.

    Raises:
        SchedulingError: the loop is not around assignments, or sums, of arithmetic on neighbouring elements.
    """
    loop = working.at(loop)
    inside, depth = list(loop.body()), 1
    if len(inside) == 1 and isinstance(inside[0], IfCursor):
        inside, depth = list(inside[0].body()), 2
    groups = _pairs(inside, loop.name(), find) if depth == 1 else [[each] for each in inside]
    for first, *_ in reversed(groups[1:]):
        working.do(fission, working.at(first).before(), depth)
    for group in groups:
        write = working.at(group[0])
        if not isinstance(write, AssignCursor | ReduceCursor):
            raise SchedulingError("the loop over lanes is not around assignments", code="E461")
        if len(group) == 2:
            plan = Plan(loop.name(), str(write.type()), find)
            _put(working, plan, depth, width, memory_of, _pair_pieces(working, plan, *map(working.at, group)))
            continue
        around = write.parent() if depth == 1 else write.parent().parent()

        def make(small: Working, alone: Any) -> None:
            _one_statement(small, alone, depth, width, memory_of, find, named=False)

        if not vectorised_apart(working, around, owner, (width, depth), make):
            _one_statement(working, around, depth, width, memory_of, find)


def _one_statement(
    working: Working,
    loop: Any,
    depth: int,
    width: int,
    memory_of: Callable[[str], type[Memory]],
    find: Find,
    named: bool = True,
) -> None:
    """`by_operations` of a loop around one assignment or sum. If named, registers are called after the buffers they are loaded
    from."""
    loop = working.at(loop)
    lane, write = loop.name(), loop.body()[0]
    if depth == 2:
        write = write.body()[0]
    plan = Plan(lane, str(write.type()), find, named)
    _put(working, plan, depth, width, memory_of, _sum_of_products(working, plan, write) or _pieces(working, plan, write))


def _put(
    working: Working, plan: Plan, depth: int, width: int, memory_of: Callable[[str], type[Memory]], pieces: list[Piece]
) -> None:
    """A loop for each piece, which becomes the instruction; what they compute goes into registers."""
    for piece in reversed(pieces[:-1]):
        if piece.kind:
            scalar = _alloc_before(working.at(piece.stmt))
            working.do(expand_dim, scalar, width, plan.lane)
            working.do(lift_alloc, scalar, depth)
            working.do(set_memory, scalar, memory_of(piece.kind))
    for piece in reversed(pieces[:-1]):
        working.do(fission, working.at(piece.stmt).after(), depth)
    for piece in pieces:
        place = working.at(piece.stmt)
        for _ in range(depth):
            place = place.parent()
        working.do(replace, place, piece.instruction)


def _pairs(inside: list[Any], lane: str, find: Find) -> list[list[Any]]:
    """Statements one by one, but two together that store what lies side by side: `x[2 * i]` and then `x[2 * i + 1]`."""
    groups: list[list[Any]] = []
    for each in inside:
        before = groups[-1] if groups else []
        if len(before) == 1 and _side_by_side(before[0], each, lane) and find("store pairs", str(each.type()), ""):
            before.append(each)
        else:
            groups.append([each])
    return groups


def _side_by_side(one: Any, other: Any, lane: str) -> bool:
    if not (isinstance(one, AssignCursor) and isinstance(other, AssignCursor) and one.name() == other.name()):
        return False
    if not one.idx() or [text_of(each) for each in one.idx()[:-1]] != [text_of(each) for each in other.idx()[:-1]]:
        return False
    if any(each.name() == one.name() for write in (one, other) for each in walk(write.rhs(), ReadCursor)):
        return False
    first, second = affine(one.idx()[-1]), affine(other.idx()[-1])
    if first is None or second is None or first.terms.get(lane) != 2:
        return False
    return bool(first.terms == second.terms and first.constant + 1 == second.constant)


def _pair_pieces(working: Working, plan: Plan, first: Any, second: Any) -> list[Piece]:
    """The values of two statements that store side by side, all of them before the first of the two."""
    store = plan.find("store pairs", plan.kind, "")
    assert store is not None
    plan.operands(first.rhs(), second.rhs())
    pieces = []
    for value in plan.values:
        made = _bound(working, plan, value)
        for moved in (_alloc_before(made), made):
            if working.at(first).next() == working.at(moved):
                working.do(reorder_stmts, working.at(first).expand(0, 1))
        pieces.append(Piece(made, value.instruction, value.kind))
    return [*pieces, Piece(first, store)]


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement that becomes an instruction, and the type of the scalar that it is the first to write, if it is."""

    stmt: Any
    instruction: Procedure
    kind: str = ""


def _pieces(working: Working, plan: Plan, write: Any) -> list[Piece]:
    """The values that a statement computes, and the statement, which stores the last of them."""
    plan.operands(write.rhs())
    store = plan.store(write)
    return [*(Piece(_bound(working, plan, value), value.instruction, value.kind) for value in plan.values), Piece(write, store)]


def _sum_of_products(working: Working, plan: Plan, write: Any) -> list[Piece]:
    """The pieces of `x += a * b`, for which the element of x becomes a value; none if it is something else."""
    product = write.rhs()
    if not isinstance(write, ReduceCursor) or write.op() != "+" or not _is_product(product):
        return []
    factors = product.lhs(), product.rhs()
    scalar = any(map(plan.is_uniform, factors))
    add = plan.find("+= a*" if scalar else "+= *", plan.kind, "")
    how = moves(write.idx(), plan.lane)
    load, store = plan.find(f"load{how}", plan.kind, ""), plan.find(f"store{how}", plan.kind, "")
    if add is None or load is None or store is None:
        return []
    plan.operands(*(each for each in factors if not scalar or not plan.is_uniform(each)))
    place = f"{write.name()}[{', '.join(map(text_of, write.idx()))}]"
    working.do(stage_mem, write, place, working.fresh("sum", f"{write.name()}_sum"))
    write = working.at(write)
    before, after = write.prev(), write.next()
    values = [Piece(_bound(working, plan, value), value.instruction, value.kind) for value in plan.values]
    return [Piece(before, load, plan.kind), *values, Piece(write, add), Piece(after, store)]


def _is_product(expr: Any) -> bool:
    return isinstance(expr, BinaryOpCursor) and bool(expr.op() == "*")


def _alloc_before(stmt: Any) -> Any:
    """The allocation of the scalar that a statement is the first to write."""
    wanted, found = stmt.name(), stmt.prev()
    while not (isinstance(found, AllocCursor) and found.name() == wanted):
        found = found.prev()
    return found


class Value:
    """A value to compute: the expressions that are it, the type, the instruction, and what its name begins with."""

    def __init__(self, expr: Any, kind: str, instruction: Procedure, base: str) -> None:
        self.group, self.kind, self.instruction, self.base = [expr], kind, instruction, base


def _bound(working: Working, plan: Plan, value: Value) -> Any:
    """The assignment of a value that is computed once for several expressions."""
    plan.count += 1
    expressions = [working.at(each) for each in value.group]
    working.do(bind_expr, expressions, working.fresh(f"{value.base}_{plan.count}", f"{value.base}_v{plan.count}"))
    statement = working.at(value.group[0])
    wanted = statement.name()
    while not isinstance(statement, AssignCursor | ReduceCursor):
        statement = statement.parent()
    found = statement.prev()
    while not (isinstance(found, AssignCursor) and found.name() == wanted):
        found = found.prev()
    return found


class Plan:
    """The values to compute, operands first; equal expressions are one value."""

    def __init__(self, lane: str, kind: str, find: Find, named: bool = True) -> None:
        self.lane, self.kind, self.find, self.named = lane, kind, find, named
        self.values: list[Value] = []
        self.known: dict[str, Value] = {}
        self.count = 0

    def visit(self, expr: Any) -> None:
        """Plan an expression that is not the same in all lanes."""
        if known := idiom(expr):
            name, operands = known
            if self.find(name, str(expr.type()), "") is not None:
                self.operands(*operands)
                self.add(expr, name)
                return
        match expr:
            case ReadCursor() if (
                expr.idx() and isinstance(last := expr.idx()[-1], ExternFunctionCursor) and last.name() == "idx"
            ):
                key = last.args()[0]
                if any(_mentions(each, self.lane) for each in (*expr.idx()[:-1], *last.args()[1:])):
                    raise SchedulingError("the lanes are of several tables", code="E461")
                self.operands(key)
                self.add(expr, "lookup", of=str(key.type()), base=expr.name())
            case ReadCursor():
                self.add(expr, f"load{moves(expr.idx(), self.lane)}", base=expr.name())
            case BinaryOpCursor():
                self.operation(expr)
            case ExternFunctionCursor():
                self.operands(*expr.args())
                self.add(expr, expr.name(), of=str(expr.args()[0].type()))
            case CastCursor() if isinstance(expr.arg().type(), ScalarType):
                self.operands(expr.arg())
                self.add(expr, "cast", of=str(expr.arg().type()))
            case _:
                raise SchedulingError(f"no instruction for `{text_of(expr)}`", code="E461")

    def operation(self, expr: Any) -> None:
        """A sum, difference, product or quotient, with a product in it if an instruction does both."""
        op, left, right, kind = expr.op(), expr.lhs(), expr.rhs(), str(expr.type())
        if op in "+-" and self.with_product(expr, op, left, right):
            return
        if op == "/" and isinstance(right, LiteralCursor) and self.find(f"/{right.value()}", kind, ""):
            self.visit(left)
            self.add(expr, f"/{right.value()}")
        elif op in "*+" and self.is_uniform(left) and self.find(f"a{op}", kind, ""):
            self.operands(right)
            self.add(expr, f"a{op}")
        elif op in "*+" and self.is_uniform(right) and self.find(f"a{op}", kind, ""):
            self.operands(left)
            self.add(expr, f"a{op}")
        else:
            self.operands(left, right)
            self.add(expr, op)

    def with_product(self, expr: Any, op: str, left: Any, right: Any) -> bool:
        """Whether a product on the right, or of a sum on the left, is computed together with it."""
        pairs = [(right, left)] if op == "-" else [(right, left), (left, right)]
        for product, other in pairs:
            if not _is_product(product):
                continue
            factors = product.lhs(), product.rhs()
            scalar = any(map(self.is_uniform, factors))
            name = f"a*{op}" if scalar else f"*{op}"
            if self.find(name, str(expr.type()), "") is not None and not self.is_uniform(other):
                self.operands(*(each for each in factors if not scalar or not self.is_uniform(each)))
                self.visit(other)
                self.add(expr, name)
                return True
        return False

    def operands(self, *exprs: Any) -> None:
        """The operands of an instruction: a value that is the same in all lanes is spread."""
        for each in exprs:
            if self.is_uniform(each):
                self.add(each, "set1")
            else:
                self.visit(each)

    def add(self, expr: Any, name: str, of: str = "", base: str = "v") -> None:
        """One more value, or one more expression that is a value."""
        text, kind = text_of(expr), str(expr.type())
        if text in self.known:
            self.known[text].group.append(expr)
            return
        instruction = self.find(name, kind, of)
        if instruction is None:
            raise SchedulingError(f"no instruction for `{text}`", code="E461")
        self.known[text] = Value(expr, kind, instruction, base if self.named else "v")
        self.values.append(self.known[text])

    def store(self, write: Any) -> Procedure:
        """The instruction that stores the result, or adds it to what is there."""
        what = f"store {write.op()}" if isinstance(write, ReduceCursor) else "store"
        found = self.find(f"{what}{moves(write.idx(), self.lane)}", self.kind, "")
        if found is None:
            raise SchedulingError("no instruction stores such lanes", code="E461")
        return found

    def is_uniform(self, expr: Any) -> bool:
        """Whether an expression is the same in all lanes: a literal, or an element whose place does not depend on the lane."""
        if isinstance(expr, LiteralCursor):
            return True
        return isinstance(expr, ReadCursor) and not _mentions(expr, self.lane)


def _mentions(expr: Any, lane: str) -> bool:
    return any(each.name() == lane for each in walk(expr, ReadCursor))


def moves(index: Any, lane: str) -> str:
    """How far the next lane is: "" if it is the next element, "2" if that is left out, "/2" if two lanes share one.

    "1/2" is as "/2", but the first lane does not share its element. " min" and " max" are as "", but at most and at least some
    element; the word is that of the outer function.

    Raises:
        SchedulingError: the lane occurs otherwise, or not at all.
    """
    *outer, last = index or [None]
    if last is not None and not any(_mentions(part, lane) for part in outer):
        if clamped := _clamped(last, lane):
            return clamped
        found = affine(last)
        if found is not None and not any(lane in name.split() for name in found.terms if name != lane):
            step = found.terms.get(lane)
            if step in (1, 2):
                return "" if step == 1 else "2"
        for half in walk(last, BinaryOpCursor):
            if half.op() == "/" and isinstance(half.rhs(), LiteralCursor) and half.rhs().value() == 2:
                inner = affine(half.lhs())
                if inner is not None and inner.terms.get(lane) == 1:
                    rest = [factor for name, factor in inner.terms.items() if name != lane]
                    if all(factor % 2 == 0 for factor in rest):
                        return "1/2" if inner.constant % 2 else "/2"
    raise SchedulingError("the lanes are not neighbours", code="E461")


def _clamped(index: Any, lane: str) -> str:
    """ " min" for `min(max(lane + a, lo), hi)`, " max" for `max(min(lane + a, hi), lo)`, "" for all else."""
    if isinstance(index, ExternFunctionCursor) and index.name() in ("min", "max"):
        inner, limit = index.args()
        if isinstance(inner, ExternFunctionCursor) and {index.name(), inner.name()} == {"min", "max"}:
            found = affine(inner.args()[0])
            if found is not None and found.terms.get(lane) == 1 and not _mentions(inner.args()[1], lane):
                return "" if _mentions(limit, lane) else f" {index.name()}"
    return ""
