"""Programs that use the standard library, on arguments that Python has."""

from __future__ import annotations

from usl_perceus import data, fun
from usl_perceus.std import json, lists, maps, options, queues, sets, sorting, texts
from usl_perceus.std.json import Json
from usl_perceus.std.lists import List
from usl_perceus.std.maps import Map
from usl_perceus.std.options import Option
from usl_perceus.std.queues import EmptyQueue, Queue
from usl_perceus.std.sets import Set


@fun
def plain(xs: List[i64]) -> array[i64]:
    return lists.to_array(xs, 0)


@fun
def list_parts(
    a: array[i64], b: array[i64], n: i64
) -> tuple[array[i64], array[i64], array[i64], array[i64], array[i64], array[i64]]:
    xs, ys = lists.of_array(a), lists.of_array(b)
    low, high = lists.partition(xs, lambda x: x < n)
    return (
        plain(lists.append(xs, ys)),
        plain(lists.reverse(xs)),
        plain(lists.append(lists.take(ys, n), Cons(-1, lists.drop(ys, n)))),
        plain(lists.append(low, Cons(-1, high))),
        plain(lists.filter(lists.update(xs, lambda x: 3 * x), lambda x: x % 2 == 0)),
        plain(lists.map(lists.zip(xs, ys), lambda pair: product(pair))),
    )


@fun
def product(pair: tuple[i64, i64]) -> i64:
    x, y = pair
    return x * y


@fun
def list_looks(a: array[i64], x: i64) -> tuple[i64, bool, bool, bool, bool, i64, i64, i64]:
    xs = lists.of_array(a)
    return (
        lists.length(xs),
        lists.is_empty(xs),
        lists.contains(xs, x),
        lists.any(xs, lambda y: y > x),
        lists.all(xs, lambda y: y > x),
        lists.at(xs, x, -7),
        options.value_or(lists.find(xs, lambda y: y > x), -7),
        lists.fold(xs, 0, lambda sum, y: 3 * sum + y),
    )


@fun
def option_parts(n: i64) -> tuple[bool, i64, i64, i64, i64]:
    x = Some(n) if n % 2 == 0 else Nothing
    return (
        options.is_some(x),
        options.value_or(x, -1),
        options.value_or(options.update(x, lambda y: y + 1), -1),
        options.value_or(options.filter(x, lambda y: y > 4), -1),
        options.value_or(options.either(options.map(x, lambda y: -y), Some(5)), -1),
    )


