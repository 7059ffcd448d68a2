"""Hash maps: keys, which any type with `==` can be, with their values, in the order in which the keys came.

A map that nobody else holds is changed in place; changing another one copies all of it. The entries lie in arrays in their
order, and a table says where that of a key is: open addressing with linear probing, each slot the lower half of the key's hash
and the number of its place, from 1 on. Removing moves slots back (Knuth 1998, §6.4, algorithm R), so that a table has no marks
of what has gone; the entry leaves an empty place, as `kept` tells, until the map needs room.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from usl_perceus import data, fbip, fun, inline, no_alloc
from usl_perceus.decorators import own
from usl_perceus.front.library import PLACES
from usl_perceus.std.lists import List
from usl_perceus.std.options import Option

K = TypeVar("K")
V = TypeVar("V")
W = TypeVar("W")
S = TypeVar("S")

element, put, owned, taken, put_back = (PLACES[name] for name in ("element", "put", "owned", "taken", "put_back"))
many, none, vacate = (PLACES[name] for name in ("many", "none", "vacate"))
LOW = 0xFFFF_FFFF
LEAST = 8
"""Slots of the smallest table."""
MOST = 0x8000_0000
"""Slots of the largest table; numbers of entries have 32 bits."""


@data
class HashMap(Generic[K, V]):
    """kept: which places still have entries; count: how many."""

    HashMap: {table: array[u64], keys: array[K], values: array[V], kept: array[bool], count: i64}


@fun
def empty() -> HashMap[K, V]:
    """A map without keys. Takes one block."""
    return HashMap(none(), none(), none(), none(), 0)


@fbip
@fun
def size(m: borrowed[HashMap[K, V]]) -> i64:
    """How many keys; takes constant time."""
    return m.count


# -- where a key is


@inline
@fun
def _home(key: borrowed[K]) -> u64:
    """What a slot keeps of the key's hash, which also says where the search for it begins."""
    return hash(key) & LOW


@no_alloc
@fun
def _slot(table: borrowed[array[u64]], keys: borrowed[array[K]], key: borrowed[K], home: u64) -> i64:
    """The slot of the key, or the empty one where it would be. There is one: a third of the slots is empty."""
    mask = u64(len(table)) - 1
    at = home & mask
    while True:
        slot = element(table, i64(at))
        if slot == 0 or (slot >> 32 == home and element(keys, i64(slot & LOW) - 1) == key):
            return i64(at)
        at = (at + 1) & mask


@no_alloc
@fun
def _place(m: borrowed[HashMap[K, V]], key: borrowed[K]) -> i64:
    """The place of the key's entry, or -1."""
    match m:
        case HashMap(table, keys, _, _, count):
            if count == 0:
                return -1
            return i64(element(table, _slot(table, keys, key, _home(key))) & LOW) - 1


@no_alloc
@fun
def contains(m: borrowed[HashMap[K, V]], key: borrowed[K]) -> bool:
    """Whether there is the key."""
    return _place(m, key) >= 0


@no_alloc
@fun
def get(m: borrowed[HashMap[K, V]], key: borrowed[K], otherwise: V) -> V:
    """The value of key, or otherwise if it is missing."""
    place = _place(m, key)
    return element(m.values, place) if place >= 0 else otherwise


@no_alloc
@fun
def item(m: borrowed[HashMap[K, V]], key: borrowed[K]) -> V:
    """The value of key.

    Raises:
        KeyError: it is missing.
    """
    place = _place(m, key)
    if place < 0:
        raise KeyError
    return element(m.values, place)


@fun
def find(m: borrowed[HashMap[K, V]], key: borrowed[K]) -> Option[V]:
    """The value of key. Takes one block."""
    place = _place(m, key)
    return Some(element(m.values, place)) if place >= 0 else Nothing


# -- changes


@fun
def set(m: HashMap[K, V], key: K, value: V) -> HashMap[K, V]:
    """m with that value of key. Takes no memory if the key is there, or while the arrays have room (but a block for a key, or a
    value, that is a tuple or record with references)."""
    match m:
        case HashMap(table, keys, values, kept, count):
            home = _home(key)
            if len(keys) < _room(table):
                at = _slot(table, keys, key, home)
                slot = element(table, at)
                if slot != 0:
                    return HashMap(table, keys, put(values, i64(slot & LOW) - 1, value), kept, count)
                return _added(HashMap(table, keys, values, kept, count), at, home, key, value)
            return _set_in_full(HashMap(table, keys, values, kept, count), home, key, value)


