"""Pooling, sums of outputs, and a small network like ResNet-50 as one procedure, on the simulator against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from gemmini_model import pooled, read_out

from usl_gemmini import GemminiError
from usl_gemmini.border import with_border
from usl_gemmini.chip import chip as target
from usl_gemmini.layers import Border, Layer, layer_of
from usl_gemmini.network_run import expected, layers_of, random_values, run
from usl_gemmini.pool import max_pool
from usl_gemmini.ports import OUT, OUT2, PLAIN
from usl_gemmini.residual import residual
from usl_gemmini.resnet import Sizes, resnet
from usl_gemmini.sim import Simulator
from usl_gemmini.timing import simulate

POOLS = {
    "as in ResNet": layer_of((2, 12, 14, 70), (3, 3, 70, 70), 2, 1),
    "2 x 2": layer_of((1, 8, 6, 16), (2, 2, 16, 16), 2),
    "overlapping, one pixel apart": layer_of((1, 5, 7, 5), (3, 3, 5, 5), 1, 1),
    "one window": layer_of((1, 2, 2, 3), (2, 2, 3, 3), 2),
}


@pytest.mark.parametrize("name", POOLS)
def test_pooling_is_bit_exact(name):
    layer, sim, rng = POOLS[name], Simulator(), np.random.default_rng(0)
    x, y = rng.integers(-128, 128, layer.pixels_in, np.int8), np.zeros(layer.pixels_out, np.int8)
    with sim.session():
        sim.allow(x, y)
        max_pool(layer).jit()(np.float32(0.5), x, y)
        sim.host_reads(y)
    images = x.reshape(layer.N, layer.HI, layer.WI, layer.IC).astype(np.int32)
    shape = (0.5, False, layer.KH, layer.step, layer.pad, layer.pad, layer.H, layer.W)
    want = np.stack([pooled(image, *shape) for image in images])
    assert (y == want.reshape(y.shape)).all()


@pytest.mark.parametrize("border", [Border(2, 20, 60, 26, 80, 3, 9), Border(1, 3, 5, 3, 5, 0, 0)], ids=str)
def test_a_border_is_all_zeros(border):
    sim, rng = Simulator(), np.random.default_rng(0)
    x = rng.integers(-128, 128, (border.N * border.HI, border.WI), np.int8)
    y = np.ones((border.N, border.HO, border.WO), np.int8)
    with sim.session():
        sim.allow(x, y)
        with_border(border).jit()(x, y.reshape(-1, border.WO))
        sim.host_reads(y)
    inside = (slice(border.above, border.above + border.HI), slice(border.left, border.left + border.WI))
    assert (y[:, *inside] == x.reshape(border.N, border.HI, border.WI)).all()
    y[:, *inside] = 0
    assert not y.any()


@pytest.mark.parametrize(("rows", "columns", "relu"), [(1, 1, False), (37, 130, True), (300, 64, False)])
def test_a_sum_of_outputs_is_bit_exact(rows, columns, relu):
    sim, rng = Simulator(), np.random.default_rng(1)
    x, z = rng.integers(-128, 128, (2, rows, columns), np.int8)
    y = np.zeros((rows, columns), np.int8)
    with sim.session():
        sim.allow(x, z, y)
        residual(rows, columns, relu=relu).jit()(np.float32(0.7), x, z, y)
        sim.host_reads(y)
    assert (y == read_out(x.astype(np.int32) + z, 0.7, relu)).all()


def test_a_network_is_one_procedure_and_bit_exact():
    network, sim = resnet(Sizes(batch=2, image=16, channels=8, blocks=(1, 1), classes=10)), Simulator()
    values = random_values(network)
    trace = run(network, network.procedure("small").jit(), values, sim)
    wants = {each.output.name: want for each, want in expected(network, values)}
    assert [name for name in network.kept() if name in wants and (values[name] != wants[name]).any()] == []
    assert values["classes_out"].any()
    parts = list(layers_of(network, trace))
    assert sum(len(commands) for _, commands in parts) == len(trace)
    assert all(simulate(commands, sim.params).cycles > 0 for _, commands in parts)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: residual(0, 4), "both must be at least 1"),
        (lambda: residual(4, 4, out=OUT), "writes one of another class"),
        (lambda: max_pool(POOLS["2 x 2"], source=OUT2, out=OUT2), "writes one of another class"),
        (lambda: max_pool(POOLS["2 x 2"], source=PLAIN), "reads the output of a layer"),
        (lambda: max_pool(Layer(1, 4, 4, 8, 8, 5, 5)), "windows of pooling are 2 x 2 or 3 x 3"),
    ],
)
def test_layers_that_cannot_be_are_refused(call, message):
    with pytest.raises(GemminiError, match=message):
        call()


def test_pooling_instructions_take_no_window_that_is_wider_than_their_pixels():
    assert "2 * (pixels - 1) + 3 <= width" in str(target()["mvout_pool3"])
