"""One run of an instruction: its body in the interpreter and its template in C, on the same input, compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from usl_conformance import data
from usl_conformance.arena import Arena, Extent, Place
from usl_conformance.cases import Case
from usl_conformance.compare import Judge
from usl_conformance.configs import Field
from usl_conformance.controls import shape_of
from usl_conformance.data import Fill
from usl_conformance.driver import Driver
from usl_core.interp import POISON, Access, Buffer, Value, dense_strides, run
from usl_core.interp.arrays import dtype_of, numbers
from usl_core.ir.nodes import Arg, Proc
from usl_core.ir.sym import Sym
from usl_core.ir.types import B8, ControlType, ScalarType, TensorType, scalar_of

SLACK = 2
"""Elements that a sharing argument may reach beyond the storage of the one that it shares with."""


Touched = Mapping[int, set[int]]
"""Offsets by storage."""


@dataclass
class Operand:
    """A data argument: its array outside, and the same elements for the interpreter."""

    arg: Arg
    shape: tuple[int, ...]
    array: Any
    """What the compiled driver gets: all slots of a buffer in another memory."""
    inner: Any
    """The elements that the instruction may touch."""
    buffer: Buffer
    arena: Arena
    first: list[Value] = field(default_factory=list)
    """The elements before the run, in row-major order."""

    @property
    def scalar(self) -> ScalarType:
        """The type of one element."""
        return scalar_of(self.arg.type)

    @property
    def name(self) -> str:
        """As the instruction's text spells it."""
        return self.arg.name.name


@dataclass
class Mismatch:
    """The first element that differs: where, what the body gives (`written` or left alone), what the template gave."""

    operand: Operand
    index: tuple[int, ...]
    expected: Value
    got: Value
    written: bool
    neighbour: bool = False
    """It belongs to a buffer beside the argument, in the same memory."""


@dataclass
class Run:
    """What one run found: nothing, a first element that differs, or bytes outside that have changed."""

    case: Case
    operands: Sequence[Operand]
    mismatch: Mismatch | None = None
    configs: Mapping[Field, Any] = field(default_factory=dict)
    differing: int = 0
    outside: tuple[Operand, list[int]] | None = None
    accesses: int = 0
    """How many accesses the body made: a measure of the interpreter's work."""

    @property
    def passed(self) -> bool:
        """Whether neither an element nor a byte outside the arguments is wrong."""
        return self.mismatch is None and self.outside is None


def execute(proc: Proc, driver: Driver, function: Callable[..., Any], case: Case, seed: int) -> Run:
    """Runs both on one input."""
    source = np.random.default_rng(seed)
    operands = _operands(proc, driver, case, source)
    by_name = {operand.arg.name: operand for operand in operands}
    extra, configs = _configuration(driver, case, source)
    reads, writes, count = _interpret(proc, case, by_name, configs)
    if case.fill is Fill.GARBAGE:
        _spoil(operands, reads)
        _, writes, _ = _interpret(proc, case, by_name, configs)
    for operand in operands:
        operand.arena.snapshot()
    slots_before = {operand.arg.name: operand.array.copy() for operand in operands}
    actuals = _actuals(proc, driver, case, by_name)
    function(*actuals, *extra, *(case.layout[name][dim] for name, dim in driver.strides))
    result = _judge(proc, driver, case, operands, writes, slots_before, configs)
    result.accesses = count
    return result


def _actuals(proc: Proc, driver: Driver, case: Case, by_name: Mapping[Sym, Operand]) -> list[Any]:
    values: list[Any] = []
    for arg in (*proc.args, *driver.setup.free):
        if isinstance(arg.type, ControlType):
            if driver.fixed is None:
                values.append(case.controls[arg.name])
        elif not (case.sharing is not None and arg.name is case.sharing.second and driver.slots[arg.name]):
            values.append(by_name[arg.name].array)
    return values


# ---- input


