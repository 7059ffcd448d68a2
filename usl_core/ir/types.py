"""The types of the object language: data scalars, control values, and tensors of scalars.

Scalar and control types compare by value; `TensorType` holds expressions and compares by identity, like nodes.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING, Any

from usl_core.ir.identity import Identical
from usl_core.records import dataclass

if TYPE_CHECKING:
    from usl_core.ir.nodes import Expr


class Kind(Enum):
    """What the values of a scalar type are."""

    REAL = "real"
    FLOAT = "float"
    INT = "int"


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """A binary format of floating numbers: a sign, an exponent, a fraction, from the highest bit on (IEEE 754-2019 §3.4).

    precision is the bits of the significand, the leading one included; least the exponent of the least positive number, and
    infinite that of the least power of two that is too large. A finite format has no infinities (OCP E4M3): all ones, but for
    the sign, are NaN, the other patterns of the greatest exponent are numbers, and what is too large becomes NaN.
    """

    precision: int
    least: int
    infinite: int
    finite: bool = False

    @property
    def exponents(self) -> int:
        """How many exponents normal numbers have."""
        return self.infinite - (self.least + self.precision - 1)

    def has_all_of(self, other: FloatFormat) -> bool:
        """Whether every value of the other format is one of this."""
        wide = self.precision >= other.precision and self.least <= other.least and self.infinite >= other.infinite
        return wide and (other.finite or not self.finite)


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A type of data. `bits` is 0 for R; `signed` matters for integers only. Plugins may declare more of them.

    A floating type with a format can be computed with. c is the C type in which the compiler does that; without one, C keeps
    the bits in an unsigned integer and computes in float. dtype is how NumPy, or the package ml_dtypes, calls the type. Of an
    integer type, whose width says both, they are what holds it.
    """

    name: str
    kind: Kind
    bits: int
    signed: bool = True
    format: FloatFormat | None = field(default=None, hash=False)
    c: str = field(default="", hash=False)
    dtype: str = field(default="", hash=False)

    def __post_init__(self) -> None:
        form = self.format
        if form is None:
            return
        exponents = (1 << (self.bits - form.precision)) - (1 if form.finite else 2)
        if form.precision < 2 or form.least > 0 or form.exponents != exponents:
            raise ValueError(f"{self.name}: {self.bits} bits do not give the numbers of {form}")

    def __str__(self) -> str:
        return self.name

    @property
    def is_int(self) -> bool:
        """Whether values are integers modulo 2^bits."""
        return self.kind is Kind.INT

    @property
    def is_real(self) -> bool:
        """Whether values are rationals in the analysis and the exact interpreter (R and floating types)."""
        return self.kind is not Kind.INT

    @property
    def is_encoded(self) -> bool:
        """Whether arrays hold the bits of its numbers, in unsigned integers, because C and NumPy have no such numbers."""
        return self.format is not None and not self.c

    def int_range(self) -> tuple[int, int]:
        """Least and greatest value of an integer type."""
        assert self.is_int
        return (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1) if self.signed else (0, (1 << self.bits) - 1)


def numpy_name(scalar: ScalarType) -> str:
    """How NumPy calls elements of a type, or the bits that stand for them; empty if it has neither.

    A plugin's integers go by their width.
    """
    if scalar.is_int and scalar.dtype:
        return scalar.dtype
    if scalar.bits not in (8, 16, 32, 64):
        return ""
    if scalar.is_int:
        return f"{'' if scalar.signed else 'u'}int{scalar.bits}"
    if scalar.is_encoded:
        return f"uint{scalar.bits}"
    return scalar.dtype


R = ScalarType("R", Kind.REAL, 0)
F16 = ScalarType("f16", Kind.FLOAT, 16, format=FloatFormat(11, -24, 16), c="usl_f16", dtype="float16")
BF16 = ScalarType("bf16", Kind.FLOAT, 16, format=FloatFormat(8, -133, 128), dtype="bfloat16")
F32 = ScalarType("f32", Kind.FLOAT, 32, format=FloatFormat(24, -149, 128), c="float", dtype="float32")
F64 = ScalarType("f64", Kind.FLOAT, 64, format=FloatFormat(53, -1074, 1024), c="double", dtype="float64")
I8 = ScalarType("i8", Kind.INT, 8)
I16 = ScalarType("i16", Kind.INT, 16)
I32 = ScalarType("i32", Kind.INT, 32)
I64 = ScalarType("i64", Kind.INT, 64)
U8 = ScalarType("u8", Kind.INT, 8, signed=False)
U16 = ScalarType("u16", Kind.INT, 16, signed=False)
U32 = ScalarType("u32", Kind.INT, 32, signed=False)
U64 = ScalarType("u64", Kind.INT, 64, signed=False)
B8 = ScalarType("b8", Kind.INT, 1, signed=False, c="uint8_t", dtype="bool")
"""Truth values as data: 0 is False and 1 is True, modulo 2. A byte holds one; of bytes from outside each but 0 is True."""

SCALARS: dict[str, ScalarType] = {t.name: t for t in (R, F16, BF16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, B8)}


_CONTROLS: dict[str, ControlType] = {}


@dataclass(frozen=True, slots=True)
class ControlType:
    """A type of control values. There is one object of each name, so that `is` compares them."""

    name: str

    def __new__(cls, name: str) -> ControlType:
        return _CONTROLS.setdefault(name, object.__new__(cls))

    def __reduce__(self) -> Any:
        return ControlType, (self.name,)

    def __str__(self) -> str:
        return self.name


SIZE = ControlType("size")
"""An integer of at least 1; only the type of formals."""
INDEX = ControlType("index")
"""Any integer; the type of iterators, integer literals and control arithmetic."""
BOOL = ControlType("bool")
"""A truth value that depends on control values only."""
COND = ControlType("cond")
"""A truth value that depends on data; allowed as the condition of `if` only, and opaque to the analysis."""

CONTROLS: dict[str, ControlType] = {t.name: t for t in (SIZE, INDEX, BOOL)}


@dataclass(frozen=True, slots=True, eq=False)
class TensorType(Identical):
    """`scalar[shape]`, or with `window` the type `[scalar][shape]` of a view whose strides are free.

    shape has one control expression per dimension (never empty), outermost first, counted in elements.
    """

    scalar: ScalarType
    shape: tuple[Expr, ...]
    window: bool = False


Type = ScalarType | ControlType | TensorType


def all_bits(typ: ScalarType) -> int:
    """The number of an integer type of whose bits all are set: -1, or the greatest."""
    return -1 if typ.signed else (1 << typ.bits) - 1


def is_control(typ: Type) -> bool:
    """Whether values of typ are control values (index, size, bool)."""
    return isinstance(typ, ControlType) and typ is not COND


def is_integer_control(typ: Type) -> bool:
    """Whether values of typ are integers that control may depend on (index, size)."""
    return typ is INDEX or typ is SIZE


def scalar_of(typ: Type) -> ScalarType:
    """The element type of a scalar or tensor type."""
    match typ:
        case ScalarType():
            return typ
        case TensorType(scalar=scalar):
            return scalar
        case ControlType():
            raise AssertionError(f"{typ} is not a data type")
