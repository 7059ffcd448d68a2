"""Machine mode: IEEE rounding after each operation on NumPy arrays; integers as in exact mode."""

from __future__ import annotations

import math
import random
import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.interp.programs import program
from usl_core.errors import InterpError
from usl_core.interp import Buffer, run
from usl_core.interp.machine import format_of, round_float, round_rational
from usl_core.ir.types import F32, SCALARS

DTYPES: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def elementwise(expression: str, typ: str, a: Any, b: Any, out: Any = None, result: str = "") -> Any:
    """`expression` over arrays a[i] and b[i] of type typ, into an array of type result."""
    ir = program(
        f"def f(n: size, a: {typ}[n], b: {typ}[n], out: {result or typ}[n]):\n"
        f"    for i in seq(0, n):\n        out[i] = {expression}\n"
    )
    out = np.empty_like(a) if out is None else out
    run(ir, [len(a), a, b, out])
    return out


def samples(dtype: Any, count: int = 300) -> Any:
    """Bit patterns at random: every magnitude, subnormals, infinities, NaN."""
    rng = np.random.default_rng(7)
    bits = rng.integers(0, 256, count * np.dtype(dtype).itemsize, dtype=np.uint8).tobytes()
    return np.frombuffer(bits, dtype=dtype).copy()


@pytest.mark.parametrize("typ", ["f16", "f32", "f64"])
@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
def test_float_operations_are_numpys_bit_for_bit(typ: str, op: str) -> None:
    data = samples(DTYPES[typ], 600)
    a, b = data[:300], data[300:]
    b[::5] = a[::5]
    with np.errstate(all="ignore"):
        expected = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[op](a, b)
    np.testing.assert_array_equal(elementwise(f"a[i] {op} b[i]", typ, a, b), expected)


def test_division_by_zero_has_the_sign_of_both_zeros() -> None:
    a = np.array([1.0, -1.0, 1.0, -1.0, 0.0, math.nan], np.float32)
    b = np.array([0.0, 0.0, -0.0, -0.0, 0.0, 0.0], np.float32)
    np.testing.assert_array_equal(
        elementwise("a[i] / b[i]", "f32", a, b), [math.inf, -math.inf, -math.inf, math.inf, math.nan, math.nan]
    )


def test_each_operation_is_rounded_to_its_own_type() -> None:
    a, b = np.array([2.0**24], np.float32), np.array([1.0], np.float32)
    assert elementwise("(a[i] + b[i]) + b[i]", "f32", a, b)[0] == 2.0**24
    assert elementwise("f32((f64(a[i]) + f64(b[i])) + f64(b[i]))", "f32", a, b)[0] == 2.0**24 + 2


def test_minimum_and_maximum_of_nan_and_signed_zero_are_those_of_the_c_expression() -> None:
    a = np.array([math.nan, 1.0, 0.0, -0.0], np.float32)
    b = np.array([1.0, math.nan, -0.0, 0.0], np.float32)
    low, high = elementwise("min(a[i], b[i])", "f32", a, b), elementwise("max(a[i], b[i])", "f32", a, b)
    expected = np.array([1.0, math.nan, -0.0, 0.0], np.float32)
    assert low.tobytes() == high.tobytes() == expected.tobytes()
    assert elementwise("relu(a[i])", "f32", a, b).tobytes() == np.array([0.0, 1.0, 0.0, 0.0], np.float32).tobytes()


def test_a_float_becomes_an_integer_by_truncation_saturation_and_zero_for_nan() -> None:
    a = np.array([math.nan, math.inf, -math.inf, 1e9, -2.9, 127.5], np.float32)
    out = elementwise("i8(a[i])", "f32", a, a, np.empty(6, np.int8), "i8")
    assert out.tolist() == [0, 127, -128, 127, -2, 127]


def test_a_large_integer_is_rounded_once_on_the_way_to_f32() -> None:
    tie = (1 << 60) + (1 << 36) + 1  # just above a tie of f32, a tie itself once rounded to f64
    a = np.array([tie, -tie, 16777217], np.int64)
    out = elementwise("f32(a[i])", "i64", a, a, np.empty(3, np.float32), "f32")
    above = float((1 << 60) + (1 << 37))
    assert out.tolist() == [above, -above, 16777216.0]


def test_a_literal_is_rounded_to_its_type() -> None:
    one = np.ones(1, np.float32)
    assert elementwise("a[i] * 0.1", "f32", one, one)[0] == np.float32(0.1)


@pytest.mark.parametrize(
    ("typ", "dtype"), [("i8", np.int8), ("u8", np.uint8), ("i16", np.int16), ("u32", np.uint32), ("i64", np.int64)]
)
def test_integer_arithmetic_wraps_as_numpys(typ: str, dtype: Any) -> None:
    data = samples(dtype, 400)
    a, b = data[:200], data[200:]
    with np.errstate(all="ignore"):
        for op, fn in (("+", np.add), ("-", np.subtract), ("*", np.multiply)):
            np.testing.assert_array_equal(elementwise(f"a[i] {op} b[i]", typ, a, b), fn(a, b))
        nonzero = np.where(b == 0, dtype(1), b)
        np.testing.assert_array_equal(elementwise("a[i] / b[i]", typ, a, nonzero), np.floor_divide(a, nonzero))
        np.testing.assert_array_equal(elementwise("a[i] % b[i]", typ, a, nonzero), np.remainder(a, nonzero))