def _configuration(driver: Driver, case: Case, source: np.random.Generator) -> tuple[list[Any], Mapping[Field, Any]]:
    """What the driver gets in addition for fields of data, and the values of all fields for the interpreter."""
    setup = driver.setup
    extra = {
        arg.name: data.register(
            scalar_of(arg.type), case.fill, source, negative=f"{config.name}.{field}" not in setup.nonnegative
        )
        for (config, field), arg in setup.data.items()
    }
    strides = {(name, dim): stride for name, each in case.layout.items() for dim, stride in enumerate(each)}
    numbers = {name: value.item() for name, value in extra.items()}
    return list(extra.values()), setup.state(case.controls, strides, numbers)


def _operands(proc: Proc, driver: Driver, case: Case, source: np.random.Generator) -> list[Operand]:
    made: dict[Sym, Operand] = {}
    for arg in proc.args:
        if isinstance(arg.type, ControlType):
            continue
        sharing = case.sharing
        if sharing is not None and arg.name is sharing.second:
            made[arg.name] = _sharing(arg, made[sharing.first], sharing.shift, driver)
        else:
            made[arg.name] = _operand(arg, driver, case, salt=len(made))
    for operand in made.values():
        for array in {id(operand.array): operand.array}.values():
            count = int(array.size)
            array[...] = data.values(operand.scalar, count, case.fill, source).reshape(array.shape)
    for operand in made.values():
        operand.first = elements(operand.inner, operand.scalar)
    _fill_buffers(list(made.values()))
    return list(made.values())


def _operand(arg: Arg, driver: Driver, case: Case, salt: int) -> Operand:
    scalar = scalar_of(arg.type)
    dtype = dtype_of(scalar)
    shape = shape_of(arg.type, case.controls) if isinstance(arg.type, TensorType) else ()
    slots = driver.slots[arg.name]
    outer = (slots, *shape) if slots > 1 else shape
    strides = dense_strides(outer) if slots or not shape else case.layout[arg.name]
    extent = Extent(outer, strides, dtype.itemsize)
    arena = Arena(extent.size + SLACK * dtype.itemsize, dtype.itemsize)
    arena.fill(salt)
    place = Place.ZONE if slots else case.place
    start = arena.start(extent.size, place, 0 if slots else case.offset * dtype.itemsize)
    array = arena.view(dtype, outer, strides, start)
    inner = array[1] if slots > 1 else array
    buffer = Buffer(scalar, shape, [], 0, dense_strides(shape) if slots else strides)
    return Operand(arg, shape, array, inner, buffer, arena)


