"""What programs and packages use rather than schedules: builders, what a backend asks, declarations of hooks; with junk."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tests.fuzz.junk_texts import call
from usl_core import DRAM, Extern, Memory, backend, build, proc_from_source
from usl_core.ir.types import F32, I32, INDEX
from usl_core.plugins.declarations import Kind, collect
from usl_core.plugins.hookspecs import Emulation

IR = proc_from_source("def g(n: size, x: f32[n]):\n    for i in par(0, n):\n        x[i] = 1.0\n").ir
BUILDERS: list[Callable[..., Any]] = [
    each
    for name, each in vars(build).items()
    if inspect.isfunction(each) and each.__module__ == build.__name__ and not name.startswith("_") and name != "set_finish"
]
OFTEN = 3
"""How many times as often as junk a value is drawn that is of some use."""


def built(rng: random.Random, junk: list[Any]) -> None:
    """A builder of expressions or of statements, in a procedure that may be finished."""
    builder = build.ProcBuilder("built")
    n, x, y = builder.size("n"), builder.tensor("x", F32, (4,)), builder.scalar("y", I32)
    useful = [n, x, y, build.literal(2), build.window(x, (0, 2)), F32, INDEX, slice(0, 2), slice(0, 2, 2), (0, 1), DRAM]
    methods = [getattr(builder, name) for name in dir(builder) if not name.startswith("_")]
    function = rng.choice([*BUILDERS, *(each for each in methods if callable(each)), build.ProcBuilder])
    result = call(function, rng, [*OFTEN * useful, *junk])
    if isinstance(result, AbstractContextManager):
        with result:
            builder.assign(x, (0,), 1.0)
    if rng.random() < 0.3:
        builder.finish()


def asked(rng: random.Random, junk: list[Any]) -> None:
    """`usl_core.backend`."""
    functions = [each for name in backend.__all__ if inspect.isfunction(each := getattr(backend, name))]
    result = call(rng.choice(functions), rng, [*4 * OFTEN * [IR, (IR,), IR.body], *junk])
    if isinstance(result, AbstractContextManager):
        with result:
            pass
    elif inspect.isgenerator(result):
        list(result)


def declared(rng: random.Random, junk: list[Any]) -> None:
    """What a hook returns: a plugin's mistakes are told of, and stop nothing."""

    def one() -> Any:
        return rng.choice(junk)

    made: list[Callable[[], Any]] = [
        one,
        lambda: type("Junk", (Memory,), {"name": one(), "features": one(), "addressable": one()}),
        lambda: Extern(one(), one(), one()),
        lambda: Emulation(one(), one()),
        lambda: type("Junk", (), {"name": one(), "emit": one(), "build": one(), "jit": one()})(),
    ]
    several = [rng.choice(made)() for _ in range(rng.randint(0, 3))]
    names = [each for each in junk if isinstance(each, str | int | None)]
    mapping = {rng.choice(names): each for each in several}
    accepted, problems = collect(rng.choice(list(Kind)), rng.choice([one(), several, mapping]))
    assert isinstance(accepted, dict) and all(isinstance(each, str) and each for each in problems)


SURFACES = [built, asked, declared]
