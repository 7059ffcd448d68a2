"""A call of a `@proc`, after tests of all that it assumes: sizes, lengths of arrays, its assertions.

A call that breaks one of them raises ValueError. Where a size is 0, what `empty_arrays.py` knows of the kernel is done instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from usl_core import Procedure
from usl_core.errors import Span
from usl_core.ir.nodes import Proc
from usl_perceus import ir
from usl_perceus.front.block import Block
from usl_perceus.front.builtins import VALUE
from usl_perceus.front.empty_arrays import Remainder, remainders, remainders_of_nothing
from usl_perceus.front.instances import Instances
from usl_perceus.front.kernel_tests import KernelArguments, Part, Tests, length_of, number
from usl_perceus.front.kernels import kernel_signature
from usl_perceus.front.limits import ENDED, asking
from usl_perceus.front.raising import raising


def part_of(array: ir.Atom, first: ir.Atom, last: ir.Atom, block: Block, span: Span) -> Part:
    """The part `array[first:last]`: as in Python negative positions count from the end, and those outside are the ends."""
    zero = number(0)

    def prim(op: str, args: tuple[ir.Atom, ...], type_: ir.Type = ir.I64) -> ir.Atom:
        return block.atom(ir.Prim(op, args, type_, span=span), type_, "place", span)

    def chosen(test: ir.Atom, then: ir.Expr, orelse: ir.Expr) -> ir.Atom:
        return block.atom(ir.If(test, then, orelse, span=span), ir.I64, "place", span)

    length = prim("array_len", (array,))

    def inside(place: ir.Atom) -> ir.Atom:
        if isinstance(place, ir.Lit) and place.value == 0:
            return place
        counted = ir.Prim("add", (place, length), ir.I64, span=span)
        place = chosen(prim("lt", (place, zero), ir.BOOL), counted, ir.Ret(place, span=span))
        place = chosen(prim("lt", (place, zero), ir.BOOL), ir.Ret(zero, span=span), ir.Ret(place, span=span))
        return chosen(prim("lt", (length, place), ir.BOOL), ir.Ret(length, span=span), ir.Ret(place, span=span))

    start, end = inside(first), inside(last)
    rest = ir.Prim("sub", (end, start), ir.I64, span=span)
    return start, chosen(prim("lt", (start, end), ir.BOOL), rest, ir.Ret(zero, span=span))


def kernel_call(
    instances: Instances, kernel: Procedure, given: KernelArguments, type_: ir.Type, span: Span, sizes_from: int = 0
) -> ir.Expr:
    """The call in the innermost of the branches where all tests hold. Sizes before position sizes_from are known not to be 0.

    Raises:
        PerceusError: an assertion of the kernel cannot be tested here.
    """
    name = instances.kernel(kernel, tuple(given.parts))
    places = tuple(atom for part in given.parts.values() for atom in part)
    call = _checked(instances, ir.KernelCall(name, (*given.atoms, *places), type_, span=span), kernel.ir.name)
    found = remainders(kernel) if sizes_from < len(given.atoms) else ()
    whole = _tested(instances, kernel.ir, kernel.ir.name, given, call, type_, span, found)
    for remainder in reversed(found):
        if remainder.size >= sizes_from:
            without = _of_remainder(instances, kernel, remainder, given, type_, span)
            without = _if_empty(instances, kernel.ir, kernel.ir.name, remainder, given, without, type_, span)
            whole = _if_zero(given.atoms[remainder.size], without, whole, span)
    return whole


def _of_remainder(
    instances: Instances, kernel: Procedure, remainder: Remainder, given: KernelArguments, type_: ir.Type, span: Span
) -> ir.Expr:
    """What is left of a kernel where one size is 0; what it does not write comes back as it is."""
    rest = given.kept(remainder.kept)
    later = sum(1 for i in remainder.kept if i < remainder.size)
    results = {i: given.atoms[i] for i in kernel_signature(kernel, span).written}
    if remainder.kernel is None:

        def as_it_is() -> ir.Expr:
            return _collected(instances, results, type_, span)

        return _nothing(instances, remainder.rest, kernel.ir.name, rest, as_it_is, type_, span, later)
    block = Block()
    own = kernel_signature(remainder.kernel, span)
    inner_type = instances.type(own.result, {})
    call = kernel_call(instances, remainder.kernel, rest, inner_type, span, later)
    made = block.variable(block.atom(call, inner_type, "result", span), span)
    values: tuple[ir.Atom, ...] = (made,)
    if len(own.written) > 1:
        con = instances.tuple_con(inner_type)
        opened = tuple(ir.Var(f"result{i}", field) for i, (_, field) in enumerate(con.fields))
        block.open(made, con, opened, span)
        values = opened
    results.update({remainder.kept[i]: value for i, value in zip(own.written, values, strict=True)})
    return block.wrap(_collected(instances, results, type_, span))


def _nothing(
    instances: Instances,
    rest: Proc,
    name: str,
    given: KernelArguments,
    result: Callable[[], ir.Expr],
    type_: ir.Type,
    span: Span,
    sizes_from: int,
) -> ir.Expr:
    """The result, where all arrays have the lengths that the interface says; of its sizes, too, some may be 0."""
    found = remainders_of_nothing(rest)
    whole = _tested(instances, rest, name, given, result(), type_, span, found)
    for remainder in reversed(found):
        if remainder.size >= sizes_from:
            later = sum(1 for i in remainder.kept if i < remainder.size)
            inner = _nothing(instances, remainder.rest, name, given.kept(remainder.kept), result, type_, span, later)
            inner = _if_empty(instances, rest, name, remainder, given, inner, type_, span)
            whole = _if_zero(given.atoms[remainder.size], inner, whole, span)
    return whole


def _if_zero(size: ir.Atom, then: ir.Expr, orelse: ir.Expr, span: Span) -> ir.Expr:
    block = Block()
    is_zero = block.atom(ir.Prim("eq", (size, number(0)), ir.BOOL, span=span), ir.BOOL, "empty", span)
    return block.wrap(ir.If(is_zero, then, orelse, span=span))


def _if_empty(
    instances: Instances,
    proc: Proc,
    name: str,
    remainder: Remainder,
    given: KernelArguments,
    call: ir.Expr,
    type_: ir.Type,
    span: Span,
) -> ir.Expr:
    """call where the arrays that have no elements if that size is 0 have none, else ValueError."""
    size = proc.args[remainder.size].name.name
    for i in reversed(remainder.empty):
        steps = Block()
        length = length_of(given, i, steps, span)
        none = steps.atom(ir.Prim("eq", (length, number(0)), ir.BOOL, span=span), ir.BOOL, "none", span)
        why = f"{name}: the length of {proc.args[i].name.name} is not 0, although {size} is"
        call = steps.wrap(ir.If(none, call, raising(instances, VALUE, type_, span, why), span=span))
    return call


def _collected(instances: Instances, results: Mapping[int, ir.Atom], type_: ir.Type, span: Span) -> ir.Expr:
    if len(results) == 1:
        (only,) = results.values()
        return ir.Ret(only, span=span)
    return ir.MakeCon(instances.tuple_con(type_), tuple(results.values()), span=span)


def _tested(
    instances: Instances,
    proc: Proc,
    name: str,
    given: KernelArguments,
    call: ir.Expr,
    type_: ir.Type,
    span: Span,
    found: Sequence[Remainder],
) -> ir.Expr:
    """call where all that proc assumes of its arguments holds, else ValueError."""
    tests = Tests(proc, given, span, [each.size for each in found]).all()
    for steps, test, why in reversed(tests):
        call = steps.wrap(ir.If(test, call, raising(instances, VALUE, type_, span, f"{name}: {why}"), span=span))
    return call


def _checked(instances: Instances, call: ir.KernelCall, name: str) -> ir.Expr:
    """The call; it raises what the procedure itself says when it fails: a `check`, a buffer without memory. A call that can be
    ended is when it is over."""
    fails = instances.kernels[call.kernel].fails
    if not fails and not instances.limited:
        return call
    block, span = Block(), call.span
    result = block.atom(call, call.type, "result", span)
    end: ir.Expr = ir.Ret(result, span=span)
    if instances.limited:
        end = asking(end, call.type, instances.exception(ENDED), span)
    if fails:
        failed = block.atom(ir.Prim("kernel_failed", (result,), ir.BOOL, span=span), ir.BOOL, "failed", span)
        raises = ir.Raise(ir.Nullary(instances.exception(VALUE)), call.type, name, span=span)
        end = ir.If(failed, raises, end, span=span)
    return block.wrap(end)
