"""How the language's types are spelt in C, and what C assumes about them."""

from __future__ import annotations

from usl_c11.formats import format_in_float
from usl_core.errors import BackendError, Span
from usl_core.ir.types import B8, ControlType, Kind, R, ScalarType

INT64 = "int64_t"

F16_TYPEDEF = """\
#ifndef USL_F16
#define USL_F16
#ifndef __FLT16_MAX__
#error "this file needs a C compiler with the type _Float16"
#endif
__extension__ typedef _Float16 usl_f16;
#endif
"""
"""`__FLT16_MAX__` is defined exactly where gcc and clang have `_Float16` (ISO/IEC TS 18661-3)."""


def spelling(scalar: ScalarType, span: Span) -> str:
    """The C type of an element, or of its bits; R has no C type."""
    if scalar == R:
        raise BackendError(
            "a buffer of type R is left: C needs a precision", span=span, notes=("use set_precision to choose one, f32 say",)
        )
    if scalar.c:
        return scalar.c
    if (scalar.is_int or scalar.is_encoded) and scalar.bits in (8, 16, 32, 64):
        return f"{'' if scalar.is_int and scalar.signed else 'u'}int{scalar.bits}_t"
    raise BackendError(f"the C11 backend has no C type for {scalar}", span=span)


def require_arithmetic(scalar: ScalarType, span: Span) -> None:
    """C computes with the type, by itself or in float."""
    if scalar.is_encoded:
        format_in_float(scalar, span)
    elif (scalar.kind is Kind.INT and scalar.bits not in (8, 16, 32, 64) and scalar != B8) or (
        scalar.kind is Kind.FLOAT and not scalar.c
    ):
        raise BackendError(f"the C11 backend cannot compute with {scalar}", span=span)


def ring(scalar: ScalarType) -> str:
    """The unsigned type in which `+ - *` of an integer type are computed; it is not promoted, and it wraps."""
    return "uint64_t" if scalar.bits == 64 else "uint32_t"


def is_narrow(scalar: ScalarType) -> bool:
    """Whether C promotes operands of the type to int."""
    return scalar.is_int and scalar.bits < 32


def control_spelling(typ: ControlType) -> str:
    """The C type of a control value."""
    return "bool" if typ.name == "bool" else INT64


def window_struct(scalar: ScalarType, rank: int, const: bool) -> str:
    """The tag of the struct that passes a window: element type, rank, and `c` if its elements are only read."""
    return f"usl_win_{rank}{scalar.name}{'c' if const else ''}"


def window_definition(scalar: ScalarType, rank: int, const: bool, span: Span) -> str:
    """The struct's definition, guarded: two generated headers may be included together."""
    tag = window_struct(scalar, rank, const)
    qualifier = "const " if const else ""
    lines = [
        f"#ifndef {tag.upper()}",
        f"#define {tag.upper()}",
        f"struct {tag} {{",
        f"    {qualifier}{spelling(scalar, span)} *data;",
        f"    ptrdiff_t strides[{rank}]; /* in elements */",
        "};",
        "#endif",
    ]
    return "\n".join(lines) + "\n"
