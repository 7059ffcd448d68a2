"""Pattern matrices: exhaustiveness, redundancy and decision trees against brute force over small values."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from perceus_front import program, run

from usl_core.errors import NOWHERE
from usl_perceus.front import decision as dc
from usl_perceus.front import patterns as pt
from usl_perceus.front import syntax as sx
from usl_perceus.front.definitions import ConDef, DataDef, Scope
from usl_perceus.front.types import BOOL, I64, App
from usl_perceus.opt.simplify import size


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


def pattern(source: random.Random, kind: str, depth: int, *, simple: bool = False) -> pt.Resolved:
    """A pattern for values of type T, bool, int or pair. Its names are numbered by `renamed`."""
    names = source.choice([(), (), ("x",)])
    choice = source.random()
    if depth == 0 or choice < 0.3:
        return pt.Any(names, NOWHERE)
    if choice < 0.45 and not simple:
        items = tuple(pattern(source, kind, depth, simple=True) for _ in range(source.randint(2, 3)))
        return pt.Alternatives(items, names, NOWHERE)
    match kind:
        case "bool":
            return pt.Construct(pt.BoolHead(source.random() < 0.5), (), names, NOWHERE)
        case "int":
            return pt.Construct(pt.LiteralHead(source.randint(0, 1)), (), names, NOWHERE)
        case "pair":
            args: tuple[pt.Resolved, ...] = (pattern(source, "T", depth - 1), pattern(source, "bool", depth - 1))
            return pt.Construct(pt.TupleHead(2), args, names, NOWHERE)
        case _:
            con = source.choice(CONS)
            args = tuple(pattern(source, each, depth - 1) for each in FIELDS[con.name])
            return pt.Construct(con, args, names, NOWHERE)


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
FIELDS = {"A": (), "B": ("bool",), "C": ("T", "T"), "D": ("int",)}
SEEDS = st.integers(0, 1 << 40)
DEPTH = 2
ALL = {kind: list(values(kind, DEPTH)) for kind in KINDS}


def matrix(seed: int) -> tuple[str, list[tuple[pt.Row, bool]]]:
    """A kind of values, and rows of one pattern with whether they have a guard."""
    source = random.Random(seed)
    kind = source.choice(KINDS)
    rows = [pattern(source, kind, DEPTH) for _ in range(source.randint(1, 6))]
    return kind, [((renamed(row, itertools.count()),), source.random() < 0.3) for row in rows]


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


@settings(max_examples=200)
@given(SEEDS)
def test_a_row_is_useful_exactly_if_a_value_reaches_it(seed):
    kind, rows = matrix(seed)
    above: list[pt.Row] = []
    for row, _ in rows:
        reached = any(
            matched(row[0], value) is not None and all(matched(other[0], value) is None for other in above)
            for value in ALL[kind]
        )
        assert (pt.useful(above, row) is not None) == reached
        above.append(row)


@settings(max_examples=200)
@given(SEEDS)
def test_the_example_of_a_match_that_is_not_exhaustive_is_matched_by_no_row(seed):
    kind, rows = matrix(seed)
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


@settings(max_examples=200)
@given(SEEDS, st.sets(st.integers(0, 5)))
def test_a_decision_tree_takes_the_first_row_that_matches_and_whose_guard_holds(seed, holding):
    kind, rows = matrix(seed)
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
    def made(name: str, *args: pt.Resolved) -> pt.Resolved:
        return pt.Construct(next(con for con in CONS if con.name == name), args, (), NOWHERE)

    anything = pt.Any((), NOWHERE)
    rows = [
        ((made("C", made("A"), anything),), False),
        ((made("C", anything, made("A")),), False),
        ((made("A"),), True),
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


def diagonal(columns: int) -> str:
    """Row i asks for T in column i and F in the next one: a tree without sharing doubles with each column."""
    names = ", ".join(f"x{i}" for i in range(columns))
    parameters = ", ".join(f"x{i}: B" for i in range(columns))
    digits = ", ".join(f"digit(k // {3**i} % 3)" for i in range(columns))
    lines = ["@fun", f"def f({parameters}) -> i64:", f"    match {names}:"]
    for i in range(columns):
        row = ["T()" if j == i else "F()" if j == (i + 1) % columns else "_" for j in range(columns)]
        lines += [f"        case {', '.join(row)}:", f"            return {i}"]
    lines += [f"        case {', '.join('_' * columns)}:", "            return -1"]
    lines += ["@fun", "def digit(n: i64) -> B:", "    return T if n == 0 else F if n == 1 else G"]
    lines += ["@fun", "def main(k: i64) -> i64:", f"    return f({digits})"]
    return "@data\nclass B:\n    T: ()\n    F: ()\n    G: ()\n" + "\n".join(lines)


def test_a_diagonal_match_of_many_columns_is_small():
    few, many = (size(program(diagonal(columns)).program.funs["f"].body) for columns in (7, 14))
    assert many < 4 * few


def test_a_diagonal_match_chooses_the_first_row_that_matches(monkeypatch):
    for large in (0, 100):
        monkeypatch.setattr(dc, "LARGE", large)
        lowered = program(diagonal(4))
        for k in range(81):
            digits = [k // 3**i % 3 for i in range(4)]
            expected = next((i for i in range(4) if digits[i] == 0 and digits[(i + 1) % 4] == 1), -1)
            assert run(lowered, "main", k) == expected
