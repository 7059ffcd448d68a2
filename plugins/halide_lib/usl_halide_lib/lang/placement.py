"""Where funcs are computed and stored, as rewrites of target programs (halide.md §8), and what every place has to keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.nodes import Node, Op, Read, mentions, number, walk
from usl_halide_lib.lang.target import (
    Allocate,
    Assert,
    Assign,
    For,
    If,
    Label,
    Let,
    LoopKey,
    Nop,
    Prefetch,
    Seq,
    Stmt,
    Target,
    below,
    expressions,
    find,
    mapped,
    replaced,
    sequence,
    statements,
    with_below,
)
from usl_halide_lib.lang.types import BOOL, I32


def compute_at(target: Target, func: str, at: LoopKey) -> Target:
    """Compute a func anew in each iteration of a loop.

    Raises:
        AlgorithmError: E773, the func is read outside of the loop too, or is the output, or does not exist; E777, no loop.
    """
    loop = find(target, at)
    label = label_of(target, func)
    if label is None or func in target.algorithm.outputs:
        raise refuse(f"{func}.compute_at({at}): {func} is no func that can be placed", code="E773")
    if any(each is loop for each in statements(label.body)):
        raise refuse(f"{func}.compute_at({at}): that is a loop of {func} itself", code="E773")
    if _reads(func, target.body) - _reads(func, label) != _reads(func, loop.body):
        legal = ", ".join(map(str, places(target, func))) or "the root alone"
        notes = (f"legal places: {legal}",)
        raise refuse(f"{func}.compute_at({at}): {func} is read outside of this loop too", code="E773", notes=notes)
    cut = mapped(target.body, lambda s: Nop() if s is label or (isinstance(s, Label) and s == label) else s)
    return checked(_inserted(replace(target, body=cut), at, label))


def compute_where_read(target: Target, func: str) -> Target:
    """Compute and store a func anew before each statement that reads it. Its loops are found by no directive then."""
    label = label_of(target, func)
    allocation = next((s for s in statements(target.body) if isinstance(s, Allocate) and s.func == func), None)
    assert label is not None and allocation is not None
    readers = _reads(func, target.body) - _reads(func, label)

    def change(stmt: Stmt) -> Stmt:
        if stmt is label or stmt is allocation:
            return Nop()
        if id(stmt) not in readers:
            inside = tuple(map(change, below(stmt)))
            return stmt if all(a is b for a, b in zip(inside, below(stmt), strict=True)) else with_below(stmt, inside)
        own = mapped(label, lambda each: replace(each) if isinstance(each, Assign | If) else each)  # statements of its own
        return sequence((allocation, own, with_below(stmt, tuple(map(change, below(stmt))))))

    return replace(target, body=change(target.body))


def places(target: Target, func: str) -> Iterator[LoopKey]:
    """The loops in which a func may be computed."""
    label = label_of(target, func)
    if label is None:
        return
    own = {id(each) for each in statements(label)}
    readers = _reads(func, target.body) - _reads(func, label)
    for each in statements(target.body):
        if isinstance(each, For) and id(each) not in own and readers and readers == _reads(func, each.body):
            yield each.key


def label_of(target: Target, func: str) -> Label | None:
    """The statement that computes a func."""
    return next((s for s in statements(target.body) if isinstance(s, Label) and s.func == func and s.stage is None), None)


def store_at(target: Target, func: str, at: LoopKey) -> Target:
    """Allocate a func's buffer anew in each iteration of a loop.

    Raises:
        AlgorithmError: E781, the func is computed outside of the loop, or a parallel loop lies between; E777, no loop.
    """
    loop = find(target, at)
    allocation = next((s for s in statements(target.body) if isinstance(s, Allocate) and s.func == func), None)
    if allocation is None or not any(isinstance(s, Label) and s.func == func for s in statements(loop.body)):
        raise refuse(f"{func}.store_at({at}): {func} is not computed inside of this loop", code="E781")
    cut = mapped(target.body, lambda s: Nop() if isinstance(s, Allocate) and s.func == func else s)
    return checked(_inserted(replace(target, body=cut), at, allocation))


def prefetch(target: Target, func: str, at: LoopKey, offset: int) -> Target:
    """Ask in each iteration of a loop for what the iteration `offset` further on reads of a func or an image.

    Raises:
        AlgorithmError: E773, it is not read there; E777, no loop, an offset below 1.
    """
    loop = find(target, at)
    if offset < 1:
        raise refuse(f"prefetch({func}, {at}): the offset must be positive, not {offset}", code="E777")
    if not any(getattr(node, "func", getattr(node, "image", None)) == func for node in _accesses(loop.body)):
        raise refuse(f"prefetch({func}, {at}): {func} is not read in this loop", code="E773")
    return _inserted(target, at, Prefetch(func, at, offset))


def compute_with(target: Target, a: LoopKey, b: LoopKey, align: int = 0) -> Target:
    """Run a stage of a func in the loops of one of another, from the outermost down to loop b.

    The fused loops run over both ranges, each stage where its own are. What stands between the two funcs and is needed by the
    second moves before the first. align is 0 for equal values, -1 for ranges that start together, 1 for those that end so.

    Raises:
        AlgorithmError: E782, one of the funcs depends on the other, they stand at different places, are specialised, or their
            loops do not correspond; E777, no loop.
    """
    what = f"{a.func}.compute_with({b})"
    if a.func == b.func:
        raise refuse(f"{what}: a func is not computed with itself", code="E782")
    find(target, a)
    find(target, b)
    first, second = (label_of(target, each.func) for each in (a, b))
    assert first is not None and second is not None
    block = next((s for s in statements(target.body) if isinstance(s, Seq) and any(e is first for e in s.body)), None)
    if block is None or not any(each is second for each in block.body):
        raise refuse(f"{what}: the two are computed at different places", code="E782")
    if block.body.index(first) > block.body.index(second):
        a, b, first, second = b, a, second, first
    if a.spec is not None or b.spec is not None:
        raise refuse(f"{what}: a func is specialised", code="E782")
    for one, other in ((first, second), (second, first)):
        if other.func in needs(target, one):
            raise refuse(f"{what}: {one.func} depends on {other.func}", code="E782")
    start, stop = (next(i for i, e in enumerate(block.body) if e is label) for label in (first, second))
    wanted = needs(target, second) | {second.func}
    between = block.body[start + 1 : stop]
    before = tuple(e for e in between if isinstance(e, Allocate | Label) and e.func in wanted)
    after = tuple(e for e in between if not any(e is each for each in before))
    for each in before:
        if isinstance(each, Label) and first.func in needs(target, each):
            raise refuse(f"{what}: {second.func} depends on {first.func} by {each.func}", code="E782")
    both = _together(what, first, second, a, b, align)
    new = sequence((*block.body[:start], *before, both, *after, *block.body[stop + 1 :]))
    return checked(replace(target, body=mapped(target.body, lambda s: new if s == block else s)))


def needs(target: Target, label: Label) -> set[str]:
    """The funcs that a func's values depend on, its own among them if it reads itself."""
    algorithm = target.algorithm
    found: set[str] = set()
    waiting = [label.func]
    while waiting:
        for stage in algorithm.func(waiting.pop()).stages:
            read = {node.func for e in stage.expressions() for node in walk(e) if isinstance(node, Read)}
            waiting += read - found - {label.func}
            found |= read
    return found


