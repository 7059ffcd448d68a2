"""Tails of splits: what `divide_loop` and `vectorize` are asked for. Halide.md, part I.4."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from usl_core.inspect import prove
from usl_core.scheduling import resize_dim
from usl_halide_lib.directives import Directive, TailStrategy
from usl_halide_lib.order import made
from usl_halide_lib.places import Stage, iterator_plus, reads, text_of
from usl_halide_lib.working import Working
from usl_stdlib import walk

MASKED = (
    TailStrategy.Predicate,
    TailStrategy.PredicateLoads,
    TailStrategy.PredicateStores,
    TailStrategy.ShiftInwardsAndBlend,
    TailStrategy.RoundUpAndBlend,
)
"""Tails that want masked instructions where the loop is vectorised, and are guards elsewhere."""


def tail_of(working: Working, directive: Directive, loop: Any, factor: int, tail: TailStrategy, guarded: bool) -> str:
    """The tail of `divide_loop` for a directive that divides a loop of a stage.

    guarded says that the inner loop must have a constant extent, so that a guard is an `if` and not the end of the loop.

    Raises:
        DirectiveError: the tail is none for this stage.
    """
    stage = working.stage(directive)
    require_factor(directive, factor, "E777")
    if not isinstance(tail, TailStrategy):
        raise directive.refuse(f"the tail is one of TailStrategy, got {tail}", "E777")
    if divides(loop, factor):
        return "perfect"
    guard = "guard" if guarded else "bound"
    match tail:
        case TailStrategy.ShiftInwards:
            require_pure(directive, stage, loop, tail)
            return "shift_inwards" if can_shift(working, stage, loop, factor) else guard
        case TailStrategy.RoundUp:
            require_pure(directive, stage, loop, tail)
            make_room(working, directive, stage, loop, factor)
            return "round_up"
        case TailStrategy.RoundUpAndBlend:
            if stage.number == 0:
                require_pure(directive, stage, loop, tail)
            return guard
        case TailStrategy.Auto if stage.number == 0 and stage.func.local and is_pure(stage, loop) and not guarded:
            return "shift_inwards" if enough(loop, factor) else guard
        case _:
            return guard


def require_factor(directive: Directive, factor: object, code: str) -> None:
    """A factor is a positive number; one that is an expression is not supported."""
    if isinstance(factor, str):
        hint = "hint: a number; sizes that are known are numbers after partial_eval"
        raise directive.refuse(f"a factor that is an expression is not supported, got {factor!r}", "E770", [hint])
    if not isinstance(factor, int) or factor < 1:
        raise directive.refuse(f"the factor must be a positive number, got {factor}", code)


def can_shift(working: Working, stage: Stage, loop: Any, factor: int) -> bool:
    """Whether the tiles of a loop can be shifted inwards. What a func that is computed in a loop of another one has less than a
    tile of is cut short instead."""
    if working.only_guards:
        return False
    if enough(loop, factor):
        return True
    working.log.remark(stage.func.name, f"tiles of {factor} are cut short and not shifted, as {text_of(loop.hi())} may be less")
    return False


def divides(loop: Any, factor: int) -> bool:
    """Whether a factor is known to divide the number of iterations of a loop."""
    hi = text_of(loop.hi())
    return (hi.isdecimal() and int(hi) % factor == 0) or (not hi.isdecimal() and prove(loop, f"({hi}) % {factor} == 0") is True)


def enough(loop: Any, factor: int) -> bool:
    """Whether a loop is known to have as many iterations as a tile."""
    hi = text_of(loop.hi())
    return int(hi) >= factor if hi.isdecimal() else prove(loop, f"{hi} >= {factor}") is True


def is_pure(stage: Stage, loop: Any) -> bool:
    """Whether a loop of a first stage runs over one of the dimensions of its func."""
    write = loop.proc().forward(stage.writes[0])
    return any(iterator_plus(index)[0] == loop.name() for index in write.idx())


def require_pure(directive: Directive, stage: Stage, loop: Any, tail: TailStrategy) -> None:
    """A tail that runs iterations twice or in vain is for the loops of a first stage over the dimensions of its func."""
    if stage.number > 0:
        raise directive.refuse(
            f"{tail.name} would run iterations of an update twice or in vain", "E777", ["hint: GuardWithIf is for every stage"]
        )
    write = loop.proc().forward(stage.writes[0])
    inside = any(part.name() == loop.name() for index in write.idx() for part in walk(index, "reads"))
    if not inside:
        raise directive.refuse(
            f"{tail.name} would add iterations of {loop.name()} again, which is no dimension of {stage.func.name}",
            "E777",
            ["hint: GuardWithIf is for every loop"],
        )


def make_room(working: Working, directive: Directive, stage: Stage, loop: Any, factor: int) -> None:
    """Let a local func, and the local funcs that it reads, be large enough for full tiles."""
    hi = text_of(loop.hi())
    if not stage.func.local:
        example = f"{hi} rounded up to a multiple of {factor}"
        raise directive.refuse(
            f"{stage.func.name} is an argument, and RoundUp needs {example} places",
            "E774",
            ["hint: use GuardWithIf, or give a larger buffer"],
        )
    name = loop.name()
    for func in working.funcs.values():
        if not func.local:
            continue
        places = (
            [working.at(stage.writes[0])]
            if func is stage.func
            else [
                read
                for stmt in reads(working.block_of(stage.write), func.name)
                for read in walk(stmt, "reads")
                if read.name() == func.name
            ]
        )
        alloc = working.at(func.buffer)
        for dim, extent in enumerate(alloc.shape()):
            if any(part.name() == name for place in places for part in walk(place.idx()[dim], "reads")):
                working.do(resize_dim, alloc, dim, f"{text_of(extent)} + {factor - 1}", 0)


def needs_guard(stage_directives: Iterable[Directive], split: Directive, places: frozenset[str]) -> bool:
    """Whether the inner loop of a split needs a constant extent: it is unrolled, vectorised, fused, divided, or put outside.

    places are the loops in which other funcs are computed, for which a guard would be in the way.
    """
    inner, outer = made(split)[1], made(split)[0]
    for each in stage_directives:
        match each.name:
            case "unroll" | "vectorize" if each.args[0] == inner and each.args[1] is None:
                return True
            case "fuse" if inner in each.args[:2]:
                return True
            case "split" if each.args[0] == inner and not places & {inner, *made(each)}:
                return True
            case "reorder" if inner in each.args and outer in each.args:
                if each.args.index(outer) < each.args.index(inner):
                    return True
    return False
