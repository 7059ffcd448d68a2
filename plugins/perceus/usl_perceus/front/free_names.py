"""The names in surface syntax, whatever they mean, and its size."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence

from usl_perceus.front import syntax as sx


def free_names(functions: Sequence[Bound], is_list: Callable[[sx.Step], bool]) -> list[str]:
    """The names that these bodies of functions, each with its parameters, take from outside, and the labels that they jump to,
    each once. A step through a list does not look at the list that it began with."""
    found: dict[str, None] = {}
    for names, body in functions:
        _free(body, frozenset(names), is_list, found)
    return list(found)


Bound = tuple[Sequence[str], sx.Expr]
"""An expression with the names that are bound in it."""


def _free(node: object, bound: frozenset[str], is_list: Callable[[sx.Step], bool], found: dict[str, None]) -> None:
    """Adds the names in node that are not bound to found."""
    if isinstance(node, tuple):
        for part in node:
            _free(part, bound, is_list, found)
        return
    if not isinstance(node, sx.Node):
        return
    own: list[str] = []
    match node:
        case sx.Name(name=name):
            own = [name]
        case sx.Jump(label=label):
            own = [label_name(label)]
        case sx.Step(state=state, source=source):
            own = [state] if is_list(node) else [source, state]
    found.update(dict.fromkeys(name for name in own if name not in bound))
    for names, part in _parts(node):
        _free(part, bound | frozenset(names), is_list, found)


def _parts(node: sx.Node) -> Iterator[tuple[Sequence[str], object]]:
    """The parts of a node with the names that it binds in each."""
    match node:
        case sx.Let(pattern=pattern, value=value, body=body):
            yield (), value
            yield sx.bound(pattern), body
        case sx.Case(pattern=pattern, guard=guard, body=body):
            yield sx.bound(pattern), (guard, body)
        case sx.Lambda(params=params, body=body):
            yield [name for name, _ in params], body
        case sx.Function(params=params, body=body):
            yield [param.name for param in params], body
        case sx.LetFunctions(functions=functions, body=body):
            yield [function.name for function in functions], (*functions, body)
        case sx.Handler(pattern=pattern, caught=caught, body=body):
            yield [caught, *(() if pattern is None else sx.bound(pattern))], body
        case sx.Try(pattern=pattern, body=body, then=then, handlers=handlers):
            yield (), (body, handlers)
            yield () if pattern is None else sx.bound(pattern), then
        case sx.Join(params=params, label=label, rest=rest, body=body):
            yield params, rest
            yield [label_name(label)], body
        case sx.Loop(params=params, label=label, start=start, body=body):
            yield (), start
            yield [*params, label_name(label)], body
        case sx.Step(pattern=pattern, after=after, body=body, orelse=orelse):
            yield [*sx.bound(pattern), after], body
            yield (), orelse
        case _:
            yield (), tuple(getattr(node, field.name) for field in dataclasses.fields(node))


def label_name(label: int) -> str:
    """What a join point or loop that is a function is called among variables."""
    return f".label {label}"


def crossed(body: sx.Expr) -> frozenset[int]:
    """The join points that have to be functions, because a loop, which is one, jumps to them from inside.

    What follows such a join point is in a function of its own, too, from which it may be jumped on to others.
    """
    found: frozenset[int] = frozenset()
    while True:
        more = frozenset(_crossed(body, found))
        if more == found:
            return found
        found = more


def _crossed(body: sx.Expr, functions: frozenset[int]) -> Iterator[int]:
    inside: dict[int, int] = {}
    waiting: list[tuple[object, int]] = [(body, 0)]
    numbers = itertools.count(1)
    while waiting:
        node, function = waiting.pop()
        match node:
            case tuple():
                waiting.extend((part, function) for part in node)
            case sx.Loop(label=label, start=start, body=inner):
                inside[label] = own = next(numbers)
                waiting.extend([(start, function), (inner, own)])
            case sx.Join(label=label, rest=rest, body=inner):
                inside[label] = function
                waiting.extend([(rest, next(numbers) if label in functions else function), (inner, function)])
            case sx.Jump(label=label, args=args):
                if inside[label] != function:
                    yield label
                waiting.append((args, function))
            case sx.Function() | sx.Lambda():
                continue
            case sx.Node():
                waiting.extend((getattr(node, field.name), function) for field in dataclasses.fields(node))


def names_in(node: sx.Expr) -> Iterator[sx.Name]:
    """Each use of a name."""
    return (each for each in _walk(node) if isinstance(each, sx.Name))


def size(node: sx.Expr) -> int:
    """The number of nodes."""
    return sum(1 for _ in _walk(node))


def _walk(node: object) -> Iterator[sx.Node]:
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, sx.Node):
            yield top
        if isinstance(top, tuple):
            stack.extend(reversed(top))
        elif isinstance(top, sx.Node):
            stack.extend(getattr(top, field.name) for field in dataclasses.fields(top))
