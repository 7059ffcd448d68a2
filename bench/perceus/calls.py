"""What Python pays for a functional program: microseconds of a call, and seconds of importing a module that declares some.

A figure is the least of many runs: wall time of calls, since a call that may take long runs in a thread of its own, and CPU
time of the import.
"""

from __future__ import annotations

import subprocess
import sys
import timeit
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.perceus.programs_calls import Chain, counted, first, greeting, length, successor

CALLS = 500
IMPORT = (
    "import resource, bench.perceus.programs_calls; used = resource.getrusage(resource.RUSAGE_SELF); "
    "print(used.ru_utime + used.ru_stime)"
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and its goal, in the unit; without a goal it is 0."""

    what: str
    value: float
    goal: float
    unit: str


def measure(rounds: int) -> list[Figure]:
    """The figures, in the order of the table."""
    chain, numbers = counted(4, Chain.End()), np.arange(16.0)
    ways: dict[str, tuple[Callable[[], object], float]] = {
        "a call with an integer": (lambda: successor(1), 2.0),
        "with a string, which gives another": (lambda: greeting("you"), 0.0),
        "with an array of 16 numbers": (lambda: first(numbers), 0.0),
        "recursive, on a structure in the heap": (lambda: length(chain, 0), 5.0),
        "the same, by name": (lambda: length(chain=chain, n=0), 0.0),
        "with a default": (lambda: length(chain), 0.0),
        "recursive, and gives a structure": (lambda: counted(4, chain), 5.0),
        "the same, arguments converted in Python": (lambda: counted.slowly(4, chain), 0.0),
    }
    figures = [Figure(what, _microseconds(call, rounds), goal, "us") for what, (call, goal) in ways.items()]
    return [*figures, Figure("import of a module with declarations", _import(rounds), 0.2, "s")]


def _microseconds(call: Callable[[], object], rounds: int) -> float:
    call()
    return min(timeit.repeat(call, number=CALLS, repeat=10 * rounds)) / CALLS * 1e6


def _import(rounds: int) -> float:
    command = [sys.executable, "-c", IMPORT]
    return min(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(rounds))


def table(figures: list[Figure]) -> list[str]:
    """A line for each figure, with its goal."""
    return [
        f"  {each.what:48} {each.value:8.2f} {each.unit:2}" + (f"  (goal {each.goal:g})" if each.goal else "")
        for each in figures
    ]
