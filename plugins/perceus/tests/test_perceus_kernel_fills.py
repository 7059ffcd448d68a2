"""New arrays given to kernels that write all of them: nothing is put into them before."""

from __future__ import annotations

import numpy as np
import pytest

from usl_core import DRAM, divide_loop, proc
from usl_perceus import fun, live_blocks
from usl_perceus.front.kernel_fills import filled


@proc
def outer_product(m: size, n: size, x: f32[m] @ DRAM, y: f32[n] @ DRAM, z: f32[m, n] @ DRAM, rows: f32[m] @ DRAM):  # noqa: F821
    for j in seq(0, n):  # noqa: F821
        for i in seq(0, m):  # noqa: F821
            z[i, j] = x[i] * y[j]
    for i in seq(0, m):  # noqa: F821
        if x[i] < 0.0:
            rows[i] = 0.0
        else:
            rows[i] = x[i]
        rows[i] += 1.0


@proc
def front_part(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):  # noqa: F821
    for i in seq(0, n - 1):  # noqa: F821
        y[i] = x[i]


@proc
def looks_back(n: size, x: f32[n] @ DRAM, y: f32[n + 1] @ DRAM):  # noqa: F821
    y[0] = 0.0
    for i in seq(0, n):  # noqa: F821
        y[i + 1] = y[i] + x[i]


@proc
def looks_ahead(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):  # noqa: F821
    for i in seq(0, n):  # noqa: F821
        y[i] = x[i]
        for k in seq(0, n):  # noqa: F821
            y[i] += y[k]


@proc
def one_branch(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):  # noqa: F821
    for i in seq(0, n):  # noqa: F821
        if x[i] < 0.0:
            y[i] = x[i]


@proc
def diagonal(n: size, x: f32[n] @ DRAM, y: f32[n, n] @ DRAM):  # noqa: F821
    for i in seq(0, n):  # noqa: F821
        y[i, i] = x[i]


@proc
def adds(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):  # noqa: F821
    for i in seq(0, n):  # noqa: F821
        y[i] += x[i]


by_fours = divide_loop(outer_product, "j", 4, ["jo", "ji"], tail="cut")


@fun
def product(m: i64, n: i64, x: array[f32], y: array[f32]) -> tuple[array[f32], array[f32]]:  # noqa: F821
    return by_fours(m, n, x, y, array(m * n, 0.0), array(m, 0.0))  # noqa: F821


@fun
def added(n: i64, x: array[f32]) -> array[f32]:  # noqa: F821
    return adds(n, x, array(n, 0.0))  # noqa: F821


@fun
def negative(n: i64, x: array[f32]) -> array[f32]:  # noqa: F821
    try:
        return adds(n, x, array(n - 10, 0.0))  # noqa: F821
    except IndexError:
        return x


@pytest.fixture(autouse=True)
def _empty_heap():
    before = live_blocks()
    yield
    assert live_blocks() == before


def test_which_arrays_are_written_from_end_to_end_before_they_are_read():
    assert filled(outer_product) == {4, 5}
    assert filled(by_fours) == {4, 5}


@pytest.mark.parametrize("kernel", [front_part, looks_back, looks_ahead, one_branch, diagonal, adds], ids=lambda k: k.name())
def test_what_is_not_certain_is_filled_before(kernel):
    assert not filled(kernel)


@pytest.mark.parametrize("m", [0, 1, 3])
@pytest.mark.parametrize("n", [0, 1, 6])
def test_a_new_array_for_such_a_kernel_is_not_filled(m, n):
    x, y = np.arange(m, dtype=np.float32) - 1, np.arange(n, dtype=np.float32)
    found, rows = product(m, n, x, y)
    assert found.tolist() == np.outer(x, y).ravel().tolist()
    assert rows.tolist() == (np.maximum(x, 0) + 1).tolist()


def test_the_c_has_no_loop_that_fills_it():
    assert "array_blank" in product.show("core")
    assert "array_make" not in product.show("core")
    assert added(3, np.ones(3, np.float32)).tolist() == [1.0] * 3
    assert "array_make" in added.show("core")
    assert negative(3, np.ones(3, np.float32)).tolist() == [1.0] * 3
