"""Small models of formulas, found by repair: what refutes most goals before a solver is asked.

`find_model(formulas)` starts from small values and changes one variable at a time so that a formula that fails comes true and
few others break; where that leads nowhere, it goes back. An answer satisfies every formula (it is checked); no answer says
nothing. The search is short and deterministic. Products and strides count as variables, as they do for the solver.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import islice
from typing import assert_never

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Atom, Lin, Min, Product, Quot, Stride
from usl_core.analysis.formula import And, Bool, Const, Eq, Exists, Forall, Formula, Ge, Or
from usl_core.ir.sym import Sym
from usl_core.profiling import profiled

STARTS = (1, 0)
"""What all integers are at first; sizes are at least 1 and most indices at least 0."""
FAR = 1000
"""Another start, where what holds for small values alone fails."""
MAX_MOVES = 24
"""Moves made from a start; as many as there are formulas, if these are more."""
MAX_CANDIDATES = 12
"""Moves tried for one formula."""

Variable = Sym | Stride | Product
Values = dict[Variable, int]
"""Truth values are 0 and 1."""
Move = tuple[Variable, int]

_searching = threading.RLock()
"""Witnesses belong to places, and several threads may ask about one place."""


@profiled("solver", "model search")
def find_model(formulas: Iterable[Formula]) -> Mapping[Sym, int | bool] | None:
    """Values of the variables that satisfy all formulas, or None if the search found none (there may be some)."""
    return Witnesses(formulas, STARTS).refuting(fml.FALSE)


class Witnesses:
    """Values that satisfy some formulas, kept to refute goals about the same names: most that fail do so for one of them."""

    def __init__(self, formulas: Iterable[Formula], starts: Iterable[int] = (*STARTS, FAR)) -> None:
        self._parts = [part for f in formulas for part in fml.conjuncts(f)]
        self._found: list[Values] = []
        self._more = self._search(starts)

    def refuting(self, goal: Formula) -> Mapping[Sym, int | bool] | None:
        """Values for which the formulas hold and goal does not, or None if none is known."""
        if not _quantifier_free(goal):
            return None
        mentioned = list(_variables(goal))
        with _searching:
            for values in self._each():
                for variable in mentioned:
                    values.setdefault(variable, 1)  # the formulas do not mention it
                if not _holds(goal, values):
                    truths = {name for part in (*self._parts, goal) for name in _truths(part)}
                    return {n: bool(v) if n in truths else v for n, v in values.items() if isinstance(n, Sym)}
        return None

    def common(self, lin: Lin) -> int | None:
        """The number that lin is for all values found, if it is one: no other can be its only value where the formulas hold."""
        common: int | None = None
        with _searching:
            for values in self._each():
                if any(variable not in values for variable in _opaque(lin)):
                    return None  # the formulas say nothing of it
                found = _value(lin, values)
                if common is not None and found != common:
                    return None
                common = found
        return common

    def _each(self) -> Iterator[Values]:
        """The values found, and more as long as they are asked for."""
        yield from self._found
        for values in self._more:
            self._found.append(values)
            yield values

    def _search(self, starts: Iterable[int]) -> Iterator[Values]:
        if not all(map(_quantifier_free, self._parts)):
            return
        watchers: dict[Variable, list[int]] = {}
        """For each variable the numbers of the parts that depend on it."""
        for number, part in enumerate(self._parts):
            for variable in dict.fromkeys(_variables(part)):
                watchers.setdefault(variable, []).append(number)
        for start in starts:
            found = _repair(self._parts, watchers, dict.fromkeys(watchers, start))
            if found is not None:
                yield found


def _repair(parts: Sequence[Formula], watchers: Mapping[Variable, Sequence[int]], values: Values) -> Values | None:
    """Values near those given that satisfy all parts: best first, the fewest parts that fail, then the smallest change."""
    hold = [_holds(part, values) for part in parts]
    frontier = [(hold.count(False), 0, 0, values, hold)]
    seen = {tuple(values.values())}
    for _ in range(max(MAX_MOVES, len(parts))):
        if not frontier:
            return None
        failing, _size, _number, values, hold = heappop(frontier)
        if not failing:
            return values
        moves = dict.fromkeys(_moves(parts[hold.index(False)], values))
        for variable, value in islice(moves, MAX_CANDIDATES):
            after = {**values, variable: value}
            if (key := tuple(after.values())) in seen:
                continue
            seen.add(key)
            held = hold.copy()
            for number in watchers[variable]:
                held[number] = _holds(parts[number], after)
            heappush(frontier, (held.count(False), abs(value), len(seen), after, held))
    return None


# ---- moves


def _moves(f: Formula, values: Values) -> Iterator[Move]:
    """Changes of one variable that may make f, which fails, true."""
    match f:
        case Ge(lin=lin) | Eq(lin=lin):
            yield from _changes(lin, -_value(lin, values), values)
        case Bool(name=name, positive=positive):
            yield name, int(positive)
        case And(args=args):
            for arg in args:
                if not _holds(arg, values):
                    yield from _moves(arg, values)
        case Or(args=args):
            for arg in args:
                yield from _moves(arg, values)
        case Const() | Exists() | Forall():
            return
        case _:
            assert_never(f)


def _changes(lin: Lin, wanted: int, values: Values) -> Iterator[Move]:
    """Changes of one variable after which lin has grown by wanted (it may be negative), or a little more."""
    if not wanted:
        return
    for atom, c in lin.terms.items():
        steps = -(-abs(wanted) // abs(c))
        yield from _atom_changes(atom, steps if (wanted > 0) == (c > 0) else -steps, values)


def _atom_changes(atom: Atom, wanted: int, values: Values) -> Iterator[Move]:
    match atom:
        case Sym() | Stride() | Product():
            yield atom, values[atom] + wanted
        case Quot(num=num, den=den):
            now = _value(num, values)
            target = (now // den + wanted) * den + (0 if wanted > 0 else den - 1)
            yield from _changes(num, target - now, values)
        case Min(args=args):
            goal = _value_of(atom, values) + wanted
            for arg in sorted(args, key=lambda arg: (_value(arg, values), repr(arg))):
                yield from _changes(arg, goal - _value(arg, values), values)
        case _:
            assert_never(atom)


# ---- evaluation


def _value(lin: Lin, values: Values) -> int:
    total = lin.const
    for atom, c in lin.terms.items():
        total += c * (values[atom] if isinstance(atom, Sym) else _value_of(atom, values))
    return total


def _value_of(atom: Atom, values: Values) -> int:
    match atom:
        case Sym() | Stride() | Product():
            return values[atom]
        case Quot(num=num, den=den):
            return _value(num, values) // den
        case Min(args=args):
            return min(_value(arg, values) for arg in args)
        case _:
            assert_never(atom)


def _holds(f: Formula, values: Values) -> bool:
    match f:
        case Const(value=value):
            return value
        case Ge(lin=lin):
            return _value(lin, values) >= 0
        case Eq(lin=lin):
            return _value(lin, values) == 0
        case Bool(name=name, positive=positive):
            return bool(values[name]) is positive
        case And(args=args):
            return all(_holds(arg, values) for arg in args)
        case Or(args=args):
            return any(_holds(arg, values) for arg in args)
        case Exists() | Forall():
            raise AssertionError("quantified formulas are sorted out before")
        case _:
            assert_never(f)


# ---- variables


def _quantifier_free(f: Formula) -> bool:
    match f:
        case And(args=args) | Or(args=args):
            return all(map(_quantifier_free, args))
        case _:
            return not isinstance(f, Exists | Forall)


def _variables(f: Formula) -> Iterator[Variable]:
    for lin in fml.lins(f):
        yield from _opaque(lin)
    yield from _truths(f)


def _opaque(lin: Lin) -> Iterator[Variable]:
    """The atoms of lin that are variables here; what is inside a product does not count."""
    for atom in lin.terms:
        if isinstance(atom, Sym | Stride | Product):
            yield atom
        else:
            for part in affine.parts(atom):
                yield from _opaque(part)


def _truths(f: Formula) -> Iterator[Sym]:
    match f:
        case Bool(name=name):
            yield name
        case And(args=args) | Or(args=args):
            for arg in args:
                yield from _truths(arg)
        case _:
            return
