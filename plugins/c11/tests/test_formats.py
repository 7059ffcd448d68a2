"""Numbers that C and NumPy lack: their bits, and their arithmetic, which is rounded once."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import kernels_formats as kernels
import numpy as np
import pytest

from usl_c11.low_precision import f8e4m3, f8e5m2
from usl_core.errors import BackendError, JitError
from usl_core.interp import format_of, round_rational, run
from usl_core.interp.encoding import bits_of, numbers_of
from usl_core.ir.types import BF16, F16, FloatFormat, Kind, ScalarType
from usl_core.procedure import Procedure

EVERY = np.arange(256, dtype=np.uint8)


def number(bits: int, exponent_bits: int, fraction_bits: int, finite: bool) -> float:
    """The number of a pattern by the definition of the formats."""
    sign = -1.0 if bits >> (exponent_bits + fraction_bits) else 1.0
    exponent, fraction = bits >> fraction_bits & ((1 << exponent_bits) - 1), bits & ((1 << fraction_bits) - 1)
    bias, top = (1 << (exponent_bits - 1)) - 1, (1 << exponent_bits) - 1
    if exponent == top and finite and fraction == (1 << fraction_bits) - 1:
        return float("nan")
    if exponent == top and not finite:
        return float("nan") if fraction else sign * float("inf")
    if exponent == 0:
        return sign * float(fraction) * 2.0 ** (1 - bias - fraction_bits)
    return sign * (1 + fraction / 2.0**fraction_bits) * 2.0 ** (exponent - bias)


def same(found: Any, expected: Any) -> bool:
    """Equal as numbers, the signs of zeros included; all NaN are one."""
    found, expected = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    nan = np.isnan(expected)
    return bool(((found == expected) & (np.signbit(found) == np.signbit(expected)) | nan & np.isnan(found)).all())


@pytest.mark.parametrize(
    ("widen", "scalar", "exponent", "fraction"),
    [(kernels.widen_e4m3, f8e4m3, 4, 3), (kernels.widen_e5m2, f8e5m2, 5, 2), (kernels.widen_bf16, BF16, 8, 7)],
    ids=str,
)
def test_each_pattern_is_the_number_of_its_format(widen: Procedure, scalar: ScalarType, exponent: int, fraction: int) -> None:
    bits = np.arange(1 << scalar.bits).astype(f"u{scalar.bits // 8}")
    found = np.zeros(bits.size, np.float32)
    expected = np.array([number(int(each), exponent, fraction, scalar is f8e4m3) for each in bits])
    widen.jit()(bits.size, bits, found)
    assert same(found, expected) and same(numbers_of(bits, scalar), expected)
    numbers = expected[~np.isnan(expected)]
    assert (bits_of(numbers, scalar) == bits[~np.isnan(expected)]).all()


@pytest.mark.parametrize(
    ("proc", "scalar"), [(kernels.all_operations, f8e4m3), (kernels.all_operations_e5m2, f8e5m2)], ids=["e4m3", "e5m2"]
)
def test_all_pairs_of_numbers_are_added_and_multiplied_with_one_rounding(proc: Procedure, scalar: ScalarType) -> None:
    x, y = (each.ravel().copy() for each in np.meshgrid(EVERY, EVERY))
    found = np.zeros((4, x.size), np.uint8)
    proc.jit()(x.size, x, y, found)
    a, b = numbers_of(x, scalar), numbers_of(y, scalar)
    with np.errstate(all="ignore"):
        results = np.array([a + b, a - b, a * b, a / b])  # exact, or near enough that rounding again is rounding once
    assert same(numbers_of(found, scalar), nearest(results, scalar))


def nearest(values: Any, scalar: ScalarType) -> Any:
    """The numbers of a format next to others, ties to the even one, by search among all."""
    form = format_of(scalar)
    table = numbers_of(EVERY[:128], scalar)
    table = table[np.isfinite(table)]
    beyond = np.append(table, 2 * table[-1] - table[-2])  # the first number that is too large
    size = np.abs(values)
    above = np.clip(np.searchsorted(beyond, size), 1, beyond.size - 1)
    low, high = beyond[above - 1], beyond[above]
    up = (size - low > high - size) | (size - low == high - size) & (above % 2 == 0)
    chosen = np.where(up, high, low)
    chosen = np.where((chosen > table[-1]) | (size > beyond[-1]), np.nan if form.finite else np.inf, chosen)
    return np.where(np.isnan(values), np.nan, np.copysign(chosen, values))


def near_ties(rng: np.random.Generator, count: int) -> Any:
    """Rationals a little beside the middle of two numbers of few digits, and on it."""
    middle = (2 * rng.integers(0, 600, count) + 1) * 2.0 ** rng.integers(-20, 8, count)
    beside = rng.choice([0.0, 2.0**-52, -(2.0**-53), 2.0**-23, -(2.0**-24)], count)
    return np.copysign(middle * (1 + beside), rng.normal(size=count))


def test_conversions_round_once_to_even_from_every_type() -> None:
    rng, count = np.random.default_rng(5), 600
    d = near_ties(rng, count)
    k = rng.integers(-(2**63), 2**63 - 1, count)
    half = count // 2
    k[:half] = (rng.integers(1, 512, half) * 2 + 1 << rng.integers(40, 53, half)) + rng.integers(-1, 2, half)
    u = np.abs(k).astype(np.uint64)
    outputs = [np.zeros((4, count), typ) for typ in (np.uint8, np.uint8, np.uint16)]
    args = (d.astype(np.float32), d, k, u)
    kernels.narrowed.jit()(count, *args, *outputs)
    for found, scalar in zip(outputs, (f8e4m3, f8e5m2, BF16), strict=True):
        for row, given in zip(found, args, strict=True):
            exact = (round_rational(Fraction(value), format_of(scalar)) for value in given.tolist())
            assert same(numbers_of(row, scalar), np.array(list(exact)))


def test_the_interpreter_converts_as_c_does() -> None:
    rng, count = np.random.default_rng(7), 40
    d = near_ties(rng, count)
    k = rng.integers(-(2**63), 2**63 - 1, count)
    args = (count, d.astype(np.float32), d, k, np.abs(k).astype(np.uint64))
    by_c, by_body = ([np.zeros((4, count), typ) for typ in (np.uint8, np.uint8, np.uint16)] for _ in range(2))
    kernels.narrowed.jit()(*args, *by_c)
    run(kernels.narrowed.ir, [*args, *by_body], mode="machine")
    for a, b, scalar in zip(by_c, by_body, (f8e4m3, f8e5m2, BF16), strict=True):
        assert same(numbers_of(a, scalar), numbers_of(b, scalar))


def test_a_fused_product_is_rounded_once() -> None:
    rng, count = np.random.default_rng(3), 600
    arrays, expected = [], []
    for scalar, digits, least in ((BF16, 8, -90), (F16, 11, -24)):
        odd = [(a, b) for a in range(1, 1 << digits, 2) for b in (1, 3, 5, 7) if (a * b).bit_length() == digits + 1]
        x, y = np.array(odd)[rng.integers(0, len(odd), count)].T  # whose product is in the middle of two numbers
        z = np.copysign(2.0 ** rng.integers(least, 3, count).astype(float), rng.normal(size=count))
        arrays.append([bits_of(each, scalar) for each in (x, y, z)])
        terms = zip(x.tolist(), y.tolist(), z.tolist(), strict=True)
        expected.append([round_rational(a * b + Fraction(c), format_of(scalar)) for a, b, c in terms])
    (x, y, z), (p, q, r) = arrays
    halves = [each.view(np.float16) for each in (p, q, r)]
    kernels.fused.jit()(count, x, y, z, *halves)
    assert same(numbers_of(z, BF16), np.array(expected[0]))
    assert same(halves[2].astype(float), np.array(expected[1]))


def test_arrays_are_given_as_bits_or_as_those_of_ml_dtypes_and_scalars_as_numbers() -> None:
    x, y = bits_of(np.array([1.5, -2.0, 448.0]), f8e4m3), bits_of(np.array([2.0, 0.5, 57344.0]), f8e5m2)
    total = np.zeros((), np.float32)
    kernels.product.jit()(3, x, y, 0.25, total)
    assert total == (1.5 * 2 - 2 * 0.5 + 448.0 * 57344.0) * 0.25
    with pytest.raises(JitError, match="x must be an array of uint8"):
        kernels.product.jit()(3, x.astype(np.float32), y, 0.25, total)
    ml_dtypes = pytest.importorskip("ml_dtypes")
    again = np.zeros((), np.float32)
    kernels.product.jit()(3, x.view(ml_dtypes.float8_e4m3fn), y.view(ml_dtypes.float8_e5m2), ml_dtypes.bfloat16(0.25), again)
    assert again == total
    assert same(EVERY.view(ml_dtypes.float8_e4m3fn).astype(float), numbers_of(EVERY, f8e4m3))


def test_pairs_of_four_bits_are_taken_apart_and_put_together() -> None:
    low, high, back = np.zeros(256, np.int8), np.zeros(256, np.int8), np.zeros(256, np.uint8)
    kernels.halved.jit()(256, EVERY, low, high, back)
    assert (low == (EVERY.astype(int) % 16 + 8) % 16 - 8).all() and (high == (EVERY.astype(int) // 16 + 8) % 16 - 8).all()
    assert (back == EVERY).all()
    apart = [np.zeros(256, np.int8), np.zeros(256, np.int8), np.zeros(256, np.uint8)]
    run(kernels.halved.ir, [256, EVERY, *apart], mode="machine")
    assert (apart[0] == low).all() and (apart[1] == high).all() and (apart[2] == EVERY).all()


def test_fields_hold_the_nearest_number() -> None:
    configs: dict[Any, Any] = {
        (kernels.SCALES, "half"): 1 / 3,
        (kernels.SCALES, "brain"): 1 / 3,
        (kernels.SCALES, "byte"): -float("inf"),
    }
    jitted, interpreted = dict(configs), {**configs, (kernels.SCALES, "byte"): float("nan")}
    x, y = np.zeros(3, np.float32), np.zeros(3, np.float32)
    kernels.scaled_by_fields.jit()(x, configs=jitted)
    assert same(x, [nearest_number(1 / 3, F16), nearest_number(1 / 3, BF16), float("nan")])
    assert jitted[kernels.SCALES, "brain"] == 0.75 and jitted[kernels.SCALES, "half"] == x[0]
    result = run(
        kernels.scaled_by_fields.ir, [y], mode="machine", configs={**interpreted, (kernels.SCALES, "byte"): float("nan")}
    )
    assert same(y, x) and result.configs[kernels.SCALES, "brain"] == 0.75


def nearest_number(value: float, scalar: ScalarType) -> float:
    return round_rational(Fraction(value), format_of(scalar))


def test_what_float_cannot_do_exactly_is_refused() -> None:
    with pytest.raises(BackendError, match="cannot compute with wide: float is exact for 8 or 16 bits, at most 11 of them"):
        kernels.too_wide.c_code()
    with pytest.raises(BackendError, match="cannot reduce into total of type f8e4m3"):
        kernels.in_parallel.c_code()


@pytest.mark.parametrize("form", [FloatFormat(4, -9, 10), FloatFormat(1, -9, 9), FloatFormat(4, 1, 19)])
def test_a_format_that_does_not_fill_its_bits_is_refused_where_it_is_declared(form: FloatFormat) -> None:
    with pytest.raises(ValueError, match="f8: 8 bits do not give the numbers of"):
        ScalarType("f8", Kind.FLOAT, 8, format=form)