@fun
def map_of(keys: array[i64]) -> Map[i64, i64]:
    m = Empty
    for key in keys:
        m = maps.set(m, key // 3, key)
    return m


@fun
def without(m: Map[i64, i64], keys: array[i64]) -> Map[i64, i64]:
    for key in keys:
        m = maps.remove(m, key // 3)
    return m


@fun
def flat(m: Map[i64, i64]) -> array[i64]:
    return plain(maps.fold(m, Nil, lambda done, k, v: Cons(v, Cons(k, done))))


@fun
def is_balanced(m: borrowed[Map[i64, i64]]) -> bool:
    match m:
        case Empty():
            return True
        case Entry(n, l, _, _, r):
            left, right = maps.size(l), maps.size(r)
            well = left + right < 2 or (left <= 3 * right and right <= 3 * left)
            return well and n == left + right + 1 and is_balanced(l) and is_balanced(r)


@fun
def map_changes(keys: array[i64], gone: array[i64], n: i64) -> tuple[array[i64], array[i64], array[i64], array[i64], bool]:
    m = map_of(keys)
    less = without(m, gone)
    even = maps.filter(m, lambda k, v: k % 2 == n % 2)
    return (
        flat(m),
        flat(less),
        flat(even),
        flat(maps.map(maps.update(m, n // 3, lambda v: v + 100), lambda k, v: v - k)),
        is_balanced(m) and is_balanced(less) and is_balanced(even),
    )


@fun
def map_looks(keys: array[i64], n: i64) -> tuple[i64, bool, i64, i64, i64, i64, str, i64]:
    m = map_of(keys)
    return (
        maps.size(m),
        maps.contains(m, n),
        maps.get(m, n, -7),
        options.value_or(maps.find(m, n), -7),
        maps.rank(m, n),
        product(options.value_or(maps.nth(m, n), (-1, 7))),
        str(maps.smallest(m)),
        maps.size(maps.of_items(maps.items(m))),
    )


@fun
def map_more(keys: array[i64], n: i64) -> tuple[str, str, str, i64]:
    m = maps.empty()
    for key in keys:
        m = m.update_or(key // 3, 1, lambda v: 2 * v + key)  # noqa: B023  (each round has its own)
    try:
        found = m[n]
    except KeyError:
        found = -1
    return str(m.keys()), str(m.values()), str(m.items()), found if (found >= 0) == (n in m) else -2


@fun
def set_parts(
    a: array[i64], b: array[i64], x: i64
) -> tuple[array[i64], array[i64], array[i64], array[i64], tuple[i64, bool, i64, bool]]:
    s, t = sets.of_list(lists.of_array(a)), sets.of_list(lists.of_array(b))
    union, common = sets.union(s, t), sets.intersection(s, t)
    sizes = (sets.size(s), sets.contains(s, x), sets.fold(s, 0, lambda sum, y: 3 * sum + y), well(union) and well(common))
    return (
        plain(sets.elements(union)),
        plain(sets.elements(common)),
        plain(sets.elements(sets.difference(s, t))),
        plain(sets.elements(sets.remove(sets.add(s, x + 1), x))),
        sizes,
    )


@fun
def well(s: Set[i64]) -> bool:
    match maps.linked(sets.filter(s, lambda x: x % 3 > 0).entries):
        case Entry(n, l, _, _, r):
            return n == maps.size(l) + maps.size(r) + 1
        case Empty():
            return True


@fun
def through_queue(steps: array[i64]) -> tuple[array[i64], array[i64], i64]:
    q, out, size = queues.empty(), Nil, 0
    for step in steps:
        if step < 0:
            old = q
            try:
                x, rest = queues.pop(old)
                found = (x, rest)
            except EmptyQueue():
                found = (-1 if queues.is_empty(old) else -2, old)
            x, q = found
            out = Cons(x, out)
        else:
            q = queues.push(q, step)
        size += queues.size(q)
    return plain(lists.reverse(out)), plain(queues.to_list(q)), size


@fun
def sorted_ways(a: array[i64]) -> tuple[array[i64], array[i64], array[i64], bool]:
    xs = lists.of_array(a)
    return (
        plain(sorting.sort(xs)),
        plain(sorting.sort_by(xs, lambda x, y: x // 4 > y // 4)),
        sorting.sort_array(a),
        sorting.is_sorted(xs),
    )


@fun
def in_texts(text: str, n: i64) -> tuple[str, str]:
    return texts.repeated(text, n), texts.joined(texts.lines(text), "|", lambda line: line)


@fun
def again(text: str) -> str:
    return json.write(json.read(text))


@fun
def path(text: str, name: str, i: i64) -> tuple[f64, str]:
    found = json.item(json.member(json.read(text), name), i)
    return options.value_or(json.number(found), -1.0), options.value_or(json.string(found), "none")


# -- elements whose comparison recurses


@data
class Shape:
    Dot: ()
    Group: ("Shape", "Shape")


@fun
def with_recursive_keys(n: i64) -> tuple[i64, bool, bool, bool, str]:
    m, s, xs = Empty, sets.empty(), Nil
    for i in range(n):
        shape = Dot if i % 2 == 0 else Group(Dot, Dot)
        m, s, xs = maps.set(m, shape, i), sets.add(s, shape), Cons(shape, xs)
    m = maps.update(m, Dot, lambda x: x + 10)
    found = maps.get(m, Group(Dot, Dot), -1) + maps.rank(m, Group(Dot, Dot))
    ordered = sorting.sort(xs)
    in_array = sorting.sort_array(lists.to_array(xs, Dot))
    return found, sets.contains(s, Dot), lists.contains(xs, Dot), sorting.is_sorted(ordered), str(in_array[0]) + str(m)


# -- what the library says of the blocks that it takes


@fun
def inserted(n: i64, key: i64) -> i64:
    return maps.size(maps.set(map_upto(n, Empty), key, 0))


@fun
def map_upto(n: i64, m: Map[i64, i64]) -> Map[i64, i64]:
    return m if n == 0 else map_upto(n - 1, maps.set(m, n, n))


@fun
def pushed(n: i64) -> i64:
    return queues.size(queues.push(queues.of_list(lists.upto(n)), 1))


@fun
def unpushed(n: i64) -> i64:
    return queues.size(queues.of_list(lists.upto(n)))
