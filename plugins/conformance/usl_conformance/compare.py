"""Whether an element that the template gave is one that the body admits."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from usl_conformance.bounds import Sized, bound, coarsest_format, overflows, run_sized, sized_data
from usl_core.interp.buffers import Buffer
from usl_core.interp.machine import FORMATS
from usl_core.interp.values import POISON, Value
from usl_core.ir.nodes import Proc
from usl_core.ir.types import ControlType

if TYPE_CHECKING:
    from usl_conformance.cases import Case
    from usl_conformance.configs import Field
    from usl_conformance.execute import Operand


class Judge:
    """Compares the elements of one run. Exact arithmetic is done only when a float differs from the body's.

    - What the body leaves alone keeps its bits; where it is undefined, anything goes.
    - Integers and, without `roundings`, floats are equal bit for bit (NaN to any NaN).
    - With `roundings` a float may also lie within the bound of `bounds` around the exact result.
    - With `special="unspecified"` results that are no finite number, and the sign of zero, are not compared.
    """

    def __init__(self, proc: Proc, case: Case, operands: Sequence[Operand], configs: Mapping[Field, Any]) -> None:
        assert proc.instr is not None
        self.proc = proc
        self.case = case
        self.operands = operands
        self.configs = configs
        self.roundings = proc.instr.roundings
        self.unspecified = proc.instr.special != "ieee"
        self._exact: list[list[Any]] | None = None

    def accepts(self, position: int, number: int, expected: Value, got: Value, written: bool) -> bool:
        if written and expected is POISON:
            return True
        operand = self.operands[position]
        if not written:
            return _same_bits(operand.first[number], got)
        if operand.scalar.is_int:
            return expected == got
        return _same_bits(expected, got) or self._float(position, number, expected, got)

    def _float(self, position: int, number: int, expected: Any, got: Any) -> bool:
        """For floats with different bits."""
        if self.unspecified and (not math.isfinite(expected) or expected == got):
            return True
        if self.roundings is None:
            return False
        reals = [value for value in self.configs.values() if isinstance(value, float)]
        if not _finite(reals) or not all(_finite(operand.first) for operand in self.operands if not operand.scalar.is_int):
            return _same_class(expected, got)
        exact = self._exactly(position, number)
        if exact is None:
            return False
        form = FORMATS[self.operands[position].scalar.name]
        if overflows(exact, form) or overflows(exact, coarsest_format(self.proc)):
            return not math.isnan(got) or self.unspecified
        if not math.isfinite(got):
            return False
        return abs(Fraction(got) - Fraction(exact.value)) <= self.tolerance(exact)

    def tolerance(self, exact: Sized) -> Fraction:
        return bound(exact, self.roundings or 0, coarsest_format(self.proc))

    def _exactly(self, position: int, number: int) -> Sized | None:
        """The element in exact arithmetic; None if it is not known."""
        if self._exact is None:
            self._exact = self._run_exactly()
        value = self._exact[position][number] if self._exact else None
        return value if isinstance(value, Sized) else None

    def _run_exactly(self) -> list[list[Any]]:
        buffers: list[Buffer] = []
        lists: dict[int, list[Any]] = {}
        for operand in self.operands:
            old = operand.buffer
            values = lists.setdefault(id(old.data), [POISON] * len(old.data))
            for offset, value in zip(old.offsets(), sized_data(operand.scalar, operand.first), strict=True):
                values[offset] = value
            buffers.append(Buffer(old.scalar, old.shape, values, old.offset, old.strides))
        data = iter(buffers)
        args = [self.case.controls[a.name] if isinstance(a.type, ControlType) else next(data) for a in self.proc.args]
        try:
            configs = {key: Sized.of(v) if isinstance(v, float) else v for key, v in self.configs.items()}
            run_sized(self.proc, args, configs)
        except NotImplementedError:
            return []
        return [buffer.values() for buffer in buffers]


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
