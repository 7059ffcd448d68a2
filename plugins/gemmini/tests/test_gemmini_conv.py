"""Convolutions made by the schedule, on the simulator against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from gemmini_model import read_out, wrapped

from usl_gemmini import GemminiError
from usl_gemmini.conv import Layer, conv
from usl_gemmini.sim import Simulator

LAYERS = {
    "several tiles, a short block of columns": Layer(1, 4, 24, 32, 64, 3, 3),
    "full blocks of columns": Layer(2, 2, 32, 64, 64, 3, 3),
    "two groups of channels": Layer(1, 14, 14, 64, 128, 3, 3),
    "every other pixel": Layer(1, 14, 14, 64, 64, 3, 3, 2),
    "windows of one pixel": Layer(1, 8, 8, 64, 128, 1, 1, 2),
    "few channels": Layer(2, 6, 10, 16, 48, 3, 3),
    "one tile": Layer(1, 5, 5, 32, 32, 1, 1),
}


def runs_exactly(layer, scale=0.002, relu=False):
    """Whether the kernel gives what NumPy gives; a command that hardware would fail on raises."""
    kernel, sim = conv(layer, relu=relu).jit(), Simulator()
    rng = np.random.default_rng(layer.H)
    H, W, step = layer.H, layer.W, layer.step
    size = (layer.N, step * (H - 1) + layer.KH, step * (W - 1) + layer.KW, layer.IC)
    x = rng.integers(-128, 128, size, np.int8)
    w = rng.integers(-128, 128, (layer.KH, layer.KW, layer.IC, layer.OC), np.int8)
    bias = rng.integers(-(2**16), 2**16, layer.OC, np.int32)
    y = np.zeros((layer.N, H, W, layer.OC), np.int8)
    sums = np.zeros(y.shape, np.int64) + bias
    for r in range(layer.KH):
        for c in range(layer.KW):
            pixels = x[:, r : r + step * (H - 1) + 1 : step, c : c + step * (W - 1) + 1 : step]
            sums += pixels.astype(np.int64) @ w[r, c].astype(np.int64)
    with sim.session():
        sim.allow(x, w, bias, y)
        kernel(np.float32(scale), x, w, bias, y)
        sim.host_reads(y)
    return (y == read_out(wrapped(sums), scale, relu)).all()


@pytest.mark.parametrize("name", LAYERS)
def test_a_convolution_is_bit_exact(name):
    assert runs_exactly(LAYERS[name], relu="short" in name)


def test_channels_that_fill_no_block_and_rows_that_do_not_fit_are_refused():
    with pytest.raises(GemminiError, match="IC must be a multiple of 16"):
        conv(Layer(1, 8, 8, 3, 16, 3, 3))
    with pytest.raises(GemminiError, match="a tile of one row of the image does not fit the chip"):
        conv(Layer(1, 4, 1000, 64, 64, 3, 3))
