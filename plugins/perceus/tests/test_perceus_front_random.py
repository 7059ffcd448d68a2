"""Random bodies of functions: what the language makes of them is what Python does.

The programs use what both have in common: control flow, assignments on some paths, patterns, exceptions, nested functions
that capture what is never assigned again, integers that stay small.
"""

from __future__ import annotations

import ast
import random
import re
from textwrap import indent
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from perceus_front import python, run
from perceus_native import outcomes
from perceus_semantics import heap, standard

from usl_perceus.errors import PerceusError
from usl_perceus.front.lower import lower
from usl_perceus.front.module import parse_program
from usl_perceus.passes import OPTIONAL, compile_program
from usl_perceus.verify import verify

DECLARATIONS = """\
@data
class Shape:
    Dot: i64
    Pair: (i64, "Shape")
    Both: ("Shape", bool, "Shape")

@exception
class Low:
    pass

@exception
class High:
    code: i64

"""


class Maker:
    """Makes the body of `main(a, b)`; x, y, z are integers and s, t shapes that statements assign."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0
        self.inside: list[list[str] | None] = []
        """For each loop around what `continue` needs before it; None for the body of a `try`, which it cannot leave."""

    def choose(self, *options: Any) -> Any:
        return self.random.choice(options)

    def main(self) -> str:
        lines = ["x = a", "s = " + self.shape(2), *self.helper()]
        lines += [f"{name} = {value}" for name, value in (("y", "b"), ("z", "3"), ("t", "s")) if self.random.random() < 0.96]
        lines += self.block(2, may_return=True)
        if falls(lines):
            lines += self.block(2, may_return=False)
        return "\n".join([*lines, f"return {self.integer(2)}"] if falls(lines) else lines)

    def helper(self) -> list[str]:
        body = self.choose("n + b", "n - a if n > b else h(n + 1) if n < a - 5 else n", "b * 2 - n")
        return ["def h(n: i64) -> i64:", f"    return {body}", "k = lambda n: h(n) + a"]

    # -- expressions

    def integer(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.2:
            return self.choose("a", "b", "x", "x", "y", "z", str(self.random.randint(-3, 9)))
        left, right = self.integer(depth - 1), self.integer(depth - 1)
        return self.choose(
            f"{left} + {right}",
            f"({left} - {right})",
            f"({left}) * ({right}) % 101",
            f"({left}) // ({right})",
            f"({left} if {self.truth(depth - 1)} else {right})",
            f"h({left} % 50)",
            f"k({left} % 50)",
            f"abs_({left})",
            f"len(str({self.choose('s', 't', self.shape(1))}))",
        )

    def truth(self, depth: int) -> str:
        left, right = self.integer(depth // 2), self.integer(depth // 2)
        simple = f"{left} {self.choose('<', '<=', '==', '!=', '>')} {right}"
        if self.random.random() < 0.15:
            shapes = self.choose("s", "t", self.shape(depth)), self.choose("s", self.shape(1))
            simple = f"{shapes[0]} {self.choose('==', '!=')} {shapes[1]}"
        if depth <= 0:
            return simple
        return self.choose(
            simple,
            f"{left} < {right} <= {self.integer(0)}",
            f"not ({simple})",
            f"({simple} {self.choose('and', 'or')} {self.truth(depth - 1)})",
        )

    def shape(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return f"Dot({self.choose('a', 'b', '1', '2')})"
        if self.random.random() < 0.5:
            return f"Pair({self.choose('a', 'b', '1', '2')}, {self.shape(depth - 1)})"
        return f"Both({self.shape(depth - 1)}, {self.choose('True', 'a < b')}, {self.shape(depth - 1)})"

    # -- patterns

    def pattern(self, depth: int, names: list[str]) -> str:
        """A pattern for a shape that binds some of names, which it takes out of the list."""
        if depth == 0 or self.random.random() < 0.2:
            return self.choose("_", "_", self.name(names, "st"))
        made = self.choose(self.dot, self.pair, self.both)(depth, names)
        if self.random.random() < 0.15:
            made = f"Dot({self.choose('1', '2')}) | Pair(1, _) | {self.pattern(depth - 1, [])}"
            return made if "| _" not in made else "Dot(1) | Dot(2)"
        name = self.name(names, "st")
        return f"{made} as {name}" if name != "_" and self.random.random() < 0.3 and "|" not in made else made

    def dot(self, _depth: int, names: list[str]) -> str:
        return f"Dot({self.choose('_', '1', '2', '-1', self.name(names, 'xyz'))})"

    def pair(self, depth: int, names: list[str]) -> str:
        return f"Pair({self.choose('_', '1', '2', self.name(names, 'xyz'))}, {self.pattern(depth - 1, names)})"

    def both(self, depth: int, names: list[str]) -> str:
        left, right = self.pattern(depth - 1, names), self.pattern(depth - 1, names)
        return f"Both({left}, {self.choose('_', 'True', 'False')}, {right})"

    def name(self, names: list[str], kind: str) -> str:
        found = [name for name in names if name in kind]
        if not found or self.random.random() < 0.5:
            return "_"
        names.remove(found[0])
        return found[0]

    # -- statements

    def block(self, depth: int, *, may_return: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth, may_return)
            if not falls(lines):
                return lines
        if self.inside and self.inside[-1] is not None and self.random.random() < 0.3:
            return [*lines, *self.choose(["break"], [*self.inside[-1], "continue"])]
        if may_return and self.random.random() < 0.25:
            lines.append(self.choose(f"return {self.integer(2)}", f"raise High({self.integer(1)})", "raise Low"))
        return lines

    def statement(self, depth: int, may_return: bool) -> list[str]:
        kind = self.random.randint(0, 8)
        if depth == 0 or kind <= 1:
            return [
                self.choose(
                    f"{self.choose('x', 'y', 'z')} = {self.integer(2)}",
                    f"x {self.choose('+=', '-=')} {self.integer(1)}",
                    f"{self.choose('s', 't')} = {self.choose(self.shape(2), 's')}",
                    f"x, y = {self.integer(1)}, {self.integer(1)}",
                )
            ]
        if kind <= 3:
            return self.branch(depth, may_return)
        if kind <= 5:
            return self.match(depth, may_return)
        return self.attempt(depth, may_return) if kind == 6 else self.loop(depth, may_return)

    def loop(self, depth: int, may_return: bool) -> list[str]:
        """A loop of few rounds, counted by a variable of its own; its body assigns variables from outside."""
        self.loops += 1
        count = f"i{self.loops}"
        if self.random.random() < 0.5:
            low, high, step = self.random.randint(-2, 2), self.integer(0), self.choose("", "", ", 2", ", -1", ", x % 3 - 1")
            head = (
                f"for {count} in range({low}, {high} % 7{step}):"
                if self.random.random() < 0.7
                else f"for {count} in [x, 1, a]:"
            )
            start, first, before = [], [f"    x = x + {count}"], []
        else:
            start, head, first, before = [f"{count} = 0"], f"while {count} < 3 and {self.truth(0)}:", [], [f"{count} += 1"]
        self.inside.append(before)
        body = ["    " + line for line in self.block(depth - 1, may_return=may_return)]
        self.inside.pop()
        if falls([line[4:] for line in body]):
            body += ["    " + line for line in before]
        orelse = ["else:", *self.inner(depth, False)] if self.random.random() < 0.2 else []
        return [*start, head, *first, *body, *orelse]

    def inner(self, depth: int, may_return: bool) -> list[str]:
        return ["    " + line for line in self.block(depth - 1, may_return=may_return)]

    def branch(self, depth: int, may_return: bool) -> list[str]:
        lines = [f"if {self.truth(1)}:", *self.inner(depth, may_return)]
        if self.random.random() < 0.3:
            lines += [f"elif {self.truth(1)}:", *self.inner(depth, may_return)]
        if self.random.random() < 0.6:
            lines += ["else:", *self.inner(depth, may_return)]
        return lines

    def match(self, depth: int, may_return: bool) -> list[str]:
        pair = self.random.random() < 0.3
        lines = ["match s, x:" if pair else "match s:"]
        for _ in range(self.random.randint(1, 3)):
            # Python's names keep what a case binds even if its guard fails; ours belong to their case.
            guard = f" if {self.truth(1)}" if self.random.random() < 0.4 else ""
            names = [] if guard else ["x", "y", "z", "s", "t"]
            self.random.shuffle(names)
            pattern = self.pattern(2, names)
            if pattern in ("_", "s", "t"):
                pattern = self.choose("Dot(_)", "Pair(_, Dot(_))", "Both(_, True, _)")
            if pair:
                pattern = f"({pattern}, {self.choose('_', '1', '2', self.name(names, 'xyz'))})"
            lines += [f"    case {pattern}{guard}:", *("    " + line for line in self.inner(depth, may_return))]
        return [*lines, "    case _:", *("    " + line for line in self.inner(depth, may_return))]

    def attempt(self, depth: int, may_return: bool) -> list[str]:
        """Handlers assign what the body may or may not have assigned, as they must."""
        raising = [f"    if {self.truth(1)}:", f"        raise {self.choose('Low', 'High(x)')}"]
        self.inside.append(None)
        tried = self.inner(depth, False)
        self.inside.pop()
        lines = [
            "try:",
            *tried,
            *self.choose([], raising),
            f"    {self.choose('x', 'y')} = {self.integer(2)}",
        ]
        caught = [name for name in ("Low", "High", "ZeroDivisionError") if self.random.random() < 0.5]
        if not caught or self.random.random() < 0.3:
            caught.append("")
        for name in caught:
            lines += [self.handler(name, caught), "    x, y, z, s = a, b, 3, Dot(b)", "    t = s"]
            lines += self.choose([], [], ["    if x == 2:", "        raise"])
            lines += self.inner(depth, may_return)
        if self.random.random() < 0.3:
            lines += ["finally:", f"    if a {self.choose('<', '>', '==')} {self.choose('b', '2')}:"]
            lines += [
                f"        {self.choose('raise High(b)', 'raise Low', 'return 5' if may_return else 'raise Low', 'w = 3')}"
            ]
        return lines

    def handler(self, name: str, caught: list[str]) -> str:
        """`except` with an exception, several, or all."""
        if name == "":
            return self.choose("except:", "except Exception:")
        if name != caught[0] or self.random.random() < 0.6:
            return f"except {name}:"
        others = [other for other in ("Low", "High", "ZeroDivisionError") if other not in caught]
        return f"except ({', '.join([name, *others])}):" if others else f"except {name}:"


def falls(lines: list[str]) -> bool:
    """Whether the end of the statements may be reached."""
    return _falls(ast.parse("\n".join(lines)).body)


def _falls(statements: list[ast.stmt]) -> bool:
    match statements[-1] if statements else None:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return False
        case ast.If(body=then, orelse=orelse):
            return _falls(then) or _falls(orelse)
        case ast.Match(cases=cases):
            return any(_falls(case.body) for case in cases)
        case _:
            return True


ABS = "def abs_(n: i64) -> i64:\n    return -n if n < 0 else n\n"


def source(seed: int) -> str:
    body = indent(Maker(seed).main(), "    ")
    return f"@fun\n{ABS}\n@fun\ndef main(a: i64, b: i64) -> i64:\n{body}\n"


def by_python(text: str, classes: dict[str, Any], a: int, b: int) -> object:
    """What Python makes of the functions of a text."""
    names: dict[str, Any] = {"fun": lambda function: function, **classes}
    exec("from __future__ import annotations\n" + text, names)
    try:
        return names["main"](a, b)
    except (ZeroDivisionError, ValueError) as error:
        return ("raise", (type(error).__name__,))
    except (classes["Low"], classes["High"]) as error:
        return ("raise", (type(error).__name__, *error.args))


@settings(max_examples=60)
@given(st.integers(0, 1 << 40))
def test_random_functions_do_what_python_does(seed):
    text = source(seed)
    try:
        definitions = parse_program(DECLARATIONS + text, "<random>")
        lowered = lower([definitions["abs_"], definitions["main"]])
    except PerceusError as error:
        assert error.code in ("E710", "E715", "E722", "E711", "E725"), f"{error}\n{text}"
        return
    verify(lowered.program)
    shape = definitions["Shape"].python
    classes = {name: getattr(shape, name) for name in ("Dot", "Pair", "Both")}
    classes |= {name: definitions[name].python for name in ("Low", "High")}
    for a, b in ((1, 2), (2, 1), (0, -1), (7, 7)):
        try:
            expected = by_python(text, classes, a, b)
        except UnboundLocalError:
            raise AssertionError(f"an unassigned variable was accepted:\n{text}") from None
        assert run(lowered, "main", a, b) == python(expected), text


@settings(max_examples=20)
@given(st.integers(0, 1 << 40), st.sets(st.sampled_from(sorted(OPTIONAL))))
def test_the_passes_keep_what_random_functions_do(seed, off):
    text = source(seed) + "\n@fun\ndef entry() -> i64:\n    return main(1, 2) + main(7, 7)\n"
    try:
        program = lower([parse_program(DECLARATIONS + text, "<random>")["entry"]]).program
    except PerceusError:
        return
    expected = standard.plain(standard.run(program, "entry"))
    assert heap.run(compile_program(program, off=off), "entry") == expected, text


def test_compiled_random_functions_do_the_same(tmp_path):
    """Many functions make one C program, since compilers are slow to start."""
    texts, names = [], []
    for seed in range(1000, 1035):
        text = source(seed) + f"\n@fun\ndef entry_{seed}() -> i64:\n    return main(1, 2) + main(7, 7)\n"
        text = re.sub(r"\b(abs_|main)\b", rf"\g<1>_{seed}", text)
        try:
            lower([parse_program(DECLARATIONS + text, "<random>")[f"entry_{seed}"]])
        except PerceusError:
            continue
        texts.append(text)
        names.append(f"entry_{seed}")
    definitions = parse_program(DECLARATIONS + "\n".join(texts), "<random>")
    made = lower([definitions[name] for name in names]).program
    expected = [standard.plain(standard.run(made, name)) for name in names]
    assert [value for value, _ in outcomes([compile_program(made)], tmp_path)] == expected
    assert len(expected) >= 10


def test_most_random_functions_are_accepted():
    accepted = 0
    for seed in range(25):
        try:
            lower([parse_program(DECLARATIONS + source(seed), "<random>")["main"]])
            accepted += 1
        except PerceusError:
            continue
    assert accepted >= 8
