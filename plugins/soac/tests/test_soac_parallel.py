"""`soac_default` with parallel=True: which loops run on threads, and that results keep their bits."""

from __future__ import annotations

import numpy as np
import pytest

from usl_soac import schedules
from usl_soac.decorators import Function, parse_program

TEXT = """
@soac
def scaled_sums(a: f32[n, m], s: f32) -> f32[n]:
    return map(lambda row: reduce(add, 0.0, map(lambda x: exp(x) * s, row)), a)

@soac
def product(a: f64[n, k], b: f64[k, m]) -> f64[n, m]:
    return map(lambda row: map(lambda column: reduce(add, 0.0, map(mul, row, column)), transpose(b)), a)

@soac
def looked_up(at: i64[n], table: f32[m]) -> f32[n]:
    return map(lambda i: table[i], at)

@soac
def total(a: f32[n]) -> f32:
    return reduce(add, 0.0, a)
"""
RNG = np.random.default_rng(3)
ROWS, COLUMNS = RNG.random((37, 53)), RNG.random((53, 41))
PROGRAMS = parse_program(TEXT, "parallel.py")
VALUES = RNG.random(1000).astype(np.float32)


def parallel_loops(f: Function) -> int:
    return sum(str(kernel).count(" in par(") for kernel in f.kernels.values())


@pytest.mark.parametrize("target", ["avx512", "c"])
@pytest.mark.parametrize(
    ("name", "args"),
    [("scaled_sums", (ROWS.astype(np.float32), 0.5)), ("product", (ROWS, COLUMNS)), ("product", (ROWS[:0], COLUMNS))],
)
def test_outermost_loops_run_on_threads_with_the_same_bits(name: str, args: tuple[object, ...], target: str) -> None:
    f = PROGRAMS[name]
    made = f.schedule(schedules.soac_default, target=target, parallel=True)
    assert parallel_loops(made) >= 1
    alone = f.schedule(schedules.soac_default, target=target)
    assert parallel_loops(alone) == 0
    np.testing.assert_array_equal(made(*args), alone(*args), strict=True)


def test_loops_that_add_to_one_place_stay_in_order() -> None:
    total = PROGRAMS["total"]
    made = total.schedule(schedules.soac_default, parallel=True)
    assert parallel_loops(made) == 0
    assert made(VALUES) == total.schedule(schedules.soac_default)(VALUES)


def test_loops_whose_elements_are_tested_stay_in_order_and_fail_at_the_same_element() -> None:
    made = PROGRAMS["looked_up"].schedule(schedules.soac_default, parallel=True)
    assert parallel_loops(made) == 0
    at = RNG.integers(0, 1000, 333)
    np.testing.assert_array_equal(made(at, VALUES), VALUES[at])
    at[[100, 200]] = 1000, -1
    with pytest.raises(IndexError, match="1000"):
        made(at, VALUES)
