"""Random programs whose functions of map, reduce and filter have loops that end by data: `for` with `break`, bounded `while`.

Conditions may look into a table, perhaps beyond its ends; some loops stand in branches, or carry a small array. State is of one
to four numbers of several types, loops are nested or follow each other, limits are passed, constant, sizes, or of the element;
elements are as many as there are lanes, one more, one less, several times that; numbers may be infinite, no numbers, or wrap
around. Products are by powers of two, so that contracting them into sums changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from soac_programs import RandomProgram

TYPES = {"f64": "f8", "f32": "f4", "i64": "i8", "i32": "i4", "u8": "u1"}
REAL = (
    "{left} + {right}",
    "{left} - {right}",
    "{left} * 0.5 + {right}",
    "2.0 * {left}",
    "min({left}, {right})",
    "abs({left}) - 1.0",
    "({left} if {test} else {right})",
)
WHOLE = (
    "{left} + {right}",
    "{left} - {right}",
    "{left} * 3",
    "{left} // 2",
    "max({left}, {right})",
    "{left} ^ {right}",
    "{left} % 3",
    "{left} % {right}",
    "({left} if {test} else {right})",
)
COUNTS = [0, 1, 2, 15, 16, 17, 31, 33, 48]


def random_loop_program(seed: int) -> RandomProgram:
    """The program of a seed."""
    made = LoopGenerator(random.Random(seed))
    text, inputs = made.program()
    return RandomProgram(seed, text, inputs)


@dataclass
class LoopGenerator:
    """The program of a seed. env has the numbers that an expression may use, by name, with their types."""

    rng: random.Random
    lines: list[str] = field(default_factory=list)
    count: int = 0
    array: tuple[str, str] | None = None
    """The name of an array of three numbers that loops change, and the type of these."""

    def one(self, items: Sequence[Any]) -> Any:
        return self.rng.choice(items)

    def maybe(self, chance: float) -> bool:
        return self.rng.random() < chance

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def program(self) -> tuple[str, tuple[tuple[Any, ...], ...]]:
        """`main` applies one function to one or two arrays, in a map of rows or not."""
        kinds = self.one([("f64", "i64"), ("f64", "i64"), ("f32", "i32"), ("f32", "i32"), ("f64", "i32"), ("i64", "u8")])
        rows = self.maybe(0.3)
        results = self.one([1, 1, 2])
        dims = "n, m" if rows else "n"
        head = f"def main(x: {kinds[0]}[{dims}], y: {kinds[1]}[{dims}], table: i64[k], limit: i64, low: i32, flag: bool)"
        env = {"limit": "i64", "low": "i32", "flag": "bool", "k": "i64", "a": kinds[0], "b": kinds[1]}
        self.lines = ["    def g(a, b):"]
        found = self.body(env, "        ", results)
        self.lines.append(f"        return {', '.join(found)}")
        types = [env[each] for each in found]
        form = self.one(["map", "map", "map", "reduce", "filter", "scan"])
        applied, shape = self.applied(form, types, rows)
        shown = [f"{typ}[{shape}]" if shape else typ for typ in ([kinds[0]] if applied.startswith("filter") else types)]
        declared = shown[0] if len(shown) == 1 else f"tuple[{', '.join(shown)}]"
        text = "\n".join(["@soac", f"{head} -> {declared}:", *self.lines, f"    return {applied}", ""])
        return text, tuple(self.inputs(kinds, rows) for _ in range(3))

    def applied(self, form: str, types: Sequence[str], rows: bool) -> tuple[str, str]:
        """The function applied as a form says, and the dimensions of what that gives."""
        if form == "filter" and types == ["bool"] and not rows:
            return "filter(g, x, y)[0]", "_"
        whole = "map(lambda r, s: map(g, r, s), x, y)" if rows else "map(g, x, y)"
        if len(types) == 1 and types[0] in ("i64", "i32") and form in ("reduce", "scan"):
            call = f"{form}(add, 0, map(g, {{}}, {{}}))"
            inner = call.format("r", "s") if rows else call.format("x", "y")
            shape = ("n" if form == "reduce" else "n, m") if rows else ("" if form == "reduce" else "n")
            return (f"map(lambda r, s: {inner}, x, y)" if rows else inner), shape
        return whole, "n, m" if rows else "n"

    def inputs(self, kinds: Sequence[str], rows: bool) -> tuple[Any, ...]:
        shape = (self.one([1, 2, 3]), self.one(COUNTS)) if rows else (self.one(COUNTS),)
        arrays = [self.numbers(kind, shape) for kind in kinds]
        table = self.numbers("i64", (self.one([1, 5, 5, 9]),), most=4)
        limit = self.one([0, 1, 5, 15, 16, 17, 20, 33, 40, -1, -(2**40)])
        return (*arrays, table, limit, np.int32(self.one([0, 1, 3, 16, 19, 32, -2])), self.maybe(0.5))

    def numbers(self, kind: str, shape: tuple[int, ...], most: int = 9) -> np.ndarray[Any, Any]:
        lowest = 0 if kind == "u8" else -4
        found = np.array([self.rng.randint(lowest, most) for _ in range(int(np.prod(shape)))], TYPES[kind]).reshape(shape)
        if found.size and self.maybe(0.4):
            odd = {"f": [np.nan, np.inf, -np.inf, -0.0], "i": [np.iinfo(found.dtype).max if kind[0] != "f" else 0], "u": [255]}
            found.reshape(-1)[self.rng.randrange(found.size)] = self.one(odd[found.dtype.kind])
        return found

    # ---- the function

    def body(self, env: dict[str, str], indent: str, results: int) -> list[str]:
        """Statements with one or two loops; names of results."""
        self.assigned(env, indent, self.one([0, 1, 2]))
        state = [self.assigned(env, indent, 1)[0] for _ in range(self.one([1, 2, 2, 3]))]
        if self.maybe(0.15):
            self.array = self.fresh("t"), env["a"]
            self.lines.append(f"{indent}{self.array[0]} = replicate(3, {self.literal(env['a'])})")
        for _ in range(self.one([1, 1, 1, 2])):
            if self.maybe(0.12):
                self.lines.append(f"{indent}if {self.truth(env)}:")
                self.loop(dict(env), state, indent + "    ", depth=0)
            else:
                self.loop(env, state, indent, depth=0)
            self.assigned(env, indent, self.one([0, 0, 1]))
        if self.maybe(0.2):
            found = self.fresh("v")
            self.lines.append(f"{indent}{found} = {self.truth(env)}")
            env[found] = "bool"
            return [found]
        return [self.one(state) for _ in range(results)]

    def assigned(self, env: dict[str, str], indent: str, count: int) -> list[str]:
        names = []
        for _ in range(count):
            typ = self.one([env["a"], env["a"], env["b"], "i64", "bool", "f64" if env["a"] != "f32" else "f32"])
            name = self.fresh("v")
            self.lines.append(f"{indent}{name} = {self.value(typ, env)}")
            env[name] = typ
            names.append(name)
        return names

    def loop(self, env: dict[str, str], state: Sequence[str], indent: str, depth: int) -> None:
        """A loop of one of the forms, whose end is in its data."""
        inner, inside = dict(env), indent + "    "
        limit = self.one(["limit", "limit", "low", "7", "20", "k", "limit - 2", "b" if env["b"] == "i64" else "limit"])
        if self.maybe(0.5):
            index = self.fresh("i")
            self.lines.append(f"{indent}for {index} in range({limit if limit != 'low' else 'i64(low)'}):")
            inner[index] = "i64"
            self.changes(inner, state, inside, depth)
            if self.maybe(0.85):
                self.lines += [f"{inside}if {self.truth(inner)}:", f"{inside}    break"]
            return
        counter, typ = self.fresh("c"), "i32" if limit == "low" else "i64"
        start = self.one(["0", "0", "1", "-3"])
        self.lines.append(f"{indent}{counter} = {typ}({start})")
        env[counter] = inner[counter] = typ
        tests = [f"{counter} < {limit}" if self.maybe(0.8) else f"{limit} > {counter}", self.truth(inner)]
        if self.maybe(0.25):
            tests[self.one([1, 2]) :] = [self.looked_up(inner, counter if typ == "i64" else f"i64({counter})")]
        self.rng.shuffle(tests)
        self.lines.append(f"{indent}while {' and '.join(tests)}:")
        self.changes(inner, state, inside, depth)
        self.lines.append(f"{inside}{counter} += 1")

    def looked_up(self, env: dict[str, str], counter: str) -> str:
        """A condition that may fail."""
        names = [name for name, typ in env.items() if typ == "i64"]
        index = self.one([counter, counter, f"{counter} + {self.one(names)}", f"abs({self.one(names)}) % k"])
        return self.one(["table[{}] != 3", "table[{}] < 4", "9 // (table[{}] + 4) > 0", "table[{}] > -4"]).format(index)

    def third(self, env: dict[str, str]) -> str:
        """An index of the array, which seldom is out of range."""
        name = self.one([name for name, typ in env.items() if typ == "i64"])
        return f"abs({name}) % {3 if self.maybe(0.9) else 4}"

    def changes(self, env: dict[str, str], state: Sequence[str], indent: str, depth: int) -> None:
        """New values for the state, perhaps by a loop in the loop, and perhaps with a test that may fail."""
        self.assigned(env, indent, self.one([0, 0, 1]))
        if depth == 0 and self.maybe(0.3):
            self.loop(env, [self.one(state)], indent, depth=1)
        if self.maybe(0.08):
            self.lines.append(f'{indent}assert {self.value("i64", env)} != 11, "a test"')
        if self.array and self.maybe(0.6):
            name, typ = self.array
            self.lines.append(f"{indent}{name} = {name}.set({self.third(env)}, {self.value(typ, env)})")
        for name in state:
            if self.maybe(0.25):
                self.lines += [
                    f"{indent}if {self.truth(env)}:",
                    f"{indent}    {name} = {self.value(env[name], env)}",
                ]
            elif self.maybe(0.9):
                self.lines.append(f"{indent}{name} = {self.value(env[name], env, name)}")

    # ---- expressions

    def truth(self, env: dict[str, str]) -> str:
        """A condition."""
        flags = [name for name, typ in env.items() if typ == "bool"]
        chance = self.rng.random()
        if chance < 0.15 and flags:
            return self.one(flags)
        if chance < 0.3:
            return f"({self.truth(env)} {self.one(['and', 'or'])} {self.truth(env)})"
        if chance < 0.4:
            return f"not ({self.truth(env)})"
        typ = self.one([env["a"], env["a"], env["b"], "i64"])
        names = [name for name, each in env.items() if each == typ]
        left = self.one(names)
        right = self.one([*names, *[self.literal(typ)] * 3])
        return f"{left} {self.one(['<', '<', '<=', '>', '>=', '==', '!='])} {right}"

    def literal(self, typ: str) -> str:
        number = self.one([0, 1, 3, 6, 20] if typ == "u8" else [-3, 0, 1, 4, 12, 40])
        return f"{typ}({number})"

    def value(self, typ: str, env: dict[str, str], first: str | None = None) -> str:
        """An expression of a type; first stands in it if it is given."""
        names = [name for name, each in env.items() if each == typ]
        if typ == "bool":
            return self.truth(env)
        left = first or (self.one(names) if names else self.literal(typ))
        right = self.one([*names, self.literal(typ), self.literal(typ)])
        chance = self.rng.random()
        if chance < 0.08:
            other = self.one([name for name, each in env.items() if each not in ("bool", typ)])
            return f"{left} + {typ}({other})"
        if self.array and self.array[1] == typ and chance < 0.3:
            return f"{left} + {self.array[0]}[{self.third(env)}]"
        if typ == "i64" and chance < 0.25:
            return f"{left} + table[{self.one([f'abs({right}) % k', right, f'min(max({right}, 0), k - 1)'])}]"
        forms = REAL if typ[0] == "f" else WHOLE
        return self.one(forms).format(left=left, right=right, test=self.truth(env))
