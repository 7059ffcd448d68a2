"""Random programs whose values nest every kind of type in every other, for comparing C with the standard semantics.

For each type there are three functions: one makes a value from a number, one changes a part of a value, and one adds up what a
value holds. A program makes values, shares them, changes one of the owners and adds everything up.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from usl_perceus.std import hashmaps

DECLARATIONS = """\
T = TypeVar("T")

@data
class Color:
    Red: ()
    Black: ()

@data
class Option(Generic[T]):
    Nothing: ()
    Some: T

@data
class List(Generic[T]):
    Nil: ()
    Cons: (T, "List[T]")

@data
class Cut(Generic[T]):
    Cut: (bool, T, i32)

@record
class Box(Generic[T]):
    first: T
    text: str
    second: T

"""

SCALARS = ("i64", "i8", "u16", "f64", "f32", "bool", "str", "Color")
CONTAINERS = ("array", "ref", "tuple", "Option", "List", "Cut", "Box", "thread", "from_int", "endo", "HashMap")
PLAIN = ("array", "tuple", "Option", "List", "Cut", "Box", "HashMap")
SCOPE = {"hashmaps": hashmaps, "HashMap": hashmaps.HashMap}
"""What the texts of programs use from elsewhere."""


@dataclass(frozen=True)
class Nested:
    """A type: a scalar, or a container of others."""

    head: str
    parts: tuple[Nested, ...] = ()

    def __str__(self) -> str:
        match self.head:
            case "from_int":
                return f"Callable[[i64], {self.parts[0]}]"
            case "endo":
                return f"Callable[[{self.parts[0]}], {self.parts[0]}]"
            case head if self.parts:
                return f"{head}[{', '.join(map(str, self.parts))}]"
            case head:
                return head


def random_type(rng: random.Random, depth: int, *, in_thread: bool = False) -> Nested:
    """A type. Threads give no cells: when a program looks at one that a thread changes is not determined."""
    if depth == 0:
        return Nested(rng.choice(SCALARS))
    head = rng.choice([each for each in CONTAINERS if each != "ref" or not in_thread])
    parts, in_thread = 2 if head in ("tuple", "HashMap") else 1, in_thread or head == "thread"
    depths = [depth - 1 - rng.randrange(2) * (depth > 1) for _ in range(parts)]
    if head == "HashMap":
        return Nested(head, (random_key(rng, depths[0]), random_type(rng, depths[1], in_thread=in_thread)))
    return Nested(head, tuple(random_type(rng, each, in_thread=in_thread) for each in depths))


def random_key(rng: random.Random, depth: int) -> Nested:
    """A type with `==`."""
    if depth == 0 or rng.random() < 0.5:
        return Nested(rng.choice(SCALARS))
    head = rng.choice(PLAIN)
    return Nested(head, tuple(random_key(rng, depth - 1) for _ in range(2 if head in ("tuple", "HashMap") else 1)))


class Functions:
    """The functions that work on some types; their names end with the number of the type."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.numbers: dict[Nested, int] = {}
        self.texts: list[str] = []

    def of(self, type: Nested) -> int:
        """The number of a type, whose functions are written on the way."""
        if type not in self.numbers:
            parts = [self.of(part) for part in type.parts]
            self.numbers[type] = number = len(self.numbers)
            self._write(type, number, parts)
        return self.numbers[type]

    def name(self, kind: str, number: int) -> str:
        return f"{self.prefix}{kind}{number}"

    def _write(self, type: Nested, number: int, parts: list[int]) -> None:
        make, change, total = (self.name(kind, number) for kind in ("make", "change", "total"))
        first = parts[0] if parts else 0
        inner = {kind: self.name(kind, first) for kind in ("make", "change", "total")}
        made, changed, added = self._bodies(type, number, inner, parts)
        for head, body in (
            (f"{make}(n: i64) -> {type}", made),
            (f"{change}(v: {type}, n: i64) -> {type}", changed),
            (f"{total}(v: {type}) -> i64", added),
        ):
            self.texts.append(f"@fun\ndef {head}:\n" + "".join(f"    {line}\n" for line in body.splitlines()))

    def _bodies(self, type: Nested, number: int, inner: dict[str, str], parts: list[int]) -> tuple[str, str, str]:
        make, change, total = inner["make"], inner["change"], inner["total"]
        again = self.name("total", number)
        match type.head:
            case "str":
                changed = ("return v + str(n)", "return v[1:] + str(n)", 'return "".join(v.split("<")) + v[-1]')[number % 3]
                return 'return f"<{n}>"', changed, "return len(v) + v.count('<')"
            case "bool":
                return "return n % 2 == 0", "return not v", "return 1 if v else 0"
            case "Color":
                return "return Red if n % 2 == 0 else Black", "return Black if n % 2 == 0 else v", "return 2 if v == Red else 5"
            case "f64" | "f32" | "i8" | "u16" | "i64":
                return f"return {type}(n)", f"return v + {type}(n)", "return i64(v)"
            case "array":
                made = f"return [{make}(n), {make}(n + 1)] if n % 2 == 0 else array(n % 3, {make}(n))"
                at, same = "n % len(v)", "if len(v) == 0:\n    return v\n"
                changed = (
                    f"return v if len(v) == 0 else v.set({at}, {change}(v[{at}], n))",
                    f"return v if len(v) == 0 else v.modify({at}, lambda x: {change}(x, n))",
                    f"{same}v, x = v.swap({at}, {make}(n + 2))\nw, y = v.swap(0, {change}(x, n))\nreturn w",
                    f"try:\n    return v.set(n - 2, {change}(v[n - 1], n))\nexcept IndexError():\n    return v",
                    f"try:\n    return v.modify(n - 2, lambda x: {change}(v[n - 1], n))\nexcept IndexError():\n    return v",
                    f"return v.append({make}(n)) if len(v) < 40 else v",
                    f"w = v.append({make}(n))\nv, x = v.pop()\nw, y = w.pop()\n"
                    f"return w.append({change}(x, n)) if len(w) < 40 else w",
                    "try:\n    return v.truncate(n - 2)\nexcept IndexError():\n    return v.truncate(len(v) * 2 // 3)",
                    f"while len(v) > n:\n    v, x = v.pop()\n"
                    f"    if len(v) < 3:\n        return v.append({change}(x, n))\nreturn v",
                )[number % 9]
                rest = self.name("rest", number)
                head = f"@fun\ndef {rest}(v: {type}, i: i64, sum: i64) -> i64:\n"
                self.texts.append(f"{head}    return sum if i == len(v) else {rest}(v, i + 1, 3 * sum + {total}(v[i]))\n")
                return made, changed, f"return {rest}(v, 0, len(v))"
            case "ref":
                changed = (
                    f"v.value = {change}(v.value, n)\nreturn v",
                    f"v.modify(lambda x: {change}(x, n))\nreturn v",
                    f"old = v.swap({make}(n))\nv.value = {change}(old, n)\nreturn v",
                    f"f = lambda x: {change}({change}(x, n), n + 1)\nv.modify(f)\nreturn v",
                )[number % 4]
                return f"return ref({make}(n))", changed, f"return {total}(v.value)"
            case "thread":
                return (
                    f"return spawn({make}, n)",
                    f"return spawn({change}, join(v), n)",
                    f"return {total}(join(v))",
                )
            case "tuple":
                other = {kind: self.name(kind, parts[1]) for kind in ("make", "change", "total")}
                return (
                    f"return ({make}(n), {other['make']}(n + 1))",
                    f"a, b = v\nreturn ({change}(a, n), b) if n % 2 == 0 else (a, {other['change']}(b, n))",
                    f"a, b = v\nreturn 3 * {total}(a) + {other['total']}(b)",
                )
            case "HashMap":
                key, (make, change, total) = inner, (self.name(kind, parts[1]) for kind in ("make", "change", "total"))
                changed = (
                    f"return v.set({key['make']}(n), {make}(n)).set({key['make']}(n + 1), {make}(1))",
                    f"return v.update_or({key['make']}(n), {make}(2), lambda x: {change}(x, n))",
                    f"k = {key['make']}(n)\nif k in v:\n    return v.set(k, {change}(v[k], n))\n"
                    f"return v.set(k, v.get(k, {make}(n)))",
                    f"v = v.remove({key['make']}(2 * n))\nv = v.set({key['make']}(1), {make}(n)).remove({key['make']}(n))\n"
                    f"return v.update({key['make']}(3), lambda x: {change}(x, n))",
                    f"try:\n    return v.set({key['make']}(n), {change}(v[{key['make']}(n + 1)], n))\n"
                    "except KeyError:\n    return v",
                    f"return v.filter(lambda k, x: {key['total']}(k) % 3 != n).set({key['make']}(n), {make}(n))",
                    f"w = v\nfor i in range(5):\n    w = w.set({key['make']}(3 * i + n), {make}(i))\n"
                    f"return w if n % 2 == 0 else w.map(lambda k, x: {change}(x, n)).set({key['make']}(0), {make}(len(v)))",
                )[number % 7]
                return (
                    f"m: {type} = hashmaps.empty()\nfor i in range(n % 5 + n // 6):\n"
                    f"    m = m.set({key['make']}(3 * i), {make}(n + i))\n"
                    f"return m if n % 4 > 0 else m.remove({key['make']}(3))",
                    changed,
                    f"return v.fold(len(v), lambda sum, k, x: 3 * sum + 5 * {key['total']}(k) + {total}(x))",
                )
            case "Option":
                return (
                    f"return Nothing if n % 4 == 3 else Some({make}(n))",
                    f"match v:\n    case Some(x):\n        return Some({change}(x, n))\n    case _:\n        return v",
                    f"match v:\n    case Some(x):\n        return {total}(x)\n    case Nothing():\n        return 11",
                )
            case "List":
                return (
                    f"return Cons({make}(n), Cons({make}(n + 1), Nil)) if n % 3 > 0 else Nil",
                    f"match v:\n    case Cons(x, rest):\n        return Cons({change}(x, n), rest)\n"
                    "    case _:\n        return v",
                    f"match v:\n    case Cons(x, rest):\n        return {total}(x) + 7 * {again}(rest)\n"
                    "    case Nil():\n        return 1",
                )
            case "Cut":
                return (
                    f"return Cut(n % 2 == 0, {make}(n), i32(n))",
                    f"match v:\n    case Cut(a, b, c):\n        return Cut(not a, {change}(b, n), c + 1)",
                    f"match v:\n    case Cut(a, b, c):\n        return {total}(b) + i64(c) + (1 if a else 0)",
                )
            case "Box":
                return (
                    f"x = {make}(n)\nreturn Box(second=x, first={make}(n + 1) if n % 2 == 0 else x, text=str(n))",
                    (
                        f"return v.set(first={change}(v.first, n))",
                        "return v.set(second=v.first, first=v.second, text=v.text + v.text[1:])",
                        f"match v:\n    case Box(first=x, second=y):\n        return v.set(second={change}(x, n), first=y)",
                    )[number % 3],
                    f"return {total}(v.first) + 3 * {total}(v.second) + len(v.text)",
                )
            case "from_int":
                return (
                    f"kept = {make}(n)\nreturn lambda m: {change}(kept, m)",
                    f"return lambda m: {change}(v(m), n)",
                    f"return {total}(v(2)) + {total}(v(5))",
                )
            case "endo":
                return (
                    f"return lambda x: {change}(x, n)",
                    f"return lambda x: v({change}(x, n))",
                    f"return {total}(v({make}(4)))",
                )
        raise AssertionError(type)


