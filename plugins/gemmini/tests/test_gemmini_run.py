"""Kernels on NumPy arrays, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from gemmini_model import read_out

from usl_gemmini import GemminiError
from usl_gemmini.run import convolution, product

A, B = np.full((5, 20), 3, np.int8), np.full((20, 7), -2, np.int8)
X, W, BIAS = np.ones((1, 4, 4, 16), np.int8), np.ones((3, 3, 16, 16), np.int8), np.zeros(16, np.int32)


def test_kernels_take_arrays():
    d = np.arange(7, dtype=np.int32)
    assert (product(A, B, 0.1, d) == read_out(A.astype(np.int32) @ B + d, 0.1, False)).all()
    assert (convolution(X, W, BIAS, 0.5) == 72).all()
    assert convolution(X, W, BIAS, 0.5, step=2, pad=1).tolist()[0][1][1] == [72] * 16
    assert (convolution(X, W[:1, :1].copy(), BIAS, 0.5) == 8).all()


@pytest.mark.parametrize("scale", [float("nan"), float("inf"), -1.0])
def test_a_scale_that_hardware_does_not_take_is_refused(scale):
    with pytest.raises(GemminiError, match="the scale must be finite and not negative"):
        product(A, B, scale)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: product(A.astype(np.int32), B, 1.0), "a must be an array of int8 with 2 dimensions, got int32 of 2"),
        (lambda: product(A, A, 1.0), "columns of a are rows of b"),
        (lambda: product(A, B, 1.0, np.zeros(3, np.int32)), "d must be 5 x 7 or have 7 elements"),
        (lambda: product(A, B.T.copy().T, 1.0), "b must be contiguous"),
        (lambda: convolution(X, W[:, :, :8].copy(), BIAS, 1.0), "do not belong together"),
        (lambda: convolution(X, W, BIAS[:8], 1.0), "weights for 16 output channels and 8 biases"),
        (lambda: convolution(X, W, BIAS, 1.0, step=0), "step must be one of 1, 2, 3, 4, got 0"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(call, message):
    with pytest.raises(GemminiError, match=message):
        call()