def _together(what: str, first: Label, second: Label, a: LoopKey, b: LoopKey, align: int) -> Stmt:
    """The labels of both funcs around their stages before, the fused loops, and their stages after."""
    pieces = []
    for label, key in ((first, a), (second, b)):
        parts = label.body.body if isinstance(label.body, Seq) else (label.body,)
        place = next(i for i, part in enumerate(parts) if any(isinstance(s, For) and s.key == key for s in statements(part)))
        stage = parts[place]
        if not isinstance(stage, Label):
            raise refuse(f"{what}: {label.func} has no loops of its own", code="E782")
        pieces.append((parts[:place], stage, parts[place + 1 :]))
    (before_a, stage_a, after_a), (before_b, stage_b, after_b) = pieces
    loops_a, inside_a = _down_to(what, stage_a.body, a)
    loops_b, inside_b = _down_to(what, stage_b.body, b)
    if [each.mode for each in loops_a] != [each.mode for each in loops_b]:
        raise refuse(f"{what}: the loops down to {a.var} and {b.var} do not correspond", code="E782")
    one, other = inside_a, inside_b
    for outer, inner in zip(reversed(loops_a), reversed(loops_b), strict=True):
        one, other = _own_part(outer, inner, one, other, align)
    fused: Stmt = sequence((Label(a.func, a.stage, one), Label(b.func, b.stage, other)))
    tests = []
    for outer, inner in zip(reversed(loops_a), reversed(loops_b), strict=True):
        low, length = _union(outer, inner, align)
        tests += [Assert(Op("ge", (each.len, number(0)), BOOL)) for each in (outer, inner)]
        fused = For(inner.key, low, length, fused, outer.is_pure and inner.is_pure, inner.mode)
    body = sequence((*before_a, *before_b, *tests, fused, *after_a, *after_b))
    return Label(first.func, None, Label(second.func, None, body))


