"""A loop over lanes around one assignment, operation by operation: which instruction computes what is read off the operators.

`usl_stdlib.vectorize` finds the cheapest combination of any instructions, and takes its time. This is for what most stencils
are made of, sums, products and quotients of neighbours, where there is nothing to choose; it refuses everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from usl_core.cursors import AssignCursor, BinaryOpCursor, ExternFunctionCursor, LiteralCursor, ReadCursor
from usl_core.errors import SchedulingError
from usl_core.inspect import affine
from usl_core.ir.memory import Memory
from usl_core.ir.types import ScalarType
from usl_core.scheduling import bind_expr, expand_dim, fission, lift_alloc, replace, set_memory
from usl_halide_lib.places import text_of
from usl_halide_lib.working import Working
from usl_stdlib import walk

Table = Mapping[str, Callable[[], Any]]
"""By name of an operation what makes its instruction: "load", "store", "+", "a*+" (`a * x + y` with a scalar a), "/3"."""


def by_operations(working: Working, loop: Any, width: int, memory: type[Memory], table: Table) -> None:
    """Put instructions for the loop over lanes.

    Raises:
        SchedulingError: the loop is not around one assignment of sums, products and quotients of neighbouring elements.
    """
    loop = working.at(loop)
    body = list(loop.body())
    if len(body) != 1 or not isinstance(body[0], AssignCursor):
        raise SchedulingError("the loop over lanes is not around one assignment", code="E461")
    write, lane = body[0], loop.name()
    if not _is_neighbour(write.idx(), lane):
        raise SchedulingError("the lanes are not neighbours", code="E461")
    plan = Plan(lane, table, write.type())
    plan.visit(write.rhs())
    values = [_bound(working, group, name, plan.names) for group, name in plan.values]
    stmts = [*values, write]
    for each in reversed(stmts[:-1]):
        scalar = working.at(each).prev()
        working.do(expand_dim, scalar, width, lane)
        working.do(lift_alloc, scalar)
        working.do(set_memory, scalar, memory)
    for each in reversed(stmts[:-1]):
        working.do(fission, working.at(each).after())
    for each, (_, name) in zip(stmts, [*plan.values, (None, "store")], strict=True):
        working.do(replace, working.at(each).parent(), table[name]())


def _bound(working: Working, group: list[Any], name: str, names: dict[str, int]) -> Any:
    """The assignment of a value that is computed once for several expressions."""
    number = names["count"] = names.get("count", 0) + 1
    expressions = [working.at(each) for each in group]
    base = expressions[0].name() if name == "load" else "v"
    working.do(bind_expr, expressions, working.fresh(f"{base}_{number}", f"{base}_v{number}"))
    statement = working.at(group[0])
    while not isinstance(statement, AssignCursor):
        statement = statement.parent()
    found = statement.prev()
    wanted = working.at(group[0]).name()
    while not (isinstance(found, AssignCursor) and found.name() == wanted):
        found = found.prev()
    return found


class Plan:
    """The values to compute, operands first, each as the expressions that are it and the name of its operation."""

    def __init__(self, lane: str, table: Table, kind: Any) -> None:
        self.lane, self.table, self.kind = lane, table, kind
        self.values: list[tuple[list[Any], str]] = []
        self.known: dict[str, list[Any]] = {}
        self.names: dict[str, int] = {}

    def visit(self, expr: Any) -> None:
        """Plan an expression that is not the same in all lanes."""
        if isinstance(expr.type(), ScalarType) and expr.type() != self.kind:
            raise SchedulingError("values of several types", code="E461")
        match expr:
            case ReadCursor():
                self.load(expr)
            case BinaryOpCursor():
                self.operation(expr)
            case ExternFunctionCursor():
                for each in expr.args():
                    self.operand(each)
                self.add(expr, expr.name())
            case _:
                raise SchedulingError(f"no instruction for `{text_of(expr)}`", code="E461")

    def load(self, expr: Any) -> None:
        """An element of a buffer: equal ones are loaded once."""
        if not expr.idx() or not _is_neighbour(expr.idx(), self.lane):
            raise SchedulingError("the lanes are not neighbours", code="E461")
        text = text_of(expr)
        if text in self.known:
            self.known[text].append(expr)
            return
        self.known[text] = [expr]
        self.values.append((self.known[text], "load"))

    def operation(self, expr: Any) -> None:
        """A sum, difference, product or quotient, with a product in it if an instruction does both."""
        op, left, right = expr.op(), expr.lhs(), expr.rhs()
        if op in "+-" and self.with_product(expr, op, left, right):
            return
        if op == "/" and isinstance(right, LiteralCursor) and f"/{right.value()}" in self.table:
            self.visit(left)
            self.add(expr, f"/{right.value()}")
        elif op in "*+" and self.is_uniform(left) and f"a{op}" in self.table:
            self.visit(right)
            self.add(expr, f"a{op}")
        elif op in "*+" and self.is_uniform(right) and f"a{op}" in self.table:
            self.visit(left)
            self.add(expr, f"a{op}")
        else:
            self.operand(left)
            self.operand(right)
            self.add(expr, op)

    def with_product(self, expr: Any, op: str, left: Any, right: Any) -> bool:
        """Whether a product on the right, or of a sum on the left, is computed together with it."""
        pairs = [(right, left)] if op == "-" else [(right, left), (left, right)]
        for product, other in pairs:
            if not isinstance(product, BinaryOpCursor) or product.op() != "*":
                continue
            a, b = product.lhs(), product.rhs()
            scalar = self.is_uniform(a) or self.is_uniform(b)
            name = f"a*{op}" if scalar else f"*{op}"
            if name in self.table and not self.is_uniform(other):
                for each in (a, b):
                    if not self.is_uniform(each):
                        self.visit(each)
                self.visit(other)
                self.add(expr, name)
                return True
        return False

    def operand(self, expr: Any) -> None:
        """An operand of an instruction: a value that is the same in all lanes is spread."""
        if self.is_uniform(expr):
            self.add(expr, "set1")
        else:
            self.visit(expr)

    def add(self, expr: Any, name: str) -> None:
        """One more value."""
        if name not in self.table:
            raise SchedulingError(f"no instruction for `{text_of(expr)}`", code="E461")
        self.values.append(([expr], name))

    def is_uniform(self, expr: Any) -> bool:
        """Whether an expression is the same in all lanes: a literal, or an element whose place does not depend on the lane."""
        if isinstance(expr, LiteralCursor):
            return True
        return isinstance(expr, ReadCursor) and not any(each.name() == self.lane for each in walk(expr, ReadCursor))


def _is_neighbour(index: Any, lane: str) -> bool:
    """Whether the next lane is the next element: the lane occurs in the last dimension alone, with the factor 1."""
    *outer, last = index
    if any(each.name() == lane for part in outer for each in walk(part, ReadCursor)):
        return False
    found = affine(last)
    return found is not None and found.terms.get(lane) == 1 and not any(lane in name for name in found.terms if name != lane)
