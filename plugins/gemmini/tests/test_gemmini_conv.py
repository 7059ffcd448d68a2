"""Convolutions made by the schedule, on the simulator against NumPy."""

from __future__ import annotations

import gemmini_fuzz
import numpy as np
import pytest
from gemmini_model import convolved, largest_of_four, read_out, wrapped

from usl_gemmini import GemminiError, GemminiParams
from usl_gemmini.conv import conv
from usl_gemmini.cuts import cut_for
from usl_gemmini.layers import Layer, layer_of, slid
from usl_gemmini.sim import Simulator

LAYERS = {
    "several tiles, a short block of columns": Layer(1, 4, 24, 32, 64, 3, 3),
    "full blocks of columns": Layer(2, 2, 32, 64, 64, 3, 3),
    "two groups of channels": Layer(1, 14, 14, 64, 128, 3, 3),
    "every other pixel": Layer(1, 14, 14, 64, 64, 3, 3, 2),
    "windows of one pixel": Layer(1, 8, 8, 64, 128, 1, 1, 2, 0, (1, 1)),
    "few channels": Layer(2, 6, 10, 16, 48, 3, 3),
    "a border": Layer(1, 14, 14, 64, 128, 3, 3, 1, 1),
    "a border, every other pixel, a row to spare": Layer(2, 7, 7, 32, 64, 3, 3, 2, 1, (1, 1)),
    "three input channels, few output channels": Layer(1, 5, 21, 3, 10, 7, 7, 2, 3, (1, 1)),
    "channels that fill no block, several groups and tiles": Layer(2, 3, 17, 17, 130, 2, 3),
    "pooled, several tiles": Layer(2, 8, 20, 32, 64, 3, 3, 1, 1, (0, 0), pool=True),
    "pooled, few channels": Layer(2, 6, 10, 5, 35, 3, 3, 2, 1, pool=True),
    "rows of windows as pixels": slid(Layer(1, 4, 20, 3, 16, 3, 3, 2, 0, (1, 1))),
    "a row of an image that does not fit the accumulator": Layer(1, 2, 272, 16, 64, 1, 3),
    "few pixels, weights that pass once": Layer(1, 1, 20, 80, 200, 1, 1),
    "one of everything": Layer(1, 1, 1, 1, 1, 1, 1),
}


def runs_exactly(layer, scale=0.002, relu=False, params=None):
    """Whether the kernel gives what NumPy gives; a command that hardware would fail on raises."""
    kernel, sim = conv(layer, relu=relu, params=params).jit(), Simulator(params)
    rng = np.random.default_rng(layer.H)
    x = rng.integers(-128, 128, layer.pixels_in, np.int8)
    w = rng.integers(-128, 128, (layer.KH, layer.KW, layer.IC, layer.OC), np.int8)
    bias = rng.integers(-(2**16), 2**16, layer.OC, np.int32)
    y = np.zeros(layer.pixels_out, np.int8)
    channels = layer.slide // layer.step or layer.IC
    images = x.reshape(layer.N, layer.HI, -1, channels)
    windows = w.reshape(layer.KH, -1, channels, layer.OC)
    want = read_out(wrapped(convolved(images, windows, layer.step, layer.pad) + bias), scale, relu)
    want = (largest_of_four(want) if layer.pool else want).reshape(y.shape)
    with sim.session():
        sim.allow(x, w, bias, y)
        kernel(np.float32(scale), x, w, bias, y)
        sim.host_reads(y)
    return (y == want).all()


@pytest.mark.parametrize("name", LAYERS)
def test_a_convolution_is_bit_exact(name):
    assert runs_exactly(LAYERS[name], relu="short" in name)


@pytest.mark.parametrize("dim", [4, 8, 32])
def test_a_convolution_is_bit_exact_on_chips_of_other_dimensions(dim):
    assert runs_exactly(Layer(1, 6, 6, 2 * dim, dim + 3, 3, 3, 1, 1), params=GemminiParams(dim=dim))


@pytest.mark.parametrize(("sp_kib", "stay"), [(16, (False, False)), (32, (True, False)), (64, (True, True))])
def test_weights_and_pixels_that_do_not_fit_are_loaded_again(sp_kib, stay):
    layer, params = Layer(2, 14, 14, 32, 128, 3, 3, 1, 1), GemminiParams(sp_kib=sp_kib)
    cut = cut_for(layer, params)
    assert (cut.resident, cut.stays) == stay
    assert runs_exactly(layer, params=params)


@pytest.mark.parametrize("seed", [1, 6])
def test_a_random_kernel_on_arrays_that_begin_anywhere_is_bit_exact(seed):
    assert gemmini_fuzz.run(gemmini_fuzz.case(seed))


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (Layer(1, 4, 1000, 64, 64, 3, 3, 1, 1), "a tile of one row of the image does not fit the chip"),
        (Layer(1, 4, 4, 16, 16, 3, 3, 5), "step must be one of 1, 2, 3, 4"),
        (Layer(1, 9, 9, 16, 16, 3, 3, 1, 3), "pad must be at least 0 and less than the window"),
        (Layer(1, 4, 5, 16, 16, 3, 3, pool=True), "pooling by 2 x 2 needs an even number of rows and columns"),
        (Layer(1, 4, 4, 16, 0, 3, 3), "OC is 0 and must be at least 1"),
        (Layer(1, 1, 1, 16, 16, 3, 3, 1, 2), "HI is -1 and must be at least 1"),
    ],
)
def test_layers_that_do_not_fit_are_refused(layer, message):
    with pytest.raises(GemminiError, match=message):
        conv(layer)


def test_rows_of_windows_are_one_pixel_only_without_a_border():
    with pytest.raises(GemminiError, match="only where it has no border"):
        slid(Layer(1, 8, 8, 3, 16, 3, 3, 1, 1))


def test_windows_and_images_that_do_not_belong_together_are_refused():
    with pytest.raises(GemminiError, match="images of 16 channels and windows of 8"):
        layer_of((1, 8, 8, 16), (3, 3, 8, 16))
    with pytest.raises(GemminiError, match="windows of 5 x 5 do not fit images of 2 x 8 with a border of 1"):
        layer_of((1, 2, 8, 16), (5, 5, 16, 16), pad=1)
