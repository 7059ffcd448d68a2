"""Programs with hash maps and hash sets, on arguments that Python has."""

from __future__ import annotations

from usl_perceus import data, fun, record
from usl_perceus.std import hashmaps, hashsets, lists
from usl_perceus.std.hashmaps import HashMap
from usl_perceus.std.hashsets import HashSet
from usl_perceus.std.lists import List

__package__ = "usl_perceus.std"  # one of the programs looks into a map


@data
class Shape:
    Dot: ()
    Line: (i64, i64)
    Group: ("Shape", "Shape")


@fun
def changed(m: HashMap[i64, str], op: i64, key: i64) -> HashMap[i64, str]:
    """m after one of the operations."""
    if op == 0:
        return m.set(key, str(op + key))
    if op == 1:
        return m.remove(key)
    if op == 2:
        return m.update(key, lambda old: old + "!")
    if op == 3:
        return m.update_or(key, "new", lambda old: old + "?")
    if op == 4:
        return m.filter(lambda k, v: (k + key) % 3 > 0)
    if op == 5:
        return m.map(lambda k, v: v + str(key))
    return hashmaps.of_items(m.items()).set(-key, m.get(key, "none"))


@fun
def history(ops: array[i64], keys: array[i64], kept: i64) -> tuple[str, str, str, bool]:
    """The map after all operations; the one after the first few, before and afterwards; whether they are equal."""
    m: HashMap[i64, str] = hashmaps.empty()
    early, text = m, ""
    for i in range(len(ops)):
        m = changed(m, ops[i], keys[i])
        if i == kept:
            early, text = m, str(m)
    return str(m), text, str(early), m == early


@fun
def looks(keys: array[i64], key: i64) -> tuple[i64, bool, i64, str, i64, i64]:
    m: HashMap[i64, i64] = hashmaps.empty()
    for i in range(len(keys)):
        m = m.set(keys[i], i)
    try:
        found = m[key]
    except KeyError:
        found = -1
    sum = 0
    for k, v in m.items():
        sum = 3 * sum + k - v
    many = len(m.keys()) + len(m.values())
    return len(m), key in m, m.get(key, -2), str(hashmaps.find(m, key)), found, sum + many


@fun
def missing(key: i64) -> i64:
    return hashmaps.of_items([(1, 2)])[key]


@fun
def by_any_key(n: i64) -> tuple[i64, i64, i64, i64, i64, i64, i64]:
    """How many different keys of each type there are."""
    texts: HashMap[str, i64] = hashmaps.empty()
    truths: HashMap[bool, i64] = hashmaps.empty()
    floats: HashMap[f64, i64] = hashmaps.empty()
    pairs: HashMap[tuple[i8, str], i64] = hashmaps.empty()
    shapes: HashMap[Shape, array[str]] = hashmaps.empty()
    rows: HashMap[array[i64], None] = hashmaps.empty()
    whole: HashMap[HashMap[i64, i64], List[i64]] = hashmaps.empty()
    for i in range(n):
        texts = texts.update_or(str(i % 7), 0, lambda x: x + 1)
        truths = truths.set(i % 3 == 0, i)
        floats = floats.set(0.0 if i % 2 == 0 else -0.0, i).set(f64(i % 5) / 4.0, i)
        pairs = pairs.set((i8(i % 3), str(i % 2)), i)
        shapes = shapes.set(Group(Line(i % 2, 0), Dot) if i % 4 == 0 else Line(i % 3, 1), [str(i)])
        rows = rows.set(array(i % 5, 7), None)
        whole = whole.set(hashmaps.of_items([(i % 2, 1), (5, 5)]), [i]).set(hashmaps.of_items([(5, 5), (i % 2, 1)]), [])
    return len(texts), len(truths), len(floats), len(pairs), len(shapes), len(rows), len(whole)


@fun
def adder(i: i64) -> Callable[[i64], i64]:
    return lambda x: x + i


@fun
def functions_as_values(n: i64) -> i64:
    m: HashMap[i64, Callable[[i64], i64]] = hashmaps.empty()
    for i in range(n):
        m = m.set(i, adder(i))
    before = m
    for i in range(0, n, 2):
        m = m.remove(i64(i) * 2)
    m = m.set(1000, lambda x: 7)
    f, g = m[1000], before[n - 1]
    return f(1) + g(1)


