"""Blocks of statements as one expression.

A block is read from its end: what follows a statement is its continuation (`Tail`). A statement after which the block goes
on, such as an `if` without `return`, becomes an expression that yields the variables it assigns; one that goes on
on one path only (`if c: return a`) takes what follows into that path; one that goes on on several paths and returns on
others jumps to a join point.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from usl_core.errors import Span
from usl_perceus.errors import PerceusError
from usl_perceus.front import flow
from usl_perceus.front import syntax as sx
from usl_perceus.front.builtins import FELL
from usl_perceus.front.expressions import require_plain
from usl_perceus.front.loops import name_pattern
from usl_perceus.front.tails import End, Fall, Give, JumpTo, Tail, Then, Yield
from usl_perceus.front.tries import Tries


class Statements(Tries):
    """The statements of one definition."""

    def function(self, node: ast.FunctionDef, *, nested: bool = False) -> sx.Function:
        """A `def` with its body; decorators are the caller's business."""
        span = self.source.head(node)
        require_plain(node.args, span, defaults=not nested)
        params = []
        without = len(node.args.args) - len(node.args.defaults)
        for arg, default in zip(node.args.args, [*[None] * without, *node.args.defaults], strict=True):
            if arg.annotation is None:
                raise PerceusError(
                    f"parameter {arg.arg} needs a type", span=self.source.span(arg), notes=(f"hint: {arg.arg}: i64",)
                )
            value = None if default is None else self.expr(default)
            params.append(sx.Param(arg.arg, arg.annotation, value, span=self.source.span(arg)))
        _require_distinct_params(params)
        if node.returns is None:
            raise PerceusError(f"{node.name} needs a result type", span=span, notes=("hint: -> None if there is no result",))
        around = self.perhaps, self.tagged, self._loops, self._in_try, self.cells_of
        self.perhaps, self.tagged, self._loops, self._in_try, self.cells_of = {}, False, (), False, {}
        body = self.block(node.body, End(), frozenset(param.name for param in params), span)
        self.perhaps, self.tagged, self._loops, self._in_try, self.cells_of = around
        bounded = tuple(each.name for each in getattr(node, "type_params", ()) if self._has_bound(each))
        return sx.Function(node.name, typevar_names(node), tuple(params), node.returns, body, bounded, span=span)

    def _has_bound(self, variable: Any) -> bool:
        bound = getattr(variable, "bound", None)
        if bound is not None and ast.unparse(bound).rpartition(".")[2] != "Ord":
            message = f"the bound of the type variable {variable.name} can only be Ord"
            raise PerceusError(message, span=self.source.span(bound), code="E718")
        return bound is not None

    def block(self, statements: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        """statements, then tail. defined: the variables that every path to here assigns. span: what the block belongs to."""
        if not statements:
            return self.tail(tail, defined, span)
        first, *rest = statements
        place = self.source.head(first) if hasattr(first, "body") else self.source.span(first)
        match first:
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                return self.block(rest, tail, defined, span)
            case ast.Return(value=value):
                self._require_last(rest)
                return self.returned(self.expr(value) if value is not None else sx.Literal(None, span=place))
            case ast.Raise(exc=None, cause=None) if self.caught:
                self._require_last(rest)
                return sx.Raise(sx.Name(self.caught[-1], span=place), span=place)
            case ast.Raise(exc=ast.expr() as exception, cause=None):
                self._require_last(rest)
                return sx.Raise(self.expr(exception), span=place)
            case ast.Assign(targets=[ast.Attribute(value=owner, attr="value")], value=value):
                update = sx.SetValue(self.expr(owner), self.expr(value), span=place)
                return sx.Let(sx.WildcardPattern(span=place), None, update, self.block(rest, tail, defined, span), span=place)
            case ast.Assign(targets=[target], value=value):
                return self._let(self.target(target), None, self.expr(value), rest, tail, defined, place)
            case ast.AnnAssign(target=ast.Name() as target, annotation=annotation, value=ast.expr() as value):
                return self._let(self.target(target), annotation, self.expr(value), rest, tail, defined, place)
            case ast.AugAssign(target=ast.Name(id=name) as target, value=value):
                changed = self.expr(
                    ast.copy_location(ast.BinOp(ast.copy_location(ast.Name(name), target), first.op, value), first)
                )
                return self._let(self.target(target), None, changed, rest, tail, defined, place)
            case ast.Expr(value=value):
                return self._let(sx.WildcardPattern(span=place), None, self.expr(value), rest, tail, defined, place)
            case ast.FunctionDef():
                return self._functions(statements, tail, defined, span)
            case ast.Try(finalbody=[_, *_]):
                return self.finally_(first, rest, tail, defined, place)
            case ast.If() | ast.Match() | ast.Try():
                return self.compound(first, rest, tail, defined, place)
            case ast.For() | ast.While():
                return self.loop(first, rest, tail, defined, place)
            case ast.Break() | ast.Continue():
                self._require_last(rest)
                return self.leave(first, defined, place)
            case _:
                raise PerceusError(f"{_keyword(first)} is not in the functional language", span=place, notes=_hint(first))

    def tail(self, tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        """What a way through statements gives that ends as tail says."""
        match tail:
            case End():
                return sx.Literal(None, implicit=True, span=span)
            case Yield(names=names, span=place):
                return _tuple([sx.Name(name, span=place) for name in names], place)
            case Fall(names=names, span=place):
                whole = _tuple([sx.Name(name, span=place) for name in names], place)
                return sx.Call(sx.Name(FELL, span=place), (whole,), span=place)
            case JumpTo(label=label, names=names, span=place):
                return sx.Jump(label, tuple(sx.Name(name, span=place) for name in names), span=place)
            case Give(name=name, span=place):
                return self.returned(sx.Name(name, span=place))
            case Then(rest=rest, tail=outer, loops=loops):
                present, self._loops = self._loops, loops
                after = self.block(rest, outer, defined, span)
                self._loops = present
                return after

    def _require_last(self, rest: Sequence[ast.stmt]) -> None:
        if rest:
            raise PerceusError("this statement is never reached", span=self.source.span(rest[0]))

    def _let(
        self,
        pattern: sx.Pattern,
        annotation: ast.expr | None,
        value: sx.Expr,
        rest: Sequence[ast.stmt],
        tail: Tail,
        defined: frozenset[str],
        span: Span,
    ) -> sx.Let:
        names = set(sx.bound(pattern))
        with_names = self.without_perhaps(names)
        body = self.block(rest, tail, defined | names, span)
        self.perhaps = with_names
        return sx.Let(pattern, annotation, value, self.written(names, body, span), span=span)

    def _functions(self, statements: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        nodes: list[ast.FunctionDef] = []
        for statement in statements:
            if not isinstance(statement, ast.FunctionDef):
                break
            if statement.decorator_list:
                raise PerceusError("a nested function has no decorator", span=self.source.span(statement.decorator_list[0]))
            nodes.append(statement)
        names = {node.name for node in nodes}
        before = self.without_perhaps(names)
        functions = tuple(self.function(node, nested=True) for node in nodes)
        body = self.block(statements[len(nodes) :], tail, defined | names, span)
        self.perhaps = before
        return sx.LetFunctions(functions, body, span=functions[0].span)

    # -- statements with blocks

    def compound(
        self, first: ast.If | ast.Match | ast.Try, rest: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span
    ) -> sx.Expr:
        """An `if`, `match` or `try`, and what follows it."""
        if isinstance(first, ast.Try) and first not in self.cells:
            return self.with_cells(first, rest, tail, defined, span)
        exits = flow.exits([first])
        if not rest and not (isinstance(first, ast.Try) and not isinstance(tail, End)):
            return self._branches(first, tail, defined, span)
        if exits.falls == 0:
            self._require_last(rest)
            return self._branches(first, tail, defined, span)
        if exits.leaves and exits.falls == 1 and not isinstance(first, ast.Try):
            return self._branches(first, Then(tuple(rest), tail, self._loops), defined, span)
        assigned = set(flow.assigned([first]))
        certain = (flow.certain([first]) or set()) | self.kept_behind(first, defined)
        needed = self.needed(rest, tail)
        names = tuple(sorted(assigned & certain & needed))
        before = self.perhaps
        if exits.leaves:
            label = next(self._numbers)
            jump = JumpTo(label, names, span)
            if isinstance(first, ast.Try):
                body = self.try_that_returns(first, jump, defined, span)
            else:
                body = self._branches(first, jump, defined, span)
            self.behind(assigned, certain, span)
            after = self.block(rest, tail, defined | set(names), span)
            self.perhaps = before
            return sx.Join(label, names, after, body, span=span)
        value = self._branches(first, Yield(names, span), defined, span)
        self.behind(assigned, certain, span)
        after = self.block(rest, tail, defined | set(names), span)
        self.perhaps = before
        return sx.Let(name_pattern(names, span), None, value, after, span=span)

    def _branches(self, node: ast.If | ast.Match | ast.Try, tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        match node:
            case ast.If(test=test, body=then, orelse=orelse):
                condition = self.expr(test)
                return sx.If(
                    condition, self.block(then, tail, defined, span), self.block(orelse, tail, defined, span), span=span
                )
            case ast.Match(subject=subject, cases=cases):
                scrutinee = self.expr(subject)
                return sx.Match(scrutinee, tuple(self._case(case, tail, defined) for case in cases), span=span)
            case ast.Try():
                return self.try_(node, tail, defined, span)

    def _case(self, case: ast.match_case, tail: Tail, defined: frozenset[str]) -> sx.Case:
        pattern = self.pattern(case.pattern)
        names = set(sx.bound(pattern))
        before = self.without_perhaps(names)
        guard = self.expr(case.guard) if case.guard is not None else None
        body = self.block(case.body, tail, defined | names, pattern.span)
        self.perhaps = before
        return sx.Case(pattern, guard, body, span=pattern.span)


def _tuple(items: Sequence[sx.Expr], span: Span) -> sx.Expr:
    if not items:
        return sx.Literal(None, span=span)
    return items[0] if len(items) == 1 else sx.Tuple(tuple(items), span=span)


def typevar_names(node: ast.FunctionDef | ast.ClassDef) -> tuple[str, ...]:
    """`[A, B]` after the name, in Python 3.12."""
    return tuple(each.name for each in getattr(node, "type_params", ()))


def _require_distinct_params(params: Sequence[sx.Param]) -> None:
    seen: set[str] = set()
    for param in params:
        if param.name in seen:
            raise PerceusError(f"two parameters are called {param.name}", span=param.span)
        seen.add(param.name)


def _keyword(statement: ast.stmt) -> str:
    names = {
        ast.AsyncFor: "async",
        ast.With: "with",
        ast.Assert: "assert",
        ast.Delete: "del",
        ast.ClassDef: "a nested class",
        ast.Import: "import",
        ast.ImportFrom: "import",
        ast.Global: "global",
        ast.Nonlocal: "nonlocal",
        ast.AnnAssign: "a declaration without a value",
        ast.Raise: "this form of raise",
        ast.Assign: "an assignment to several targets",
    }
    return names.get(type(statement), type(statement).__name__)


def _hint(statement: ast.stmt) -> tuple[str, ...]:
    match statement:
        case ast.Global() | ast.Nonlocal():
            return ("hint: pass the value as an argument, or keep it in a ref",)
        case _:
            return ()
