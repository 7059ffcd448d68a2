"""Compiled programs: NumPy arrays in and out, failures as the exceptions of the interpreter."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from usl_core.ir.sym import Sym
from usl_perceus import program as functional_program
from usl_soac import failures
from usl_soac.core import Function, Param, Part, Program, Type
from usl_soac.errors import SoacError
from usl_soac.outer import Outer, outer
from usl_soac.outer_body import function_name
from usl_soac.scalars import BOOL
from usl_soac.sizes import evaluate

if TYPE_CHECKING:
    import numpy as np


class Compiled:
    """One function of a program, compiled when it is first called."""

    def __init__(self, program: Program, name: str, part: Part = Part.WHOLE, *, kernels: bool = True) -> None:
        self.function = program.function(name, part)
        self.outer: Outer = outer(program, kernels=kernels)

    @functools.cached_property
    def definitions(self) -> dict[str, Any]:
        """What the outer code defines."""
        return functional_program(self.outer.text, self.outer.names, file=f"<outer code of {self.function.name}>")

    @functools.cached_property
    def compiled(self) -> Any:
        """The function of the outer code."""
        return self.definitions[function_name(self.function.name, self.function.part)]

    @functools.cached_property
    def _failures(self) -> tuple[type[Exception], ...]:
        return tuple(each for name, each in self.definitions.items() if name.startswith("Failed"))

    def __call__(self, *args: Any) -> Any:
        """The results: scalars, arrays, a tuple of several.

        Raises:
            SoacError: an argument has the wrong type. ShapeError, IndexError, AssertionError, ZeroDivisionError: a test failed.
        """
        given = bound(self.function, args)
        try:
            found = self.compiled(*given)
        except self._failures as error:
            number, *values = error.args
            raise failures.failed(self.outer.sites[number], values) from None
        return _results(self.function.results, found)


def bound(function: Function, args: Sequence[Any]) -> list[Any]:
    """The arguments of the outer code: of arrays the elements and the dimensions.

    Raises:
        SoacError: wrong types. ShapeError: sizes that are not what the parameters say.
    """
    if len(args) != len(function.params):
        raise SoacError(f"{function.name} takes {len(function.params)} arguments, not {len(args)}", code="E761")
    sizes: dict[Sym, int] = {}
    origins: dict[Sym, str] = {}
    given: list[Any] = []
    for param, arg in zip(function.params, args, strict=True):
        if param.type.dims:
            array = _array(function, param, arg)
            _bind_sizes(function, param, array.shape, sizes, origins)
            given += [array.view("uint8") if param.type.scalar is BOOL else array, *array.shape]
        else:
            value = _scalar(function, param, arg)
            if isinstance(value, int) and not isinstance(value, bool):
                sizes[param.name], origins[param.name] = value, f"the argument {param.name.name}"
            given.append(value)
    return given


def _array(function: Function, param: Param, arg: Any) -> np.ndarray[Any, Any]:
    import numpy as np

    try:
        array = np.asarray(arg)
    except ValueError:
        raise _refused(function, param, "an irregular list") from None
    kind = _dtype(param.type)
    if array.ndim != param.type.rank:
        raise _refused(function, param, f"an array of {array.ndim} dimensions")
    if array.dtype != kind:
        exact = array.size == 0 or isinstance(arg, list | tuple)
        if not (exact and np.can_cast(array.dtype, kind, "same_kind")):
            raise _refused(function, param, f"elements of type {array.dtype}")
    return np.ascontiguousarray(array, kind)


def _scalar(function: Function, param: Param, arg: Any) -> Any:
    import numpy as np

    kind = param.type.scalar
    if isinstance(arg, np.generic):
        arg = arg.item()
    if isinstance(arg, bool) != (kind is BOOL) or not isinstance(arg, int | float) or (isinstance(arg, float) and kind.is_int):
        raise _refused(function, param, f"{arg!r}")
    if kind.is_int and kind is not BOOL and not kind.int_range()[0] <= arg <= kind.int_range()[1]:
        raise _refused(function, param, f"{arg!r}")
    return float(arg) if kind.is_real else arg


def _refused(function: Function, param: Param, found: str) -> SoacError:
    text = f"{param.type.scalar}" + (f" array of {param.type.rank} dimensions" if param.type.dims else "")
    return SoacError(f"{function.name}: {param.name.name} is {found}, not {text}", span=param.span, code="E761")


def _bind_sizes(function: Function, param: Param, shape: Sequence[int], sizes: dict[Sym, int], origins: dict[Sym, str]) -> None:
    for position, (dim, found) in enumerate(zip(param.type.dims, shape, strict=True)):
        if dim is None:
            continue
        if dim.name is not None and dim.name not in sizes:
            sizes[dim.name], origins[dim.name] = found, f"from {param.name.name}, dimension {position}"
            continue
        expected = evaluate(dim, sizes)
        if expected != found:
            origin = origins.get(dim.name) if dim.name is not None else None
            site = failures.argument(function.name, param.name.name, position, str(dim), origin, param.span)
            raise failures.failed(site, (found, expected))


def _dtype(type_: Type) -> np.dtype[Any]:
    import numpy as np

    name = type_.scalar.name
    return np.dtype("bool" if type_.scalar is BOOL else {"i": "int", "u": "uint", "f": "float"}[name[0]] + name[1:])


def _results(types: Sequence[Type], found: Any) -> Any:
    values = iter(found if isinstance(found, tuple) else [] if found is None else [found])
    results = []
    for type_ in types:
        value = next(values)
        if type_.dims:
            value = value.reshape([next(values) for _ in type_.dims])
            value = value.view("bool") if type_.scalar is BOOL else value
        results.append(value)
    return tuple(results) if len(results) != 1 else results[0]
