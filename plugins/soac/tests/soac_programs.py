"""Random programs of arrays with inputs, and what their runs give.

    program = random_program(seed)          # the same for the same seed
    main = program.main()                   # a Function of usl_soac
    for args in program.inputs: main.interpret(*args)

Most runs end well; others fail in a test, which is a result like any other. What all layers agree on is `outcome`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from soac_generator import Generator

from usl_core import proc_from_source
from usl_soac import arguments, interp
from usl_soac.decorators import Function, parse_program
from usl_soac.failures import EXCEPTIONS

KERNEL = proc_from_source(
    """
def twice(n: size, x: f64[n], y: f64[n]):
    for i in seq(0, n):
        y[i] = x[i] + x[i]
"""
)
SCOPE = {"twice": KERNEL, "FIVE": 5}
FUEL = 30_000
"""Statements that a run may take; the few that need more are left out."""


@dataclass(frozen=True)
class RandomProgram:
    """The text of a program whose function `main` is called with each of the inputs."""

    seed: int
    text: str
    inputs: tuple[tuple[Any, ...], ...]

    def functions(self) -> dict[str, Function]:
        """Its functions by name."""
        return parse_program(self.text, f"<program {self.seed}>", SCOPE)

    def main(self) -> Function:
        """The function that is called."""
        return self.functions()["main"]


def outcome(run: Callable[[], Any]) -> Any:
    """What a run gives: its results as plain data with shapes, or the name of the exception with which it failed.

    Which of several failing tests is reported may differ, so the text is no part of it. MemoryError is passed on.
    """
    try:
        results = run()
    except tuple(EXCEPTIONS.values()) as error:
        if not hasattr(error, "site") or isinstance(error, MemoryError):
            raise
        return "failed"
    return tuple(plain(each) for each in (results if isinstance(results, tuple) else (results,)))


def plain(value: Any) -> Any:
    """A result as plain data: an array as its shape and elements."""
    if isinstance(value, np.ndarray):
        return value.shape, tuple(plain(each) for each in value.reshape(-1).tolist())
    if isinstance(value, float):
        return "nan" if value != value else value
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def interpreted(main: Function, args: Sequence[Any], *, exact: bool = False, **options: Any) -> Any:
    """The outcome by the interpreter, None if it takes too long or too much memory."""
    program = main.core()
    values = arguments.converted(main.__usl_soac__.signature, args, exact)
    try:
        return outcome(lambda: interp.interpret(program, values, exact=exact, fuel=FUEL, **options))
    except (interp.OutOfFuel, MemoryError):  # compiled code may leave out the array that is too large
        return None


def random_program(seed: int) -> RandomProgram:
    """The program of a seed."""
    text, inputs = Generator(seed).program()
    return RandomProgram(seed, text, inputs)
