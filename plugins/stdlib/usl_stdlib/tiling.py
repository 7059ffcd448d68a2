"""Blocks of a loop nest: `tile_loops`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from usl_core import Procedure
from usl_core.cursors import ForCursor, IfCursor
from usl_core.errors import SchedulingError, UsageError
from usl_core.scheduling import divide_loop, fission, lift_scope, reorder_loops
from usl_stdlib.expressions import fresh, loop_at
from usl_stdlib.reporting import Places, explained


@dataclass(frozen=True, slots=True, repr=False)
class Tiles(Places):
    """What `tile_loops` created: the loops over tiles and the loops inside of a tile, outermost first, and for the loops that
    have a tail of their own the loops over what does not fill a tile."""

    outer: tuple[ForCursor, ...]
    inner: tuple[ForCursor, ...]
    tails: tuple[ForCursor, ...]


@explained
def tile_loops(
    p: Procedure, loops: Sequence[Any], factors: Sequence[int], tail: str = "cut", perfect: bool = False
) -> tuple[Procedure, Tiles]:
    """Divide loops that contain each other and bring the loops over tiles outside.

                                         for io in seq(0, n / 4):
        for i in seq(0, n):                  for jo in seq(0, m / 8):
            for j in seq(0, m):      ~>          for ii in seq(0, 4):
                s                                    for ji in seq(0, 8):
                                                         s

    is `tile_loops(p, ["i", "j"], [4, 8], tail="perfect")`. tail and perfect are those of `divide_loop`. With "cut", what does
    not fill a tile gets loops of its own, which are not tiled further.

    Returns the procedure and the `Tiles`.

    Raises:
        SchedulingError: the loops do not contain each other, outermost first; iterations that change places depend on each
        other; what `divide_loop` raises.
    Also known as: blocking, tile (Halide, TVM).
    """
    for what, given in (("loops", loops), ("factors", factors)):
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise UsageError(f"{what} are a list, one for each loop, got {given!r}")
    found = [loop_at(p, each) for each in loops]
    if len(found) != len(factors) or not found:
        raise SchedulingError(f"a factor for each loop is wanted, got {len(found)} and {len(factors)}", code="E404")
    for outer, inner in pairwise(found):
        if outer == inner or not outer.is_ancestor_of(inner):
            raise SchedulingError("the loops must contain each other, outermost first", code="E404")

    inners: list[Any] = []
    tails: list[Any] = []
    for depth, (loop, factor) in enumerate(zip(found, factors, strict=True)):
        name = loop.name()
        p = divide_loop(p, loop, factor, [fresh(p, f"{name}o"), fresh(p, f"{name}i")], tail=tail, perfect=perfect)
        if not perfect and tail.startswith("cut"):
            rest = p.forward(loop).next()
            tails.append(rest.body()[0] if isinstance(rest, IfCursor) else rest)
        inners.append(p.forward(loop).body()[0])
        if depth:
            p = _raise(p, loop, found[depth - 1])
    forward = [tuple([p.forward(each) for each in group]) for group in (found, inners, tails)]
    return p, Tiles(*forward)


def _raise(p: Procedure, loop: Any, around: Any) -> Procedure:
    """A loop brought directly into another one, out of the loops and branches between."""
    while (here := p.forward(loop)).parent() != p.forward(around):
        if here.next():
            p = fission(p, here.after())
        if p.forward(loop).prev():
            p = fission(p, p.forward(loop).before())
        here = p.forward(loop)
        p = lift_scope(p, here) if isinstance(here.parent(), IfCursor) else reorder_loops(p, here.parent())
    return p
