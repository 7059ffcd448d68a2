"""A window that shows one place twice is no output: neither for jit, nor for the exported C, nor for the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from usl_core import proc_from_source
from usl_core.errors import InterpError, JitError
from usl_core.interp import run

W = proc_from_source("""
def w(n: size, m: size, y: [f32][n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            y[i, j] = f32(10 * i + j)
""")
R = proc_from_source("""
def r(n: size, m: size, y: [f32][n, m], x: f32):
    x = y[n - 1, m - 1]
""")


def view(strides: tuple[int, int]) -> np.ndarray:
    return np.lib.stride_tricks.as_strided(np.zeros(64, np.float32), (4, 3), strides)


@pytest.mark.parametrize("strides", [(4, 8), (0, 4), (4, 4), (8, 4), (4, 0)])
def test_overlapping_elements_are_refused_as_output(strides: tuple[int, int]) -> None:
    with pytest.raises(JitError, match="elements are distinct"):
        W.jit()(4, 3, view(strides))
    with pytest.raises(InterpError, match="overlap each other"):
        run(W.ir, [4, 3, view(strides)])


@pytest.mark.parametrize("strides", [(12, 4), (16, 4), (4, 16), (40, 8)])
def test_distinct_elements_are_written(strides: tuple[int, int]) -> None:
    out = view(strides)
    W.jit()(4, 3, out)
    assert out.tolist() == [[10 * i + j for j in range(3)] for i in range(4)]


def test_inputs_may_show_a_place_twice() -> None:
    x = np.zeros((), np.float32)
    R.jit()(4, 3, view((4, 8)), x)
    assert x == 0


def test_the_exported_function_checks_it_too() -> None:
    text = W.c_code()
    assert "if (!usl_distinct(y_place))" in text
    assert "the elements of y, which is written, must not overlap each other" in text
    assert "usl_distinct(y_place)" not in R.c_code()
