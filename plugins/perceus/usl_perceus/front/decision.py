"""Pattern matching as decision trees: no part of a value is looked at twice on a path.

Occurrences (parts of the matched values) are numbers. The row on top decides what to look at: among the occurrences at which
it needs a constructor, the one at which most rows do, the leftmost of those. Reference: Maranget 2008, "Compiling pattern
matching to good decision trees".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from usl_perceus.front.patterns import Alternatives, Any, Construct, Head, Resolved, arity, siblings


@dataclass(frozen=True, slots=True)
class Leaf:
    """Row number `row` matches; bindings are its variables with the occurrences that they name."""

    row: int
    bindings: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Guarded:
    """Row `leaf.row` matches if its guard holds; otherwise go on with orelse."""

    leaf: Leaf
    orelse: Tree


@dataclass(frozen=True, slots=True)
class Branch:
    """The value has this head; its fields get these occurrences."""

    head: Head
    fields: tuple[int, ...]
    tree: Tree


@dataclass(frozen=True, slots=True)
class Switch:
    """Look at the head of an occurrence. default is None if the branches list all heads."""

    occurrence: int
    branches: tuple[Branch, ...]
    default: Tree | None


Tree = Leaf | Guarded | Switch
"""A switch may stand in several places: there it decides between the same rows."""

LARGE = 100
"""A tree that has more switches than this when written out jumps to those that stand in several places."""


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    guarded: bool
    patterns: Mapping[int, Resolved]
    """What is still to be checked."""
    bindings: tuple[tuple[str, int], ...]


class Decisions:
    """Makes one tree; numbers occurrences from the number of columns on."""

    def __init__(self, columns: int) -> None:
        self.occurrences = self._columns = columns
        self._known: dict[tuple[object, ...], Tree] = {}
        """Trees by the rows that they decide between, where these only ask for what is matched itself."""

    def tree(self, rows: Sequence[tuple[Sequence[Resolved], bool]]) -> Tree:
        """The tree for rows of patterns, one for each column, with whether they have a guard. The rows are exhaustive."""
        return self._tree([_Row(i, guarded, dict(enumerate(row)), ()) for i, (row, guarded) in enumerate(rows)])

    def _tree(self, rows: Sequence[_Row]) -> Tree:
        rows = [simple for row in rows for simple in _simplified(row)]
        assert rows, "the checker accepts exhaustive matches only"
        first = rows[0]
        if not first.patterns:
            leaf = Leaf(first.number, first.bindings)
            return Guarded(leaf, self._tree(rows[1:])) if first.guarded else leaf
        if any(at >= self._columns for row in rows for at in (*row.patterns, *(at for _, at in row.bindings))):
            return self._switch(_chosen(rows), rows)
        key = tuple((row.number, _asked(row), row.bindings) for row in rows)
        if key not in self._known:
            self._known[key] = self._switch(_chosen(rows), rows)
        return self._known[key]

    def _switch(self, occurrence: int, rows: Sequence[_Row]) -> Switch:
        present: dict[Head, None] = {}
        for row in rows:
            pattern = row.patterns.get(occurrence)
            if isinstance(pattern, Construct):
                present.setdefault(pattern.head)
        branches = []
        for head in present:
            fields = tuple(range(self.occurrences, self.occurrences + arity(head)))
            self.occurrences += len(fields)
            inner = [same for row in rows if (same := _specialized(row, occurrence, head, fields)) is not None]
            branches.append(Branch(head, fields, self._tree(inner)))
        complete = siblings(next(iter(present)))
        if complete is not None and len(complete) == len(present):
            return Switch(occurrence, tuple(branches), None)
        return Switch(occurrence, tuple(branches), self._tree([row for row in rows if occurrence not in row.patterns]))


def _simplified(row: _Row) -> Iterator[_Row]:
    """row without the patterns that match everything, and with alternatives as rows of their own."""
    patterns: dict[int, Resolved] = {}
    bindings = list(row.bindings)
    for occurrence, pattern in row.patterns.items():
        bindings.extend((name, occurrence) for name in pattern.names)
        if isinstance(pattern, Alternatives):
            for item in pattern.items:
                rest = {key: value for key, value in row.patterns.items() if key not in patterns and key != occurrence}
                yield from _simplified(_Row(row.number, row.guarded, {**patterns, occurrence: item, **rest}, tuple(bindings)))
            return
        if isinstance(pattern, Construct):
            # Its names are bound now, and must not be once more when it is taken apart.
            patterns[occurrence] = Construct(pattern.head, pattern.args, (), pattern.span)
    yield _Row(row.number, row.guarded, patterns, tuple(bindings))


def _asked(row: _Row) -> tuple[object, ...]:
    """What a simplified row still asks for: equal for rows that ask for the same."""
    return tuple((at, part.head, part.args) for at, part in row.patterns.items() if isinstance(part, Construct))


def _chosen(rows: Sequence[_Row]) -> int:
    def needed_by(occurrence: int) -> int:
        return sum(occurrence in row.patterns for row in rows)

    return min(rows[0].patterns, key=lambda occurrence: (-needed_by(occurrence), occurrence))


def _specialized(row: _Row, occurrence: int, head: Head, fields: Sequence[int]) -> _Row | None:
    """row where the occurrence is known to have that head; None if it does not match then."""
    pattern = row.patterns.get(occurrence)
    if pattern is None or isinstance(pattern, Any):
        return row
    assert isinstance(pattern, Construct)
    if pattern.head != head:
        return None
    rest = {key: value for key, value in row.patterns.items() if key != occurrence}
    return _Row(row.number, row.guarded, {**dict(zip(fields, pattern.args, strict=True)), **rest}, row.bindings)


def leaves(tree: Tree) -> Iterator[Leaf]:
    """The leaves, those behind guards included; those of a tree that stands in several places once."""
    seen: set[int] = set()
    waiting = [tree]
    while waiting:
        match waiting.pop():
            case Leaf() as leaf:
                yield leaf
            case Guarded(leaf=leaf, orelse=orelse):
                yield leaf
                waiting.append(orelse)
            case Switch() as switch if id(switch) not in seen:
                seen.add(id(switch))
                waiting.extend(reversed(below(switch)))
            case _:
                pass


def below(switch: Switch) -> list[Tree]:
    """The trees of the branches and the default."""
    return [*(branch.tree for branch in switch.branches), *([] if switch.default is None else [switch.default])]


def repeated(tree: Tree) -> set[int]:
    """The ids of the switches that stand in several places, if the tree has more than LARGE switches when written out."""
    places: Counter[int] = Counter()
    sizes: dict[int, int] = {}

    def size(tree: Tree) -> int:
        match tree:
            case Switch():
                places[id(tree)] += 1
                if id(tree) not in sizes:
                    sizes[id(tree)] = 1 + sum(map(size, below(tree)))
                return sizes[id(tree)]
            case Guarded(orelse=orelse):
                return size(orelse)
            case Leaf():
                return 0

    return {each for each, count in places.items() if count > 1} if size(tree) > LARGE else set()
