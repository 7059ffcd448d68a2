"""Random programs at the corners of C: parallel loops around scalars, every scalar type, division, casts, names that C takes.

They also have dead code, loops that never run, windows of windows, checks that fail, and calls of instructions.
"""

from __future__ import annotations

import random
import re
from textwrap import indent

from tests.fuzz.configured import REGISTERS
from tests.fuzz.instructions import INSTRUCTIONS
from usl_core.ir.nodes import Proc
from usl_core.ir.types import FloatFormat, Kind, ScalarType
from usl_core.procedure import proc_from_source

F8E4M3 = ScalarType("f8e4m3", Kind.FLOAT, 8, format=FloatFormat(4, -9, 9, finite=True))
F8E5M2 = ScalarType("f8e5m2", Kind.FLOAT, 8, format=FloatFormat(3, -16, 16))
_DECLARED = {"f8e4m3": F8E4M3, "f8e5m2": F8E5M2}
"""Types as plugins declare them."""

_FLOATS = ("f32", "f64", "f16", "bf16", *_DECLARED)
_TYPES = ("f32", "f32", "f64", *_FLOATS[2:], "i8", "u8", "i16", "u16", "i32", "i64", "u32", "u64")
_TAKEN = (
    *("int", "double", "char", "const", "long", "short", "static", "struct", "switch", "union", "void", "volatile", "restrict"),
    *("register", "auto", "sizeof", "typedef", "inline", "goto", "a", "b", "scale", "count", "ctx", "data", "strides", "main"),
    *(
        "NULL",
        "INFINITY",
        "usl_status",
        "usl_alloc",
        "i_",
        "errno",
        "abs",
        "fmin",
        "y0",
        "int64_t",
        "float_t",
        "Reg_a",
        "stdin",
    ),
)
"""Names that mean something in C, in its headers, in generated code, or to a configuration."""


def corner_program(rng: random.Random) -> tuple[Proc, tuple[Proc, ...]]:
    """A program and the instructions that it may call."""
    writer = _Writer(rng)
    text = writer.text()
    return proc_from_source(text, {**INSTRUCTIONS, **_DECLARED, "Reg": REGISTERS}).ir, tuple(
        one.ir for one in INSTRUCTIONS.values()
    )


def instruction_program(rng: random.Random) -> tuple[Proc, tuple[Proc, ...]]:
    """An instruction itself, or a program that does little else than call some."""
    every = tuple(one.ir for one in INSTRUCTIONS.values())
    if rng.random() < 0.3:
        return rng.choice(every), every
    body = "".join(_instruction_call(rng) for _ in range(rng.randint(2, 5)))
    if rng.random() < 0.3:
        body = f"for l in seq(0, {rng.choice(('n', '2'))}):\n" + indent(body, "    ")
    head = "def driven(n: size, c: i32[n + 4], d: i32[n + 4]):\n"
    text = head + indent(f"{body}probe(d[2:4])\n", "    ")
    return proc_from_source(text, dict(INSTRUCTIONS)).ir, every


def _instruction_call(rng: random.Random) -> str:
    value = rng.choice(("n", "0", "1", "7", "n + 1"))
    return rng.choice(
        (
            f"set_gain({value})\n",
            f"set_lane({value})\n",
            f"set_unit({value})\n",
            f"gained({rng.choice(('n, c[0:n], d[0:n]', '2, c[1:3], d[1:3]'))})\n",
            "probe(c[0:2])\n",
            "twice(c[0:4])\n",
            "touch(n, d[0:n])\n",
            "for i in seq(0, n):\n    d[i] += c[i]\n",
        )
    )


