"""Random programs that set hardware registers: configuration fields written and read, in loops, branches and callees.

Values come from a small set, so that fields often hold already what they are set to. Some fields are steady: no program writes
them, and they may stand in conditions and limits of loops, where an operator may evaluate them at another time.
"""

from __future__ import annotations

import random
from textwrap import indent

from usl_core.ir.config import Config, ConfigField
from usl_core.ir.nodes import Proc
from usl_core.ir.types import BOOL, F32, I32, INDEX, SIZE
from usl_core.procedure import proc_from_source

REGISTERS = Config(
    "Reg",
    {
        "a": ConfigField("a", INDEX),
        "b": ConfigField("b", INDEX),
        "mode": ConfigField("mode", INDEX, readable=False),
        "len": ConfigField("len", SIZE),
        "on": ConfigField("on", BOOL),
        "scale": ConfigField("scale", F32),
        "count": ConfigField("count", I32),
    },
)
STEADY = Config("Steady", {"k": ConfigField("k", INDEX), "len": ConfigField("len", SIZE), "go": ConfigField("go", BOOL)})

_CALLEES = (
    "def set_a(v: index):\n    Reg.a = v\n",
    "def set_b(v: index):\n    Reg.b = v\n    Reg.mode = v\n",
    "def set_scale(v: f32):\n    Reg.scale = v\n",
    "def set_by(on: bool, v: index):\n    if on:\n        Reg.a = v\n    else:\n        Reg.b = v\n",
    "def count_up(n: size):\n    for i in seq(0, n):\n        Reg.a = i\n        Reg.b = n\n",
    "def set_some(n: index, v: index):\n    assert n >= 0\n    for i in seq(0, n):\n        Reg.a = v\n",
    "def copy_a(dst: [f32][1]):\n    Reg.b = Reg.a\n    dst[0] = f32(Reg.b)\n",
    "def scaled(n: size, dst: [f32][n], src: [f32][n]):\n    for i in seq(0, n):\n        dst[i] = Reg.scale * src[i]\n",
    "def grow(n: size, by: f32, dst: [f32][n]):\n    for i in seq(0, n):\n        dst[i] += by\n",
    "def at_a(v: index, dst: [f32][1]):\n    assert Reg.a == v\n    dst[0] = 1.0\n",
    "def when_on(dst: [f32][1]):\n    assert Reg.on\n    dst[0] += 1.0\n",
    "def as_a(v: index, dst: [f32][1]):\n    assert Reg.a == v\n    Reg.b = v\n    if v < Steady.k: dst[0] = f32(Reg.b)\n",
    "def swap(n: size):\n    for i in seq(0, n):\n        Reg.a = Reg.b\n        Reg.b = 1\n",
    "def keep(v: f32, dst: [f32][1]):\n    Reg.scale = v\n    v = 3.0\n    dst[0] = Reg.scale\n",
)


def configured_program(rng: random.Random) -> tuple[Proc, tuple[Proc, ...]]:
    """A program and its callees. The frontend refuses some: an assertion on a field may not hold at a call."""
    scope: dict[str, object] = {"Reg": REGISTERS, "Steady": STEADY}
    callees = [proc_from_source(text, scope) for text in rng.sample(_CALLEES, 4)]
    scope |= {callee.name(): callee for callee in callees}
    text = configured_text(rng, {callee.name() for callee in callees})
    return proc_from_source(text, scope).ir, tuple(callee.ir for callee in callees)


def configured_text(rng: random.Random, callees: set[str]) -> str:
    """The text of a program that may call the callees of these names."""
    writer = _Writer(rng, callees)
    body = writer.block(rng.randint(2, 4), 0, ())
    asserted = [text for text in ("Reg.a == 0", "Reg.b == n", "n >= 2", "Steady.k >= 0") if rng.random() < 0.15]
    head = "def configured(n: size, m: index, q: bool, s: f32, x: f32[n + 4], y: f32[n + 4], z: i32[n + 4]):\n"
    lines = ["assert m >= 0", *(f"assert {text}" for text in asserted)]
    return head + indent("\n".join(lines) + "\n" + body, "    ")


