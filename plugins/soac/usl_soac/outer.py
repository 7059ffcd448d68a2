"""Outer code: a core program as the text of a functional program on flat arrays, with the sizes as i64s.

    made = outer(program)
    usl_perceus.program(made.text, made.names)

An array argument is its elements, row by row, and one i64 for each dimension; so is an array result. Failures are exceptions
with the number of their site and the values of the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from usl_soac.core import Function, Program, Site, Type
from usl_soac.kernel_uses import Uses, uses_in
from usl_soac.outer_body import function_name, passed, received, write_body, write_now
from usl_soac.outer_frame import Frame, Module, type_of_array
from usl_soac.scalars import SCALARS


@dataclass(frozen=True, slots=True)
class Outer:
    """The text of a functional program, what it uses by name, and the sites that its failures name by number."""

    text: str
    names: Mapping[str, object]
    sites: Sequence[Site]
    kernels: Mapping[str, object]
    not_kernels: Mapping[str, Sequence[str]]
    """For each function why statements are no kernels."""


def outer(program: Program, *, kernels: bool = True) -> Outer:
    """The outer code of a program, whose sizes are worked out; with kernels=False there are none, only loops of outer code."""
    module = Module()
    uses = Uses()
    for each in program.functions:
        uses.add(uses_in(each.body))
    texts = [_function(each, program, uses if kernels else None, module) for each in program.functions]
    failures = [_exception(count) for count in sorted(module.failures)]
    return Outer("\n".join([*failures, *texts]), module.names, module.sites, module.kernels, module.not_kernels)


def _exception(count: int) -> str:
    fields = ["site", *(f"value_{i}" for i in range(count))]
    return "\n".join(["@exception", f"class Failed{count}:", *(f"    {each}: i64" for each in fields), ""])


def _function(function: Function, program: Program, uses: Uses | None, module: Module) -> str:
    frame = Frame(module)
    frame.program, frame.uses, frame.name, frame.write_deferred = program, uses, function.name, write_now
    heads = list[str]()
    for param in function.params:
        value, names = received(param.type, param.name.name, frame)
        frame.bind(param, value)
        heads += [f"{name}: {kind}" for name, kind in zip(names, _kinds(param.type), strict=True)]
    for size in function.sizes:
        frame.values.setdefault(size, _size(size, function, frame))
        frame.types[size] = Type(SCALARS["i64"])
    for param in function.params:
        frame.values[param.name] = frame.current(frame.value(param.name))
    values = write_body(function.body, frame)
    results = [text for value in values for text in passed(value, frame)]
    joined = ", ".join(results)
    frame.line(f"return ({joined})" if len(results) > 1 else f"return {joined}".rstrip())
    kinds = [kind for result in function.results for kind in _kinds(result)]
    returned = f"tuple[{', '.join(kinds)}]" if len(kinds) > 1 else kinds[0] if kinds else "None"
    head = f"@fun\ndef {function_name(function.name, function.part)}({', '.join(heads)}) -> {returned}:"
    return "\n".join([head, *frame.lines, ""])


def _size(size: object, function: Function, frame: Frame) -> str:
    """The dimension that binds a size."""
    for param in function.params:
        for position, dim in enumerate(param.type.dims):
            if dim is not None and dim.name == size:
                return frame.view(param.name).dims[position]
    raise AssertionError(f"nothing binds {size}")


def _kinds(type_: Type) -> list[str]:
    if not type_.dims:
        return [type_.scalar.name]
    return [type_of_array(type_.scalar), *["i64"] * type_.rank]
