"""Pattern matrices: exhaustiveness, redundancy and decision trees against brute force over small values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from usl_c11.perceus.front import decision as dc
from usl_c11.perceus.front import patterns as pt
from usl_c11.perceus.front import syntax as sx
from usl_c11.perceus.front.definitions import ConDef, DataDef, Scope
from usl_c11.perceus.front.types import BOOL, I64, App
from usl_core.errors import NOWHERE


def _data() -> DataDef:
    """T with A, B(bool), C(T, T), D(i64)."""
    data = DataDef("T", (), sx.DataSyntax("T", (), (), span=NOWHERE), Scope({}))
    fields = {"A": (), "B": (BOOL,), "C": (App(data), App(data)), "D": (I64,)}
    data.constructors = tuple(ConDef(name, data, tag, types, NOWHERE) for tag, (name, types) in enumerate(fields.items()))
    return data


DATA = _data()
CONS = DATA.constructors or ()
NUMBERS = (0, 1, 2)
"""Patterns mention 0 and 1 only, so that 2 stands for all other numbers."""


def _wild() -> st.SearchStrategy[pt.Resolved]:
    return st.builds(lambda names: pt.Any(names, NOWHERE), st.sampled_from([(), ("x",), ("y", "z")]))


def patterns(kind: str, depth: int) -> st.SearchStrategy[pt.Resolved]:
    """Patterns for values of type T, bool, int or pair."""
    if depth == 0:
        return _wild()
    match kind:
        case "bool":
            heads = [st.just(pt.Construct(pt.BoolHead(value), (), (), NOWHERE)) for value in (True, False)]
        case "int":
            heads = [st.just(pt.Construct(pt.LiteralHead(value), (), (), NOWHERE)) for value in (0, 1)]
        case "pair":
            args = st.tuples(patterns("T", depth - 1), patterns("bool", depth - 1))
            heads = [st.builds(lambda args: pt.Construct(pt.TupleHead(2), args, (), NOWHERE), args)]
        case _:
            kinds = {"A": (), "B": ("bool",), "C": ("T", "T"), "D": ("int",)}
            heads = [
                st.builds(
                    lambda con, args, names: pt.Construct(con, args, names, NOWHERE),
                    st.just(con),
                    st.tuples(*(patterns(each, depth - 1) for each in kinds[con.name])),
                    st.sampled_from([(), ("w",)]),
                )
                for con in CONS
            ]
    simple = st.one_of(_wild(), *heads)
    several = st.builds(
        lambda items, names: pt.Alternatives(tuple(items), names, NOWHERE),
        st.lists(simple, min_size=2, max_size=3),
        st.sampled_from([(), ("v",)]),
    )
    return st.one_of(simple, simple, simple, several)


def values(kind: str, depth: int) -> Iterator[object]:
    """All values up to a depth; patterns of that depth can tell no others apart."""
    match kind:
        case "bool":
            yield from (True, False)
        case "int":
            yield from NUMBERS
        case "pair":
            yield from itertools.product(values("T", depth), values("bool", depth))
        case _:
            yield ("A",)
            if depth > 0:
                yield from (("B", value) for value in values("bool", depth - 1))
                yield from (("D", value) for value in NUMBERS)
                yield from (("C", left, right) for left, right in itertools.product(values("T", depth - 1), repeat=2))


def matched(pattern: pt.Resolved, value: object) -> dict[str, object] | None:
    """What the pattern binds if it matches value."""
    match pattern:
        case pt.Any(names=names):
            return dict.fromkeys(names, value)
        case pt.Alternatives(items=items, names=names):
            for item in items:
                found = matched(item, value)
                if found is not None:
                    return {**found, **dict.fromkeys(names, value)}
            return None
        case pt.Construct(head=head, args=args, names=names):
            if head_of(value) != head:
                return None
            bound = dict.fromkeys(names, value)
            for arg, part in zip(args, parts(value), strict=True):
                found = matched(arg, part)
                if found is None:
                    return None
                bound.update(found)
            return bound


def head_of(value: object) -> pt.Head:
    match value:
        case bool():
            return pt.BoolHead(value)
        case int():
            return pt.LiteralHead(value)
        case (str() as name, *_):
            return next(con for con in CONS if con.name == name)
        case _:
            return pt.TupleHead(2)


def parts(value: object) -> Sequence[object]:
    match value:
        case (str(), *fields):
            return fields
        case tuple():
            return value
        case _:
            return ()


KINDS = ("T", "pair")
DEPTH = 2
ALL = {kind: list(values(kind, DEPTH)) for kind in KINDS}


@st.composite
def matrices(draw: st.DrawFn) -> tuple[str, list[tuple[pt.Row, bool]]]:
    kind = draw(st.sampled_from(KINDS))
    rows = draw(st.lists(st.tuples(patterns(kind, DEPTH), st.booleans()), min_size=1, max_size=6))
    return kind, [((renamed(row, itertools.count()),), guarded) for row, guarded in rows]


def renamed(pattern: pt.Resolved, numbers: Iterator[int]) -> pt.Resolved:
    """The pattern with each name once."""
    names = tuple(f"{name}{next(numbers)}" for name in pattern.names)
    match pattern:
        case pt.Any():
            return pt.Any(names, NOWHERE)
        case pt.Construct(head=head, args=args):
            return pt.Construct(head, tuple(renamed(arg, numbers) for arg in args), names, NOWHERE)
        case pt.Alternatives(items=items):
            return pt.Alternatives(tuple(renamed(item, numbers) for item in items), names, NOWHERE)


@settings(max_examples=150)
@given(matrices())
def test_a_row_is_useful_exactly_if_a_value_reaches_it(matrix):
    kind, rows = matrix
    above: list[pt.Row] = []
    for row, _ in rows:
        reached = any(
            matched(row[0], value) is not None and all(matched(other[0], value) is None for other in above)
            for value in ALL[kind]
        )
        assert (pt.useful(above, row) is not None) == reached
        above.append(row)


@settings(max_examples=150)
@given(matrices())
def test_the_example_of_a_match_that_is_not_exhaustive_is_matched_by_no_row(matrix):
    kind, rows = matrix
    example = pt.missing([row for row, _ in rows], 1, NOWHERE)
    unmatched = [value for value in ALL[kind] if all(matched(row[0], value) is None for row, _ in rows)]
    if example is None:
        assert not unmatched
    else:
        shown = [value for value in ALL[kind] if fits(example[0], value)]
        assert shown
        assert all(value in unmatched for value in shown)


def fits(example: pt.Example, value: object) -> bool:
    if example.head is None:
        return True
    if isinstance(example.head, pt.LiteralHead) and example.head.value not in NUMBERS:
        return value == NUMBERS[-1]
    return head_of(value) == example.head and all(map(fits, example.args, parts(value)))


@settings(max_examples=150)
@given(matrices(), st.sets(st.integers(0, 5)))
def test_a_decision_tree_takes_the_first_row_that_matches_and_whose_guard_holds(matrix, holding):
    kind, rows = matrix
    last: pt.Row = (pt.Any((), NOWHERE),)
    rows = [*rows, (last, False)]
    tree = dc.Decisions(1).tree(rows)
    for value in ALL[kind]:
        expected = next(
            (number, bound)
            for number, (row, guarded) in enumerate(rows)
            if (bound := matched(row[0], value)) is not None and (not guarded or number in holding)
        )
        assert followed(tree, {0: value}, holding) == expected


def followed(tree: dc.Tree, found: dict[int, object], holding: set[int]) -> tuple[int, dict[str, object]]:
    """The row that a tree takes for the values at its occurrences, and what it binds."""
    match tree:
        case dc.Leaf(row=row, bindings=bindings):
            return row, {name: found[occurrence] for name, occurrence in bindings}
        case dc.Guarded(leaf=leaf, orelse=orelse):
            return followed(leaf if leaf.row in holding else orelse, found, holding)
        case dc.Switch(occurrence=occurrence, branches=branches, default=default):
            value = found[occurrence]
            for branch in branches:
                if branch.head == head_of(value):
                    inner = {**found, **dict(zip(branch.fields, parts(value), strict=True))}
                    return followed(branch.tree, inner, holding)
            assert default is not None, "no branch for a value"
            return followed(default, found, holding)


def test_no_path_of_a_decision_tree_looks_at_an_occurrence_twice():
    def pattern(name: str, *args: pt.Resolved) -> pt.Resolved:
        return pt.Construct(next(con for con in CONS if con.name == name), args, (), NOWHERE)

    anything = pt.Any((), NOWHERE)
    rows = [
        ((pattern("C", pattern("A"), anything),), False),
        ((pattern("C", anything, pattern("A")),), False),
        ((pattern("A"),), True),
        ((anything,), False),
    ]

    def check(tree: dc.Tree, seen: frozenset[int]) -> None:
        match tree:
            case dc.Guarded(orelse=orelse):
                check(orelse, seen)
            case dc.Switch(occurrence=occurrence, branches=branches, default=default):
                assert occurrence not in seen
                for inner in [*(branch.tree for branch in branches), *([default] if default else [])]:
                    check(inner, seen | {occurrence})

    check(dc.Decisions(1).tree(rows), frozenset())
