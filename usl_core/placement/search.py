"""Rows for items: no two that live together overlap, and what is used together lies in different banks where that can be.

Branch and bound over the places where something already ends or a bank begins, the cheapest first; what it may spend is counted
in places looked at, so that a result depends on the question alone. Nothing here knows of programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from usl_core.records import dataclass

WORK = 20_000
"""How many places are looked at for one order of the items, beyond those of the first arrangement."""

_ORDERS = 16
"""How many orders of the items are tried where none fits; each begins with the item that found no place in the one before."""

_FRACTION = 1 << 10
"""What two items cost that lie wholly in one bank, for each unit of their weight."""


@dataclass(frozen=True, slots=True)
class Space:
    """What a memory consists of: rows in banks of equal size, and of which number a first row is a multiple."""

    rows: int
    banks: int = 1
    align: int = 1

    @property
    def bank_rows(self) -> int:
        """The rows of a bank."""
        return self.rows // self.banks


@dataclass(frozen=True, slots=True)
class Item:
    """slices pieces of as many rows each, the first row of each at one distance from that of the one before.

    It is pinned to a first row or into a bank if they are given. apart is how much it matters that its slices lie in
    different banks.
    """

    rows: int
    slices: int = 1
    row: int | None = None
    bank: int | None = None
    apart: int = 0


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an item lies: its first row, and the distance of its slices."""

    row: int
    distance: int

    def pieces(self, item: Item) -> tuple[range, ...]:
        """The rows of each slice."""
        starts = (self.row + number * self.distance for number in range(item.slices))
        return tuple(range(start, start + item.rows) for start in starts)


Weights = Mapping[tuple[int, int], int]
"""How much it matters that two items (by number, the smaller first) lie in different banks."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A spot for each item, by number; of those that found none, nothing. missing is the first of these."""

    spots: Mapping[int, Spot]
    missing: int | None = None


def arrange(items: Sequence[Item], space: Space, together: Iterable[tuple[int, int]], weights: Weights) -> Arrangement:
    """Spots for items, of which the pairs in together live at the same time. Only those of a pair cost what weights say."""
    neighbours: list[list[int]] = [[] for _ in items]
    for a, b in together:
        neighbours[a].append(b)
        neighbours[b].append(a)
    spots: dict[int, Spot] = {}
    for group in _components(neighbours):
        found = _arrange_group(items, space, group, neighbours, weights)
        spots |= found.spots
        if found.missing is not None:
            return Arrangement(spots, found.missing)
    return Arrangement(spots)


