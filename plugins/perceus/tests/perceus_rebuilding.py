"""Random programs that update lists and arrays in place where they may, for promises to be checked against runs."""

from __future__ import annotations

import random

INCREASED = """
@fun
def increased(xs: List[i64]) -> List[i64]:
    match xs:
        case Cons(x, rest):
            return Cons(x + 1, increased(rest))
        case Nil():
            return Nil

@fun
def total(xs: List[i64]) -> i64:
    match xs:
        case Cons(x, rest):
            return x + total(rest)
        case Nil():
            return 0
"""

TWO = """
@data
class Two:
    Both: (List[i64], List[i64])

@fun
def doubled(t: Two) -> Two:
    match t:
        case Both(l, r):
            return Both(l, l)

@fun
def raised(t: Two) -> Two:
    match t:
        case Both(l, r):
            return Both(increased(l), increased(r))
"""

UPDATES = """
@fun
def popped(a: array[i64]) -> array[i64]:
    a, last = a.pop()
    return a if len(a) == 0 else a.set(0, last)

@fun
def swapped(m: array[array[i64]], a: array[i64]) -> array[array[i64]]:
    m, old = m.swap(0, a)
    return m.set(1, old)

@fun
def taken(m: array[array[i64]], i: i64) -> array[i64]:
    m, row = m.take(i)
    return row

@fun
def tried(a: array[i64], i: i64, x: i64) -> array[i64]:
    try:
        return a.set(i, x)
    except IndexError():
        return a

@fun
def changed(c: ref[array[i64]], i: i64, x: i64) -> ref[array[i64]]:
    c.modify(lambda a: a.set(i, x))
    return c
"""

LIST, ARRAY, TWO_LISTS, NUMBER, ROWS, CELL = "List[i64]", "array[i64]", "Two", "i64", "array[array[i64]]", "ref[array[i64]]"


