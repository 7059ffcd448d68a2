"""The text of random programs: every form of the core, nested three deep, sizes 0 to 4, recursion, loops that change shapes.

Sizes are followed as texts as far as they are known, so that most programs fit together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from soac_expressions import Callee, Env, Expressions, T


@dataclass
class Generator(Expressions):
    """The program of a seed."""

    lines: list[str] = field(default_factory=list)

    # ---- programs

    def program(self) -> tuple[str, tuple[tuple[Any, ...], ...]]:
        """A few functions, the last of which is main."""
        for _ in range(self.one([0, 1, 1, 2, 2, 3])):
            if self.maybe(0.45):
                self.recursive()
            else:
                self.function(self.fresh("f"))
        main = self.function("main")
        inputs = tuple(self.arguments(main.params) for _ in range(3))
        return "\n".join(self.lines) + "\n", inputs

    def parameters(self) -> list[tuple[str, T]]:
        """Parameters, some of which share sizes."""
        names = ["n", "m", "k"]
        params: list[tuple[str, T]] = []
        for _ in range(self.rng.randint(1, 3)):
            rank = self.one([1, 1, 2])
            dims = tuple(self.one(names[: 2 + len(params) // 2]) for _ in range(rank))
            params.append((self.fresh("x"), T(self.one(["i64", "i64", "f64"]), dims)))
        for _ in range(self.rng.randint(0, 2)):
            params.insert(0, (self.fresh("p"), T(self.one(["i64", "i64", "i64", "bool"]))))
        return params

    def function(self, name: str) -> Callee:
        """A function without recursion."""
        params = self.parameters()
        env = Env({**dict(params), **{dim: T("i64") for _, typ in params for dim in typ.dims}})
        body: list[str] = []
        for _ in range(self.rng.randint(1, 4)):
            self.statement(env, body, "    ")
        results = [self.one([self.any_array, self.any_array, self.any_scalar])(env) for _ in range(self.one([1, 1, 1, 2]))]
        if self.maybe(0.15):
            condition = self.scalar("bool", env)
            other = [self.like(typ, env) for _, typ in results]
            body += [f"    if {condition}:", f"        return {', '.join(other)}"]
            results = [(text, T(typ.scalar, ("?",) * typ.rank)) for text, typ in results]
        body.append(f"    return {', '.join(text for text, _ in results)}")
        return self.define(name, params, [typ for _, typ in results], body)

    def define(
        self, name: str, params: list[tuple[str, T]], results: list[T], body: list[str], fuel: str | None = None
    ) -> Callee:
        """The text of a function."""
        given = ", ".join(f"{each}: {self.declared(typ)}" for each, typ in params)
        bound = {dim for _, typ in params for dim in typ.dims}
        shown = [self.result(typ, bound) for typ in results]
        declared = shown[0] if len(shown) == 1 else f"tuple[{', '.join(shown)}]"
        self.lines += ["@soac", f"def {name}({given}) -> {declared}:", *body, ""]
        callee = Callee(name, params, results, fuel)
        self.callees.append(callee)
        return callee

    def declared(self, typ: T) -> str:
        return f"{typ.scalar}[{', '.join(typ.dims)}]" if typ.dims else typ.scalar

    def result(self, typ: T, bound: set[str]) -> str:
        """The declared type of a result: a promise where the size is known to be one, in some cases."""
        dims = [dim if dim in bound and self.maybe(0.4) else "_" for dim in typ.dims]
        return f"{typ.scalar}[{', '.join(dims)}]" if dims else typ.scalar

    def recursive(self) -> None:
        """A function that calls itself, or a pair that call each other: through map, with the same shape or a growing one."""
        name, scalar = self.fresh("r"), self.one(["i64", "f64"])
        x, left = self.fresh("x"), self.fresh("p")
        params = [(left, T("i64")), (x, T(scalar, ("n",)))]
        env = Env({**dict(params), "n": T("i64")}, depth=2)
        again = f"{name}({left} - 1, {{}})"
        form = self.one(["map", "same", "grow", "shrink", "tail", "mutual", "branch"])
        changed = self.one([f"map(lambda v: v + 1, {x})", x, f"rotate({x}, 1)", f"scan(add, 0, {x})"])
        keeps = True
        match form:
            case "map":
                step = f"map(lambda y: {again.format('y')}, replicate({self.one(['1', '2'])}, {changed}))[0]"
            case "same":
                step = f"map(lambda v, w: v + w, {x}, {again.format(changed)})"
            case "grow":
                step, keeps = f"concat({x}, {again.format(changed)})", False
            case "shrink":
                step, keeps = again.format(f"({x}[1:] if n > 0 else {x})"), False
            case "tail":
                step, keeps = again.format(f"concat({changed}, {self.one([x, self.literal_list(scalar)])})"), False
            case "branch":
                step = f"({again.format(changed)} if {self.scalar('bool', env)} else {again.format(x)})"
            case _:
                other = self.fresh("r")
                step = f"{other}({left} - 1, {changed})"
                self.lines += [
                    "@soac",
                    f"def {other}({left}: i64, {x}: {scalar}[n]) -> {scalar}[_]:",
                    f"    if {left} <= 0:",
                    f"        return {self.one([x, f'concat({x}, {x})'])}",
                    f"    return {again.format(x)}",
                    "",
                ]
                keeps = False
        body = [f"    if {left} <= 0:", f"        return {x}", f"    return {step}"]
        dims = ("n",) if keeps else ("?",)
        self.define(name, params, [T(scalar, dims)], body, fuel=left)

    def arguments(self, params: list[tuple[str, T]]) -> tuple[Any, ...]:
        """Inputs for a function; rarely of sizes that do not agree."""
        sizes: dict[str, int] = {}
        args: list[Any] = []
        for _, typ in params:
            shape = []
            for dim in typ.dims:
                size = sizes.setdefault(dim, self.one([0, 1, 2, 2, 3, 3, 4]))
                shape.append(size + (1 if self.maybe(0.01) else 0))
            count = int(np.prod(shape)) if shape else 1
            values = [self.rng.randint(-2, 4) for _ in range(count)]
            if typ.rank:
                args.append(np.array(values, "i8" if typ.scalar == "i64" else "f8").reshape(shape))
            else:
                args.append(self.maybe(0.5) if typ.scalar == "bool" else self.rng.randint(0, 4))
        return tuple(args)

    # ---- statements

    def statement(self, env: Env, body: list[str], indent: str) -> None:
        """Appends a statement and adds what it binds to env."""
        kinds: list[Callable[[Env, list[str], str], None]] = [self.assign, self.assign, self.assign, self.pair]
        if env.depth < 3:
            kinds += [self.loop, self.loop, self.branch, self.nested, self.while_loop]
        if self.maybe(0.1):
            kinds = [self.assertion, self.stated]
        self.one(kinds)(env, body, indent)

    def assign(self, env: Env, body: list[str], indent: str) -> None:
        text, typ = self.any_array(env) if self.maybe(0.75) else self.any_scalar(env)
        name = self.fresh("v")
        body.append(f"{indent}{name} = {text}")
        env.variables[name] = typ

    def pair(self, env: Env, body: list[str], indent: str) -> None:
        """A map with two results, a split, or a filter of two arrays."""
        a, b, e = self.fresh("v"), self.fresh("v"), self.fresh("e")
        xs, typ = self.array_of(self.one(["i64", "f64"]), 1, env)
        pairs = [each for each in self.callees if len(each.results) == 2]
        if pairs and self.maybe(0.6):
            callee = self.one(pairs)
            text, dims = self.call(callee, env)
            body.append(f"{indent}{a}, {b} = {text}")
            env.variables |= {a: dims[0], b: dims[1]}
            return
        match self.rng.randrange(5):
            case 3:
                inner = env.inner(**{e: T(typ.scalar)})
                one, first = self.any_scalar(inner)
                rest = f"(lambda q: (q[0], q[1] {self.one(['>', '<'])} 1))"
                body.append(f"{indent}{a}, {b} = map({rest}, map(lambda {e}: ({one}, {e}), {xs}))")
                env.variables |= {a: T(first.scalar, typ.dims), b: T("bool", typ.dims)}
            case 4:
                v = self.fresh("v")
                sums = "lambda p, q: (p[0] + q[0], max(p[1], q[1]))"
                body.append(f"{indent}{v} = {xs}")
                body.append(f"{indent}{a}, {b} = scan({sums}, (0, -100), {v}, rotate({v}, 1))")
                env.variables |= {v: typ, a: typ, b: typ}
            case 0:
                inner = env.inner(**{e: T(typ.scalar)})
                one, first = self.any_element(inner)
                two, second = self.any_element(inner)
                body.append(f"{indent}{a}, {b} = map(lambda {e}: ({one}, {two}), {xs})")
                env.variables[a] = T(first.scalar, (typ.dims[0], *first.dims))
                env.variables[b] = T(second.scalar, (typ.dims[0], *second.dims))
            case 1:
                where = self.scalar("i64", env)
                v = self.fresh("v")
                body.append(f"{indent}{v} = {xs}")
                cut = where if self.maybe(0.1) else f"min(abs({where}), len({v}))"
                body.append(f"{indent}{a}, {b} = split({v}, {cut})")
                env.variables |= {v: typ, a: T(typ.scalar, ("?",)), b: T(typ.scalar, ("?",))}
            case _:
                f = self.fresh("e")
                condition = self.scalar("bool", env.inner(**{e: T(typ.scalar), f: T(typ.scalar)}))
                v = self.fresh("v")
                body.append(f"{indent}{v} = {xs}")
                body.append(f"{indent}{a}, {b} = filter(lambda {e}, {f}: {condition}, {v}, rotate({v}, 1))")
                size = self.fresh("?")
                env.variables |= {v: typ, a: T(typ.scalar, (size,)), b: T(typ.scalar, (size,))}

    def assertion(self, env: Env, body: list[str], indent: str) -> None:
        condition = self.scalar("bool", env) if self.maybe(0.3) else f"{self.scalar('i64', env)} > -100"
        body.append(f'{indent}assert {condition}, "a test"')

    def stated(self, env: Env, body: list[str], indent: str) -> None:
        """`x: f64[n] = e`"""
        text, typ = self.any_array(env)
        known = [dim if dim in env.variables else "_" for dim in typ.dims]
        name = self.fresh("v")
        body.append(f"{indent}{name}: {typ.scalar}[{', '.join(known)}] = {text}")
        env.variables[name] = typ

    def changing(self, env: Env) -> list[str]:
        """Variables that a block may assign."""
        names = [name for name in env.variables if name[0] == "v"]
        self.rng.shuffle(names)
        return names[: self.rng.randint(1, 2)]

    def ready(self, env: Env, body: list[str], indent: str) -> list[str]:
        """Some variables for a block to assign, made if there are none."""
        if not self.changing(env):
            self.assign(env, body, indent)
        return self.changing(env)

    def loop(self, env: Env, body: list[str], indent: str) -> None:
        """`for`: variables keep their shapes or change them in each round."""
        names = self.ready(env, body, indent)
        i = self.fresh("i")
        rounds = self.one(["3", "2", f"{self.scalar('i64', env)} % 4"])
        first = self.one(["", "", "1, "])
        body.append(f"{indent}for {i} in range({first}{rounds}):")
        inner = env.inner(**{i: T("i64")})
        if self.maybe(0.4):
            self.statement(inner, body, indent + "    ")
        for name in names:
            self.change(name, inner, body, indent + "    ")
        if self.maybe(0.25):
            body += [f"{indent}    if {self.scalar('bool', inner)}:", f"{indent}        break"]
        for name in names:
            env.variables[name] = T(env.variables[name].scalar, inner.variables[name].dims)

    def while_loop(self, env: Env, body: list[str], indent: str) -> None:
        """`while` that ends: a counter goes up."""
        names = self.ready(env, body, indent)
        count = self.fresh("c")
        body.append(f"{indent}{count} = 0")
        condition = f" and {self.scalar('bool', env)}" if self.maybe(0.4) else ""
        body.append(f"{indent}while {count} < {self.rng.randint(0, 3)}{condition}:")
        inner = env.inner(**{count: T("i64")})
        for name in names:
            self.change(name, inner, body, indent + "    ")
        body.append(f"{indent}    {count} += 1")
        env.variables[count] = T("i64")
        for name in names:
            env.variables[name] = T(env.variables[name].scalar, inner.variables[name].dims)

    def change(self, name: str, env: Env, body: list[str], indent: str) -> None:
        """A new value of the same type for a variable; often of another shape."""
        typ = env.variables[name]
        if typ.rank and self.maybe(0.4):
            text = self.one(
                [f"concat({name}, {name}[:min(1, len({name}))])", f"{name}[min(1, len({name})):]", f"rotate({name}, 1)"]
            )
            dims = typ.dims if text.startswith("rotate") else ("?", *typ.dims[1:])
        elif typ.rank:
            text, found = self.like(typ, env, sizes=True), typ
            dims = found.dims
        else:
            text, dims = self.scalar(typ.scalar, env), ()
        body.append(f"{indent}{name} = {text}")
        env.variables[name] = T(typ.scalar, dims)

    def branch(self, env: Env, body: list[str], indent: str) -> None:
        """`if`: variables have different values, perhaps of different shapes."""
        names = self.ready(env, body, indent)
        both = self.maybe(0.6)
        body.append(f"{indent}if {self.scalar('bool', env)}:")
        ends = []
        for side in range(2 if both else 1):
            inner = env.inner()
            if side:
                body.append(f"{indent}else:")
            for name in names:
                self.change(name, inner, body, indent + "    ")
            ends.append(inner)
        if not both:
            ends.append(env)
        for name in names:
            a, b = (each.variables[name] for each in ends)
            dims = tuple(x if x == y else "?" for x, y in zip(a.dims, b.dims, strict=True))
            env.variables[name] = T(a.scalar, dims)

    def nested(self, env: Env, body: list[str], indent: str) -> None:
        """A nested def in map."""
        name, e, v = self.fresh("g"), self.fresh("e"), self.fresh("v")
        xs, typ = self.array_of(self.one(["i64", "f64"]), self.one([1, 2]), env)
        inner = env.inner(**{e: T(typ.scalar, typ.dims[1:])})
        block: list[str] = []
        for _ in range(self.rng.randint(1, 2)):
            self.statement(inner, block, indent + "    ")
        text, result = self.any_element(inner)
        body += [f"{indent}def {name}({e}):", *block, f"{indent}    return {text}", f"{indent}{v} = map({name}, {xs})"]
        outside = tuple(dim if dim in env.variables else "?" for dim in result.dims)
        env.variables[v] = T(result.scalar, (typ.dims[0], *outside))
