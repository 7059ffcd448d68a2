"""The types of the object language: data scalars, control values, and tensors of scalars.

Scalar and control types compare by value; `TensorType` holds expressions and compares by identity, like nodes.
"""

from __future__ import annotations

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
class ScalarType:
    """A type of data. `bits` is 0 for R; `signed` matters for integers only. Plugins may declare more of them."""

    name: str
    kind: Kind
    bits: int
    signed: bool = True

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

    def int_range(self) -> tuple[int, int]:
        """Least and greatest value of an integer type."""
        assert self.is_int
        return (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1) if self.signed else (0, (1 << self.bits) - 1)


R = ScalarType("R", Kind.REAL, 0)
F16 = ScalarType("f16", Kind.FLOAT, 16)
BF16 = ScalarType("bf16", Kind.FLOAT, 16)
F32 = ScalarType("f32", Kind.FLOAT, 32)
F64 = ScalarType("f64", Kind.FLOAT, 64)
I8 = ScalarType("i8", Kind.INT, 8)
I16 = ScalarType("i16", Kind.INT, 16)
I32 = ScalarType("i32", Kind.INT, 32)
I64 = ScalarType("i64", Kind.INT, 64)
U8 = ScalarType("u8", Kind.INT, 8, signed=False)
U16 = ScalarType("u16", Kind.INT, 16, signed=False)
U32 = ScalarType("u32", Kind.INT, 32, signed=False)
U64 = ScalarType("u64", Kind.INT, 64, signed=False)

SCALARS: dict[str, ScalarType] = {t.name: t for t in (R, F16, BF16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64)}


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
