"""Code that instructions almost match: which comes closest, what differs, and which operator helps, found by trying it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from usl_core import Procedure
from usl_core.arguments import checked
from usl_core.cursors import BinaryOpCursor, ForCursor, WindowStmtCursor
from usl_core.errors import SchedulingError, Undecided, UslError
from usl_core.ir.nodes import Assign, BinaryOp, Expr, For, If, Literal, Node, Read, ReadConfig, Reduce
from usl_core.ir.traverse import child_nodes
from usl_core.ir.types import ControlType, TensorType
from usl_core.scheduling import (
    cut_loop,
    divide_loop,
    fission,
    inline_window,
    left_reassociate_expr,
    replace,
    set_memory,
    set_precision,
    simplify,
    unroll_loop,
)
from usl_stdlib.expressions import text
from usl_stdlib.inspection import procedures_of, walk

NEAR = 0.5
"""What share of an instruction's statements and operations there must be at a place for it to come near."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A loop that stays a loop, the instruction that comes closest to it, and why it does not match.

    matched of `of` parts (statements, operations and operands of the instruction) are there. helps is the operator after which
    the instruction matches, tried out; empty where none of those tried does it alone.
    """

    place: ForCursor
    instruction: Procedure
    matched: int
    of: int
    reason: str
    notes: tuple[str, ...] = ()
    helps: str = ""

    def __str__(self) -> str:
        span = self.place.node.span
        where = f"{span.file}:{span.line}: " if span.line else ""
        first = text(self.place).splitlines()[0]
        lines = [f"{where}`{first}`: {self.instruction.name()} has {self.matched} of {self.of} parts", f"  {self.reason}"]
        lines += [f"  {note}" for note in self.notes]
        return "\n".join([*lines, f"  hint: {self.helps}"] if self.helps else lines)


@checked
def near_misses(p: Procedure, instructions: Procedure | Iterable[Procedure]) -> list[NearMiss]:
    """For each innermost loop that an instruction nearly matches: the one that comes closest, what differs, what helps.

    Only instructions whose body is one loop are looked at. What helps is tried: the operator is applied, and the instruction
    must then match.

        for miss in near_misses(p, AVX512): print(miss)
    """
    chosen = procedures_of("near_misses", instructions)
    bodies = [(each, each.ir.body[0]) for each in chosen if len(each.ir.body) == 1 and isinstance(each.ir.body[0], For)]
    found: list[NearMiss] = []
    for loop in walk(p, ForCursor):
        scored = [(*_parts(body, loop.node), each) for each, body in bodies if _depth(body) == _depth(loop.node)]
        near = [(matched / of, matched, of, each) for matched, of, each in scored if matched >= NEAR * of]
        if near:
            found.append(_explained(p, loop, sorted(near, key=lambda one: -one[0])))
    return found


def _depth(stmt: Node) -> int:
    return 1 + max((_depth(each) for each in stmt.body), default=0) if isinstance(stmt, For) else 0


def _explained(p: Procedure, loop: ForCursor, near: list[tuple[float, int, int, Procedure]]) -> NearMiss:
    """The first of the closest that some operator helps, or else the closest."""
    best: NearMiss | None = None
    for share, matched, of, instruction in near[:6]:
        if best is not None and share < near[0][0]:
            break
        try:
            replace(p, loop, instruction)
        except (SchedulingError, Undecided) as error:
            helps = next(_helping(p, loop, instruction), "")
            miss = NearMiss(loop, instruction, matched, of, error.message, tuple(map(str, error.notes)), helps)
        else:
            miss = NearMiss(loop, instruction, of, of, "it matches", (), f"replace(p, ..., {instruction.name()})")
        if miss.helps:
            return miss
        best = best or miss
    assert best is not None
    return best


def _parts(a: Node, b: Node) -> tuple[int, int]:
    """How many statements, operations and operands of the instruction's a there are in b, and how many a has."""
    if isinstance(a, For | If):
        inner = _blocks(a)
        others = _blocks(b) if type(a) is type(b) else ()
        pairs = [_best(x, others) for x in inner]
        return (type(a) is type(b)) + sum(n for n, _ in pairs), 1 + sum(of for _, of in pairs)
    if isinstance(a, Assign | Reduce):
        matched, of = _parts(a.rhs, b.rhs) if isinstance(b, Assign | Reduce) else (0, _parts(a.rhs, a.rhs)[1])
        return matched + (type(a) is type(b) and getattr(a, "op", "") == getattr(b, "op", "")), of + 1
    if isinstance(a, Expr) and not isinstance(a.type, ControlType):
        return _operations(a, b)
    return int(type(a) is type(b)), 1