class _Writer:
    """One program. Its names stand for themselves until the end, when some of them become names that C takes."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.typ = rng.choice(_TYPES)
        self.other = rng.choice(_TYPES)
        self.count = 0

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def text(self) -> str:
        t, u = self.typ, self.other
        window = self.rng.choice((f"[{t}][n + 4]", f"{t}[n + 4]"))
        formals = f"n: size, m: index, x: {t}[n + 4], y: {window}, z: {u}[n + 4], c: i32[n + 4], s: {t}, r: i32"
        pieces = (self.around_scalars, self.around_scalars, self.dead, self.divided, self.windows, self.casts, self.calls)
        body = "".join(self.rng.choice(pieces)() for _ in range(self.rng.randint(1, 3)))
        if self.chance(0.08):
            body += f"check({self.rng.choice(('n < 4', 'm == 0', 'n >= 1'))})\n"
        facts = "assert m >= 0\nassert m <= n\n"
        return self.renamed(f"def corner({formals}):\n{indent(facts + body, '    ')}")

    def renamed(self, text: str) -> str:
        """The text with some formals under names that C takes."""
        if self.chance(0.4):
            fresh = dict(zip("xyzcsr", self.rng.sample(_TAKEN, 6), strict=True))
            chosen = {old: new for old, new in fresh.items() if self.chance(0.5)}
            text = re.sub(r"\b([xyzcsr])\b", lambda match: chosen.get(match[1], match[1]), text)
        return text

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # ---- values

    def literal(self, typ: str) -> str:
        return self.rng.choice(("0.0", "1.0", "-2.0", "0.5") if typ in _FLOATS else ("0", "1", "3", "7"))

    def leaf(self, typ: str, i: str) -> str:
        known = [name for name, has in (("x", self.typ), ("y", self.typ), ("z", self.other), ("c", "i32")) if has == typ]
        if known and self.chance(0.75):
            return f"{self.rng.choice(known)}[{i}]"
        return "s" if typ == self.typ and self.chance(0.3) else self.literal(typ)

    def value(self, typ: str, i: str, depth: int = 1) -> str:
        if depth == 0:
            return self.rng.choice((self.leaf(typ, i), f"{typ}({self.leaf(self.rng.choice((self.typ, self.other)), i)})"))
        a, b = self.value(typ, i, depth - 1), self.value(typ, i, depth - 1)
        forms = [f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"{a} / {b}", f"max({a}, {b})", f"-{self.leaf(typ, i)}"]
        if typ not in _FLOATS:
            forms += [f"{a} % {b}", f"{a} / {b}", f"{a} & {b}", f"{a} | {b}", f"{a} ^ {b}", f"~{self.leaf(typ, i)}"]
            forms += [f"{a} << {b}", f"{a} >> {b}", f"{a} {self.rng.choice(('<<', '>>'))} {self.rng.choice('0137')}"]
        else:
            forms += [
                f"fma({a}, {b}, {self.leaf(typ, i)})",
                f"{self.rng.choice(('rint', 'floor', 'ceil', 'trunc', 'sqrt'))}({a})",
            ]
            forms += [f"select({a}, {b}, {self.leaf(typ, i)}, {b})", f"{self.rng.choice(('abs', 'relu', 'rsqrt'))}({a})"]
        return f"({self.rng.choice(forms)})"

    # ---- pieces

    def around_scalars(self) -> str:
        """A parallel loop that adds to scalars, or sets and reads them in one of its iterations."""
        i, scalar, typ = self.fresh("i"), *self.rng.choice((("s", self.typ), ("r", "i32")))
        own = self.value(typ, i)
        one = [f"{scalar} = {self.literal(typ)}\n", f"{scalar} = {own}\n", f"z[{i}] = {self.other}({scalar})\n"]
        one += [f"{scalar} = {scalar} * {self.literal(typ)}\n"]
        sums = self.rng.sample([f"{scalar} += {own}\n"] * 2, self.rng.choice((0, 1, 1, 1, 2)))
        mixed = [*sums, *(self.rng.choice(one) for _ in range(self.rng.choice((0, 1, 1, 2)) if sums else 1))]
        self.rng.shuffle(mixed)
        touched = "".join(mixed)
        store = self.rng.choice(("", f"c[{i}] = 3\n", f"c[{i}] += 1\n"))
        kind = self.rng.randrange(4)
        if kind == 0:
            hi, body = self.rng.choice(("1", "min(n, 1)")), touched
        elif kind == 1:
            hi, body = (
                self.rng.choice(("n", "m", "3")),
                f"{scalar} += {self.value(typ, i, 0).replace(scalar, self.literal(typ))}\n",
            )
        else:
            hi, at = self.rng.choice(("n", "m", "4")), self.rng.choice(("0", "1", "n - 1", "m"))
            body = f"if {i} == {at}:\n{indent(touched, '    ')}"
        mode = "par" if self.chance(0.85) else "seq"
        return f"for {i} in {mode}(0, {hi}):\n{indent(body + store, '    ')}"

    def dead(self) -> str:
        """Code that never runs, or whose results nobody sees."""
        i, t = self.fresh("i"), self.fresh("t")
        never = self.rng.choice(("0, 0", "n, n", "2, 2", "m, m"))
        store = f"x[{self.rng.choice((i, f'5 * {i}', f'{i} + n', f'{i} - 1'))}] = {self.value(self.typ, i, 0)}\n"
        loop = f"for {i} in seq({never}):\n{indent(store, '    ')}"
        extent = self.rng.choice(("4", "n", "2, 3"))
        at = self.rng.choice(("0", "1")) + (", 1" if "," in extent else "") if extent != "n" else "0"
        unused = f"{t}: {self.typ}[{extent}]\n{t}[{at}] = {self.literal(self.typ)}\n"
        branch = f"if {self.rng.choice(('n < 1', 'm > n', 'm < 0'))}:\n{indent(unused, '    ')}"
        return self.rng.choice(
            (loop, unused, branch, loop + unused, f"{t}: {self.other}\n", f"if m < 0:\n{indent(loop, '    ')}")
        )

    def divided(self) -> str:
        i = self.fresh("i")
        if self.chance(0.4):
            return self.scaled_sum(i)
        op = self.rng.choice("//%") if self.typ not in _FLOATS else "/"
        at = self.rng.choice((i, "0"))
        by = self.rng.choice((f"y[{at}]", "s", "x[0]", self.literal(self.typ)))
        store = f"x[{at}] = {self.value(self.typ, at, 0)} {op} {by}\n"
        return store if at == "0" else f"for {i} in seq(0, n):\n    {store}"

    def scaled_sum(self, i: str) -> str:
        """A sum with a factor that may be infinite, over a loop that may not run."""
        t, zero = self.fresh("t"), "0.0" if self.typ in _FLOATS else "0"
        factors = ("(1.0 / s)", "(1.0 / 0.0)", "(1.0 / y[0])", "s") if self.typ in _FLOATS else ("s", "(7 / s)")
        factor, hi = self.rng.choice(factors), self.rng.choice(("m", "m", "n", "m - m"))
        term = self.rng.choice((f"{factor} * x[{i}]", f"x[{i}] * {factor}"))
        return f"{t}: {self.typ}\n{t} = {zero}\nfor {i} in seq(0, {hi}):\n    {t} += {term}\nx[0] = {t}\n"

    def windows(self) -> str:
        """A window of a window of a formal, written through, while the formal is read."""
        i, w, v = self.fresh("i"), self.fresh("w"), self.fresh("v")
        lo = self.rng.choice(("0", "1", "2"))
        store = self.rng.choice((f"{v}[{i}] = {self.value(self.typ, i)}", f"{v}[n - 1 - {i}] = {w}[{i} + 2]"))
        mode = self.rng.choice(("seq", "par")) if "y[" not in store and w not in store else "seq"
        return f"{w} = y[1:n + 4]\n{v} = {w}[{lo}:n + {lo}]\nfor {i} in {mode}(0, n):\n    {store}\n"

    def casts(self) -> str:
        i = self.fresh("i")
        a, b = (f"{t}({self.leaf(u, i)})" for t, u in ((self.typ, self.other), (self.other, self.typ)))
        nested = f"{self.other}({self.rng.choice(_TYPES)}({self.leaf(self.typ, i)}))"
        return f"for {i} in seq(0, n):\n    x[{i}] = {a}\n    z[{i} + 1] = {self.rng.choice((b, nested))}\n"

    def calls(self) -> str:
        value = self.rng.choice(("n", "m", "3"))
        sets = self.rng.choice((f"set_gain({value})\n", f"set_unit({value})\n", f"set_lane({value})\n", ""))
        uses = ("probe(c[1:3])\n", "twice(c[0:4])\n", "touch(n, c[0:n])\n")
        return f"set_unit(m)\n{sets}{self.rng.choice(uses)}"
