"""Directives as rewrites of target programs with holes (halide.md §8), with their side conditions; fig. 2.12 is lost.

These define what a schedule means in the theory, and are run against the oracle. Procedures are scheduled by the directives of
`usl_halide_lib`, whose steps are proved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum

from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.nodes import Hole, Name, Node, Op, Read, mentions, number, rebuilt, walk
from usl_halide_lib.lang.query import family_of
from usl_halide_lib.lang.target import (
    Allocate,
    Assert,
    Assign,
    For,
    If,
    Label,
    Let,
    LoopKey,
    Mode,
    Nop,
    Seq,
    Stmt,
    Target,
    cpu,
    mapped,
    sequence,
    statements,
)
from usl_halide_lib.lang.types import BOOL, I32
from usl_halide_lib.lang.valid import is_startup


class Tail(Enum):
    """What a split does where its factor does not divide the extent (φ of fig. 2.11)."""

    GUARD = "guard"
    SHIFT = "shift"
    ROUND = "round"


def split(target: Target, at: LoopKey, outer: str, inner: str, factor: int, tail: Tail = Tail.GUARD) -> Target:
    """`for v in (a, n)` as ⌈n/q⌉ times q iterations; v becomes a name for its value.

    Raises:
        AlgorithmError: E777, no such loop, names that are taken, a factor below 1, or a tail that the stage does not allow.
    """
    loop = find(target, at)
    if factor < 1:
        raise refuse(f"split({at}): the factor must be positive, not {factor}", code="E777")
    keys = [fresh(target, at, name) for name in (outer, inner)]
    if outer == inner:
        raise refuse(f"split({at}): the two loops are both called {outer}", code="E777")
    if tail is not Tail.GUARD and not loop.is_pure:
        raise refuse(f"split({at}): {at.var} is no pure loop, so its tail is guarded", code="E777")
    if tail is Tail.SHIFT and at.stage:
        raise refuse(f"split({at}): an update would be done twice where tiles overlap", code="E777")
    if tail is Tail.ROUND and at.stage and at.var not in target.algorithm.func(at.func).args:
        # An inner loop that runs on meets the next tile, and an update must not happen twice.
        raise refuse(f"split({at}): {at.var} is a part of a loop, and rounding it up would repeat an update", code="E777")
    low, length, q = loop.min, loop.len, number(factor)
    tiles = _op("div", _op("add", length, number(factor - 1)), q)
    start = _op("mul", q, keys[0].name())

    def nest(first: Node, body: Stmt) -> Stmt:
        value = _op("add", _op("add", low, first), keys[1].name())
        inside = For(keys[1], number(0), q, Let(at, value, body), loop.is_pure)
        return For(keys[0], number(0), tiles, inside, loop.is_pure, loop.mode)

    guarded = nest(start, If(Op("lt", (at.name(), _op("add", low, length)), BOOL), loop.body))
    if tail is Tail.ROUND:
        return _replaced(target, at, nest(start, loop.body))
    if tail is Tail.SHIFT:
        shifted = nest(_op("min", start, _op("sub", length, q)), loop.body)
        return _replaced(target, at, If(Op("ge", (length, q), BOOL), shifted, guarded))
    return _replaced(target, at, guarded)


def fuse(target: Target, at: LoopKey, fused: str) -> Target:
    """The loop and the one directly in it as one loop over all pairs.

    Raises:
        AlgorithmError: E777, the loops are not perfectly nested, the inner extent depends on the outer, or one is pure.
    """
    outer = find(target, at)
    inner = _directly_inside(outer, "fuse")
    if outer.is_pure != inner.is_pure:
        raise refuse(f"fuse({at}): one of {at.var} and {inner.key.var} is pure, the other reduces", code="E777")
    if outer.mode is not inner.mode:
        raise refuse(f"fuse({at}): one of {at.var} and {inner.key.var} is parallel", code="E778")
    key = fresh(target, at, fused)
    first = _op("add", outer.min, _op("div", key.name(), inner.len))
    second = _op("add", inner.min, _op("mod", key.name(), inner.len))
    inside = Let(inner.key, second, inner.body, (inner.min, inner.len))
    body = Let(outer.key, first, inside, (outer.min, outer.len))
    both = For(key, number(0), _op("mul", outer.len, inner.len), body, outer.is_pure, outer.mode)
    tests = tuple(Assert(Op("ge", (each.len, number(0)), BOOL)) for each in (outer, inner))
    return _replaced(target, at, sequence((*tests, both)))


def swap(target: Target, at: LoopKey) -> Target:
    """Exchange a loop and the one directly in it.

    Raises:
        AlgorithmError: E777, they are not perfectly nested, the inner range depends on the outer, or both reduce.
    """
    outer = find(target, at)
    inner = _directly_inside(outer, "swap")
    if not outer.is_pure and not inner.is_pure:
        raise refuse(f"swap({at}): {at.var} and {inner.key.var} are both loops of a reduction, whose order counts", code="E777")
    return _replaced(target, at, replace(inner, body=replace(outer, body=inner.body)))


def traverse(target: Target, at: LoopKey, mode: Mode) -> Target:
    """Set the order of a loop's iterations.

    Raises:
        AlgorithmError: E779, a reduction; E781, iterations would share a buffer that each fills for itself.
    """
    loop = find(target, at)
    if mode is Mode.PARALLEL and not loop.is_pure:
        raise refuse(f"traverse({at}): iterations of a reduction meet in {at.func}", code="E779")
    return _checked(_replaced(target, at, replace(loop, mode=mode)))


def compute_at(target: Target, func: str, at: LoopKey) -> Target:
    """Compute a func anew in each iteration of a loop.

    Raises:
        AlgorithmError: E773, the func is read outside of the loop too, or is the output, or does not exist.
    """
    loop = find(target, at)
    label = next((s for s in statements(target.body) if isinstance(s, Label) and s.func == func and s.stage is None), None)
    if label is None or func in target.algorithm.outputs:
        raise refuse(f"{func}.compute_at({at}): {func} is no func that can be placed", code="E773")
    if any(each is loop for each in statements(label.body)):
        raise refuse(f"{func}.compute_at({at}): that is a loop of {func} itself", code="E773")
    if _reads(func, target.body) - _reads(func, label) != _reads(func, loop.body):
        raise refuse(f"{func}.compute_at({at}): {func} is read outside of this loop too", code="E773")
    cut = mapped(target.body, lambda s: Nop() if isinstance(s, Label) and s.func == func and s.stage is None else s)
    return _checked(_inserted(replace(target, body=cut), at, label))


def store_at(target: Target, func: str, at: LoopKey) -> Target:
    """Allocate a func's buffer anew in each iteration of a loop.

    Raises:
        AlgorithmError: E781, the func is computed outside of the loop, or a parallel loop lies between.
    """
    loop = find(target, at)
    allocation = next((s for s in statements(target.body) if isinstance(s, Allocate) and s.func == func), None)
    labels = [s for s in statements(loop.body) if isinstance(s, Label) and s.func == func]
    if allocation is None or not labels:
        raise refuse(f"{func}.store_at({at}): {func} is not computed inside of this loop", code="E781")
    cut = mapped(target.body, lambda s: Nop() if isinstance(s, Allocate) and s.func == func else s)
    return _checked(_inserted(replace(target, body=cut), at, allocation))


def bound(target: Target, func: str, dim: int, low: Node | None, length: Node) -> Target:
    """Assert where a func's compute bounds begin (if low is given) and how long they are.

    Raises:
        AlgorithmError: E777, an expression of more than numbers and parameters.
    """
    for each in (low, length):
        if each is not None and not is_startup(each):
            raise refuse(f"{func}.bound: the bounds may only consist of numbers and parameters", code="E777")
    first, count = cpu(func, dim, None)
    tests = [Assert(Op("eq", (count, length), BOOL))]
    if low is not None:
        tests.insert(0, Assert(Op("eq", (first, low), BOOL)))

    def change(stmt: Stmt) -> Stmt:
        if isinstance(stmt, Label) and stmt.func == func and stmt.stage is None:
            return replace(stmt, body=sequence((*tests, stmt.body)))
        return stmt

    return replace(target, body=mapped(target.body, change))


def specialize(target: Target, func: str, conditions: Sequence[Node]) -> Target:
    """A copy of a func's loops for each condition, the first that holds is taken; the last copy, 0, is for none.

    Raises:
        AlgorithmError: E777, a condition of more than numbers and parameters, or a second specialisation.
    """
    if not all(map(is_startup, conditions)):
        raise refuse(f"{func}.specialize: a condition may only consist of numbers and parameters", code="E777")

    def change(stmt: Stmt) -> Stmt:
        if not (isinstance(stmt, Label) and stmt.func == func and stmt.stage is None):
            return stmt
        if any(isinstance(each, Assign) and each.spec is not None for each in statements(stmt)):
            raise refuse(f"{func}.specialize: {func} is specialised already", code="E778")
        chain = _copy(target, stmt.body, func, 0)
        for place in reversed(range(len(conditions))):
            chain = If(conditions[place], _copy(target, stmt.body, func, place + 1), chain)
        return replace(stmt, body=chain)

    return replace(target, body=mapped(target.body, change))


def find(target: Target, at: LoopKey) -> For:
    """The loop of a name.

    Raises:
        AlgorithmError: E777.
    """
    found = [s for s in statements(target.body) if isinstance(s, For) and s.key == at]
    if not found:
        loops = [str(s.key) for s in statements(target.body) if isinstance(s, For) and s.key.func == at.func]
        raise refuse(f"there is no loop {at}; those of {at.func} are {', '.join(loops)}", code="E777")
    if len(found) > 1:
        raise refuse(f"{at} is in two branches, one for when its extent is less than a tile", code="E777")
    return found[0]


def fresh(target: Target, at: LoopKey, name: str) -> LoopKey:
    """A new loop of the stage of another.

    Raises:
        AlgorithmError: E777, the name is taken.
    """
    key = replace(at, var=name)
    if any(isinstance(s, For | Let) and s.key == key for s in statements(target.body)):
        raise refuse(f"{name} is a loop of {at.func} already", code="E777")
    return key


def _op(op: str, a: Node, b: Node) -> Op:
    return Op(op, (a, b), I32)


def _directly_inside(outer: For, directive: str) -> For:
    inner = outer.body
    if not isinstance(inner, For):
        raise refuse(f"{directive}({outer.key}): there is not exactly one loop in it", code="E777")
    if any(mentions(each, str(outer.key)) for each in (inner.min, inner.len)):
        raise refuse(f"{directive}({outer.key}): the range of {inner.key} depends on it", code="E777")
    return inner


def _replaced(target: Target, at: LoopKey, new: Stmt) -> Target:
    body = mapped(target.body, lambda s: new if isinstance(s, For) and s.key == at else s)
    return replace(target, body=body)


def _inserted(target: Target, at: LoopKey, new: Stmt) -> Target:
    loop = find(target, at)
    return _replaced(target, at, replace(loop, body=sequence((new, loop.body))))


def _expressions(stmt: Stmt) -> tuple[Node, ...]:
    match stmt:
        case Assert(cond=cond) | If(cond=cond):
            return (cond,)
        case Assign(index=index, values=values):
            return (*index, *values)
        case For(min=low, len=length):
            return (low, length)
        case Let(value=value):
            return (value,)
        case Allocate() | Nop() | Seq() | Label():
            return ()


def _reads(func: str, stmt: Stmt) -> set[int]:
    """The statements within one that read a func, by identity."""
    return {
        id(each)
        for each in statements(stmt)
        if any(isinstance(node, Read) and node.func == func for e in _expressions(each) for node in walk(e))
        and not (isinstance(each, Assign) and each.func == func)
    }


def _checked(target: Target) -> Target:
    """Dominance (lemma 2.5), and no parallel loop between a buffer and the place that fills it.

    Raises:
        AlgorithmError: E773 or E781.
    """

    def visit(stmt: Stmt, allocated: dict[str, int], computed: frozenset[str], parallel: int) -> frozenset[str]:
        for node in (each for e in _expressions(stmt) for each in walk(e)):
            if isinstance(node, Read) and node.stage is None and node.func not in computed:
                raise refuse(f"{node.func} is read before it is computed", code="E773")
        match stmt:
            case Allocate(func=func):
                allocated[func] = parallel
            case Seq(body=body):
                for each in body:
                    computed = visit(each, allocated, computed, parallel)
            case If(then=then, other=other):
                computed = visit(then, dict(allocated), computed, parallel) & visit(other, dict(allocated), computed, parallel)
            case For(body=inner, mode=mode):
                visit(inner, dict(allocated), computed, parallel + (mode is Mode.PARALLEL))
            case Let(body=inner):
                visit(inner, dict(allocated), computed, parallel)
            case Label(func=func, stage=None, body=inner):
                raise_unless_own(func, allocated, parallel)
                visit(inner, allocated, computed, parallel)
                computed |= {func}
            case Label(body=inner):
                visit(inner, allocated, computed, parallel)
            case Nop() | Assert() | Assign():
                pass
        return computed

    def raise_unless_own(func: str, allocated: dict[str, int], parallel: int) -> None:
        if func not in allocated:
            raise refuse(f"{func} is stored inside of the place where it is computed", code="E781")
        if allocated[func] != parallel:
            raise refuse(f"iterations of a parallel loop would share the buffer of {func}; store it inside", code="E781")

    visit(target.body, {}, frozenset(), 0)
    return target


def _copy(target: Target, stmt: Stmt, func: str, spec: int) -> Stmt:
    """The statement for a specialisation: its loops and the compute holes of all stages but the last are its own."""
    names = {str(s.key): replace(s.key, spec=spec) for s in statements(stmt) if isinstance(s, For | Let) and s.key.func == func}

    def renamed(node: Node) -> Node:
        return rebuilt(node, change)

    def change(node: Node) -> Node | None:
        if isinstance(node, Name) and node.name in names:
            return names[node.name].name()
        if isinstance(node, Hole) and node.kind == "cpu" and node.func == func:
            return replace(node, spec=family_of(target, func, node.stage, spec).spec)
        return None

    return mapped(stmt, _renamer(func, spec, renamed))


def _renamer(func: str, spec: int, renamed: Callable[[Node], Node]) -> Callable[[Stmt], Stmt]:
    def change(stmt: Stmt) -> Stmt:
        match stmt:
            case Assign(index=index, values=values):
                own = spec if stmt.func == func else stmt.spec
                return replace(stmt, spec=own, index=tuple(map(renamed, index)), values=tuple(map(renamed, values)))
            case For():
                key = replace(stmt.key, spec=spec) if stmt.key.func == func else stmt.key
                return replace(stmt, key=key, min=renamed(stmt.min), len=renamed(stmt.len))
            case Let():
                key = replace(stmt.key, spec=spec) if stmt.key.func == func else stmt.key
                within = None if stmt.within is None else (renamed(stmt.within[0]), renamed(stmt.within[1]))
                return replace(stmt, key=key, value=renamed(stmt.value), within=within)
            case If() | Assert():
                return replace(stmt, cond=renamed(stmt.cond))
            case _:
                return stmt

    return change
