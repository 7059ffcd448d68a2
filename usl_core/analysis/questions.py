"""Questions to the solver as text that two questions share only if one is the other with its names changed.

A formula's shape is its text with names numbered by first occurrence, and these names in order; it is made once for each
formula. A question's key is the goal's shape, then the hypotheses' in an order of their own, each with the numbers that its
names have in the question. Nothing else of a name is in a key, so that other names, other processes and other people ask with
the same one.

    key   = part { ";" part }                       the goal first
    part  = shape refs                              refs number the shape's names in what is around
    shape = "T" | "F" | ("b" | "n") | ("G" | "E") lin | ("&" | "|") "[" part* "]" | ("?" | "!") part refs
    lin   = "(" int { sign int atom } ")"
    atom  = "x" refs | "s" int refs | "q" int lin refs | ("m" | "p") "[" (lin refs)* "]" refs
    refs  = "<" [ int { "," int } ] ">"
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from usl_core.analysis.affine import Atom, Lin, Min, Product, Quot, Stride
from usl_core.analysis.bounding import Hypotheses
from usl_core.analysis.formula import And, Bool, Const, Eq, Exists, Forall, Formula, Ge, Or
from usl_core.ir.sym import Sym
from usl_core.records import dataclass

MAX_SHAPES = 20_000
"""Formulas whose shapes are kept. When there are more, all are forgotten."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Text with the names in it numbered from 0; those that are not bound in it are free."""

    text: str
    names: tuple[Sym, ...]
    free: frozenset[Sym] = frozenset()


@dataclass(frozen=True, slots=True)
class Question:
    """Whether hypotheses imply goal. names are in the order of the numbers in key."""

    hypotheses: Hypotheses
    goal: Formula
    key: str
    names: tuple[Sym, ...]


shapes: dict[Formula, Shape] = {}


def shape(f: Formula) -> Shape:
    """The shape of a formula, made once."""
    found = shapes.get(f)
    if found is None:
        if len(shapes) >= MAX_SHAPES:
            shapes.clear()
        found = shapes[f] = _formula(f)
    return found


def question(hypotheses: Hypotheses, goal: Formula) -> Question:
    """The question whether hypotheses imply goal; their order and repetitions do not matter to its key.

    They are sorted by their text, then by the numbers of the names in the goal. What is left equal keeps its order, which may
    give one question several keys, never two questions one.
    """
    aim = shape(goal)
    numbers = {name: number for number, name in enumerate(aim.names)}
    known = len(numbers)
    shaped = [shape(h) for h in dict.fromkeys(hypotheses)]
    shaped.sort(key=lambda each: (each.text, [numbers.get(name, known) for name in each.names]))
    parts = [_part(each, numbers) for each in (aim, *shaped)]
    return Question(hypotheses, goal, ";".join(parts), tuple(numbers))


def relevant(hypotheses: Hypotheses, goal: Formula) -> Hypotheses:
    """The hypotheses connected to goal through shared variables; the others cannot help (they are satisfiable)."""
    reached = set(shape(goal).free)
    if not reached:  # the question is whether the hypotheses contradict each other
        return hypotheses
    pending = [(position, shape(h).free) for position, h in enumerate(hypotheses)]
    chosen: list[int] = []
    while True:
        apart = []
        before = len(chosen)
        for position, names in pending:
            if not names or not names.isdisjoint(reached):
                chosen.append(position)
                reached |= names
            else:
                apart.append((position, names))
        if len(chosen) == before:
            return Hypotheses(hypotheses[position] for position in sorted(chosen)) if apart else hypotheses
        pending = apart


def nearest(hypotheses: Hypotheses, goal: Formula) -> list[Formula]:
    """The hypotheses about the goal's names, and those that come with the innermost of them: as a rule, they decide."""
    names = shape(goal).free
    innermost = max(names, key=lambda name: name.number, default=None)
    beside = [free for h in hypotheses if innermost in (free := shape(h).free)]
    return [h for h in hypotheses if shape(h).free <= names.union(*beside)]


def _part(inner: Shape, numbers: dict[Sym, int]) -> str:
    """A shape in what is around it, which numbers the names that are new to it next."""
    return f"{inner.text}{_refs(inner.names, numbers)}"


def _refs(names: Iterable[Sym], numbers: dict[Sym, int]) -> str:
    return f"<{','.join([str(numbers.setdefault(name, len(numbers))) for name in names])}>"


# ---- shapes


def _formula(f: Formula) -> Shape:
    match f:
        case Const(value=value):
            return Shape("T" if value else "F", ())
        case Bool(name=name, positive=positive):
            return Shape("b" if positive else "n", (name,), frozenset((name,)))
        case Ge(lin=lin) | Eq(lin=lin):
            form = _lin(lin)
            return Shape(("G" if isinstance(f, Ge) else "E") + form.text, form.names, frozenset(form.names))
        case And(args=args) | Or(args=args):
            numbers: dict[Sym, int] = {}
            inner = [shape(arg) for arg in args]
            text = "".join([_part(each, numbers) for each in inner])
            free = frozenset[Sym]().union(*[each.free for each in inner])
            return Shape(f"{'&' if isinstance(f, And) else '|'}[{text}]", tuple(numbers), free)
        case Exists(names=bound, body=body) | Forall(names=bound, body=body):
            numbers, inside = {}, shape(body)
            text = _part(inside, numbers) + _refs(bound, numbers)
            return Shape(("?" if isinstance(f, Exists) else "!") + text, tuple(numbers), inside.free.difference(bound))
        case _:
            assert_never(f)


def _lin(lin: Lin) -> Shape:
    terms = lin.terms
    shaped = [(_atom(atom), c) for atom, c in terms.items()]
    if len(shaped) > 1:
        shaped.sort(key=lambda term: (term[0].text, term[1], [name.number for name in term[0].names]))
    numbers: dict[Sym, int] = {}
    text = "".join([f"{c:+d}{each.text}{_refs(each.names, numbers)}" for each, c in shaped])
    return Shape(f"({lin.const}{text})", tuple(numbers))


def _atom(atom: Atom) -> Shape:
    match atom:
        case Sym():
            return Shape("x", (atom,))
        case Stride(buffer=buffer, dim=dim):
            return Shape(f"s{dim}", (buffer,))
        case Quot(num=num, den=den):
            form = _lin(num)
            return Shape(f"q{den}{form.text}", form.names)
        case Min(args=args) | Product(args=args):
            forms = sorted(map(_lin, args), key=lambda form: (form.text, [name.number for name in form.names]))
            numbers: dict[Sym, int] = {}
            text = "".join([_part(form, numbers) for form in forms])
            return Shape(f"{'m' if isinstance(atom, Min) else 'p'}[{text}]", tuple(numbers))
        case _:
            assert_never(atom)