@fun
def _set_in_full(m: HashMap[K, V], home: u64, key: K, value: V) -> HashMap[K, V]:
    """The same where all places for entries are, or were, in use."""
    match m:
        case HashMap(table, keys, values, kept, count):
            if count > 0:
                slot = element(table, _slot(table, keys, key, home))
                if slot != 0:
                    return HashMap(table, keys, put(values, i64(slot & LOW) - 1, value), kept, count)
            wider = _with_room(HashMap(table, keys, values, kept, count))
            at = _slot(wider.table, wider.keys, key, home)
            return _added(wider, at, home, key, value)


@inline
@fun
def _added(m: HashMap[K, V], at: i64, home: u64, key: K, value: V) -> HashMap[K, V]:
    """m, which has room, with a key that it did not have, whose slot is to be the empty one at at."""
    match m:
        case HashMap(table, keys, values, kept, count):
            slots = put(table, at, home << 32 | u64(len(keys) + 1))
            return HashMap(slots, keys.append(key), values.append(value), kept.append(True), count + 1)


@inline
@fun
def _room(table: borrowed[array[u64]]) -> i64:
    """How many entries there may be before the table grows: two thirds of its slots."""
    return len(table) - (len(table) + 2) // 3


@fun
def _with_room(m: HashMap[K, V]) -> HashMap[K, V]:
    """m with room for one more entry: without the places of those that have gone if they are many, else with a larger table."""
    match m:
        case HashMap(table, keys, values, kept, count):
            if len(keys) - count > len(keys) // 4:
                return _dense(HashMap(table, keys, values, kept, count))
            slots = max(LEAST, 2 * len(table))
            if slots > MOST:
                slots = 1 << 60  # there is no memory for that, as the next line says
            return HashMap(_rehashed(table, slots), keys, values, kept, count)


@fun
def _rehashed(old: array[u64], slots: i64) -> array[u64]:
    """A table of so many slots, with those of the old one."""
    table = many(slots, 0)
    for i in range(len(old)):
        slot = element(old, i)
        if slot != 0:
            table = _entered(table, slot)
    return table


@no_alloc
@fun
def _entered(table: array[u64], slot: u64) -> array[u64]:
    """The table with a slot of a key that it does not have."""
    mask = u64(len(table)) - 1
    at = (slot >> 32) & mask
    while element(table, i64(at)) != 0:
        at = (at + 1) & mask
    return put(table, i64(at), slot)


@fun
def _dense(m: HashMap[K, V]) -> HashMap[K, V]:
    """m without the places of entries that have gone."""
    made = HashMap(many(len(m.table), 0), none(), none(), none(), 0)
    for i in range(len(m.keys)):
        if element(m.kept, i):
            made = _behind(made, element(m.keys, i), element(m.values, i))
    return made


@fun
def _behind(m: HashMap[K, V], key: K, value: V) -> HashMap[K, V]:
    """m, which has room, with a key that it does not have."""
    match m:
        case HashMap(table, keys, values, kept, count):
            slots = _entered(table, _home(key) << 32 | u64(len(keys) + 1))
            return HashMap(slots, keys.append(key), values.append(value), kept.append(True), count + 1)


@no_alloc
@fun
def update(m: HashMap[K, V], key: borrowed[K], f: Callable[[V], V]) -> HashMap[K, V]:
    """m with f(value) as the value of key, if it is there; f is the only owner of the value."""
    place = _place(m, key)
    if place < 0:
        return m
    match m:
        case HashMap(table, keys, values, kept, count):
            return HashMap(table, keys, _changed(values, place, f), kept, count)


@inline
@fun
def _changed(values: array[V], place: i64, f: Callable[[V], V]) -> array[V]:
    own = owned(values)
    old = taken(own, place)
    return put_back(own, place, f(old))


@fun
def update_or(m: HashMap[K, V], key: K, otherwise: V, f: Callable[[V], V]) -> HashMap[K, V]:
    """m with f(value) as the value of key, or f(otherwise) if it was missing. Takes memory as `set`."""
    place = _place(m, key)
    if place < 0:
        return set(m, key, f(otherwise))
    match m:
        case HashMap(table, keys, values, kept, count):
            return HashMap(table, keys, _changed(values, place, f), kept, count)


