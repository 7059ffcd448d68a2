"""compute_at: the stages of a func move into a loop of a consumer, which then computes what one iteration needs.

Halide.md, part I.5; Qian 2024, §4.2.3. Each step is an operator that proves itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

from usl_core.cursors import AllocCursor, ForCursor, IfCursor
from usl_core.errors import SchedulingError
from usl_core.inspect import prove
from usl_core.scheduling import (
    add_loop,
    clone_buffer,
    cut_loop,
    delete_buffer,
    delete_dead_writes,
    divide_with_recompute,
    eliminate_dead_code,
    fission,
    fuse,
    lift_scope,
    reorder_loops,
    reorder_stmts,
    unroll_loop,
)
from usl_halide_lib.directives import Directive
from usl_halide_lib.infer import Box, bounds
from usl_halide_lib.loops import start_at_zero, swap
from usl_halide_lib.places import Func, Stage, around, find_funcs, iterator_plus, reads, statements, text_of
from usl_halide_lib.working import Working
from usl_stdlib import bound_loop_by_if, walk


@dataclass(slots=True)
class Move:
    """That a tile of a dimension moves with a loop: the tile is [lo, hi) in the loop's body, most a number of places that it
    does not exceed."""

    loop: Any
    lo: str
    hi: Any
    extent: Any
    most: int | None


@dataclass(slots=True)
class Placed:
    """A func after compute_at: the loops that it moved into, outermost first, and how its tiles move with each."""

    func: Func
    loops: list[Any]
    moves: dict[int, list[Move]] = field(default_factory=dict)
    whole: dict[int, tuple[str, str]] = field(default_factory=dict)
    """The dimensions that move with a loop beside the one that is computed tile by tile, and the places that are read."""
    still: list[Any] = field(default_factory=list)
    """The loops in each iteration of which the same is computed."""


def target(working: Working, directive: Directive, number: int | None = None) -> tuple[Stage, Any]:
    """The stage and the loop that a directive names by a func and a loop of it: in the last stage that has it, or in one."""
    name, var = directive.args[:2]
    consumer = working.func(name, directive)
    stages = consumer.stages if number is None else [consumer.stages[number]]
    for stage in reversed(stages):
        if var in stage.loops and isinstance(found := working.at(stage.loops[var]), ForCursor):
            return stage, found
    for stage in stages:
        if var in stage.gone:
            raise directive.refuse(f"{stage} has no loop {var} any more: {stage.gone[var]}", "E773")
    known = dict.fromkeys(var for stage in stages for var in working.order(stage))
    shown = name if number is None else stages[0]
    raise directive.refuse(f"{shown} has no loop {var}; its loops are {', '.join(known) or 'none'}", "E773")


def place(working: Working, directive: Directive, func: Func, number: int | None = None) -> Placed:
    """Move all stages of a func into the loop that a compute_at names, and into those around that one."""
    if not func.local:
        raise directive.refuse(f"{func.name} is an argument, and stays where it is", "E773")
    if func.name == directive.args[0]:
        raise directive.refuse("a func cannot be computed in itself", "E773")
    _, loop = target(working, directive, number)
    require_consumers_inside(working, directive, func, loop)
    loops = [*reversed([each for each in around(loop) if _is_below_root(working, each)]), loop]
    for each in loops:
        _guards_as_ends(working, directive, each, loop)
        start_at_zero(working, each)
    top = working.block_of(loop)
    _gather(working, func, top)
    _one_nest(working, func)
    placed = Placed(func, loops)
    origins = [str(_offset(working, func, dim)) for dim in range(len(func.dims))]
    for each in loops:
        _into(working, placed, each, origins)
    return placed


def _is_below_root(working: Working, loop: Any) -> bool:
    return working.root is None or working.at(working.root).is_ancestor_of(loop)


def require_consumers_inside(working: Working, directive: Directive, func: Func, loop: Any) -> None:
    """Whatever reads a func does so in the body of the loop, its own stages aside."""
    own = [working.block_of(stage.write) for stage in func.stages]
    found = [stmt for top in _block(working) if top not in own for stmt in reads(top, func.name)]
    if not found:
        raise directive.refuse(f"nothing reads {func.name}", "E773")
    if all(working.at(loop).is_ancestor_of(stmt) for stmt in found):
        return
    legal = [each for each in around(found[0]) if all(each.is_ancestor_of(stmt) for stmt in found)]
    names = [_named(working, each) for each in reversed(legal)]
    note = (
        f"legal places: {', '.join(names)}"
        if names
        else "legal places: none but root, as statements without a common loop read it"
    )
    outside = next(stmt for stmt in found if not working.at(loop).is_ancestor_of(stmt))
    notes = [f"read of {func.name} in: {text_of(outside)}", note]
    raise directive.refuse(f"{func.name} is read outside of that loop too", "E773", notes)


def _named(working: Working, loop: Any) -> str:
    """A loop as directives name it."""
    for func in working.funcs.values():
        for stage in func.stages:
            for name, cursor in stage.loops.items():
                if working.at(cursor) == loop:
                    return f"{stage}.{name}"
    return str(loop.name())


def _block(working: Working) -> list[Any]:
    """The statements of the block that is worked on."""
    if working.root is None:
        return list(working.p.body())
    first = next(stage for func in working.funcs.values() for stage in func.stages)
    return list(working.block_of(first.write).expand())


def separate_consumers(working: Working, directive: Directive) -> list[tuple[Func, int | None]]:
    """A func, and clones of it for all stages of the consumer but the last that read it, each with the stage that reads it.

    That is None where it is not known, as statements of other funcs read it too, or stages share a loop.
    """
    func = working.func(directive.func, directive)
    consumer = working.func(directive.args[0], directive)
    tops = [working.block_of(stage.write) for stage in consumer.stages]
    own = [working.block_of(stage.write) for stage in func.stages]
    readers = [top for top in _block(working) if top not in own and any(True for _ in reads(top, func.name))]
    if not func.local or not readers or not all(top in tops for top in readers) or len(set(tops)) < len(tops):
        return [(func, None)]
    if len(readers) == 1:
        return [(func, tops.index(readers[0]))]
    found: list[tuple[Func, int | None]] = []
    for each in readers[:-1]:
        top = working.at(each)
        name = working.fresh(f"{func.name}_{len(found)}")
        working.do(clone_buffer, func.buffer, top, name)
        clone = find_funcs(working.p, _block(working))[name]
        working.funcs[name] = clone
        found.append((clone, tops.index(each)))
    working.log.remark(func.name, f"computed {len(readers)} times, once in each stage of {consumer.name} that reads it")
    return [*found, (func, tops.index(readers[-1]))]


def _guards_as_ends(working: Working, directive: Directive, loop: Any, last: Any) -> None:
    """Let the guard of a tile's tail be the end of its loop, so that only loops lie between a func and its place."""
    while working.at(loop) != working.at(last):
        body = working.at(loop).body()
        guard = next((stmt for stmt in body if isinstance(stmt, IfCursor) and stmt.is_ancestor_of(working.at(last))), None)
        if guard is None:
            return
        try:
            working.do(bound_loop_by_if, working.at(loop))
        except SchedulingError as error:
            raise directive.refuse(f"a condition is between the loops: {error.message}", "E773", error.notes) from error