def _blocks(stmt: Any) -> tuple[Node, ...]:
    return (*stmt.body, *(stmt.orelse if isinstance(stmt, If) else ()))


def _best(a: Node, others: Iterable[Node]) -> tuple[int, int]:
    return max((_parts(a, b) for b in others), default=(0, _parts(a, a)[1]))


def _operations(a: Expr, b: Node) -> tuple[int, int]:
    leaf = Read | Literal | ReadConfig
    if isinstance(a, leaf):
        return int(isinstance(b, leaf)), 1
    inner, others = _operands(a), _operands(b)
    same = type(a) is type(b) and getattr(a, "op", None) == getattr(b, "op", None) and len(inner) == len(others)
    orders = [others, others[::-1]] if isinstance(a, BinaryOp) and a.op in ("+", "*") else [others]
    of = 1 + sum(_parts(x, x)[1] for x in inner)
    if not same:
        return 0, of
    return 1 + max(sum(_parts(x, y)[0] for x, y in zip(inner, order, strict=True)) for order in orders), of


def _operands(expr: Node) -> list[Node]:
    return [child for child in child_nodes(expr) if isinstance(child, Expr) and not isinstance(child.type, ControlType)]


# ---- what helps

Remedy = Callable[[], Procedure]


def _helping(p: Procedure, loop: ForCursor, instruction: Procedure) -> Iterator[str]:
    """Operators after which instruction matches at or in the loop."""
    for name, remedy in _remedies(p, loop, instruction):
        try:
            changed = remedy()
        except UslError:
            continue
        if _matches(changed, loop, instruction):
            yield name


def _matches(p: Procedure, loop: ForCursor, instruction: Procedure) -> bool:
    try:
        place = p.forward(loop)
    except UslError:
        return False
    inside = [place, *walk(place, ForCursor)] if place else []
    for each in [*inside, *([place.next()] if place else [])]:
        try:
            replace(p, each, instruction)
        except UslError:
            continue
        return True
    return False


def _remedies(p: Procedure, loop: ForCursor, instruction: Procedure) -> Iterator[tuple[str, Remedy]]:
    for expr in walk(loop, BinaryOpCursor):
        if not isinstance(expr.type(), ControlType):
            yield f"left_reassociate_expr of `{text(expr)}`", partial(left_reassociate_expr, p, expr)
    yield "simplify", partial(simplify, p)
    yield from _of_loops(p, loop, instruction)
    yield from _of_buffers(p, loop, instruction)


def _of_loops(p: Procedure, loop: ForCursor, instruction: Procedure) -> Iterator[tuple[str, Remedy]]:
    (body,) = instruction.ir.body
    assert isinstance(body, For)
    count = body.hi.value if isinstance(body.hi, Literal) else None
    if isinstance(count, int):
        divided = partial(divide_loop, p, loop, count, [f"{loop.name()}o", f"{loop.name()}i"])
        yield f"divide_loop by {count}, perfect=True", partial(divided, perfect=True)
        for tail in ("cut", "guard"):
            yield f'divide_loop by {count}, tail="{tail}"', partial(divided, tail=tail)
        yield f"cut_loop at {count}", partial(cut_loop, p, loop, count)
    for stmt in list(loop.body())[:-1]:
        yield f"fission after `{text(stmt).splitlines()[0]}`", partial(fission, p, stmt.after())
    for inner in loop.body():
        if isinstance(inner, ForCursor):
            yield f"unroll_loop of `{inner.name()}`", partial(unroll_loop, p, inner)


def _of_buffers(p: Procedure, loop: ForCursor, instruction: Procedure) -> Iterator[tuple[str, Remedy]]:
    used = {access.name() for access in walk(loop, "writes", "reads") if access.idx()}
    allocated = [alloc for alloc in walk(p, "allocations") if alloc.name() in used]
    for memory in dict.fromkeys(arg.mem for arg in instruction.ir.args if arg.mem is not None):
        for alloc in allocated:
            yield f"set_memory of {alloc.name()} to {memory.name}", partial(set_memory, p, alloc, memory)
    for scalar in dict.fromkeys(a.type.scalar for a in instruction.ir.args if isinstance(a.type, TensorType)):
        for alloc in allocated:
            yield f"set_precision of {alloc.name()} to {scalar.name}", partial(set_precision, p, alloc, scalar.name)
    for window in walk(p, WindowStmtCursor):
        if window.name() in used:
            yield f"inline_window of {window.name()}", partial(inline_window, p, window)
