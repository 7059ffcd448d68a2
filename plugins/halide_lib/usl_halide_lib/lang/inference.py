"""β: the answer to a bounds query by the engine, consumers first, each hole once (halide.md §5.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from usl_halide_lib.lang.asserted import Restrictions
from usl_halide_lib.lang.engine import Extremes, Range
from usl_halide_lib.lang.errors import AlgorithmError, refuse
from usl_halide_lib.lang.linear import (
    Ends,
    Extremum,
    Facts,
    Lin,
    Quotient,
    Unknown,
    Variable,
    const,
    ends,
    extremum,
    parts,
    variable,
)
from usl_halide_lib.lang.nodes import Hole, Name, Node, Op, Read, Sort, number, rebuilt, show, walk
from usl_halide_lib.lang.normal import Normal
from usl_halide_lib.lang.query import (
    Assumed,
    Conjunct,
    Equal,
    Family,
    ForAll,
    Given,
    HasBox,
    HasPoint,
    Inside,
    IsRange,
    Path,
    Query,
    query,
)
from usl_halide_lib.lang.target import For, Target, statements, window
from usl_halide_lib.lang.types import I32

Interval = tuple[Lin, Lin]
"""The first and the last place."""


@dataclass(frozen=True, slots=True)
class Named:
    """An end of a box that has a name of its own: the value it stands for, and forms that are not negative then.

    kind is "min" or "len"; least is the least value that is known, None if there is none.
    """

    name: str
    kind: str
    value: Lin
    least: int | None
    facts: tuple[Lin, ...]


@dataclass
class Bounds:
    """What β found: for each family of holes an interval per dimension. A family that nothing needs is not there.

    named has the ends that got names, in an order in which each depends on earlier ones only.
    """

    target: Target
    facts: Facts
    boxes: dict[Family, tuple[Interval, ...]]
    restrictions: Restrictions = field(default_factory=Restrictions)
    named: list[Named] = field(default_factory=list)
    used: set[Any] = field(default_factory=set)
    """The terms of the facts about named ends that were needed to leave parts of other ends out."""

    def facts_of(self, end: Named) -> Iterator[Lin]:
        """What a procedure has to know of a named end. Compute bounds alone make no access safe, memory bounds do."""
        for each in end.facts:
            if not end.name.rpartition(".")[0].endswith(".cpu") or each.terms in self.used or len(each.terms) < 2:
                yield each

    def interval(self, family: Family, dim: int) -> Interval:
        """The first and the last place of a hole's interval."""
        box = self.boxes.get(family)
        restriction = self.restrictions.known.get((family, dim))
        if restriction is not None:
            exactly = self.restrictions.exactly
            return restriction.widened(None if box is None else box[dim], self.startup, self.facts, exactly)
        return box[dim] if box is not None else (const(0), const(-1))

    def startup(self, node: Node) -> Lin:
        """The form of an expression of numbers and parameters."""
        return Normal(self.target.algorithm, self.facts, lambda hole: None).form(node)

    def fill(self, hole: Hole) -> Node:
        """The expression for a hole. An interval that may be empty has at least no length."""
        low, high = self.interval(Family(hole.kind, hole.func, hole.stage, hole.spec), hole.dim)
        return node_of(low if hole.end == "min" else extremum(True, [high - low + 1, const(0)], self.facts))

    def text(self) -> str:
        """One line per family: the first and the last place of each dimension."""
        lines = []
        for family in self.boxes:
            stage = "" if family.stage is None else f"^{family.stage}"
            lines.append(f"{family.kind} {family.func}{stage}: {self.shown(family)}")
        return "\n".join(lines) + "\n"

    def shown(self, family: Family) -> str:
        """The first and the last place of each dimension."""
        ends_of = [self.interval(family, dim) for dim in range(len(self.boxes[family]))]
        return ", ".join(f"{show(node_of(low))} … {show(node_of(high))}" for low, high in ends_of)


