"""What blocks of Python statements do: how they end, what they assign, which variables they need."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Loop = ast.For | ast.While
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Exits:
    """How a block ends: how many paths reach its end, and whether one leaves it, by `return` or for a loop around it."""

    falls: int
    leaves: bool


def exits(statements: Sequence[ast.stmt]) -> Exits:
    """How the block of these statements ends."""
    leaves = False
    for position, statement in enumerate(statements):
        match statement:
            case ast.Return() | ast.Break() | ast.Continue():
                return Exits(0, True)
            case ast.Raise():
                return Exits(0, leaves)
            case ast.If() | ast.Match() | ast.Try():
                parts = [exits(block) for block in blocks(statement)]
                leaves = leaves or any(part.leaves for part in parts)
                falls = sum(part.falls for part in parts)
                if isinstance(statement, ast.Try) and statement.finalbody:
                    last = exits(statement.finalbody)
                    leaves, falls = leaves or last.leaves, min(falls, last.falls, 1)
                if falls == 0:
                    return Exits(0, leaves)
                if falls > 1 and position == len(statements) - 1:
                    return Exits(falls, leaves)
            case ast.For() | ast.While():
                after = exits(statement.orelse)
                leaves = leaves or after.leaves or _returns(statement.body)
                if not breaks(statement.body) and (is_endless(statement) or after.falls == 0):
                    return Exits(0, leaves)
            case _:
                continue
    return Exits(1, leaves)


def is_endless(loop: Loop) -> bool:
    """Whether it only ends by `break` or `return`."""
    return isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant) and loop.test.value is True


def breaks(body: Sequence[ast.stmt]) -> int:
    """The number of `break`s that leave the loop with this body."""
    count = 0
    for statement in body:
        match statement:
            case ast.Break():
                count += 1
            case ast.For(orelse=orelse) | ast.While(orelse=orelse):
                count += breaks(orelse)
            case ast.If() | ast.Match() | ast.Try():
                count += sum(map(breaks, [*blocks(statement), *last_blocks(statement)]))
    return count


def _returns(body: Sequence[ast.stmt]) -> bool:
    """Whether a `return` occurs in the body of a loop, or in one within it."""
    for statement in body:
        match statement:
            case ast.Return():
                return True
            case ast.For(body=inner, orelse=orelse) | ast.While(body=inner, orelse=orelse):
                if _returns(inner) or _returns(orelse):
                    return True
            case ast.If() | ast.Match() | ast.Try():
                if any(map(_returns, [*blocks(statement), *last_blocks(statement)])):
                    return True
    return False


def blocks(statement: ast.If | ast.Match | ast.Try) -> list[list[ast.stmt]]:
    """The blocks of which one is run."""
    match statement:
        case ast.If(body=then, orelse=orelse):
            return [then, orelse]
        case ast.Match(cases=cases):
            return [case.body for case in cases]
        case ast.Try(body=body, handlers=handlers, orelse=orelse):
            return [[*body, *orelse], *(handler.body for handler in handlers)]


def last_blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The block after `finally`, if there is one."""
    return [statement.finalbody] if isinstance(statement, ast.Try) and statement.finalbody else []


# -- what is assigned


def assigned(statements: Sequence[ast.stmt]) -> Iterator[str]:
    """The variables that the statements assign on some path."""
    for statement in statements:
        match statement:
            case ast.If() | ast.Match() | ast.Try():
                yield from _pattern_names(statement)
                for block in [*blocks(statement), *last_blocks(statement)]:
                    yield from assigned(block)
            case ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
                yield from _loop_names(statement)
                yield from assigned(body)
                yield from assigned(orelse)
            case _:
                yield from targets(statement)


def targets(statement: ast.stmt) -> Iterator[str]:
    """The variables that a statement without blocks assigns."""
    match statement:
        case ast.Assign(targets=parts):
            yield from (name for part in parts for name in _stored(part))
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)) | ast.FunctionDef(name=name):
            yield name


def rebound(statements: Sequence[ast.stmt]) -> set[str]:
    """The variables that only assignments bind in the statements: no loop, pattern or function."""
    plain, others = set[str](), set[str]()
    waiting: list[ast.AST] = list(statements)
    while waiting:
        match waiting.pop():
            case ast.FunctionDef(name=name):
                others.add(name)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() as statement:
                plain.update(targets(statement))
            case ast.For() | ast.Match() as statement:
                others.update(_loop_names(statement) if isinstance(statement, ast.For) else _pattern_names(statement))
                waiting.extend(ast.iter_child_nodes(statement))
            case ast.Lambda():
                continue
            case node:
                waiting.extend(ast.iter_child_nodes(node))
    return plain - others


