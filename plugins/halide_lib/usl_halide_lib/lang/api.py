"""`Func` as users have it: definitions, directives, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from usl_core import Procedure
from usl_halide_lib import directives
from usl_halide_lib.applying import Schedule
from usl_halide_lib.lang import syntax
from usl_halide_lib.lang.collect import collect, inputs_of
from usl_halide_lib.lang.emit import Emitted, emit
from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.inference import infer
from usl_halide_lib.lang.interp import Interval, Oracle
from usl_halide_lib.lang.lower import lower
from usl_halide_lib.lang.nodes import FuncDef
from usl_halide_lib.lang.realize import Realization, realized
from usl_halide_lib.lang.target import text
from usl_halide_lib.lang.variables import RDom, RVar, Var

Window = Sequence[int | Interval]


def intervals(window: Window, dimensions: int) -> list[Interval]:
    """A window as (min, extent) per dimension, x first; a number is an extent from 0.

    Raises:
        AlgorithmError: E787, another number of dimensions, or an extent that is negative or too large.
    """
    if len(window) != dimensions:
        raise refuse(f"the window has {len(window)} dimensions, and {dimensions} are needed", code="E787")
    pairs = [(int(each[0]), int(each[1])) if isinstance(each, tuple | list) else (0, int(each)) for each in window]
    for dim, (low, extent) in enumerate(pairs):
        if not (0 <= extent < 2**31 and low >= -(2**31) and low + extent <= 2**31):
            message = f"dimension {dim} of the window is {low}:{low + extent}, no range of 32-bit places"
            raise refuse(message, code="E787")
    return pairs


def called(value: Any) -> Any:
    """What a directive's argument is called in the procedure: variables and funcs by their names."""
    if isinstance(value, Var | RVar):
        return value.name().replace("$", "_")
    if isinstance(value, RDom):
        return called(value[0])
    if isinstance(value, syntax.Func):
        return value.name()
    if isinstance(value, list | tuple):
        return type(value)(called(each) for each in value)
    return value


class Stage:
    """A stage of a func, to which directives are given; each returns it, so that they chain."""

    def __init__(self, given: directives.Stage) -> None:
        self._given = given

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _directive(self, self._given, name)


def _directive(owner: Any, given: directives.Stage, name: str) -> Any:
    """The directive of a name, with variables and funcs for names as arguments; it gives owner back, or a new stage."""
    plain = getattr(given, name)

    def give(*args: Any, **kwargs: Any) -> Any:
        result = plain(*map(called, args), **{key: called(value) for key, value in kwargs.items()})
        return owner if result is given else Stage(result) if isinstance(result, directives.Stage) else result

    return give


@dataclass(frozen=True)
class _Compiled:
    """P0 of funcs with given definitions, and what directives made of it."""

    definitions: tuple[FuncDef, ...]
    directives: tuple[directives.Directive, ...]
    emitted: Emitted
    schedule: Schedule
    procedure: Procedure


class Func(syntax.Func):
    """A func: a value for each place of an unbounded grid. `f[x, y] = e` defines it, further assignments are updates.

    Directives of Halide's are methods: `f.tile(x, y, xi, yi, 64, 8).parallel(y)`, `g.compute_at(f, x)`. A func that none
    of them places is computed at the root.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._collected = directives.Collected()
        self._given = directives.Func(self._collected, self.name())
        self._compiled: _Compiled | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _directive(self, self._given, name)

    def update(self, number: int = 0) -> Stage:
        """An update stage, the first by default, to give directives to."""
        if not 0 <= number < self.num_update_definitions():
            raise refuse(
                f"{self.name()} has {self.num_update_definitions()} updates, and {number} is none of them", code="E788"
            )
        return Stage(self._given.update(number))

    def interpret(self, window: Window, exact: bool = True) -> Any:
        """The values in a window by the semantics alone: the oracle. Slow, and not compiled.

        window has an extent, or (min, extent), per dimension, x first. The result is an array of Python objects (exact: floats
        are Fractions) or of the func's type, dimensions in NumPy's order; of a tuple a list of arrays.

        Raises:
            AlgorithmError: an input has no value or is too small (E786), an extent is negative (E787).
        """
        program = collect([self])
        pairs = intervals(window, self.dimensions())
        oracle = Oracle(program.algorithm, inputs_of(program), exact)
        values = oracle.realize(self.name(), pairs)
        arrays = [np.empty([n for _, n in reversed(pairs)], object if exact else np.dtype(str(typ))) for typ in self.types()]
        for point, elements in values.items():
            place = tuple(c - low for c, (low, _) in reversed(list(zip(point, pairs, strict=True))))
            for array, element in zip(arrays, elements, strict=True):
                array[place] = element
        return arrays[0] if len(arrays) == 1 else arrays

    def realize(self, window: Window) -> Realization | tuple[Realization, ...]:
        """Compile (the first time) and run: the values in a window, as `interpret` takes it; of a tuple one per element.

        The result is the whole buffer that was computed; `np.asarray` of it is the window.

        Raises:
            AlgorithmError: as `interpret`; E784, something is read without bounds; E770, there is no compiled form.
            DirectiveError: a directive does not apply.
        """
        pairs = intervals(window, self.dimensions())
        compiled = self._made()
        results = realized(compiled.emitted, compiled.procedure, inputs_of(collect([self])), pairs)
        return results[0] if len(results) == 1 else results

    def procedure(self) -> Procedure:
        """The scheduled procedure: further operators, `c_code()` and so on work on it."""
        return self._made().procedure

    def print_loop_nest(self) -> None:
        """Print the loops as Halide does."""
        print(self._made().schedule.nest(), end="")

    def explain(self) -> str:
        """Where each func is computed and stored, and which operators each directive was."""
        return self._made().schedule.explain()

    def lowered(self, what: str = "tgt?") -> str:
        """A stage of compilation as text: "tgt?" the loops with holes, "bounds" what fills these, "p0" the procedure."""
        if what == "p0":
            return self._made().emitted.source
        target = lower(collect([self]).algorithm)
        if what == "tgt?":
            return text(target.body)
        if what == "bounds":
            return infer(target).text()
        raise refuse(f'lowered: "tgt?", "bounds" or "p0" are there, not {what!r}', code="E770")

    def _made(self) -> _Compiled:
        program = collect([self])
        algorithm = program.algorithm
        funcs = [each for each in program.funcs if isinstance(each, Func)]
        given = [directive for each in funcs for directive in each._collected.directives]
        listed = tuple(replace(each, position=place) for place, each in enumerate(given))
        old = self._compiled
        definitions = list(map(id, algorithm.funcs))
        if old is not None and old.directives == listed and list(map(id, old.definitions)) == definitions:
            return old
        emitted = emit(algorithm)
        schedule = Schedule(emitted.procedure)
        schedule.adopt(listed)
        procedure = schedule.apply() if listed else emitted.procedure
        self._compiled = _Compiled(algorithm.funcs, listed, emitted, schedule, procedure)
        return self._compiled
