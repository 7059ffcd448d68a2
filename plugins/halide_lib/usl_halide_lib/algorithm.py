"""Directives that change the algorithm, or assert something of it: rfactor, in_, clone_in, compute_with, bound, prefetch."""

from __future__ import annotations

from itertools import product
from typing import Any

from usl_core.cursors import AllocCursor, ArgCursor, ReduceCursor
from usl_core.errors import SchedulingError
from usl_core.inspect import affine, prove
from usl_core.scheduling import (
    add_assertion,
    clone_buffer,
    cut_loop,
    expand_dim,
    fission,
    fuse,
    inline_producer,
    insert_noop_call,
    lift_alloc,
    rename_loop,
    reorder_stmts,
    shift_loop,
    stage_mem,
)
from usl_halide_lib.compute import difference, transfer
from usl_halide_lib.directives import Directive, LoopAlignStrategy
from usl_halide_lib.infer import Box, bounds
from usl_halide_lib.loops import start_at_zero, swap
from usl_halide_lib.places import Func, Stage, find_funcs, iterator_plus, reads, statements, text_of
from usl_halide_lib.working import Working


def bound(working: Working, directive: Directive) -> None:
    """Assert something of the extent of an output in a dimension."""
    func = working.func(directive.func, directive)
    name = directive.args[0]
    if func.local or not isinstance(working.at(func.buffer), ArgCursor):
        raise directive.refuse(f"{func.name} is local, and its bounds follow from its consumers", "E776")
    if name not in func.dims:
        raise directive.refuse(f"{func.name} has no dimension {name}", "E776")
    extent = text_of(working.at(func.buffer).shape()[func.dims.index(name)])
    if directive.name == "bound":
        _, first, size = directive.args
        condition = f"{extent} == {size}"
    else:
        _, modulus, first = directive.args
        condition = f"({extent}) % {modulus} == 0"
    if first not in (0, None):
        raise directive.refuse("the dimensions of a buffer begin at 0", "E776")
    if prove(working.p, condition) is not True:
        working.do(add_assertion, condition)


def change(working: Working, directive: Directive) -> None:
    """rfactor, in_ or clone_in."""
    {"rfactor": rfactor, "in_": in_, "clone_in": clone_in}[directive.name](working, directive)


def _readers(working: Working, func: Func, names: Any, directive: Directive) -> list[Any]:
    """The statements of the block that read a func, of the funcs names or of all."""
    own = [working.block_of(stage.write) for stage in func.stages] if func.name in working.funcs else []
    tops: list[Any] = []
    for name in names or working.funcs:
        if name == func.name:
            continue
        consumer = working.func(name, directive)
        found = [working.block_of(stage.write) for stage in consumer.stages]
        found = [top for top in found if top not in own and any(True for _ in reads(top, func.name))]
        if names and not found:
            raise directive.refuse(f"{name} does not read {func.name}", "E773")
        tops += [top for top in found if top not in tops]
    if not tops:
        raise directive.refuse(f"nothing reads {func.name}", "E773")
    return sorted(tops, key=lambda top: _position(top))


def _position(top: Any) -> int:
    return len(list(iter_before(top)))


def iter_before(stmt: Any) -> Any:
    """The statements before one in its block."""
    while stmt := stmt.prev():
        yield stmt


def in_(working: Working, directive: Directive) -> None:
    """A copy of a func that consumers read instead."""
    name, names = directive.args
    func = working.funcs.get(directive.func) or _input(working, directive)
    tops = _readers(working, func, names, directive)
    block = tops[0].expand(0, _position(tops[-1]) - _position(tops[0]))
    box = bounds(working.p, working.at(func.buffer), block, kinds=("read",))
    working.do(stage_mem, block, str(box), name)
    _found_again(working, name, _variables(working, func))


def _variables(working: Working, func: Func) -> list[str | None]:
    """What the loops over each dimension of a func are called, also where they begin at no number of the buffer."""
    if not func.stages:
        return func.dims
    stage = func.stages[0]
    loops = {working.at(loop).name(): name for name, loop in stage.loops.items()}
    found: list[str | None] = []
    for known, index in zip(func.dims, working.at(stage.write).idx(), strict=True):
        form = affine(index)
        own = [loops[name] for name in (form.terms if form is not None else ()) if name in loops]
        found.append(known if known is not None or len(own) != 1 else own[0])
    return found


