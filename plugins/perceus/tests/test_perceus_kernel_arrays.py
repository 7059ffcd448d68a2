"""Empty arrays and parts of arrays given to scheduled procedures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from usl_core import DRAM, cut_loop, divide_loop, proc, set_precision
from usl_perceus import PerceusError, fun, no_alloc
from usl_perceus.python import live_blocks


@proc
def dot(n: size, x: f32[n] @ DRAM, y: [f32][n] @ DRAM, sum: f32 @ DRAM):  # noqa: F821
    for i in seq(0, n):  # noqa: F821
        sum += x[i] * y[i]


@proc
def matmul(m: size, n: size, k: size, a: f32[m, k] @ DRAM, b: f32[k, n] @ DRAM, c: f32[m, n] @ DRAM):  # noqa: F821
    for i in seq(0, m):  # noqa: F821
        for j in seq(0, n):  # noqa: F821
            c[i, j] = 0.0
            for l in seq(0, k):  # noqa: E741, F821
                c[i, j] += a[i, l] * b[l, j]


@proc
def minimum(n: size, x: R[n] @ DRAM, least: R @ DRAM, other: R[n] @ DRAM):  # noqa: F821
    least = x[0]
    for i in seq(0, n):  # noqa: F821
        least = min(least, x[i])
        other[i] = least


@proc
def last(n: size, x: f32[n] @ DRAM, y: f32 @ DRAM):  # noqa: F821
    for i in seq(0, n):  # noqa: F821
        y = x[i]  # noqa: F841


first_alone = cut_loop(matmul, "l", 1)
rows_of_four = divide_loop(first_alone, "i", 4, ["io", "ii"], tail="cut")
least_of = set_precision(set_precision(set_precision(minimum, "x", "f32"), "least", "f32"), "other", "f32")


@fun
def dotted(n: i64, x: array[f32], y: array[f32]) -> f32:  # noqa: F821
    return dot(n, x, y, 1.0)


@fun
def multiplied(m: i64, n: i64, k: i64, a: array[f32], b: array[f32], c: array[f32]) -> array[f32]:  # noqa: F821
    return rows_of_four(m, n, k, a, b, c)


@fun
def least(n: i64, x: array[f32]) -> f32:  # noqa: F821
    found, _other = least_of(n, x, 0.0, x)
    return found


@fun
def last_of(n: i64, x: array[f32]) -> f32:  # noqa: F821
    return last(n, x, -1.0)


@fun
def of_parts(n: i64, x: array[f32], y: array[f32], i: i64, j: i64, k: i64) -> f32:  # noqa: F821
    return dot(n, x[i:j], y[k:], 0.0)


@no_alloc
@fun
def with_row(n: i64, row: i64, a: array[f32], b: array[f32], c: array[f32]) -> array[f32]:  # noqa: F821
    return rows_of_four(1, n, n, a[row * n : (row + 1) * n], b, c[row * n : (row + 1) * n])


@fun
def half_of_itself(x: array[f32]) -> tuple[array[f32], f32]:  # noqa: F821
    changed = rows_of_four(1, 1, 2, x[:2], x[2:4], x[4:])
    return (changed, dot(len(x), x, x, 0.0))


@pytest.fixture(autouse=True)
def _empty_heap():
    before = live_blocks()
    yield
    assert live_blocks() == before


def array(*shape: int) -> np.ndarray:
    return np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape)


def test_a_sum_over_empty_arrays_is_what_it_was():
    assert dotted(0, array(0), array(0)) == 1.0
    assert dotted(2, array(2), array(2)) == 6.0
    assert last_of(0, array(0)) == -1.0


@pytest.mark.parametrize("m", [0, 1, 5])
@pytest.mark.parametrize("n", [0, 2])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_with_empty_arrays_a_procedure_does_what_was_written_before_it_was_scheduled(m, n, k):
    """The scheduled one does the first product in each case: it would read beyond the end where k is 0."""
    a, b = array(m, k), array(k, n)
    assert np.array_equal(multiplied(m, n, k, a, b, np.full((m, n), 7.0)), (a @ b).ravel())


def test_arrays_that_must_be_empty_are():
    with pytest.raises(ValueError, match="the length of a is not 0, although k is"):
        multiplied(2, 2, 0, array(1), array(0), array(4))
    with pytest.raises(ValueError, match=r"the length of b is not k \* n"):
        multiplied(0, 2, 2, array(0), array(3), array(0))
    with pytest.raises(ValueError, match="n is not from 0"):
        multiplied(0, -1, 2, array(0), array(2), array(0))


def test_a_procedure_that_looks_at_an_element_anyhow_takes_no_empty_array():
    assert least(2, array(2)) == 1.0
    with pytest.raises(ValueError, match="minimum: n is not from 1"):
        least(0, array(0))


places = st.integers(-9, 9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 6), st.integers(0, 6), places, places, places)
def test_parts_are_those_of_python(left, right, i, j, k):
    x, y = array(left), array(right)
    if len(x[i:j]) == len(y[k:]):
        assert of_parts(len(x[i:j]), x, y, i, j, k) == np.dot(x[i:j], y[k:])
    else:
        with pytest.raises(ValueError, match=r"the length of y is not (n|0, although n is)"):
            of_parts(len(x[i:j]), x, y, i, j, k)


def test_a_part_that_is_written_changes_in_its_array():
    a, b = array(3, 3), array(3, 3)
    changed = with_row(3, 1, a, b, np.zeros(9)).reshape(3, 3)
    assert np.array_equal(changed[1], a[1] @ b)
    assert not changed[0].any()
    assert not changed[2].any()
    assert with_row.explain() == "nothing is allocated"


def test_an_array_of_which_other_parts_are_read_is_copied():
    x = array(5)
    changed, total = half_of_itself(x)
    assert changed.tolist() == [1.0, 2.0, 3.0, 4.0, 1.0 * 3.0 + 2.0 * 4.0]
    assert total == np.dot(x, x)
    assert "the array that it writes is copied" in half_of_itself.explain()


def test_a_part_is_no_value_of_its_own():
    @fun
    def wrong(x: array[f32]) -> array[f32]:  # noqa: F821
        return x[1:]

    with pytest.raises(PerceusError, match="a part of an array is only an argument of a @proc"):
        wrong(array(2))
