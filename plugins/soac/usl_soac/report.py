"""What is said of a function: its type, its program after each pass, the sizes of its results, how callers learn them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from usl_core.cli.modules import import_file
from usl_core.ir.sym import Sym
from usl_soac import sizes
from usl_soac.core import Function, Part, Program, Type
from usl_soac.definitions import Definition, definition_of
from usl_soac.errors import SoacError
from usl_soac.fates import explained_tests
from usl_soac.modes import Mode, Sized, SizedProgram
from usl_soac.pictures import fusion
from usl_soac.pipeline import hoisted, linked, simplified
from usl_soac.reasons import explained_dimensions
from usl_soac.running import Compiled
from usl_soac.show import show, show_function, show_signature
from usl_soac.signatures import Leaf
from usl_soac.signatures import leaves as leaves_of
from usl_soac.sized_interp import SizedInterpreter
from usl_soac.sizes import Term
from usl_soac.staging import explained_stages, in_stages
from usl_soac.text import ill_typed, refuse

NOT_APART = "E766"
WORDS: Mapping[Mode, str] = {
    Mode.STATIC: "its type gives the sizes of its results",
    Mode.SLICED: "the sizes of its results are computed before it is called",
    Mode.INTERLEAVED: "sizes of its results are known when it returns",
}


# ---- programs after passes


def shown(program: Program, sized: Callable[[], SizedProgram], form: str) -> str:
    """The program after a pass, as text.

    Raises:
        SoacError: there is no such pass.
    """
    match form:
        case "core":
            return show(program)
        case "ext":
            return _functions(each.ext for each in sized().functions.values())
        case "sizes" | "simplified" | "hoisted" | "staged":
            return show(_passes(form, linked(sized(), (program.functions[-1].name, Part.EXT))))
        case "slices":
            return _functions(part for each in sized().functions.values() for part in _slices(each))
        case "fusion":
            return fusion(Compiled(program).outer)
        case "outer":
            return Compiled(program).outer.text
        case "kernels":
            kernels = Compiled(program).outer.kernels
            return "\n".join(f"{each.procedure}\n" for each in kernels.values()) or "no statement is a kernel\n"
        case "c":
            code: str = Compiled(program).compiled.show("c")
            return code
        case _:
            raise refuse(f"there is no pass called {form}", None, f"hint: {', '.join(FORMS)}")


FORMS = ("core", "sizes", "ext", "slices", "simplified", "hoisted", "staged", "fusion", "outer", "kernels", "c")
"""What can be shown."""


def _passes(form: str, program: Program) -> Program:
    """The sized core, or what the passes up to one make of it."""
    if form == "sizes":
        return program
    if form == "simplified":
        return simplified(program)
    moved = hoisted(simplified(program))
    return moved if form == "hoisted" else in_stages(moved)


def _slices(sized: Sized) -> tuple[Function, ...]:
    return (sized.ext,) if sized.mode is Mode.INTERLEAVED else (sized.shape, sized.value)


def _functions(functions: Iterator[Function]) -> str:
    return "\n\n".join(map(show_function, functions)) + "\n"


def written(function: Any, directory: Path) -> list[Path]:
    """Writes the C of a function, with its kernels and the runtime, into directory; returns the paths.

    Raises:
        UslError: a file cannot be written; then none is.
    """
    paths: list[Path] = function.compiled().compiled.write_c(directory, function.name())
    return paths


# ---- types


def type_of(sized: Sized) -> str:
    """`∀ n. (x: f64[n]) → ∃ k. f64[k]`, with the sizes that were found."""
    names: dict[Term, Sym] = {}
    results = []
    for typ, dims, terms in zip(sized.function.results, sized.done.dims, sized.done.terms, strict=True):
        found = []
        for dim, term in zip(dims, terms, strict=True):
            if term is None:
                sym = names.setdefault(dim, Sym("k"))
                term = sizes.name(sym)
            found.append(term)
        results.append(Type(typ.scalar, tuple(found)))
    return show_signature(replace(sized.function, exists=tuple(names.values()), results=tuple(results)))


def explained(sized: SizedProgram) -> str:
    """For each function how callers learn the sizes of its results, and what is tested in it where."""
    lines = []
    for name, each in sized.functions.items():
        lines.append(f"{each.function.span}: {name} : {type_of(each)}")
        lines.append(f"    {each.mode.value}: {WORDS[each.mode]}")
        if each.mode is Mode.SLICED:
            lines.append(f"    their computation costs {int(each.cost)} scalar operations")
        moved = hoisted(simplified(linked(sized, (name, Part.EXT))))
        found = (*explained_dimensions(each.done), *explained_tests(sized, name), *explained_stages(moved))
        lines += [f"    {line}" for line in found]
    return "\n".join(lines)


# ---- sizes without results


def result_sizes(definition: Definition, program: SizedProgram, given: Mapping[str, Any]) -> Any:
    """The shape of each result, from the shapes of arrays and the values of scalars; a tuple of them for several results.

    Raises:
        SoacError: an argument is missing, or the sizes depend on what only computing the result gives (E766).
    """
    sized = list(program.functions.values())[-1]
    if sized.mode is Mode.INTERLEAVED:
        message = f"the sizes of {definition.name} cannot be known without computing its result"
        note = f"note: {definition.name} : {type_of(sized)}"
        raise SoacError(message, span=definition.span, notes=(note,), code=NOT_APART)
    arguments = _arguments(definition, given)
    env: dict[Sym, Any] = {}
    for param, arg in zip(sized.function.params, arguments, strict=True):
        env[param.name] = arg
        for dim, size in zip(param.type.dims, arg.shape if isinstance(arg, np.ndarray | _Shape) else (), strict=True):
            if dim is not None and dim.name in sized.function.sizes:
                env.setdefault(dim.name, size)
    needed = [env[param.name] for param in sized.shape.params]
    for param, value in zip(sized.shape.params, needed, strict=True):
        if value is None or isinstance(value, _Shape):
            message = f"the sizes of {definition.name} depend on {param.name.name}"
            hint = f"hint: {param.name.name}=… with its elements" if param.type.rank else f"hint: {param.name.name}=…"
            raise SoacError(message, span=param.span, notes=(hint,), code=NOT_APART)
    found = iter(SizedInterpreter(program.program()).run(sized.shape, needed))
    shapes = [tuple(int(next(found)) for _ in typ.dims) for typ in sized.function.results]
    return shapes[0] if len(shapes) == 1 else tuple(shapes)


class _Shape:
    """An array of which only the shape is given."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