def _gather(working: Working, func: Func, top: Any) -> None:
    """Bring the stages directly before a statement of their block."""
    below = top
    for stage in reversed(func.stages):
        root = working.block_of(stage.write)
        while (here := working.at(root)).next() != working.at(below):
            working.do(reorder_stmts, here.expand(0, 1))
        below = root


def companions(working: Working, func: Func) -> list[Func]:
    """The other local buffers that are written by the statements that write func: elements of a tuple."""
    roots = {id(stage.root.node) for stage in func.stages}
    return [
        other
        for other in working.funcs.values()
        if other is not func and other.local and other.stages and all(id(stage.root.node) in roots for stage in other.stages)
    ]


def elements_apart(working: Working, elements: Sequence[Func]) -> list[Func]:
    """The elements of a tuple of one stage as funcs with loops of their own; none if it has more stages, or is no tuple.

    A producer that may be repeated writes one buffer, so that elements are moved into a loop one by one where two iterations
    need a place.

    Raises:
        SchedulingError: the elements have more in common than their loops.
    """
    if len(elements) == 1 or len(elements[0].stages) > 1:
        return []
    depth = len(elements[0].stages[0].loops)
    for before, each in pairwise(elements):
        last, write = working.at(before.stages[0].write), working.at(each.stages[0].write)
        gap = last.after() if last.parent() == write.parent() else write.before()  # sums and scalars of an element go with it
        working.do(fission, gap, n_lifts=depth)
    found = find_funcs(working.p, _block(working))
    for each in elements:
        found[each.name].dims = list(each.dims)
        working.funcs[each.name] = found[each.name]
    working.log.remark(elements[0].name, "its elements have loops of their own, as two iterations need a place")
    return [working.funcs[each.name] for each in elements]


