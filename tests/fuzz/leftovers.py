"""Random programs as schedules leave them: loops in parts, conditions that are decided, buffers far from their use.

Rewrites that tidy up apply to such programs, and seldom to others. A part of them is wrong for each: parts that do not meet,
conditions that are nearly decided, buffers that carry a value from one iteration to the next.
"""

from __future__ import annotations

import random
from textwrap import indent

from usl_core.ir.nodes import Proc
from usl_core.procedure import proc_from_source


def leftover_program(rng: random.Random) -> Proc:
    """A program that the frontend accepts."""
    return proc_from_source(leftover_text(rng), {}).ir


def leftover_text(rng: random.Random) -> str:
    """Two or three leftovers in a row, perhaps in a loop that all of them share."""
    typ = rng.choice(("f32", "f32", "f64", "R", "i32", "u8", "i16"))
    kinds = [rng.choice((_parts, _parts, _decided, _decided, _far_buffer, _far_buffer, _tiny_buffers)) for _ in range(2)]
    body = "".join(kind(rng, typ, k) for k, kind in enumerate(kinds))
    if rng.random() < 0.25:
        body = f"for l in seq(0, {rng.choice(('m', '2'))}):\n" + indent(body, "    ")
    head = f"def leftover(n: size, m: size, x: {typ}[n + 4], y: {typ}[n + 4], z: {_formal(rng, typ)}):\n"
    least = rng.choice((1, 2, 4))
    return head + indent((f"assert n >= {least}\n" if least > 1 else "") + body, "    ")


def _formal(rng: random.Random, typ: str) -> str:
    return rng.choice((f"[{typ}][n + 4]", f"{typ}[n + 4]"))


def _number(typ: str, value: int) -> str:
    return str(value) if typ[0] in "iu" else f"{value}.0"


def _store(rng: random.Random, typ: str, i: str) -> str:
    value = rng.choice((f"x[{i}]", f"x[{i}] * x[{i}] + {_number(typ, 3)}", f"max(x[{i}], y[0])", f"x[{i} + 1] - x[{i}]"))
    target = rng.choice((f"y[{i}]", f"y[{i}]", f"z[{i}]", "y[1]"))
    return f"{target} {rng.choice(('=', '+='))} {value}\n"


def _parts(rng: random.Random, typ: str, k: int) -> str:
    """One loop in two or three parts, which meet in most cases."""
    cuts = [rng.choice(("1", "n / 2", "min(2, n)", "n - 1", "(n + 1) / 2", "n / 4 * 4", "0"))]
    cuts = ["0", *cuts, *(["n"] if rng.random() < 0.3 else []), rng.choice(("n", "n", "n + 1"))]
    body = _store(rng, typ, "i") + (_store(rng, typ, "i") if rng.random() < 0.3 else "")
    other = _store(rng, typ, "i") if rng.random() < 0.15 else body
    starts = [rng.choice((*[lo] * 7, _same_value(lo), f"{lo} + 1")) for lo in cuts[1:-1]]
    mode = rng.choice(("seq", "seq", "seq", "par"))
    loops = [f"for i in {mode}(0, {cuts[1]}):\n" + indent(body, "    ")]
    loops += [f"for i in seq({lo}, {hi}):\n" + indent(other, "    ") for lo, hi in zip(starts, cuts[2:], strict=True)]
    return "".join(loops)


def _same_value(text: str) -> str:
    return f"({text} + 1) - 1"


def _decided(rng: random.Random, typ: str, k: int) -> str:
    """An `if` in a loop whose condition always holds, never does, or depends."""
    always = ("i < n", "i >= 0", "i / 2 <= i", "i < n + 1 or i == 5", "i % 2 < 2", "n > 0", "4 * (i / 4) <= i")
    never = ("i >= n", "i < 0", "i == n", "n < 1", "i > 2 and i < 2", "i % 4 == 4")
    depends = ("i < n - 1", "i > 0", "i % 2 == 0", "n >= 2", "m > n", "x[i] > y[0]")
    cond = rng.choice(rng.choice((always, never, depends)))
    branch = f"if {cond}:\n" + indent(_store(rng, typ, "i"), "    ")
    if rng.random() < 0.4:
        branch += "else:\n" + indent(_store(rng, typ, "i"), "    ")
    if rng.random() < 0.2:
        branch += f"for e in seq({rng.choice(('n, n', 'i, i', '1, 1', '0, 1'))}):\n" + indent(_store(rng, typ, "i"), "    ")
    return "for i in seq(0, n):\n" + indent(branch, "    ")


def _far_buffer(rng: random.Random, typ: str, k: int) -> str:
    """A buffer declared outside of the loop or the `if` that uses it, for each iteration or for all of them."""
    t, zero = f"t{k}", _number(typ, 0)
    fill = f"for j in seq(0, 3):\n    {t}[j] = x[i + j]\n"
    decl, use = rng.choice(
        (
            (f"{t}: {typ}\n", f"{t} = x[i]\ny[i] = {t} + {t}\n"),
            (f"{t}: {typ}\n", f"{t} = {zero}\nfor j in seq(0, 3):\n    {t} += x[i + j]\ny[i] = {t}\n"),
            (f"{t}: {typ}[3]\n", fill + f"y[i] = {t}[0] + {t}[2]\n"),
            (f"{t}: {typ}[n]\n", f"{t}[i] = x[i]\ny[i] += {t}[i]\n"),
            (f"{t}: {typ}\n", f"y[i] = x[i]\nif i > 0:\n    {t} = x[i]\n    y[i] += {t}\n"),
            (f"{t}: {typ}\n", f"if i == 0:\n    {t} = x[0]\ny[i] = {t}\n"),
            (f"{t}: {typ}[n]\n", f"{t}[i] = x[i]\nif i > 0:\n    y[i] = {t}[i - 1]\n"),
        )
    )
    between = _store(rng, typ, "0") if rng.random() < 0.3 else ""
    return decl + between + "for i in seq(0, n):\n" + indent(use, "    ")


def _tiny_buffers(rng: random.Random, typ: str, k: int) -> str:
    """Two small buffers of one shape, used one after the other, at literal places."""
    a, b = f"a{k}", f"b{k}"
    shape = rng.choice(("2", "2, 2", "2, n"))
    low, high = (", ".join((lit, *["0"] * (shape.count(",")))) for lit in "01")
    first = f"{a}[{low}] = x[0]\n{a}[{high}] = x[1] + {a}[{low}]\ny[0] = {a}[{high}]\n"
    second = f"{b}[{low}] = y[1]\n{b}[{high}] = x[2]\ny[2] = {b}[{low}] * {b}[{high}]\n"
    late = f"y[3] = {a}[{low}]\n" if rng.random() < 0.25 else ""
    return f"{a}: {typ}[{shape}]\n{first}{b}: {typ}[{shape}]\n{second}{late}"
