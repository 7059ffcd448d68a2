"""Statements by themselves: in a nest of their own, one operation each, one access to each buffer, or a place further."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from usl_core import Procedure
from usl_core.cursors import (
    AllocCursor,
    AssignCursor,
    ForCursor,
    IfCursor,
    ReadCursor,
    ReduceCursor,
    StmtCursor,
    WindowStmtCursor,
)
from usl_core.errors import SchedulingError
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.types import ScalarType
from usl_core.scheduling import autolift_alloc, bind_expr, fission, inline_window, reorder_stmts, set_memory
from usl_stdlib.cutting import Cutting, Machine
from usl_stdlib.expressions import block_at, fresh, loop_at, require, statements, text
from usl_stdlib.inspection import walk
from usl_stdlib.reporting import explained
from usl_stdlib.rules import Rule, any_rule


@explained
def fission_into_singles(p: Procedure, loop: Any) -> Procedure:
    """Give every statement in a loop a nest of its own.

                                         for i in seq(0, n):
        for i in seq(0, n):                  y[i] = 0.0
            y[i] = 0.0           ~>      for i in seq(0, n):
            for j in seq(0, m):              for j in seq(0, m):
                y[i] += A[i, j]                  y[i] += A[i, j]

    Loops inside and `if`s without `else` become part of the nests. What is allocated in the loop gets elements for its
    iterations, and windows are inlined.

    Forwarding: a loop goes to its first copy, statements stay themselves.

    Raises:
        SchedulingError: iterations depend on each other so that `fission` refuses.
    Also known as: loop distribution.
    """
    loop = loop_at(p, loop)
    for window in [stmt for stmt in statements(loop.body()) if isinstance(stmt, WindowStmtCursor)]:
        p = inline_window(p, window)
    for alloc in [stmt for stmt in statements(p.forward(loop).body()) if isinstance(stmt, AllocCursor)]:
        p = autolift_alloc(p, alloc, n_lifts=_depth(p.forward(alloc), p.forward(loop)), keep_dims=True)
    return _separated(p, p.forward(loop), 1)


def _depth(stmt: StmtCursor, loop: ForCursor) -> int:
    """The number of scopes from a statement to a loop around it, which counts."""
    depth, parent = 1, stmt.parent()
    while parent != loop:
        depth, parent = depth + 1, parent.parent()
    return depth


def _separated(p: Procedure, scope: ForCursor | IfCursor, depth: int) -> Procedure:
    """The statements of a scope and of those in it cut apart, depth scopes up."""
    body = list(p.forward(scope).body())
    for stmt in body[:-1]:
        p = fission(p, p.forward(stmt).after(), n_lifts=depth)
    for stmt in body:
        if isinstance(stmt, ForCursor) or (isinstance(stmt, IfCursor) and not stmt.orelse()):
            p = _separated(p, stmt, depth + 1)
    return p


@explained
def stage_compute(
    p: Procedure, block: Any, memory: MemoryClass | None = None, rules: Sequence[Rule] = (), name: str = "v"
) -> Procedure:
    """Compute the expressions of a block one operation at a time, in scalars.

                                       a_v: f32
                                       a_v = a[i]
                                       b_v: f32
        y[i] = a[i] * b[i] + c   ~>    b_v = b[i]
                                       v1: f32
                                       v1 = a_v * b_v
                                       ...
                                       y[i] = v

    Elements are loaded before an operation, and stored by a statement of their own. rules say what belongs together, as for
    `vectorize`: with `fma_rule`, `y += a * b` is one operation. memory is where the scalars live.

    Forwarding: a statement goes to the one that writes what it wrote; new ones stand before it.

    Raises:
        SchedulingError: a value may change between its new place and its use.
    Also known as: three-address code.
    """
    place = block_at(p, block)
    machine = Machine(1, DRAM if memory is None else memory, (), None, ())
    for write in [stmt for stmt in statements(place) if isinstance(stmt, AssignCursor | ReduceCursor)]:
        cutting = Cutting("", machine, [*rules, any_rule], {})
        p = cutting.cut(p, write)
        for made in [stmt for stmt in statements(p) if isinstance(stmt, AllocCursor) and stmt.name() in cutting.registers]:
            p = set_memory(p, made, cutting.registers[made.name()])
    return p


@explained
def dealias(p: Procedure, stmt: Any) -> Procedure:
    """Let a statement name every buffer once: what else it reads of it is read into scalars before.

                                       y_v: f32
        y[i] = y[i - 1] + x[i]   ~>    y_v = y[i - 1]
                                       y[i] = y_v + x[i]

    So a statement becomes what an instruction does whose operands must not overlap. Equal reads share a scalar.

    Forwarding: the statement stays itself.

    Raises:
        SchedulingError: it is no assignment or reduction.
    """
    write = _one(p, stmt)
    if not isinstance(write, AssignCursor | ReduceCursor):
        raise SchedulingError("an assignment or a reduction is wanted here", span=write.node.span, code="E404")
    named = {write.name()}
    found: dict[str, list[Any]] = {}
    for read in walk(write.rhs(), ReadCursor):
        if isinstance(read.type(), ScalarType):
            found.setdefault(text(read), []).append(read)
    for equal in found.values():
        buffer = equal[0].name()
        if buffer in named or len(equal) > 1:
            p = bind_expr(p, [p.forward(each) for each in equal], fresh(p, f"{buffer}_v"))
        named.add(buffer)
    return p


@explained
def reorder_stmt_forward(p: Procedure, stmt: Any) -> Procedure:
    """Let a statement change places with the one after it.

    Forwarding: both stay themselves.

    Raises:
        SchedulingError: it is the last of its block; what `reorder_stmts` raises.
    """
    here = _one(p, stmt)
    require(bool(here.next()), "the statement is the last of its block")
    return reorder_stmts(p, here.expand(0, 1))


@explained
def reorder_stmt_backwards(p: Procedure, stmt: Any) -> Procedure:
    """Let a statement change places with the one before it.

    Forwarding: both stay themselves.

    Raises:
        SchedulingError: it is the first of its block; what `reorder_stmts` raises.
    """
    here = _one(p, stmt)
    require(bool(here.prev()), "the statement is the first of its block")
    return reorder_stmts(p, here.expand(1, 0))


def _one(p: Procedure, where: Any) -> Any:
    place = block_at(p, where)
    require(len(place) == 1, f"one statement is wanted here, found {len(place)}")
    return place[0]
