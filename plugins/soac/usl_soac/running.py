"""Compiled programs: NumPy arrays in and out, failures as the exceptions of the interpreter."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from usl_core import Procedure
from usl_core.backend import written_formals
from usl_core.ir.sym import Sym
from usl_core.ir.types import I64
from usl_perceus import not_empty
from usl_perceus import program as functional_program
from usl_soac import failures, pipeline
from usl_soac.core import Function, Param, Part, Program, Type
from usl_soac.modes import SizedProgram, sizes_of_program
from usl_soac.outer import Outer, outer
from usl_soac.outer_body import function_name
from usl_soac.result_memory import require_no_alloc
from usl_soac.scalars import BOOL
from usl_soac.sizes import SIZE_LIMIT, Term, evaluate
from usl_soac.staging import in_stages


class Compiled:
    """The last function of a program, compiled when it is first called."""

    def __init__(
        self, program: Program, *, kernels: bool = True, simplify: bool = True, checked: bool = True, debug: bool = False
    ) -> None:
        """With kernels=False there is outer code alone, with simplify=False tests are where elaboration has put them.

        With checked=False there are no tests: what a test would find is undefined then. It is there to measure what tests cost.
        With debug=True the sizes of arrays are compared with those that were computed for them.
        """
        sized = sizes_of_program(program, debug=debug)
        self.source = program.functions[-1]
        self.function = sized.functions[self.source.name].ext
        entry = self.function.name, Part.EXT
        self.program = _passed(sized, entry, simplify)
        self.outer: Outer = outer(self.program, entry, _lengths(sized), kernels=kernels, checked=checked, debug=debug)
        self._schedules: dict[str, Procedure] = {}
        for each in sized.functions.values():
            if "no_alloc" in each.function.promises:
                self._require_no_alloc(sized, each.ext)

    def _require_no_alloc(self, sized: SizedProgram, function: Function) -> None:
        """The promise `@no_alloc` of a function, as it is compiled when it is called by itself.

        Raises:
            SoacError: it takes memory for more than its results.
        """
        entry = function.name, Part.EXT
        made = self.outer if function is self.function else outer(_passed(sized, entry, True), entry, _lengths(sized))
        definitions = functional_program(made.text, made.names, file=f"<outer code of {function.name}>")
        require_no_alloc(function, made, definitions[function_name(*entry)].allocations())

    @property
    def kernels(self) -> dict[str, Procedure]:
        """The procedures by name, with their schedules."""
        return {
            name: self._schedules.get(name, each.procedure) for name, each in self.outer.kernels.items() if not each.is_general
        }

    def scheduled(self, procedures: Mapping[str, Procedure]) -> Compiled:
        """The same with these procedures in the place of kernels, which they come from."""
        made = copy.copy(self)
        for name in ("definitions", "compiled", "_failures"):
            made.__dict__.pop(name, None)
        made._schedules = {**self._schedules, **procedures}
        return made

    @property
    def names(self) -> dict[str, object]:
        """What the outer code mentions. A kernel whose schedule leaves no write to a result stays: calls take all of them."""
        kernels = self.outer.kernels
        whole = {name: each for name, each in self._schedules.items() if _writes(each) == _writes(kernels[name].procedure)}
        return {**self.outer.names, **{name: not_empty(each) for name, each in whole.items()}}

    @functools.cached_property
    def definitions(self) -> dict[str, Any]:
        """What the outer code defines."""
        return functional_program(self.outer.text, self.names, file=f"<outer code of {self.function.name}>")

    @functools.cached_property
    def compiled(self) -> Any:
        """The function of the outer code."""
        return self.definitions[function_name(self.function.name, self.function.part)]

    @functools.cached_property
    def _failures(self) -> tuple[type[Exception], ...]:
        return tuple(each for name, each in self.definitions.items() if name.startswith("Failed"))

    def __call__(self, args: Sequence[Any]) -> list[Any]:
        """The results, one for each scalar and array, of such arguments: arrays are C-contiguous and of the right types.

        Raises:
            ShapeError, IndexError, AssertionError, ZeroDivisionError: a test failed.
        """
        given = bound(self.source, args)
        try:
            found = self.compiled(*given)
        except Exception as error:
            self.failed(error)
        try:
            return _results(self.source.results, found)
        except ValueError as error:
            self.too_large(error)

    def failed(self, error: Exception) -> NoReturn:
        """Raises what the interpreter raises where the outer code has raised this."""
        if not isinstance(error, self._failures):
            raise error
        number, *values = error.args
        raise failures.failed(self.outer.sites[number], values) from None

    def too_large(self, _: Exception) -> NoReturn:
        """Of NumPy: an array without elements whose other dimensions are beyond all memory."""
        raise failures.failed(failures.too_large(self.source.span, self.source.name)) from None


def _passed(sized: SizedProgram, entry: tuple[str, Part], simplify: bool) -> Program:
    """A part of a function and what it calls, after all passes."""
    program = pipeline.linked(sized, entry)
    return in_stages(pipeline.hoisted(pipeline.simplified(program))) if simplify else program


def _writes(procedure: Procedure) -> list[int]:
    """The positions of the arguments that a procedure writes."""
    written = written_formals(procedure.ir)
    return [position for position, each in enumerate(procedure.ir.args) if each.name in written]


def _lengths(sized: SizedProgram) -> dict[Sym, Term]:
    """What the sizes of results, which values are given, are in terms of the other parameters."""
    found: dict[Sym, Term] = {}
    for each in sized.functions.values():
        dims = [dim for dims in each.done.dims for dim in dims]
        known = {param.name for param in each.value.params[len(dims) :]}
        for param, dim in zip(each.value.params, dims, strict=False):
            if dim.names() <= known:
                found[param.name] = dim
    return found


def bound(function: Function, args: Sequence[Any]) -> list[Any]:
    """The arguments of the outer code: the sizes first.

    Raises:
        ShapeError: an array has not the sizes that the parameters say.
    """
    sizes: dict[Sym, int] = {}
    origins: dict[Sym, str] = {}
    for param, arg in zip(function.params, args, strict=True):
        if param.type.dims:
            _bind_sizes(function, param, arg.shape, sizes, origins)
        elif param.type.scalar == I64:
            sizes[param.name] = arg
    for param, arg in zip(function.params, args, strict=True):
        if param.type.dims:
            _test_sizes(function, param, arg.shape, sizes, origins)
    arrays = [
        arg.view("uint8") if param.type.dims and param.type.scalar is BOOL else arg
        for param, arg in zip(function.params, args, strict=True)
    ]
    return [*(sizes[each] for each in function.sizes), *arrays]


def _bind_sizes(function: Function, param: Param, shape: Sequence[int], sizes: dict[Sym, int], origins: dict[Sym, str]) -> None:
    if max(shape) > SIZE_LIMIT:
        raise failures.failed(failures.too_large(param.span, function.name))
    for position, (dim, found) in enumerate(zip(param.type.dims, shape, strict=True)):
        if dim is not None and dim.name in function.sizes and dim.name not in sizes:
            assert dim.name is not None
            sizes[dim.name], origins[dim.name] = found, f"from {param.name.name}, dimension {position}"


def _test_sizes(
    function: Function, param: Param, shape: Sequence[int], sizes: Mapping[Sym, int], origins: Mapping[Sym, str]
) -> None:
    for position, (dim, found) in enumerate(zip(param.type.dims, shape, strict=True)):
        assert dim is not None
        name = dim.name
        expected = evaluate(dim, sizes) if name is None else sizes[name]
        if expected != found:
            origin = origins.get(dim.name) if dim.name is not None else None
            site = failures.argument(function.name, param.name.name, position, str(dim), origin, param.span)
            raise failures.failed(site, (found, expected))


def _results(types: Sequence[Type], found: Any) -> list[Any]:
    """The sizes of all arrays come first."""
    values = list(found) if isinstance(found, tuple) else [] if found is None else [found]
    count = sum(type_.rank for type_ in types)
    sizes, values = iter(values[:count]), values[count:]
    results = []
    for type_, value in zip(types, values, strict=True):
        if type_.dims:
            array = value.reshape([next(sizes) for _ in type_.dims])
            results.append(array.view("bool") if type_.scalar is BOOL else array)
        else:
            results.append(value)
    return results
