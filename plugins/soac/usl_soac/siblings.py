"""Reductions over one index space become one, so that what both read is read once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Body, Lambda, Statement, Type
from usl_soac.sizes import Term
from usl_soac.traverse import used_by_statement


def together(body: Body, length: Callable[[Sym, Type | None], Term | None]) -> Body:
    """The body with reductions of numbers merged into the last one of as many rows, where nothing between needs them.

    length: how many rows an array has, which has a type if the body makes it.
    """
    lengths = _lengths(body, length)
    statements = list(body.statements)
    at = 0
    while at < len(statements):
        other = _partner(statements, at, lengths)
        if other is None:
            at += 1
            continue
        merged = _merged(statements[at], statements[other])
        lengths[merged] = lengths[statements[at]]
        statements[other] = merged
        del statements[at]
    return replace(body, statements=tuple(statements)) if len(statements) < len(body.statements) else body


def _lengths(body: Body, length: Callable[[Sym, Type | None], Term | None]) -> dict[Statement, Term]:
    types = {param.name: param.type for each in body.statements for param in each.pattern if param.type.dims}
    found: dict[Statement, Term] = {}
    for statement in body.statements:
        if isinstance(statement.value, core.Reduce) and is_plain(statement):
            array = statement.value.arrays[0]
            if (rows := length(array, types.get(array))) is not None:
                found[statement] = rows
    return found


def _partner(statements: list[Statement], at: int, lengths: dict[Statement, Term]) -> int | None:
    """The next reduction of as many rows, which does not need this one."""
    first = statements[at]
    if first not in lengths:
        return None
    own = {param.name for param in first.pattern}
    for later in range(at + 1, len(statements)):
        if own.intersection(used_by_statement(statements[later])):
            return None
        if lengths.get(statements[later]) == lengths[first]:
            return later
    return None


def _merged(first: Statement, second: Statement) -> Statement:
    assert isinstance(first.value, core.Reduce) and isinstance(second.value, core.Reduce)
    one, two = first.value.op, second.value.op
    here, there = len(one.params) // 2, len(two.params) // 2
    op = Lambda(
        (*one.params[:here], *two.params[:there], *one.params[here:], *two.params[there:]),
        Body((*one.body.statements, *two.body.statements), (*one.body.results, *two.body.results)),
    )
    value = core.Reduce(op, (*first.value.neutral, *second.value.neutral), (*first.value.arrays, *second.value.arrays))
    return replace(second, pattern=(*first.pattern, *second.pattern), value=value, certs=(*first.certs, *second.certs))


def is_plain(statement: Statement) -> bool:
    """Whether it is a reduction of numbers that adds, multiplies or takes the smaller or larger."""
    if not isinstance(statement.value, core.Reduce) or any(param.type.dims for param in statement.pattern):
        return False
    ops = [each.value for each in statement.value.op.body.statements]
    return len(ops) == len(statement.pattern) and all(isinstance(each, core.Op) and each.op in PLAIN for each in ops)


PLAIN = frozenset(("+", "*", "min", "max"))