def infer(target: Target, naming: bool = False, choosing: bool = True, dead: bool = False) -> Bounds:
    """Bounds for all holes of a target program. choosing as in `query`; dead also asks for what code needs that never runs.

    naming gives names to ends that are no linear forms, of which the ends of other boxes are made then: formulas stay small,
    and what cancels only between boxes is lost.

    Raises:
        AlgorithmError: E784, an access has no bounds; E775, an assertion on bounds cannot hold.
    """
    return _Inference(target, query(target, choosing), naming, dead).run()


class _Inference:
    def __init__(self, target: Target, asked: Query, naming: bool, dead: bool) -> None:
        self.asked, self.naming, self.dead = asked, naming, dead
        self.finished: set[Family] = set()
        self.truths: dict[Any, int] = {}
        """What is known of named ends: by the terms of a form the greatest number that it is always at least."""
        restrictions = Restrictions.of(asked.conjuncts, target.algorithm.outputs)
        restrictions.exactly = naming
        self.bounds = Bounds(target, Facts(dict(_known(target))), {}, restrictions)
        self.normal = Normal(target.algorithm, self.bounds.facts, self._hole)
        self.extremes = Extremes(self.bounds.facts)
        self._known_ranges: dict[tuple[tuple[int, ...], frozenset[str]], tuple[Range, ...] | None] = {}
        self._seen: set[tuple[tuple[int, ...], Family, tuple[Node, ...]]] = set()
        """The accesses that were visited: under which binders, to what, and where."""

    def run(self) -> Bounds:
        """Visit the conjuncts from the last to the first, so that what a hole depends on is there before it."""
        for conjunct in reversed(self.asked.conjuncts):
            self._visit(conjunct)
        for family in self.bounds.boxes:
            self._name(family)
        self.bounds.restrictions.check(self.bounds.boxes, self.bounds.startup, self.bounds.facts)
        return self.bounds

    def _name(self, family: Family) -> None:
        """Give names to the ends of a box that nothing will widen any more."""
        box = self.bounds.boxes.get(family)
        if not self.naming or family in self.finished or box is None:
            return
        self.finished.add(family)
        self.bounds.restrictions.check({family: box}, self.bounds.startup, self.bounds.facts)
        self.bounds.boxes[family] = tuple(self._named(family, dim, low, high) for dim, (low, high) in enumerate(box))

    def _named(self, family: Family, dim: int, low: Lin, high: Lin) -> Interval:
        facts, named = self.bounds.facts, self.bounds.named
        low, high = self._without_dominated(False, low), self._without_dominated(True, high)
        if (_is_simple(low) and _is_simple(high)) or (family.kind == "image" and self._lies_in_image(family, dim, low, high)):
            return low, high
        title = f"{family.func}.{'' if family.stage is None else f'{family.stage}.'}{dim}.{family.kind}"
        first = low
        if not _is_simple(low):
            first, known = variable(f"{title}.min"), ends(low, facts)
            facts[f"{title}.min"] = known
            limits = [each for each in (parts(False, low)) if not each.is_constant()]
            truths = [each - first for each in limits]
            truths += [first - known[0]] if known[0] is not None else []
            truths += [const(known[1]) - first] if known[1] is not None else []
            named.append(Named(f"{title}.min", "min", low, known[0], tuple(truths)))
        least = ends(high - low + 1, facts)[0]
        least = 0 if least is None else max(least, 0)
        length = variable(f"{title}.len")
        facts[f"{title}.len"] = (least, None)
        last, most = first + length - 1, ends(high, facts)[1]
        truths = [last - each for each in parts(True, high)] + ([const(most) - last] if most is not None else [])
        named.append(
            Named(f"{title}.len", "len", extremum(True, [high - first + 1, const(least)], facts), least, tuple(truths))
        )
        for each in (truth for end in named[-2:] for truth in end.facts):
            self.truths[each.terms] = max(-each.constant, self.truths.get(each.terms, -each.constant))
        return first, last

    def _lies_in_image(self, image: Family, dim: int, low: Lin, high: Lin) -> bool:
        least, room = (ends(each, self.bounds.facts)[0] for each in (low, variable(f"{image.func}.extent.{dim}") - 1 - high))
        return least is not None and least >= 0 and room is not None and room >= 0

    def _without_dominated(self, is_max: bool, form: Lin) -> Lin:
        """The form without those parts of an extremum that named ends are known to lie beyond."""
        kept = parts(is_max, form)
        for part in tuple(kept):
            differences = [(part - other).scaled(-1 if is_max else 1) for other in kept if other is not part]
            found = next((d for d in differences if d.constant + self.truths.get(d.terms, -d.constant - 1) >= 0), None)
            if found is not None:
                self.bounds.used.add(found.terms)
                kept.remove(part)
        return extremum(is_max, kept, self.bounds.facts)

    def _hole(self, hole: Hole) -> Lin | None:
        self._name(Family(hole.kind, hole.func, hole.stage, hole.spec))
        low, high = self.bounds.interval(Family(hole.kind, hole.func, hole.stage, hole.spec), hole.dim)
        return low if hole.end == "min" else high - low + 1

    def _visit(self, conjunct: Conjunct) -> None:
        atom = conjunct.atom
        if isinstance(atom, IsRange | Assumed) or self._is_known(conjunct.path, atom):
            return
        inner = frozenset(str(key) for key in self.asked.scopes[atom.family])
        ranges = self._ranges(conjunct.path, inner)
        if ranges is None:
            if atom.family.kind == "cpu" and not self.dead:
                return
            # What never runs is in P0 all the same, and its accesses have to be in bounds.
            ranges = self._new_ranges(tuple(each for each in conjunct.path if isinstance(each, ForAll | Equal)), inner)
            assert ranges is not None
        match atom:
            case HasPoint(index=index):
                box = [self._of_index(each, ranges, atom, dim) for dim, each in enumerate(index)]
            case HasBox(box=asked):
                lows = [self.normal.form(low) for low, _ in asked]
                highs = [low + self.normal.form(length) - 1 for low, (_, length) in zip(lows, asked, strict=True)]
                pairs = zip(lows, highs, strict=True)
                box = [self._interval(low, high, ranges, atom, dim) for dim, (low, high) in enumerate(pairs)]
        self._widen(atom.family, tuple(box))

    def _is_known(self, path: Path, atom: HasPoint | HasBox) -> bool:
        """Whether the same access was visited before under the same binders; formulas often read a place several times."""
        if not isinstance(atom, HasPoint):
            return False
        access = tuple(map(id, path)), atom.family, atom.index
        if access in self._seen:
            return True
        self._seen.add(access)
        return False

    def _of_index(self, index: Node, ranges: tuple[Range, ...], atom: HasPoint, dim: int) -> Interval:
        """The interval of an index, the hull of what it is under each choice of the `select`s in it."""
        if not any(isinstance(each, Op) and each.op == "select" for each in walk(index)):
            form = self.normal.form(index)
            return self._interval(form, form, ranges, atom, dim)
        found: Interval | None = None
        for conditions, chosen in choices(index):
            narrower = self._narrowed(ranges, (form for cond, holds in conditions for form in self._conditions(cond, holds)))
            if narrower is None:
                continue
            form = self.normal.form(chosen)
            low, high = self._interval(form, form, narrower, atom, dim)
            if found is not None:
                low = extremum(False, [found[0], low], self.bounds.facts)
                high = extremum(True, [found[1], high], self.bounds.facts)
            found = low, high
        if found is None:
            form = self.normal.form(index)
            return self._interval(form, form, ranges, atom, dim)
        return found

    def _interval(self, low: Lin, high: Lin, ranges: tuple[Range, ...], atom: HasPoint | HasBox, dim: int) -> Interval:
        least, most = self.extremes.lower(low, ranges), self.extremes.upper(high, ranges)
        if least is None or most is None:
            raise _unbounded(atom, dim)
        return least, most

    def _widen(self, family: Family, box: tuple[Interval, ...]) -> None:
        old = self.bounds.boxes.get(family)
        if old is not None:
            facts = self.bounds.facts
            box = tuple(
                (extremum(False, [a[0], b[0]], facts), extremum(True, [a[1], b[1]], facts))
                for a, b in zip(old, box, strict=True)
            )
        self.bounds.boxes[family] = box

    def _ranges(self, path: Path, fixed: frozenset[str]) -> tuple[Range, ...] | None:
        """The variables of a path that are not fixed, outermost first; None if its conditions exclude each other.

        The accesses of a statement share its binders, and the holes in these are all known by then.
        """
        key = tuple(map(id, path)), fixed
        if key not in self._known_ranges:
            self._known_ranges[key] = self._new_ranges(path, fixed)
        return self._known_ranges[key]

    def _new_ranges(self, path: Path, fixed: frozenset[str]) -> tuple[Range, ...] | None:
        ranges: tuple[Range, ...] = ()
        for binder in path:
            narrower: tuple[Range, ...] | None = ranges
            match binder:
                case ForAll(key=key, min=low, len=length):
                    if str(key) not in fixed:
                        first = self.normal.form(low)
                        narrower = (*ranges, Range(str(key), first, first + self.normal.form(length) - 1))
                case Equal(key=key, within=(low, length)):
                    first = self.normal.form(low)
                    narrower = (*ranges, Range(str(key), first, first + self.normal.form(length) - 1))
                case Equal(key=key, value=value):
                    form = self.normal.form(value)
                    narrower = (*ranges, Range(str(key), form, form))
                case Given(cond=cond, holds=holds):
                    narrower = self._narrowed(ranges, self._conditions(cond, holds))
                case Inside():
                    narrower = self._narrowed(ranges, self._insides(binder))
            if narrower is None:
                return None
            ranges = narrower
        return ranges

    def _narrowed(self, ranges: tuple[Range, ...], conditions: Iterator[Lin]) -> tuple[Range, ...] | None:
        for condition in conditions:
            known = self.extremes.without_unknown(condition)
            narrower = ranges if known is None else self.extremes.narrowed(ranges, known)
            if narrower is None:
                return None
            ranges = narrower
        return ranges

    def _insides(self, inside: Inside) -> Iterator[Lin]:
        self._name(inside.family)
        for dim in inside.dims:
            low, high = self.bounds.interval(inside.family, dim)
            form = self.normal.form(inside.index[dim])
            yield form - low
            yield high - form

    def _conditions(self, cond: Node, holds: bool) -> Iterator[Lin]:
        """Forms that are not negative where a condition holds, or does not; of what is not linear there is none."""
        match cond:
            case Op(op="and" | "or", args=parts) if (cond.op == "and") == holds:
                for each in parts:
                    yield from self._conditions(each, holds)
            case Op(op="not", args=(inner,)):
                yield from self._conditions(inner, not holds)
            case Op(op="lt" | "le" | "gt" | "ge" | "eq" | "ne", args=(a, b)) if a.type == I32:
                yield from _comparison(cond.op if holds else _OPPOSITE[cond.op], self.normal.form(a), self.normal.form(b))
            case _:
                return


