"""Control arguments that an instruction admits: the least, the greatest, and those around every constant in its text.

Each integer of the text is taken for a possible edge (a number of lanes, a mask's width, a divisor). Values that break an
assertion are dropped by evaluating it; where none is left, the solver is asked for one.
"""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from usl_core.inspect import witness
from usl_core.ir.externs import MAX, MIN
from usl_core.ir.nodes import (
    BinaryOp,
    Cast,
    Expr,
    ExternCall,
    Literal,
    Node,
    Proc,
    Read,
    ReadConfig,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import walk
from usl_core.ir.types import BOOL, INDEX, SIZE, ControlType, TensorType

Controls = Mapping[Sym, int | bool]
Strides = Mapping[tuple[Sym, int], int]

LARGEST_LITERAL = 1 << 12
MOST_COMBINATIONS = 20_000
MOST_ELEMENTS = 1 << 14
"""Elements that all tensors of one call may have together."""

_OPERATIONS: Mapping[str, Callable[..., int | bool]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    "%": operator.mod,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class Unevaluated(Exception):
    """An expression depends on something that is not known yet: a stride, or configuration state."""


def evaluate(expr: Expr, controls: Controls, strides: Strides | None = None) -> int | bool:
    """The value of a control expression.

    Raises:
        Unevaluated: it mentions a stride that is not given, or configuration state.
    """
    match expr:
        case Literal(value=value):
            return bool(value) if isinstance(value, bool) else int(value)
        case Read(name=name) if name in controls:
            return controls[name]
        case StrideExpr(name=name, dim=dim) if strides is not None and (name, dim) in strides:
            return strides[name, dim]
        case UnaryMinus(arg=arg):
            return -evaluate(arg, controls, strides)
        case BinaryOp(op="and", lhs=lhs, rhs=rhs):
            return evaluate(lhs, controls, strides) and evaluate(rhs, controls, strides)
        case BinaryOp(op="or", lhs=lhs, rhs=rhs):
            return evaluate(lhs, controls, strides) or evaluate(rhs, controls, strides)
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            return _OPERATIONS[op](evaluate(lhs, controls, strides), evaluate(rhs, controls, strides))
        case ExternCall(fn=fn, args=args) if fn in (MIN, MAX):
            values = [evaluate(arg, controls, strides) for arg in args]
            return min(values) if fn is MIN else max(values)
        case Read() | ExternCall() | Cast() | WindowExpr() | StrideExpr() | ReadConfig():
            raise Unevaluated


def literals(nodes: Iterable[Node]) -> frozenset[int]:
    """The positive integers of control expressions in nodes, up to a limit."""
    return frozenset(
        int(node.value)
        for root in nodes
        for node in walk(root)
        if isinstance(node, Literal) and node.type is INDEX and 0 < int(node.value) <= LARGEST_LITERAL
    )


def shape_of(typ: TensorType, controls: Controls) -> tuple[int, ...]:
    """The extents for these values of the control formals."""
    return tuple(int(evaluate(extent, controls)) for extent in typ.shape)


def admissible(proc: Proc, limit: int = 12) -> tuple[Controls, ...]:
    """Control arguments that satisfy every assertion which speaks of controls only, the smallest tensors first.

    At most limit of them: for each control its least and greatest value, then those around constants, then others.
    """
    names = [arg.name for arg in proc.args if isinstance(arg.type, ControlType)]
    if not names:
        return ({},)
    found = [values for values in _combinations(proc, names) if _holds(proc, values)]
    if not found:
        found = [values for values in _from_solver(proc, names) if _holds(proc, values)]
    return tuple(_spread(found, names, literals((*proc.args, *proc.preds, *proc.body)), limit))


def _combinations(proc: Proc, names: Sequence[Sym]) -> Iterator[Controls]:
    edges = literals((*proc.args, *proc.preds, *proc.body))
    values = {arg.name: _candidates(arg.type, edges) for arg in proc.args if isinstance(arg.type, ControlType)}
    total = 1
    for name in names:
        total *= len(values[name])
    if total <= MOST_COMBINATIONS:
        for chosen in itertools.product(*(values[name] for name in names)):
            yield dict(zip(names, chosen, strict=True))
        return
    source = random.Random(0)
    for _ in range(MOST_COMBINATIONS):
        yield {name: source.choice(values[name]) for name in names}


def _candidates(typ: ControlType, edges: frozenset[int]) -> Sequence[int | bool]:
    if typ is BOOL:
        return (False, True)
    around = {value for q in edges for value in (q - 1, q, q + 1, 2 * q, 3 * q)} | {1, 2, 3, 5, 7, 8}
    if typ is SIZE:
        return sorted(value for value in around if value >= 1)
    return sorted(around | {0, -1, -2} | {-q for q in edges})


def _holds(proc: Proc, controls: Controls) -> bool:
    """Whether assertions hold as far as they can be evaluated, and the tensors are neither empty nor huge."""
    if any(arg.type is SIZE and controls[arg.name] < 1 for arg in proc.args if arg.name in controls):
        return False
    for pred in proc.preds:
        try:
            if not evaluate(pred, controls):
                return False
        except Unevaluated:
            continue
    return _elements(proc, controls) is not None


def _elements(proc: Proc, controls: Controls) -> int | None:
    total = 0
    for arg in proc.args:
        if isinstance(arg.type, TensorType):
            count = 1
            for extent in shape_of(arg.type, controls):
                if extent < 1:
                    return None
                count *= extent
            total += count
    return total if total <= MOST_ELEMENTS else None


def _from_solver(proc: Proc, names: Sequence[Sym]) -> Iterator[Controls]:
    """A model of the assertions, for those that no constant of the text is near to."""
    if (model := witness(proc)) is not None:
        yield {name: model.get(name, 1) for name in names}


def _spread(found: Sequence[Controls], names: Sequence[Sym], edges: frozenset[int], limit: int) -> Iterator[Controls]:
    """A choice among found: extremes of each name first, then each name at and around each constant, then any."""
    order: list[Controls] = []
    for name in names:
        ordered = sorted(found, key=lambda values: (values[name], *(values[other] for other in names)))
        order += [ordered[0], ordered[-1]] if ordered else []
    for name in names:
        for q in sorted(edges, reverse=True):
            for wanted in (q, q - 1, q + 1):
                hits = [values for values in found if values[name] == wanted]
                order += hits[-1:]
    order += random.Random(1).sample(list(found), min(len(found), limit))
    seen: set[tuple[int | bool, ...]] = set()
    chosen: list[Controls] = []
    for values in order:
        key = tuple(values[name] for name in names)
        if key not in seen and len(chosen) < limit:
            seen.add(key)
            chosen.append(values)
    yield from sorted(chosen, key=lambda values: tuple(values[name] for name in names))
