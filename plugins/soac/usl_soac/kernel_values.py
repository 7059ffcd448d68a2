"""What names of the core stand for inside a kernel: scalars as expressions, arrays as functions of indices.

An array that arranges or computes elements of others, and is looked at once, is never built: its elements are computed where
they are read. That is fusion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from usl_core import build
from usl_core.ir.nodes import BinaryOp, Expr, Literal, Read
from usl_core.ir.types import ScalarType
from usl_soac.sizes import Term


class NotAKernel(Exception):
    """Why a statement cannot be a kernel."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value in one or more forms: data, a condition (of a bool), a control value (an i64 that sizes and loops give).

    Of what comes from outside `outside` makes the formal when a form is first needed.
    """

    type: ScalarType
    data: Expr | None = None
    condition: Expr | None = None
    control: Expr | None = None
    outside: Outside | None = None
    narrow: Callable[[], Expr] | None = None
    """Makes the value of an i64 as an i32, where that holds it: registers have twice as many lanes of those."""

    @property
    def is_plain(self) -> bool:
        """Whether reading it twice costs nothing."""
        if self.data is None and isinstance(self.condition, BinaryOp):
            return all(isinstance(side, Read | Literal) for side in (self.condition.lhs, self.condition.rhs))
        return (self.data is None and self.condition is None) or isinstance(self.data, Read | Literal)


@dataclass(frozen=True, slots=True)
class Outside:
    """The formals of a scalar from outside: as data, and as a control value; `bounds` says that it bounds
    a loop's rounds, and whether that loop ends by data."""

    as_data: Callable[[], Scalar]
    as_control: Callable[[], Expr]
    bounds: Callable[[bool], None]


@dataclass(frozen=True, slots=True)
class Arr:
    """An array: dims as terms; `at` gives the element at as many indices as there are dims."""

    scalar: ScalarType
    dims: tuple[Term, ...]
    at: Callable[[Sequence[Expr]], Scalar]
    is_plain: bool = True
    """Whether reading an element twice costs nothing."""

    def row(self, index: Expr) -> Scalar | Arr:
        """The element, or the row, at an index."""
        if len(self.dims) == 1:
            return self.at((index,))
        return Arr(self.scalar, self.dims[1:], lambda rest: self.at((index, *rest)), self.is_plain)


@dataclass(frozen=True, slots=True)
class Kept:
    """The rows of an array whose flags are set. They stand nowhere: who reads them passes over the others."""

    rows: Arr
    flags: Arr
    dims: tuple[Term, ...]
    """How many are kept, and the dimensions of a row."""
    is_total: bool = True
    """Whether reading a row that is not kept costs little and cannot fail."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The arrays that a loop reads, and the flags of the rows that it does not pass over, if they are kept ones."""

    arrays: Sequence[Arr]
    flags: Arr | None = None
    kept: Term | None = None
    """How many flags are set."""
    is_total: bool = True


def further(before: Expr, count: Expr) -> Expr:
    """before + count; of many parts of one element each no long sum."""
    match before, count:
        case Literal(value=int() as a), Literal(value=int() as b):
            return build.literal(a + b)
        case BinaryOp(op="+", lhs=first, rhs=Literal(value=int()) as last), Literal(value=int()):
            return build.add(first, further(last, count))
        case _:
            return build.add(before, count)


Value = Scalar | Arr


@dataclass(frozen=True, slots=True)
class Target:
    """Where a value is written: a buffer, the first of its indices, and what is added to the next one."""

    buffer: build.Buffer
    indices: tuple[Expr, ...] = ()
    shift: Expr | None = None

    def inside(self, index: Expr) -> Target:
        """A part of it."""
        return Target(self.buffer, (*self.indices, index if self.shift is None else build.add(self.shift, index)))

    def behind(self, shift: Expr) -> Target:
        """The part of it from an index on."""
        return Target(self.buffer, self.indices, shift if self.shift is None else build.add(self.shift, shift))
