"""`Pipeline`: one or several outputs as one program; what can be asked of it, and how it is compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from usl_core import Procedure
from usl_halide_lib.applying import Schedule
from usl_halide_lib.directives import Directive, TailStrategy
from usl_halide_lib.halves import halved
from usl_halide_lib.jamming import jammed
from usl_halide_lib.lang import syntax
from usl_halide_lib.lang.collect import Program, collect, inputs_of
from usl_halide_lib.lang.conditions import in_procedure, with_parameters
from usl_halide_lib.lang.emit import Emitted, emit
from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.images import Buffer, Image, ImageParam
from usl_halide_lib.lang.inference import infer
from usl_halide_lib.lang.inlining import Inlined, inlined, is_pointwise
from usl_halide_lib.lang.interp import Interval, Oracle
from usl_halide_lib.lang.limits import limits_of, on_extents
from usl_halide_lib.lang.nesting import in_funcs
from usl_halide_lib.lang.nodes import FuncDef, Hole
from usl_halide_lib.lang.query import Family, query
from usl_halide_lib.lang.realize import Realization, prepared, realized
from usl_halide_lib.lang.same_nest import require_same_nest
from usl_halide_lib.lang.scheduling import scheduled
from usl_halide_lib.lang.sliding import slid
from usl_halide_lib.lang.target import text, with_expressions
from usl_halide_lib.lang.unscheduled import warn_of_unscheduled
from usl_halide_lib.lifting import lifted
from usl_halide_lib.nest import text as text_of_nest
from usl_halide_lib.partition import kept_whole, partitioned
from usl_halide_lib.strips import in_strips
from usl_halide_lib.vector import Target

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


@dataclass(frozen=True, slots=True)
class _Found:
    """What was collected, of which funcs: their definitions and directives are the same objects until they change."""

    funcs: tuple[Any, ...]
    definitions: tuple[FuncDef | None, ...]
    given: tuple[Directive, ...]
    program: Program
    numbered: tuple[Directive, ...]
    anywhere: tuple[str, ...]

    def is_current(self) -> bool:
        """Whether nothing has changed."""
        now = _directives(self.funcs)
        return (
            self.anywhere == _anywhere(self.program)
            and all(func.definition is old for func, old in zip(self.funcs, self.definitions, strict=True))
            and len(now) == len(self.given)
            and all(a is b for a, b in zip(now, self.given, strict=True))
        )


def _anywhere(program: Program) -> tuple[str, ...]:
    """The images that may begin elsewhere than at 0."""
    return tuple(name for name, image in program.images.items() if isinstance(image, ImageParam) and image.is_anywhere)


def _directives(funcs: Sequence[Any]) -> tuple[Directive, ...]:
    return tuple(each for func in funcs for each in getattr(func, "given_directives", tuple)())


@dataclass(frozen=True, slots=True)
class Compiled:
    """P0 of funcs with given definitions, and what directives made of it."""

    definitions: tuple[FuncDef, ...]
    directives: tuple[Directive, ...]
    default: str
    inlined: Inlined
    emitted: Emitted
    schedule: Schedule
    procedure: Procedure


class Pipeline:
    """Outputs that are computed together: `Pipeline([f, g])`. Directives are those of its funcs."""

    def __init__(self, outputs: Any) -> None:
        self._outputs: list[Any] = [outputs] if isinstance(outputs, syntax.Func) else list(outputs)
        if not self._outputs or not all(isinstance(each, syntax.Func) for each in self._outputs):
            raise refuse("a Pipeline is made of one or several funcs: Pipeline([f, g])", code="E788")
        if len({each.name() for each in self._outputs}) < len(self._outputs):
            raise refuse("a func is an output once only", code="E788")
        self._default = "inline"
        self._target = Target.c()
        self._compiled: Compiled | None = None
        self._found: _Found | None = None

    def outputs(self) -> list[Any]:
        """The funcs."""
        return list(self._outputs)

    def default(self, place: str) -> Pipeline:
        """Where funcs are computed that no directive places: "inline", as in Halide, or "root"."""
        if place not in ("inline", "root"):
            raise refuse(f'default: "inline" or "root", not {place!r}', code="E773")
        self._default = place
        return self

    def instructions(self, target: Target | None) -> Pipeline:
        """Vectorise by the instructions of a target, as `usl_halide_lib.Target.best()`.

        Without, vectorised loops are left to the C compiler, which takes less time and knows all types.
        """
        self._target, self._compiled = target or Target.c(), None
        return self

    def interpret(self, window: Any, exact: bool = True) -> Any:
        """The values in a window by the semantics alone: the oracle. Slow, and not compiled.

        window has an extent, or (min, extent), per dimension, x first. The result is an array of Python objects (exact: floats
        are Fractions) or of the func's type, dimensions in NumPy's order; a list of arrays for several values.

        Raises:
            AlgorithmError: an input has no value or is too small (E786), an extent is negative (E787).
        """
        program = self._collected()
        oracle = Oracle(program.algorithm, inputs_of(program), exact)
        arrays = []
        for func in self._outputs:
            pairs = intervals(window, func.dimensions())
            made = [np.empty([n for _, n in reversed(pairs)], object if exact else np.dtype(str(t))) for t in func.types()]
            for point, elements in oracle.realize(func.name(), pairs).items():
                place = tuple(c - low for c, (low, _) in reversed(list(zip(point, pairs, strict=True))))
                for array, element in zip(made, elements, strict=True):
                    array[place] = element
            arrays += made
        return arrays[0] if len(arrays) == 1 else arrays

    def realize(self, *window: Any) -> Any:
        """Compile (the first time) and run: the values in a window, or in the places of buffers that are given.

        A window is as `interpret` takes it, the same one for all outputs. A Buffer, or one per value of the outputs in a list,
        is written to. The result is the whole buffer that was computed, `np.asarray` of it is the window; a tuple of them for
        several values.

        Raises:
            AlgorithmError: as `interpret`; E784, something is read without bounds; E770, there is no compiled form;
                E775, a buffer is smaller than what has to be computed.
            DirectiveError: a directive does not apply.
        """
        given = _buffers(window)
        if given is None:
            sizes = window[0] if len(window) == 1 and not isinstance(window[0], int) else window
            windows = {func.name(): intervals(sizes, func.dimensions()) for func in self._outputs}
            return self._run(windows, {})
        types = [(func, typ) for func in self._outputs for typ in func.types()]
        if len(given) != len(types):
            raise refuse(f"{len(types)} buffers are needed, one for each value, and {len(given)} are given", code="E775")
        arrays: dict[str, list[Buffer]] = {}
        for buffer, (func, typ) in zip(given, types, strict=True):
            array = buffer.array()
            if array is None or buffer.type() != typ or array.ndim != func.dimensions():
                shown = f"{func.dimensions()} dimensions of {typ}"
                raise refuse(f"{func.name()} needs a buffer of {shown}, and {buffer.shown()} is given", code="E775")
            arrays.setdefault(func.name(), []).append(buffer)
        windows = {name: buffers[0].box() for name, buffers in arrays.items()}
        for name, buffers in arrays.items():
            if any(each.box() != windows[name] for each in buffers):
                raise refuse(f"the buffers for the values of {name} have different places", code="E775")
        return self._run(windows, arrays)

    def runner(self, windows: Sequence[Sequence[Interval]]) -> Callable[[], object]:
        """A call that computes a window per value of the outputs again and again, into the same buffers, and tests nothing."""
        names = [func.name() for func in self._outputs for _ in func.types()]
        compiled = self.compiled()
        inputs = inputs_of(self._collected())
        return prepared(compiled.emitted, compiled.procedure, inputs, dict(zip(names, windows, strict=True)))

    def _run(self, windows: dict[str, list[Interval]], given: dict[str, list[Buffer]]) -> Any:
        compiled = self.compiled()
        made = realized(compiled.emitted, compiled.procedure, inputs_of(self._collected()), windows, given)
        results: list[Realization] = [each for func in self._outputs for each in made[func.name()]]
        return results[0] if len(results) == 1 else tuple(results)

    def procedure(self) -> Procedure:
        """The scheduled procedure: further operators, `c_code()` and so on work on it."""
        return self.compiled().procedure

    def print_loop_nest(self) -> None:
        """Print the loops as Halide does."""
        print(self.loop_nest(), end="")

    def loop_nest(self) -> str:
        """The loops as Halide prints them."""
        compiled = self.compiled()
        program = self._collected()
        owners = owners_of(compiled.emitted, compiled.directives)
        return text_of_nest(in_funcs(compiled.schedule.nodes(), owners, program, compiled.emitted.bounds))

    def picture(self, path: str | Path) -> None:
        """Write the loops as an HTML file, with what iterations touch and what the buffers are."""
        self.compiled().schedule.picture(path)

    def explain(self) -> str:
        """Where each func is computed and stored and which places of it, and which operators each directive was."""
        compiled = self.compiled()
        lines = [
            f"{name}: computed at root, as its formula is too large to stand everywhere" for name in compiled.inlined.large
        ]
        owners, bounds = owners_of(compiled.emitted, compiled.directives), compiled.emitted.bounds
        for line in compiled.schedule.explain().splitlines():
            lines.append(line)
            name, _, rest = line.partition(": ")
            family = Family("cpu", owners.get(name, ""))
            if rest.startswith("computed ") and bounds.boxes.get(family):
                lines.append(f"  in all at {bounds.shown(family)}")
        return "\n".join(lines)

    def assurance(self) -> str:
        """What is proved and what is believed: how P0 came about, and the steps from it to the procedure."""
        procedure = self.compiled().procedure
        steps, named = len(procedure.history()) - 1, procedure.assurance().removeprefix("every step proved")
        count = f"{steps} step{'' if steps == 1 else 's'}: proved{named}"
        laws = [
            f"rfactor of {func.name()}: {law.ground}" for func in self._collected().funcs for law in getattr(func, "laws", ())
        ]
        return " · ".join(["P0: emitted, tested", *laws, count])

    def lowered(self, what: str = "tgt?") -> str:
        """A stage of compilation as text.

        "alg" is the algorithm without inlined funcs, "tgt?" the loops with holes after all directives, "query" what the holes
        must satisfy, "bounds" what fills them, "tgt" the loops with bounds, in which funcs slide and are folded, "p0" the
        procedure before any directive.

        Raises:
            DirectiveError: a directive does not apply.
        """
        if what == "p0":
            return self.compiled().emitted.source
        program, given = self._given()
        algorithm = self._inlined(program, given).algorithm
        if what == "alg":
            return algorithm.text()
        target = scheduled(algorithm, [each for each in given if each.name != "compute_inline"])
        match what:
            case "tgt?":
                return text(target.body)
            case "query":
                return query(target).text()
            case "bounds":
                return infer(target).text()
            case "tgt":
                bounds = infer(target)
                moving, _ = slid(target, bounds, given)
                return text(with_expressions(moving.body, lambda node: bounds.fill(node) if isinstance(node, Hole) else None))
            case _:
                raise refuse(f'lowered: "alg", "tgt?", "query", "bounds", "tgt" or "p0" are there, not {what!r}', code="E770")

    def images(self) -> dict[str, Image]:
        """The inputs by name."""
        return dict(self._collected().images)

    def _collected(self) -> Program:
        return self._given()[0]

    def _given(self) -> tuple[Program, tuple[Directive, ...]]:
        """The program and all directives; collected again where a definition or a directive is another one."""
        if self._found is None or not self._found.is_current():
            plain = collect(self._outputs)
            given = _directives(plain.funcs)
            numbered = tuple(replace(each, position=place) for place, each in enumerate(given))
            definitions = tuple(func.definition for func in plain.funcs)
            program = with_parameters(plain, numbered)
            self._found = _Found(plain.funcs, definitions, given, program, numbered, _anywhere(program))
        return self._found.program, self._found.numbered

    def _inlined(self, program: Program, given: tuple[Directive, ...]) -> Inlined:
        algorithm = program.algorithm
        asked = {each.func: each for each in given if each.name == "compute_inline"}
        for name, directive in asked.items():
            others = [each for each in given if each.func == name and each.name != "compute_inline"]
            if others:
                raise others[0].refuse(f"{name} is computed inline, so that it has no loops and no storage", "E783")
            if name in algorithm.outputs:
                raise directive.refuse(f"{name} is an output", "E783")
            func = algorithm.func(name)
            if len(func.stages) > 1 and not is_pointwise(func):
                message = f"{name} has an update that writes other places than the one that is asked for"
                raise directive.refuse(message, "E783", ["hint: compute_at the innermost loop, or compute_root"])
        placed = {name for each in given if each.name != "compute_inline" for name in _mentioned(each)}
        if self._default == "root":
            placed |= {each.name for each in algorithm.funcs if each.name not in asked}
        return inlined(algorithm, placed, tuple(asked))

    def _on_buffers(self, directive: Directive, buffers: dict[str, str]) -> Directive:
        """A directive in the names of the procedure, and for the instructions that there are."""
        func, args = buffers.get(directive.func, directive.func), directive.args
        if directive.name in _ABOUT_OTHERS and isinstance(args[0], str):
            args = (buffers.get(args[0], args[0]), *args[1:])
        if directive.name == "vectorize" and not self._target.memories:
            args = (*args[:2], TailStrategy.Auto)  # the C compiler finds a tail itself
        return directive if (func, args) == (directive.func, directive.args) else replace(directive, func=func, args=args)

    def compiled(self) -> Compiled:
        """All stages of compilation; kept until a definition or a directive changes."""
        program, given = self._given()
        old = self._compiled
        definitions = program.algorithm.funcs
        if old is not None and old.directives is given and old.definitions is definitions and old.default == self._default:
            return old
        without = self._inlined(program, given)
        factored = {(each.name(), stage) for each in program.funcs for stage in getattr(each, "factored_stages", ())}
        warn_of_unscheduled(without.algorithm, given, factored)
        emitted = emit(without.algorithm, without.points, limits_of(without.algorithm, given))
        schedule = Schedule(emitted.procedure, target=self._target)
        wanted = [in_procedure(each, emitted) for each in given if each.name != "compute_inline"]
        left = [found for each in wanted if (found := on_extents(each, without.algorithm)) is not None]
        used = tuple(self._on_buffers(each, emitted.buffers) for each in left)
        schedule.adopt(used)
        procedure = schedule.apply() if used else emitted.procedure
        if used:
            require_same_nest(without.algorithm, without.points, given, schedule.nodes(), owners_of(emitted, given))
        if not self._target.memories:
            whole = kept_whole(used)
            procedure = jammed(in_strips(partitioned(halved(lifted(procedure), whole), whole), whole), whole)
        self._compiled = Compiled(definitions, given, self._default, without, emitted, schedule, procedure)
        return self._compiled


_ABOUT_OTHERS = ("compute_at", "store_at", "hoist_storage", "compute_with", "prefetch")
"""Directives whose first argument is another func."""


def owners_of(emitted: Emitted, directives: Sequence[Directive]) -> dict[str, str]:
    """By buffer its func, copies that directives make among them."""
    return emitted.owners | {each.args[0]: each.args[0] for each in directives if each.name in ("in_", "clone_in")}


def _mentioned(directive: Directive) -> set[str]:
    """The funcs that must have loops of their own for a directive: the one it is about, and those it is given relative to."""
    names = {directive.func}
    if directive.name in _ABOUT_OTHERS and directive.name != "prefetch":
        names.add(directive.args[0])
    if directive.name in ("in_", "clone_in"):
        names |= set(directive.args[1])
    return names


def _buffers(window: tuple[Any, ...]) -> list[Buffer] | None:
    """The buffers of a call of realize, if it has any."""
    given = list(window[0]) if len(window) == 1 and isinstance(window[0], list | tuple) else list(window)
    if not given or not any(isinstance(each, Buffer | np.ndarray) for each in given):
        return None
    return [each if isinstance(each, Buffer) else Buffer(each) for each in given]
