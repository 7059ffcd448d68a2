"""Functions that are made of others, compiled, against NumPy and Python's integers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from usl_core import UslError
from usl_halide_lib import hl

x = hl.Var("x")

REALS: dict[str, tuple[Any, float, float]] = {
    "asin": (np.arcsin, -1, 1),
    "acos": (np.arccos, -1, 1),
    "atan": (np.arctan, -50, 50),
    "sinh": (np.sinh, -20, 20),
    "cosh": (np.cosh, -20, 20),
    "asinh": (np.arcsinh, -1e4, 1e4),
    "acosh": (np.arccosh, 1, 1e4),
    "atanh": (np.arctanh, -0.999, 0.999),
    "erf": (np.vectorize(math.erf), -4, 4),
    "fast_exp": (np.exp, -20, 20),
    "fast_log": (np.log, 1e-3, 100),
    "fast_inverse": (lambda a: 1 / a, 0.1, 9),
    "fast_inverse_sqrt": (lambda a: 1 / np.sqrt(a), 0.1, 9),
}
TINY = {"sinh", "asinh", "atanh", "asin", "atan", "erf"}
"""Those that are near their argument where it is small."""


def of(function: Any, *arrays: np.ndarray) -> np.ndarray:
    f = hl.Func("f")
    f[x] = function(*(hl.Buffer(each, f"in{k}")[x] for k, each in enumerate(arrays)))
    return np.asarray(f.realize([len(arrays[0])]))


def test_real_functions_agree_with_numpy_in_f64() -> None:
    inputs, funcs = [], []
    for name, (_, low, high) in REALS.items():
        inputs.append(np.random.default_rng(1).uniform(low, high, 500))
        inputs[-1][:100] *= 1e-6 if name in TINY else 1
        funcs.append(hl.Func(name))
        funcs[-1][x] = getattr(hl, name)(hl.Buffer(inputs[-1], f"in_{name}")[x])
    results = hl.Pipeline(funcs).realize([500])
    for (name, (exact, _, _)), values, result in zip(REALS.items(), inputs, results, strict=True):
        np.testing.assert_allclose(np.asarray(result), exact(values), rtol=2e-14, err_msg=name)


def test_tests_of_floats_tell_numbers_infinities_and_nan_apart() -> None:
    values = np.array([0.0, -0.0, 1, 0.5, -3, np.inf, -np.inf, np.nan, 3.4028235e38, 1e-45], np.float32)
    np.testing.assert_array_equal(of(hl.is_nan, values), np.isnan(values))
    np.testing.assert_array_equal(of(hl.is_inf, values), np.isinf(values))
    np.testing.assert_array_equal(of(hl.is_finite, values), np.isfinite(values))
    with pytest.raises(UslError, match="is_nan asks about floats"):
        hl.is_nan(x)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"])
def test_bits_are_counted_in_all_integers(dtype: str) -> None:
    info = np.iinfo(dtype)
    some = [info.min, info.max, 0, 1, 2, 3, 4, 12, 96, info.max // 2, info.max // 3]
    values = np.array(some, dtype)
    masked = [int(v) & ((1 << info.bits) - 1) for v in values]
    lowest = [(v & -v).bit_length() - 1 if v else info.bits for v in masked]
    f, value = hl.Func("f"), hl.Buffer(values, "values")[x]
    f[x] = (hl.popcount(value), hl.count_leading_zeros(value), hl.count_trailing_zeros(value))
    ones, leading, trailing = (np.asarray(each).tolist() for each in f.realize([len(values)]))
    assert ones == [bin(v).count("1") for v in masked]
    assert leading == [info.bits - v.bit_length() for v in masked]
    assert trailing == lowest


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32"])
def test_division_toward_zero_leaves_a_rest_of_the_sign_of_what_is_divided(dtype: str) -> None:
    info = np.iinfo(dtype)
    some = [max(info.min, -7), 7, 0, 100, info.max, info.min + 1]
    a, b = (each.ravel().astype(dtype) for each in np.meshgrid(some, [3, -3 if info.min else 5, 1, 0, info.max]))
    quotients = [int(p / q) if q else 0 for p, q in zip(a.tolist(), b.tolist(), strict=True)]
    rests = [math.fmod(p, q) if q else 0 for p, q in zip(a.tolist(), b.tolist(), strict=True)]
    assert of(hl.div_round_to_zero, a, b).tolist() == quotients
    assert of(hl.mod_round_to_zero, a, b).tolist() == rests
