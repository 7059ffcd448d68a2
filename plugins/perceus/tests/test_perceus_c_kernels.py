"""Scheduled procedures called by functional programs: written arrays are changed in place where they are unique."""

from __future__ import annotations

import re

import numpy as np
import pytest

from usl_core import DRAM, proc
from usl_perceus import data, fun
from usl_perceus.c import generate
from usl_perceus.errors import PerceusError
from usl_perceus.passes import compile_program
from usl_perceus.python import call, live_blocks


@proc
def axpy(n: size, a: f32, x: f32[n] @ DRAM, y: f32[n] @ DRAM):  # noqa: F821
    for i in seq(0, n):  # noqa: F821
        y[i] += a * x[i]


@proc
def rows(n: size, m: size, x: [f32][n, m] @ DRAM, sums: f32[n] @ DRAM, twice: f32[n, m] @ DRAM):  # noqa: F821, RUF016
    for i in seq(0, n):  # noqa: F821
        sums[i] = 0.0
        for j in seq(0, m):  # noqa: F821
            sums[i] += x[i, j]
            twice[i, j] = x[i, j] + x[i, j]


@proc
def halve(n: size, at: index, x: f32[n] @ DRAM, y: f32[n] @ DRAM):  # noqa: F821
    check(n % 2 == 0)  # noqa: F821
    for i in seq(0, n):  # noqa: F821
        x[i] = 0.5 * x[i]
        y[i] = x[i]


@proc
def huge(n: size, x: f32[n] @ DRAM):  # noqa: F821
    t: f32[n, 1000000, 1000] @ DRAM  # noqa: F821
    for i in seq(0, n):  # noqa: F821
        t[i, 0, 0] = x[i]  # noqa: F821
    for i in seq(0, n):  # noqa: F821
        x[i] = t[i, 0, 0]  # noqa: F821


@proc
def cpow(n: size, x: f32[n] @ DRAM):  # noqa: F821
    for i in seq(0, n):  # noqa: F821
        x[i] = x[i] * x[i]


@data
class Both:
    Both: (array[f32], array[f32])  # noqa: F821


@fun
def repeated(n: i64, x: array[f32], y: array[f32], times: i64) -> array[f32]:  # noqa: F821
    if times == 0:
        return y
    return repeated(n, x, axpy(n, 2.0, x, y), times - 1)


@fun
def kept(n: i64, x: array[f32]) -> Both:  # noqa: F821
    return Both(axpy(n, 1.0, x, x), x)


@fun
def summed(n: i64, m: i64, x: array[f32], sums: array[f32], twice: array[f32]) -> tuple[array[f32], array[f32]]:  # noqa: F821
    return rows(n, m, x, sums, twice)


@fun
def halved(n: i64, at: i64, x: array[f32], s: str) -> str:  # noqa: F821
    a, b = halve(n, at, x, x)
    return f"{s}: {a[0]} {b == x} {s}"


@fun
def squared(n: i64, x: array[f32]) -> array[f32]:  # noqa: F821
    return cpow(n, x)


@fun
def hugely(n: i64, x: array[f32]) -> array[f32]:  # noqa: F821
    return huge(n, x)


@fun
def caught(n: i64, x: array[f32], other: array[f32]) -> array[f32]:  # noqa: F821
    try:
        a, _b = halve(n, 0, x, other)
        return a
    except ValueError:
        return other


@fun
def elsewhere(n: i64, x: array[f32]) -> str:  # noqa: F821
    return join(spawn(halved, n, 0, x, "thread"))  # noqa: F821


@pytest.fixture(autouse=True)
def _empty_heap():
    before = live_blocks()
    yield
    assert live_blocks() == before


def test_a_kernel_updates_an_array_step_by_step():
    x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    assert call(repeated, [4, x, y, 3]).tolist() == [1.0, 7.0, 13.0, 19.0]
    assert y.tolist() == [1.0] * 4


def test_an_array_that_is_still_needed_is_copied_first():
    result = call(kept, [3, np.arange(3, dtype=np.float32)])
    changed, same = (result.fields) if not isinstance(result, tuple) else result
    assert changed.tolist() == [0.0, 2.0, 4.0]
    assert same.tolist() == [0.0, 1.0, 2.0]


def test_windows_and_several_written_arrays():
    x = np.arange(6, dtype=np.float32)
    sums, twice = call(summed, [2, 3, x, np.zeros(2, np.float32), np.zeros(6, np.float32)])
    assert sums.tolist() == [3.0, 12.0]
    assert twice.tolist() == (2 * x).tolist()


def test_a_kernel_takes_no_name_from_the_c_library():
    """A program that links it would call it in the place of the library's."""
    assert call(squared, [2, np.array([3, 4], np.float32)]).tolist() == [9.0, 16.0]
    with pytest.raises(ValueError, match="cpow: the length of x"):
        call(squared, [3, np.zeros(2, np.float32)])
    text = generate(compile_program(squared.core().program), "prog").files["prog_kernels.c"]
    assert set(re.findall(r"^(?!static )(?:\w+ )+\*?(\w+)\(", text, re.MULTILINE)) == {"cpow_", "cpow__error"}


def test_truth_values_as_data_are_bytes_for_functional_programs():
    @proc
    def marked(n: size, m: b8[n] @ DRAM):  # noqa: F821
        for i in seq(0, n):  # noqa: F821
            m[i] = True

    @fun
    def main(n: i64, m: array[bool]) -> array[bool]:  # noqa: F821
        return marked(n, m)

    with pytest.raises(PerceusError, match="elements of type b8, which functional programs do not have") as caught:
        main.core()
    assert caught.value.notes == ("hint: take it as u8, which is 0 or 1",)


def test_arrays_of_the_wrong_length_raise():
    with pytest.raises(ValueError):
        call(repeated, [5, np.zeros(4, np.float32), np.zeros(5, np.float32), 1])


def test_the_c_takes_the_array_itself_where_it_is_unique():
    text = repeated.show("c")
    assert "usl_raw_array_own(y, sizeof(float)" in text
    assert "usl_dup" not in text


ONES = np.ones(3, np.float32)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda: call(halved, [3, 0, ONES, "s"]), r"test_perceus_c_kernels.py:\d+: halve: .*check failed: n % 2 == 0"),
        (lambda: call(elsewhere, [3, ONES]), r"halve: .*check failed: n % 2 == 0"),
        (lambda: call(halved, [2, 1 << 33, ONES[:2], "s"]), "halve: at is not from -2147483647 to 2147483647"),
        (lambda: call(hugely, [100_000, np.ones(100_000, np.float32)]), "huge: out of memory for t"),
    ],
    ids=["a check", "in a thread", "an index", "a buffer"],
)
def test_a_procedure_that_fails_raises_what_it_says(run, message):
    with pytest.raises(ValueError, match=message):
        run()
    assert call(halved, [2, 0, ONES[:2], "s"]) == "s: 0.5 False s"


def test_what_a_procedure_that_failed_has_done_to_an_array_is_seen_by_nobody():
    other = np.zeros(3, np.float32)
    assert call(caught, [3, ONES, other]).tolist() == [0.0] * 3
    assert call(caught, [2, ONES[:2], other[:2]]).tolist() == [0.5] * 2
    assert ONES.tolist() == [1.0] * 3