def drop_unread(working: Working, element: Func) -> bool:
    """Leave out an element of a tuple that nothing reads; whether it is one."""
    own = working.block_of(element.stages[0].write)
    if any(True for top in _block(working) if top != own for _ in reads(top, element.name)):
        return False
    working.do(delete_dead_writes, own)
    working.do(delete_buffer, element.buffer)
    del working.funcs[element.name]
    working.log.remark(element.name, "left out, as nothing reads this element")
    return True


def _one_nest(working: Working, func: Func) -> None:
    """Fuse the stages over the dimensions that all of them keep, so that one nest of loops makes whole places."""
    first = func.stages[0]
    for dim in func.dims:
        if dim is not None:
            start_at_zero(working, first.loops[dim])
    if len(func.stages) == 1:
        return
    kept = [dim for dim in range(len(func.dims)) if _is_kept(working, func, dim)]
    func.dims = [name if dim in kept else None for dim, name in enumerate(func.dims)]
    order = [name for name in working.order(first) if name in func.dims]
    _outermost(working, first, order)
    for stage in func.stages[1:]:
        index = working.at(stage.write).idx()
        names = {str(func.dims[dim]): _loop_of(working, stage, iterator_plus(index[dim])[0]) for dim in kept}
        for name in names.values():
            start_at_zero(working, stage.loops[name])
        _outermost(working, stage, [names[each] for each in order])
        for each in order:
            mine = names[each]
            working.do(fuse, working.at(first.loops[each]), working.at(stage.loops[mine]))
            fused = working.at(stage.loops[mine])
            for other in func.stages[: stage.number]:
                for name, cursor in other.loops.items():
                    if not (now := working.at(cursor)) or now == fused or name == each:
                        other.loops[name] = fused if name == each or not now else cursor
            first.loops[each] = fused


def _is_kept(working: Working, func: Func, dim: int) -> bool:
    """Whether each stage has one loop for a dimension, in which it touches that one place in the dimension only."""
    if func.dims[dim] is None:
        return False
    for stage in func.stages[1:]:
        names = set()
        for write in stage.writes:
            stmt = working.at(write)
            places = [stmt.idx(), *(each.idx() for each in walk(stmt.rhs(), "reads") if each.name() == func.name)]
            names |= {iterator_plus(place[dim]) for place in places}
        (iterator, offset), *more = names
        if more or not _loop_of(working, stage, iterator) or offset != func.offsets[dim]:
            return False
    return True


def _loop_of(working: Working, stage: Stage, iterator: str | None) -> str:
    """The name under which directives know the loop of an iterator, "" if there is none."""
    known = {working.at(loop).name(): name for name, loop in stage.loops.items() if isinstance(working.at(loop), ForCursor)}
    return known.get(iterator, "")


