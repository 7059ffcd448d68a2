"""Indices that are found in arrays: as i32 where that holds them, which vectors gather by."""

from __future__ import annotations

import numpy as np
import pytest

from usl_soac import schedules
from usl_soac.decorators import parse_program

TEXT = """
@soac
def clamped(x: i32[n], y: f32[m]) -> f32[n]:
    assert m > 0
    return map(lambda i: y[min(max(i64(i), 0), m - 1)], x)

@soac
def behind(x: i16[n], y: f32[m]) -> f32[n]:
    assert m > 0
    return map(lambda i: y[max(min(i64(i), m - 1), 0)] if i >= 0 else f32(-1.0), x)

@soac
def wide(x: i64[n], y: f32[m]) -> f32[n]:
    assert m > 0
    return map(lambda i: y[min(max(i, 0), m - 1)], x)

@soac
def summed(x: i32[n], y: f32[m]) -> f32[n]:
    assert m > 0
    return map(lambda i: y[min(max(i64(i) + i64(i), 0), m - 1)], x)

@soac
def tested(x: u8[n], y: f32[m]) -> f32[n]:
    return map(lambda i: y[i64(i)], x)

@soac
def first(x: f32[n], far: f32[3]) -> f32[n]:
    return map(lambda v: far[0] if v < 0.0 else far[2] * v, x)
"""
PROGRAMS = parse_program(TEXT, "gathers.py")


@pytest.mark.parametrize(
    ("name", "key", "kind"),
    [("clamped", "i32", "i32"), ("behind", "i16", "i32"), ("wide", "i64", "i64"), ("summed", "i32", "i64")],
)
def test_keys_are_i32_where_that_holds_them_and_elements_are_those_of_the_interpreter(name, key, kind):
    program = PROGRAMS[name]
    _, _, body = str(program.kernels[f"{name}.k0"]).partition(":\n    for")
    assert ("i64" not in body) == (kind == "i32")
    most = 2 ** (int(key[1:]) - 1)
    few = np.array([-most, 1 - most, -1, 0, 1, 2, 6, 7, most - 1] * 4, f"int{key[1:]}")
    y = np.arange(7, dtype=np.float32) + 1
    for given in (few, few[:1], few[:0]):
        expected = program.interpret(given, y)
        assert np.array_equal(program(given, y), expected)
        assert np.array_equal(program.schedule(schedules.soac_default)(given, y), expected)


def test_keys_that_are_out_of_range_are_found_in_any_type():
    program, y = PROGRAMS["tested"], np.arange(7, dtype=np.float32)
    assert program(np.array([3, 6], np.uint8), y).tolist() == [3, 6]
    with pytest.raises(IndexError, match="7 is out of range"):
        program(np.array([3, 7], np.uint8), y)


def test_an_array_of_known_size_is_read_without_a_branch():
    program = PROGRAMS["first"]
    assert "select(x[i], 0.0, far[0]," in str(program.kernels["first.k0"])
    x, far = np.array([-1, 2, np.nan, -0.0], np.float32), np.array([5, 6, 7], np.float32)
    assert np.array_equal(program(x, far), program.interpret(x, far), equal_nan=True)