def unclear(statements: Sequence[ast.stmt]) -> set[str]:
    """The variables of which nothing tells the last value where a `try` among the statements is over: loops, patterns or
    functions in its body bind them, so that they have no cell, and a handler that goes on does not."""
    found = set[str]()
    for statement in statements:
        match statement:
            case ast.If() | ast.Match() | ast.Try():
                for block in [*blocks(statement), *last_blocks(statement)]:
                    found |= unclear(block)
                if isinstance(statement, ast.Try):
                    bound = set(assigned(statement.body)) - rebound(statement.body)
                    for handler in statement.handlers:
                        if exits(handler.body).falls:
                            found |= bound - (certain(handler.body) or set())
            case ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
                found |= unclear(body) | unclear(orelse)
            case _:
                continue
    return found


def _stored(node: ast.AST) -> Iterator[str]:
    return (each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))


def _loop_names(loop: Loop) -> set[str]:
    return set(_stored(loop.target)) if isinstance(loop, ast.For) else set()


def _pattern_names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.Match):
        for case in statement.cases:
            yield from _captures(case.pattern)


def _captures(pattern: ast.pattern) -> Iterator[str]:
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name is not None:
            yield node.name


def certain(statements: Sequence[ast.stmt]) -> set[str] | None:
    """The variables that every path through the statements assigns; None if no path reaches their end."""
    return _certain(statements, set(), [])


def _certain(statements: Sequence[ast.stmt], before: set[str], at_breaks: list[set[str]]) -> set[str] | None:
    """before: what is assigned already; what is at each `break` is appended to at_breaks."""
    names = set(before)
    for statement in statements:
        match statement:
            case ast.Return() | ast.Raise() | ast.Continue():
                return None
            case ast.Break():
                at_breaks.append(names)
                return None
            case ast.If() | ast.Match() | ast.Try():
                captures = [set(_captures(case.pattern)) for case in getattr(statement, "cases", [])]
                starts = [names | (captures[i] if captures else set()) for i in range(len(blocks(statement)))]
                paths = [_certain(block, start, at_breaks) for block, start in zip(blocks(statement), starts, strict=True)]
                joined = _intersection(paths)
                for block in last_blocks(statement):
                    joined = None if joined is None else _certain(block, joined, at_breaks)
                if joined is None:
                    return None
                names = joined
            case ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
                inner: list[set[str]] = []
                _certain(body, names | _loop_names(statement), inner)
                over = None if is_endless(statement) else _certain(orelse, names, at_breaks)
                joined = _intersection([over, *inner])
                if joined is None:
                    return None
                names = joined
            case _:
                names.update(targets(statement))
    return names


def _intersection(paths: Sequence[set[str] | None]) -> set[str] | None:
    found = [path for path in paths if path is not None]
    return set.intersection(*found) if found else None


# -- what is needed


def live(
    statements: Sequence[ast.stmt], after: frozenset[str], out: frozenset[str] = NOTHING, again: frozenset[str] = NOTHING
) -> frozenset[str]:
    """The variables whose values the statements may need. after, out, again: those needed behind them, and by `break` and
    `continue`."""
    for statement in reversed(statements):
        after = _live(statement, after, out, again)
    return after


def _live(statement: ast.stmt, after: frozenset[str], out: frozenset[str], again: frozenset[str]) -> frozenset[str]:
    match statement:
        case ast.Break():
            return out
        case ast.Continue():
            return again
        case ast.Return() | ast.Raise():
            return names_in(statement)
        case ast.If(test=test):
            return names_in(test).union(*(live(block, after, out, again) for block in blocks(statement)))
        case ast.Match(subject=subject, cases=cases):
            found = names_in(subject)
            for case in cases:
                inner = live(case.body, after, out, again) | (NOTHING if case.guard is None else names_in(case.guard))
                found |= inner - set(_captures(case.pattern))
            return found
        case ast.Try(handlers=handlers, finalbody=last):
            caught = [names_in(each.type) for each in handlers if each.type is not None]
            if last:
                after = live(last, after, out, again)
                caught.append(live(last, NOTHING))
            return NOTHING.union(*caught, *(live(block, after, out, again) for block in blocks(statement)))
        case ast.For(iter=iterated, orelse=orelse):
            return names_in(iterated) | live_at_head(statement, after, live(orelse, after, out, again))
        case ast.While(orelse=orelse):
            return live_at_head(statement, after, live(orelse, after, out, again))
        case ast.FunctionDef(name=name):
            return (after | names_in(statement)) - {name}
        case ast.AugAssign(target=ast.Name(id=name)):
            return after | names_in(statement) | {name}
        case _:
            return (after - set(targets(statement))) | names_in(statement)


def live_at_head(loop: Loop, out: frozenset[str], over: frozenset[str]) -> frozenset[str]:
    """The variables that a loop may need at the beginning of a round. out, over: those needed after `break`, and at its end."""
    head = NOTHING if is_endless(loop) else over
    if isinstance(loop, ast.While):
        head |= names_in(loop.test)
    while True:
        more = head | (live(loop.body, head, out, head) - _loop_names(loop))
        if more == head:
            return head
        head = more


def names_in(node: ast.AST) -> frozenset[str]:
    """The variables that are read in it."""
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