def _arguments(definition: Definition, given: Mapping[str, Any]) -> list[Any]:
    """One value for each parameter of the core: None where nothing is given."""
    signature = definition.signature
    left = dict(given)
    found: list[Any] = []
    for formal in signature.params:
        value = left.pop(formal.name, None)
        parts = list(leaves_of(formal.declared))
        values = [value] if isinstance(formal.declared, Leaf) else list(value or [None] * len(parts))
        for leaf, each in zip(parts, values, strict=True):
            found.append(_argument(f"{definition.name}: {formal.name}", leaf.type, each))
    if left:
        known = ", ".join(each.name for each in signature.params)
        raise ill_typed(f"{definition.name} has no parameter {next(iter(left))}", None, f"hint: {known}")
    return found


def _argument(what: str, typ: Type, value: Any) -> Any:
    if not typ.rank:
        return value
    if isinstance(value, np.ndarray) and value.ndim == typ.rank:
        return value
    if isinstance(value, int) and typ.rank == 1:
        value = (value,)
    if isinstance(value, tuple | list) and len(value) == typ.rank and all(isinstance(each, int) for each in value):
        return _Shape(tuple(value))
    raise ill_typed(f"{what} is given as an array, or as its {typ.rank} sizes", None)


# ---- files


def functions(place: str) -> dict[str, Any]:
    """The functions of `FILE`, or the one of `FILE:NAME`. FILE is imported, which runs it.

    Raises:
        UslError: it cannot be run, or has no such function.
    """
    file, _, name = place.rpartition(":")
    path, name = (Path(place), "") if not file or Path(place).exists() else (Path(file), name)
    module = import_file(path)
    found = {
        each: value
        for each, value in vars(module).items()
        if (definition := definition_of(value)) is not None and definition.source.file == module.__file__
    }
    if not found:
        raise refuse(f"{path} defines no function with @soac", None)
    if name and name not in found:
        raise refuse(f"{path} defines no function {name} with @soac", None, f"hint: {', '.join(found)}")
    return {name: found[name]} if name else found