@no_alloc
@fun
def remove(m: HashMap[K, V], key: borrowed[K]) -> HashMap[K, V]:
    """m without key."""
    match m:
        case HashMap(table, keys, values, kept, count):
            if count == 0:
                return HashMap(table, keys, values, kept, count)
            at = _slot(table, keys, key, _home(key))
            place = i64(element(table, at) & LOW) - 1
            if place < 0:
                return HashMap(table, keys, values, kept, count)
            shorter = _without(table, u64(at))
            return HashMap(shorter, vacate(keys, place), vacate(values, place), put(kept, place, False), count - 1)


@no_alloc
@fun
def _without(table: array[u64], hole: u64) -> array[u64]:
    """The table without the slot at hole: those that would not be found any more move back."""
    mask = u64(len(table)) - 1
    at = hole
    while True:
        at = (at + 1) & mask
        slot = element(table, i64(at))
        if slot == 0:
            return put(table, i64(hole), 0)
        if (at - (slot >> 32)) & mask >= (at - hole) & mask:
            table = put(table, i64(hole), slot)
            hole = at


@no_alloc
@fun
def filter(m: HashMap[K, V], keeps: Callable[[K, V], bool]) -> HashMap[K, V]:
    """The entries of which keeps is true."""
    for i in range(len(m.keys)):
        if element(m.kept, i):
            key = element(m.keys, i)
            if not keeps(key, element(m.values, i)):
                m = remove(m, key)
    return m


# -- all entries, in the order in which their keys came


@no_alloc
@fun
def fold(m: borrowed[HashMap[K, V]], start: S, f: Callable[[S, K, V], S]) -> S:
    """f(... f(f(start, k0, v0), k1, v1) ...)"""
    for i in range(len(m.keys)):
        if element(m.kept, i):
            start = f(start, element(m.keys, i), element(m.values, i))
    return start


@fun
def map(m: borrowed[HashMap[K, V]], f: Callable[[K, V], W]) -> HashMap[K, W]:
    """Other values of the same keys. Takes memory for all."""
    made = empty()
    for i in range(len(m.keys)):
        if element(m.kept, i):
            key = element(m.keys, i)
            made = set(made, key, f(key, element(m.values, i)))
    return made


@fun
def items(m: borrowed[HashMap[K, V]]) -> array[tuple[K, V]]:
    """Keys with their values."""
    found = none()
    for i in range(len(m.keys)):
        if element(m.kept, i):
            found = found.append((element(m.keys, i), element(m.values, i)))
    return found


@fun
def keys(m: borrowed[HashMap[K, V]]) -> array[K]:
    """The keys."""
    found = none()
    for i in range(len(m.keys)):
        if element(m.kept, i):
            found = found.append(element(m.keys, i))
    return found


@fun
def values(m: borrowed[HashMap[K, V]]) -> array[V]:
    """The values."""
    found = none()
    for i in range(len(m.keys)):
        if element(m.kept, i):
            found = found.append(element(m.values, i))
    return found


@fun
def of_items(items: borrowed[array[tuple[K, V]]]) -> HashMap[K, V]:
    """Of two values of a key the later one counts; the place is that of the first."""
    m = empty()
    for i in range(len(items)):
        key, value = element(items, i)
        m = set(m, key, value)
    return m


@fun
def of_list(items: List[tuple[K, V]]) -> HashMap[K, V]:
    """The same of a list."""
    m = empty()
    for key, value in items:
        m = set(m, key, value)
    return m


# -- what the compiler would make of the fields, and wrongly


@own("equality")
@no_alloc
@fun
def _equal(a: borrowed[HashMap[K, V]], b: borrowed[HashMap[K, V]]) -> bool:
    """The same keys with the same values, in any order."""
    if size(a) != size(b):
        return False
    for i in range(len(a.keys)):
        if element(a.kept, i):
            place = _place(b, element(a.keys, i))
            if place < 0 or element(b.values, place) != element(a.values, i):
                return False
    return True


@own("hash")
@no_alloc
@fun
def _hash(m: borrowed[HashMap[K, V]]) -> u64:
    return fold(m, u64(size(m)), lambda sum, key, value: sum + hash((key, value)))


@own("text")
@fun
def _text(before: str, m: borrowed[HashMap[K, V]]) -> str:
    """As Python writes a dict."""
    text = before + "{"
    first = True
    for i in range(len(m.keys)):
        if element(m.kept, i):
            text = text + ("" if first else ", ") + repr(element(m.keys, i)) + ": " + repr(element(m.values, i))
            first = False
    return text + "}"