def _outermost(working: Working, stage: Stage, names: Sequence[Any]) -> None:
    """Bring loops of a nest outside, the first of them outermost."""
    for position, name in enumerate(names):
        while (now := working.order(stage)).index(name) > position:
            swap(working, stage, now[now.index(name) - 1], name)


def _offset(working: Working, func: Func, dim: int) -> int:
    return iterator_plus(working.at(func.stages[0].writes[0]).idx()[dim])[1]


def narrow(working: Working, placed: Placed) -> None:
    """Drop what an iteration of the innermost loop computes and does not read, in the dimensions of which it computes all.

    The func must be stored in that loop: else later iterations read it.
    """
    func = placed.func
    for dim, places in placed.whole.items():
        own, origin = func.stages[0].loops[str(func.dims[dim])], str(_offset(working, func, dim))
        lo, hi = (relative(each, origin) for each in places)
        saved = [(stage, list(stage.writes), dict(stage.loops)) for stage in func.stages]

        def step(own: Any = own, lo: str = lo, hi: str = hi) -> None:
            if prove(working.at(own), f"{hi} >= {text_of(working.at(own).hi())}") is not True:
                _drop_after(working, own, hi)
            if prove(working.at(own), f"{lo} <= 0") is not True:
                _drop_before(working, func, own, lo)

        if (why := working.attempt(step)) is not None:
            for stage, writes, loops in saved:
                stage.writes, stage.loops = writes, loops
            working.log.remark(func.name, f"dimension {dim} is computed whole: {why.message}")


def _drop_after(working: Working, loop: Any, place: str) -> None:
    """Drop the iterations from a place on, whose values nothing reads."""
    working.do(cut_loop, working.at(loop), place)
    working.do(delete_dead_writes, working.at(loop).next())


def _drop_before(working: Working, func: Func, loop: Any, place: str) -> None:
    """Drop the iterations before a place, whose values nothing reads."""
    working.do(cut_loop, working.at(loop), place)
    before = working.at(loop)
    for stage in func.stages:
        transfer(working, stage, before, before.next())
    working.do(delete_dead_writes, before)
    for stage in func.stages:
        for each in stage.loops.values():
            start_at_zero(working, each)


def transfer(working: Working, stage: Stage, old: Any, new: Any) -> None:
    """Let a stage be in the copy new of a statement instead of in old."""
    copies = dict(zip(statements(old), statements(new), strict=True))
    stage.writes = [copies.get(working.at(each), each) for each in stage.writes]
    stage.loops = {name: copies.get(working.at(each), each) for name, each in stage.loops.items()}
    stage.root = copies.get(working.at(stage.root), stage.root)


def copied(working: Working, old: Any, new: Any) -> Working:
    """What is known of the code old, known of its copy new."""
    copies = dict(zip(statements(old), statements(new), strict=True))

    def there(cursor: Any) -> Any:
        return copies.get(working.at(cursor), cursor)

    def stage_there(stage: Stage, func: Func) -> Stage:
        loops = {name: there(loop) for name, loop in stage.loops.items()}
        return replace(stage, func=func, root=there(stage.root), writes=[*map(there, stage.writes)], loops=loops)

    funcs = {name: replace(func, buffer=there(func.buffer)) for name, func in working.funcs.items()}
    for func in funcs.values():
        func.stages = [stage_there(stage, func) for stage in func.stages]
    branches = {key: stage_there(stage, funcs[key[0]]) for key, stage in working.branches.items()}
    return Working(working.p, funcs, working.root, branches=branches, used=set(working.used))