_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


MOST_CHOICES = 16
"""Up to how many combinations of the branches of `select`s an index is taken apart into."""


def choices(index: Node) -> list[tuple[tuple[tuple[Node, bool], ...], Node]]:
    """An index under each choice of its `select`s: the conditions, each with whether it holds, and what it is then.

    Those within accesses are data, and stay.
    """
    found: list[tuple[tuple[tuple[Node, bool], ...], Node]] = [((), index)]
    while len(found) < MOST_CHOICES:
        place = next((i for i, (_, each) in enumerate(found) if _first_select(each) is not None), None)
        if place is None:
            break
        conditions, node = found.pop(place)
        select = _first_select(node)
        assert select is not None
        for holds in (True, False):
            taken = select.args[1 if holds else 2]
            found.append(((*conditions, (select.args[0], holds)), _instead(node, select, taken)))
    return found


def _instead(node: Node, old: Node, new: Node) -> Node:
    return rebuilt(node, lambda each: new if each is old else each if isinstance(each, Read) else None)


def _first_select(node: Node) -> Op | None:
    if isinstance(node, Op):
        if node.op == "select":
            return node
        return next((found for each in node.args if (found := _first_select(each)) is not None), None)
    return None


def _comparison(op: str, a: Lin, b: Lin) -> Iterator[Lin]:
    if op in ("le", "lt", "eq"):
        yield b - a - (op == "lt")
    if op in ("ge", "gt", "eq"):
        yield a - b - (op == "gt")


