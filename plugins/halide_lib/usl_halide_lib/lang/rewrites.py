"""Directives on loops as rewrites of target programs with holes (halide.md §8), with their side conditions; fig. 2.12 is lost.

These define what a schedule means in the theory, and are run against the oracle. Procedures are scheduled by the directives of
`usl_halide_lib`, whose steps are proved.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.independence import are_independent, may_reorder, origins
from usl_halide_lib.lang.nodes import Const, Hole, Node, Op, mentions, number
from usl_halide_lib.lang.placement import checked
from usl_halide_lib.lang.target import (
    Assert,
    For,
    If,
    Let,
    LoopKey,
    Mode,
    Nop,
    Seq,
    Target,
    find,
    replaced,
    sequence,
    statements,
    with_keys,
)
from usl_halide_lib.lang.types import BOOL, I32


class Tail(Enum):
    """What a split does where its factor does not divide the extent (φ of fig. 2.11)."""

    GUARD = "guard"
    SHIFT = "shift"
    ROUND = "round"


def split(target: Target, at: LoopKey, outer: str, inner: str, factor: int, tail: Tail = Tail.GUARD) -> Target:
    """`for v in (a, n)` as ⌈n/q⌉ times q iterations; v becomes a name for its value.

    A shifted tile begins at a + max(min(q·xo, n - q), 0): where n < q there is one tile, and it is guarded, so that the loop
    is there once and later directives find it.

    Raises:
        AlgorithmError: E777, no such loop, names that are taken, a factor below 1, or a tail that the stage does not allow.
    """
    loop = find(target, at)
    if factor < 1:
        raise refuse(f"split({at}): the factor must be positive, not {factor}", code="E777")
    if outer == inner:
        raise refuse(f"split({at}): the two loops are both called {outer}", code="E777")
    keys = [fresh(target, at, name) for name in (outer, inner)]
    if tail is not Tail.GUARD and not loop.is_pure:
        raise refuse(f"split({at}): {at.var} is no pure loop, so its tail is guarded", code="E777")
    if tail is Tail.SHIFT and at.stage:
        raise refuse(f"split({at}): an update would be done twice where tiles overlap", code="E777")
    if tail is Tail.ROUND and at.stage and not isinstance(loop.min, Hole):
        # An inner loop that runs on meets the next tile, and an update must not happen twice.
        raise refuse(f"split({at}): {at.var} is a part of a loop, and rounding it up would repeat an update", code="E777")
    if tail is Tail.ROUND and is_fused(loop):
        # Beyond the product of both extents the outer variable leaves its range, by no known distance.
        raise refuse(f"split({at}): {at.var} is a fused loop, which cannot be rounded up", code="E777")
    low, length, q = loop.min, loop.len, number(factor)
    tiles = _op("div", _op("add", length, number(factor - 1)), q)
    start: Node = _op("mul", q, keys[0].name())
    if tail is Tail.SHIFT:
        start = first_of_shifted(start, length, q)
    value = _op("add", _op("add", low, start), keys[1].name())
    body = loop.body if tail is Tail.ROUND else If(Op("lt", (at.name(), _op("add", low, length)), BOOL), loop.body)
    inside = For(keys[1], number(0), q, Let(at, value, body), loop.is_pure)
    return replaced(target, at, For(keys[0], number(0), tiles, inside, loop.is_pure, loop.mode))


def first_of_shifted(start: Node, length: Node, factor: Node) -> Node:
    """Where a tile begins that is shifted inwards if the extent allows it."""
    return _op("max", _op("min", start, _op("sub", length, factor)), number(0))


def fuse(target: Target, at: LoopKey, fused: str) -> Target:
    """The loop and the one directly in it as one loop over all pairs.

    Raises:
        AlgorithmError: E777, the loops are not perfectly nested, the inner extent depends on the outer, or one is pure; E778.
    """
    outer = find(target, at)
    tests, inner = _nested(outer, "fuse")
    if outer.is_pure != inner.is_pure:
        raise refuse(f"fuse({at}): one of {at.var} and {inner.key.var} is pure, the other reduces", code="E777")
    if outer.mode is not inner.mode:
        raise refuse(f"fuse({at}): {at.var} and {inner.key.var} are traversed differently", code="E778")
    key = fresh(target, at, fused)
    first = _op("add", outer.min, _op("div", key.name(), inner.len))
    second = _op("add", inner.min, _op("mod", key.name(), inner.len))
    inside = Let(inner.key, second, inner.body, (inner.min, inner.len))
    body = Let(outer.key, first, inside, (outer.min, outer.len))
    both = For(key, number(0), _op("mul", outer.len, inner.len), body, outer.is_pure, outer.mode)
    lengths = tuple(Assert(Op("ge", (each.len, number(0)), BOOL)) for each in (outer, inner))
    return replaced(target, at, sequence((*tests, *lengths, both)))


def is_fused(loop: For) -> bool:
    """Whether a loop, or one that it is a part of, was made by `fuse`."""
    names = {str(loop.key)}
    for each in statements(loop.body):
        if isinstance(each, Let) and any(mentions(each.value, name) for name in names):
            if each.within is not None:
                return True
            names.add(str(each.key))
    return False


def swap(target: Target, at: LoopKey) -> Target:
    """Exchange a loop and the one directly in it.

    Raises:
        AlgorithmError: E777, they are not perfectly nested, the inner range depends on the outer, or both reduce and the order
            of the reduction counts.
    """
    outer = find(target, at)
    tests, inner = _nested(outer, "swap")
    if not outer.is_pure and not inner.is_pure:
        reason = may_reorder(target.algorithm, at.func, at.stage)
        if reason is not None:
            message = f"swap({at}): {at.var} and {inner.key.var} are both loops of a reduction, whose order counts"
            raise refuse(message, code="E777", notes=(reason,))
    return replaced(target, at, sequence((*tests, replace(inner, body=replace(outer, body=inner.body)))))


def reorder(target: Target, keys: Sequence[LoopKey]) -> Target:
    """Nest some loops of a stage in another order, the innermost first; those that are not named stay where they are.

    Raises:
        AlgorithmError: E777, as `swap`; a loop that is named twice.
    """
    if len(set(keys)) < len(keys):
        raise refuse(f"reorder: {', '.join(each.var for each in keys)} are not all different", code="E777")
    for each in keys:
        find(target, each)
    current = nest_of(target, keys[0])
    wanted = iter(reversed(keys))
    goal = [next(wanted) if each in keys else each for each in current]
    for place, key in enumerate(goal):
        for depth in range(current.index(key), place, -1):
            target = swap(target, current[depth - 1])
            current[depth - 1], current[depth] = current[depth], current[depth - 1]
    return target


def nest_of(target: Target, at: LoopKey) -> list[LoopKey]:
    """The loops of a stage and specialisation, the outermost first."""
    keys = [each.key for each in statements(target.body) if isinstance(each, For)]
    return [each for each in keys if (each.func, each.stage, each.spec) == (at.func, at.stage, at.spec)]


def rename(target: Target, at: LoopKey, new: str) -> Target:
    """Call a loop otherwise.

    Raises:
        AlgorithmError: E777, the name is taken.
    """
    loop, key = find(target, at), fresh(target, at, new)
    return replaced(target, at, replace(loop, key=key, body=Let(at, key.name(), loop.body)))


def traverse(target: Target, at: LoopKey, mode: Mode) -> Target:
    """Set the order of a loop's iterations.

    Raises:
        AlgorithmError: E779, a reduction whose iterations meet; E780 and E777, the extent of what is vectorised or unrolled is
            no number; E781, iterations would share a buffer that each fills for itself.
    """
    loop = find(target, at)
    if mode in (Mode.VECTORIZED, Mode.UNROLLED) and not isinstance(loop.len, Const):
        code = "E780" if mode is Mode.VECTORIZED else "E777"
        raise refuse(f"traverse({at}): the extent is no number", code=code, notes=("hint: split it first, or give a factor",))
    if not mode.is_ordered and not loop.is_pure:
        reason = are_independent(target.algorithm, at.func, at.stage, origins(target, loop))
        if reason is not None:
            notes = (reason, "hint: rfactor gives each iteration a place of its own")
            raise refuse(f"traverse({at}): iterations of a reduction meet in {at.func}", code="E779", notes=notes)
    return checked(replaced(target, at, replace(loop, mode=mode)))


def freed(target: Target, at: LoopKey) -> tuple[Target, LoopKey]:
    """The program in which a loop is called `x.1`, or `x.2`, so that its name can be given anew: `split(x, x, xi, 8)`."""
    find(target, at)
    taken = {s.key for s in statements(target.body) if isinstance(s, For | Let)}
    key = next(k for n in itertools.count(1) if (k := replace(at, var=f"{at.var}.{n}")) not in taken)
    return replace(target, body=with_keys(target.body, {str(at): key})), key


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


def _nested(outer: For, directive: str) -> tuple[tuple[Assert, ...], For]:
    """The loop in another one, with names and conditions between the two moved into it; and the assertions that stood there."""
    between: list[Let | If] = []
    tests: list[Assert] = []
    body = outer.body
    while not isinstance(body, For):
        match body:
            case Let(body=inside) | If(then=inside, other=Nop()):
                between.append(body)
                body = inside
            case Seq(body=(*before, last)) if all(isinstance(each, Assert) for each in before):
                tests += [each for each in before if isinstance(each, Assert)]
                body = last
            case _:
                raise refuse(f"{directive}({outer.key}): there is not exactly one loop in it", code="E777")
    bound = [str(outer.key), *(str(each.key) for each in between if isinstance(each, Let))]
    inner = body
    if any(mentions(each, name) for name in bound for each in (inner.min, inner.len, *(test.cond for test in tests))):
        raise refuse(f"{directive}({outer.key}): the range of {inner.key} depends on it", code="E777")
    inside = inner.body
    for each in reversed(between):
        inside = replace(each, body=inside) if isinstance(each, Let) else replace(each, then=inside)
    return tuple(tests), replace(inner, body=inside)
