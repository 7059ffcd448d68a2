"""The order in which directives are applied, which is not that of the text: halide.md, §7.

A directive that uses a name follows the one that makes it, and precedes the one that uses it up. Only reorders of one stage
keep the order of the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from usl_core.errors import Span
from usl_halide_lib.directives import Directive
from usl_halide_lib.errors import DirectiveError

LOOPS = ("split", "fuse", "rename", "reorder")
"""The directives that change which loops a stage has."""

Key = tuple[str, int, str]
"""A func, the number of a stage, the name of a specialisation."""


def key(directive: Directive) -> Key:
    """The stage that a directive is about."""
    return directive.func, directive.stage, directive.branch


def made(directive: Directive) -> tuple[str, ...]:
    """The names of loops that a directive makes."""
    match directive.name:
        case "split":
            return (directive.args[1], directive.args[2])
        case "fuse":
            return (directive.args[2],)
        case "rename":
            return (directive.args[1],)
        case _:
            return ()


def consumed(directive: Directive) -> tuple[str, ...]:
    """The names of loops that are not there any more after a directive, unless it makes them anew."""
    match directive.name:
        case "split" | "rename":
            return (directive.args[0],)
        case "fuse":
            return (directive.args[0], directive.args[1])
        case _:
            return ()


def with_splits(directives: Iterable[Directive]) -> list[Directive]:
    """Directives in which grouped parallel loops, and loops that are cut and are the place of another func, are splits."""
    found = list(directives)
    places = {(each.args[0], each.args[1]) for each in found if each.name in ("compute_at", "store_at", "hoist_storage")}
    result = []
    for each in found:
        factor = each.args[1] if each.name in ("parallel", "vectorize", "unroll") and len(each.args) == 3 else None
        if factor is None or (each.name != "parallel" and (each.func, each.args[0]) not in places):
            result.append(each)
            continue
        name, _, tail = each.args
        inner = f"{name}_{'task' if each.name == 'parallel' else 'lanes'}"
        result.append(replace(each, name="split", args=(name, name, inner, factor, tail), of=str(each)))
        result.append(replace(each, args=(name if each.name == "parallel" else inner, None, tail), of=str(each)))
    return result


def loop_order(directives: Iterable[Directive], source: Iterable[str]) -> list[Directive]:
    """The loop directives of one stage in the order in which they are applied; source are the loops that it begins with.

    Raises:
        DirectiveError: two of them use up the same loop, or make the same name; they go round in a circle.
    """
    found = sorted((each for each in directives if each.name in LOOPS), key=_canonical)
    makers, before = _makers(found, frozenset(source))
    after: dict[Directive, set[Directive]] = {each: set() for each in found}
    for each in found:
        for name in (*consumed(each), *(each.args if each.name == "reorder" else ())):
            maker = makers.get(name)
            maker = before.get(name) if maker is each else maker
            if maker is not None:
                after[each].add(maker)
    _check_conflicts(found, makers)
    for each in (one for one in found if one.name == "reorder"):
        for name in each.args:
            for user in (one for one in found if name in consumed(one) and makers.get(name) is not one):
                after[user].add(each)
    reorders = sorted((each for each in found if each.name == "reorder"), key=lambda each: each.position)
    for first, second in pairwise(reorders):
        after[second].add(first)
    return _sorted(found, after)


def _canonical(directive: Directive) -> tuple[str, str]:
    return directive.name, str(directive.args)


def _makers(directives: list[Directive], source: frozenset[str]) -> tuple[Mapping[str, Directive], Mapping[str, Directive]]:
    """By name the directive that makes it, and the one that made it before if that makes it anew from what it uses up.

    So `split("x", "xo", "xi", 8)` and `split("xi", "xi", "xii", 4)` go together, and xi is what the second one makes.
    """
    makers: dict[str, Directive] = {}
    before: dict[str, Directive] = {}
    for each in directives:
        names = made(each)
        if len(set(names)) < len(names):
            raise each.refuse("the two loops need names of their own", "E777")
        for name in names:
            if name in makers:
                new, old = (each, makers[name]) if name in consumed(each) else (makers[name], each)
                if name in before or name not in consumed(new) or name in consumed(old):
                    raise conflict(each, makers[name], f"both make a loop {name}")
                makers[name], before[name] = new, old
                continue
            if name in source and name not in consumed(each) and not _renamed_away(name, directives, each):
                raise each.refuse(f"there is a loop {name} already", "E777")
            makers[name] = each
    return makers, before


def _renamed_away(name: str, directives: list[Directive], maker: Directive) -> bool:
    """Whether another directive uses up the loop of that name, so that the name is free."""
    return any(name in consumed(each) and name not in made(each) for each in directives if each is not maker)


def _check_conflicts(directives: list[Directive], makers: Mapping[str, Directive]) -> None:
    users: dict[str, Directive] = {}
    for each in directives:
        for name in consumed(each):
            if makers.get(name) is each:
                continue  # it makes the name anew, and what uses that comes later
            if name in users:
                raise conflict(each, users[name], f"both use up the loop {name}")
            users[name] = each


def conflict(one: Directive, other: Directive, what: str) -> DirectiveError:
    """The error that two directives do not go together."""
    first, second = sorted((one, other), key=lambda each: each.position)
    return second.refuse(f"{what}, this one and {first} at line {_line(first.span)}", "E778")


def _line(span: Span | None) -> str:
    return "?" if span is None else str(span.line)


def _sorted(directives: list[Directive], after: Mapping[Directive, set[Directive]]) -> list[Directive]:
    sorter = TopologicalSorter(after)
    try:
        sorter.prepare()
    except CycleError as error:
        one, other = error.args[1][:2]
        raise conflict(one, other, "each needs what the other makes or uses up") from None
    position = {each: number for number, each in enumerate(directives)}
    result: list[Directive] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=position.__getitem__)
        result += ready
        sorter.done(*ready)
    return result