def _down_to(what: str, body: Stmt, key: LoopKey) -> tuple[list[For], Stmt]:
    loops: list[For] = []
    while isinstance(body, For):
        loops.append(body)
        if any(mentions(each, str(outer.key)) for outer in loops[:-1] for each in (body.min, body.len)):
            raise refuse(f"{what}: the range of {body.key} depends on a loop around it", code="E782")
        if body.key == key:
            return loops, body.body
        body = body.body
    raise refuse(f"{what}: the loops down to {key} are not perfectly nested", code="E782")


def _shift(outer: For, inner: For, align: int) -> Node:
    """What is added to the first loop's values to get those of the fused loop."""
    if align < 0:
        return _op("sub", inner.min, outer.min)
    if align > 0:
        return _op("sub", _op("add", inner.min, inner.len), _op("add", outer.min, outer.len))
    return number(0)


def _union(outer: For, inner: For, align: int) -> tuple[Node, Node]:
    shifted = _op("add", outer.min, _shift(outer, inner, align))
    low = _op("min", shifted, inner.min)
    end = _op("max", _op("add", shifted, outer.len), _op("add", inner.min, inner.len))
    return low, _op("sub", end, low)


def _own_part(outer: For, inner: For, one: Stmt, other: Stmt, align: int) -> tuple[Stmt, Stmt]:
    """The bodies of both stages in the fused loop, each where its own loop runs."""
    value = _op("sub", inner.key.name(), _shift(outer, inner, align))
    return Let(outer.key, value, If(_within(outer.key, outer), one)), If(_within(inner.key, inner), other)


def _within(key: LoopKey, loop: For) -> Node:
    low = Op("ge", (key.name(), loop.min), BOOL)
    return Op("and", (low, Op("lt", (key.name(), _op("add", loop.min, loop.len)), BOOL)), BOOL)


def _op(op: str, a: Node, b: Node) -> Op:
    return Op(op, (a, b), I32)


def _inserted(target: Target, at: LoopKey, new: Stmt) -> Target:
    """The program with a statement at the start of a loop's body."""
    loop = find(target, at)
    return replaced(target, at, replace(loop, body=sequence((new, loop.body))))


def _accesses(stmt: Stmt) -> Iterator[Node]:
    for each in statements(stmt):
        for expression in expressions(each):
            yield from walk(expression)


def _reads(func: str, stmt: Stmt) -> set[int]:
    """The statements within one that read a func from outside of its own stages, by identity."""
    return {
        id(each)
        for each in statements(stmt)
        if any(
            isinstance(node, Read) and node.func == func and node.stage is None for e in expressions(each) for node in walk(e)
        )
    }


def checked(target: Target) -> Target:
    """The program itself, which keeps dominance (lemma 2.5) and shares no buffer between iterations that run at once.

    Raises:
        AlgorithmError: E773, a func is read before it is computed; E781, it is computed where its buffer is not, or where
            iterations of a parallel loop would share that.
    """
    _visit(target.body, {}, frozenset(), 0)
    return target


def _visit(stmt: Stmt, allocated: dict[str, int], computed: frozenset[str], parallel: int) -> frozenset[str]:
    """What is computed after a statement. allocated has the number of parallel loops around each buffer."""
    for node in (each for e in expressions(stmt) for each in walk(e)):
        if isinstance(node, Read) and node.stage is None and node.func not in computed:
            raise refuse(f"{node.func} is read before it is computed", code="E773")
    match stmt:
        case Allocate(func=func):
            allocated[func] = parallel
        case Seq(body=body):
            for each in body:
                computed = _visit(each, allocated, computed, parallel)
        case If(then=then, other=other):
            either = [_visit(each, dict(allocated), computed, parallel) for each in (then, other)]
            return either[0] & either[1]
        case For(body=inner, mode=mode):
            _visit(inner, dict(allocated), computed, parallel + (not mode.is_ordered))
        case Let(body=inner):
            _visit(inner, dict(allocated), computed, parallel)
        case Label(func=func, stage=None, body=inner):
            if func not in allocated:
                raise refuse(f"{func} is stored inside of the place where it is computed", code="E781")
            if allocated[func] != parallel:
                raise refuse(f"iterations of a parallel loop would share the buffer of {func}; store it inside", code="E781")
            return _visit(inner, allocated, computed, parallel) | {func}
        case Label(body=inner):
            _visit(inner, allocated, computed, parallel)
        case Nop() | Assert() | Assign() | Prefetch():
            pass
    return computed
