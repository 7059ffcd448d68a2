"""What a program gives, by either semantics, for tests to compare."""

from __future__ import annotations

from dataclasses import replace

from perceus_semantics import heap, standard
from perceus_semantics.standard import OutOfFuel, plain

from usl_perceus.ir import Call, FunDef, Lit, Program

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


def with_main(program: Program, fun: str, *args: int) -> Program:
    """The program with a `main` that calls fun with integers."""
    decl = program.funs[fun]
    atoms = tuple(Lit(arg, param.var.type) for arg, param in zip(args, decl.params, strict=True))
    main = FunDef("main", (), decl.result, Call(fun, atoms, decl.result), throws=decl.throws)
    return replace(program, funs={**program.funs, "main": main}, exports=("main",))
