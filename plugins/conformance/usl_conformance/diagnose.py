"""What a failure likely means: hypotheses about the template's mistake, each tried against what it gave.

Only hints for the reader of a report; nothing is decided by them.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from usl_conformance.arena import Place
from usl_conformance.cases import Case
from usl_conformance.compare import Judge
from usl_conformance.data import Fill
from usl_conformance.execute import Mismatch, Operand, Run, elements
from usl_core.errors import UslError
from usl_core.interp import POISON, Buffer, Value, dense_strides, run
from usl_core.ir.nodes import Proc
from usl_core.ir.template import placeholders as placeholders_of
from usl_core.ir.template import stride_dim
from usl_core.ir.traverse import update
from usl_core.ir.types import ControlType, ScalarType


def likely(proc: Proc, result: Run, needs_circumstances: bool) -> str:
    """One sentence on what the mistake may be.

    needs_circumstances says that the same input passes when it is dense, aligned, not shared, and without special values.
    """
    return next(_hypotheses(proc, result, needs_circumstances), "the template computes something else than the body")


def _hypotheses(proc: Proc, result: Run, needs_circumstances: bool) -> Iterator[str]:
    """The most telling first."""
    if result.outside is not None:
        operand, places = result.outside
        yield _outside(operand, places)
    mismatch = result.mismatch
    if mismatch is None:
        return
    if mismatch.neighbour:
        yield (
            f"the template writes past its part of {mismatch.operand.name}, or the memory's `window` does not add the index: "
            "another buffer beside it changed"
        )
        return
    if needs_circumstances:
        yield from _circumstances(proc, result.case)
    yield from _operand_order(proc, result)
    if mismatch.written and _flushes(proc, result, mismatch):
        yield 'subnormal numbers are taken for zeros; keep them, or declare subnormals="flushed"'
    if not mismatch.written:
        yield (
            f"the template changes an element of {mismatch.operand.name} that the body leaves alone: a mask that is too wide, "
            "or a form that clears instead of keeping"
        )
    elif mismatch.got is not POISON and _equal(mismatch.got, _before(mismatch.operand, mismatch.index)):
        yield (f"the template does not write this element of {mismatch.operand.name}: too narrow a mask, or a forgotten lane")
    yield from _moved(mismatch.operand, mismatch.index, mismatch.got, result)
    yield from _arithmetic(mismatch.operand.scalar, mismatch.expected, mismatch.got, proc)


def _circumstances(proc: Proc, case: Case) -> Iterator[str]:
    """What is special about an input that fails, while a plainer one does not."""
    if case.sharing is not None:
        pair = f"{case.sharing.first.name} and {case.sharing.second.name}"
        if case.sharing.shift:
            yield (
                f"{pair} are declared aliasable, which admits partial overlap too; the template reads after it has written: "
                "drop `aliasable`, or load everything first"
            )
        yield f"{pair} are declared aliasable, but the template writes one before it has read the other"
    for name in sorted(case.wide):
        used = {stride_dim(part) for formal, part in placeholders_of(_template(proc)) if formal == name.name and part}
        unit = len(case.layout[name]) - 1
        what = f"assert stride({name.name}, {unit}) == 1" if unit not in used else f"use {{{name.name}.stride{unit}}} as it is"
        yield f"fails only where the elements of {name.name} are not dense: the template takes a stride for granted; {what}"
    if case.fill is Fill.GARBAGE:
        yield "the result depends on an element that the body does not read: undefined lanes must not be used"
    if case.fill is Fill.SPECIAL:
        yield 'special values differ from IEEE; mend the template or declare special="unspecified"'
    if case.offset:
        yield "fails only where the data is not aligned: the template takes an alignment for granted"


def _template(proc: Proc) -> str:
    assert proc.instr is not None
    return proc.instr.template


def _operand_order(proc: Proc, result: Run) -> Iterator[str]:
    """Whether the body with two operands exchanged gives what the template gave."""
    data = [operand for operand in result.operands if operand.shape == _shape(result)]
    for a, b in itertools.combinations(data, 2):
        if a.scalar == b.scalar and _matches_exchanged(proc, result, a, b):
            yield f"{a.name} and {b.name} are exchanged in the template"
            return


def _shape(result: Run) -> tuple[int, ...]:
    assert result.mismatch is not None
    return result.mismatch.operand.shape


def _matches_exchanged(proc: Proc, result: Run, a: Operand, b: Operand) -> bool:
    contents = {id(operand): operand.first for operand in result.operands}
    contents[id(a)], contents[id(b)] = b.first, a.first
    buffers = {id(o): _dense(o, contents[id(o)]) for o in result.operands}
    after = iter([buffers[id(o)] for o in result.operands])
    args = [result.case.controls[arg.name] if isinstance(arg.type, ControlType) else next(after) for arg in proc.args]
    try:
        run(proc, args, mode="machine", configs=result.configs)
    except UslError:
        return False
    assert result.mismatch is not None
    target = result.mismatch.operand
    wanted, got = buffers[id(target)].values(), elements(target.inner, target.scalar)
    kept = [_equal(x, y) for x, y in zip(wanted, got, strict=True) if x is not POISON]
    return all(kept) and len(kept) > 0


def _dense(operand: Operand, values: Sequence[Value]) -> Buffer:
    """The operand's strides over a list of its own (assertions may be about strides)."""
    old = operand.buffer
    data: list[Value] = [POISON] * len(old.data)
    for offset, value in zip(old.offsets(), values, strict=True):
        data[offset] = value
    return Buffer(old.scalar, old.shape, data, old.offset, old.strides)