def _known(target: Target) -> Iterator[tuple[str, Ends]]:
    """What is known of variables: windows and images are not empty, loops over literal ranges stay in them."""
    algorithm = target.algorithm
    for name in algorithm.outputs:
        for dim in range(len(algorithm.func(name).args)):
            yield window(name, dim)[1].name, (1, None)
    for name, dimensions, _ in algorithm.images:
        for dim in range(dimensions):
            yield f"{name}.extent.{dim}", (1, None)
    empty = Facts()
    literal = Normal(algorithm, empty, lambda hole: None)
    for stmt in statements(target.body):
        if isinstance(stmt, For):
            low, length = literal.form(stmt.min), literal.form(stmt.len)
            if low.is_constant():
                yield str(stmt.key), (low.constant, low.constant + length.constant - 1 if length.is_constant() else None)


def _is_simple(form: Lin) -> bool:
    """Whether a form is linear, or has a quotient of linear forms."""
    return all(isinstance(a, Variable) or (isinstance(a, Quotient) and a.form.is_plain()) for a, _ in form.terms)


def _unbounded(atom: HasPoint | HasBox, dim: int) -> AlgorithmError:
    if isinstance(atom, HasPoint) and atom.read is not None:
        place = atom.read.index[dim]
        return refuse(
            f"{atom.family.func} is read at {show(place)} in dimension {dim}, which has no bounds",
            code="E784",
            span=atom.span,
            notes=(f"hint: read it at hl.clamp({show(place)}, first, last)",),
        )
    index = show(atom.index[dim]) if isinstance(atom, HasPoint) else "the window"
    return refuse(
        f"{atom.family.func} is written at {index} in dimension {dim}, which has no bounds",
        code="E784",
        span=atom.span if isinstance(atom, HasPoint) else None,
        notes=("hint: put hl.clamp(..., first, last) around the index",),
    )


def node_of(form: Lin) -> Node:
    """A form as an expression."""
    positive = [(atom, c) for atom, c in form.terms if c > 0]
    result: Node | None = None
    for atom, c in positive:
        term = _scaled(atom, c)
        result = term if result is None else Op("add", (result, term), I32)
    if result is None:
        result = number(form.constant)
    elif form.constant:
        result = Op("add" if form.constant > 0 else "sub", (result, number(abs(form.constant))), I32)
    for atom, c in form.terms:
        if c < 0:
            result = Op("sub", (result, _scaled(atom, -c)), I32)
    return result


def _scaled(atom: Variable | Quotient | Extremum | Unknown, c: int) -> Node:
    match atom:
        case Variable(name=name):
            node: Node = Name(name, Sort.LET)
        case Quotient(form=inner, divisor=k):
            node = Op("div", (node_of(inner), number(k)), I32)
        case Extremum(is_max=is_max, a=a, b=b):
            node = Op("max" if is_max else "min", (node_of(a), node_of(b)), I32)
        case Unknown():
            raise AssertionError(f"a bound depends on {atom}")
    return node if c == 1 else Op("mul", (number(c), node), I32)
