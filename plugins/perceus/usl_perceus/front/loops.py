"""Loops as local functions that call themselves: the variables which a loop assigns are its parameters.

`continue` and the end of the body start the next round. What follows a loop without `return` gets the variables from the value
of the loop; what follows one with `return` is part of its last round.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Sequence

from usl_core.errors import Span
from usl_perceus.errors import PerceusError
from usl_perceus.front import flow
from usl_perceus.front import syntax as sx
from usl_perceus.front.expressions import Expressions
from usl_perceus.front.tails import Around, End, Fall, Give, JumpTo, Tail, Then, Yield

Wrap = Callable[[sx.Expr], sx.Expr]


class Loops(Expressions):
    """The loops of one definition; `_loops` are those around the current statement."""

    _loops: tuple[Around, ...] = ()
    _in_try = False
    """Whether a `try` whose body is being read stands in a loop that the body cannot leave."""

    @abstractmethod
    def block(self, statements: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        """statements, then tail."""

    @abstractmethod
    def tail(self, tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        """What follows."""

    def needed(self, rest: Sequence[ast.stmt], tail: Tail) -> frozenset[str]:
        """The variables that the statements, which stand in the present loops, and then tail may need."""
        match tail:
            case End():
                after = flow.NOTHING
            case Give(name=name):
                after = frozenset((name,))
            case Yield(names=names) | Fall(names=names) | JumpTo(names=names):
                after = frozenset(names)
            case Then(rest=others, tail=outer, loops=loops):
                present, self._loops = self._loops, loops
                after = self.needed(others, outer)
                self._loops = present
        around = self._loops[-1] if self._loops else None
        if around is None:
            return flow.live(rest, after)
        return flow.live(rest, after, around.needed_out, around.needed_again)

    def leave(self, node: ast.Break | ast.Continue, defined: frozenset[str], span: Span) -> sx.Expr:
        """`break` or `continue`."""
        word = "break" if isinstance(node, ast.Break) else "continue"
        if not self._loops:
            if self._in_try:
                hint = f"hint: assign a variable there, and {word} behind the try"
                raise PerceusError(f"the body of a try cannot be left by {word}", span=span, notes=(hint,))
            raise PerceusError(f"{word} stands outside of a loop", span=span)
        around = self._loops[-1]
        return self.tail(around.out if word == "break" else around.again, defined, span)

    def loop(self, node: flow.Loop, rest: Sequence[ast.stmt], tail: Tail, defined: frozenset[str], span: Span) -> sx.Expr:
        """A loop with the statements behind it."""
        found = flow.exits([node])
        if found.falls == 0 and rest:
            raise PerceusError("this statement is never reached", span=self.source.span(rest[0]))
        changed = frozenset(flow.assigned([node]))
        defined -= flow.unclear([node])
        surely = defined | (flow.certain([node]) or set())
        names = tuple(sorted(changed & surely & self.needed(rest, tail)))
        before = self.perhaps
        if not found.leaves:
            value = self._rounds(node, Yield(names, span), changed, defined, span, lambda body: body)
            self.perhaps = {name: at for name, at in before.items() if name not in surely} | dict.fromkeys(
                changed - surely, span
            )
            after = self.block(rest, tail, defined | set(names), span)
            self.perhaps = before
            return sx.Let(name_pattern(names, span), None, value, after, span=span)
        exits = flow.breaks(node.body) + (0 if flow.is_endless(node) else flow.exits(node.orelse).falls)
        if exits <= 1 or not (rest or isinstance(tail, Then)):
            return self._rounds(node, Then(tuple(rest), tail, self._loops), changed, defined, span, lambda body: body)
        label = next(self._numbers)
        self.perhaps = {name: at for name, at in before.items() if name not in surely} | dict.fromkeys(changed - surely, span)
        after = self.block(rest, tail, defined | set(names), span)
        self.perhaps = before
        out = JumpTo(label, names, span)
        return self._rounds(node, out, changed, defined, span, lambda body: sx.Join(label, names, after, body, span=span))

    def _rounds(
        self, node: flow.Loop, out: Tail, changed: frozenset[str], defined: frozenset[str], span: Span, wrap: Wrap
    ) -> sx.Expr:
        """The local function, called; out follows the loop. wrap: what its body stands in."""
        needed = self.needed((), out)
        over = self.needed(node.orelse, out)
        params = tuple(sorted(changed & defined & flow.live_at_head(node, needed, over)))
        label = next(self._numbers)
        before = self.perhaps
        start = tuple(sx.Name(name, span=span) for name in params)

        def body(hidden: tuple[str, ...], bound: frozenset[str]) -> sx.Expr:
            """One round, after which the hidden state is in these variables; bound: what the target assigns."""
            again = JumpTo(label, (*hidden, *params), span)
            outer, self._loops = self._loops, (*self._loops, Around(again, out, frozenset(params), needed))
            outside, self.perhaps = self.perhaps, {name: at for name, at in self.perhaps.items() if name not in bound}
            inner = self.block(node.body, again, defined | bound, span)
            self._loops, self.perhaps = outer, outside
            return inner

        def finish() -> sx.Expr:
            return self.block(node.orelse, out, defined, span)

        def made(states: tuple[str, ...], starts: tuple[sx.Expr, ...], round_: Callable[[], sx.Expr]) -> sx.Expr:
            """The loop, with more parameters of its own. round_ is read where what the loop assigns may not be assigned yet."""
            self.perhaps = {**before, **dict.fromkeys(changed - defined, span)}
            inner = wrap(round_())
            self.perhaps = before
            return sx.Loop(label, (*states, *params), (*starts, *start), inner, span=span)

        if isinstance(node, ast.While):
            test = node.test
            if flow.is_endless(node):
                return made((), (), lambda: body((), frozenset()))
            return made((), (), lambda: sx.If(self.expr(test), body((), frozenset()), finish(), span=span))
        match node.iter:
            case ast.Call(func=ast.Name(id="range")) as call:
                return self._range(node, call, span, body, finish, made)
            case _:
                return self._each(node, span, body, finish, made)

    def _each(self, node: ast.For, span: Span, body: _Body, finish: _Finish, made: _Made) -> sx.Expr:
        """`for x in e`: the state is an index, or what is left of a list; which it is, the type of e tells."""
        place = self.source.span(node.iter)
        source, state, after = self.fresh("source"), self.fresh("at"), self.fresh("next")
        value = self.expr(node.iter)
        pattern = self.target(node.target)

        def step() -> sx.Expr:
            return sx.Step(source, state, after, pattern, body((after,), frozenset(sx.bound(pattern))), finish(), span=place)

        begin = sx.Begin(sx.Name(source, span=place), span=place)
        return sx.Let(sx.NamePattern(source, span=place), None, value, made((state,), (begin,), step), span=span)

    def _range(self, node: ast.For, call: ast.Call, span: Span, body: _Body, finish: _Finish, made: _Made) -> sx.Expr:
        """`for i in range(first, limit, step)`. A step of 1 or -1 counts until the limit is met; with others the number of
        rounds is worked out first, since the number after the last one may not exist."""
        place = self.source.span(call)
        if call.keywords or not 1 <= len(call.args) <= 3:
            raise PerceusError("range takes a limit, or a first number and a limit, and a step", span=place)
        args = self.exprs(call.args)
        first, limit = (sx.Literal(0, span=place), args[0]) if len(args) == 1 else (args[0], args[1])
        by: sx.Expr = args[2] if len(args) == 3 else sx.Literal(1, span=place)
        unit = isinstance(by, sx.Literal) and by.value in (1, -1) and not isinstance(by.value, bool)
        down = isinstance(by, sx.Literal) and by.value == -1
        pattern = self.target(node.target)
        names = {each: self.fresh(each) for each in ("first", "limit", "step", "at", "next", "left", "fewer")}

        def name(each: str) -> sx.Name:
            return sx.Name(names[each], span=place)

        def let(each: str, value: sx.Expr, inner: sx.Expr) -> sx.Expr:
            return sx.Let(sx.NamePattern(names[each], span=place), None, value, inner, span=place)

        def round_() -> sx.Expr:
            hidden = (names["next"],) if unit else (names["next"], names["fewer"])
            inner = body(hidden, frozenset(sx.bound(pattern)))
            inner = sx.Let(pattern, None, name("at"), inner, span=span)
            if not unit:
                inner = let("fewer", sx.Binary("-", name("left"), sx.Literal(1, span=place), span=place), inner)
            by_one = sx.Binary(
                "-" if down else "+", name("at"), sx.Literal(1, span=place) if unit else name("step"), span=place
            )
            inner = let("next", by_one, inner)
            if unit:
                test = sx.Binary(">" if down else "<", name("at"), name("limit"), span=place)
            else:
                test = sx.Binary("!=", name("left"), sx.Literal(0, span=place), span=place)
            return sx.If(test, inner, finish(), span=place)

        counted = sx.Call(sx.Name(".range", span=place), (name("first"), name("limit"), name("step")), span=place)
        if unit:
            whole = made((names["at"],), (name("first"),), round_)
            checked = sx.Call(sx.Name(".range", span=place), (limit,), span=place)
            return let("first", first, let("limit", checked, whole))
        whole = made((names["at"], names["left"]), (name("first"), counted), round_)
        return let("first", first, let("limit", limit, let("step", by, whole)))


_Body = Callable[[tuple[str, ...], frozenset[str]], sx.Expr]
_Finish = Callable[[], sx.Expr]
_Made = Callable[[tuple[str, ...], tuple[sx.Expr, ...], Callable[[], sx.Expr]], sx.Expr]


def name_pattern(names: Sequence[str], span: Span) -> sx.Pattern:
    """The pattern of these variables: a tuple of them, unless there is but one."""
    parts: tuple[sx.Pattern, ...] = tuple(sx.NamePattern(name, span=span) for name in names)
    if not parts:
        return sx.WildcardPattern(span=span)
    return parts[0] if len(parts) == 1 else sx.TuplePattern(parts, span=span)
