"""Types of values: `Int(8…64) UInt(8…64) Float(16, 32, 64) Bool`, and how two of them mix.

Reference: halide.md §1; the rules of mixing are Halide 21's, measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from usl_halide_lib.lang.errors import refuse

Number = int | Fraction


class Kind(Enum):
    """What the bits of a value stand for."""

    INT = "int"
    UINT = "uint"
    FLOAT = "float"
    BOOL = "bool"


@dataclass(frozen=True, slots=True)
class Type:
    """A scalar type. `str` is Halide's name (`uint8`), `usl` that of the object language (`u8`)."""

    kind: Kind
    bits: int

    @property
    def is_float(self) -> bool:
        """Whether values are floating point numbers."""
        return self.kind is Kind.FLOAT

    @property
    def is_int(self) -> bool:
        """Whether values are integers of N bits, signed or not; truth values are not."""
        return self.kind in (Kind.INT, Kind.UINT)

    @property
    def is_signed(self) -> bool:
        """Whether values may be negative."""
        return self.kind in (Kind.INT, Kind.FLOAT)

    @property
    def least(self) -> int:
        """The least integer of the type."""
        return -(1 << (self.bits - 1)) if self.kind is Kind.INT else 0

    @property
    def greatest(self) -> int:
        """The greatest integer of the type."""
        return (1 << (self.bits - (self.kind is Kind.INT))) - 1

    @property
    def usl(self) -> str:
        """The type's name in the object language, where truth values are bytes."""
        return "u8" if self.kind is Kind.BOOL else f"{'u' if self.kind is Kind.UINT else self.kind.value[0]}{self.bits}"

    def min(self) -> Number:
        """The least value, as Halide's `Type.min`."""
        return -_greatest_float(self.bits) if self.is_float else self.least

    def max(self) -> Number:
        """The greatest value, as Halide's `Type.max`."""
        return _greatest_float(self.bits) if self.is_float else self.greatest

    def __str__(self) -> str:
        return "bool" if self.kind is Kind.BOOL else f"{self.kind.value}{self.bits}"


def _greatest_float(bits: int) -> int:
    precision, exponent = {16: (11, 15), 32: (24, 127), 64: (53, 1023)}[bits]
    return ((1 << precision) - 1) << (exponent - precision + 1)


def Int(bits: int) -> Type:
    """Signed integers of 8, 16, 32 or 64 bits."""
    if bits not in (8, 16, 32, 64):
        raise refuse(f"Int({bits}) is not supported; Int(8), Int(16), Int(32) and Int(64) are", code="E770")
    return Type(Kind.INT, bits)


def UInt(bits: int) -> Type:
    """Unsigned integers of 8, 16, 32 or 64 bits; UInt(1) are truth values."""
    if bits == 1:
        return BOOL
    if bits not in (8, 16, 32, 64):
        raise refuse(f"UInt({bits}) is not supported; UInt(8), UInt(16), UInt(32) and UInt(64) are", code="E770")
    return Type(Kind.UINT, bits)


def Float(bits: int) -> Type:
    """IEEE numbers of 16, 32 or 64 bits."""
    if bits not in (16, 32, 64):
        raise refuse(f"Float({bits}) is not supported; Float(16), Float(32) and Float(64) are", code="E770")
    return Type(Kind.FLOAT, bits)


def Bool() -> Type:
    """Truth values."""
    return BOOL


BOOL = Type(Kind.BOOL, 1)
I32 = Type(Kind.INT, 32)
F32 = Type(Kind.FLOAT, 32)


def mixed(a: Type, b: Type) -> Type:
    """The type in which values of a and b meet: the float, the wider float, the wider integer, signed if either is."""
    if a == b:
        return a
    if a.is_float or b.is_float:
        return max((t for t in (a, b) if t.is_float), key=lambda t: t.bits)
    bits = max(a.bits, b.bits)
    return Type(Kind.INT if Kind.INT in (a.kind, b.kind) else Kind.UINT, bits)


def coerced(value: Number, typ: Type) -> Number:
    """A Python number at a type.

    Raises:
        AlgorithmError: the type cannot hold it.
    """
    if typ.is_float:
        return value
    if value != int(value):
        raise refuse(f"the number {float(value):g} as {typ} is {int(value)}; cast the other operand to a float first")
    value = int(value)
    if not typ.least <= value <= typ.greatest:
        wrapped = (value - typ.least) % (1 << typ.bits) + typ.least
        raise refuse(f"the number {value} as {typ} is {wrapped}; cast the other operand to a wider type first")
    return value