def _into(working: Working, placed: Placed, loop: Any, origins: list[str]) -> None:
    """Move a func, which stands before a loop, into the body of that loop, with the tile that the body reads."""
    func = placed.func
    loop = working.at(loop)
    box = _read(working, func, loop)
    moving = [dim for dim in range(len(func.dims)) if _moves(box, dim, loop.name()) and func.dims[dim] is not None]
    if moving:
        part = _divide(working, func, moving[0], box, loop, origins)
        dim = moving[0]
        placed.moves.setdefault(dim, []).append(Move(loop, str(box.lo[dim]), box.hi[dim], box.extent[dim], box.most[dim]))
        placed.whole |= {dim: (str(box.lo[dim]), str(box.hi[dim])) for dim in moving[1:]}
    else:
        part = _repeat(working, func, loop)
        placed.still.append(loop)
        working.log.remark(func.name, f"computed anew in each iteration of {loop.name()}")
    while (here := working.at(part)).next() != working.at(loop):
        working.do(reorder_stmts, here.expand(0, 1))
    working.do(fuse, working.at(part), working.at(loop))


def _read(working: Working, func: Func, loop: Any) -> Box:
    """The places of a func that an iteration of a loop reads, of all elements if it is a tuple."""
    box = bounds(working.p, working.at(func.buffer), loop.body(), kinds=("read",))
    for other in companions(working, func):
        try:
            more = bounds(working.p, working.at(other.buffer), loop.body(), kinds=("read",))
        except SchedulingError:
            continue  # this element is not read
        box = _hull(box, more) or box
    return box


def _hull(one: Box, other: Box) -> Box | None:
    """The places of two boxes, if it is known which begins and which ends first."""
    if len(one.lo) != len(other.lo):
        return None
    ends: list[tuple[Any, Any, int | None]] = []
    for dim, (lo, hi, most) in enumerate(zip(one.lo, one.hi, one.most, strict=True)):
        before, behind = difference(lo, other.lo[dim]), difference(other.hi[dim], hi)
        if before is None or behind is None:
            return None
        first, last = other.lo[dim] if before > 0 else lo, other.hi[dim] if behind > 0 else hi
        ends.append((first, _less(last, first), None if most is None else most + int(max(before, 0) + max(behind, 0))))
    lows, extents, mosts = zip(*ends, strict=True) if ends else ((), (), ())
    return replace(one, lo=lows, extent=extents, most=mosts)


def _moves(box: Box, dim: int, name: str) -> bool:
    return name in box.lo[dim].names() | box.extent[dim].names()


def _divide(working: Working, func: Func, dim: int, box: Box, loop: Any, origins: list[str]) -> Any:
    """The loop over a dimension in tiles, one for each iteration of loop, outermost in its nest; the loop over the tiles."""
    name = str(func.dims[dim])
    inner = working.fresh(f"{func.name}_{name}")
    why: Exception | None = None
    for narrowed in (None, *_ranges(box, dim, loop)):
        for extent in _extents(box, dim, loop.name()):
            step = partial(_tiles, working, func, dim, box, loop, origins[dim], extent, inner, narrowed)
            saved = [(stage, list(stage.writes), dict(stage.loops)) for stage in func.stages]
            error = working.attempt(step)
            if error is None:
                break
            for stage, writes, loops in saved:
                stage.writes, stage.loops = writes, loops
            why = why or error
        else:
            continue
        break
    else:
        assert why is not None
        raise why
    tile = working.at(func.stages[0].loops[name])
    outer = tile.parent()
    while (above := working.at(outer).parent()) and above != working.at(loop).parent():
        if isinstance(above, IfCursor):
            working.do(lift_scope, working.at(outer))
        else:
            working.do(reorder_loops, above)
    origins[dim] = str(box.lo[dim])
    return outer


def _ranges(box: Box, dim: int, loop: Any) -> list[tuple[str, str]]:
    """What all iterations of a loop read of a dimension, if the first one reads the first place and the last one the last."""
    last = f"({text_of(loop.hi())} - 1)"
    return [(substituted(str(box.lo[dim]), loop.name(), "0"), substituted(str(box.hi[dim]), loop.name(), last))]