def _sharing(arg: Arg, first: Operand, shift: int, driver: Driver) -> Operand:
    """An argument in the storage of another one; for the interpreter they share a list of elements."""
    if driver.slots[arg.name]:
        return Operand(arg, first.shape, first.array, first.inner, first.buffer, first.arena)
    base = first.array.__array_interface__["data"][0] - first.arena.view(np.uint8, (1,), (1,), 0).__array_interface__["data"][0]
    steps = [stride // first.array.itemsize for stride in first.array.strides]
    array = first.arena.view(first.array.dtype, first.array.shape, steps, base + shift * first.array.itemsize)
    buffer = Buffer(first.scalar, first.shape, first.buffer.data, shift, first.buffer.strides)
    return Operand(arg, first.shape, array, array, buffer, first.arena)


def _fill_buffers(operands: Sequence[Operand]) -> None:
    """The elements as the interpreter's values. Storage that is shared is one list; what lies between elements is poison."""
    for operand in operands:
        sharers = [other for other in operands if other.buffer.data is operand.buffer.data]
        if operand is not sharers[0]:
            continue
        low = min(other.buffer.offset for other in sharers)
        for other in {id(each.buffer): each for each in sharers}.values():
            other.buffer.offset -= low
        top = max(max(other.buffer.offsets()) for other in sharers) + 1
        operand.buffer.data[:] = [POISON] * top
        for other in sharers:
            other.buffer.fill(elements(other.inner, other.scalar))


def elements(array: Any, scalar: ScalarType) -> list[Value]:
    """The elements in row-major order as the interpreter has them."""
    values: list[Value] = numbers(array, scalar).ravel().tolist()
    return values


def _spoil(operands: Sequence[Operand], reads: Touched) -> None:
    """Garbage in every element that the body does not read; buffers begin anew from the arrays."""
    for operand in operands:
        read = reads.get(id(operand.buffer.data), set())
        mask = np.array([offset not in read for offset in operand.buffer.offsets()]).reshape(operand.inner.shape)
        operand.inner[mask] = data.garbage(operand.scalar)
    for operand in operands:
        operand.first = elements(operand.inner, operand.scalar)
        operand.buffer.fill(operand.first)


def _interpret(
    proc: Proc, case: Case, by_name: Mapping[Sym, Operand], configs: Mapping[Field, Any]
) -> tuple[Mapping[int, set[int]], Mapping[int, set[int]], int]:
    """Runs the body on the buffers; by storage the offsets that it read, and those that it wrote; how many accesses it made."""
    reads: dict[int, set[int]] = {}
    writes: dict[int, set[int]] = {}
    count = 0

    def trace(access: Access) -> None:
        nonlocal count
        count += 1
        if access.kind != "write":
            reads.setdefault(access.storage, set()).add(access.offset)
        if access.kind != "read":
            writes.setdefault(access.storage, set()).add(access.offset)

    args = [case.controls[a.name] if isinstance(a.type, ControlType) else by_name[a.name].buffer for a in proc.args]
    run(proc, args, mode="machine", trace=trace, configs=configs)
    return reads, writes, count


# ---- output


def _judge(
    proc: Proc,
    driver: Driver,
    case: Case,
    operands: Sequence[Operand],
    writes: Touched,
    before: Mapping[Sym, Any],
    configs: Mapping[Field, Any],
) -> Run:
    result = Run(case, operands, configs=configs)
    judge = Judge(proc, case, operands, configs)
    for position, operand in enumerate(operands):
        if _is_scratch(operand):
            continue
        written = writes.get(id(operand.buffer.data), set())
        for mismatch in _differing(position, operand, written, judge):
            result.differing += 1
            if result.mismatch is None:
                result.mismatch = mismatch
    for operand in operands:
        if driver.slots[operand.arg.name] > 1 and result.mismatch is None and not _is_scratch(operand):
            result.mismatch = _neighbours(operand, before[operand.arg.name])
    for operand in operands:
        views = [other.array for other in operands if other.arena is operand.arena]
        if outside := operand.arena.changed_outside(views):
            result.outside = result.outside or (operand, outside)
    return result


def _is_scratch(operand: Operand) -> bool:
    """Whether the memory says that nobody can rely on what an instruction leaves there."""
    return bool(getattr(operand.arg.mem, "scratch", False))


def _differing(position: int, operand: Operand, written: set[int], judge: Judge) -> Any:
    got = elements(operand.inner, operand.scalar)
    for number, (offset, value) in enumerate(zip(operand.buffer.offsets(), got, strict=True)):
        expected = operand.buffer.data[offset]
        is_written = offset in written
        if not judge.accepts(position, number, expected, value, is_written):
            yield Mismatch(operand, unravel(number, operand.shape), expected, value, is_written)


def unravel(number: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The index of an element by its number in row-major order."""
    index = []
    for extent in reversed(shape):
        number, rest = divmod(number, extent)
        index.append(rest)
    return tuple(reversed(index))


def _neighbours(operand: Operand, before: Any) -> Mismatch | None:
    """The first element that has changed in the buffers beside the argument in its memory."""
    both = [before, operand.array]
    if operand.scalar == B8:  # other bytes may be the same truth values
        both = [numbers(array, B8) for array in both]
    raw_before, raw_after = (np.ascontiguousarray(array).view(np.uint8) for array in both)
    changed = (raw_before != raw_after).reshape(*operand.array.shape, -1).any(axis=-1)
    changed[1] = False
    if not changed.any():
        return None
    place = tuple(int(i) for i in np.argwhere(changed)[0])
    old, new = (elements(array[place], operand.scalar)[0] for array in (before, operand.array))
    return Mismatch(operand, place, old, new, written=False, neighbour=True)