def program(seed: int, name: str) -> str:
    """The text of a function `name() -> i64` and what it calls, whose names begin with name."""
    rng = random.Random(seed)
    functions = Functions(name)
    lines = ["sum = 0"]
    for at in range(2):
        number = functions.of(random_type(rng, rng.choice((1, 2, 2, 3, 3))))
        make, change, total = (functions.name(kind, number) for kind in ("make", "change", "total"))
        v, w, u = f"v{at}", f"w{at}", f"u{at}"
        n = rng.randrange(8)
        steps = [
            f"{w} = {v}",
            f"{u} = {change}({v}, {rng.randrange(6)})",
            f"{u} = {change}({change}({make}({n}), 1), 2)",
            f"{w} = [{v}, {v}].set({rng.randrange(2)}, {make}({n}))[{rng.randrange(2)}]",
            f"{u} = array(2, array(2, {v}))[1][0]",
            f"{w} = ref(ref({v})).value.value",
            f"{w} = join(spawn({change}, {v}, 3))",
            f"sum = sum + 5 * {total}({v})",
            f"{w} = [{v}, {make}({n})].modify(1, lambda x: {change}(x, 2))[1]",
            f"{w} = ref({v}).swap({make}({n}))",
            f"us, {u} = [{v}].append({w}).append({v}).pop()",
        ]
        lines += [f"{v} = {make}({n})", f"{w} = {v}", f"{u} = {v}"]
        lines += rng.sample(steps, 5)
        lines += [f"sum = sum + {total}({v}) + 3 * {total}({w}) + 7 * {total}({u})"]
    main = f"@fun\ndef {name}() -> i64:\n" + "".join(f"    {line}\n" for line in [*lines, "return sum"])
    return "\n".join([*functions.texts, main])
