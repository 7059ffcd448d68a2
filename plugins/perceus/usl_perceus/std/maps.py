"""Maps from keys, in their order, to values: balanced trees (weight-balanced, Adams 1993; with the parameters of Hirai and
Yamamoto 2011, which keep every operation balanced)."""

from __future__ import annotations

from typing import Generic, TypeVar

from usl_perceus import data, fbip, fun, no_alloc
from usl_perceus.std.lists import List
from usl_perceus.std.options import Option

K = TypeVar("K")
V = TypeVar("V")
W = TypeVar("W")
S = TypeVar("S")


@data
class Map(Generic[K, V]):
    """A tree of entries, in the order of their keys; count is that of all entries in it."""

    Empty: ()
    Entry: {count: i64, smaller: "Map[K, V]", key: K, value: V, larger: "Map[K, V]"}


@fun
def empty() -> Map[K, V]:
    """A map without entries."""
    return Empty


@fbip
@fun
def size(m: borrowed[Map[K, V]]) -> i64:
    """How many keys; takes constant time."""
    match m:
        case Empty():
            return 0
        case Entry(n, _, _, _, _):
            return n


@no_alloc
@fun
def contains(m: borrowed[Map[K, V]], key: borrowed[K]) -> bool:
    """Whether there is the key."""
    match m:
        case Empty():
            return False
        case Entry(_, l, k, _, r):
            if key < k:
                return contains(l, key)
            if k < key:
                return contains(r, key)
            return True


@no_alloc
@fun
def get(m: borrowed[Map[K, V]], key: borrowed[K], otherwise: V) -> V:
    """The value of key, or otherwise if it is missing."""
    match m:
        case Empty():
            return otherwise
        case Entry(_, l, k, v, r):
            if key < k:
                return get(l, key, otherwise)
            if k < key:
                return get(r, key, otherwise)
            return v


@no_alloc
@fun
def item(m: borrowed[Map[K, V]], key: borrowed[K]) -> V:
    """The value of key.

    Raises:
        KeyError: it is missing.
    """
    match m:
        case Empty():
            raise KeyError
        case Entry(_, l, k, v, r):
            if key < k:
                return item(l, key)
            if k < key:
                return item(r, key)
            return v


@fun
def find(m: borrowed[Map[K, V]], key: borrowed[K]) -> Option[V]:
    """The value of key. Takes one block."""
    match m:
        case Empty():
            return Nothing
        case Entry(_, l, k, v, r):
            if key < k:
                return find(l, key)
            if k < key:
                return find(r, key)
            return Some(v)


# -- changes


@no_alloc
@fun
def _balanced(m: Map[K, V]) -> Map[K, V]:
    """The tree m, of whose subtrees one has got, or lost, an element; and m's count may be wrong."""
    match m:
        case Entry(_, l, k, v, r):
            left, right = size(l), size(r)
            if right > 1 and right > 3 * left:
                return _leaning_left(m)
            if left > 1 and left > 3 * right:
                return _leaning_right(m)
            return Entry(left + right + 1, l, k, v, r)
        case Empty():
            return Empty


@no_alloc
@fun
def _leaning_left(m: Map[K, V]) -> Map[K, V]:
    """m rotated once or twice: its larger keys are too many."""
    match m:
        case Entry(_, l, k, v, Entry(_, Entry(n, a, mk, mv, b), rk, rv, c)):
            if n < 2 * size(c):
                inner = size(l) + n + 1
                return Entry(inner + size(c) + 1, Entry(inner, l, k, v, Entry(n, a, mk, mv, b)), rk, rv, c)
            left, right = size(l) + size(a) + 1, size(b) + size(c) + 1
            return Entry(left + right + 1, Entry(left, l, k, v, a), mk, mv, Entry(right, b, rk, rv, c))
        case Entry(_, l, k, v, Entry(_, Empty(), rk, rv, c)):
            inner = size(l) + 1
            return Entry(inner + size(c) + 1, Entry(inner, l, k, v, Empty), rk, rv, c)
        case _:
            return m


@no_alloc
@fun
def _leaning_right(m: Map[K, V]) -> Map[K, V]:
    """m rotated once or twice: its smaller keys are too many."""
    match m:
        case Entry(_, Entry(_, a, lk, lv, Entry(n, b, mk, mv, c)), k, v, r):
            if n < 2 * size(a):
                inner = size(r) + n + 1
                return Entry(inner + size(a) + 1, a, lk, lv, Entry(inner, Entry(n, b, mk, mv, c), k, v, r))
            left, right = size(a) + size(b) + 1, size(c) + size(r) + 1
            return Entry(left + right + 1, Entry(left, a, lk, lv, b), mk, mv, Entry(right, c, k, v, r))
        case Entry(_, Entry(_, a, lk, lv, Empty()), k, v, r):
            inner = size(r) + 1
            return Entry(inner + size(a) + 1, a, lk, lv, Entry(inner, Empty, k, v, r))
        case _:
            return m


