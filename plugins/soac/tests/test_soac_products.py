"""Matrix products, which the schedule for all kernels puts into tiles of registers."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from usl_soac import schedules
from usl_soac.decorators import parse_program

TEXT = """
@soac
def product(A: f32[n, m], B: f32[m, p]) -> f32[n, p]:
    return map(lambda r: map(lambda c: reduce(add, 0.0, map(mul, r, c)), transpose(B)), A)

@soac
def turned(A: f32[n, m], B: f32[p, m]) -> f32[n, p]:
    return map(lambda r: map(lambda c: reduce(add, 0.0, map(mul, c, r)), B), A)

@soac
def many(A: f64[b, n, m], B: f64[b, m, p]) -> f64[b, n, p]:
    return map(lambda x, y: map(lambda r: map(lambda c: reduce(add, 0.0, map(mul, r, c)), transpose(y)), x), A, B)

@soac
def differences(A: f32[n, m], B: f32[m, p]) -> f32[n, p]:
    return map(lambda r: map(lambda c: reduce(add, 0.0, map(lambda a, b: a - b, r, c)), transpose(B)), A)
"""
PROGRAMS = parse_program(TEXT, "products.py")
SIZES = [(0, 3, 40), (3, 0, 40), (1, 1, 1), (8, 5, 32), (13, 9, 83), (26, 3, 47), (7, 40, 64)]


@functools.cache
def fast(name):
    return PROGRAMS[name].schedule(schedules.soac_default)


def whole(*shape, of=np.float32):
    """Small whole numbers, whose sums are exact."""
    return (np.arange(int(np.prod(shape))) % 13 - 6).reshape(shape).astype(of)


@pytest.mark.skipif(not schedules.has_vectors(), reason="needs AVX-512")
@pytest.mark.parametrize(
    ("name", "tile"), [("product", "f32[8, 2, 16]"), ("turned", "f32[8, 2, 16]"), ("many", "f64[8, 2, 8]")]
)
def test_sums_of_a_tile_stay_in_registers(name, tile):
    text = str(fast(name).kernels[f"{name}.k0"])
    assert f"total: {tile} @ AVX512" in text and "_fmadd_set1_p" in text and "panel: f" in text
    assert "for jl in" not in text.partition("for io in")[2]


@pytest.mark.parametrize("sizes", SIZES)
def test_products_are_those_of_the_interpreter_whatever_fills_a_tile(sizes):
    n, m, p = sizes
    a, b = whole(n, m), whole(m, p)
    expected = PROGRAMS["product"].interpret(a, b)
    assert np.array_equal(fast("product")(a, b), expected)
    assert np.array_equal(fast("turned")(a, np.ascontiguousarray(b.T)), expected)
    x, y = whole(3, n, m, of=np.float64), whole(3, m, p, of=np.float64)
    assert np.array_equal(fast("many")(x, y), x @ y)


def test_each_sum_is_in_the_order_of_its_terms():
    """Large terms of both signs cancel in this order alone."""
    m = 50
    a = np.ones((9, m), np.float32)
    b = np.zeros((m, 35), np.float32)
    b[0], b[1], b[2:] = 2.0**30, -(2.0**30), 1.0
    assert np.array_equal(fast("product")(a, b), np.full((9, 35), m - 2, np.float32))


def test_what_is_no_product_is_none():
    a, b = whole(9, 4), whole(4, 33)
    assert np.array_equal(fast("differences")(a, b), PROGRAMS["differences"].interpret(a, b))
    assert "panel" not in str(fast("differences").kernels["differences.k0"])
