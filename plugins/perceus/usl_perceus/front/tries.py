"""`try`: handlers, `else`, `finally`, and what they know of the variables that the body assigns.

A variable that the body assigns and a handler may need is kept in a cell as long as the body runs: the body writes each value
into it, and the handler reads the last one.
"""

from __future__ import annotations

import ast
import copy
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence

from usl_core.errors import Span
from usl_core.frontend.source import Source
from usl_perceus.errors import PerceusError
from usl_perceus.front import flow
from usl_perceus.front import syntax as sx
from usl_perceus.front.builtins import FELL, GONE
from usl_perceus.front.loops import Loops, name_pattern
from usl_perceus.front.tails import End, Fall, Give, JumpTo, Tail, Then, Yield


class Tries(Loops):
    """The `try` statements of one definition."""

    caught: tuple[str, ...] = ()
    """The exceptions that the handlers around the current statement have caught."""
    tagged = False
    """Whether `return` only ends the body of a `try`, whose value says how it ended (`builtins.ENDED`)."""
    cells_of: Mapping[str, tuple[str, ...]] = {}
    """For variables the cells into which assignments to them are written."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.cells: dict[ast.stmt, dict[str, str]] = {}
        """For each `try` the variables that are kept in a cell while its body runs."""

    @abstractmethod
    def compound(
        self, first: ast.If | ast.Match | ast.Try, rest: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span
    ) -> sx.Expr:
        """A statement with blocks, and what follows it."""

    def returned(self, value: sx.Expr) -> sx.Expr:
        """What a path gives that returns value."""
        if not self.tagged:
            return value
        return sx.Call(sx.Name(GONE, span=value.span), (value,), span=value.span)

    def without_perhaps(self, names: set[str]) -> dict[str, Span]:
        """Forgets that names may be unassigned; returns what to restore."""
        before = self.perhaps
        self.perhaps = {name: span for name, span in before.items() if name not in names}
        return before

    def behind(self, assigned: set[str], certain: set[str] | frozenset[str], span: Span) -> None:
        """Notes what a statement with blocks assigns, on all paths or on some."""
        self.without_perhaps(assigned & certain)
        self._add_perhaps(assigned - certain, span)

    def _add_perhaps(self, names: set[str], span: Span) -> None:
        self.perhaps = {**self.perhaps, **dict.fromkeys(names, span)}

    # -- variables that the body assigns

    def with_cells(self, node: ast.Try, rest: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        """A `try`, and what follows it, with cells for what handlers, and what follows these, need of the body's variables."""
        self.cells[node] = self._cells(node, Then(tuple(rest), tail, self._loops), defined)
        made = self.compound(node, rest, tail, defined, span)
        return self._around(node, made, span)

    def _cells(self, node: ast.Try, after: Tail, defined: frozenset[str]) -> dict[str, str]:
        needed = frozenset[str]().union(*(self.needed(each.body, after) for each in node.handlers))
        return {name: self.fresh(f"{name}.cell") for name in sorted(flow.rebound(node.body) & defined & needed)}

    def _around(self, node: ast.Try, made: sx.Expr, span: Span) -> sx.Expr:
        for name, cell in self.cells[node].items():
            new = sx.Call(sx.Name(".ref", span=span), (sx.Name(name, span=span),), span=span)
            made = sx.Let(sx.NamePattern(cell, span=span), None, new, made, span=span)
        return made

    def _read(self, node: ast.Try, body: sx.Expr, without: Collection[str], span: Span) -> sx.Expr:
        """body with the last values of the variables in cells; some names mean something else there."""
        for name, cell in self.cells[node].items():
            if name not in without:
                content = sx.Attribute(sx.Name(cell, span=span), "value", span=span)
                body = sx.Let(sx.NamePattern(name, span=span), None, content, body, span=span)
        return body

    def written(self, names: Collection[str], body: sx.Expr, span: Span) -> sx.Expr:
        """body, after the variables that have just been assigned are written into their cells."""
        for name in sorted(names):
            for cell in self.cells_of.get(name, ()):
                update = sx.SetValue(sx.Name(cell, span=span), sx.Name(name, span=span), span=span)
                body = sx.Let(sx.WildcardPattern(span=span), None, update, body, span=span)
        return body

    def kept(self, statement: ast.stmt, defined: frozenset[str]) -> frozenset[str]:
        """The variables that surely have a value behind the statement because they had one before. An exception may come
        before or after an assignment in a `try`, so that such a variable needs a cell."""
        if not isinstance(statement, ast.Try):
            return defined
        return defined - (set(flow.assigned(statement.body)) - set(self.cells[statement]))

    def kept_behind(self, statement: ast.stmt, defined: frozenset[str]) -> frozenset[str]:
        """The variables that surely have a value where the block with the statement goes on: a handler that goes on has it from
        before, or assigns it."""
        defined -= flow.unclear([statement])
        if not isinstance(statement, ast.Try):
            return defined
        lost = defined - self.kept(statement, defined)
        for handler in statement.handlers:
            if flow.exits(handler.body).falls:
                defined -= lost - (flow.certain(handler.body) or set())
        return defined

    # -- the statement

    def try_(self, node: ast.Try, tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        """A `try` whose paths all go on in the same way, as tail says, or do not go on."""
        if node.orelse:
            return self._with_else(node, tail, defined, span)
        value = self._tried(node, node.body, tail, defined, span)
        return sx.Try(None, value, None, self._handlers(node, tail, defined, span), span=span)

    def _with_else(self, node: ast.Try, tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        """`else` is what follows the body, where its handlers are left behind."""
        if flow.exits(node.body).falls == 0:
            raise PerceusError("this statement is never reached", span=self.source.span(node.orelse[0]))
        assigned = set(flow.assigned(node.body))
        surely = (flow.certain(node.body) or set()) | defined
        names = tuple(sorted(assigned & surely & self.needed(node.orelse, tail)))
        handlers = self._handlers(node, tail, defined, span)
        before = self.perhaps
        self.behind(assigned, surely, span)
        after = self.block(node.orelse, tail, defined | set(names), span)
        self.perhaps = before
        return self._ending(node, names, after, handlers, defined, span)

    def _tried(self, node: ast.Try, body: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        """The body of a `try`, which loops around it do not see."""
        around = self._loops, self._in_try, self.cells_of
        self._loops, self._in_try = (), self._in_try or bool(self._loops)
        own = {name: (*self.cells_of.get(name, ()), cell) for name, cell in self.cells[node].items()}
        self.cells_of = {**self.cells_of, **own}
        value = self.block(body, tail, defined, span)
        self._loops, self._in_try, self.cells_of = around
        return value

    def try_that_returns(self, node: ast.Try, jump: JumpTo, defined: frozenset[str], span: Span) -> sx.Expr:
        """A try after which some paths go on, at a join point, and some do not. To go on is no longer part of the try."""
        if node.orelse:
            return self._with_else(node, jump, defined, span)
        handlers = self._handlers(node, jump, defined, span)
        return self._ending(node, jump.names, self.tail(jump, defined, span), handlers, defined, span)

    def _ending(
        self,
        node: ast.Try,
        names: tuple[str, ...],
        after: sx.Expr,
        handlers: tuple[sx.Handler, ...],
        defined: frozenset[str],
        span: Span,
    ) -> sx.Expr:
        """A try after whose body, if it does not return, comes after, with these variables of the body."""
        exits = flow.exits(node.body)
        if exits.falls == 0:
            return sx.Try(None, self._tried(node, node.body, End(), defined, span), None, handlers, span=span)
        if not exits.leaves:
            value = self._tried(node, node.body, Yield(names, span), defined, span)
            return sx.Try(name_pattern(names, span), value, after, handlers, span=span)
        value = self._tried_both_ways(node, node.body, names, defined, span)
        result = self.fresh("result")
        gone = self.returned(sx.Name(result, span=span))
        return self._by_ending(value, names, after, result, gone, handlers, span)

    def _tried_both_ways(
        self, node: ast.Try, body: Sequence[ast.stmt], names: tuple[str, ...], defined: frozenset[str], span: Span
    ) -> sx.Expr:
        """A body whose value says how it ended, because to go on is no part of the try, and to return may raise in it."""
        tagged, self.tagged = self.tagged, True
        value = self._tried(node, body, Fall(names, span), defined, span)
        self.tagged = tagged
        return value

    def _by_ending(
        self,
        value: sx.Expr,
        names: tuple[str, ...],
        fell: sx.Expr,
        result: str,
        gone: sx.Expr,
        handlers: tuple[sx.Handler, ...],
        span: Span,
    ) -> sx.Expr:
        ended = self.fresh("ended")
        cases: tuple[tuple[str, sx.Pattern, sx.Expr], ...] = (
            (FELL, name_pattern(names, span), fell),
            (GONE, sx.NamePattern(result, span=span), gone),
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

    # -- handlers

    def _handlers(self, node: ast.Try, tail: Tail, defined: frozenset[str], span: Span) -> tuple[sx.Handler, ...]:
        before = self.perhaps
        self._add_perhaps(set(flow.assigned(node.body)) - set(self.cells[node]), span)
        handlers = tuple(self._handler(each, node, tail, self.kept(node, defined)) for each in node.handlers)
        self.perhaps = before
        return handlers

    def _handler(self, node: ast.ExceptHandler, of: ast.Try, tail: Tail, defined: frozenset[str]) -> sx.Handler:
        span = self.source.head(node)
        caught = node.name or self.fresh("caught")
        fields = _Fields(caught)
        body = [fields.visit(copy.deepcopy(each)) for each in node.body] if node.name else node.body
        pattern, others = self.handled(node.type, sorted(fields.found), caught, span)
        names = {caught, *(sx.bound(pattern) if pattern is not None else ())}
        before, self.caught = self.without_perhaps(names), (*self.caught, caught)
        inner = self.block(body, tail, defined | names, span)
        self.perhaps, self.caught = before, self.caught[:-1]
        inner = self._read(of, inner, names, span)
        return sx.Handler(pattern, others, caught, inner, span=pattern.span if pattern is not None else span)

    def finally_(self, node: ast.Try, rest: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
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
        behind = [*last, *rest] if flow.exits(last).falls else last
        if not found.leaves:
            return self.compound(whole, behind, tail, defined, span)
        self.cells[whole] = self._cells(whole, End(), defined)
        return self._around(whole, self._finally_that_returns(whole, last, behind, tail, defined, span), span)

    def _finally_that_returns(
        self, whole: ast.Try, last: list[ast.stmt], behind: list[ast.stmt], tail: Tail, defined: frozenset[str], span: Span
    ) -> sx.Expr:
        """last is what stands behind `finally`, behind the same and what follows the statement."""
        inner, found, result = whole.body, flow.exits(whole.body), self.fresh("result")
        assigned = set(flow.assigned(inner))
        handlers = self._handlers(whole, End(), defined, span)
        before = self.perhaps
        self._add_perhaps(assigned - set(self.cells[whole]), span)
        gone = self._read(whole, self.block(last, Give(result, span), self.kept(whole, defined), span), (), span)
        self.perhaps = before
        if found.falls == 0:
            value = self._tried(whole, inner, End(), defined, span)
            return sx.Try(sx.NamePattern(result, span=span), value, gone, handlers, span=span)
        surely = (flow.certain(inner) or set()) | defined
        names = tuple(sorted(assigned & surely & self.needed(behind, tail)))
        value = self._tried_both_ways(whole, inner, names, defined, span)
        self.behind(assigned, surely, span)
        fell = self.block(behind, tail, defined | set(names), span)
        self.perhaps = before
        return self._by_ending(value, names, fell, result, gone, handlers, span)


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