@fun
def set(m: Map[K, V], key: K, value: V) -> Map[K, V]:
    """m with that value of key. Takes one block if the key is new, else none."""
    match m:
        case Empty():
            return Entry(1, Empty, key, value, Empty)
        case Entry(n, l, k, v, r):
            if key < k:
                return _balanced(Entry(n, set(l, key, value), k, v, r))
            if k < key:
                return _balanced(Entry(n, l, k, v, set(r, key, value)))
            return Entry(n, l, key, value, r)


@no_alloc
@fun
def update(m: Map[K, V], key: borrowed[K], f: Callable[[V], V]) -> Map[K, V]:
    """m with f(value) as the value of key, if it is there; f is the only owner of the value."""
    match m:
        case Empty():
            return Empty
        case Entry(n, l, k, v, r):
            if key < k:
                return Entry(n, update(l, key, f), k, v, r)
            if k < key:
                return Entry(n, l, k, v, update(r, key, f))
            return Entry(n, l, k, f(v), r)


@fun
def update_or(m: Map[K, V], key: K, otherwise: V, f: Callable[[V], V]) -> Map[K, V]:
    """m with f(value) as the value of key, or f(otherwise) if it was missing. Takes memory as `set`."""
    match m:
        case Empty():
            return Entry(1, Empty, key, f(otherwise), Empty)
        case Entry(n, l, k, v, r):
            if key < k:
                return _balanced(Entry(n, update_or(l, key, otherwise, f), k, v, r))
            if k < key:
                return _balanced(Entry(n, l, k, v, update_or(r, key, otherwise, f)))
            return Entry(n, l, key, f(v), r)


@no_alloc
@fun
def remove(m: Map[K, V], key: borrowed[K]) -> Map[K, V]:
    """m without key."""
    match m:
        case Empty():
            return Empty
        case Entry(n, l, k, v, r):
            if key < k:
                return _balanced(Entry(n, remove(l, key), k, v, r))
            if k < key:
                return _balanced(Entry(n, l, k, v, remove(r, key)))
            return _joined(l, r)


@no_alloc
@fun
def _joined(l: Map[K, V], r: Map[K, V]) -> Map[K, V]:
    """Of the smaller and the larger keys of a tree whose own entry has gone; the taken one's memory becomes the new root's."""
    match l, r:
        case Empty(), _:
            return r
        case _, Empty():
            return l
        case _:
            if size(l) > size(r):
                return _balanced(_with_largest(l, r))
            return _balanced(_with_smallest(l, r))


@no_alloc
@fun
def _with_smallest(l: Map[K, V], r: Map[K, V]) -> Map[K, V]:
    """The smallest entry of r as the root of l and the rest of r."""
    match r:
        case Entry(n, Empty(), k, v, rest):
            return Entry(n, l, k, v, rest)
        case Entry(n, smaller, k, v, larger):
            match _with_smallest(l, smaller):
                case Entry(m, low, low_key, low_value, rest):
                    return Entry(m, low, low_key, low_value, _balanced(Entry(n, rest, k, v, larger)))
                case Empty():
                    return Empty
        case Empty():
            return l


@no_alloc
@fun
def _with_largest(l: Map[K, V], r: Map[K, V]) -> Map[K, V]:
    """The largest entry of l as the root of the rest of l and r."""
    match l:
        case Entry(n, rest, k, v, Empty()):
            return Entry(n, rest, k, v, r)
        case Entry(n, smaller, k, v, larger):
            match _with_largest(larger, r):
                case Entry(m, rest, high_key, high_value, high):
                    return Entry(m, _balanced(Entry(n, smaller, k, v, rest)), high_key, high_value, high)
                case Empty():
                    return Empty
        case Empty():
            return r


# -- parts


@no_alloc
@fun
def linked(m: Map[K, V]) -> Map[K, V]:
    """m, whose subtrees are balanced, but may be of any sizes, balanced."""
    match m:
        case Entry(n, l, k, v, r):
            left, right = size(l), size(r)
            if right > 3 * left:
                match r:
                    case Entry(rn, low, rk, rv, high):
                        return _balanced(Entry(rn, linked(Entry(n, l, k, v, low)), rk, rv, high))
                    case Empty():
                        return Entry(left + 1, l, k, v, Empty)
            if left > 3 * right:
                match l:
                    case Entry(ln, low, lk, lv, high):
                        return _balanced(Entry(ln, low, lk, lv, linked(Entry(n, high, k, v, r))))
                    case Empty():
                        return Entry(right + 1, Empty, k, v, r)
            return Entry(left + right + 1, l, k, v, r)
        case Empty():
            return Empty


