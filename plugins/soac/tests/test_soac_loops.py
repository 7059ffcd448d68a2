"""Loops in functions of maps that end by data: in kernels, sixteen elements at once, each with a flag."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest
from soac_compiled_fuzz import checked
from soac_loop_programs import random_loop_program

from usl_perceus import live_blocks
from usl_soac import schedules
from usl_soac.decorators import parse_program

TEXT = """
@soac
def halvings(x: f64[n], limit: i64) -> i64[n]:
    def g(v):
        k = 0
        while k < limit and not v <= 1.0:
            v = v * 0.5
            k += 1
        return k
    return map(g, x)

@soac
def leaves(x: i32[n]) -> tuple[i32[n], bool[n]]:
    def g(v):
        late = False
        for i in range(20):
            v = v + 3 if v < 100 else v ^ i32(i)
            late = i > 17
            if v == 100 or v == 40:
                break
        return v, late
    return map(g, x)

@soac
def nested(x: f32[n], limit: i32) -> f32[n]:
    def g(v):
        total = v
        for i in range(5):
            k = i32(0)
            while k < limit and total < 40.0:
                total = total + v
                k += 1
            total = total * 0.5
            if total < -2.0:
                break
        return total
    return map(g, x)

@soac
def gathered(x: i64[n], table: i64[m]) -> i64[n]:
    def g(v):
        k = 0
        while k < 30 and v != 0:
            assert k < 25, "too long"
            v = table[v]
            k += 1
        return k
    return map(g, x)

@soac
def looked_up(x: i64[n], table: i64[m], limit: i64) -> i64[n]:
    def g(v):
        total, k = v, 0
        while table[v + k] != 7 and k < limit:
            total = total + table[v]
            k += 1
        return total
    return map(g, x)

@soac
def looked_around(x: i64[n], table: i64[m], limit: i64) -> i64[n]:
    def g(v):
        total, k = v, -2
        while 99 // table[v + k + 2] != 7 and limit > k:
            total = total + k
            k += 1
        return total
    return map(g, x)

@soac
def sums(x: f64[n, m], limit: i64) -> i64[n]:
    def g(v):
        k = 0
        while k < limit and v > 1.0:
            v = v * 0.5
            k += 1
        return k
    return map(lambda r: reduce(add, 0, map(g, r)), x)

@soac
def kept(x: f64[n], limit: i64) -> f64[_]:
    def long(v):
        k = 0
        while k < limit and v > 1.0:
            v = v * 0.5
            k += 1
        return k > 2
    return filter(long, x)

@soac
def unbounded(x: f64[n]) -> i64[n]:
    def g(v):
        k = 0
        while v > 1.0:
            v = v * 0.5
            k += 1
        return k
    return map(g, x)

@soac
def row_limits(x: f64[n]) -> f64[n]:
    def g(i, v):
        for j in range(i):
            v = v + 1.0
            if v > 5.0:
                break
        return v
    return map(g, iota(n), x)
