"""Sliding windows and circular buffers, found automatically: halide.md, part I.6; Qian 2024, fig. 4.4a.

Where a func is stored outside of the loop that it is computed in, what an earlier iteration has computed is not computed
again, and only the places that are still needed are kept.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

from usl_core.errors import SchedulingError, Undecided
from usl_core.scheduling import guard_redundant, resize_dim
from usl_halide_lib.compute import Move, Placed, difference, substituted
from usl_halide_lib.directives import Directive
from usl_halide_lib.places import text_of
from usl_halide_lib.working import Working


def slide(working: Working, placed: Placed, store: Any) -> dict[int, list[Move]]:
    """Skip what is there already. The moves of each dimension with the loops inside of store."""
    inside = _inside(working, placed, store)
    found: dict[int, list[Move]] = {}
    for dim, moves in placed.moves.items():
        within = [move for move in moves if working.at(move.loop) in inside]
        if within:
            found[dim] = within
    for dim, moves in found.items():
        _slide_along(working, placed, dim, moves)
    for loop in placed.still:
        if working.at(loop) in inside:
            _once(working, placed, working.at(loop))
    return found


def _inside(working: Working, placed: Placed, store: Any) -> list[Any]:
    """The loops that a func was moved into, inside of the one that it is stored in."""
    loops = [working.at(each) for each in placed.loops]
    return loops if store is None else loops[loops.index(working.at(store)) + 1 :]


def _slide_along(working: Working, placed: Placed, dim: int, moves: list[Move]) -> None:
    name = placed.func.dims[dim]
    assert name is not None
    tile, last = placed.func.stages[0].loops[name], moves[-1]
    own, mover = working.at(tile).name(), working.at(last.loop).name()
    first = " and ".join(f"{working.at(move.loop).name()} == 0" for move in moves)
    conditions = []
    step, length = _step(last, mover), last.extent.constant
    if step is not None and length is not None:
        if step >= length:
            return
        conditions.append(f"{first} or {own} >= {length - step}")
    before = substituted(str(last.hi), mover, f"({mover} - 1)")
    conditions.append(f"{first} or {last.lo} + {own} >= {before}")
    why: SchedulingError | Undecided | None = None
    for condition in conditions:
        why = working.attempt(partial(working.do, guard_redundant, working.at(tile).body(), condition))
        if why is None:
            return
    assert why is not None
    working.log.remark(placed.func.name, f"does not slide along {name}: {why.message}")


def _once(working: Working, placed: Placed, loop: Any) -> None:
    """What does not depend on a loop is computed in its first iteration."""
    root = working.at(placed.func.stages[0].write)
    while (above := root.parent()) and above != working.at(placed.loops[-1]):
        root = above
    why = working.attempt(lambda: working.do(guard_redundant, root, f"{loop.name()} == 0"))
    if why is not None:
        working.log.remark(placed.func.name, f"computed in each iteration of {loop.name()}: {why.message}")


def _step(move: Move, mover: str) -> int | None:
    """How far a tile's end moves in one iteration, if that is always the same number."""
    ends = [move.hi.at(**{mover: each}) for each in (0, 1, 2, 7)]
    steps = [difference(after, before) for before, after in pairwise(ends[:3])]
    far = difference(ends[3], ends[0])
    if None in steps or len(set(steps)) != 1 or far != 7 * steps[0]:
        return None
    return int(steps[0])


def fold(working: Working, placed: Placed, moves: dict[int, list[Move]], wanted: dict[str, Directive]) -> None:
    """Keep so many places of each dimension that slides as are alive at once, or as many as a fold_storage says."""
    func = placed.func
    for name, directive in wanted.items():
        if name not in func.dims:
            raise directive.refuse(f"{func.name} has no dimension {name}", "E775")
        if func.dims.index(name) not in moves:
            raise directive.refuse(f"nothing slides along {name}", "E775", ["hint: store it further out than it is computed"])
    for dim, within in moves.items():
        name = str(func.dims[dim])
        if name in wanted:
            directive = wanted[name]
            with working.applying(directive):
                working.do(resize_dim, working.at(func.buffer), dim, directive.args[1], 0, fold=True)
            continue
        window = within[-1].most
        if not window:
            working.log.remark(
                func.name, f"not folded along {name}: the window has {within[-1].extent} places, which is no number"
            )
            continue
        places = 1 << (window - 1).bit_length()
        extent = text_of(working.at(func.buffer).shape()[dim])
        if extent.isdecimal() and int(extent) <= places:
            continue
        why = working.attempt(partial(working.do, resize_dim, working.at(func.buffer), dim, places, 0, fold=True))
        text = f"folded along {name} to {places} places" if why is None else f"not folded along {name}: {why.message}"
        working.log.remark(func.name, text)
