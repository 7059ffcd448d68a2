"""Blocks of statements as one expression.

A block is read from its end: what follows a statement is its continuation (`Tail`). A statement after which the block goes
on, such as an `if` without `return`, becomes an expression that yields the variables it assigns; one that goes on
on one path only (`if c: return a`) takes what follows into that path; one that goes on on several paths and returns on
others jumps to a join point.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from usl_core.errors import Span
from usl_perceus.errors import PerceusError
from usl_perceus.front import syntax as sx
from usl_perceus.front.builtins import FELL, GONE
from usl_perceus.front.expressions import Expressions, require_plain


@dataclass(frozen=True, slots=True)
class End:
    """The end of the function."""


@dataclass(frozen=True, slots=True)
class Yield:
    """The value of the statement is that of these variables. No `return` occurs."""

    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Fall:
    """The end of the body of a `try` that returns on other paths: these variables, tagged."""

    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class JumpTo:
    """Go on at a join point with these variables."""

    label: int
    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Then:
    """Go on with these statements; only one path does."""

    rest: tuple[ast.stmt, ...]
    tail: Tail


Tail = End | Yield | Fall | JumpTo | Then


@dataclass(frozen=True, slots=True)
class Exits:
    """How a block ends: the number of paths that reach its end, and whether one returns."""

    falls: int
    returns: bool


class Statements(Expressions):
    """The statements of one definition."""

    _tagged = False
    """Whether `return` only ends the body of a `try`, whose value says how it ended (`builtins.ENDED`)."""

    def function(self, node: ast.FunctionDef) -> sx.Function:
        """A `def` with its body; decorators are the caller's business."""
        span = self.source.head(node)
        require_plain(node.args, span)
        params = []
        for arg in node.args.args:
            if arg.annotation is None:
                raise PerceusError(
                    f"parameter {arg.arg} needs a type", span=self.source.span(arg), notes=(f"hint: {arg.arg}: i64",)
                )
            params.append(sx.Param(arg.arg, arg.annotation, span=self.source.span(arg)))
        _require_distinct_params(params)
        if node.returns is None:
            raise PerceusError(f"{node.name} needs a result type", span=span, notes=("hint: -> None if there is no result",))
        outer, self.perhaps = self.perhaps, {}
        tagged, self._tagged = self._tagged, False
        body = self.block(node.body, End(), frozenset(param.name for param in params), span)
        self.perhaps, self._tagged = outer, tagged
        return sx.Function(node.name, typevar_names(node), tuple(params), node.returns, body, span=span)

    def block(self, statements: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        """statements, then tail. defined: the variables that every path to here assigns. span: what the block belongs to."""
        if not statements:
            return self._tail(tail, defined, span)
        first, *rest = statements
        place = self.source.head(first) if hasattr(first, "body") else self.source.span(first)
        match first:
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                return self.block(rest, tail, defined, span)
            case ast.Return(value=value):
                self._require_last(rest)
                return self._returned(self.expr(value) if value is not None else sx.Literal(None, span=place))
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
            case ast.If() | ast.Match() | ast.Try():
                return self._compound(first, rest, tail, defined, place)
            case _:
                raise PerceusError(f"{_keyword(first)} is not in the functional language", span=place, notes=_hint(first))

    def _tail(self, tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
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
            case Then(rest=rest, tail=outer):
                return self.block(rest, outer, defined, span)

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
        names = set(bound(pattern))
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
        functions = tuple(self.function(node) for node in nodes)
        body = self.block(statements[len(nodes) :], tail, defined | names, span)
        self.perhaps = before
        return sx.LetFunctions(functions, body, span=functions[0].span)

    # -- statements with blocks

    def _compound(
        self, first: ast.If | ast.Match | ast.Try, rest: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span
    ) -> sx.Expr:
        exits = _exits([first])
        if not rest and not (isinstance(first, ast.Try) and not isinstance(tail, End)):
            return self._branches(first, tail, defined, span)
        if exits.falls == 0:
            self._require_last(rest)
            return self._branches(first, tail, defined, span)
        if exits.returns and exits.falls == 1 and not isinstance(first, ast.Try):
            return self._branches(first, Then(tuple(rest), tail), defined, span)
        assigned = set(_assigned([first]))
        certain = (_certain([first]) or set()) | self._kept(first, defined)
        needed = _used(rest) | _tail_uses(tail)
        names = tuple(sorted(assigned & certain & needed))
        before = self.perhaps
        if exits.returns:
            label = next(self._numbers)
            jump = JumpTo(label, names, span)
            if isinstance(first, ast.Try):
                body = self._try_that_returns(first, jump, defined, span)
            else:
                body = self._branches(first, jump, defined, span)
            self._add_perhaps(assigned - certain, span)
            after = self.block(rest, tail, defined | set(names), span)
            self.perhaps = before
            return sx.Join(label, names, after, body, span=span)
        value = self._branches(first, Yield(names, span), defined, span)
        self._add_perhaps(assigned - certain, span)
        after = self.block(rest, tail, defined | set(names), span)
        self.perhaps = before
        return sx.Let(_tuple_pattern(names, span), None, value, after, span=span)

    def _kept(self, statement: ast.stmt, defined: frozenset[str]) -> frozenset[str]:
        """The variables that surely have a value behind the statement because they had one before. An exception may come
        before or after an assignment in a `try`."""
        return defined - set(_assigned(statement.body)) if isinstance(statement, ast.Try) else defined

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
                value = self.block(body, tail, defined, span)
                return sx.Try(None, value, None, self._handlers(node, tail, defined, span), span=span)

    def _try_that_returns(self, node: ast.Try, jump: JumpTo, defined: frozenset[str], span: Span) -> sx.Expr:
        """A try after which some paths go on, at a join point, and some do not. To go on is no longer part of the try."""
        exits = _exits(node.body)
        handlers = self._handlers(node, jump, defined, span)
        if exits.returns and exits.falls:
            return self._try_that_ends_both_ways(node, jump, handlers, defined, span)
        if exits.falls == 0:
            return sx.Try(None, self.block(node.body, End(), defined, span), None, handlers, span=span)
        value = self.block(node.body, Yield(jump.names, span), defined, span)
        return sx.Try(_tuple_pattern(jump.names, span), value, self._tail(jump, defined, span), handlers, span=span)

    def _try_that_ends_both_ways(
        self, node: ast.Try, jump: JumpTo, handlers: tuple[sx.Handler, ...], defined: frozenset[str], span: Span
    ) -> sx.Expr:
        """The value of the body says how it ended, because to go on is no part of the try, and to return may raise in it."""
        tagged, self._tagged = self._tagged, True
        value = self.block(node.body, Fall(jump.names, span), defined, span)
        self._tagged = tagged
        ended, result = self.fresh("ended"), self.fresh("result")
        cases = (
            (FELL, _tuple_pattern(jump.names, span), self._tail(jump, defined, span)),
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
        if node.orelse or node.finalbody:
            raise PerceusError("try has no else and no finally in the functional language", span=span)
        before = self.perhaps
        self._add_perhaps(set(_assigned(node.body)), span)
        handlers = tuple(self._handler(each, tail, self._kept(node, defined)) for each in node.handlers)
        self.perhaps = before
        return handlers

    def _case(self, case: ast.match_case, tail: Tail, defined: frozenset[str]) -> sx.Case:
        pattern = self.pattern(case.pattern)
        names = set(bound(pattern))
        before = self._without_perhaps(names)
        guard = self.expr(case.guard) if case.guard is not None else None
        body = self.block(case.body, tail, defined | names, pattern.span)
        self.perhaps = before
        return sx.Case(pattern, guard, body, span=pattern.span)

    def _handler(self, node: ast.ExceptHandler, tail: Tail, defined: frozenset[str]) -> sx.Handler:
        span = self.source.head(node)
        pattern = self.handled(node.type, node.name, span)
        names = set(bound(pattern)) if pattern is not None else set()
        before = self._without_perhaps(names)
        body = self.block(node.body, tail, defined | names, span)
        self.perhaps = before
        return sx.Handler(pattern, body, span=pattern.span if pattern is not None else span)


# -- what blocks do


def _exits(statements: Sequence[ast.stmt]) -> Exits:
    returns = False
    for position, statement in enumerate(statements):
        match statement:
            case ast.Return():
                return Exits(0, True)
            case ast.Raise():
                return Exits(0, returns)
            case ast.If() | ast.Match() | ast.Try():
                parts = [_exits(block) for block in _blocks(statement)]
                returns = returns or any(part.returns for part in parts)
                falls = sum(part.falls for part in parts)
                if falls == 0:
                    return Exits(0, returns)
                if falls > 1 and position == len(statements) - 1:
                    return Exits(falls, returns)
            case _:
                continue
    return Exits(1, returns)


def _blocks(statement: ast.If | ast.Match | ast.Try) -> list[list[ast.stmt]]:
    """The blocks of which one is run."""
    match statement:
        case ast.If(body=then, orelse=orelse):
            return [then, orelse]
        case ast.Match(cases=cases):
            return [case.body for case in cases]
        case ast.Try(body=body, handlers=handlers):
            return [body, *(handler.body for handler in handlers)]


def _assigned(statements: Sequence[ast.stmt]) -> Iterator[str]:
    """The variables that the statements assign on some path."""
    for statement in statements:
        match statement:
            case ast.If() | ast.Match() | ast.Try():
                yield from _pattern_names(statement)
                for block in _blocks(statement):
                    yield from _assigned(block)
            case _:
                yield from _targets(statement)


def _targets(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.Assign(targets=targets):
            yield from (node.id for target in targets for node in ast.walk(target) if _is_store(node))  # type: ignore[attr-defined]
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)) | ast.FunctionDef(name=name):
            yield name


def _is_store(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _pattern_names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.Match):
        for case in statement.cases:
            yield from _captures(case.pattern)


def _captures(pattern: ast.pattern) -> Iterator[str]:
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchAs) and node.name is not None:
            yield node.name


def _certain(statements: Sequence[ast.stmt]) -> set[str] | None:
    """The variables that every path through the statements assigns; None if no path reaches their end."""
    names: set[str] = set()
    for statement in statements:
        match statement:
            case ast.Return() | ast.Raise():
                return None
            case ast.If() | ast.Match() | ast.Try():
                captures = [set(_captures(case.pattern)) for case in getattr(statement, "cases", [])]
                paths = []
                for position, block in enumerate(_blocks(statement)):
                    inner = _certain(block)
                    if inner is not None:
                        paths.append(inner | (captures[position] if captures else set()))
                if not paths:
                    return None
                names |= set.intersection(*paths)
            case _:
                names.update(_targets(statement))
    return names


def _used(statements: Sequence[ast.stmt]) -> set[str]:
    return {node.id for statement in statements for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _tail_uses(tail: Tail) -> set[str]:
    match tail:
        case End():
            return set()
        case Yield(names=names) | Fall(names=names) | JumpTo(names=names):
            return set(names)
        case Then(rest=rest, tail=outer):
            return _used(rest) | _tail_uses(outer)


def bound(pattern: sx.Pattern) -> Iterator[str]:
    """The variables that a pattern binds."""
    match pattern:
        case sx.WildcardPattern() | sx.LiteralPattern():
            return
        case sx.NamePattern(name=name):
            yield name
        case sx.AsPattern(pattern=inner, name=name):
            yield name
            yield from bound(inner)
        case sx.ConstructorPattern(args=parts) | sx.TuplePattern(items=parts):
            for part in parts:
                yield from bound(part)
        case sx.OrPattern(alternatives=alternatives):
            yield from bound(alternatives[0])


def _tuple(items: Sequence[sx.Expr], span: Span) -> sx.Expr:
    if not items:
        return sx.Literal(None, span=span)
    return items[0] if len(items) == 1 else sx.Tuple(tuple(items), span=span)


def _tuple_pattern(names: Sequence[str], span: Span) -> sx.Pattern:
    parts: tuple[sx.Pattern, ...] = tuple(sx.NamePattern(name, span=span) for name in names)
    if not parts:
        return sx.WildcardPattern(span=span)
    return parts[0] if len(parts) == 1 else sx.TuplePattern(parts, span=span)


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
        ast.For: "a for loop",
        ast.While: "a while loop",
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
        case ast.For() | ast.While():
            return ("hint: write a recursive function; a call that is returned directly does not grow the stack",)
        case ast.Global() | ast.Nonlocal():
            return ("hint: pass the value as an argument, or keep it in a ref",)
        case _:
            return ()
