"""Dead code: what no result needs. Tests, and calls and kernels that may fail, are needed by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Body, Expr, Lambda, Statement
from usl_soac.traverse import bodies, names_in_types, used_by_body, used_by_statement

T = TypeVar("T")
MayFail = Callable[[core.Call], bool]


def always(_: core.Call) -> bool:
    """Any call may fail."""
    return True


def can_fail(expr: Expr, may_fail: MayFail) -> bool:
    """Whether evaluating an expression, whose own tests have passed, may end the program."""
    match expr:
        case core.Assert() | core.Kernel() | core.Foreign():
            return True
        case core.Call():
            return may_fail(expr)
        case core.Map(sizes=sizes) if sizes:
            return True
        case _:
            return any(body_can_fail(body, may_fail) for body in bodies(expr))


def body_can_fail(body: Body, may_fail: MayFail) -> bool:
    """Whether a statement of a body may end the program."""
    return any(can_fail(statement.value, may_fail) for statement in body.statements)


def without_dead_code(body: Body, may_fail: MayFail = always, *, tests_stay: bool = True) -> Body:
    """The body without what is dead. In a slice tests stay only where they guard what is needed: the whole has them all."""
    return _Dead(may_fail, tests_stay).body(body)


@dataclass(frozen=True, slots=True)
class _Dead:
    may_fail: MayFail
    tests_stay: bool

    def stays(self, expr: Expr) -> bool:
        return self.tests_stay and can_fail(expr, self.may_fail)

    def body(self, body: Body, keep: Sequence[bool] | None = None) -> Body:
        results = body.results if keep is None else tuple(_kept(body.results, keep))
        needed = {atom for atom in results if isinstance(atom, Sym)}
        statements: list[Statement] = []
        for statement in reversed(body.statements):
            live = [param.name in needed for param in statement.pattern]
            if not any(live) and not self.stays(statement.value):
                continue
            statement = self.trimmed(statement, live)
            statements.append(statement)
            needed -= {param.name for param in statement.pattern}
            needed |= used_by_statement(statement)
        if len(statements) == len(body.statements) and results == body.results and _same(statements, body.statements):
            return body
        return replace(body, statements=tuple(statements[::-1]), results=results)

    def trimmed(self, statement: Statement, live: Sequence[bool]) -> Statement:
        """The statement without results that are dead, and without what is dead in its bodies."""
        expr = statement.value
        # A size that the type of a live result mentions is live.
        mentioned = names_in_types(tuple(_kept(statement.pattern, live)))
        live = [alive or param.name in mentioned for param, alive in zip(statement.pattern, live, strict=True)]
        match expr:
            case core.If(then=then, orelse=orelse):
                then_, orelse_ = self.body(then, live), self.body(orelse, live)
                if then_ is then and orelse_ is orelse:
                    return statement
                return _with(statement, live, replace(expr, then=then_, orelse=orelse_))
            case core.Map(function=function, sizes=sizes):
                if sizes:
                    live = [True] * len(live)
                return _with(statement, live, replace(expr, function=self.function(function, live)))
            case core.Loop():
                return self.loop(statement, expr, live)
            case core.Reduce(op=op) | core.Scan(op=op) | core.Hist(op=op):
                return replace(statement, value=replace(expr, op=self.function(op)))
            case core.Filter(predicate=predicate):
                return replace(statement, value=replace(expr, predicate=self.function(predicate)))
            case _:
                return statement

    def function(self, function: Lambda, keep: Sequence[bool] | None = None) -> Lambda:
        body = self.body(function.body, keep)
        return function if body is function.body else replace(function, body=body)

    def loop(self, statement: Statement, loop: core.Loop, live: Sequence[bool]) -> Statement:
        """What is carried and neither read after the loop nor needed for what is, is dead."""
        keep = list(live)
        while True:
            body = self.body(loop.body, keep)
            needed = used_by_body(body) | names_in_types(tuple(_kept(loop.params, keep)))
            if loop.condition is not None:
                needed |= used_by_body(loop.condition)
            more = [kept or param.name in needed for param, kept in zip(loop.params, keep, strict=True)]
            if more == keep:
                break
            keep = more
        if all(keep) and body is loop.body:
            return statement
        made = replace(loop, params=tuple(_kept(loop.params, keep)), initial=tuple(_kept(loop.initial, keep)), body=body)
        return _with(statement, keep, made)


def _kept(items: Sequence[T], keep: Sequence[bool]) -> list[T]:
    return [item for item, kept in zip(items, keep, strict=True) if kept]


def _with(statement: Statement, live: Sequence[bool], expr: Expr) -> Statement:
    return replace(statement, pattern=tuple(_kept(statement.pattern, live)), value=expr)


def _same(reversed_: Sequence[Statement], original: Iterable[Statement]) -> bool:
    return all(a is b for a, b in zip(reversed(reversed_), original, strict=True))
