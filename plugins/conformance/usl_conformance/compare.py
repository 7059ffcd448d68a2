"""Whether an element that the template gave is one that the body admits."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from usl_conformance.bounds import Sized, bound, coarsest_format, least_normal, overflows, run_sized, sized_data
from usl_core.interp import POISON, Buffer, Value, format_of, run
from usl_core.ir.nodes import InstrTemplate, Proc
from usl_core.ir.types import ControlType, FloatFormat, ScalarType

if TYPE_CHECKING:
    from usl_conformance.cases import Case
    from usl_conformance.configs import Field
    from usl_conformance.execute import Operand


class Judge:
    """Compares the elements of one run. Exact arithmetic is done only when a float differs from the body's.

    A procedure that is no instruction is as one that declares nothing: its floats are equal bit for bit.

    - What the body leaves alone keeps its bits; where it is undefined, anything goes.
    - Integers and, without `roundings`, floats are equal bit for bit (NaN to any NaN).
    - With `roundings` a float may also lie within the bound of `bounds` around the exact result.
    - With `special="unspecified"` results that are no finite number, and the sign of zero, are not compared.
    - With `subnormals="flushed"` it is enough that all of this holds with zeros of their sign in place of subnormal operands,
      that a subnormal result is such a zero, or, with `roundings`, that each rounding is off by a subnormal number more.
    """

    def __init__(self, proc: Proc, case: Case, operands: Sequence[Operand], configs: Mapping[Field, Any]) -> None:
        instr = proc.instr or InstrTemplate("")
        self.proc = proc
        self.case = case
        self.operands = operands
        self.configs = configs
        self.roundings = instr.roundings
        self.unspecified = instr.special != "ieee"
        self.flushes = instr.subnormals == "flushed"
        self._exact: dict[bool, list[list[Any]]] = {}
        self._expected: list[list[Any]] | None = None

    def accepts(self, position: int, number: int, expected: Value, got: Value, written: bool) -> bool:
        """Whether an element of an operand is right: close enough where the body writes, else the bits from before the run."""
        if written and expected is POISON:
            return True
        operand = self.operands[position]
        if not written:
            return _same_bits(operand.first[number], got)
        if self._agrees(position, number, expected, got, flush=False):
            return True
        if not self.flushes:
            return False
        if self._expected is None:
            self._expected = self._run_flushed()
        flushed = self._expected[position][number]
        return flushed is POISON or self._agrees(position, number, flushed, got, flush=True)

    def _agrees(self, position: int, number: int, expected: Any, got: Any, flush: bool) -> bool:
        """Whether got may stand for what the body gives, on operands whose subnormal numbers were flushed or not."""
        if self.operands[position].scalar.is_int:
            return bool(expected == got)
        return _same_bits(expected, got) or self._float(position, number, expected, got, flush)

    def _float(self, position: int, number: int, expected: Any, got: Any, flush: bool) -> bool:
        """For floats with different bits."""
        form = format_of(self.operands[position].scalar)
        if self.flushes and _same_bits(flushed(expected, form), got):
            return True
        if self.unspecified and (not math.isfinite(expected) or expected == got):
            return True
        if self.roundings is None:
            return False
        reals = [value for value in self.configs.values() if isinstance(value, float)]
        if not _finite(reals) or not all(_finite(operand.first) for operand in self.operands if not operand.scalar.is_int):
            return _same_class(expected, got)
        exact = self._exactly(position, number, flush)
        if exact is None:
            return False
        if overflows(exact, form) or overflows(exact, coarsest_format(self.proc)):
            return not math.isnan(got) or self.unspecified
        if not math.isfinite(got):
            return False
        return abs(Fraction(got) - Fraction(exact.value)) <= self.tolerance(exact)

    def tolerance(self, exact: Sized) -> Fraction:
        """How far a result may be from the exact one, for the instruction's roundings in its coarsest format."""
        return bound(exact, self.roundings or 0, coarsest_format(self.proc), self.flushes)

    def _exactly(self, position: int, number: int, flush: bool) -> Sized | None:
        """The element in exact arithmetic; None if it is not known."""
        if flush not in self._exact:
            self._exact[flush] = self._run_exactly(flush)
        value = self._exact[flush][position][number] if self._exact[flush] else None
        return value if isinstance(value, Sized) else None

    def _run_exactly(self, flush: bool) -> list[list[Any]]:
        buffers = self._buffers(flush, sized_data)
        try:
            configs = {key: Sized.of(v) if isinstance(v, float) else v for key, v in self.configs.items()}
            run_sized(self.proc, self._args(buffers), configs)
        except NotImplementedError:
            return []
        return [buffer.values() for buffer in buffers]

    def _run_flushed(self) -> list[list[Any]]:
        """The elements that the body gives in machine arithmetic when subnormal operands are zeros."""
        buffers = self._buffers(True, lambda _, values: values)
        run(self.proc, self._args(buffers), mode="machine", configs=self.configs)
        return [buffer.values() for buffer in buffers]

    def _buffers(self, flush: bool, convert: Callable[[ScalarType, list[Any]], list[Any]]) -> list[Buffer]:
        """The operands as they were before the run, in storage of their own that those share which shared it."""
        buffers: list[Buffer] = []
        lists: dict[int, list[Any]] = {}
        for operand in self.operands:
            old, first = operand.buffer, list(operand.first)
            if flush and not operand.scalar.is_int:
                first = [flushed(value, format_of(operand.scalar)) for value in first]
            values = lists.setdefault(id(old.data), [POISON] * len(old.data))
            for offset, value in zip(old.offsets(), convert(operand.scalar, first), strict=True):
                values[offset] = value
            buffers.append(Buffer(old.scalar, old.shape, values, old.offset, old.strides))
        return buffers

    def _args(self, buffers: Sequence[Buffer]) -> list[Any]:
        data = iter(buffers)
        return [self.case.controls[a.name] if isinstance(a.type, ControlType) else next(data) for a in self.proc.args]


def flushed(value: Any, form: FloatFormat) -> Any:
    """A zero of its sign for a subnormal number."""
    subnormal = value is not POISON and abs(value) < least_normal(form)
    return math.copysign(0.0, value) if subnormal else value


def _same_bits(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or struct.pack("<d", a) == struct.pack("<d", b)
    return bool(a == b)


def _finite(values: Sequence[Any]) -> bool:
    return all(value is not POISON and math.isfinite(value) for value in values)


def _same_class(expected: float, got: float) -> bool:
    """For inputs that are not all finite: NaN for NaN, infinity for the same infinity, a number for a number."""
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    return math.isinf(expected) == math.isinf(got) and (not math.isinf(expected) or expected == got)
