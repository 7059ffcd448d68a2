"""What extents must at least be so that tiles can be shifted inwards: one condition for a whole schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from usl_core.inspect import prove
from usl_halide_lib.directives import Directive, TailStrategy
from usl_halide_lib.order import Key, key, loop_order
from usl_halide_lib.places import text_of
from usl_halide_lib.working import Working


def conditions(working: Working, directives: Iterable[Directive], of_stage: Callable[[Key], list[Directive]]) -> list[str]:
    """The conditions under which all tails that are ShiftInwards have a full tile, where they are not known to hold.

    Loops of funcs that are computed in loops of others have the extents of tiles, and need none.
    """
    found = list(directives)
    elsewhere = {each.func for each in found if each.name in ("compute_at", "compute_inline")}
    wanted: dict[str, None] = {}
    for at in dict.fromkeys(key(each) for each in found):
        if at[0] in elsewhere or at[0] not in working.funcs or at[1] >= len(working.funcs[at[0]].stages):
            continue
        stage = working.funcs[at[0]].stages[at[1]]
        extents = {name: f"({text_of(loop.hi())}) - ({text_of(loop.lo())})" for name, loop in stage.loops.items()}
        mine = of_stage(at)
        for each in [*loop_order(mine, stage.loops), *(one for one in mine if one.name in ("vectorize", "unroll"))]:
            _follow(each, extents, wanted)
    top = working.p
    return [each for each in wanted if prove(top, each) is not True]


def _follow(directive: Directive, extents: dict[str, str], wanted: dict[str, None]) -> None:
    """The extents after a directive, and what it wants."""
    match directive.name, directive.args:
        case "split", (old, outer, inner, int() as factor, tail) if old in extents and factor > 0:
            extent = extents.pop(old)
            if tail is TailStrategy.ShiftInwards:
                wanted[f"{extent} >= {factor}"] = None
            extents[outer], extents[inner] = f"({extent} + {factor - 1}) / {factor}", str(factor)
        case "fuse", (inner, outer, fused):
            extents.pop(inner, None)
            extents.pop(outer, None)
            del fused
        case "rename", (old, new) if old in extents:
            extents[new] = extents.pop(old)
        case (("vectorize" | "unroll"), (name, int() as factor, TailStrategy.ShiftInwards)) if name in extents:
            wanted[f"{extents[name]} >= {factor}"] = None
