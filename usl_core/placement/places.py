"""First rows and strides for all buffers of a program in memories that are placed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from usl_core.errors import BackendError
from usl_core.ir.nodes import Proc
from usl_core.ir.sym import Sym
from usl_core.placement.lives import Life, Lives, lives_of
from usl_core.placement.memory import PlacedMemory
from usl_core.placement.picture import Drawn, picture
from usl_core.placement.search import Arrangement, Item, Space, Spot, arrange
from usl_core.ranges import Ranges, formal_ranges
from usl_core.records import dataclass

_Key = tuple[Proc, Sym]


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a buffer lies: its first row, the stride of each dimension in elements, and the rows that it takes."""

    memory: type[PlacedMemory]
    row: int
    strides: tuple[int, ...]
    pieces: tuple[range, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the buffers of procedures lie, by procedure and name, and when they live."""

    buffers: Mapping[Proc, Mapping[Sym, Placed]]
    lives: Mapping[Proc, Lives]

    def picture(self, proc: Proc) -> str:
        """The rows of each memory over the time of proc. Buffers of what it calls are shown where it calls."""
        spaces = dict.fromkeys(placed.memory.space() for found in self.buffers.values() for placed in found.values())
        spots = {(p, name): placed.pieces for p, found in self.buffers.items() for name, placed in found.items()}
        drawn = [picture(space, _drawn(self.lives, proc, space, spots), self.lives[proc].end) for space in spaces]
        return "\n\n".join("\n".join(lines) for lines in drawn)


def place(callees_first: Sequence[Proc], exported: Sequence[Proc]) -> Placement:
    """Places for what procedures allocate in memories that are placed. callees_first has all that are called, instructions
    left out; exported are those that are called from outside, one after another.

    Buffers that are alive at the same time never overlap, those of callers included: they live while a callee runs. A buffer
    each of whose accesses is at one index of its first dimension may have the halves of it at a distance, in different banks.
    What this gives depends on the procedures alone.

    Raises:
        BackendError: they do not fit; a picture shows what takes the rows. Or a buffer has no constant shape that ends in a
            row, or is allocated in a parallel loop.
    """
    ranges = formal_ranges(callees_first[::-1], exported)
    return place_known(callees_first, ranges)


def place_known(callees_first: Sequence[Proc], ranges: Mapping[Proc, Ranges]) -> Placement:
    """The same, with the ranges of formals known."""
    lives = {proc: lives_of(proc, ranges.get(proc, {})) for proc in callees_first}
    below = _below(lives)
    keys = [(proc, name) for proc in callees_first for name in lives[proc].buffers]
    pairs = list(_together(lives, below))
    found: dict[Proc, dict[Sym, Placed]] = {proc: {} for proc in callees_first}
    for space in dict.fromkeys(lives[proc].buffers[name].memory.space() for proc, name in keys):
        members = [key for key in keys if _life(lives, key).memory.space() is space]
        for (proc, name), placed in _place_space(space, members, pairs, lives):
            found[proc][name] = placed
    return Placement(found, lives)


def _life(lives: Mapping[Proc, Lives], key: _Key) -> Life:
    return lives[key[0]].buffers[key[1]]


def _below(lives: Mapping[Proc, Lives]) -> dict[Proc, tuple[_Key, ...]]:
    """The buffers of each procedure and of all that it calls."""
    below: dict[Proc, tuple[_Key, ...]] = {}
    for proc, found in lives.items():
        own = [(proc, name) for name in found.buffers]
        called = (key for _, callee in found.calls for key in below.get(callee, ()))
        below[proc] = tuple(dict.fromkeys([*own, *called]))
    return below


def _together(lives: Mapping[Proc, Lives], below: Mapping[Proc, Sequence[_Key]]) -> Iterator[tuple[_Key, _Key]]:
    """The buffers that live at the same time."""
    for proc, found in lives.items():
        alive = [(name, life.first, life.last) for name, life in found.buffers.items() if life.first is not None]
        for (a, start, stop), (b, begin, end) in combinations(alive, 2):
            assert start is not None and stop is not None and begin is not None and end is not None
            if start <= end and begin <= stop:
                yield (proc, a), (proc, b)
        for at, callee in found.calls:
            if inner := below.get(callee, ()):
                outer = [
                    (proc, name)
                    for name, first, last in alive
                    if first is not None and last is not None and first <= at <= last
                ]
                yield from ((a, b) for a in outer for b in inner)


def _place_space(
    space: type[PlacedMemory], keys: Sequence[_Key], pairs: Sequence[tuple[_Key, _Key]], lives: Mapping[Proc, Lives]
) -> Iterator[tuple[_Key, Placed]]:
    number = {key: position for position, key in enumerate(keys)}
    together = {_ordered(number[a], number[b]) for a, b in pairs if a in number and b in number}
    weights: dict[tuple[int, int], int] = {}
    items = [_item(space, key, lives) for key in keys]
    for proc in lives:
        for (a, b), weight in lives[proc].apart.items():
            if a is not b and (proc, a) in number and (proc, b) in number:
                pair = _ordered(number[proc, a], number[proc, b])
                if pair in together:
                    weights[pair] = weights.get(pair, 0) + weight
    found = arrange(items, Space(space.rows, space.banks, space.align), sorted(together), weights)
    if found.missing is not None:
        raise _does_not_fit(space, keys, items, found, lives)
    for key, item in zip(keys, items, strict=True):
        spot = found.spots[number[key]]
        yield key, _placed(_life(lives, key), item, spot)


def _ordered(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _item(space: type[PlacedMemory], key: _Key, lives: Mapping[Proc, Lives]) -> Item:
    """What the search is told of a buffer: it is in slices if each access is at one index of its first dimension."""
    life = _life(lives, key)
    rows = 1
    for extent in life.shape[:-1]:
        rows *= extent
    memory = life.memory
    slices = life.shape[0] if len(life.shape) > 1 and life.points else 1
    if not 1 < slices <= space.banks or (rows // slices) % space.align or memory.pinned_row is not None:
        return Item(rows, 1, memory.pinned_row, memory.pinned_bank)
    apart = lives[key[0]].apart.get((key[1], key[1]), 0)
    return Item(rows // slices, slices, None, memory.pinned_bank, apart)


def _placed(life: Life, item: Item, spot: Spot) -> Placed:
    """Strides are row-major, but for that of dimension 0 where the slices lie at a distance."""
    strides = [1]
    for extent in reversed(life.shape[1:]):
        strides.insert(0, strides[0] * extent)
    if item.slices > 1:
        strides[0] = spot.distance * life.memory.lanes
    return Placed(life.memory, spot.row, tuple(strides), spot.pieces(item))


# ---- what does not fit


def _does_not_fit(
    space: type[PlacedMemory], keys: Sequence[_Key], items: Sequence[Item], found: Arrangement, lives: Mapping[Proc, Lives]
) -> BackendError:
    assert found.missing is not None
    proc, name = keys[found.missing]
    life, item = lives[proc].buffers[name], items[found.missing]
    rows = item.rows * item.slices
    spots = {keys[number]: spot.pieces(items[number]) for number, spot in found.spots.items()}
    drawn = _drawn(lives, proc, space, {**spots, (proc, name): ()})
    lines = picture(space, drawn, lives[proc].end)
    message = f"{name.name} does not fit into memory {space.name}: it takes {rows:,} of its {space.rows:,} rows{_pin(life)}"
    if rows <= space.rows:
        message += ", and others that live at the same time take the rest"
    hints = "hint: tile more finely, end the use of a buffer earlier, or let buffers reuse rows by shorter lives (sink_alloc)"
    return BackendError(message, span=life.alloc.span, notes=(*lines, hints), code="E621")


def _pin(life: Life) -> str:
    memory = life.memory
    if memory.pinned_row is not None:
        return f", from row {memory.pinned_row:,}"
    return "" if memory.pinned_bank is None else f", in bank {memory.pinned_bank}"


def _drawn(
    lives: Mapping[Proc, Lives], proc: Proc, space: type[PlacedMemory], spots: Mapping[_Key, tuple[range, ...]]
) -> list[Drawn]:
    """What the picture of a procedure shows: its own buffers, and those of callees while they run."""
    below = _below(lives)
    found: list[Drawn] = []
    for key, pieces in spots.items():
        life = _life(lives, key)
        if life.memory.space() is not space or life.first is None or life.last is None:
            continue
        if key[0] is proc:
            times = [(life.first, life.last)]
        elif key in below[proc]:
            times = [(at, at) for at, callee in lives[proc].calls if key in below.get(callee, ())]
        else:
            times = [(0, lives[proc].end)]
        shape = " x ".join(map(str, life.shape[:-1])) or "1"
        where = f"{life.alloc.span.file.rsplit('/', 1)[-1]}:{life.alloc.span.line}"
        found.append(Drawn(key[1].name, f"{shape} rows, {where}", pieces, times))
    return found