def _input(working: Working, directive: Directive) -> Func:
    """An argument that is only read, as a func without stages."""
    for each in working.p.args():
        if each.name() == directive.func and each.mem() is not None:
            return Func(each.name(), each, False, dims=[f"i{dim}" for dim in range(len(each.shape()))])
    return working.func(directive.func, directive)


def _found_again(working: Working, name: str, dims: list[Any]) -> Func:
    """A func that has come into being, with its loops named as dims are."""
    found = find_funcs(working.p, _block(working))[name]
    for stage in found.stages[:1]:
        for dim, wanted in zip(list(found.dims), dims, strict=False):
            if dim is not None and wanted is not None and dim != wanted and dim in stage.loops:
                working.do(rename_loop, working.at(stage.loops[dim]), working.fresh(wanted, f"{name}_{wanted}"))
                stage.loops[wanted] = stage.loops.pop(dim)
        pairs = zip(found.dims, dims, strict=False)
        found.dims = [wanted if wanted is not None and wanted in stage.loops else dim for dim, wanted in pairs]
    order = list(working.funcs.items())
    here = _position(_top(working, found))
    later = (i for i, (_, func) in enumerate(order) if func.stages and _position(_top(working, func)) > here)
    place = next(later, len(order))
    working.funcs = dict([*order[:place], (name, found), *order[place:]])
    return found


def _top(working: Working, func: Func) -> Any:
    return working.block_of(func.stages[0].write)


def _block(working: Working) -> list[Any]:
    if working.root is None:
        return list(working.p.body())
    first = next(stage for func in working.funcs.values() for stage in func.stages)
    return list(working.block_of(first.write).expand())


def clone_in(working: Working, directive: Directive) -> None:
    """A func that computes the same as another, for some of its consumers."""
    name, names = directive.args
    func = working.func(directive.func, directive)
    if not func.local:
        raise directive.refuse(f"{func.name} is an argument", "E773")
    tops = _readers(working, func, names, directive)
    block = tops[0].expand(0, _position(tops[-1]) - _position(tops[0]))
    working.do(clone_buffer, func.buffer, block, name)
    _found_again(working, name, func.dims)


def rfactor(working: Working, directive: Directive) -> None:
    """A reduction over a loop in two steps: one in each iteration, into a func of its own, and the reduction of these.

    for r: for i: f[...] += e    ~>    for r: (f_intm[r, ...] = 0; for i: f_intm[r, ...] += e); for r: f[...] += f_intm[r, ...]

    The same with `*=`, and with `max` and `min`; of floating numbers these have no identity, so that each begins with f.
    """
    stage, (var, name) = working.stage(directive), directive.args
    loop = working.loop(stage, var, directive)
    write = working.at(stage.write)
    if not isinstance(write, ReduceCursor) or len(stage.writes) != 1:
        hint = "hint: write the update as +=, *=, @= max(...) or @= min(...)"
        raise directive.refuse("only one reduction has partial results", "E785", [hint])
    start_at_zero(working, loop)
    while (now := working.order(stage)).index(var) > 0:
        swap(working, stage, now[now.index(var) - 1], var, directive)
    loop = working.at(stage.loops[var])
    buffer = f"{directive.func}_intm"
    window = str(bounds(working.p, working.at(stage.func.buffer), loop.body(), kinds=("reduce",)))
    body = loop.body()
    working.do(stage_mem, body, window, buffer, accum=True, start=loop)
    saved = working.at(loop).prev(2)
    alloc = next(
        each for each in statements(working.at(stage.loops[var])) if isinstance(each, AllocCursor) and each.name() == buffer
    )
    working.do(expand_dim, alloc, text_of(loop.hi()), loop.name())
    working.do(lift_alloc, alloc)
    block = working.at(body)
    working.do(fission, block[len(block) - 1].after())
    block = working.at(body)
    working.do(fission, block[0].before())
    if isinstance(saved, AllocCursor) and saved.name() == f"{buffer}_start":
        working.do(inline_producer, saved)  # nothing is combined with what it copies before its last use any more
    found = find_funcs(working.p, _block(working))
    made = found[buffer]
    for each in made.stages:
        _call(working, each, var, name)
    dims = list(stage.func.dims)
    _call_dims(working, made, dims)
    made.dims = [name, *made.dims[1:]]
    order = list(working.funcs)
    rest = found[directive.func]
    old = working.funcs[directive.func]
    rest.dims = old.dims
    _call_dims_of(working, rest.stages[stage.number], rest)
    working.funcs = {}
    for each_name in order:
        if each_name == directive.func:
            working.funcs[buffer] = made
        working.funcs[each_name] = rest if each_name == directive.func else found.get(each_name, found[each_name])


