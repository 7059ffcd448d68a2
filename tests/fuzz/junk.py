"""Calls of public functions with arguments of any kind: what they raise is a UslError, or nothing.

`make fuzz WHAT=junk` makes 30,000 calls. The operators, the library, the methods of procedures and of every kind of cursor
take part; texts, decorators and `usl_core.inspect` (`junk_texts.py`); builders, `usl_core.backend` and what hooks declare
(`junk_surfaces.py`).
"""

from __future__ import annotations

import argparse
import inspect
import random
import sys
from collections import Counter
from collections.abc import Callable
from enum import EnumMeta
from typing import Any

import usl_stdlib
from tests.fuzz import junk_surfaces, junk_texts
from usl_core import DRAM, UslError, proc_from_source, scheduling

P = proc_from_source(
    """
@proc
def f(n: size, x: f32[n, 8], y: f32):
    t: f32[4]
    for i in seq(0, n):
        for j in seq(0, 8):
            x[i, j] = t[0] * y
    t[0] = y
    if n > 3:
        y += t[1]
"""
)
PLACES = [P.find("i"), P.find("j"), P.find("t[0] = _"), P.find("t[_]"), P.find("i").before(), P.body(), *P.args()]
PLACES += [P.find_loop("i").hi(), P.find("t: _"), P.find("if _: _"), P.find("y += _")]
NUMBERS = [None, True, False, 0, 1, -1, 2, 8, 10**400, 1.5, float("nan"), 3 + 2j, range(3), iter([1]), ..., object()]
TEXTS = [
    "",
    "i",
    "x",
    "i #99999999999999999999999",
    "1e400",
    "for i in _: _",
    "x[0:4, 0]",
    "n + ",
    b"x",
    "\u00e9",
    "a b",
    "n/0",
]
OTHERS = [[], [1, "a", None], ["a", "b"], ("a", "b"), {}, {"n": 3}, DRAM, int, type, lambda *given: given[0], P, *PLACES]
JUNK: list[Any] = [*NUMBERS, *TEXTS, *OTHERS]
SURFACES = [*junk_texts.SURFACES, *junk_surfaces.SURFACES]
HIDDEN = {"jit", "c_code", "procedure_of", "made_by", "remember", "owner"}
"""Methods that are not a user's, or have effects outside."""


def functions() -> list[Callable[..., Any]]:
    """All that is called: operators, the library, methods."""
    library = [getattr(usl_stdlib, name) for name in usl_stdlib.__all__]
    methods = [
        getattr(each, name) for each in (P, *PLACES) for name in dir(each) if not name.startswith("_") | (name in HIDDEN)
    ]
    found = [*scheduling.OPERATORS, *library, *methods]
    return [each for each in found if callable(each) and not isinstance(each, EnumMeta) and hasattr(each, "__name__")]


def arguments(function: Callable[..., Any], rng: random.Random) -> tuple[list[Any], dict[str, Any]]:
    """Junk for the parameters of a function, often with a procedure first."""
    given: list[Any] = []
    named: dict[str, Any] = {}
    for each in inspect.signature(function).parameters.values():
        if each.kind is each.VAR_KEYWORD or (each.default is not each.empty and rng.random() < 0.6):
            continue
        value = P if each.name in ("proc", "p") and rng.random() < 0.95 else rng.choice(JUNK)
        if each.kind is each.KEYWORD_ONLY or (named and each.kind is not each.VAR_POSITIONAL):
            named[each.name] = value
        else:
            given.append(value)
    return given, named


def tracebacks(calls: int, seed: int) -> Counter[str]:
    """What calls raise other than UslErrors, and how often."""
    rng, found, every = random.Random(seed), Counter[str](), functions()
    for _ in range(calls):
        function = rng.choice(SURFACES if rng.random() < 0.5 else every)
        try:
            if function in SURFACES:
                function(rng, JUNK)
                continue
            given, named = arguments(function, rng)
            result = function(*given, **named)
            if inspect.isgenerator(result):
                list(result)
        except UslError:
            pass
        except Exception as error:
            found[f"{function.__name__}: {type(error).__name__}: {error}"] += 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("calls", type=int, nargs="?", default=30_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = tracebacks(options.calls, options.seed)
    for text, times in found.most_common():
        print(f"{times:6} {text}")
    print(f"{options.calls} calls, {sum(found.values())} that did not end in a UslError")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
