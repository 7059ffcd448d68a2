"""Computing equal expressions once: `cse`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, BinaryOpCursor, BlockCursor, ExternFunctionCursor, ForCursor, ReadCursor
from usl_core.errors import SchedulingError
from usl_core.ir.types import ControlType, TensorType
from usl_core.scheduling import bind_expr
from usl_stdlib.expressions import block_at, expressions, fresh, statements, text
from usl_stdlib.inspection import children, walk
from usl_stdlib.reporting import Places, explained


@dataclass(frozen=True, slots=True, repr=False)
class CommonExpressions(Places):
    """What `cse` created: the scalars, in the order in which they were made."""

    scalars: tuple[AllocCursor, ...]


@explained
def cse(p: Procedure, block: Any) -> tuple[Procedure, CommonExpressions]:
    """Compute data that occurs more than once in a block only once, in a scalar.

                                         t: f32
        y[i] = x[i] * a + 1.0            t = x[i] * a
        z[i] = x[i] * a - 1.0    ~>      y[i] = t + 1.0
                                         z[i] = t - 1.0

    block is a loop, whose body is meant, a statement or a block. The largest expressions go first. Elements that are read more
    than once are loaded once. Uses between which something in the expression may change keep scalars of their own.

    Returns the procedure and the `CommonExpressions`.

    Raises:
        SchedulingError: nothing occurs twice, or what does may change in between.
    Also known as: common subexpression elimination, local value numbering.
    """
    found = p.find(block) if isinstance(block, str) else p.forward(block)
    place = found.body() if isinstance(found, ForCursor) else block_at(p, found)
    scalars: list[Any] = []
    tried: set[str] = set()
    while (group := _largest(p.forward(place), tried)) is not None:
        tried.add(text(group[0]))
        while len(group) > 1:
            p, bound = _bound(p, group)
            if bound:
                scalars.append(_alloc(p, group[0]))
                place = _with(p.forward(place), scalars[-1])
            group = group[max(1, bound) :]
    if not scalars:
        raise SchedulingError(
            "nothing is computed twice here that could be computed once",
            span=place[0].node.span,
            notes=[f"it may change between its uses: {each}" for each in sorted(tried)][:4],
            code="E412",
        )
    return p, CommonExpressions(tuple([p.forward(each) for each in scalars]))


def _largest(block: BlockCursor, tried: set[str]) -> list[Any] | None:
    """The occurrences of the largest expression with several that has not been tried."""
    found: dict[str, list[Any]] = {}
    for expr in _data(block):
        found.setdefault(text(expr), []).append(expr)
    groups = [group for key, group in found.items() if len(group) > 1 and key not in tried]
    return max(groups, key=lambda group: len(list(walk(group[0]))), default=None)


def _data(block: BlockCursor) -> Iterator[Any]:
    """The operations on data and the reads of elements in a block, in the order of the text."""
    for stmt in statements(block):
        for expr in expressions(stmt):
            stack = [expr]
            while stack:
                each = stack.pop()
                if isinstance(each.type(), ControlType | TensorType):
                    continue
                if isinstance(each, BinaryOpCursor | ExternFunctionCursor) or (isinstance(each, ReadCursor) and each.idx()):
                    yield each
                stack += reversed(() if isinstance(each, ReadCursor) else children(each))


def _bound(p: Procedure, group: list[Any]) -> tuple[Procedure, int]:
    """The longest run of the first occurrences as one scalar, and its length; 0 if there are not two."""
    for count in range(len(group), 1, -1):
        try:
            return bind_expr(p, [p.forward(each) for each in group[:count]], fresh(p, "t")), count
        except SchedulingError:
            continue
    return p, 0


def _with(block: BlockCursor, scalar: AllocCursor) -> BlockCursor:
    """The block and, if they were put in front of it, the allocation and assignment of a scalar."""
    return block.expand(2, 0) if block[0].prev(2) == scalar else block


def _alloc(p: Procedure, use: Any) -> Any:
    """The allocation of the scalar that a use was bound to."""
    name = p.forward(use).name()
    return next(stmt for stmt in statements(p) if isinstance(stmt, AllocCursor) and stmt.name() == name)
