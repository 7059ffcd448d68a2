"""What a kernel does where one of its sizes is 0, which sizes are not: the kernel as it was written, before it was scheduled,
without the loops that have no rounds.

Operators may rely on sizes being at least 1, so that what they made says nothing about 0; the procedure that was written does.
What is left of it is a procedure of its own, which is checked like any other.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from usl_core import Procedure, proc_from_source
from usl_core.backend import written_formals
from usl_core.errors import UslError
from usl_core.ir.nodes import (
    Alloc,
    Arg,
    BinaryOp,
    Block,
    Expr,
    For,
    If,
    Literal,
    Pass,
    Proc,
    Stmt,
    UnaryMinus,
    WindowStmt,
    index_literal,
)
from usl_core.ir.printer import show_with_scope
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import mentioned, same, substitute, substitute_block, update
from usl_core.ir.types import SIZE, TensorType

_OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "%": operator.mod,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "and": lambda a, b: a and b, "or": lambda a, b: a or b,
}  # fmt: skip
_INTERFACE = ("interface", "precision")
"""The relations of steps that fix what the procedure is, before it is scheduled."""


@dataclass(frozen=True, slots=True)
class Remainder:
    """What is left of a kernel where its size is 0.

    kept: the positions of its formals that are still there, which are those of rest; empty: the arrays without elements.
    kernel: the procedure of rest; None if nothing is left to do.
    """

    size: int
    kept: tuple[int, ...]
    empty: tuple[int, ...]
    rest: Proc
    kernel: Procedure | None


_known: WeakKeyDictionary[Procedure, tuple[Remainder, ...]] = WeakKeyDictionary()


def remainders(kernel: Procedure) -> tuple[Remainder, ...]:
    """For each size that may be 0, because an array has no elements then: what the kernel does where it is."""
    if kernel not in _known:
        written = as_written(kernel)
        found = [] if written is None else [_without(kernel.ir, written, i) for i in range(len(kernel.ir.args))]
        _known[kernel] = tuple(each for each in found if each is not None)
    return _known[kernel]


def remainders_of_nothing(rest: Proc) -> tuple[Remainder, ...]:
    """The same for what is left of a kernel if that has nothing to do, but still says how long its arrays are."""
    found = [_without(rest, rest, i) for i in range(len(rest.args))]
    return tuple(each for each in found if each is not None)


def as_written(kernel: Procedure) -> Proc | None:
    """The procedure before it was scheduled, with the interface that it has now."""
    if kernel.is_instr():
        return None
    versions = kernel.versions()
    steps = kernel.history()
    count = 1
    while count < len(steps) and steps[count].relation.value in _INTERFACE:
        count += 1
    written = versions[count - 1].ir
    own = kernel.ir
    alike = len(written.args) == len(own.args) and all(
        a.name == b.name and _same_type(a, b) for a, b in zip(written.args, own.args, strict=True)
    )
    return written if alike else None


def _same_type(left: Arg, right: Arg) -> bool:
    match left.type, right.type:
        case TensorType(scalar=scalar, shape=shape), TensorType(scalar=other, shape=others):
            return scalar == other and len(shape) == len(others) and all(map(same, shape, others))
        case one, two:
            return one is two or one == two


def _without(own: Proc, written: Proc, position: int) -> Remainder | None:
    size = own.args[position]
    if size.type is not SIZE:
        return None
    env: dict[Sym, Expr] = {size.name: index_literal(0, size.span)}
    args = [substitute(arg, env) for arg in own.args]
    empty = [i for i, arg in enumerate(args) if isinstance(arg.type, TensorType) and 0 in map(_value, arg.type.shape)]
    preds = [substitute(pred, env) for pred in own.preds]
    if (written.body and not empty) or any(_value(pred) is False for pred in preds):
        return None
    kept = tuple(i for i in range(len(args)) if i != position and i not in empty)
    gone = {args[i].name for i in empty}  # how such an array lies in memory matters to nobody
    preds = [pred for pred in preds if not gone & mentioned(pred)]
    body = _remaining(substitute_block(written.body, env))
    rest = update(
        own,
        name=f"{own.name}_without_{size.name.name}",
        args=tuple(args[i] for i in kept),
        preds=tuple(pred for pred in preds if _value(pred) is not True),
        body=body,
        aliasable=tuple(name for name in own.aliasable if any(args[i].name.name == name for i in kept)),
    )
    kernel = _checked(rest) if body else None
    if body and (kernel is None or not written_formals(kernel.ir)):
        return None
    return Remainder(position, kept, tuple(empty), rest if kernel is None else kernel.ir, kernel)


def _checked(rest: Proc) -> Procedure | None:
    """The procedure, if it is one: it may still look at an array that has no elements."""
    try:
        return proc_from_source(*show_with_scope(rest))
    except UslError:
        return None


def _remaining(block: Block) -> Block:
    """The statements that may do something, without buffers that nothing uses."""
    left: list[Stmt] = []
    for stmt in reversed([left_over for each in block for left_over in _statement(each)]):
        if isinstance(stmt, Alloc | WindowStmt) and not any(stmt.name in mentioned(other) for other in left):
            continue
        left.append(stmt)
    return tuple(reversed(left))


def _statement(stmt: Stmt) -> Sequence[Stmt]:
    match stmt:
        case Pass():
            return ()
        case For(lo=lo, hi=hi, body=body):
            first, last = _value(lo), _value(hi)
            inner = _remaining(body)
            runs = first is None or last is None or first < last
            return (update(stmt, body=inner),) if runs and inner else ()
        case If(cond=cond, body=body, orelse=orelse):
            decided = _value(cond)
            if decided is not None:
                return _remaining(body if decided else orelse)
            then, other = _remaining(body), _remaining(orelse)
            if not then and not other:
                return ()
            return (update(stmt, body=then or (Pass(span=stmt.span),), orelse=other),)
        case _:
            return (stmt,)


def _value(expr: Expr) -> int | bool | None:
    """The value of a control expression that literals decide."""
    match expr:
        case Literal(value=bool() | int() as value):
            return value
        case UnaryMinus(arg=arg):
            inner = _value(arg)
            return None if inner is None else -inner
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            left, right = _value(lhs), _value(rhs)
            if op == "*" and (0 in (left, right)):
                return 0
            if left is None or right is None or (op in "/%" and right == 0):
                return None
            found: int | bool = _OPERATIONS[op](left, right)
            return found
        case _:
            return None