def _call(working: Working, stage: Stage, old: str, new: str) -> None:
    """Another name for a loop of a stage, if it has it."""
    if old in stage.loops:
        working.do(rename_loop, working.at(stage.loops[old]), working.fresh(new, f"{stage.func.name}_{new}"))
        stage.loops[new] = stage.loops.pop(old)


def _call_dims(working: Working, func: Func, dims: list[Any]) -> None:
    """Name the loops of the first stage, that clears, as the dimensions of the func that it is for."""
    first = func.stages[0]
    for old, new in zip(func.dims[1:], dims, strict=False):
        if old is not None and new is not None and old != new:
            _call(working, first, old, new)
            func.dims = [new if each == old else each for each in func.dims]


def _call_dims_of(working: Working, stage: Stage, func: Func) -> None:
    for index, new in zip(working.at(stage.write).idx(), func.dims, strict=False):
        old = iterator_plus(index)[0]
        if old is not None and new is not None and old != new and new not in stage.loops:
            _call(working, stage, old, new)


def compute_with(working: Working, directive: Directive) -> None:
    """Run a stage in the loops of another one, from the outermost down to one of them."""
    stage = working.stage(directive)
    name, number, var, align = directive.args
    stages = working.func(name, directive).stages
    if number >= len(stages):
        raise directive.refuse(f"{name} has {len(stages)} stages, so there is no such update", "E771")
    other = stages[number]
    if other.func is stage.func:
        raise directive.refuse("a stage cannot be computed with one of its own func", "E782")
    mine, theirs = working.order(stage), working.order(other)
    for each, order in ((stage, mine), (other, theirs)):
        if var not in order:
            raise directive.refuse(f"{each} has no loop {var}; its loops are {', '.join(order)}", "E782")
    depth = theirs.index(var) + 1
    if mine.index(var) + 1 != depth:
        raise directive.refuse(f"{var} is not as deep in {stage} as in {other}", "E782")
    pairs = list(zip(mine[:depth], theirs[:depth], strict=True))
    if _position(working.block_of(stage.write)) < _position(working.block_of(other.write)):
        first, second = stage, other
    else:
        first, second, pairs = other, stage, [(b, a) for a, b in pairs]
    if _parent(working, first) != _parent(working, second):
        raise directive.refuse("the two are computed at different places", "E782")
    for above, below in pairs:
        _fuse_aligned(working, first, above, second, below, align, directive)


def _parent(working: Working, stage: Stage) -> Any:
    order = working.order(stage)
    return working.at(stage.loops[order[0]]).parent() or None


def _fuse_aligned(
    working: Working, first: Stage, above: str, second: Stage, below: str, align: Any, directive: Directive
) -> None:
    """Fuse two loops over the iterations that both have."""
    one, two = working.at(first.loops[above]), working.at(second.loops[below])
    for each in (one, two):
        start_at_zero(working, each)
    n, m = text_of(working.at(one).hi()), text_of(working.at(two).hi())
    if n != m and prove(working.at(one), f"{n} == {m}") is not True:
        if align is LoopAlignStrategy.NoAlign:
            raise directive.refuse(f"the loops run {n} and {m} times", "E782", ["hint: AlignStart or AlignEnd"])
        _same_length(working, first, above, second, below, n, m, align is LoopAlignStrategy.AlignEnd, directive)
    _adjacent(working, first.loops[above], second.loops[below])
    working.do(fuse, working.at(first.loops[above]), working.at(second.loops[below]))
    fused = working.at(second.loops[below])
    first.loops[above] = second.loops[below] = fused


