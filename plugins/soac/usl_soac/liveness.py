"""Which variables of a text are read later: what a loop carries, what a branch must give.

All on Python's syntax trees. Names of functions and sizes are counted as variables; callers intersect with what is assigned.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

Names = frozenset[str]


def reads(node: ast.AST | None) -> Names:
    """Names that are read somewhere in node, in functions in it too."""
    if node is None:
        return frozenset()
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))


def assigned(statements: Sequence[ast.stmt]) -> Names:
    """Variables that statements assign, those in nested blocks too, but not those of functions in them."""
    names: set[str] = set()
    for each in statements:
        match each:
            case ast.Assign(targets=targets):
                for target in targets:
                    names |= targets_of(target)
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                names |= targets_of(target)
            case ast.FunctionDef(name=name):
                names.add(name)
            case ast.For(target=target, body=body):
                names |= targets_of(target) | assigned(body)
            case ast.While(body=body):
                names |= assigned(body)
            case ast.If(body=body, orelse=orelse):
                names |= assigned(body) | assigned(orelse)
            case _:
                pass
    return frozenset(names)


def targets_of(target: ast.AST) -> Names:
    """The names in the pattern on the left of an assignment."""
    return frozenset(each.id for each in ast.walk(target) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))


def live_before(statements: Sequence[ast.stmt], after: Names) -> Names:
    """The names whose values statements, or what follows them, may read."""
    live = after
    for each in reversed(statements):
        live = _before(each, live)
    return live


def _before(statement: ast.stmt, after: Names) -> Names:
    match statement:
        case ast.Assign(targets=targets, value=value):
            gone = frozenset(name for target in targets for name in targets_of(target))
            return (after - gone) | reads(value) | frozenset(name for target in targets for name in reads(target))
        case ast.AnnAssign(target=target, value=value, annotation=annotation):
            return (after - targets_of(target)) | reads(value) | reads(annotation)
        case ast.AugAssign(target=target, value=value):
            return after | targets_of(target) | reads(value) | reads(target)
        case ast.If(test=test, body=body, orelse=orelse):
            return live_before(body, after) | live_before(orelse, after) | reads(test)
        case ast.For(target=target, iter=rounds, body=body):
            return after | reads(rounds) | (_around(body, after) - targets_of(target))
        case ast.While(test=test, body=body):
            return _around(body, after | reads(test))
        case ast.Return(value=value):
            return reads(value)
        case ast.FunctionDef(name=name, body=body):
            inner = frozenset(read for each in body for read in reads(each))
            return (after - {name}) | inner
        case _:
            return after | reads(statement)


def _around(body: Sequence[ast.stmt], after: Names) -> Names:
    """Live at the start of the body of a loop."""
    live = after
    while (more := live | live_before(body, live)) != live:
        live = more
    return live


def returns(statements: Sequence[ast.stmt]) -> bool:
    """Whether there is a `return` somewhere in statements."""
    return any(
        isinstance(each, ast.Return)
        or (isinstance(each, ast.If) and (returns(each.body) or returns(each.orelse)))
        or (isinstance(each, ast.For | ast.While) and returns(each.body))
        for each in statements
    )


def always_returns(statements: Sequence[ast.stmt]) -> bool:
    """Whether nothing follows statements on any path."""
    return any(
        isinstance(each, ast.Return) or (isinstance(each, ast.If) and always_returns(each.body) and always_returns(each.orelse))
        for each in statements
    )
