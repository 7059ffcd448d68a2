"""BLAS level 1: one schedule for all routines, right for all sizes and strides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from avx512_build import require

from usl_avx512.blas1 import LANES, ROUTINES, kernel
from usl_core.interp.run import run

DTYPES = {"f32": np.float32, "f64": np.float64}
EVERY = [(routine, typ) for routine in ROUTINES for typ in LANES]


def want(routine: str, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, ...]:
    """What the vectors, or the sum, hold afterwards; c, s and a are 3 and 2."""
    match routine:
        case "axpy":
            return x, y + 3 * x
        case "dot":
            return ((x * y).sum(),)
        case "scal":
            return (3 * x,)
        case "asum":
            return (abs(x).sum(),)
        case "copy":
            return x, x
        case "swap":
            return y, x
        case _:
            return 3 * x + 2 * y, 3 * y - 2 * x


def cases(typ: str) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Sizes around registers and unrolled loops; vectors that are dense, and with elements apart."""
    random = np.random.default_rng(1)
    lanes = LANES[typ]
    for n in (1, 2, lanes - 1, lanes, lanes + 1, 4 * lanes - 1, 4 * lanes, 7 * lanes + 3, 9 * lanes):
        for step in (1, 3):
            x, y = (random.integers(-8, 9, step * n).astype(DTYPES[typ])[::step] for _ in range(2))
            yield n, x, y


def arguments(routine: str, typ: str, n: int, x: np.ndarray, y: np.ndarray) -> tuple[list[Any], list[np.ndarray]]:
    """The arguments of a routine, and of these the arrays in which results are."""
    three, two, out = (np.array(value, DTYPES[typ]) for value in (3, 2, 7))
    match routine:
        case "axpy":
            return [n, three, x, y], [x, y]
        case "dot":
            return [n, x, y, out], [out]
        case "scal":
            return [n, three, x], [x]
        case "asum":
            return [n, x, out], [out]
        case "rot":
            return [n, three, two, x, y], [x, y]
        case _:
            return [n, x, y], [x, y]


def check(call: Callable[[list[Any]], object], routine: str, typ: str) -> None:
    for n, x, y in cases(typ):
        expected = [np.array(each) for each in want(routine, x, y)]
        given, results = arguments(routine, typ, n, x, y)
        call(given)
        for got, right in zip(results, expected, strict=True):
            assert np.array_equal(got, right), (n, x.strides)


@pytest.mark.parametrize(("routine", "typ"), EVERY)
def test_every_routine_is_right_in_the_interpreter(routine: str, typ: str) -> None:
    check(lambda given: run(kernel(routine, typ).ir, given), routine, typ)


@pytest.mark.parametrize(("routine", "typ"), [("dot", "f32"), ("rot", "f64")])
def test_a_kernel_is_right_on_the_processor(routine: str, typ: str) -> None:
    """All of them are run by `test_drivers`."""
    require("native")
    compiled = kernel(routine, typ).jit()
    check(lambda given: compiled(*given), routine, typ)


@pytest.mark.parametrize(("routine", "typ"), EVERY)
def test_dense_vectors_meet_no_scalar_code(routine: str, typ: str) -> None:
    """The one loop over single elements is for strides."""
    lines = [line.strip() for line in str(kernel(routine, typ)).partition("else:")[0].splitlines()]
    assert not [line for line in lines if " = " in line and not line.startswith(("for", "if", "out = 0.0"))]
    assert [line for line in lines if line.startswith("mm512_mask_")]