"""
programs = parse_program(TEXT)
odd = [np.nan, np.inf, -np.inf, -0.0, 1.0, 2.0, 1e300, 5e-324, 3.0]


def numbers(count: int) -> np.ndarray[Any, Any]:
    return np.resize(np.array(odd), count)


@pytest.fixture(autouse=True)
def _empty_heap():
    before = live_blocks()
    yield
    assert live_blocks() == before


def compare(name: str, *args: Any) -> None:
    found, expected = programs[name](*args), programs[name].interpret(*args)
    for one, other in zip(
        found if isinstance(found, tuple) else (found,), expected if isinstance(expected, tuple) else (expected,), strict=True
    ):
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype == np.asarray(other).dtype


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 48])
def test_lanes_end_each_where_its_own_data_says_so(count):
    for limit in (-1, 0, 1, 15, 16, 17, 40, -(2**62)):
        compare("halvings", numbers(count), limit)
    compare("leaves", np.resize(np.array([97, 100, 40, 37, 2**31 - 1, -(2**31), 0, 99], np.int32), count))
    for limit in (0, 3, 16, -1):
        compare("nested", np.resize(np.array([0.5, -1, np.nan, 16, np.inf, 39], np.float32), count), limit)
    compare("row_limits", numbers(count))
    compare("kept", numbers(count), 9)


def test_a_limit_beyond_what_kernels_count_is_no_limit_less():
    """Outer code goes on where a kernel, which counts to 2^31 - 1, cannot."""
    outer = programs["halvings"].show("outer")
    assert "> 2147483647" in outer
    for limit in (2**31 - 1, 2**31, 10**18):
        compare("halvings", np.linspace(0, 1e9, 17), limit)


def test_elements_are_in_sixteens_with_a_flag_for_each_and_the_rest_one_by_one():
    (kernel,) = programs["leaves"].kernels.values()
    text = str(kernel)
    assert "for io in seq(0, n / 16):" in text
    assert "alive: i32[16]" in text
    assert "for i in seq(16 * (n / 16), n):" in text
    assert programs["leaves"].compiled().outer.not_kernels == {}


def test_only_what_is_read_after_the_loop_stays_as_it_is_in_lanes_that_have_ended():
    text = str(programs["halvings"].kernels["halvings.k0"])
    assert "k[ii_6] = select(0, alive[ii_6], next_2, k[ii_6])" in text
    assert "v_2[ii_6] = next\n" in text


def test_a_test_in_the_loop_counts_for_lanes_that_go_on():
    table = np.array([0, 0, 1, 2, 9, 4])
    x = np.resize(np.array([1, 2, 3, 0, 1]), 35)
    compare("gathered", x, table)
    assert "0 < alive[" in str(programs["gathered"].kernels["gathered.k0"])
    for wrong, error in ((4, IndexError), (6, IndexError), (-1, IndexError)):
        bad = x.copy()
        bad[20] = wrong
        with pytest.raises(error):
            programs["gathered"](bad, table)
    with pytest.raises(AssertionError, match="too long"):
        programs["gathered"](np.resize(np.array([1, 0]), 18), np.array([0, 1]))


@pytest.mark.parametrize("limit", [-1, 0, 1, 4, 5, 16, 17])
def test_a_condition_that_may_fail_is_asked_once_more_where_the_counter_has_reached_its_limit(limit):
    """Not only as often as there are rounds: an index may be out of range when it is asked last."""
    table = np.where(np.arange(22) == 20, 0, 100)
    for length, name, count in itertools.product(range(1, 23), ("looked_up", "looked_around"), (3, 35)):
        x, said = np.arange(count) % 2, []
        for way in (programs[name], programs[name].interpret):
            try:
                said.append(way(x, table[:length], limit).tolist())
            except (IndexError, ZeroDivisionError) as error:
                said.append(str(error))
        assert said[0] == said[1], (name, length)
    assert len(programs["looked_up"].kernels) == len(programs["looked_around"].kernels) == 1


def test_a_loop_without_a_bound_is_outer_code():
    compare("unbounded", np.array([0.5, 3.0, 1e30, 1.0]))
    assert not programs["unbounded"].kernels
    assert "depends on data" in programs["unbounded"].compiled().outer.not_kernels["unbounded"][0]


def test_maps_in_reductions_of_maps_are_in_sixteens_too():
    assert "alive" in str(programs["sums"].kernels["sums.k0"])
    for shape in ((2, 33), (0, 5), (3, 0), (1, 16)):
        compare("sums", np.resize(numbers(9), shape), 12)


@pytest.mark.skipif(not schedules.has_vectors(), reason="needs AVX-512")
def test_the_loops_over_lanes_are_vectors_by_default():
    (kernel,) = programs["halvings"].kernels.values()
    text = str(schedules.soac_default(kernel))
    assert "mm512_select" in text
    assert not re.search(r"for ii(_\d+)? in", text)


def test_random_programs_do_what_the_interpreter_does():
    counts, wrong = checked([random_loop_program(seed) for seed in range(8, 14)])
    assert wrong == []
    assert counts["kernels"] >= 4
    assert counts["well"] >= 6
