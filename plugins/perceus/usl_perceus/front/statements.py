"""Blocks of statements as one expression.

A block is read from its end: what follows a statement is its continuation (`Tail`). A statement after which the block goes
on, such as an `if` without `return`, becomes an expression that yields the variables it assigns; one that goes on
on one path only (`if c: return a`) takes what follows into that path; one that goes on on several paths and returns on
others jumps to a join point.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import Any

from usl_core.errors import Span
from usl_perceus.errors import PerceusError
from usl_perceus.front import flow
from usl_perceus.front import syntax as sx
from usl_perceus.front.builtins import FELL, GONE
from usl_perceus.front.expressions import require_plain
from usl_perceus.front.loops import Loops, name_pattern
from usl_perceus.front.tails import End, Fall, Give, JumpTo, Tail, Then, Yield


class Statements(Loops):
    """The statements of one definition."""

    _caught: tuple[str, ...] = ()
    """The exceptions that the handlers around the current statement have caught."""
    _tagged = False
    """Whether `return` only ends the body of a `try`, whose value says how it ended (`builtins.ENDED`)."""

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
        around = self.perhaps, self._tagged, self._loops, self._in_try
        self.perhaps, self._tagged, self._loops, self._in_try = {}, False, (), False
        body = self.block(node.body, End(), frozenset(param.name for param in params), span)
        self.perhaps, self._tagged, self._loops, self._in_try = around
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
                return self._returned(self.expr(value) if value is not None else sx.Literal(None, span=place))
            case ast.Raise(exc=None, cause=None) if self._caught:
                self._require_last(rest)
                return sx.Raise(sx.Name(self._caught[-1], span=place), span=place)
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
            case ast.Try(orelse=[_, *_]):
                hint = "hint: what must not be handled stands behind the try"
                raise PerceusError("try has no else in the functional language", span=place, notes=(hint,))
            case ast.Try(finalbody=[_, *_]):
                return self._finally(first, rest, tail, defined, place)
            case ast.If() | ast.Match() | ast.Try():
                return self._compound(first, rest, tail, defined, place)
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
                return self._returned(sx.Name(name, span=place))
            case Then(rest=rest, tail=outer, loops=loops):
                present, self._loops = self._loops, loops
                after = self.block(rest, outer, defined, span)
                self._loops = present
                return after

    def _returned(self, value: sx.Expr) -> sx.Expr:
        if not self._tagged:
            return value
        return sx.Call(sx.Name(GONE, span=value.span), (value,), span=value.span)

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
        with_names = self._without_perhaps(names)
        body = self.block(rest, tail, defined | names, span)
        self.perhaps = with_names
        return sx.Let(pattern, annotation, value, body, span=span)

    def _without_perhaps(self, names: set[str]) -> dict[str, Span]:
        """Forgets that names may be unassigned; returns what to restore."""
        before = self.perhaps
        self.perhaps = {name: span for name, span in before.items() if name not in names}
        return before

    def _functions(self, statements: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        nodes: list[ast.FunctionDef] = []
        for statement in statements:
            if not isinstance(statement, ast.FunctionDef):
                break
            if statement.decorator_list:
                raise PerceusError("a nested function has no decorator", span=self.source.span(statement.decorator_list[0]))
            nodes.append(statement)
        names = {node.name for node in nodes}
        before = self._without_perhaps(names)
        functions = tuple(self.function(node, nested=True) for node in nodes)
        body = self.block(statements[len(nodes) :], tail, defined | names, span)
        self.perhaps = before
        return sx.LetFunctions(functions, body, span=functions[0].span)

    # -- statements with blocks

    def _compound(
        self, first: ast.If | ast.Match | ast.Try, rest: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span
    ) -> sx.Expr:
        exits = flow.exits([first])
        if not rest and not (isinstance(first, ast.Try) and not isinstance(tail, End)):
            return self._branches(first, tail, defined, span)
        if exits.falls == 0:
            self._require_last(rest)
            return self._branches(first, tail, defined, span)
        if exits.leaves and exits.falls == 1 and not isinstance(first, ast.Try):
            return self._branches(first, Then(tuple(rest), tail, self._loops), defined, span)
        assigned = set(flow.assigned([first]))
        certain = (flow.certain([first]) or set()) | self._kept(first, defined)
        needed = self.needed(rest, tail)
        names = tuple(sorted(assigned & certain & needed))
        before = self.perhaps
        if exits.leaves:
            label = next(self._numbers)
            jump = JumpTo(label, names, span)
            if isinstance(first, ast.Try):
                body = self._try_that_returns(first, jump, defined, span)
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

    def _kept(self, statement: ast.stmt, defined: frozenset[str]) -> frozenset[str]:
        """The variables that surely have a value behind the statement because they had one before. An exception may come
        before or after an assignment in a `try`."""
        return defined - set(flow.assigned(statement.body)) if isinstance(statement, ast.Try) else defined

    def behind(self, assigned: set[str], certain: set[str] | frozenset[str], span: Span) -> None:
        """Notes what a statement with blocks assigns, on all paths or on some."""
        self._without_perhaps(assigned & certain)
        self._add_perhaps(assigned - certain, span)

    def _add_perhaps(self, names: set[str], span: Span) -> None:
        self.perhaps = {**self.perhaps, **dict.fromkeys(names, span)}

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
            case ast.Try(body=body):
                value = self._tried(body, tail, defined, span)
                return sx.Try(None, value, None, self._handlers(node, tail, defined, span), span=span)

    def _tried(self, body: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        """The body of a `try`, which loops around it do not see."""
        around = self._loops, self._in_try
        self._loops, self._in_try = (), self._in_try or bool(self._loops)
        value = self.block(body, tail, defined, span)
        self._loops, self._in_try = around
        return value

    def _try_that_returns(self, node: ast.Try, jump: JumpTo, defined: frozenset[str], span: Span) -> sx.Expr:
        """A try after which some paths go on, at a join point, and some do not. To go on is no longer part of the try."""
        exits = flow.exits(node.body)
        handlers = self._handlers(node, jump, defined, span)
        if exits.leaves and exits.falls:
            return self._try_that_ends_both_ways(node, jump, handlers, defined, span)
        if exits.falls == 0:
            return sx.Try(None, self._tried(node.body, End(), defined, span), None, handlers, span=span)
        value = self._tried(node.body, Yield(jump.names, span), defined, span)
        return sx.Try(name_pattern(jump.names, span), value, self.tail(jump, defined, span), handlers, span=span)

    def _try_that_ends_both_ways(
        self, node: ast.Try, jump: JumpTo, handlers: tuple[sx.Handler, ...], defined: frozenset[str], span: Span
    ) -> sx.Expr:
        """The value of the body says how it ended, because to go on is no part of the try, and to return may raise in it."""
        tagged, self._tagged = self._tagged, True
        value = self._tried(node.body, Fall(jump.names, span), defined, span)
        self._tagged = tagged
        ended, result = self.fresh("ended"), self.fresh("result")
        cases = (
            (FELL, name_pattern(jump.names, span), self.tail(jump, defined, span)),
            (GONE, sx.NamePattern(result, span=span), self._returned(sx.Name(result, span=span))),
        )
        then = sx.Match(
            sx.Name(ended, span=span),
            tuple(
                sx.Case(sx.ConstructorPattern((con,), (pattern,), span=span), None, body, span=span)
                for con, pattern, body in cases
            ),
            span=span,
        )
        return sx.Try(sx.NamePattern(ended, span=span), value, then, handlers, span=span)

    def _handlers(self, node: ast.Try, tail: Tail, defined: frozenset[str], span: Span) -> tuple[sx.Handler, ...]:
        before = self.perhaps
        self._add_perhaps(set(flow.assigned(node.body)), span)
        handlers = tuple(self._handler(each, tail, self._kept(node, defined)) for each in node.handlers)
        self.perhaps = before
        return handlers

    def _case(self, case: ast.match_case, tail: Tail, defined: frozenset[str]) -> sx.Case:
        pattern = self.pattern(case.pattern)
        names = set(sx.bound(pattern))
        before = self._without_perhaps(names)
        guard = self.expr(case.guard) if case.guard is not None else None
        body = self.block(case.body, tail, defined | names, pattern.span)
        self.perhaps = before
        return sx.Case(pattern, guard, body, span=pattern.span)

    def _handler(self, node: ast.ExceptHandler, tail: Tail, defined: frozenset[str]) -> sx.Handler:
        span = self.source.head(node)
        caught = node.name or self.fresh("caught")
        fields = _Fields(caught)
        body = [fields.visit(copy.deepcopy(each)) for each in node.body] if node.name else node.body
        pattern, others = self.handled(node.type, sorted(fields.found), caught, span)
        names = {caught, *(sx.bound(pattern) if pattern is not None else ())}
        before, self._caught = self._without_perhaps(names), (*self._caught, caught)
        inner = self.block(body, tail, defined | names, span)
        self.perhaps, self._caught = before, self._caught[:-1]
        return sx.Handler(pattern, others, caught, inner, span=pattern.span if pattern is not None else span)

    def _finally(self, node: ast.Try, rest: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        """`finally` stands behind the body, where it returns, and in a handler that raises the exception again."""
        last = node.finalbody
        inner: list[ast.stmt] = node.body
        if node.handlers:
            inner = [ast.copy_location(ast.Try(node.body, node.handlers, node.orelse, []), node)]
        again = ast.copy_location(ast.Raise(None, None), last[-1])
        raised = [*last, again] if flow.exits(last).falls else last
        whole = ast.copy_location(
            ast.Try(inner, [ast.copy_location(ast.ExceptHandler(None, None, raised), last[0])], [], []), node
        )
        found = flow.exits(inner)
        if not found.leaves:
            return self._compound(whole, [*last, *rest] if flow.exits(last).falls else last, tail, defined, span)
        surely = (flow.certain(inner) or set()) | (defined - set(flow.assigned(inner)))
        behind = [*last, *rest] if flow.exits(last).falls else last
        names = tuple(sorted(set(flow.assigned(inner)) & surely & self.needed(behind, tail)))
        handlers = self._handlers(whole, End(), defined, span)
        ended, result = self.fresh("ended"), self.fresh("result")
        if found.falls == 0:
            value = self._tried(inner, End(), defined, span)
            then = self.block(last, Give(result, span), defined - set(flow.assigned(inner)), span)
            return sx.Try(sx.NamePattern(result, span=span), value, then, handlers, span=span)
        tagged, self._tagged = self._tagged, True
        value = self._tried(inner, Fall(names, span), defined, span)
        self._tagged = tagged
        before = self.perhaps
        self.behind(set(flow.assigned(inner)), surely, span)
        gone = self.block(last, Give(result, span), defined | set(names), span)
        cases: list[tuple[str, sx.Pattern, sx.Expr]] = [(GONE, sx.NamePattern(result, span=span), gone)]
        fell = self.block(behind, tail, defined | set(names), span)
        cases.insert(0, (FELL, name_pattern(names, span), fell))
        self.perhaps = before
        then = sx.Match(
            sx.Name(ended, span=span),
            tuple(
                sx.Case(sx.ConstructorPattern((con,), (pattern,), span=span), None, body, span=span)
                for con, pattern, body in cases
            ),
            span=span,
        )
        return sx.Try(sx.NamePattern(ended, span=span), value, then, handlers, span=span)


class _Fields(ast.NodeTransformer):
    """Turns `e.x`, for a caught exception e, into a variable of its own."""

    def __init__(self, exception: str) -> None:
        self._exception = exception
        self.found: set[str] = set()

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """An attribute of anything."""
        if isinstance(node.value, ast.Name) and node.value.id == self._exception and isinstance(node.ctx, ast.Load):
            self.found.add(node.attr)
            return ast.copy_location(ast.Name(f"{self._exception}.{node.attr}", ast.Load()), node)
        self.generic_visit(node)
        return node


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
