"""Whether what a configuration field holds at a place may be read later, before it is certainly overwritten.

Later means: in what follows the place in the blocks around it, and in later iterations of the loops around it. The procedure is
the rewritten one, with the write already added or gone. Reference: Reinking 2022, §3.6.2 and §3.14 (post-statement effect).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from usl_core.analysis import formula as fml
from usl_core.analysis.context import Context
from usl_core.analysis.effects import summary
from usl_core.analysis.solver import Proved
from usl_core.cursors.path import Path, get, get_stmt, stmt_list
from usl_core.ir.config import FieldSym
from usl_core.ir.nodes import AssignConfig, Block, Call, Expr, For, If, Node, Proc, ReadConfig, SimpleStmt, Stmt
from usl_core.ir.traverse import depends_on_data, walk
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Reach:
    """What becomes of a value: what may read it first, whether it may go further than the code, and whether a `check` may stop
    the program while the field holds it."""

    read: Node | None
    passes: bool
    stops: bool = False

    @property
    def outlives(self) -> bool:
        """Whether the field may hold it when the program ends."""
        return self.passes or self.stops


def reach(proc: Proc, path: Path, field: FieldSym) -> Reach:
    """What becomes of the value that field holds just before the place at path, which may be the end of a block.

    It passes if it may still be there when the procedure ends.
    """
    stops = False
    for depth in range(len(path), 0, -1):
        owner, (branch, position) = path[: depth - 1], path[depth - 1]
        if position is None or branch not in ("body", "orelse"):
            continue
        start = position if depth == len(path) else position + 1
        block = stmt_list(proc, owner, branch)
        found = _block(partial(Context.at, proc, (*owner, (branch, start))), block[start:], field)
        stops = stops or found.stops
        if found.read is not None or not found.passes:
            return Reach(found.read, found.passes, stops)
        around = get(proc, owner)
        if isinstance(around, For):  # the next iteration
            again = _block(partial(_inside, proc, owner), around.body, field)
            stops = stops or again.stops
            if again.read is not None:
                return again
    return Reach(None, True, stops)


def _inside(proc: Proc, path: Path) -> Context:
    """The context at the start of the body of the loop at path, in any iteration."""
    return Context.at(proc, path).enter(get_stmt(proc, path), "body")


class _Place:
    """A place in a block on the way through it; what is known there is found out when it is asked for, which is seldom."""

    def __init__(self, start: Callable[[], Context]) -> None:
        self.start = start
        self.passed: list[Stmt] = []

    def context(self) -> Context:
        ctx = self.start()
        for stmt in self.passed:
            ctx = ctx.after(stmt)
        self.start, self.passed = lambda: ctx, []
        return ctx


def _block(start: Callable[[], Context], block: Block, field: FieldSym) -> Reach:
    """What becomes of the value in block, before which the context is start()."""
    stops = False
    place = _Place(start)
    for stmt in block:
        found = _stmt(place, stmt, field)
        stops = stops or found.stops
        if found.read is not None or not found.passes:
            return Reach(found.read, found.passes, stops)
        place.passed.append(stmt)
    return Reach(None, True, stops)


def _stmt(place: _Place, stmt: Stmt, field: FieldSym) -> Reach:
    if field not in summary(stmt).fields:
        return Reach(None, True, summary(stmt).checks)
    match stmt:
        case AssignConfig(config=config, field=name, rhs=rhs):
            read = _reads(rhs, field)
            return Reach(read, read is None and config.sym(name) is not field)
        case If():
            return _if(place, stmt, field)
        case For():
            return _loop(place, stmt, field)
        case Call():
            return _call(stmt, field)
        case SimpleStmt():
            return Reach(_reads(stmt, field), True, summary(stmt).checks)


def _if(place: _Place, stmt: If, field: FieldSym) -> Reach:
    read = _reads(stmt.cond, field)
    if read is not None:
        return Reach(read, True)
    ways = [
        _block(lambda: place.context().enter(stmt, "body"), stmt.body, field),
        _block(lambda: place.context().enter(stmt, "orelse"), stmt.orelse, field),
    ]
    if not depends_on_data(stmt.cond) and ways[0] != ways[1]:
        ctx = place.context()
        truth = ctx.truth(stmt.cond)
        if ctx.holds(truth):
            return ways[0]
        if ctx.holds(fml.not_(truth)):
            return ways[1]
    return Reach(ways[0].read or ways[1].read, ways[0].passes or ways[1].passes, ways[0].stops or ways[1].stops)


def _loop(place: _Place, loop: For, field: FieldSym) -> Reach:
    read = _reads(loop.lo, field) or _reads(loop.hi, field)
    if read is not None:
        return Reach(read, True)
    once = _block(lambda: place.context().enter(loop, "body"), loop.body, field)
    if once.read is not None or once.passes:
        return Reach(once.read, True, once.stops)
    ctx = place.context()
    runs = ctx.prove(fml.lt(ctx.index(loop.lo), ctx.index(loop.hi)))
    return Reach(None, not isinstance(runs, Proved), once.stops)


def _call(call: Call, field: FieldSym) -> Reach:
    """The arguments and the callee's assertions are read at the call, then its body runs."""
    if any(_reads(arg, field) for arg in call.args) or any(_reads(pred, field) for pred in call.proc.preds):
        return Reach(call, True)
    inside = _block(lambda: Context.of_proc(call.proc), call.proc.body, field)
    return Reach(call, True) if inside.read is not None else inside


def _reads(node: Node, field: FieldSym) -> Expr | None:
    """A read of field in an expression, or in a statement without statements inside."""
    for found in walk(node):
        if isinstance(found, ReadConfig) and found.config.sym(found.field) is field:
            return found
    return None
