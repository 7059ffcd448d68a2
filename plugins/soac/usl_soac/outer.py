"""Outer code: a core program as the text of a functional program on flat arrays, with the sizes as i64s.

    made = outer(program, ("f", Part.EXT))
    usl_perceus.program(made.text, made.names)

An array is its elements, row by row; whoever gets one knows its sizes, which are arguments and results of their own. Failures
are exceptions with the number of their site and the values of the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from usl_core.ir.sym import Sym
from usl_soac.allocations import Allocation
from usl_soac.core import Function, Part, Program, Site, Type
from usl_soac.kernel_uses import Uses, uses_in
from usl_soac.outer_body import function_name, passed, received, write_body, write_now
from usl_soac.outer_frame import Frame, Module, Value, type_of_array
from usl_soac.regions import Kernel
from usl_soac.sizes import Term
from usl_soac.views import View


@dataclass(frozen=True, slots=True)
class Outer:
    """The text of a functional program, what it uses by name, and the sites that its failures name by number."""

    text: str
    names: Mapping[str, object]
    sites: Sequence[Site]
    kernels: Mapping[str, Kernel]
    not_kernels: Mapping[str, Sequence[str]]
    """For each function why statements are no kernels."""
    allocations: Sequence[Allocation]


def outer(
    program: Program,
    entry: tuple[str, Part],
    terms: Mapping[Sym, Term] | None = None,
    *,
    kernels: bool = True,
    checked: bool = True,
    debug: bool = False,
) -> Outer:
    """The outer code of a function and all that it calls; with kernels=False there are no kernels, only loops of outer code.

    terms: the sizes that parameters are known to be. checked=False leaves tests out, debug=True adds
    those of the compiler's sizes.
    """
    module = Module(checked, debug)
    uses = Uses()
    for each in program.functions:
        uses.add(uses_in(each.body))
    texts: dict[tuple[str, Part], str] = {}
    module.calls.append(entry)
    while module.calls:
        name, part = module.calls.pop()
        if (name, part) not in texts:
            texts[name, part] = ""
            function = program.function(name, part)
            is_entry = (name, part) == entry
            texts[name, part] = _function(function, program, uses if kernels else None, terms or {}, module, is_entry=is_entry)
    failures = [_exception(count) for count in sorted(module.failures)]
    text = "\n".join([*failures, *texts.values()])
    return Outer(text, module.names, module.sites, module.kernels, module.not_kernels, module.allocations)


def _exception(count: int) -> str:
    fields = ["site", *(f"value_{i}" for i in range(count))]
    return "\n".join(["@exception", f"class Failed{count}:", *(f"    {each}: i64" for each in fields), ""])


def _function(
    function: Function, program: Program, uses: Uses | None, terms: Mapping[Sym, Term], module: Module, *, is_entry: bool
) -> str:
    frame = Frame(module)
    frame.program, frame.uses, frame.name, frame.write_deferred = program, uses, function.name, write_now
    frame.terms.update(terms)
    frame.lengths = frozenset(function.sizes)
    if is_entry and "no_alloc" not in function.promises:
        frame.lent = frozenset(param.name for param in function.params)
    names = [frame.fresh(param.name.name) for param in function.params]
    received(function.params, names, frame)
    heads = [f"{name}: {_kind(param.type)}" for name, param in zip(names, function.params, strict=True)]
    values = write_body(function.body, frame)
    if module.debug:
        _expect_sizes(function, values, frame)
    results = ", ".join(passed(value, frame) for value in values)
    kinds = ", ".join(map(_kind, function.results))
    several = len(function.results) > 1
    frame.line(f"return ({results})" if several else f"return {results}".rstrip())
    head = f"def {function_name(function.name, function.part)}({', '.join(heads)})"
    return "\n".join(["@fun", f"{head} -> {f'tuple[{kinds}]' if several else kinds or 'None'}:", *frame.lines, ""])


def _expect_sizes(function: Function, values: Sequence[Value], frame: Frame) -> None:
    """The results have the sizes that are returned with them, or that the caller gave."""
    returned = dict(zip(function.exists, values, strict=False))
    for value, typ in zip(values, function.results, strict=True):
        if isinstance(value, View):
            names = [returned.get(dim.name) if dim and dim.name else None for dim in typ.dims]
            sizes = [str(a) if a is not None else frame.term(dim) for a, dim in zip(names, typ.dims, strict=True) if dim]
            frame.expects("its result", value.dims, sizes)


def _kind(type_: Type) -> str:
    return type_of_array(type_.scalar) if type_.dims else type_.scalar.name
