"""Hash sets: elements, which any type with `==` can be, in the order in which they came: hash maps whose values are None."""

from __future__ import annotations

from typing import Generic, TypeVar

from usl_perceus import data, fbip, fun, no_alloc
from usl_perceus.decorators import own
from usl_perceus.std import hashmaps
from usl_perceus.std.hashmaps import HashMap, element

T = TypeVar("T")
S = TypeVar("S")


@data
class HashSet(Generic[T]):
    """The elements as keys."""

    HashSet: {entries: HashMap[T, None]}


@fun
def empty() -> HashSet[T]:
    """A set without elements. Takes one block."""
    return HashSet(hashmaps.empty())


@fbip
@fun
def size(s: borrowed[HashSet[T]]) -> i64:
    """How many elements; takes constant time."""
    return hashmaps.size(s.entries)


@no_alloc
@fun
def contains(s: borrowed[HashSet[T]], x: borrowed[T]) -> bool:
    """Whether x is an element."""
    return hashmaps.contains(s.entries, x)


@fun
def add(s: HashSet[T], x: T) -> HashSet[T]:
    """Takes memory as `hashmaps.set`."""
    match s:
        case HashSet(m):
            return HashSet(hashmaps.set(m, x, None))


@no_alloc
@fun
def remove(s: HashSet[T], x: borrowed[T]) -> HashSet[T]:
    """s without x."""
    match s:
        case HashSet(m):
            return HashSet(hashmaps.remove(m, x))


@no_alloc
@fun
def filter(s: HashSet[T], keeps: Callable[[T], bool]) -> HashSet[T]:
    """The elements of which keeps is true."""
    match s:
        case HashSet(m):
            for i in range(len(m.keys)):
                if element(m.kept, i):
                    x = element(m.keys, i)
                    m = m if keeps(x) else hashmaps.remove(m, x)
            return HashSet(m)


@no_alloc
@fun
def fold(s: borrowed[HashSet[T]], start: S, f: Callable[[S, T], S]) -> S:
    """f(... f(f(start, x0), x1) ...), in the order in which the elements came."""
    match s:
        case HashSet(m):
            for i in range(len(m.keys)):
                if element(m.kept, i):
                    start = f(start, element(m.keys, i))
            return start


@fun
def elements(s: borrowed[HashSet[T]]) -> array[T]:
    """In the order in which they came. Takes memory for the array."""
    return hashmaps.keys(s.entries)


@fun
def of_array(xs: borrowed[array[T]]) -> HashSet[T]:
    """The elements of an array, each once."""
    m = hashmaps.empty()
    for x in xs:
        m = hashmaps.set(m, x, None)
    return HashSet(m)


@fun
def union(s: HashSet[T], t: borrowed[HashSet[T]]) -> HashSet[T]:
    """s, and behind its elements those of t that it lacks."""
    for i in range(len(t.entries.keys)):
        if element(t.entries.kept, i):
            s = add(s, element(t.entries.keys, i))
    return s


@no_alloc
@fun
def difference(s: HashSet[T], t: borrowed[HashSet[T]]) -> HashSet[T]:
    """The elements of s that t lacks."""
    for i in range(len(t.entries.keys)):
        if element(t.entries.kept, i):
            s = remove(s, element(t.entries.keys, i))
    return s


@no_alloc
@fun
def intersection(s: HashSet[T], t: borrowed[HashSet[T]]) -> HashSet[T]:
    """The elements of s that t has, too."""
    match s:
        case HashSet(m):
            for i in range(len(m.keys)):
                if element(m.kept, i):
                    x = element(m.keys, i)
                    m = m if contains(t, x) else hashmaps.remove(m, x)
            return HashSet(m)


@own("text")
@fun
def _text(before: str, s: borrowed[HashSet[T]]) -> str:
    """As Python writes a set with elements; an empty one is {}."""
    text = before + "{"
    first = True
    for x in elements(s):
        text = text + ("" if first else ", ") + repr(x)
        first = False
    return text + "}"
