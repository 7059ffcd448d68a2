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

LIST, ARRAY, TWO_LISTS, NUMBER = "List[i64]", "array[i64]", "Two", "i64"


class Rebuilding:
    """Random functions of a list, an array and two lists in one value. They rebuild them in place, or would, were they not
    shared."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.made: list[tuple[str, str]] = []

    def program(self) -> str:
        texts = [self.function(f"f{number}") for number in range(6)]
        some = "Cons(1, Cons(2, Nil))"
        calls = [
            f"    n = n + {self.counted(type, f'{name}({some}, array(3, 4), Both({some}, {some}))')}"
            for name, type in self.made
        ]
        return "\n".join([INCREASED, TWO, *texts, "@fun", "def main() -> i64:", "    n = 0", *calls, "    return n"])

    def counted(self, type: str, text: str) -> str:
        return {
            LIST: f"total({text})",
            ARRAY: f"{text}[0]",
            NUMBER: text,
            TWO_LISTS: f"(1 if {text} == Both(Nil, Nil) else 2)",
        }[type]

    def function(self, name: str) -> str:
        type = self.rng.choice((LIST, LIST, ARRAY, TWO_LISTS, TWO_LISTS, NUMBER))
        known = {LIST: ["xs"], ARRAY: ["a"], TWO_LISTS: ["t"], NUMBER: ["1", "2"]}
        lines = [f"@fun\ndef {name}(xs: {LIST}, a: {ARRAY}, t: Two) -> {type}:"]
        for i in range(self.rng.randrange(3)):
            of = self.rng.choice((LIST, ARRAY, TWO_LISTS))
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

    def value(self, type: str, known: dict[str, list[str]], depth: int) -> str:
        def inner(wanted: str) -> str:
            return self.value(wanted, known, depth - 1)

        if depth == 0 or self.rng.random() < 0.2:
            return self.rng.choice(known[type])
        named = [name for name, result in self.made if result == type]
        if named and self.rng.random() < 0.4:
            return f"{self.rng.choice(named)}({inner(LIST)}, {inner(ARRAY)}, {inner(TWO_LISTS)})"
        match type:
            case "List[i64]":
                return f"increased({inner(LIST)})"
            case "array[i64]":
                return f"{inner(ARRAY)}.set({self.rng.randrange(3)}, {inner(NUMBER)})"
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
