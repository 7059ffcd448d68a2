"""Numbers that C lacks, bf16 and what plugins declare: their bits in an unsigned integer, their arithmetic in float.

Computing `+ - * /` and `sqrt` in float and rounding once more is exact rounding for significands of at most 11 bits, as
24 >= 2 * 11 + 2 (Figueroa 1995), where float has all numbers of the format.
"""

from __future__ import annotations

from usl_core.errors import BackendError, Span
from usl_core.ir.types import F32, F64, FloatFormat, ScalarType

LAYOUT = F32.format
assert LAYOUT is not None


def format_in_float(scalar: ScalarType, span: Span) -> FloatFormat:
    """The format of a type whose arithmetic float does exactly.

    Raises:
        BackendError: it does not.
    """
    form = scalar.format
    assert form is not None
    assert LAYOUT is not None
    if form.precision > 11 or scalar.bits not in (8, 16) or not LAYOUT.has_all_of(form):
        raise BackendError(
            f"C cannot compute with {scalar}: float is exact for 8 or 16 bits, at most 11 of them in the significand",
            span=span,
            notes=("map the operation onto an instruction, or compute in f32",),
        )
    return form


def unpacking(scalar: ScalarType, form: FloatFormat) -> tuple[str, ...]:
    """The body of the C function from the bits x to float."""
    digits, half = form.precision - 1, 1 << (scalar.bits - 1)
    if _is_upper_half(scalar, form):
        return ("union { uint32_t bits; float value; } u = {(uint32_t)x << 16};", "return u.value;")
    infinity = half - (1 << digits)
    top = f"magnitude == {half - 1:#x} ? 0x7fc00000u" if form.finite else f"magnitude >= {infinity:#x} ? 0x7f800000u | normal"
    return (
        f"const uint32_t magnitude = x & {half - 1:#x}, normal = (magnitude << {23 - digits}) + {_rebias(form) << 23:#x}u;",
        f"union {{ float value; uint32_t bits; }} small = {{(float)(int32_t)magnitude * 0x1p{form.least}f}};",
        "union { uint32_t bits; float value; } u;",
        f"u.bits = magnitude < {1 << digits:#x} ? small.bits : {top} : normal;",
        f"u.bits |= (uint32_t)(x & {half:#x}) << {32 - scalar.bits};",
        "return u.value;",
    )


def packing(scalar: ScalarType, form: FloatFormat, source: ScalarType) -> tuple[str, ...]:
    """The body of the C function from a number x, float or double, to the bits of the nearest one, ties to even."""
    wide = source.format
    assert wide is not None
    c = f"uint{source.bits}_t"
    w, f = ("UINT64_C({:#x})", "") if source == F64 else ("{:#x}u", "f")
    digits, fraction, half = form.precision - 1, wide.precision - 1, 1 << (scalar.bits - 1)
    exponents = (1 << (source.bits - wide.precision)) - 1  # all bits of the exponent
    rebias = _bias(wide) - _bias(form)
    drop = fraction - digits
    infinity = half - (1 << digits)
    limit, beyond = (half - 2, half - 1) if form.finite else (infinity, infinity)
    quiet = half - 1 if form.finite else infinity | 1 << (digits - 1)
    least_normal = (rebias + 1) << fraction
    magic = form.least + fraction
    lines = [
        f"union {{ {source.c} value; {c} bits; }} u = {{x}};",
        f"const {c} sign = u.bits >> {source.bits - scalar.bits} & {w.format(half)};",
        f"u.bits &= {w.format((1 << (source.bits - 1)) - 1)};",
        f"const {c} rounded = u.bits + {w.format((1 << (drop - 1)) - 1)} + (u.bits >> {drop} & 1u);",
        f"const {c} normal = (rounded >> {drop}) - {w.format(rebias << digits)};",
    ]
    if rebias:
        lines += [
            f"union {{ {source.c} value; {c} bits; }} small = {{u.value + 0x1p{magic}{f}}};",
            f"const {c} near = u.bits < {w.format(least_normal)} ? small.bits & {w.format((1 << digits + 1) - 1)} : normal;",
        ]
    near = "near" if rebias else "normal"
    lines += [
        f"const {c} held = {near} > {limit:#x} ? {beyond:#x} : {near};",
        f"return (uint{scalar.bits}_t)(sign | (u.bits > {w.format(exponents << fraction)} ? {quiet:#x} : held));",
    ]
    return tuple(lines)


def _bias(form: FloatFormat) -> int:
    """What is added to the exponent of a number of the format to make its field."""
    return 2 - form.precision - form.least


def _rebias(form: FloatFormat) -> int:
    assert LAYOUT is not None
    return _bias(LAYOUT) - _bias(form)


def _is_upper_half(scalar: ScalarType, form: FloatFormat) -> bool:
    """Whether the bits are the upper ones of a float."""
    return scalar.bits == 16 and form.precision == 8 and not form.finite
