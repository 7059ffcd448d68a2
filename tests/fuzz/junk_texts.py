"""What users write rather than call: texts of procedures, functions under decorators; with junk."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from typing import Any

from usl_core import DRAM, config, instr, proc, proc_from_source
from usl_core import inspect as places
from usl_core.ir.types import INDEX

TEXT = """
@proc
def f(n: size, x: f32[n, 8], y: f32, b: bool):
    assert n > 3
    t: f32[4] @ DRAM
    w = x[0:2, 3]
    for i in seq(0, n):
        for j in par(0, 8):
            x[i, j] = t[0] * y + 2.0
        t[i % 4] += select(y, 0.0, y, -y)
    if b and n > 8:
        y = w[1]
    else:
        pass
"""
PIECES = [
    "",
    " ",
    "\n",
    "\n    ",
    "(",
    ")",
    "[",
    "]",
    ":",
    ",",
    ".",
    "@",
    "*",
    "**",
    "//",
    "%",
    "-",
    "->",
    "1e400",
    "1" * 400,
    "1_0",
    "0x1f",
    "1j",
    "'x'",
    'b"x"',
    "f'{n}'",
    "...",
    "None",
    "True",
    "lambda: 0",
    "[i for i in x]",
    "yield",
    "await x",
    "x if y else n",
    "(n := 3)",
    "*x",
    "**x",
    "return",
    "import os",
    "global n",
    "del x",
    "while n:",
    "try:",
    "with x:",
    "def g():",
    "class C:",
    "\x00",
    "\ud800",
    "\u00e9",
    "\t",
    "\\",
    "#",
    "n",
    "x",
    "y",
    "i",
    "t",
    "w",
    "f",
    "size",
    "index",
    "f32",
    "f32[n]",
    "[f32][n]",
    "DRAM",
    "seq",
    "par",
    "min",
    "max",
    "sqrt(",
    "relu(",
    "clamp(",
    "stride(x, 0)",
    "assert",
    "0",
    "1",
    "2.5",
    "-1",
    "__debug__",
    "self",
    "x[",
    "x[0:2]",
    "x[::2]",
    "not",
    "and",
    "in",
    "==",
    "<",
    "!=",
    "is",
    "~",
    "+=",
    "-=",
    "=",
]


def damaged(rng: random.Random) -> str:
    """A procedure's text with pieces put in place of others."""
    text = TEXT
    for _ in range(rng.randint(1, 3)):
        tokens = [at for at, letter in enumerate(text) if letter in " ()[],:=+*\n"]
        lo = rng.choice(tokens)
        hi = min(len(text), lo + rng.choice([0, 0, 1, 2, 5]))
        text = text[:lo] + rng.choice(PIECES) + text[hi:]
    return text


def text(rng: random.Random, junk: list[Any]) -> None:
    """A damaged text, or junk instead of it."""
    if rng.random() < 0.1:
        proc_from_source(rng.choice(junk), rng.choice(junk), rng.choice(junk))
    proc_from_source(damaged(rng), {"DRAM": DRAM, rng.choice(["n", "f32", "g", "DRAM"]): rng.choice(junk)})


def decorated(rng: random.Random, junk: list[Any]) -> None:
    """@proc, @instr, @config on a class, a function whose annotations are junk, a function without a text, or junk."""

    class Fields:
        __annotations__ = {rng.choice(["a", "b", "for", "a b"]): rng.choice(junk) for _ in range(2)}

    def function(n, x):
        x[0] = 1.0

    function.__annotations__ = {"n": INDEX, "x": rng.choice(junk)}
    names: dict[str, Any] = {}
    exec("def textless(x): pass", names)
    subject = rng.choice([Fields, function, names["textless"], print, rng.choice(junk)])
    options = ("includes", "features", "c_global", "aliasable", "roundings", "special", "subnormals")
    given = {name: rng.choice(junk) for name in rng.sample(options, rng.choice([0, 0, 1, 2]))}
    rng.choice([proc, config, lambda each: instr(rng.choice(["{x}", "{", "{x.y}", "{0}", *junk]), **given)(each)])(subject)


def looked_at(rng: random.Random, junk: list[Any]) -> None:
    """`usl_core.inspect`."""
    call(rng.choice([places.prove, places.facts, places.affine, places.bounds, places.accesses, places.assertions]), rng, junk)


def call(function: Callable[..., Any], rng: random.Random, values: list[Any]) -> Any:
    """The result of a function for any values; parameters with defaults are often left out."""
    given: list[Any] = []
    named: dict[str, Any] = {}
    for each in inspect.signature(function).parameters.values():
        if each.default is not each.empty and rng.random() < 0.5:
            continue
        if each.kind is each.KEYWORD_ONLY or (named and each.kind is not each.VAR_POSITIONAL):
            named[each.name] = rng.choice(values)
        else:
            given.append(rng.choice(values))
    return function(*given, **named)


SURFACES = [text, decorated, looked_at]