@fun
def through(n: i64, width: i64) -> tuple[i64, i64, i64]:
    """A window over n keys: the newest is put in, the oldest taken out. Slots of the table, places, keys that are left."""
    m: HashMap[i64, i64] = hashmaps.empty()
    for i in range(n):
        m = m.set(i, i)
        if i >= width:
            m = m.remove(i - width)
    return len(m.table), len(m.keys()), len(m)


@fun
def replaced(n: i64) -> i64:
    """As many changes of known keys as there are keys."""
    return len(again(filled(n), n))


@fun
def filled(n: i64) -> HashMap[i64, i64]:
    m: HashMap[i64, i64] = hashmaps.empty()
    for i in range(n):
        m = m.set(i, i)
    return m


@fun
def again(m: HashMap[i64, i64], n: i64) -> HashMap[i64, i64]:
    for i in range(n):
        m = m.set(i, m.get(i, 0) + 1)
        m = m.update(i, lambda x: x + 1)
    return m


@fun
def only_filled(n: i64) -> i64:
    return len(filled(n))


@fun
def kept_and_changed(m: HashMap[i64, i64]) -> tuple[i64, i64]:
    return len(m.set(1, 2)), len(m)


@fun
def set_parts(a: array[i64], b: array[i64], x: i64) -> tuple[array[i64], array[i64], array[i64], str, i64, bool]:
    s, t = hashsets.of_array(a), hashsets.of_array(b)
    sum = s.fold(0, lambda sum, y: 3 * sum + y)
    some = s.add(x).remove(x + 1)
    return (
        s.union(t).elements(),
        s.difference(t).elements(),
        s.intersection(t).elements(),
        str(some),
        sum + len(s),
        x in s and s.union(t) == t.union(s) and hash(s.union(t)) == hash(t.union(s)),
    )


@record
class Bank:
    accounts: HashMap[str, i64]
    name: str


@fun
def opened(name: str) -> Bank:
    return Bank(hashmaps.empty(), name)


@fun
def paid(b: Bank, who: str, amount: i64) -> Bank:
    return b.set(accounts=b.accounts.set(who, b.accounts.get(who, 0) + amount))


@fun
def balances(accounts: HashMap[str, i64]) -> array[tuple[str, i64]]:
    return accounts.items()


@fun
def many_payments(n: i64) -> i64:
    b = opened("x")
    for i in range(n):
        b = paid(b, str(i % 9), i)
    return len(b.accounts)


@fun
def hashes(a: array[i64], text: str) -> tuple[bool, bool, bool, bool]:
    xs, again = lists.of_array(a), lists.of_array(a)
    same = hash((a, text)) == hash((a, text + ""))
    return hash(xs) == hash(again), hash(xs) == hash(Cons(0, again)), same, hash(text) == hash(text + "x")


@fun
def all_hashes(n: i64) -> array[u64]:
    shape = Group(Line(n, 2), Dot)
    few = [hash(n), hash(i8(n)), hash(f32(n) / 2.0), hash(-0.0), hash("abcdefghij"), hash(""), hash(shape)]
    return [few[0], few[1], few[2], few[3], few[4], few[5], few[6], hash(((n > 0, "x"), [n, 1])), hash(Cons(n, Nil))]


# -- a data type of one's own


@record
class Polynomial:
    coefficients: array[f64]


@fun
def size(p: borrowed[Polynomial]) -> i64:
    return len(p.coefficients)


@fun
def item(p: borrowed[Polynomial], i: i64) -> f64:
    return p.coefficients[i]


@fun
def contains(p: borrowed[Polynomial], x: f64) -> bool:
    return abs(p.at(x)) < 1e-9


@fun
def at(p: borrowed[Polynomial], x: f64, shift: f64 = 0.0) -> f64:
    sum = 0.0
    for i in range(len(p)):
        sum = sum * (x + shift) + p[len(p) - 1 - i]
    return sum


@fun
def polynomial(a: array[f64], x: f64) -> tuple[i64, bool, f64, f64]:
    p = Polynomial(a)
    return len(p), x in p, p.at(x), p.at(shift=1.0, x=x)
