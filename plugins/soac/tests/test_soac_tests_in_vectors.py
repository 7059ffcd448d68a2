"""Tests that kernels make of each element, in vectors: a failing element is found wherever it stands."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

from usl_soac import schedules
from usl_soac.decorators import parse_program

TEXT = """
@soac
def narrow(x: f32[n], at: i32[m]) -> f32[m]:
    return map(lambda i: x[i64(i)], at)

@soac
def keys(x: f32[n], at: i64[m]) -> f32[m]:
    return map(lambda i: x[i], at)

@soac
def wide(x: f64[n], at: i64[m]) -> f64[m]:
    return map(lambda i: x[i] + 1.0, at)

@soac
def widened(x: f64[n], at: i32[m]) -> f64[m]:
    return map(lambda i: x[i64(i)], at)

@soac
def bytes(x: f32[n], at: u8[m]) -> f32[m]:
    return map(lambda i: x[i64(i)], at)

@soac
def twice(x: f32[n], at: i32[m], by: i32[m], limit: f32) -> f32[m]:
    def of(i, d):
        assert d != 0, "nothing to divide by"
        v = x[i64(i)] / f32(d)
        assert v < limit, "too much"
        return v
    return map(of, at, by)

@soac
def sums(x: f32[n], at: i32[m, k]) -> f32[m]:
    return map(lambda row: reduce(add, 0.0, map(lambda i: x[i64(i)], row)), at)

@soac
def below(x: f32[n], y: f32[n]) -> f32[n]:
    def of(a, b):
        assert a <= b, "in order"
        return a + b
    return map(of, x, y)
"""
PROGRAMS = parse_program(TEXT, "in_vectors.py")
TABLES = {"narrow": ("f4", "i4"), "keys": ("f4", "i8"), "wide": ("f8", "i8"), "widened": ("f8", "i4"), "bytes": ("f4", "u1")}
vectors = pytest.mark.skipif(not schedules.has_vectors(), reason="needs AVX-512")


@functools.cache
def fast(name):
    return PROGRAMS[name].schedule(schedules.soac_default)


def failure(call, *args):
    """What a call says when it fails."""
    with pytest.raises((IndexError, AssertionError)) as caught:
        call(*args)
    return str(caught.value), caught.value.values


@vectors
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_loop_with_a_test_of_each_element_is_in_vectors(name):
    text = str(fast(name).kernels[f"{name}.k0"])
    assert "_or_into_epi" in text and "_reduce_or_epi" in text
    assert "if " not in text


@pytest.mark.parametrize("name", TABLES)
def test_elements_are_those_of_the_interpreter_and_a_failing_one_is_found_in_each_lane(name):
    of, by = TABLES[name]
    x = np.arange(37).astype(of)
    for count in (0, 1, 7, 8, 15, 16, 17, 35):
        at = (np.arange(count) * 5 % 37).astype(by)
        assert np.array_equal(fast(name)(x, at), PROGRAMS[name].interpret(x, at))
        for place in range(count):
            wrong = at.copy()
            wrong[place] = 37
            found = failure(fast(name), x, wrong)
            assert found[1] == (37, 37)
            if place in (0, count - 1):
                assert found == failure(PROGRAMS[name].interpret, x, wrong)


@pytest.mark.parametrize("key", [-1, -(2**31), 2**31, 2**32, 2**32 + 3, -(2**63), 2**63 - 1])
@pytest.mark.parametrize("name", ["keys", "wide"])
def test_indices_that_no_32_bits_hold_are_out_of_range(name, key):
    x, at = np.arange(5).astype(TABLES[name][0]), np.zeros(20, np.int64)
    at[13] = key
    assert failure(fast(name), x, at) == failure(PROGRAMS[name].interpret, x, at)


def test_of_several_tests_the_first_failing_element_is_reported_with_its_site():
    program, call, x = PROGRAMS["twice"], fast("twice"), np.arange(1, 40, dtype=np.float32)
    at, by = np.arange(39, dtype=np.int32) % 20, np.ones(39, np.int32)
    assert np.array_equal(call(x, at, by, 100.0), program.interpret(x, at, by, 100.0))
    for zero, out, large in ((3, 20, 30), (20, 3, 30), (30, 20, 3), (38, 38, 38), (5, 5, 0)):
        divisors, places, values = by.copy(), at.copy(), x.copy()
        divisors[zero], places[out] = 0, -1
        values[places[large]] = 1000
        expected = failure(program.interpret, values, places, divisors, 100.0)
        assert failure(call, values, places, divisors, 100.0) == expected


def test_a_test_of_real_numbers_fails_where_one_is_no_number():
    call, program = fast("below"), PROGRAMS["below"]
    a = np.array([0, -0.0, np.inf, -np.inf, 1, 2**-149, -3e38, 5] * 3, np.float32)
    b = np.array([-0.0, 0, np.inf, -np.inf, 1, 2**-149, 3e38, 6] * 3, np.float32)
    assert np.array_equal(call(a, b), program.interpret(a, b))
    for place, (one, other) in enumerate([(np.nan, 1), (1, np.nan), (np.nan, np.nan), (2, 1), (np.inf, 1), (1, -np.inf)]):
        x, y = a.copy(), b.copy()
        x[3 * place], y[3 * place] = one, other
        assert failure(call, x, y) == failure(program.interpret, x, y)


def test_rows_are_summed_with_their_tests():
    x, at = np.arange(9, dtype=np.float32), (np.arange(5 * 21, dtype=np.int32) % 9).reshape(5, 21)
    assert np.array_equal(fast("sums")(x, at), PROGRAMS["sums"].interpret(x, at))
    assert fast("sums")(x, at[:, :0]).tolist() == [0.0] * 5
    at[3, 20] = 9
    assert failure(fast("sums"), x, at) == failure(PROGRAMS["sums"].interpret, x, at)


COMPARED = """
@soac
def compared(x: f32[n], y: f32[n], a: f64[n], b: f64[n]) -> i64[n]:
    return map(lambda p, q, r, s:
        (1 if p < q else 0) + (2 if p <= q else 0) + (4 if p == q else 0) + (8 if p != q else 0)
        + (16 if p >= q else 0) + (32 if p > q else 0) + (64 if r < s else 0) + (128 if r <= s else 0)
        + (256 if r == s else 0) + (512 if r != s else 0) + (1024 if r >= s else 0) + (2048 if r > s else 0)
        + (4096 if not r >= s else 0) + (8192 if not p <= q else 0)
        + (16384 if not (p == q and r >= s) else 0), x, y, a, b)
"""


def test_every_comparison_of_two_variables_is_that_of_ieee_754():
    program = parse_program(COMPARED, "compared.py")["compared"]
    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.0, np.finfo(np.float32).max, -np.finfo(np.float32).max, 1e-45]
    a, b = (np.array(each) for each in zip(*itertools.product(odd, odd), strict=True))
    x, y = a.astype(np.float32), b.astype(np.float32)
    every = [x < y, x <= y, x == y, x != y, x >= y, x > y, a < b, a <= b, a == b, a != b, a >= b, a > b]
    every += [~(a >= b), ~(x <= y), ~((x == y) & (a >= b))]
    expected = sum(each.astype(np.int64) << place for place, each in enumerate(every))
    for made in (program, program.schedule(schedules.soac_default)):
        assert np.array_equal(made(x, y, a, b), expected)
    assert np.array_equal(program.interpret(x, y, a, b), expected)
