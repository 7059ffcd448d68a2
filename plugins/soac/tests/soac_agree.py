"""Compares what programs do: by the interpreter, and after each pass on sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Body, Part, Program
from usl_soac.interp import Interpreter, OutOfFuel
from usl_soac.modes import Sized, SizedProgram, sizes_of_program
from usl_soac.pipeline import hoisted, linked, simplified
from usl_soac.sized_interp import SizedInterpreter
from usl_soac.slicing import stage
from usl_soac.staging import staged
from usl_soac.traverse import atoms, bodies, lambda_of, names_in_types, used_by_statement, walk

FUEL = 200_000


@dataclass
class Outcome:
    """What a run did: results, or how it failed."""

    results: tuple[Any, ...] = ()
    failure: str | None = None
    text: str = ""
    work: int = 0

    def agrees(self, other: Outcome) -> bool:
        """Whether both fail, or both give the same, shapes and types too."""
        if self.failure == "MemoryError":
            return True  # a pass may leave out the array that is too large
        if self.failure is not None or other.failure is not None:
            return self.failure is not None and other.failure is not None
        return all(map(_same, self.results, other.results))


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        equal_nan = a.dtype.kind == "f"
        return a.shape == b.shape and a.dtype == b.dtype and bool(np.array_equal(a, b, equal_nan=equal_nan))
    return type(a) is type(b) and (a == b or (a != a and b != b))


def outcome(interpreter: Interpreter, run: Callable[[], tuple[Any, ...]]) -> Outcome:
    """What a run does. A failure has a site; anything else is a mistake of ours."""
    try:
        return Outcome(run(), work=interpreter.work)
    except OutOfFuel:
        raise
    except Exception as error:
        if not hasattr(error, "site"):
            raise
        return Outcome(failure=type(error).__name__, text=str(error), work=interpreter.work)


@dataclass
class Compared:
    """The outcomes of one run; what differs is in `differences`."""

    expected: Outcome
    others: dict[str, Outcome] = field(default_factory=dict)

    @property
    def differences(self) -> list[str]:
        return [name for name, each in self.others.items() if not self.expected.agrees(each)]


class Passes:
    """A program after each pass on sizes."""

    def __init__(self, program: Program, sized: SizedProgram | None = None) -> None:
        self.program = program
        self.sized = sized or sizes_of_program(program)
        self.main = self.sized.functions[program.functions[-1].name]
        self.everything = self.sized.program()
        self.cut = stage(self.main.ext)
        short = simplified(linked(self.sized, (self.main.function.name, Part.EXT)))
        moved = hoisted(short)
        self.later = {"simplified": short, "hoisted": moved, "stages": staged(moved)}
        for name, each in self.later.items():
            for function in each.functions:
                loose = unbound(function.body, {param.name for param in function.params})
                assert not loose, f"{name}: {function.name} mentions {loose}, which it does not bind"

    def runs(self, args: Sequence[Any], *, exact: bool = False) -> Compared:
        """What the last function does: by the interpreter, as a whole with its sizes, by shape and value, after each pass."""
        typed = Interpreter(self.program, exact=exact, invariant=self.sized.invariant, fuel=FUEL)
        result = Compared(outcome(typed, lambda: typed.run(self.program.functions[-1], list(args))))

        def add(name: str, program: Program, run: Callable[[SizedInterpreter], tuple[Any, ...]]) -> None:
            machine = SizedInterpreter(program, exact=exact, fuel=20 * FUEL)
            result.others[name] = outcome(machine, lambda: run(machine))

        this = self.main
        add("ext", self.everything, lambda machine: machine.whole(this.ext, list(args)))
        add("apart", self.everything, lambda machine: machine.apart(this.shape, this.value, list(args)))
        if self.cut is not None:
            head, tail, count = self.cut
            add("staged", self.everything, lambda machine: machine.staged(head, tail, count, list(args)))
        for name, program in self.later.items():
            whole = program.functions[-1]
            add(name, program, lambda machine, whole=whole: machine.whole(whole, list(args)))  # type: ignore[misc]
        return result


def unbound(body: Body, bound: set[Sym]) -> set[Sym]:
    """The names that a body mentions, in types too, and that nothing binds."""
    here = set(bound)
    loose: set[Sym] = set()
    for statement in body.statements:
        expr = statement.value
        inside = {param.name for param in lambda_of(expr).params} if isinstance(expr, core.Soac) else set()
        if isinstance(expr, core.Loop):
            inside = {param.name for param in (*expr.params, *([expr.index] if expr.index else []))}
        for inner in bodies(expr):
            loose |= unbound(inner, here | inside)
        here |= {param.name for param in statement.pattern}
        loose |= (used_by_statement(statement) | names_in_types(statement.pattern)) - here
    return loose | ({atom for atom in body.results if isinstance(atom, Sym)} - here)


def compare(program: Program, args: Sequence[Any], sized: SizedProgram | None = None, *, exact: bool = False) -> Compared:
    """What the last function of a program does after each pass."""
    return Passes(program, sized).runs(args, exact=exact)


def bound(sized: SizedProgram) -> float:
    """How many times the work of a program its sizes may make it: 1 + 2 D + 64."""
    return 1 + 2 * max((_dimensions(each) for each in sized.functions.values()), default=0) + 64


def _dimensions(sized: Sized) -> int:
    """The largest number of dimensions of one statement's arguments and results together."""
    ranks = {param.name: len(param.type.dims) for param in sized.ext.params}
    most = 0
    for statement in walk(sized.ext.body):
        ranks.update({param.name: len(param.type.dims) for param in statement.pattern})
        names = [atom for atom in atoms(statement.value) if isinstance(atom, Sym)]
        most = max(most, sum(ranks.get(sym, 0) for sym in (*names, *(param.name for param in statement.pattern))))
    return most