def _components(neighbours: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The items that live together, directly or through others; groups share nothing and are arranged alone."""
    seen: set[int] = set()
    for start in range(len(neighbours)):
        if start in seen:
            continue
        group, waiting = [], [start]
        seen.add(start)
        while waiting:
            item = waiting.pop()
            group.append(item)
            for other in neighbours[item]:
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        yield sorted(group)


def _arrange_group(
    items: Sequence[Item], space: Space, group: Sequence[int], neighbours: Sequence[Sequence[int]], weights: Weights
) -> Arrangement:
    best: Arrangement | None = None
    least = 0
    furthest = Arrangement({}, group[0])
    orders = _orders(items, group, weights)
    tried: list[list[int]] = []
    while orders:
        order = orders.pop(0)
        tried.append(order)
        search = _Search(items, space, order, neighbours, weights)
        found = search.run()
        if found is not None and (best is None or search.cost < least):
            best, least = Arrangement(found), search.cost
        if best is not None and least == 0:
            break
        if found is None:
            missing = order[len(search.most)]
            if len(search.most) > len(furthest.spots) or not furthest.spots:
                furthest = Arrangement(search.most, missing)
            earlier = [missing, *(item for item in order if item != missing)]
            if best is None and not orders and earlier not in tried and len(tried) < _ORDERS:
                orders.append(earlier)
    return furthest if best is None else best


def _orders(items: Sequence[Item], group: Sequence[int], weights: Weights) -> list[list[int]]:
    """In which order items are placed: pinned ones first; then the large ones, those that cost most, or as they come."""
    total = dict.fromkeys(group, 0)
    for (a, b), weight in weights.items():
        if a in total and b in total:
            total[a] += weight
            total[b] += weight

    def pinned(number: int) -> int:
        item = items[number]
        return 0 if item.row is not None else 1 if item.bank is not None else 2

    def size(number: int) -> int:
        return items[number].rows * items[number].slices

    seen: list[list[int]] = []
    for order in (
        sorted(group, key=lambda n: (pinned(n), -size(n), n)),
        sorted(group, key=lambda n: (pinned(n), -total[n] - items[n].apart, n)),
        sorted(group, key=lambda n: (pinned(n), n)),
    ):
        if order not in seen:
            seen.append(order)
    return seen


class _Search:
    """One order of the items, tried out."""

    def __init__(
        self,
        items: Sequence[Item],
        space: Space,
        order: Sequence[int],
        neighbours: Sequence[Sequence[int]],
        weights: Weights,
    ) -> None:
        self.items, self.space, self.order = items, space, order
        position = {item: at for at, item in enumerate(order)}
        self.before = [
            sorted((other for other in neighbours[item] if position[other] < at), key=lambda other: position[other])
            for at, item in enumerate(order)
        ]
        self.weights = [
            [weights.get((min(item, other), max(item, other)), 0) for other in self.before[at]] for at, item in enumerate(order)
        ]
        self.placed: dict[int, tuple[Spot, tuple[range, ...], list[list[tuple[int, int]]]]] = {}
        self.most: dict[int, Spot] = {}
        self.work = 0
        self.cost = 0

    def run(self) -> dict[int, Spot] | None:
        """The cheapest spots that were found within WORK, or None; their cost is in cost."""
        best: dict[int, Spot] | None = None
        stack = [(0, iter(self._options(0)))]
        while stack:
            at, (spent, options) = len(stack) - 1, stack[-1]
            self.placed.pop(self.order[at], None)
            option = next(options, None)
            if option is None or (best is not None and spent + option[0] >= self.cost):
                stack.pop()
                if best is None and self.work > WORK:
                    break
                continue
            added, spot = option
            pieces = spot.pieces(self.items[self.order[at]])
            self.placed[self.order[at]] = spot, pieces, [self._banks(piece) for piece in pieces]
            if best is None and len(self.placed) > len(self.most):
                self.most = {item: each[0] for item, each in self.placed.items()}
            if len(stack) == len(self.order):
                best, self.cost = {item: each[0] for item, each in self.placed.items()}, spent + added
            else:
                stack.append((spent + added, iter(self._options(at + 1))))
            if best is not None and (self.cost == 0 or self.work > WORK):
                break
        return best

    def _options(self, at: int) -> list[tuple[int, Spot]]:
        """Where the item of that position can lie, and what it then costs with those before it: cheapest first, then lowest."""
        item, before = self.items[self.order[at]], self.before[at]
        taken = [piece for other in before for piece in self.placed[other][1]]
        options: list[tuple[int, int, int]] = []
        for distance in self._distances(item):
            for row in self._rows(item, distance, taken):
                self.work += 1
                if all(_apart(piece, other) for piece in Spot(row, distance).pieces(item) for other in taken):
                    options.append((self._cost(at, item, Spot(row, distance)), row, distance))
        options.sort()
        return [(cost, Spot(row, distance)) for cost, row, distance in options]

    def _distances(self, item: Item) -> list[int]:
        """Slices one after the other, or in banks at some distance."""
        dense = _up(item.rows, self.space.align)
        if item.slices == 1:
            return [item.rows]
        size = self.space.bank_rows
        wide = [
            step * size for step in range(1, self.space.banks) if step * size > dense and step * size % self.space.align == 0
        ]
        return [dense] if item.bank is not None else [dense, *wide]

    def _rows(self, item: Item, distance: int, taken: Sequence[range]) -> list[int]:
        """First rows to look at: that of the pin, or where banks begin and others end, for one of the slices."""
        last = self.space.rows - item.rows - (item.slices - 1) * distance
        if item.row is not None:
            return [item.row] if 0 <= item.row <= last and item.row % self.space.align == 0 else []
        size = self.space.bank_rows
        first = 0
        if item.bank is not None:
            first, last = item.bank * size, min(last, (item.bank + 1) * size - item.rows - (item.slices - 1) * distance)
        begins = {bank * size for bank in range(self.space.banks)} | {piece.stop for piece in taken}
        rows = {_up(begin, self.space.align) - number * distance for begin in begins for number in range(item.slices)}
        return sorted(row for row in rows if first <= row <= last and row % self.space.align == 0)

    def _cost(self, at: int, item: Item, spot: Spot) -> int:
        pieces = [self._banks(piece) for piece in spot.pieces(item)]
        total = 0
        if item.apart:
            pairs = [(a, b) for number, a in enumerate(pieces) for b in pieces[:number]]
            total += sum(item.apart * _shared(a, b, item.rows, item.rows) for a, b in pairs)
        for other, weight in zip(self.before[at], self.weights[at], strict=True):
            if weight:
                rows = self.items[other].rows
                pairs = [(a, b) for a in pieces for b in self.placed[other][2]]
                total += weight * sum(_shared(a, b, item.rows, rows) for a, b in pairs) // len(pairs)
        return total

    def _banks(self, piece: range) -> list[tuple[int, int]]:
        """The banks that a piece lies in, and its rows in each."""
        size = self.space.bank_rows
        first, last = piece.start // size, (piece.stop - 1) // size
        return [(bank, min(piece.stop, (bank + 1) * size) - max(piece.start, bank * size)) for bank in range(first, last + 1)]


def _shared(a: Sequence[tuple[int, int]], b: Sequence[tuple[int, int]], rows: int, other: int) -> int:
    """How likely a row of the one and a row of the other are in one bank, in 1 / _FRACTION."""
    both = sum(n * m for bank, n in a for same, m in b if bank == same)
    return _FRACTION * both // (rows * other)


def _apart(a: range, b: range) -> bool:
    return a.stop <= b.start or b.stop <= a.start


def _up(value: int, step: int) -> int:
    """The least multiple of step that is not less."""
    return -(-value // step) * step
