"""Values of registers that hold data."""

from __future__ import annotations

import numpy as np
import pytest

from usl_conformance import data
from usl_core.ir.types import BF16, F32, ScalarType


@pytest.mark.parametrize("scalar", [F32, BF16])
@pytest.mark.parametrize("fill", list(data.Fill))
def test_a_register_that_takes_no_negative_number_gets_finite_ones_from_zero_on(scalar: ScalarType, fill: data.Fill) -> None:
    source = np.random.default_rng(0)
    numbers = [data.register(scalar, fill, source, negative=False) for _ in range(200)]
    if scalar == BF16:  # bits
        numbers = [np.uint32(int(bits) << 16).view(np.float32) for bits in numbers]
    assert all(0 <= number < np.inf for number in numbers)
    assert len({float(number) for number in numbers}) > 1


@pytest.mark.parametrize("fill", [data.Fill.SMALL, data.Fill.EDGES, data.Fill.RANDOM])
def test_other_registers_get_negative_numbers_too(fill: data.Fill) -> None:
    source = np.random.default_rng(0)
    assert any(data.register(F32, fill, source, negative=True) < 0 for _ in range(50))
