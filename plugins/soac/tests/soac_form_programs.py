"""Random programs of what the first generator has not: arrays of rank 3, of pairs and of small types, updates of arrays that
others hold, filters and trees in loops, rows scattered and combined, arrays that are empty anywhere, functions that divide.

Their inputs are NumPy arrays as users have them: parts of others, transposed, read-only, of another byte order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from soac_expressions import Env, T
from soac_generator import Generator
from soac_programs import RandomProgram

RECURSIVE = """
@soac
def tree(x: i64[n]) -> i64[_]:
    if n < 2:
        return x
    a, b = tree(x[:n // 2]), tree(x[n // 2:])
    return concat(b, a.set(0, a[0] + len(b)))

@soac
def sorted_(x: i64[n]) -> i64[_]:
    if n < 2:
        return x
    p = x[n // 2]
    return concat(sorted_(filter(lambda v: v < p, x)), filter(lambda v: v == p, x), sorted_(filter(lambda v: v > p, x)))

@soac
def even(n: i64, x: i64[m]) -> i64[m]:
    return x if n <= 0 else odd(n - 1, x.set(0, x[0] + n) if m > 0 else x)

@soac
def odd(n: i64, x: i64[m]) -> i64[m]:
    return map(lambda v: -v, x) if n <= 0 else even(n - 1, rotate(x, 1))

@soac
def below(n: i64) -> i64[n, _]:
    return map(lambda i: map(lambda j: i * j, iota(n)), iota(n))
"""

PARAMETERS = [
    ("x1", T("i64", ("n",))),
    ("x2", T("f64", ("n",))),
    ("x3", T("i64", ("n", "m"))),
    ("x4", T("f64", ("m", "k", "n"))),
    ("x5", T("i32", ("m",))),
    ("x6", T("u8", ("n",))),
    ("x7", T("bool", ("n",))),
    ("x8", T("f32", ("m",))),
    ("x9", T("i64", ("k",))),
    ("p1", T("i64")),
    ("p2", T("bool")),
]
DTYPES = {"i64": "i8", "f64": "f8", "i32": "i4", "u8": "u1", "bool": "?", "f32": "f4"}


def random_form_program(seed: int) -> RandomProgram:
    """The program of a seed."""
    text, inputs = FormGenerator(seed).program()
    return RandomProgram(seed, text, inputs)


class FormGenerator(Generator):
    """The program of a seed."""

    def program(self) -> tuple[str, tuple[tuple[Any, ...], ...]]:
        chosen = [each for each in PARAMETERS if self.maybe(0.5)] or PARAMETERS[:1]
        pairs = self.maybe(0.4)
        params = [*chosen, ("q", T("i64", ("n",)))] if pairs else chosen
        env = Env({**dict(chosen), **{dim: T("i64") for _, typ in params for dim in typ.dims}})
        body = ["    a0, b0 = q"] if pairs else []
        if pairs:
            env.variables |= {"a0": T("i64", ("n",)), "b0": T("f64", ("n",)), "va": T("i64", ("n",))}
            body.append(f"    va = map(lambda e: e[0] + {self.one(['1', 'i64(e[1])'])}, q)")
        for _ in range(self.rng.randint(2, 5)):
            if self.maybe(0.3):
                self.statement(env, body, "    ")
            else:
                self.form(env, body, "    ")
        names = [name for name in env.variables if name not in ("n", "m", "k")]
        results = [self.one(names) for _ in range(self.one([1, 1, 2, 3]))]
        declared = [self.declared(T(env.variables[r].scalar, ("_",) * env.variables[r].rank)) for r in results]
        given = ", ".join("q: tuple[i64, f64][n]" if name == "q" else f"{name}: {self.declared(typ)}" for name, typ in params)
        result = declared[0] if len(declared) == 1 else f"tuple[{', '.join(declared)}]"
        text = "\n".join([RECURSIVE, "@soac", f"def main({given}) -> {result}:", *body, f"    return {', '.join(results)}", ""])
        return text, tuple(self.given(params) for _ in range(3))

    def scalar(self, scalar: str, env: Env) -> str:
        if scalar in ("i64", "f64", "bool"):
            return super().scalar(scalar, env)
        return f"{scalar}({super().scalar('i64', env)})"

    def array_of(self, scalar: str, rank: int, env: Env) -> tuple[str, T]:
        if rank > 2:
            text, typ = self.array_of(scalar, rank - 1, env)
            return f"replicate(2, {text})", T(scalar, ("2", *typ.dims))
        if scalar in ("i64", "f64"):
            return super().array_of(scalar, rank, env)
        e = self.fresh("e")
        text, typ = super().array_of("i64", 1, env)
        made = f"map(lambda {e}: {self.convert(scalar, e)}, {text})"
        return (made, T(scalar, typ.dims)) if rank == 1 else (f"replicate(2, {made})", T(scalar, ("2", *typ.dims)))

    def convert(self, scalar: str, name: str) -> str:
        return f"{name} > 1" if scalar == "bool" else f"{scalar}({name})"

    # ---- inputs

    def given(self, params: list[tuple[str, T]]) -> tuple[Any, ...]:
        sizes = {dim: self.one([0, 1, 2, 2, 3, 4, 17]) for dim in "nmk"}
        sizes["k"] = min(sizes["k"], 4)
        args: list[Any] = []
        for name, typ in params:
            shape = tuple(sizes[dim] for dim in typ.dims)
            if not shape:
                args.append(self.rng.randint(-2, 5) if typ.scalar == "i64" else self.maybe(0.5))
            elif name == "q":
                args.append((self.array(shape, "i8"), self.array(shape, "f8")))
            else:
                args.append(self.array(shape, DTYPES[typ.scalar]))
        return tuple(args)

    def array(self, shape: tuple[int, ...], dtype: str) -> Any:
        """An array in one of the ways in which NumPy has it."""
        low = 0 if dtype in ("u1", "?") else -2
        values = [self.rng.randint(low, 1 if dtype == "?" else 6) for _ in range(int(np.prod(shape)))]
        plain = np.array(values, dtype).reshape(shape)
        match self.rng.randrange(7):
            case 0:
                made = np.zeros([2 * size for size in shape], dtype)[tuple(slice(None, None, 2) for _ in shape)]
            case 1:
                made = np.empty_like(plain)[tuple(slice(None, None, -1) for _ in shape)]
            case 2:
                made = np.empty(shape, dtype, order="F")
            case 3 if dtype[-1] not in "1?":
                made = np.empty(shape, np.dtype(dtype).newbyteorder(">"))
            case 4:
                made = np.frombuffer(bytearray(plain.nbytes + 1), np.uint8)[1:].view(dtype).reshape(shape)
            case _:
                made = plain
        made[...] = plain
        made.flags.writeable = self.maybe(0.7)
        return made

    # ---- statements

    def form(self, env: Env, body: list[str], indent: str) -> None:
        """Appends one of the forms."""
        kinds = [self.shared, self.in_place, self.cube, self.planes, self.filters, self.combined, self.rows, self.captures]
        kinds += [self.nothing, self.small_types, self.halves, self.recursions, self.gathered, self.neighbours, self.guarded]
        self.one(kinds)(env, body, indent)

    def vector(self, env: Env, body: list[str], indent: str, scalar: str = "i64") -> str:
        """A variable that is a vector."""
        known = self.variables(env, scalar, 1)
        if known and self.maybe(0.8):
            return str(self.one(known))
        text, typ = self.array_of(scalar, 1, env) if self.maybe(0.5) else self.small(scalar, 1, env)
        return self.bound(text, typ, env, body, indent)

    def bound(self, text: str, typ: T, env: Env, body: list[str], indent: str) -> str:
        name = self.fresh("v")
        body.append(f"{indent}{name} = {text}")
        env.variables[name] = typ
        return name

    def numeric(self, env: Env) -> tuple[str, T]:
        """A vector variable of any type, or a new one."""
        known = [(name, typ) for name, typ in env.variables.items() if typ.rank == 1]
        return self.one(known) if known else ("iota(3)", T("i64", ("3",)))

    def at(self, x: str, env: Env) -> str:
        """An index of a vector that has elements."""
        return str(self.one(["0", f"len({x}) - 1", f"abs({self.scalar('i64', env)} % len({x}))"]))

    def shared(self, env: Env, body: list[str], indent: str) -> None:
        """Two updates of one array that is read afterwards."""
        x, typ = self.numeric(env)
        a, b, c = (self.fresh("v") for _ in range(3))
        body.append(f"{indent}{a} = {x}")
        body.append(f"{indent}{b} = ({a}.set({self.at(a, env)}, {self.scalar(typ.scalar, env)}) if len({a}) > 0 else {x})")
        body.append(f"{indent}{c} = ({a}.set({self.at(a, env)}, {self.scalar(typ.scalar, env)}) if len({a}) > 0 else {b})")
        env.variables |= dict.fromkeys((a, b, c), typ)
        self.bound(f"concat({a}, {c}, {b})", T(typ.scalar, ("?",)), env, body, indent)

    def in_place(self, env: Env, body: list[str], indent: str) -> None:
        """An array that is updated in a loop, while the one before stays."""
        x, typ = self.numeric(env)
        v, i, old = self.fresh("v"), self.fresh("i"), self.fresh("v")
        scalar = typ.scalar
        more = {"bool": f"not {v}[{i} % len({v})]"}.get(scalar, f"{v}[{i} % len({v})] + {scalar}({i})")
        body += [
            f"{indent}{v} = {x}",
            f"{indent}{old} = {v}",
            f"{indent}for {i} in range({self.one(['3', '2 * len(' + v + ')', '1'])}):",
        ]
        if self.maybe(0.3):
            body.append(f"{indent}    {old} = {v}")
        body.append(f"{indent}    {v} = ({v}.set(({i} * 2) % len({v}), {more}) if len({v}) > 0 else {v})")
        env.variables |= {v: typ, old: typ}

    def cube(self, env: Env, body: list[str], indent: str) -> None:
        """An array of rank 3."""
        e, f, g = (self.fresh("e") for _ in range(3))
        x, y, z = (self.numeric(env) for _ in range(3))
        inner = env.inner(**{e: T(x[1].scalar), f: T(y[1].scalar), g: T(z[1].scalar)})
        scalar = self.one(["i64", "f64", "bool"])
        cell = self.scalar(scalar, inner)
        text = f"map(lambda {e}: map(lambda {f}: map(lambda {g}: {cell}, {z[0]}), {y[0]}), {x[0]})"
        self.bound(text, T(scalar, (x[1].dims[0], y[1].dims[0], z[1].dims[0])), env, body, indent)

    def planes(self, env: Env, body: list[str], indent: str) -> None:
        """What is done with arrays of rank 3."""
        known = [(name, typ) for name, typ in env.variables.items() if typ.rank == 3 and typ.scalar in ("i64", "f64")]
        if not known:
            self.cube(env, body, indent)
            return
        c, typ = self.one(known)
        a, b, d = typ.dims
        s, r2, r3 = typ.scalar, ("?", "?"), ("?", "?", "?")
        zeros = f"replicate(shape({c}, 1), replicate(shape({c}, 2), 0))"
        order = self.one([(0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
        forms: list[tuple[str, T]] = [
            (f"rearrange({c}, {order})", T(s, tuple(typ.dims[o] for o in order))),
            (f"transpose({c})", T(s, (b, a, d))),
            (f"({c}[0] if len({c}) > 0 else {zeros})", T(s, r2)),
            (f"map(lambda p: map(lambda r: reduce(add, 0, r), p), {c})", T(s, (a, b))),
            (f"map(lambda p: flatten(p), {c})", T(s, (a, "?"))),
            (f"flatten({c})", T(s, ("?",))),
            (f"reshape({c}, (len({c}) * shape({c}, 1), shape({c}, 2)))", T(s, r2)),
            (f"concat({c}, rotate({c}, 1))", T(s, ("?", b, d))),
            (f"filter(lambda p: reduce(add, 0, flatten(p)) > 0, {c})", T(s, r3)),
            (f"reduce(lambda p, q: map(lambda r, t: map(add, r, t), p, q), {zeros}, {c})", T(s, (b, d))),
            (f"scan(lambda p, q: map(lambda r, t: map(add, r, t), p, q), {zeros}, {c})", typ),
            (f"({c}[:, 0] if shape({c}, 1) > 0 else {zeros})", T(s, r2)),
            (f"({c}[:, :, 0] if shape({c}, 2) > 0 else replicate(1, replicate(1, 0)))", T(s, r2)),
            (f"{c}[::{self.one([2, -1])}]", T(s, r3)),
            (f"({c}.set((0, 0), rotate({c}[0, 0], 1)) if len({c}) > 0 and shape({c}, 1) > 0 else {c})", typ),
            (f"map(lambda p: transpose(p), {c})", T(s, (a, d, b))),
            (f"({c} + {c})", typ),
        ]
        self.bound(*self.one(forms), env, body, indent)

    def filters(self, env: Env, body: list[str], indent: str) -> None:
        """An array that gets smaller in a loop."""
        x = self.vector(env, body, indent)
        v, i, e = self.fresh("v"), self.fresh("i"), self.fresh("e")
        body += [f"{indent}{v} = {x}", f"{indent}for {i} in range({self.one(['2', '3', f'len({x})'])}):"]
        condition = self.one([f"{e} != {i}", f"{e} > {i}", f"({e} + {i}) % 2 == 0"])
        step = self.one([f"filter(lambda {e}: {condition}, {v})", f"concat(filter(lambda {e}: {condition}, {v}), [{i}])"])
        body.append(f"{indent}    {v} = {step}")
        if self.maybe(0.3):
            body += [f"{indent}    if len({v}) < 2:", f"{indent}        break"]
        env.variables[v] = T("i64", ("?",))

    def combined(self, env: Env, body: list[str], indent: str) -> None:
        """reduce_by_index and scatter with indices out of range."""
        x, values = self.vector(env, body, indent), self.vector(env, body, indent)
        e = self.fresh("e")
        place = self.one([f"{e} * 3 - 2", f"{e} - 1", f"{e} % 3", f"{e} * 4611686018427387904", "-1"])
        index = f"map(lambda {e}: {place}, {values})"
        op = self.one(["add, 0", "max, -100", "lambda a, b: a * b, 1", "lambda a, b: a + b, 0", "xor, 0"])
        form = self.one([f"reduce_by_index({x}, {op}, {index}, {values})", f"scatter({x}, {index}, {values})"])
        self.bound(form, env.variables[x], env, body, indent)

    def rows(self, env: Env, body: list[str], indent: str) -> None:
        """Rows scattered, combined, filtered, chosen."""
        known = self.variables(env, "i64", 2)
        if not known:
            e = self.fresh("e")
            x = self.vector(env, body, indent)
            self.bound(
                f"map(lambda {e}: map(lambda w: w + {e}, {x}), {x})", T("i64", env.variables[x].dims * 2), env, body, indent
            )
            return
        a = self.one(known)
        typ = env.variables[a]
        zeros = f"replicate(shape({a}, 1), 0)"
        index = self.one(
            [f"rotate(iota(len({a})), 1)", f"map(lambda r: reduce(add, 0, r) - 1, {a})", f"replicate(len({a}), 7)"]
        )
        forms = [
            f"scatter({a}, {index}, rotate({a}, 1))",
            f"reduce_by_index({a}, lambda r, t: map(add, r, t), {zeros}, {index}, {a})",
            f"filter(lambda r: reduce(add, 0, r) % 2 == 0, {a})",
            f"map(lambda r: ({zeros} if reduce(add, 0, r) > 3 else rotate(r, 1)), {a})",
            f"map(lambda i: {a}[i], map(lambda j: len({a}) - 1 - j, iota(len({a}))))",
            f"({a}.set(0, map(lambda w: w * 2, {a}[len({a}) - 1])) if len({a}) > 0 else {a})",
        ]
        at = self.rng.randrange(len(forms))
        self.bound(forms[at], typ if at != 2 else T("i64", ("?", typ.dims[1])), env, body, indent)

    def captures(self, env: Env, body: list[str], indent: str) -> None:
        """A nested function that keeps what it found, calls another, and is called and passed."""
        x = self.vector(env, body, indent)
        f, g, kept, v = self.fresh("g"), self.fresh("g"), self.fresh("c"), self.fresh("v")
        body += [
            f"{indent}{kept} = {self.scalar('i64', env)}",
            f"{indent}def {f}(e):",
            f"{indent}    t = {kept} % 5",
            f"{indent}    for j in range({self.one(['2', 'e % 3'])}):",
            f"{indent}        t = t + e * j",
            f"{indent}    return t",
            f"{indent}{kept} = {kept} + 1",
            f"{indent}def {g}(e):",
            f"{indent}    return {self.one([f'{f}(e) + {kept}', f'reduce(add, {f}(e), {x})', f'{f}({f}(e) % 4)'])}",
            f"{indent}{v} = map({self.one([f, g])}, map({g}, {x}))",
        ]
        env.variables |= {v: env.variables[x], kept: T("i64")}

    def nothing(self, env: Env, body: list[str], indent: str) -> None:
        """Arrays without elements."""
        x, typ = self.numeric(env)
        e = self.fresh("e")
        flat = [f"{x}[0:0]", f"filter(lambda {e}: False, {x})", f"concat({x}[:0], {x}[len({x}):])", f"split({x}, 0)[0]"]
        flat += [f"map(lambda {e}: {e}, {x}[:0])", f"rotate({x}[:0], 3)", f"flatten(replicate(0, {x}))"]
        rows = [f"replicate(0, {x})", f"map(lambda {e}: {x}, iota(0))", f"transpose(map(lambda {e}: {x}[:0], {x}))"]
        rows += [f"map(lambda {e}: concat({x}, {x}), {x}[:0])", f"map(lambda {e}: {x}[:0], {x})", f"reshape({x}[:0], (0, 3))"]
        if self.maybe(0.6):
            self.bound(self.one(flat), T(typ.scalar, ("?",)), env, body, indent)
        else:
            self.bound(self.one(rows), T(typ.scalar, ("?", "?")), env, body, indent)

    def small_types(self, env: Env, body: list[str], indent: str) -> None:
        """Arrays of numbers of few bits, which wrap."""
        x = self.vector(env, body, indent)
        typ, e = env.variables[x], self.fresh("e")
        s = self.one(["i32", "u8", "i8", "u16", "f32", "u64"])
        wide = self.one(["", " * 100", " - 7"])
        y = self.bound(f"map(lambda {e}: {s}({e}{wide}), {x})", T(s, typ.dims), env, body, indent)
        forms = [
            f"map(lambda {e}: {e} * {e} + {s}(3), {y})",
            f"scan(add, 0, {y})",
            f"scan(max, {y}[0] if len({y}) > 0 else 0, {y})",
        ]
        forms += [f"({y} + {y})", f"filter(lambda {e}: {e} > 1, {y})[:0]"] if s != "f32" else [f"({y} * {y})"]
        z = self.bound(self.one(forms), T(s, ("?",)), env, body, indent)
        self.bound(f"map(lambda {e}: i64({e}), {z})", T("i64", ("?",)), env, body, indent)

    def halves(self, env: Env, body: list[str], indent: str) -> None:
        """A tree of sums in a `while`."""
        x = self.vector(env, body, indent)
        v, h = self.fresh("v"), self.fresh("c")
        body += [
            f"{indent}{v} = {x}",
            f"{indent}while len({v}) > {self.one([1, 2])}:",
            f"{indent}    {h} = len({v}) // 2",
            f"{indent}    {v} = map({self.one(['add', 'max', 'lambda a, b: a - b'])}, {v}[:{h}], {v}[{h}:2 * {h}])",
        ]
        env.variables[v] = T("i64", ("?",))

    def recursions(self, env: Env, body: list[str], indent: str) -> None:
        x = self.vector(env, body, indent)
        typ = env.variables[x]
        n = self.one(["2", "3", f"len({x})", "0"])
        forms = [(f"tree({x})", T("i64", ("?",))), (f"sorted_({x})", T("i64", ("?",))), (f"even({n}, {x})", typ)]
        forms += [(f"odd({n}, {x})", typ), (f"below({n})", T("i64", ("?", "?")))]
        self.bound(*self.one(forms), env, body, indent)

    def gathered(self, env: Env, body: list[str], indent: str) -> None:
        """Elements at places that data says."""
        (x, typ), y = self.numeric(env), self.vector(env, body, indent)
        e = self.fresh("e")
        place = self.one([f"abs({e}) % len({x})", f"{e} % len({x})", f"({e} if 0 <= {e} and {e} < len({x}) else 0)"])
        if self.maybe(0.1):
            place = e
        self.bound(
            f"map(lambda {e}: {x}[{place}], {y}[:len({y}) if len({x}) > 0 else 0])", T(typ.scalar, ("?",)), env, body, indent
        )

    def neighbours(self, env: Env, body: list[str], indent: str) -> None:
        """Affine indices."""
        x = self.vector(env, body, indent)
        i = self.fresh("e")
        forms = [
            f"map(lambda {i}: {x}[{i}] + {x}[{i} + 1], iota(max(len({x}) - 1, 0)))",
            f"map(lambda {i}: {x}[len({x}) - 1 - {i}], iota(len({x})))",
            f"map(lambda {i}: {x}[2 * {i} + 1], iota(len({x}) // 2))",
            f"map(lambda {i}: reduce(add, 0, {x}[{i}:]), iota(len({x})))",
            f"map(lambda {i}: ({x}[{i} - 1] if {i} > 0 else 0), iota(len({x})))",
            f"map(add, {x}[1:], {x}[:len({x}) - 1])" if self.maybe(0.3) else f"map(add, {x}, {x})",
        ]
        self.bound(self.one(forms), T("i64", ("?",)), env, body, indent)

    def guarded(self, env: Env, body: list[str], indent: str) -> None:
        """A division, an index, a test under a condition."""
        x = self.vector(env, body, indent)
        e, v = self.fresh("e"), self.fresh("v")
        s = self.scalar("i64", env)
        forms = [
            f"map(lambda {e}: ({s}) // {e} if {e} != 0 else 0, {x})",
            f"map(lambda {e}: ({s}) % {e} if {e} > 0 else {e}, {x})",
            f"map(lambda {e}: 12 // ({e} * 2 + 1), {x})",
        ]
        body.append(f"{indent}{v} = {self.one(forms)}")
        if self.maybe(0.3):
            body.append(f'{indent}assert reduce(add, 0, {v}) > -50, "the sum"')
        env.variables[v] = env.variables[x]