def _same_length(
    working: Working, first: Stage, above: str, second: Stage, below: str, n: str, m: str, at_end: bool, directive: Directive
) -> None:
    """Cut what the longer of two loops has more, at its end or at its start."""
    one = working.at(first.loops[above])
    if prove(one, f"{n} >= {m}") is True:
        stage, name, more, least = first, above, n, m
    elif prove(one, f"{n} <= {m}") is True:
        stage, name, more, least = second, below, m, n
    else:
        raise directive.refuse(f"it is not known whether {n} or {m} is larger", "E782")
    loop = working.at(stage.loops[name])
    working.do(cut_loop, loop, f"({more}) - ({least})" if at_end else least)
    if at_end:
        rest = working.at(loop).next()
        transfer(working, stage, working.at(loop), rest)
        working.do(shift_loop, working.at(stage.loops[name]), 0)


def _adjacent(working: Working, first: Any, second: Any) -> None:
    """Bring a loop directly before another one of its block."""
    while (here := working.at(first)).next() != working.at(second):
        if not here.next():
            raise SchedulingError("the loops are not in one block", code="E404")
        try:
            working.do(reorder_stmts, here.expand(0, 1))
        except SchedulingError:
            before = working.at(second).prev()
            if before == working.at(first):
                break
            working.do(reorder_stmts, before.expand(0, 1))


def prefetch(working: Working, directive: Directive) -> None:
    """Ask for the first of the places that a later iteration reads, or writes if it reads none; it may lie anywhere.

    Where the loop moves along rows, that is the first place of the row, in each plane.
    """
    stage = working.stage(directive)
    name, at, from_, offset, _ = directive.args
    place, mover = working.loop(stage, at, directive), working.loop(stage, from_, directive)
    try:
        from usl_avx512 import isa
    except ImportError:
        working.log.remark(stage.func.name, "no package with prefetches is installed")
        return
    arg = next((each for each in working.p.args() if each.name() == name and each.mem() is not None), None)
    buffer = arg if arg is not None else working.at(working.func(name, directive).buffer)
    body = working.at(place).body()
    try:
        box = bounds(working.p, buffer, body, kinds=("read",))
    except SchedulingError:  # not read here: what is written comes from memory too, unless whole lines of it are
        box = bounds(working.p, buffer, body)
    steps = [difference(lo.at(**{mover.name(): 1}), lo.at(**{mover.name(): 0})) for lo in box.lo]
    if steps and steps[-1]:
        word, windowed, ahead = "", 1, steps[-1] * offset
    elif len(steps) > 1 and steps[-2]:
        word, windowed, ahead = "row_", 2, steps[-2] * offset
    else:
        raise directive.refuse(f"{from_} does not move along rows or columns of {name}", "E780")
    instruction = f"mm_prefetch_{word}t0_{buffer.type()}"
    if instruction not in isa.names():
        raise directive.refuse(f"there is no prefetch of {buffer.type()}", "E780")
    window = [f"{lo}:{lo} + 1" for lo in box.lo[-windowed:]]
    for plane in _planes(box, len(steps) - windowed):
        region = f"{name}[{', '.join([*plane, *window])}]"
        working.do(insert_noop_call, working.at(body).before(), getattr(isa, instruction), [ahead, region])


def _planes(box: Box, outer: int) -> list[list[str]]:
    """The places of a box in its outer dimensions: all of them, if they are few, in each dimension the first otherwise."""
    extents = [extent.constant for extent in box.extent[:outer]]
    counts = [int(each) if each is not None and 1 <= each <= MOST_PLANES else 1 for each in extents]
    return [
        [f"{lo} + {step}" if step else str(lo) for lo, step in zip(box.lo, place, strict=False)]
        for place in product(*map(range, counts))
    ]


MOST_PLANES = 4
"""How many planes are asked for ahead of time, each by an instruction of its own."""