def _number(operand: Operand, index: tuple[int, ...]) -> int:
    number = 0
    for at, extent in zip(index, operand.shape, strict=True):
        number = number * extent + at
    return number


def _before(operand: Operand, index: tuple[int, ...]) -> Value:
    return operand.first[_number(operand, index)]


def _moved(operand: Operand, index: tuple[int, ...], got: Value, result: Run) -> Iterator[str]:
    """Whether the value belongs one element before or after this one, or is that of an operand's transposed place."""
    if result.case.fill is not Fill.RANDOM and result.case.fill is not Fill.SMALL:
        return
    wanted = [operand.buffer.data[offset] for offset in operand.buffer.offsets()]
    have = elements(operand.inner, operand.scalar)
    if len(wanted) < 4 or len({repr(value) for value in wanted}) < 4:
        return
    for step in (1, -1):
        pairs = list(zip(wanted[step:], have, strict=False)) if step > 0 else list(zip(wanted, have[1:], strict=False))
        if sum(_equal(x, y) for x, y in pairs) >= len(pairs) - 1:
            yield f"the elements are right but {'one too early' if step > 0 else 'one too late'}: an offset is off by one"
    if len(operand.shape) == 2 and operand.shape[0] == operand.shape[1]:
        n = operand.shape[0]
        if all(_equal(wanted[n * j + i], have[n * i + j]) for i in range(n) for j in range(n)):
            yield f"rows and columns of {operand.name} are exchanged"


def _flushes(proc: Proc, result: Run, mismatch: Mismatch) -> bool:
    """Whether what the template gave would do if it were declared to flush subnormal numbers."""
    assert proc.instr is not None
    flushing = update(proc, instr=dataclasses.replace(proc.instr, subnormals="flushed"))
    position = next(at for at, operand in enumerate(result.operands) if operand is mismatch.operand)
    judge = Judge(flushing, result.case, result.operands, result.configs)
    return judge.accepts(position, _number(mismatch.operand, mismatch.index), mismatch.expected, mismatch.got, True)


def _arithmetic(scalar: ScalarType, expected: Any, got: Any, proc: Proc) -> Iterator[str]:
    if expected is POISON or got is POISON:
        return
    if scalar.is_int:
        lo, hi = scalar.int_range()
        if got in (lo, hi) and got != expected:
            yield "the template saturates where the body wraps around"
        for bits in (8, 16, 32):
            if bits < scalar.bits and (got - expected) % (1 << bits) == 0:
                yield f"the lower {bits} bits agree: a signed and an unsigned conversion, or two element sizes, are confused"
        if (got + expected) % (1 << scalar.bits) == 0:
            yield "the sign is wrong: operands of a subtraction are exchanged"
        return
    if math.isfinite(expected) and math.isfinite(got) and abs(got - expected) <= 1e-2 * abs(expected):
        assert proc.instr is not None
        declared = "none" if proc.instr.roundings is None else str(proc.instr.roundings)
        yield (
            f"the last digits differ: the template rounds at other places than the body (declared roundings: {declared}), or "
            "at another precision"
        )
    elif got == -expected:
        yield "the sign is wrong"


def _outside(operand: Operand, places: Sequence[int]) -> str:
    first = places[0]
    size = operand.array.itemsize
    if first < 0:
        return f"the template writes before the start of {operand.name}"
    span = sum((n - 1) * s for n, s in zip(operand.array.shape, operand.array.strides, strict=True)) + size
    if first >= span:
        return (
            f"the template writes past the end of {operand.name}: a mask or a loop that is too wide, a larger element size, "
            "or an assertion that is missing"
        )
    steps = [stride // size for stride in operand.array.strides]
    wide = [dim for dim, dense in enumerate(dense_strides(operand.array.shape)) if steps[dim] != dense]
    dim = wide[-1] if wide else 0
    unit = f", or assert stride({operand.name}, {dim}) == 1" if dim == len(steps) - 1 else ""
    return (
        f"the template writes between the elements of {operand.name}, which are not dense: use "
        f"{{{operand.name}.stride{dim}}}{unit}"
    )


def stopped(signal: str, case: Case, said: str) -> str:
    """What a signal in one case means."""
    match signal:
        case "SIGILL":
            return "the template uses a CPU feature that `features` does not name"
        case "SIGALRM" | "SIGPROF":
            return "the template does not end"
        case "SIGFPE":
            return "an integer division by zero, or of the least number by -1, in the template"
        case "SIGABRT":
            return f"the C library stopped the program{f': {said}' if said else ''}"
        case "SIGSEGV" | "SIGBUS" if case.place is Place.RIGHT:
            return "the template reads or writes past the end of an argument: mask the lanes that the body does not touch"
        case "SIGSEGV" | "SIGBUS" if case.place is Place.LEFT:
            return "the template reads or writes before the start of an argument"
        case "SIGSEGV" | "SIGBUS" if case.offset:
            return "the template needs data that is aligned; use the unaligned form"
        case "SIGSEGV" | "SIGBUS":
            return "the template uses an address that is not one: a wrong placeholder, stride or offset"
        case _:
            return ""


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return bool(a == b)


def show(value: Value) -> str:
    """A value in a report; floats also as the bits' hexadecimal form, which shows the last place."""
    if isinstance(value, float) and math.isfinite(value) and not value.is_integer():
        return f"{value!r} ({value.hex()})"
    return repr(value)