def substituted(text: str, name: str, value: str) -> str:
    """A control expression with another in place of a name."""
    return re.sub(rf"\b{re.escape(name)}\b", value, text)


def _tiles(
    working: Working,
    func: Func,
    dim: int,
    box: Box,
    loop: Any,
    origin: str,
    extent: str,
    inner: str,
    narrowed: tuple[str, str] | None,
) -> None:
    """Divide the loop over a dimension into the tiles that a loop reads, and call the loops over their places as before."""
    name = str(func.dims[dim])
    own = working.at(func.stages[0].loops[name])
    skipped = ""
    if narrowed is not None:
        lo, hi = (relative(each, origin) for each in narrowed)
        if prove(own, f"{hi} >= {text_of(own.hi())}") is not True:
            _drop_after(working, own, hi)
        if prove(working.at(own), f"{lo} <= 0") is not True:
            _drop_before(working, func, own, lo)
            skipped = lo
        own = working.at(func.stages[0].loops[name])
    same = [(stage, each) for stage in func.stages for each, cursor in stage.loops.items() if working.at(cursor) == own]
    base = relative(relative(str(box.lo[dim]), origin), skipped or "0")
    names = [loop.name(), inner]
    stride = _stride(box, dim, loop.name())
    working.do(divide_with_recompute, own, text_of(loop.hi()), stride, names, base=base, extent=extent)
    tile = working.at(own).body()[0]
    for stage, each in same:
        stage.loops[each] = tile


def relative(place: str, origin: str) -> str:
    """A place counted from another one."""
    return place if origin == "0" else f"{place} - ({origin})"


def _extents(box: Box, dim: int, name: str) -> list[str]:
    """The lengths of a tile to try: what is read, and so many places that tiles leave no gap."""
    found = [str(box.extent[dim])]
    stride = _stride(box, dim, name)
    length = box.extent[dim].constant
    if length is not None and length < stride:
        found.append(str(stride))
    return found


def _stride(box: Box, dim: int, name: str) -> int:
    """How far a tile moves from the first iteration to the second where sizes are large; at least 1."""
    lo = box.lo[dim]
    first, second = lo.at(**{name: 0}), lo.at(**{name: 1})
    if (step := difference(second, first)) is None:  # `min(q * io, n - q)` is q in the second iteration if n is large
        large = dict.fromkeys(first.names() | second.names(), 1 << 20)
        step = difference(second.at(**large), first.at(**large))
    return max(1, int(step)) if step is not None else 1


def difference(one: Any, other: Any) -> Any:
    """A value less another, if that is a number; None otherwise."""
    return _less(one, other).constant


def _less(one: Any, other: Any) -> Any:
    return one + other * -1


def _repeat(working: Working, func: Func, loop: Any) -> Any:
    """The nests of a func in a loop that runs as often as loop, each time with the same result; that loop."""
    root, *more = dict.fromkeys(_below(working, stage.write, loop) for stage in func.stages)
    if more:
        # An update by itself may not run again, but it may behind what it updates: so first one nest is made of them all.
        for each in (root, *more):
            working.do(add_loop, working.at(each), working.fresh("once"), "1", guard=True)
            working.do(eliminate_dead_code, working.at(each).parent())
        for each in more:
            working.do(fuse, working.at(root).parent(), working.at(each).parent())
        root = working.at(root).parent()
    working.do(add_loop, working.at(root), loop.name(), text_of(loop.hi()))
    repeated = working.at(root).parent()
    if more:
        working.do(unroll_loop, working.at(root))
    return working.at(repeated)


def _below(working: Working, write: Any, loop: Any) -> Any:
    """The statement around a write that is in the block of a loop."""
    root = working.at(write)
    while (above := root.parent()) and above != working.at(loop).parent():
        root = above
    return root


def allocation_inside(code: Any, name: str) -> Any:
    """The allocation of that name in code."""
    return next(each for each in statements(code) if isinstance(each, AllocCursor) and each.name() == name)
