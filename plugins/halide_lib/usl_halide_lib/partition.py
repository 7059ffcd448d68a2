"""Loops are cut where the clamps and conditions of a boundary begin and end to matter (Halide: loop partitioning).

    for x in seq(0, n):                           for x in seq(0, max(min(2, n), 0)):        # the border
        y[x] = f[max(x - 2, 0)]           ~>          y[x] = f[0]
                                                  for x in seq(max(min(2, n), 0), n):        # the interior
                                                      y[x] = f[x - 2]

Only `cut_loop`, `rewrite_expr` and `eliminate_dead_code` are applied, so that all of it is proved: where a cut is in the wrong
place, nothing gets shorter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from usl_core import Procedure
from usl_core.cursors import ExternFunctionCursor, ForCursor, IfCursor
from usl_core.errors import SchedulingError, Undecided
from usl_core.ir import externs
from usl_core.ir.nodes import (
    Assign,
    BinaryOp,
    Block,
    Cast,
    Expr,
    ExternCall,
    For,
    If,
    Literal,
    Node,
    Read,
    ReadConfig,
    Reduce,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
)
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, same_expr
from usl_core.ir.traverse import walk as walk_nodes
from usl_core.ir.types import ControlType, is_integer_control
from usl_core.scheduling import cut_loop, eliminate_dead_code, rewrite_expr
from usl_halide_lib.directives import Directive, Partition
from usl_stdlib import walk

SHORT = 16
"""Loops of so few iterations are not cut: they are part of what the loop around them does."""
MOST_CUTS = 4
"""The number of places, for one end of the interior, beyond which a loop is left as it is."""


def partitioned(p: Procedure, whole: Collection[tuple[str, str]] = ()) -> Procedure:
    """The procedure with its rows cut; whole has those that are not, by what they write and their names ("" is all)."""
    q = p
    for loop in rows_of(p):
        if is_whole(loop, whole):
            continue
        rows = [q.forward(loop)]
        around = rows[0].parent()
        if (
            isinstance(around, ForCursor)
            and len(list(around.body())) == 1
            and _written(loop.node).isdisjoint(w for w, n in whole)
        ):
            q, parts = _in_parts(q, around, _Ends(around.node, clamps=False))
            rows = [q.forward(part).body()[0] for part in parts]
        ends = _Ends(loop.node)
        for row in rows:
            with suppress(SchedulingError, Undecided):
                q, parts = _in_parts(q, q.forward(row), ends)
                if len(parts) > 1:
                    q = _shorter(q, q.forward(parts[min(bool(ends.least), len(parts) - 1)]))
    return q


def is_whole(loop: ForCursor, whole: Collection[tuple[str, str]]) -> bool:
    """Whether a loop is one of whole."""
    return any((func, name) in whole for func in _written(loop.node) for name in (loop.name(), ""))


def kept_whole(directives: Iterable[Directive]) -> set[tuple[str, str]]:
    """The loops that directives on the funcs of a procedure exempt: `never_partition(x)`, `partition(x, Partition.Never)`."""
    whole = set()
    for each in directives:
        names = [str(getattr(arg, "name", arg)) for arg in each.args]
        if each.name == "never_partition_all":
            whole.add((each.func, ""))
        elif each.name == "never_partition":
            whole |= {(each.func, name) for name in names}
        elif each.name == "partition" and names[1:] == [Partition.Never.name]:
            whole.add((each.func, names[0]))
    return whole


def _in_parts(p: Procedure, loop: ForCursor, ends: _Ends) -> tuple[Procedure, list[ForCursor]]:
    """The loop in up to three parts."""
    low, high, parts = show_expr(loop.node.lo), show_expr(loop.node.hi), [loop]
    for end in (_extreme("max", ends.least), _extreme("min", ends.most)):
        if end:
            place = f"max(min({end}, {high}), {low})"
            p = cut_loop(p, parts[-1], place)
            parts = [p.forward(each) for each in parts]
            parts.append(parts[-1].next())
            low = place
    return p, parts


def _shorter(p: Procedure, loop: ForCursor) -> Procedure:
    """The procedure without the conditions and clamps of a loop that are proved to be idle."""
    names = {loop.node.iter, *(each.iter for each in inside(loop.node.body) if isinstance(each, For))}
    for branch in walk(loop, IfCursor):
        with suppress(SchedulingError, Undecided):
            p = _without_test(p, p.forward(branch), names)
    return _unclamped(p, p.forward(loop), names)


def _without_test(p: Procedure, branch: IfCursor, names: set[Sym]) -> Procedure:
    """An `if` without what holds: all of its condition, or the part that depends on names."""
    try:
        return eliminate_dead_code(p, branch)
    except (SchedulingError, Undecided):
        rest = [show_expr(each) for each in _conjuncts(branch.node.cond) if not _mentions(each, names)]
        return rewrite_expr(p, branch.cond(), " and ".join(rest)) if rest else p


def _conjuncts(cond: Expr) -> list[Expr]:
    if isinstance(cond, BinaryOp) and cond.op == "and":
        return [*_conjuncts(cond.lhs), *_conjuncts(cond.rhs)]
    return [cond]


def _mentions(expr: Expr, names: set[Sym]) -> bool:
    return any(isinstance(each, Read) and each.name in names for each in walk_nodes(expr))


def _unclamped(p: Procedure, loop: ForCursor, names: set[Sym]) -> Procedure:
    for clamp in walk(loop, ExternFunctionCursor):
        inner = _clamped(clamp.node, names) if _is_clamp(clamp.node) else None
        here = p.forward(clamp) if inner is not None else None
        if inner is None or not here or same_expr(here.node, inner):
            continue
        with suppress(SchedulingError, Undecided):
            p = rewrite_expr(p, here, show_expr(inner))
    return p


def _is_clamp(expr: Node) -> bool:
    return isinstance(expr, ExternCall) and expr.fn in (externs.MIN, externs.MAX) and is_integer_control(expr.type)


def _clamped(expr: Expr, names: set[Sym]) -> Expr | None:
    """What nested clamps by what does not vary are of."""
    if not (isinstance(expr, ExternCall) and _is_clamp(expr)):
        return expr
    varying = [each for each in expr.args if _mentions(each, names)]
    return _clamped(varying[0], names) if len(varying) == 1 else None


def _extreme(which: str, texts: list[str]) -> str:
    """The greatest or least of some numbers as text; empty if there is none."""
    text = texts[0] if texts else ""
    for each in texts[1:]:
        text = f"{which}({text}, {each})"
    return text


def rows_of(p: Procedure) -> Iterator[ForCursor]:
    """The loops whose number of iterations is not small, and that have no other such loop inside."""
    for loop in walk(p, ForCursor):
        if _is_long(loop.node) and not any(isinstance(each, For) and _is_long(each) for each in inside(loop.node.body)):
            yield loop


def _is_long(loop: For) -> bool:
    return not (isinstance(loop.lo, Literal) and _most(loop.hi) - int(loop.lo.value) < SHORT)


def _most(expr: Expr) -> float:
    """What an end of a loop is known not to exceed by its form alone."""
    match expr:
        case Literal(value=value):
            return int(value)
        case BinaryOp(op="%", rhs=Literal(value=value)):
            return int(value) - 1
        case ExternCall(fn=externs.MIN, args=args):
            return min(map(_most, args))
        case Read() | UnaryMinus() | BinaryOp() | ExternCall() | Cast() | WindowExpr() | StrideExpr() | ReadConfig():
            return math.inf


def forms_of(loop: For) -> Callable[[Expr], Form | None]:
    """What gives a control expression in a loop as a sum."""
    return _Ends(loop, clamps=False).form


def inside(block: Block) -> Iterator[Node]:
    """All nodes of a block."""
    for stmt in block:
        yield from walk_nodes(stmt)


def _written(loop: For) -> set[str]:
    """The buffers that assignments in a loop write."""
    return {each.name.name for each in inside(loop.body) if isinstance(each, Assign | Reduce)}


@dataclass(frozen=True, slots=True)
class Form:
    """constant + sum of names (iterators of the nest, and quotients of them by text) and terms (what is there before the loop,

    by text) times their factors."""

    constant: int = 0
    names: Mapping[Sym | str, int] = field(default_factory=dict)
    terms: Mapping[str, int] = field(default_factory=dict)

    def plus(self, other: Form, factor: int = 1) -> Form:
        """self + factor * other."""
        return Form(
            self.constant + factor * other.constant,
            {k: c for k in {**self.names, **other.names} if (c := self.names.get(k, 0) + factor * other.names.get(k, 0))},
            {k: c for k in {**self.terms, **other.terms} if (c := self.terms.get(k, 0) + factor * other.terms.get(k, 0))},
        )

    def text(self) -> str:
        """As an expression; names are none of it."""
        assert not self.names
        text = ""
        for term, c in [*sorted(self.terms.items(), key=lambda each: each[1] < 0), ("", self.constant)]:
            if c:
                shown = f"{abs(c)} * {term}" if term and abs(c) > 1 else term or str(abs(c))
                text += f" {'-' if c < 0 else '+'} {shown}" if text else f"{'-' if c < 0 else ''}{shown}"
        return text or "0"


class _Ends:
    """Where the interior of a loop begins and ends: it is at or after all of least, and before all of most."""

    def __init__(self, loop: For, clamps: bool = True) -> None:
        self.iter = loop.iter
        self.ranges = {each.iter: (each.lo, each.hi) for each in inside(loop.body) if isinstance(each, For)}
        self.quotients: dict[str, BinaryOp] = {}
        self.found: dict[tuple[bool, int, tuple[tuple[str, int], ...]], Form] = {}
        for each in inside(loop.body):
            if isinstance(each, ExternCall) and _is_clamp(each) and clamps:
                self._clamp(each)
            elif isinstance(each, If):
                self._condition(each.cond, True)
        self.least = [self._begin(form, k) for (is_begin, k, _), form in self.found.items() if is_begin]
        self.most = [self._end(form, k) for (is_begin, k, _), form in self.found.items() if not is_begin]
        if max(len(self.least), len(self.most)) > MOST_CUTS:
            self.least, self.most = [], []

    def _begin(self, form: Form, factor: int) -> str:
        """The least x for which factor * x >= form."""
        return form.text() if factor == 1 else f"({form.plus(Form(factor - 1)).text()}) / {factor}"

    def _end(self, form: Form, factor: int) -> str:
        """The least x for which factor * x > form."""
        return form.plus(Form(1)).text() if factor == 1 else f"({form.text()}) / {factor} + 1"

    def _clamp(self, expr: ExternCall) -> None:
        """max(a, b) is a where a >= b."""
        for a, b in (expr.args, reversed(expr.args)):
            if self._varies(a) and not self._varies(b) and (limit := self.form(b)) is not None:
                self._compare(a, limit, expr.fn is externs.MAX)

    def _condition(self, cond: Expr, wanted: bool) -> None:
        """A conjunction is wanted to hold, a disjunction not to."""
        match cond:
            case BinaryOp(op="and" | "or" as op, lhs=lhs, rhs=rhs):
                self._condition(lhs, op == "and")
                self._condition(rhs, op == "and")
            case BinaryOp(op="<" | "<=" | ">" | ">=" as op, lhs=lhs, rhs=rhs) if is_integer_control(lhs.type):
                left, right = self.form(lhs), self.form(rhs)
                if left is not None and right is not None:
                    if op in ("<", "<="):
                        left, right = right, left
                    gap = left.plus(right, -1)  # at least 0, or 1 if the sign is strict
                    limit = Form(int(op in ("<", ">")))
                    self._linear(gap if wanted else Form().plus(gap, -1), limit if wanted else Form(1).plus(limit, -1), True)

    def _compare(self, expr: Expr, limit: Form, at_least: bool) -> None:
        """Take note of where expr >= limit holds, or expr <= limit."""
        if isinstance(expr, ExternCall) and expr.fn in (externs.MIN, externs.MAX):
            for each in expr.args:
                if self._varies(each):
                    self._compare(each, limit, at_least)
        elif (form := self.form(expr)) is not None:
            self._linear(form, limit, at_least)

    def _linear(self, form: Form, limit: Form, at_least: bool) -> None:
        """The same for a sum, whatever the values of inner iterators are."""
        quotient = next((name for name in form.names if isinstance(name, str)), None)
        if quotient is not None:  # limits of a quotient are limits of what is divided
            sign = form.names[quotient]
            rest = form.plus(Form(0, {quotient: 1}), -sign)
            if abs(sign) == 1 and rest.names.keys() <= self.ranges.keys():
                self._divided(self.quotients[quotient], rest, limit, at_least, sign)
            return
        worst = self._worst(form, at_least)
        if worst is None:
            return
        form = worst
        factor = form.names.get(self.iter, 0)
        if not factor:
            return
        rest = Form().plus(limit).plus(form.plus(Form(0, {self.iter: 1}), -factor), -1)
        is_begin = (factor > 0) == at_least
        end = rest if factor > 0 else Form().plus(rest, -1)
        at_key = (is_begin, abs(factor), tuple(sorted(end.terms.items())))
        known = self.found.get(at_key)
        if known is None or (end.constant > known.constant) == is_begin:
            self.found[at_key] = end

    def _divided(self, quotient: BinaryOp, rest: Form, limit: Form, at_least: bool, sign: int) -> None:
        """The same for sign * quotient + rest."""
        assert isinstance(quotient.rhs, Literal)
        divisor, inner = int(quotient.rhs.value), self.form(quotient.lhs)
        worst = self._worst(rest, at_least)
        if inner is None or worst is None:
            return
        end = limit.plus(worst, -1) if sign > 0 else worst.plus(limit, -1)
        if at_least == (sign > 0):
            self._linear(inner, Form().plus(end, divisor), True)
        else:
            self._linear(inner, Form(divisor - 1).plus(end, divisor), False)

    def _worst(self, form: Form, at_least: bool) -> Form | None:
        """The least (greatest) value of a sum over the inner iterators in it; None if it is no such form."""
        for name, factor in form.names.items():
            if name is self.iter or isinstance(name, str):
                continue
            low, high = self.ranges[name]
            end = self.form(low if (factor > 0) == at_least else high)
            if end is None or end.names:
                return None
            at = end if (factor > 0) == at_least else end.plus(Form(-1))
            form = form.plus(Form(0, {name: 1}), -factor).plus(at, factor)
        return form

    def _varies(self, expr: Expr) -> bool:
        """Whether the loop's iterator, or one inside, is in an expression."""
        return _mentions(expr, {self.iter, *self.ranges})

    def form(self, expr: Expr) -> Form | None:
        """A control expression as a sum; None where an iterator is not linear in it, or data is."""
        match expr:
            case Literal(value=value):
                return Form(int(value))
            case Read(name=name) if name is self.iter or name in self.ranges:
                return Form(0, {name: 1})
            case UnaryMinus(arg=arg):
                inner = self.form(arg)
                return None if inner is None else Form().plus(inner, -1)
            case BinaryOp(op="+" | "-" as op, lhs=lhs, rhs=rhs):
                left, right = self.form(lhs), self.form(rhs)
                return None if left is None or right is None else left.plus(right, 1 if op == "+" else -1)
            case BinaryOp(op="*", lhs=Literal(value=value), rhs=other) | BinaryOp(op="*", lhs=other, rhs=Literal(value=value)):
                inner = self.form(other)
                return None if inner is None else Form().plus(inner, int(value))
            case _ if isinstance(expr.type, ControlType) and not self._varies(expr) and not depends_on_data(expr):
                simple = isinstance(expr, Read | ExternCall)
                return Form(0, {}, {show_expr(expr) if simple else f"({show_expr(expr)})": 1})
            case BinaryOp(op="/"):
                self.quotients[show_expr(expr)] = expr
                return Form(0, {show_expr(expr): 1})
            case Read() | BinaryOp() | ExternCall() | Cast() | WindowExpr() | StrideExpr() | ReadConfig():
                return None
