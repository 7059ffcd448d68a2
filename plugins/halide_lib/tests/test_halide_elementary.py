"""exp and log of f32, which are arithmetic in compiled code, against NumPy in f64."""

from __future__ import annotations

import numpy as np
import pytest

from usl_halide_lib import hl

SPECIAL = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1.0,
    -1.0,
    88.72283,
    88.8,
    -87.4,
    -103.9,
    -104.5,
    1e-45,
    1.1754944e-38,
    3.4028235e38,
]


@pytest.mark.parametrize("name", ["exp", "log"])
def test_values_are_within_a_unit_in_the_last_place_of_all_kinds_of_floats(name: str) -> None:
    rng = np.random.default_rng(1)
    any_bits = rng.integers(0, 2**32, 200_000, dtype=np.uint32).view(np.float32)
    usual = [rng.uniform(-105, 90, 100_000), rng.uniform(0.5, 2, 100_000), SPECIAL]
    with np.errstate(all="ignore"):
        values = np.concatenate([any_bits, *usual]).astype(np.float32)
    x, f = hl.Var("x"), hl.Func(name)
    f[x] = getattr(hl, name)(hl.Buffer(values, "values")[x])
    result = np.asarray(f.realize([len(values)]))
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(values.astype(np.float64))
        rounded = exact.astype(np.float32)
    regular = np.isfinite(rounded) & np.isfinite(result) & (rounded != 0)
    np.testing.assert_array_equal(result[~regular], rounded[~regular])
    distance = abs(result[regular] - exact[regular]) / np.spacing(abs(rounded[regular])).astype(np.float64)
    assert distance.max() < 1


def test_quotients_of_32_bits_are_floored_by_what_is_positive_next_to_whole_numbers_too() -> None:
    rng, info = np.random.default_rng(2), np.iinfo(np.int32)
    ends = [info.min, info.min + 1, -2, -1, 0, 1, 2, 3, info.max - 1, info.max]
    b = rng.integers(info.min, info.max, 20_000) >> rng.integers(0, 32, 20_000)
    a = np.clip(b * rng.integers(-1000, 1000, 20_000) + rng.integers(-1, 2, 20_000), info.min, info.max)
    pairs = [(p, q) for p in ends for q in ends] + list(zip(a.tolist(), b.tolist(), strict=True))
    exact = [0 if q == 0 else p // abs(q) * (1 if q > 0 else -1) for p, q in pairs]
    a, b = np.array(pairs).astype(np.int32).T
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = hl.Buffer(a.copy(), "a")[x] / hl.Buffer(b.copy(), "b")[x]
    np.testing.assert_array_equal(np.asarray(f.realize([len(a)])), np.array(exact).astype(np.int32))


def test_quotients_of_i32_are_exact_for_every_sign_and_at_both_ends() -> None:
    """They go by products with 1 / |b| in f64; the hardest are whole quotients and their neighbours."""
    ends = [-(2**31), -(2**31) + 1, 2**31 - 1, 2**31 - 2, -1, 0, 1, 2, 3, -3, 255, 65537, -46341, 715827883]
    divisors = np.array([*ends, *np.random.default_rng(0).integers(-(2**31), 2**31, 30)], np.int32)
    wholes = [k * int(d) + e for d in divisors for k in (-7, -1, 0, 1, 5, 2**31 // max(abs(int(d)), 1)) for e in (-1, 0, 1)]
    numbers = np.array([each for each in [*ends, *wholes] if -(2**31) <= each < 2**31], np.int32)
    a, b, x, y = hl.Buffer(numbers, "a"), hl.Buffer(divisors, "b"), hl.Var("x"), hl.Var("y")
    q = hl.Func("q")
    q[x, y] = a[x] / b[y]
    found = np.asarray(q.realize([len(numbers), len(divisors)]))
    wide = numbers.astype(np.int64)
    for row, d in zip(found, divisors.astype(np.int64), strict=True):
        expected = np.zeros_like(wide) if d == 0 else (wide // abs(d) * np.sign(d)).astype(np.int32)
        np.testing.assert_array_equal(row, expected)