class _Writer:
    def __init__(self, rng: random.Random, callees: set[str]) -> None:
        self.rng = rng
        self.callees = callees
        self.count = 0

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def block(self, length: int, depth: int, iters: tuple[str, ...]) -> str:
        return "".join(self.stmt(depth, iters) for _ in range(length))

    def inner(self, depth: int, iters: tuple[str, ...]) -> str:
        return indent(self.block(self.rng.randint(1, 3), depth + 1, iters), "    ")

    def stmt(self, depth: int, iters: tuple[str, ...]) -> str:
        choice = self.rng.random()
        if depth < 3 and choice < 0.2:
            return self.loop(depth, iters)
        if depth < 3 and choice < 0.3:
            return self.branch(depth, iters)
        if choice < 0.6:
            return self.write(iters)
        if choice < 0.75:
            return self.call(iters)
        if choice < 0.8:
            return self.temporary(iters)
        if choice < 0.84:
            return self.rng.choice(("s = 2.0\n", "s = x[0]\n", "s += 1.0\n", "s = Reg.scale\n"))
        if choice < 0.88:
            return self.checked(iters)
        return self.store(iters)

    # ---- control

    def loop(self, depth: int, iters: tuple[str, ...]) -> str:
        name = f"i{self.count}"
        self.count += 1
        if self.chance(0.2):
            return self.parallel(name)
        hi = self.rng.choice(("n", "n", "n", "3", "1", "2", "0", "m", "Steady.len", "min(m, n)"))
        body = self.inner(depth, (*iters, name)) if hi in ("n", "min(m, n)") else self.inner(depth, iters)
        loop = f"for {name} in seq(0, {hi}):\n{body}"
        return loop * 2 if self.chance(0.1) else loop

    def parallel(self, name: str) -> str:
        """Fields are read in it, and set before and after: to set one in it is a race."""
        hi = self.rng.choice(("n", "n", "2", "Steady.len", "min(m, n)"))
        hi = "min(n, Steady.len)" if hi == "Steady.len" else "min(n, 2)" if hi == "2" else hi
        values = (f"x[{name}]", f"Reg.scale * x[{name} + 1]", "Reg.scale", "f32(Reg.a)", f"f32(Reg.b + {name})", "s")
        store = f"y[{name}] {self.rng.choice(('=', '+='))} {self.rng.choice(values)}\n"
        if self.chance(0.3):
            store = f"if {self.rng.choice(('Steady.go', f'{name} < Steady.k', 'q', f'{name} > 0'))}:\n{indent(store, '    ')}"
        if self.chance(0.3):
            store += f"z[{name} + 1] = Reg.count\n"
        return f"for {name} in par(0, {hi}):\n{indent(store, '    ')}"

    def branch(self, depth: int, iters: tuple[str, ...]) -> str:
        conds = ["q", "n > 2", "m == 0", "Steady.go", "Steady.k < 3", "x[0] > 0.0", *(f"{i} == 0" for i in iters)]
        text = f"if {self.rng.choice(conds)}:\n{self.inner(depth, iters)}"
        if self.chance(0.4):
            text += f"else:\n{self.inner(depth, iters)}"
        return text

    def checked(self, iters: tuple[str, ...]) -> str:
        """A check that holds."""
        value = self.rng.choice(("0", "n", "m + 1", *iters))
        return self.rng.choice(("check(n >= 1)\n", f"Reg.a = {value}\ncheck(Reg.a == {value})\n"))

    # ---- configuration

    def value(self, iters: tuple[str, ...]) -> str:
        return self.rng.choice(
            ("0", "1", "1", "3", "n", "m", "n + 1", "Reg.a", "Reg.b", "Reg.a + 1", "Steady.k", *iters, *iters)
        )

    def write(self, iters: tuple[str, ...]) -> str:
        match self.rng.randrange(9):
            case 0 | 1 | 2:
                return f"Reg.a = {self.value(iters)}\n"
            case 3:
                return f"Reg.b = {self.value(iters)}\n"
            case 4:
                return f"Reg.mode = {self.value(iters)}\n"
            case 5:
                return f"Reg.len = {self.rng.choice(('1', 'n', 'm + 1', 'Reg.len', 'Reg.len + 1', 'Steady.len'))}\n"
            case 6:
                values = ("True", "False", "q", "n > 2", "Reg.on", "q and Steady.go", "Reg.a == 0")
                return f"Reg.on = {self.rng.choice(values)}\n"
            case 7:
                return f"Reg.scale = {self.rng.choice(('1.0', '2.0', 's', 's', 'Reg.scale', 's * 2.0', 'x[0]'))}\n"
            case _:
                return f"Reg.count = {self.rng.choice(('1', '2', 'z[0]', 'Reg.count'))}\n"

    def temporary(self, iters: tuple[str, ...]) -> str:
        name = f"t{self.count}"
        self.count += 1
        at = self.place(iters)
        uses = (f"Reg.scale = {name}\n", f"y[{at}] = {name}\n", f"{name} = Reg.scale\n", f"{name} += x[{at}]\n")
        first = f"{name}: f32\n{name} = {self.rng.choice((f'x[{at}]', 'Reg.scale', 's'))}\n"
        return first + "".join(self.rng.choice(uses) for _ in range(self.rng.randint(1, 3)))

    # ---- data

    def place(self, iters: tuple[str, ...]) -> str:
        return self.rng.choice(("0", "1", "n", *(2 * iters), *(f"{i} + 1" for i in iters)))

    def store(self, iters: tuple[str, ...]) -> str:
        at = self.place(iters)
        values = (f"x[{at}]", "Reg.scale", f"Reg.scale * x[{self.place(iters)}]", "f32(Reg.a)", "1.0", "s", "y[0] + 1.0")
        if self.chance(0.1):
            return f"z[{at}] {self.rng.choice(('=', '+='))} {self.rng.choice(('Reg.count', 'i32(Reg.b)', '1'))}\n"
        return f"{self.rng.choice('xyy')}[{at}] {self.rng.choice(('=', '=', '+='))} {self.rng.choice(values)}\n"

    def call(self, iters: tuple[str, ...]) -> str:
        if not self.callees:
            return self.store(iters)
        name = self.rng.choice(sorted(self.callees))
        value, at = self.value(iters), self.place(iters)
        cell = f"{self.rng.choice('xy')}[{at}:{at} + 1]"
        match name:
            case "set_a" | "set_b":
                return f"{name}({value})\n"
            case "set_scale":
                return f"{name}({self.rng.choice(('s', '2.0', 'x[0]', 's'))})\n"
            case "set_by":
                return f"{name}({self.rng.choice(('q', 'n > 2', 'Reg.on', 'Steady.go'))}, {value})\n"
            case "count_up" | "swap":
                return f"{name}({self.rng.choice(('n', 'n', '2', 'Steady.len'))})\n"
            case "set_some":
                return f"{name}({self.rng.choice(('n', 'm', '0', '1'))}, {value})\n"
            case "copy_a":
                return f"{name}({cell})\n"
            case "scaled":
                return self.rng.choice((f"{name}(n, y[0:n], x[0:n])\n", f"{name}(2, y[{at}:{at} + 2], x[1:3])\n"))
            case "grow":
                return f"{name}(2, {self.rng.choice(('Reg.scale', 'Reg.scale', 's', '2.0'))}, y[{at}:{at} + 2])\n"
            case "at_a" | "as_a":
                return (f"Reg.a = {value}\n" if self.chance(0.8) else "") + f"{name}({value}, {cell})\n"
            case "when_on":
                return (f"Reg.on = {self.rng.choice(('True', 'n >= 1'))}\n" if self.chance(0.8) else "") + f"{name}({cell})\n"
            case _:
                return f"{name}(s, {cell})\n"
