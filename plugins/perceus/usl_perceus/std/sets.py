"""Sets of values, in their order: maps whose values are None, which takes no memory."""

from __future__ import annotations

from typing import Generic, TypeVar

from usl_perceus import data, fbip, fun, no_alloc
from usl_perceus.std import maps
from usl_perceus.std.lists import List
from usl_perceus.std.maps import Map

T = TypeVar("T")
S = TypeVar("S")


@data
class Set(Generic[T]):
    """The elements as keys."""

    Set: {entries: Map[T, None]}


@fun
def empty() -> Set[T]:
    """A set without elements."""
    return Set(Empty)


@fbip
@fun
def size(s: borrowed[Set[T]]) -> i64:
    """How many elements; takes constant time."""
    match s:
        case Set(m):
            return maps.size(m)


@no_alloc
@fun
def contains(s: borrowed[Set[T]], x: borrowed[T]) -> bool:
    """Whether x is an element."""
    match s:
        case Set(m):
            return maps.contains(m, x)


@fun
def add(s: Set[T], x: T) -> Set[T]:
    """Takes one block if x is new, else none."""
    return Set(maps.set(s.entries, x, None))


@no_alloc
@fun
def remove(s: Set[T], x: borrowed[T]) -> Set[T]:
    """s without x."""
    return Set(maps.remove(s.entries, x))


@no_alloc
@fun
def filter(s: Set[T], keeps: Callable[[T], bool]) -> Set[T]:
    """The elements of which keeps is true."""
    return Set(_filter(s.entries, keeps))


@no_alloc
@fun
def _filter(m: Map[T, None], keeps: Callable[[T], bool]) -> Map[T, None]:
    match m:
        case Empty():
            return Empty
        case Entry(n, l, x, u, r):
            low, high = _filter(l, keeps), _filter(r, keeps)
            return maps.linked(Entry(n, low, x, u, high)) if keeps(x) else maps.merged(low, high)


@no_alloc
@fun
def fold(s: borrowed[Set[T]], start: S, f: Callable[[S, T], S]) -> S:
    """f(... f(f(start, x0), x1) ...), elements rising."""
    match s:
        case Set(m):
            return _fold(m, start, f)


@no_alloc
@fun
def _fold(m: borrowed[Map[T, None]], start: S, f: Callable[[S, T], S]) -> S:
    match m:
        case Empty():
            return start
        case Entry(_, l, x, _, r):
            return _fold(r, f(_fold(l, start, f), x), f)


@fun
def elements(s: borrowed[Set[T]]) -> List[T]:
    """They rise. Takes a block for each."""
    match s:
        case Set(m):
            return _elements(m, Nil)


@fun
def _elements(m: borrowed[Map[T, None]], behind: List[T]) -> List[T]:
    match m:
        case Empty():
            return behind
        case Entry(_, l, x, _, r):
            return _elements(l, Cons(x, _elements(r, behind)))


@fun
def of_list(xs: List[T]) -> Set[T]:
    """The elements of a list. Takes a block for each that is new."""
    s = Set(Empty)
    for x in xs:
        s = add(s, x)
    return s


@fun
def union(s: Set[T], t: borrowed[Set[T]]) -> Set[T]:
    """Takes a block for each element that s lacks."""
    match t:
        case Set(m):
            return Set(_union(s.entries, m))


@fun
def _union(s: Map[T, None], t: borrowed[Map[T, None]]) -> Map[T, None]:
    match t:
        case Empty():
            return s
        case Entry(_, l, x, _, r):
            return _union(maps.set(_union(s, l), x, None), r)


@no_alloc
@fun
def difference(s: Set[T], t: borrowed[Set[T]]) -> Set[T]:
    """The elements of s that t lacks."""
    match t:
        case Set(m):
            return Set(_difference(s.entries, m))


@no_alloc
@fun
def _difference(s: Map[T, None], t: borrowed[Map[T, None]]) -> Map[T, None]:
    match t:
        case Empty():
            return s
        case Entry(_, l, x, _, r):
            return _difference(maps.remove(_difference(s, l), x), r)


@no_alloc
@fun
def intersection(s: Set[T], t: borrowed[Set[T]]) -> Set[T]:
    """The elements of s that t has, too."""
    match t:
        case Set(m):
            return Set(_intersection(s.entries, m))


@no_alloc
@fun
def _intersection(s: Map[T, None], t: borrowed[Map[T, None]]) -> Map[T, None]:
    match s:
        case Empty():
            return Empty
        case Entry(n, l, x, u, r):
            low, high = _intersection(l, t), _intersection(r, t)
            return maps.linked(Entry(n, low, x, u, high)) if maps.contains(t, x) else maps.merged(low, high)
