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