def test_bf16_arrays_are_bits_and_round_to_eight_bits_of_significand() -> None:
    def bits(value: float) -> int:
        return int(struct.unpack("<I", struct.pack("<f", value))[0]) >> 16

    a = np.array([bits(1.0), bits(256.0), bits(3.0)], np.uint16)
    b = np.array([bits(2.0**-8), bits(1.0), bits(0.5)], np.uint16)
    out = elementwise("a[i] + b[i]", "bf16", a, b)
    assert out.tolist() == [bits(1.0), bits(256.0), bits(3.5)]


def test_rounding_a_rational_and_rounding_a_float_agree() -> None:
    rng = random.Random(3)
    for _ in range(500):
        value = math.ldexp(rng.uniform(-2, 2), rng.randint(-160, 140))
        for name in ("f16", "bf16", "f32"):
            form = format_of(SCALARS[name])
            assert round_float(value, form) == round_rational(Fraction(value), form)
        with np.errstate(over="ignore"):
            assert round_float(value, format_of(SCALARS["f32"])) == float(np.float32(value))
            assert round_float(value, format_of(SCALARS["f16"])) == float(np.float16(value))


def test_functions_give_what_c_gives_outside_of_their_domain() -> None:
    a = np.array([-1.0, 0.0, math.inf], np.float64)
    np.testing.assert_array_equal(elementwise("log(a[i])", "f64", a, a), [math.nan, -math.inf, math.inf])
    np.testing.assert_array_equal(elementwise("sqrt(a[i])", "f64", a, a), [math.nan, 0.0, math.inf])
    np.testing.assert_array_equal(elementwise("sin(a[i])", "f64", a, a)[2], math.nan)
    assert elementwise("exp(a[i] * 1000.0)", "f64", np.ones(1), np.ones(1))[0] == math.inf


def test_arrays_of_any_stride_are_windows_of_their_memory() -> None:
    ir = program("def f(n: size, x: [f32][n], y: [f32][n]):\n    for i in seq(0, n):\n        y[i] = x[i] + 1.0\n")
    base = np.arange(12, dtype=np.float32).reshape(3, 4)
    run(ir, {"n": 3, "x": base[:, 1], "y": base[:, 2][::-1]})
    assert base[:, 2].tolist() == [10.0, 6.0, 2.0]
    assert base[:, [0, 1, 3]].tolist() == [[0, 1, 3], [4, 5, 7], [8, 9, 11]]


def test_stride_is_the_real_stride_of_an_array_in_elements() -> None:
    ir = program(
        "def f(n: size, x: [f32][n, n], y: i32):\n    if stride(x, 0) == 6:\n        y = 1\n    else:\n        y = 0\n"
    )
    y = np.zeros((), np.int32)
    run(ir, [3, np.zeros((3, 6), np.float32)[:, :3], y])
    assert y == 1
    run(ir, [3, np.zeros((3, 3), np.float32), y])
    assert y == 0


def test_elements_that_stay_uninitialised_keep_what_the_array_holds() -> None:
    ir = program("def f(x: i32[3]):\n    t: i32\n    x[1] = t\n    x[2] = 5\n")
    x = np.array([7, 8, 9], np.int32)
    result = run(ir, [x])
    assert x.tolist() == [7, 8, 5]
    assert repr(result.buffers["x"].values()) == "[7, POISON, 5]"


def test_a_dense_formal_refuses_a_strided_array_and_a_wrong_dtype_or_rank() -> None:
    ir = program("def f(n: size, x: f32[n]):\n    x[0] = 1.0\n")
    with pytest.raises(InterpError, match="argument x must be dense"):
        run(ir, [2, np.zeros(4, np.float32)[::2]])
    with pytest.raises(InterpError, match="must have dtype float32 for f32, got float64"):
        run(ir, [2, np.zeros(2)])
    with pytest.raises(InterpError, match="must have 1 dimensions"):
        run(ir, [2, np.zeros((2, 2), np.float32)])


def test_a_number_serves_for_a_scalar_that_is_only_read_and_is_rounded_to_its_type() -> None:
    ir = program("def f(x: f64[1], a: f32):\n    x[0] = f64(a)\n")
    x = np.zeros(1)
    for given in (0.1, np.float32(0.1), Fraction(1, 10)):
        run(ir, [x, given])
        assert x[0] == float(np.float32(0.1))
    with pytest.raises(InterpError, match="argument a is written"):
        run(program("def g(a: f32):\n    a = 1.0\n"), [0.1])


def test_machine_buffers_hold_floats_and_exact_ones_rationals() -> None:
    ir = program("def f(x: f32[1]):\n    x[0] += 1.0\n")
    x = Buffer(F32, (1,), [0.5])
    run(ir, [x])
    assert x.data == [1.5]
    with pytest.raises(InterpError, match=r"no exact value of f32, which is int or Fraction"):
        run(ir, [x], mode="exact")
