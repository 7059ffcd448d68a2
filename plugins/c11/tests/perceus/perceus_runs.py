"""What a program gives, by either semantics, for tests to compare."""

from __future__ import annotations

from usl_c11.perceus import heap, standard
from usl_c11.perceus.ir import Program
from usl_c11.perceus.standard import OutOfFuel, plain

FUEL = 20_000
Outcome = tuple[object, list[bytes]]


def outcome(program: Program, *, fuel: int = FUEL) -> Outcome | None:
    """The result of `main` in the standard semantics, and what it prints; None if it takes too long."""
    output: list[bytes] = []
    try:
        return plain(standard.run(program, "main", fuel=fuel, output=output)), output
    except OutOfFuel:
        return None


def heap_outcome(program: Program, observer: heap.Observer | None = None, stats: heap.Stats | None = None) -> Outcome:
    """The same by the heap semantics, which demands an empty heap at the end."""
    output: list[bytes] = []
    return heap.run(program, "main", fuel=20 * FUEL, output=output, observer=observer, stats=stats), output