@no_alloc
@fun
def merged(l: Map[K, V], r: Map[K, V]) -> Map[K, V]:
    """The entries of both; the keys of l are smaller than those of r."""
    match l, r:
        case Empty(), _:
            return r
        case _, Empty():
            return l
        case Entry(n, a, lk, lv, b), Entry(m, c, rk, rv, d):
            if m > 3 * n:
                return _balanced(Entry(m, merged(Entry(n, a, lk, lv, b), c), rk, rv, d))
            if n > 3 * m:
                return _balanced(Entry(n, a, lk, lv, merged(b, Entry(m, c, rk, rv, d))))
            return _joined(Entry(n, a, lk, lv, b), Entry(m, c, rk, rv, d))


@no_alloc
@fun
def filter(m: Map[K, V], keeps: Callable[[K, V], bool]) -> Map[K, V]:
    """The entries of which keeps is true."""
    match m:
        case Empty():
            return Empty
        case Entry(n, l, k, v, r):
            low, high = filter(l, keeps), filter(r, keeps)
            return linked(Entry(n, low, k, v, high)) if keeps(k, v) else merged(low, high)


# -- all entries


@no_alloc
@fun
def fold(m: borrowed[Map[K, V]], start: S, f: Callable[[S, K, V], S]) -> S:
    """f(... f(f(start, k0, v0), k1, v1) ...), keys rising."""
    match m:
        case Empty():
            return start
        case Entry(_, l, k, v, r):
            return fold(r, f(fold(l, start, f), k, v), f)


@fun
def map(m: Map[K, V], f: Callable[[K, V], W]) -> Map[K, W]:
    """Other values of the same keys; in the memory of m where both types have the same size."""
    match m:
        case Empty():
            return Empty
        case Entry(n, l, k, v, r):
            return Entry(n, map(l, f), k, f(k, v), map(r, f))


@fun
def items(m: borrowed[Map[K, V]]) -> List[tuple[K, V]]:
    """Keys with their values, keys rising. Takes a block for each."""
    return _items(m, Nil)


@fun
def _items(m: borrowed[Map[K, V]], behind: List[tuple[K, V]]) -> List[tuple[K, V]]:
    match m:
        case Empty():
            return behind
        case Entry(_, l, k, v, r):
            return _items(l, Cons((k, v), _items(r, behind)))


@fun
def keys(m: borrowed[Map[K, V]]) -> List[K]:
    """All keys, rising. Takes a block for each."""
    return _keys(m, Nil)


@fun
def _keys(m: borrowed[Map[K, V]], behind: List[K]) -> List[K]:
    match m:
        case Empty():
            return behind
        case Entry(_, l, k, _, r):
            return _keys(l, Cons(k, _keys(r, behind)))


@fun
def values(m: borrowed[Map[K, V]]) -> List[V]:
    """The values of all keys, keys rising. Takes a block for each."""
    return _values(m, Nil)


@fun
def _values(m: borrowed[Map[K, V]], behind: List[V]) -> List[V]:
    match m:
        case Empty():
            return behind
        case Entry(_, l, _, v, r):
            return _values(l, Cons(v, _values(r, behind)))


@fun
def of_items(items: List[tuple[K, V]]) -> Map[K, V]:
    """Of two values of a key the later one counts."""
    m = Empty
    for key, value in items:
        m = set(m, key, value)
    return m


@fun
def smallest(m: borrowed[Map[K, V]]) -> Option[tuple[K, V]]:
    """The entry with the smallest key. Takes one block."""
    match m:
        case Empty():
            return Nothing
        case Entry(_, Empty(), k, v, _):
            return Some((k, v))
        case Entry(_, l, _, _, _):
            return smallest(l)


@fun
def nth(m: borrowed[Map[K, V]], i: i64) -> Option[tuple[K, V]]:
    """The entry with i smaller keys, in logarithmic time. Takes one block."""
    match m:
        case Empty():
            return Nothing
        case Entry(_, l, k, v, r):
            before = size(l)
            if i < before:
                return nth(l, i)
            return Some((k, v)) if i == before else nth(r, i - before - 1)


@no_alloc
@fun
def rank(m: borrowed[Map[K, V]], key: borrowed[K], before: i64 = 0) -> i64:
    """How many keys are smaller, and before more."""
    match m:
        case Empty():
            return before
        case Entry(_, l, k, _, r):
            if k < key:
                return rank(r, key, before + size(l) + 1)
            return rank(l, key, before)
