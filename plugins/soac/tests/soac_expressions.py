"""Random expressions of the language of arrays, of given types."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class T:
    """A type: element, and for each dimension the text of its size as far as it is known ("?" if not)."""

    scalar: str
    dims: tuple[str, ...] = ()

    @property
    def rank(self) -> int:
        return len(self.dims)


@dataclass
class Env:
    """Variables in scope with their types."""

    variables: dict[str, T]
    depth: int = 0
    """How many functions and loops are around."""
    no_calls: bool = False

    def inner(self, **more: T) -> Env:
        return Env({**self.variables, **more}, self.depth + 1, self.no_calls)


@dataclass
class Callee:
    """A function that others may call."""

    name: str
    params: list[tuple[str, T]]
    results: list[T]
    fuel: str | None = None
    """The parameter that bounds its recursion."""


@dataclass
class Expressions:
    """Expressions over what is in scope."""

    seed: int

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.counter = 0
        self.callees: list[Callee] = []

    # ---- choices

    def maybe(self, probability: float) -> bool:
        return self.rng.random() < probability

    def one(self, items: Sequence[Any]) -> Any:
        return self.rng.choice(list(items))

    def fresh(self, letter: str) -> str:
        self.counter += 1
        return f"{letter}{self.counter}"

    # ---- expressions

    def any_array(self, env: Env) -> tuple[str, T]:
        return self.array_of(self.one(["i64", "i64", "f64"]), self.one([1, 1, 2]), env)

    def any_scalar(self, env: Env) -> tuple[str, T]:
        scalar = self.one(["i64", "i64", "f64", "bool"])
        return self.scalar(scalar, env), T(scalar)

    def any_element(self, env: Env) -> tuple[str, T]:
        return self.array_of(self.one(["i64", "f64"]), 1, env) if self.maybe(0.35) and env.depth < 4 else self.any_scalar(env)

    def like(self, typ: T, env: Env, *, sizes: bool = False) -> str:
        """A value of a type; with sizes often of its shape."""
        if not typ.rank:
            return self.scalar(typ.scalar, env)
        same = [name for name, each in env.variables.items() if each == typ]
        if same and self.maybe(0.3):
            return str(self.one(same))
        if sizes and same and self.maybe(0.6):
            e = self.fresh("e")
            if typ.rank == 1:
                inner = self.scalar(typ.scalar, env.inner(**{e: T(typ.scalar)}))
                return f"map(lambda {e}: {inner}, {self.one(same)})"
            return f"rotate({self.one(same)}, {self.rng.randint(-2, 2)})"
        return self.array_of(typ.scalar, typ.rank, env)[0]

    def variables(self, env: Env, scalar: str, rank: int) -> list[str]:
        return [name for name, typ in env.variables.items() if typ.scalar == scalar and typ.rank == rank]

    def array_of(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        """An expression for an array."""
        known = self.variables(env, scalar, rank)
        if known and (env.depth >= 4 or self.maybe(0.3)):
            name = self.one(known)
            return name, env.variables[name]
        inner = Env(env.variables, env.depth + 1, env.no_calls)
        if env.depth >= 4:
            return self.small(scalar, rank, inner)
        forms = [self.small, self.mapped, self.mapped, self.joined, self.part, self.kept_shape, self.kept_shape, self.chosen]
        forms += [self.filtered, self.scanned, self.updated, self.scattered, self.lifted, *[self.called] * 5]
        forms += [self.transposed if rank == 2 else self.column, self.reshaped, self.reduced]
        return self.one(forms)(scalar, rank, inner)

    def size(self, env: Env) -> tuple[str, str]:
        """A small size, and what is known of it."""
        names = [name for name, typ in env.variables.items() if typ == T("i64") and name in ("n", "m", "k")]
        if names and self.maybe(0.6):
            name = self.one(names)
            return name, name
        if self.maybe(0.7):
            text = str(self.one([0, 1, 2, 3]))
            return text, text
        if self.maybe(0.05):
            return self.scalar("i64", env), "?"
        return f"abs({self.scalar('i64', env)}) % 4", "?"

    def small(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        """iota, replicate, a list."""
        text, dim = self.size(env)
        if rank == 2:
            row, typ = self.array_of(scalar, 1, env) if env.depth < 4 else self.small(scalar, 1, env)
            return f"replicate({text}, {row})", T(scalar, (dim, *typ.dims))
        match self.rng.randrange(3):
            case 0 if scalar == "i64":
                return f"iota({text})", T(scalar, (dim,))
            case 1:
                return self.literal_list(scalar), T(scalar, ("2",))
            case _:
                return f"replicate({text}, {self.scalar(scalar, env)})", T(scalar, (dim,))

    def literal_list(self, scalar: str) -> str:
        point = ".0" if scalar == "f64" else ""
        return f"[{self.rng.randint(-2, 4)}{point}, {self.rng.randint(-2, 4)}{point}]"

    def mapped(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        """map over one array, or two of equal size."""
        source, typ = self.array_of(self.one(["i64", "f64"]), self.one([1, 1, 2]), env)
        e, f = self.fresh("e"), self.fresh("e")
        inner = env.inner(**{e: T(typ.scalar, typ.dims[1:])})
        second = ""
        same = [
            name for name, each in env.variables.items() if each.rank and each.dims[0] == typ.dims[0] and typ.dims[0] != "?"
        ]
        if same and self.maybe(0.4):
            other = self.one(same)
            inner.variables[f] = T(env.variables[other].scalar, env.variables[other].dims[1:])
            second = f", {other}"
        if rank == 1:
            text, result = self.scalar(scalar, inner), T(scalar)
        else:
            text, result = self.array_of(scalar, 1, inner)
            if self.maybe(0.5) and not any(dim in inner.variables for dim in result.dims):
                text, result = self.like(T(scalar, ("n",)), inner), T(scalar, ("?",))
        params = f"{e}, {f}" if second else e
        return f"map(lambda {params}: {text}, {source}{second})", T(scalar, (typ.dims[0], *result.dims))

    def joined(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        first, typ = self.array_of(scalar, rank, env)
        second = self.like(typ, env, sizes=True) if rank > 1 else self.array_of(scalar, rank, env)[0]
        if rank == 2 and self.maybe(0.7):
            v = first
            second = f"rotate({v}, 1)"
        return f"concat({first}, {second})", T(scalar, ("?", *typ.dims[1:]))

    def part(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        """A slice or split of a variable."""
        known = self.variables(env, scalar, rank)
        if not known:
            return self.small(scalar, rank, env)
        x = self.one(known)
        typ = env.variables[x]
        k = self.one(["1", "2", f"abs({self.scalar('i64', env)})"])
        forms = [f"{x}[min({k}, len({x})):]", f"{x}[:min({k}, len({x}))]", f"{x}[::{self.one([2, -1, -2, 3])}]"]
        forms += [f"split({x}, min({k}, len({x})))[{self.rng.randrange(2)}]", f"{x}[{self.one(['1', '0'])}:]"]
        return self.one(forms), T(scalar, ("?", *typ.dims[1:]))

    def kept_shape(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        """An array of the shape of another."""
        known = [name for name, typ in env.variables.items() if typ.rank == rank]
        if not known:
            return self.small(scalar, rank, env)
        x = self.one(known)
        typ = env.variables[x]
        if typ.scalar == scalar and self.maybe(0.4):
            return f"rotate({x}, {self.scalar('i64', env)})", typ
        e = self.fresh("e")
        if rank == 1:
            return f"map(lambda {e}: {self.scalar(scalar, env.inner(**{e: T(typ.scalar)}))}, {x})", T(scalar, typ.dims)
        f = self.fresh("e")
        inner = env.inner(**{e: T(typ.scalar, typ.dims[1:])}).inner(**{f: T(typ.scalar)})
        return f"map(lambda {e}: map(lambda {f}: {self.scalar(scalar, inner)}, {e}), {x})", T(scalar, typ.dims)

    def chosen(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        first, typ = self.array_of(scalar, rank, env)
        second, other = self.array_of(scalar, rank, env)
        dims = tuple(a if a == b else "?" for a, b in zip(typ.dims, other.dims, strict=True))
        return f"({first} if {self.scalar('bool', env)} else {second})", T(scalar, dims)

    def filtered(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        source, typ = self.array_of(scalar, rank, env)
        e = self.fresh("e")
        condition = self.scalar("bool", env.inner(**{e: T(scalar, typ.dims[1:])}))
        return f"filter(lambda {e}: {condition}, {source})", T(scalar, ("?", *typ.dims[1:]))

    def scanned(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        source, typ = self.array_of(scalar, rank, env)
        if rank == 1:
            return f"scan({self.one(['add', 'max', 'lambda a, b: a + b'])}, 0, {source})", typ
        v = self.one(self.variables(env, scalar, 2) or [None])
        if v is None:
            return source, typ
        return f"scan(lambda a, b: map(add, a, b), replicate(shape({v}, 1), 0), {v})", env.variables[v]

    def reduced(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        """A reduction whose elements are arrays, or a row."""
        known = self.variables(env, scalar, rank + 1)
        if not known or rank != 1:
            return self.small(scalar, rank, env)
        x = self.one(known)
        typ = env.variables[x]
        if self.maybe(0.5):
            e = self.fresh("e")
            return f"reduce(lambda {e}, r: map(add, {e}, r), replicate(shape({x}, 1), 0), {x})", T(scalar, typ.dims[1:])
        i = self.one(["0", "1", self.scalar("i64", env)])
        if self.maybe(0.2):
            return f"{x}[{i}]", T(scalar, typ.dims[1:])
        v = f"abs({i})"
        return f"({x}[{v}] if {v} < len({x}) else replicate(shape({x}, 1), 0))", T(scalar, typ.dims[1:])

    def updated(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        known = self.variables(env, scalar, rank)
        if not known:
            return self.small(scalar, rank, env)
        x = self.one(known)
        typ = env.variables[x]
        i = self.one(["0", "1", f"abs({self.scalar('i64', env)})"])
        if rank == 1:
            change = f"{x}.set({i}, {self.scalar(scalar, env)})"
        elif self.maybe(0.5):
            change = f"{x}.set({i}, map(lambda v: v + v, {x}[{i}]))"
        else:
            return f"({x}.set(({i}, 0), {self.scalar(scalar, env)}) if {i} < len({x}) and shape({x}, 1) > 0 else {x})", typ
        return (change if self.maybe(0.2) else f"({change} if {i} < len({x}) else {x})"), typ

    def scattered(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        known = self.variables(env, scalar, 1)
        if not known or rank != 1:
            return self.small(scalar, rank, env)
        x, values = self.one(known), self.one(known)
        e = self.fresh("e")
        index = f"map(lambda {e}: i64({e}) % 5 - 1, {values})"
        if self.maybe(0.1):
            index = "[0, 1]"
        if self.maybe(0.5):
            return f"scatter({x}, {index}, {values})", env.variables[x]
        op, neutral = self.one([("add", "0"), ("lambda a, b: a + b", "0"), ("max", "-100")])
        return f"reduce_by_index({x}, {op}, {neutral}, {index}, {values})", env.variables[x]

    def lifted(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        known = self.variables(env, scalar, rank)
        if not known:
            return self.small(scalar, rank, env)
        x = self.one(known)
        same = [name for name in known if env.variables[name] == env.variables[x]]
        other = self.one(same) if self.maybe(0.95) else self.one(known)
        right = other if self.maybe(0.6) else self.scalar(scalar, env)
        return f"({x} {self.one(['+', '-', '*'])} {right})", env.variables[x]

    def called(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        """A call of another function, of a kernel."""
        fits = [each for each in self.callees if each.results[0].scalar == scalar and each.results[0].rank == rank]
        fits = [each for each in fits if len(each.results) == 1]
        if scalar == "f64" and rank == 1 and self.maybe(0.3):
            known = self.variables(env, "f64", 1)
            if known:
                x = self.one(known)
                call = f"twice(len({x}), {x}, {x})"
                return (call if self.maybe(0.1) else f"({call} if len({x}) > 0 else {x})"), env.variables[x]
        if not fits or env.depth > 3:
            return self.kept_shape(scalar, rank, env)
        text, results = self.call(self.one(fits), env)
        return text, results[0]

    def call(self, callee: Callee, env: Env) -> tuple[str, list[T]]:
        """A call, and what is known of the sizes of its results."""
        sizes: dict[str, str] = {}
        args = []
        for name, typ in callee.params:
            if name == callee.fuel:
                args.append(f"min({self.scalar('i64', env)}, 2)" if self.maybe(0.5) else self.one(["0", "1", "2"]))
            elif not typ.rank:
                args.append(self.scalar(typ.scalar, env))
            else:
                good = [
                    each
                    for each in self.variables(env, typ.scalar, typ.rank)
                    if all(sizes.get(d, g) == g for d, g in zip(typ.dims, env.variables[each].dims, strict=True))
                    and len(set(typ.dims)) >= len(set(env.variables[each].dims))
                ]
                if good and self.maybe(0.9):
                    chosen = self.one(good)
                    sizes |= dict(zip(typ.dims, env.variables[chosen].dims, strict=True))
                    args.append(chosen)
                    continue
                if typ.rank == 1 and sizes.get(typ.dims[0], "?") != "?":
                    args.append(f"replicate({sizes[typ.dims[0]]}, {self.scalar(typ.scalar, env)})")
                elif typ.rank == 1:
                    text, found = self.small(typ.scalar, 1, env)
                    sizes[typ.dims[0]] = found.dims[0]
                    args.append(text)
                else:
                    known = [sizes.get(dim, "?") for dim in typ.dims]
                    dims = ["2" if dim == "?" or not (dim in env.variables or dim.isdigit()) else dim for dim in known]
                    if typ.dims[0] == typ.dims[1]:
                        dims[1] = dims[0]
                    sizes |= dict(zip(typ.dims, dims, strict=True))
                    args.append(f"replicate({dims[0]}, replicate({dims[1]}, {self.scalar(typ.scalar, env)}))")
        results = [T(each.scalar, tuple(sizes.get(dim, "?") for dim in each.dims)) for each in callee.results]
        return f"{callee.name}({', '.join(args)})", results

    def transposed(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        source, typ = self.array_of(scalar, 2, env)
        function = self.one(["transpose({})", "rearrange({}, (1, 0))"])
        return function.format(source), T(scalar, typ.dims[::-1])

    def column(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        known = self.variables(env, scalar, 2)
        if not known:
            return self.small(scalar, rank, env)
        x = self.one(known)
        column = f"{x}[:, 0]"
        if self.maybe(0.1):
            return column, T(scalar, (env.variables[x].dims[0],))
        return f"({column} if shape({x}, 1) > 0 else replicate(len({x}), 0))", T(scalar, (env.variables[x].dims[0],))

    def reshaped(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        known = self.variables(env, scalar, 2 if rank == 1 else 1)
        if not known:
            return self.small(scalar, rank, env)
        x = self.one(known)
        if rank == 1:
            return self.one([f"flatten({x})", f"reshape({x}, len({x}) * shape({x}, 1))"]), T(scalar, ("?",))
        forms = [
            f"reshape({x}, (1, len({x})))",
            f"reshape({x}, (len({x}), 1))",
            f"reshape({x}[:2 * (len({x}) // 2)], (2, len({x}) // 2))",
        ]
        return self.one(forms), T(scalar, ("?", "?"))

    # ---- scalars

    def scalar(self, scalar: str, env: Env) -> str:
        """An expression for a scalar."""
        known = self.variables(env, scalar, 0)
        if env.depth >= 4 or self.maybe(0.35):
            return self.one(known) if known and self.maybe(0.8) else self.number(scalar)
        inner = Env(env.variables, env.depth + 1, env.no_calls)
        return {"bool": self.truth, "i64": self.integer, "f64": self.real}[scalar](inner)

    def number(self, scalar: str) -> str:
        if scalar == "bool":
            return self.one(["True", "False"])
        return str(self.one([0, 1, 2, 3])) if scalar == "i64" else self.one(["0.0", "1.0", "0.5", "2.0"])

    def truth(self, env: Env) -> str:
        def i() -> str:
            return self.scalar("i64", env)

        def b() -> str:
            return self.scalar("bool", env)

        forms: list[Callable[[], str]] = [
            lambda: f"{i()} {self.one(['<', '<=', '==', '!=', '>'])} {self.one(['1', '2']) if self.maybe(0.6) else i()}",
            lambda: f"({b()} {self.one(['and', 'or'])} {b()})",
            lambda: f"{self.scalar('f64', env)} < {self.number('f64')}",
            lambda: f"(not {b()})",
            lambda: f"0 <= {i()} < 3",
        ]
        arrays = self.variables(env, "i64", 1)
        if arrays:
            x, e = self.one(arrays), self.fresh("e")
            forms += [lambda: f"reduce({self.one(['and_', 'or_'])}, True, map(lambda {e}: {e} > 0, {x}))"]
            forms += [lambda: f"(len({x}) > 0 and {x}[0] > 1)"]
        return str(self.one(forms)())

    def integer(self, env: Env) -> str:
        def i() -> str:
            return self.scalar("i64", env)

        forms: list[Callable[[], str]] = [
            lambda: f"({i()} {self.one(['+', '-', '*', '&', '|', '^'])} {i()})",
            lambda: f"min({i()}, {i()})",
            lambda: f"abs({i()})",
            lambda: f"({i()} {self.one(['//', '%'])} {self.one([1, 2, 3])})",
            lambda: f"(-{i()})",
            lambda: f"i64({self.scalar('f64', env)})",
            lambda: f"({i()} if {self.scalar('bool', env)} else {i()})",
            lambda: f"({i()} << 1)",
            lambda: f"i64({self.one(['u8', 'i8', 'u32', 'i32'])}({i()}) {self.one(['+', '*', '-'])} {self.one([1, 3, 100])})",
            lambda: "FIVE",
        ]
        if self.maybe(0.05):
            forms += [lambda: f"({i()} // {i()})"] * 5
        known = [name for name, typ in env.variables.items() if typ.rank]
        if known:
            some = self.one(known)
            forms += [lambda: f"len({some})", lambda: f"shape({some}, {env.variables[some].rank - 1})"] * 2
        arrays = self.variables(env, "i64", 1)
        if arrays:
            x, e, k = self.one(arrays), self.fresh("e"), self.one(["0", "1"])
            forms += [lambda: f"reduce(add, 0, {x})", lambda: f"reduce(max, -9, {x})"]
            forms += [lambda: f"reduce(lambda {e}, f: {e} * f % 7, 1, {x})"]
            forms += [lambda: f"({x}[{k}] if {k} < len({x}) else {k})"] * 2
            best = "lambda a, i, b, j: (a, i) if a >= b else (b, j)"
            forms += [lambda: f"reduce({best}, (-9, -1), {x}, iota(len({x})))[{self.one([0, 1])}]"]
            if self.maybe(0.1):
                forms += [lambda: f"{x}[{'0' if self.maybe(0.5) else i()}]"] * 3
        return str(self.one(forms)())

    def real(self, env: Env) -> str:
        def f() -> str:
            return self.scalar("f64", env)

        forms: list[Callable[[], str]] = [
            lambda: f"({f()} {self.one(['+', '-', '*'])} {f()})",
            lambda: f"max({f()}, {f()})",
            lambda: f"f64({self.scalar('i64', env)})",
            lambda: f"({f()} if {self.scalar('bool', env)} else {f()})",
            lambda: f"floor({f()})",
            lambda: f"f64(f32(i64({f()}) % 9) * 0.5)",
            lambda: f"abs({f()})",
            lambda: f"(-{f()})",
        ]
        arrays = self.variables(env, "f64", 1)
        if arrays:
            x = self.one(arrays)
            forms += [lambda: f"reduce(add, 0, {x})", lambda: f"({x}[0] if len({x}) > 0 else 0.5)"] * 2
        return str(self.one(forms)())
