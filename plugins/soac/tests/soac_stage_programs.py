"""Random programs whose sizes come with results, and whose results are read at once: what is done in two stages.

Filters of numbers, pairs and rows, that are folded, mapped, scanned, counted, kept; in functions over arrays, loops, branches,
functions that call each other and themselves; functions too long to stand in their callers, whose results depend on data;
results that are arguments of other such calls, and arrays that are updated after they were filtered. Predicates and tails fail
now and then: they divide, take elements, assert.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from soac_programs import RandomProgram
from soac_size_programs import MATRIX, SCALAR, VECTOR, Env, SizeGenerator, indented

HEAD = "@soac\ndef main(n: i64, x: i64[N], A: i64[K, L]) ->"
LONG = 14
"""So many lines make a function that is called often too long for its callers."""


def random_stage_program(seed: int) -> RandomProgram:
    """The program of a seed."""
    return _Generator(random.Random(seed)).program(seed)


@dataclass
class _Generator(SizeGenerator):
    def inputs(self) -> tuple[object, ...]:
        """Sizes of none, a few, and around sixteen."""
        length, rows, columns = (self.random.choice([0, 1, 2, 3, 4, 15, 17]) for _ in range(3))
        values = np.array([self.random.randrange(-3, 6) for _ in range(length)], dtype=np.int64)
        matrix = np.array([self.random.randrange(-3, 6) for _ in range(rows * columns)], dtype=np.int64)
        return self.random.randrange(-1, 5), values, matrix.reshape(rows, columns)

    def program(self, seed: int) -> RandomProgram:
        """`main` gives a number and one or two arrays; a run of the C compiler costs most, so it is short."""
        texts = [self.function() for _ in range(self.random.choice([0, 1, 1, 2]))]
        env = Env({SCALAR: ["n", "N"], VECTOR: ["x"], MATRIX: ["A"]})
        lines = self.block(env, 1)
        called = [(name, kind) for name, kind in self.functions if kind != SCALAR]
        if called:
            lines += self.called_twice(env, *self.random.choice(called))
        kinds = self.random.choice([(VECTOR,), (MATRIX,), (VECTOR, VECTOR)])
        results = ", ".join([self.fold(env, 1), *(self.expr(kind, env, 1) for kind in kinds)])
        types = ", ".join([SCALAR, *kinds])
        texts.append("\n".join([f"{HEAD} tuple[{types}]:", *indented(lines), f"    return {results}"]))
        return RandomProgram(seed, "\n\n".join(texts) + "\n", tuple(self.inputs() for _ in range(3)))

    def called_twice(self, env: Env, name: str, kind: str) -> list[str]:
        """What a function gives, read at once, outside of loops and in one, as the argument of another call, in a branch."""
        total, index, row = self.fresh("s"), self.fresh("i"), self.fresh("r")
        env.variables[SCALAR].append(total)
        read = "reduce(add, 0, {})" if kind == VECTOR else f"reduce(add, 0, map(lambda {row}: reduce(max, -9, {row}), {{}}))"
        vector = self.pick(*env.variables[VECTOR])
        changed = self.pick(vector, f"map(lambda e: e - {total}, {vector})", f"filter(lambda e: e > 0, {vector})")
        again = f"{name}({total} % 3, {changed})"
        lines = [f"{total} = {read.format(f'{name}(n, {vector})')}"]
        match self.random.randrange(4):
            case 0:
                lines += [f"for {index} in range(n % 4):", f"    {total} = ({total} + {read.format(again)}) % 100"]
            case 1:
                lines += [f"if {total} > 2:", f"    {total} = {read.format(again)}"]
            case 2 if kind == VECTOR:
                lines.append(f"{total} = {read.format(f'{name}({total} % 3, {again})')}")
            case _:
                lines.append(f"{total} = {total} * 2 + {read.format(again)}")
        return lines

    def function(self) -> str:
        """A function as others are, or a long one whose result depends on what it computes."""
        if self.random.random() < 0.3:
            return super().function()
        name, kind = self.fresh("g"), self.pick(VECTOR, VECTOR, MATRIX)
        env = Env({SCALAR: ["k", "M"], VECTOR: ["y"], MATRIX: []})
        lines = self.block(env, self.random.randrange(2))
        first, number = self.fresh("t"), self.fresh("t")
        lines.append(f"{first} = {self.fold(env, 1)}")
        for _ in range(self.random.choice([0, LONG])):
            after = self.fresh("t")
            most = self.random.randrange(5, 40)
            lines.append(f"{after} = ({first} * 3 + k) % {most} if {first} > {most // 2} else {first} + 1")
            first = after
        lines.append(f"{number} = {self.pick(f'abs({first}) % 4', f'abs({first}) % 4', f'{first} % 5 - 1')}")
        if self.random.random() < 0.2:
            lines.append(f'assert {number} < 4, "a test of the head"')
        env.variables[SCALAR] += [first, number]
        lines.append(f"return {self.tail(kind, env, number)}")
        self.functions.append((name, kind))
        return "\n".join([f"@soac\ndef {name}(k: i64, y: i64[M]) -> {kind}:", *indented(lines)])

    def tail(self, kind: str, env: Env, number: str) -> str:
        """What a long function returns: as many elements or rows as it has found, or those that it has found."""
        e, f = self.fresh("e"), self.fresh("e")
        inner = env.inner(**{e: SCALAR})
        made = self.pick(
            f"map(lambda {e}: {self.expr(SCALAR, inner, 1)}, iota({number}))",
            f"map(lambda {e}: {e} + {number}, iota({number}))",
            f"map(lambda {e}: 12 // ({e} + 1), iota({number}))",
            f"map(lambda {e}: y[{e}], iota({number}))",
            f"replicate({number}, k)",
            f"y[:min({number}, M)]" if self.random.random() < 0.5 else f"y[:{number}]",
            f"filter({self.predicate(env)}, y)",
        )
        if kind == VECTOR:
            return made
        return self.pick(
            f"filter(lambda {f}: {self.of_row(f, env)}, map(lambda {e}: {self.row(e, env)}, y))",
            f"filter(lambda {f}: {self.of_row(f, env)}, map(lambda {e}: {self.row(e, env)}, y))",
            f"map(lambda {e}: map(lambda {f}: {e} * {f}, y), iota({number}))",
            f"replicate({number}, {made})",
        )

    def row(self, e: str, env: Env) -> str:
        return self.pick(
            f"[{e}, {e} + 1, {self.expr(SCALAR, env, 0)}]", f"[{e}]", f"map(lambda v: v * {e}, y)", f"replicate(2, {e})"
        )

    # ---- filters

    def predicate(self, env: Env) -> str:
        e = self.fresh("e")
        inner = env.inner(**{e: SCALAR})
        if self.random.random() < 0.08:
            return f"lambda {e}: {self.pick(f'12 // {e}', f'{self.pick(*env.variables[VECTOR])}[{e}]')} > 1"
        return f"lambda {e}: {self.truth(inner, self.random.randrange(2))}"

    def of_row(self, row: str, env: Env) -> str:
        inner = env.inner(**{row: VECTOR})
        return self.pick(
            f"reduce(add, 0, {row}) > {self.expr(SCALAR, env, 0)}",
            f"len({row}) > 1 and reduce(max, -9, {row}) > 1",
            f"reduce(add, 0, filter({self.predicate(inner)}, {row})) % 2 == 0",
            f"{row}[0] > 0" if self.random.random() < 0.3 else f"({row}[0] if len({row}) > 0 else 1) > 0",
            self.truth(inner, 0),
        )

    def any_matrix(self, env: Env) -> str:
        """A variable, or rows of two and three elements."""
        vector = self.pick(*env.variables[VECTOR])
        made = (f"map(lambda e: [e, e + 1], {vector})", f"map(lambda e: [e, 2, e - 1], {vector})")
        return self.pick(*env.variables[MATRIX], *made)

    def rows(self, env: Env) -> str:
        """The rows of a matrix that are kept."""
        row, matrix = self.fresh("r"), self.any_matrix(env)
        return f"filter(lambda {row}: {self.of_row(row, env)}, {matrix})"

    def kept(self, env: Env, depth: int) -> str:
        return f"filter({self.predicate(env)}, {self.expr(VECTOR, env, depth)})"

    def fold(self, env: Env, depth: int) -> str:
        """A number of what is kept."""
        e, a, b, row = (self.fresh(each) for each in "eabr")
        inner = env.inner(**{e: SCALAR})
        kept = self.kept(env, depth - 1) if self.random.random() < 0.6 else self.expr(VECTOR, env, depth - 1)
        op, neutral = self.random.choice([("add", "0"), ("add", "0"), ("mul", "1"), ("min", "9"), ("max", "-9"), ("xor", "0")])
        mapped = f"map(lambda {e}: {self.expr(SCALAR, inner, 1)}, {kept})"
        vector = self.pick(*env.variables[VECTOR])
        either = f"lambda {a}, {b}: {a} if {a}[0] >= {b}[0] else {b}"
        pairs = f"filter(lambda {a}, {b}: {a} > {self.expr(SCALAR, env, 0)} or {b} == 1, {vector}, iota(len({vector})))"
        return self.pick(
            f"reduce({op}, {neutral}, {kept})",
            f"reduce({op}, {neutral}, {mapped})",
            f"reduce(add, 0, {mapped})",
            f"len({kept})",
            f"reduce(lambda {a}, {b}: {a} + {b}, {self.expr(SCALAR, env, 0)} * 0, {kept})",
            f"reduce({either}, (-9, -1), {pairs})[{self.pick('0', '1')}]",
            f"reduce(add, 0, map(lambda {row}: reduce(add, 0, {row}), {self.rows(env)}))",
            f"len({self.rows(env)})",
        )

    def block(self, env: Env, count: int) -> list[str]:
        """As others, with rows that are read several times, and updates of what was filtered."""
        lines = []
        for _ in range(count):
            if self.random.random() > 0.35:
                lines += self.statement(env)
                continue
            kept, number, more = self.fresh("v"), self.fresh("s"), self.fresh("s")
            vector = self.pick(*env.variables[VECTOR])
            lines.append(f"{kept} = {self.kept(env, 1)}")
            lines.append(f"{number} = reduce(add, 0, {kept})")
            form = self.random.randrange(4)
            if form == 0:
                lines.append(f"{more} = {number} * len({kept})")
            elif form == 1:
                lines.append(f"{more} = reduce(max, -9, map(lambda e: e - {number}, {kept}))")
            elif form == 2:
                lines += [f"if len({vector}) > 0:", f"    {vector} = {vector}.set(0, {number} % 7)"]
                lines.append(f"{more} = reduce(add, 0, {vector}) + {self.pick(number, f'len({kept})')}")
            else:
                lines.append(f"{more} = reduce(mul, 1, scan(add, 1, {kept})) % 100")
            env.variables[SCALAR] += [number, more]
            env.variables[VECTOR].append(kept)
        return lines

    # ---- expressions

    def scalar(self, env: Env, depth: int) -> str:
        return f"({self.fold(env, depth)} % 50)" if self.random.random() < 0.3 else super().scalar(env, depth)

    def vector(self, env: Env, depth: int) -> str:
        if self.random.random() > 0.4:
            return super().vector(env, depth)
        e, row, a, b = (self.fresh(each) for each in "erab")
        matrix = self.any_matrix(env)
        rows = env.inner(**{row: VECTOR})
        return self.pick(
            f"map(lambda {e}: {self.expr(SCALAR, env.inner(**{e: SCALAR}), 0)}, {self.kept(env, depth)})",
            f"scan(add, 0, {self.kept(env, depth)})",
            f"map(lambda {row}: reduce(add, 0, {row}), {self.rows(env)})",
            f"map(lambda {row}: {self.fold(rows, 1)}, {matrix})",
            f"map(lambda {row}: reduce(add, 0, filter({self.predicate(rows)}, {row})), {matrix})",
            f"map(lambda {row}: len(filter({self.predicate(rows)}, {row})), {matrix})",
            f"reduce(lambda {a}, {b}: map(add, {a}, {b}), replicate(shape({matrix}, 1), 0), "
            f"filter(lambda {row}: {self.of_row(row, env)}, {matrix}))",
        )

    def matrix(self, env: Env, depth: int) -> str:
        if self.random.random() > 0.5:
            return super().matrix(env, depth)
        e, row, other = (self.fresh(each) for each in "err")
        rows = env.inner(**{row: VECTOR})
        matrix = self.any_matrix(env)
        return self.pick(
            self.rows(env),
            f"map(lambda {other}: map(lambda {e}: {e} + {self.expr(SCALAR, env, 0)}, {other}), {self.rows(env)})",
            f"map(lambda {row}: filter({self.predicate(rows)}, {row}), {matrix})",
            f"map(lambda {row}: filter(lambda {e}: {e} {self.pick('<', '>')} 9, {row}), {matrix})",
            f"scan(lambda {row}, {other}: map(add, {row}, {other}), replicate(2, 0), "
            f"map(lambda {e}: [{e}, 1], {self.kept(env, depth)}))",
            f"map(lambda {row}: iota(abs({self.fold(rows, 1)}) % 3), {matrix})",
        )
