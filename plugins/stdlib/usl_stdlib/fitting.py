"""Sizes of tiles whose data fit a memory: `tile_for_memory`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from usl_core import Procedure
from usl_core.cursors import ForCursor
from usl_core.errors import SchedulingError, UsageError
from usl_stdlib.accesses import Access, accesses, iteration, known_at
from usl_stdlib.bounds import box
from usl_stdlib.expressions import loop_at
from usl_stdlib.ranges import Known, Range
from usl_stdlib.reporting import explained
from usl_stdlib.symbolic import Polynomial, name

Buffers = Mapping[str, int] | Sequence[str]
"""Names of buffers, with the number of copies of each, or one of each."""

MOST = 200_000
"""More combinations of sizes than this are not looked through."""


@dataclass(frozen=True, slots=True)
class _Staged:
    """One buffer of which each tile has a copy: its elements in terms of the sizes, the number of copies, the number of
    times that each element moves (2 where it is read and written), and the innermost loop whose tiles need other elements."""

    name: str
    elements: Polynomial
    copies: int
    moves: int
    depth: int


@explained
def tile_for_memory(
    p: Procedure,
    loops: Sequence[Any],
    memories: Sequence[tuple[Buffers, int]],
    *,
    multiples: Sequence[int] | None = None,
    perfect: bool = False,
    sizes: Mapping[str, int] | None = None,
) -> tuple[int, ...]:
    """Sizes of tiles for which copies of what a tile accesses fit their memories, and the least data move.

        sizes = tile_for_memory(p, ["i", "j", "k"], [({"A": 2, "B": 2}, 256 * 1024), ({"C": 1}, 16 * 1024)],
                                multiples=[16, 16, 16])
        p, tiles = tile_loops(p, ["i", "j", "k"], sizes)

    loops contain each other, the outermost first, and have tiles in this order. Each of memories is a pair of the buffers that
    have copies there, with the number of copies (2 for a double buffer), and its capacity in elements. A size is a multiple
    of the one in multiples, and divides the number of iterations if perfect is set. A buffer is loaded again for each tile but
    those along inner loops that it does not depend on; what is read and written moves twice. Of equals, the first sizes are
    the largest. sizes gives values to formals that bounds depend on.

    Raises:
        SchedulingError: even the smallest tiles do not fit; the number of iterations is not known; a buffer is not accessed;
        an access does not tell which elements a tile needs.
    Also known as: tile size selection.
    """
    found = [loop_at(p, each) for each in loops]
    steps = list(multiples) if multiples is not None else [1] * len(found)
    if len(steps) != len(found) or any(step < 1 for step in steps):
        raise UsageError(
            f"tile_for_memory: a multiple of at least 1 for each loop is wanted, got {steps} for {len(found)} loops"
        )
    for outer, inner in itertools.pairwise(found):
        if not outer.is_ancestor_of(inner):
            raise SchedulingError("the loops must contain each other, outermost first", code="E404")
    trips = [_trips(loop, sizes or {}) for loop in found]
    staged = [(_staged(found, buffers, sizes or {}), capacity) for buffers, capacity in memories]
    candidates = [_candidates(count, step, perfect) for count, step in zip(trips, steps, strict=True)]
    return _best(found, candidates, trips, staged)


def _trips(loop: ForCursor, sizes: Mapping[str, int]) -> int:
    """How often a loop runs."""
    count = iteration(loop).range.size.at(**sizes).constant
    if count is None or count != int(count) or count < 1:
        hint = "hint: sizes gives values to the formals that it depends on"
        message = f"the number of iterations of {loop.name()} is not known, or none"
        raise SchedulingError(message, span=loop.node.span, notes=[hint], code="E415")
    return int(count)


def _candidates(trips: int, step: int, perfect: bool) -> list[int]:
    """The sizes to try, the largest first. A loop that is shorter than a step is one tile."""
    most = -(-trips // step) * step
    found = [size for size in range(most, 0, -step) if not perfect or trips % size == 0]
    return found or [min(step, trips)]


def _staged(loops: Sequence[ForCursor], buffers: Buffers, sizes: Mapping[str, int]) -> list[_Staged]:
    copies = dict(buffers) if isinstance(buffers, Mapping) else dict.fromkeys(buffers, 1)
    made = list(accesses(loops[0]))
    known = known_at(loops[0])
    found = []
    for buffer, count in copies.items():
        own = [each for each in made if each.buffer.name == buffer]
        if not own:
            names = ", ".join(dict.fromkeys(each.buffer.name for each in made))
            raise SchedulingError(f"the loops do not access {buffer}", notes=[f"those they do: {names}"], code="E404")
        found.append(_of_a_tile(loops, buffer, own, known, sizes, count))
    return found


def _of_a_tile(
    loops: Sequence[ForCursor], buffer: str, own: list[Access], known: Known, sizes: Mapping[str, int], copies: int
) -> _Staged:
    """What a tile needs of one buffer: the loops run over as many iterations as their tiles have, from wherever they start."""
    tiles = {loop.name(): depth for depth, loop in enumerate(loops)}
    elements = box([_in_a_tile(each, tiles) for each in own], known).elements.at(**sizes)
    left = elements.names() - {_size(depth) for depth in tiles.values()}
    if left:
        message = f"the elements of {buffer} that a tile needs depend on {', '.join(sorted(left))}"
        raise SchedulingError(message, notes=["hint: sizes gives values to formals"], code="E404")
    kinds = {each.kind for each in own}
    moves = 2 if "reduce" in kinds or {"read", "write"} <= kinds else 1
    used = [tiles[n] for each in own for index in each.index if index is not None for n in index.names() & set(tiles)]
    return _Staged(buffer, elements, copies, moves, max(used, default=-1))


def _in_a_tile(access: Access, tiles: Mapping[str, int]) -> Access:
    ranges = [
        replace(each, range=Range(name(f"{each.name} start"), name(f"{each.name} start") + name(_size(tiles[each.name]))))
        if each.name in tiles
        else each
        for each in access.iterators
    ]
    return replace(access, iterators=tuple(ranges), nonnegative=())


def _size(depth: int) -> str:
    """How the size of the tiles of a loop is called in polynomials; no program has such a name."""
    return f"size {depth}"


def _best(
    loops: Sequence[ForCursor],
    candidates: Sequence[Sequence[int]],
    trips: Sequence[int],
    memories: Sequence[tuple[list[_Staged], int]],
) -> tuple[int, ...]:
    count = 1
    for each in candidates:
        count *= len(each)
    if count > MOST:
        raise SchedulingError(f"{count} combinations of sizes; give larger multiples", code="E404")
    best, least = None, 0
    for chosen in itertools.product(*candidates):
        at = {_size(depth): size for depth, size in enumerate(chosen)}
        if any(_room(staged, at) > capacity for staged, capacity in memories):
            continue
        moved = sum(_moved(each, at, chosen, trips) for staged, _ in memories for each in staged)
        if best is None or moved < least:
            best, least = chosen, moved
    if best is None:
        raise _does_not_fit(loops, [each[-1] for each in candidates], memories)
    return best


def _amount(value: Polynomial, at: Mapping[str, int]) -> int:
    number = value.at(**at).constant
    assert number is not None
    return int(number)


def _room(staged: Sequence[_Staged], at: Mapping[str, int]) -> int:
    return sum(_amount(each.elements, at) * each.copies for each in staged)


def _moved(staged: _Staged, at: Mapping[str, int], chosen: Sequence[int], trips: Sequence[int]) -> int:
    """The elements of one buffer that all tiles load and store."""
    loads = 1
    for size, count in list(zip(chosen, trips, strict=True))[: staged.depth + 1]:
        loads *= -(-count // size)
    return loads * _amount(staged.elements, at) * staged.moves


def _does_not_fit(
    loops: Sequence[ForCursor], smallest: Sequence[int], memories: Sequence[tuple[list[_Staged], int]]
) -> SchedulingError:
    at = {_size(depth): size for depth, size in enumerate(smallest)}
    tile = " x ".join(map(str, smallest))
    notes = [
        f"{each.name}: {_amount(each.elements, at)} elements" + (f", {each.copies} copies" if each.copies > 1 else "")
        for staged, capacity in memories
        if _room(staged, at) > capacity
        for each in staged
    ]
    over = next((_room(staged, at), capacity) for staged, capacity in memories if _room(staged, at) > capacity)
    message = f"a tile of {tile} needs {over[0]} elements of a memory that has {over[1]}"
    return SchedulingError(message, span=loops[0].node.span, notes=notes, code="E404")
