"""Truth values as data in C: a byte each, of which any but 0 is True; arrays of NumPy's bool_."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from usl_core import Procedure, proc_from_source
from usl_core.errors import JitError
from usl_core.interp import run

MASKED: Procedure = proc_from_source("""
def masked(n: size, x: f32[n], y: f32[n], m: b8[n], k: b8[n], o: f32[n], c: i32[n], every: b8, some: b8, odd: b8):
    every = True
    some = False
    for i in seq(0, n):
        m[i] = x[i] <= y[i] and not k[i] or x[i] != x[i]
        every &= m[i] or k[i]
        some |= x[i] < y[i]
        odd ^= k[i]
        o[i] = select(m[i], x[i], select(k[i] and x[i] > 0.5, 2.0, y[i]))
        c[i] = i32(m[i]) + 2 * i32(k[i] == m[i])
        if k[i] or i < 2 and m[i]:
            o[i] += 1.0
        k[i] = select(x[i], y[i], True, m[i])
""")


def arguments(n: int, bytes_of_true: int = 1) -> list[Any]:
    random = np.random.default_rng(n)
    x, y = random.integers(-2, 3, (2, n)).astype(np.float32)
    x[::7] = np.nan
    k = (random.integers(0, 2, n) * bytes_of_true).astype(np.uint8).view(np.bool_)
    flags = [np.array(each) for each in (False, False, True)]
    return [n, x, y, np.ones(n, np.bool_), k, np.zeros(n, np.float32), np.zeros(n, np.int32), *flags]


@pytest.mark.parametrize("n", [1, 2, 50])
def test_c_does_with_flags_what_the_interpreter_and_numpy_do(n: int) -> None:
    compiled, interpreted = arguments(n), arguments(n)
    _, x, y, _, k, *_ = arguments(n)
    MASKED.jit()(*compiled)
    run(MASKED.ir, interpreted, mode="machine")
    for found, expected in zip(compiled[1:], interpreted[1:], strict=True):
        assert found.tobytes() == expected.tobytes()
    _, _, _, m, _, _, c, every, some, odd = compiled
    expected_m = (x <= y) & ~k | np.isnan(x)
    assert np.array_equal(m, expected_m) and np.array_equal(c, expected_m + 2 * (k == expected_m))
    assert (every, some, odd) == ((m | k).all(), (x < y).any(), np.logical_xor.reduce(k) ^ True)


@pytest.mark.parametrize("byte", [2, 128, 255])
def test_every_byte_but_0_is_true(byte: int) -> None:
    """NumPy lets other bytes through: `array.view(bool)`."""
    strange, plain, interpreted = arguments(33, byte), arguments(33), arguments(33, byte)
    MASKED.jit()(*strange)
    MASKED.jit()(*plain)
    run(MASKED.ir, interpreted, mode="machine")
    for found, expected, other in zip(strange[1:], plain[1:], interpreted[1:], strict=True):
        assert found.tobytes() == expected.tobytes() == other.tobytes()


def test_no_byte_leads_out_of_bounds() -> None:
    """That a flag is at most 1 needs no clamp, and is so of any byte."""
    look = proc_from_source("""
def look(n: size, m: b8[n], table: i32[2], found: i32[n], total: b8):
    for i in seq(0, n):
        found[i] = table[idx(m[i], 0, 2)] + table[idx(i32(m[i]) + 0, 0, 2)]
    for i in par(0, n):
        total &= m[i]
""").jit()
    assert "usl_index" not in look.source
    found, total = np.zeros(256, np.int32), np.array([2], np.uint8).view(np.bool_)
    look(255, np.arange(1, 256).astype(np.uint8).view(np.bool_), np.int32([3, 40]), found[1:], total[0:1].reshape(()))
    assert found.tolist() == [0] + [80] * 255 and total.view(np.uint8)[0] == 1


def test_flags_are_passed_as_truth_values() -> None:
    p = proc_from_source("def f(b: b8, c: b8, x: i32):\n    c = not b\n    x = i32(b)\n")
    for b in (True, False, np.True_, np.array(True)):
        c, x = np.array(bool(b)), np.zeros((), np.int32)
        p.jit()(b, c, x)
        run(p.ir, [b, c, x], mode="machine")
        assert (c, x) == (not b, int(b))
    for wrong in (1, 1.0, np.int8(1), None):
        with pytest.raises(JitError, match=r"b must be (True or False|a number of type bool)"):
            p.jit()(wrong, np.array(True), np.zeros((), np.int32))
    with pytest.raises(JitError, match=r"an array of (one )?bool"):
        p.jit()(True, np.zeros((), np.uint8), np.zeros((), np.int32))


def test_flags_are_vectors_in_c() -> None:
    """A comparison as a value has no branch, and none is in what is made of flags."""
    text = "def f(n: size, x: f32[n], y: f32[n], m: b8[n]):\n    for i in seq(0, n):\n        m[i] = x[i] < y[i] and not m[i]\n"
    assert "m[i] = (uint8_t)((x[i] < y[i]) & !(m[i] != 0));" in proc_from_source(text).c_code()