class Rebuilding:
    """Random functions of a list, an array and two lists in one value. They rebuild them in place, or would, were they not
    shared."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.made: list[tuple[str, str]] = []

    def program(self) -> str:
        texts = [self.function(f"f{number}") for number in range(6)]
        some = "Cons(1, Cons(2, Nil))"
        arguments = f"{some}, array(3, 4), Both({some}, {some}), rows(), ref(array(3, 1))"
        for name, type in self.made:
            body = (
                f"try:\n        return {self.counted(type, f'{name}({arguments})')}\n    except IndexError():\n        return 7"
            )
            texts.append(f"@fun\ndef call_{name}() -> i64:\n    {body}")
        calls = [f"    n = n + call_{name}()" for name, _ in self.made]
        rows = (
            "@fun\ndef rows() -> array[array[i64]]:\n    return array(2, array(0, 0)).set(0, array(3, 2)).set(1, array(3, 5))"
        )
        return "\n".join(
            [INCREASED, TWO, UPDATES, rows, *texts, "@fun", "def main() -> i64:", "    n = 0", *calls, "    return n"]
        )

    def counted(self, type: str, text: str) -> str:
        return {
            LIST: f"total({text})",
            ARRAY: f"{text}[0]",
            NUMBER: text,
            TWO_LISTS: f"(1 if {text} == Both(Nil, Nil) else 2)",
            ROWS: f"{text}[1][0]",
            CELL: f"{text}.value[1]",
        }[type]

    def function(self, name: str) -> str:
        type = self.rng.choice((LIST, LIST, ARRAY, TWO_LISTS, TWO_LISTS, NUMBER, ROWS, CELL))
        known = {LIST: ["xs"], ARRAY: ["a"], TWO_LISTS: ["t"], NUMBER: ["1", "2"], ROWS: ["m"], CELL: ["c"]}
        lines = [f"@fun\ndef {name}(xs: {LIST}, a: {ARRAY}, t: Two, m: {ROWS}, c: {CELL}) -> {type}:"]
        for i in range(self.rng.randrange(4)):
            of = self.rng.choice((LIST, ARRAY, TWO_LISTS, ROWS, CELL, None))
            if of is None:
                lines.append(self.statement(known))
                continue
            lines.append(f"    v{i} = {self.value(of, known, 2)}")
            known[of].append(f"v{i}")
        if self.rng.random() < 0.5:
            below = {**known, LIST: ["l", "r", *known[LIST]]}
            made = f"Both({self.value(LIST, below, 1)}, {self.value(LIST, below, 1)})"
            body = made if type == TWO_LISTS else self.value(type, below, 2)
            lines += [
                f"    match {self.rng.choice(known[TWO_LISTS])}:",
                "        case Both(l, r):",
                f"            return {body}",
            ]
        else:
            below = {**known, LIST: ["rest", *known[LIST]]}
            body = f"Cons(x + 1, {self.value(LIST, below, 1)})" if type == LIST else self.value(type, below, 2)
            lines += [f"    match {self.rng.choice(known[LIST])}:", "        case Cons(x, rest):", f"            return {body}"]
            lines += ["        case Nil():", f"            return {self.value(type, known, 1)}"]
        self.made.append((name, type))
        return "\n".join(lines)

    def statement(self, known: dict[str, list[str]]) -> str:
        """One that changes a cell."""
        cell = self.rng.choice(known[CELL])
        if self.rng.random() < 0.4:
            return f"    {cell}.value = {self.value(ARRAY, known, 1)}"
        return f"    {cell}.modify(lambda b: {self.value(ARRAY, {**known, ARRAY: ['b', 'b', *known[ARRAY]]}, 2)})"

    def value(self, type: str, known: dict[str, list[str]], depth: int) -> str:
        def inner(wanted: str) -> str:
            return self.value(wanted, known, depth - 1)

        if depth == 0 or self.rng.random() < 0.2:
            return self.rng.choice(known[type])
        named = [name for name, result in self.made if result == type]
        if named and self.rng.random() < 0.4:
            arguments = ", ".join(inner(each) for each in (LIST, ARRAY, TWO_LISTS, ROWS, CELL))
            return f"{self.rng.choice(named)}({arguments})"
        match type:
            case "List[i64]":
                return f"increased({inner(LIST)})"
            case "array[i64]":
                at = self.rng.randrange(3)
                return self.rng.choice(
                    (
                        f"{inner(ARRAY)}.set({at}, {inner(NUMBER)})",
                        f"{inner(ARRAY)}.modify({at}, lambda x: x + {inner(NUMBER)})",
                        f"tried({inner(ARRAY)}, {at + 1}, {inner(NUMBER)})",
                        f"taken({inner(ROWS)}, {at % 2})",
                        f"{inner(ROWS)}[{at % 2}]",
                        f"{inner(CELL)}.value",
                        f"{inner(CELL)}.swap({inner(ARRAY)})",
                        f"{inner(CELL)}.take()",
                        f"{inner(ARRAY)}.append({inner(NUMBER)})",
                        f"popped({inner(ARRAY)}.append({inner(NUMBER)}))",
                    )
                )
            case "array[array[i64]]":
                at = self.rng.randrange(2)
                below = {**known, ARRAY: ["row", "row", *known[ARRAY]]}
                row = self.value(ARRAY, below, depth - 1)
                return self.rng.choice(
                    (
                        f"{inner(ROWS)}.modify({at}, lambda row: {row})",
                        f"{inner(ROWS)}.modify({at}, lambda row: row.set({at}, {inner(NUMBER)}))",
                        f"{inner(ROWS)}.set({at}, {inner(ARRAY)})",
                        f"swapped({inner(ROWS)}, {inner(ARRAY)})",
                        f"{inner(ROWS)}.append({inner(ARRAY)})",
                    )
                )
            case "ref[array[i64]]":
                return f"changed({inner(CELL)}, {self.rng.randrange(4)}, {inner(NUMBER)})"
            case "Two":
                return f"{self.rng.choice(('doubled', 'raised'))}({inner(TWO_LISTS)})"
            case _:
                return self.rng.choice(
                    (
                        f"total({inner(LIST)})",
                        f"{inner(ARRAY)}[{self.rng.randrange(3)}]",
                        f"({inner(NUMBER)} + {inner(NUMBER)})",
                    )
                )
