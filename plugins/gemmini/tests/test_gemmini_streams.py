"""Whole products as hand-written command streams: bit by bit, and their modelled time beside the fact sheet's columns."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import gemmini_model as model
import numpy as np
import pytest

from usl_gemmini import GemminiParams
from usl_gemmini.library import compile_c
from usl_gemmini.sim import Simulator
from usl_gemmini.timing import simulate

SHAPES = {
    "512": (512, 512, 512, 128),
    "matmul_4": (12544, 256, 64, 256),
    "matmul_6": (12544, 64, 256, 64),
    "matmul_14": (3136, 512, 128, 512),
    "matmul_16": (3136, 128, 512, 128),
    "matmul_27": (784, 1024, 256, 256),
}
"""M, N, K of §12.1, and the width of a panel of B."""

MEASURED = {"512": 96.1, "matmul_4": 67.1, "matmul_6": 99.0, "matmul_14": 87.3, "matmul_16": 93.0, "matmul_27": 98.5}
"""Utilisation of the hardware's loop on an FPGA, in per cent: the library column of §12.2."""

TOLERANCE = 7.0
"""Points by which the model may differ from what was measured (§11.6)."""

PANELS = 98.5
"""Utilisation in per cent, at least, at issue rate 4, of the mapping by panels on each shape."""


def aligned(*shape):
    """Zeros from a multiple of 64 bytes on."""
    size = int(np.prod(shape))
    raw = np.zeros(size + 64, np.int8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].reshape(shape)


@cache
def operands(name):
    rows, columns, depth, _ = SHAPES[name]
    rng = np.random.default_rng(5)
    a, b, c = aligned(rows, depth), aligned(depth, columns), aligned(rows, columns)
    a[:], b[:] = rng.integers(-128, 128, a.shape), rng.integers(-128, 128, b.shape)
    return a, b, c


def streams(params=None):
    text = (Path(__file__).parent / "streams.c").read_text()
    return compile_c(text.replace("gemmini.h", (params or GemminiParams()).header_name), params)


def call(stream, a, b, c, *panel):
    pointers = (ctypes.c_void_p(each.ctypes.data) for each in (a, b, c))
    sizes = (ctypes.c_int(each) for each in (a.shape[0], b.shape[1], a.shape[1], *panel))
    getattr(streams(), stream)(*pointers, *sizes, ctypes.c_float(0.001))


@cache
def trace(stream, name):
    """The commands for a shape, without executing them."""
    sim = Simulator()
    with sim.session(record=True, execute=False):
        call(stream, *operands(name), *((SHAPES[name][3],) if stream == "by_panels" else ()))
    return sim.trace()


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("stream", ["hardware_loop", "by_panels"])
def test_products_of_the_six_shapes_are_right_bit_by_bit(chip, stream, name):
    a, b, c = operands(name)
    c[:] = 0
    chip.reset()
    with chip.session():
        chip.allow(a, b, c)
        call(stream, a, b, c, *((SHAPES[name][3],) if stream == "by_panels" else ()))
        chip.host_reads(c)
    sums = a.astype(np.float32) @ b.astype(np.float32)  # whole numbers below 2**24: exact
    assert (c == model.rounded(sums, 0.001)).all()


@pytest.mark.parametrize("name", SHAPES)
def test_the_hardware_loop_takes_about_as_long_as_measured(chip, name):
    timing = simulate(trace("hardware_loop", name), unrolled=True, issue=1)
    rows, columns, depth, _ = SHAPES[name]
    assert timing.products == rows * columns * depth
    assert abs(100 * timing.utilisation - MEASURED[name]) <= TOLERANCE, timing.summary()


@pytest.mark.parametrize("name", SHAPES)
def test_panels_in_four_banks_come_close_to_the_peak(chip, name):
    timing = simulate(trace("by_panels", name))
    assert 100 * timing.utilisation >= PANELS, timing.summary()
    assert timing.causes["bank conflicts"] == 0


def test_a_host_that_is_slow_bounds_the_panels_by_its_commands(chip):
    commands = trace("by_panels", "matmul_14")
    slow = simulate(commands, issue=8)
    assert slow.limit == "host"
    bound = slow.products / 256 / (8 * len(commands))
    assert bound - 0.015 <= slow.utilisation <= bound


def test_a_stream_from_another_chip_runs_on_it(_own_cache):
    small = GemminiParams(dim=4, sp_kib=16, acc_kib=4)
    a, b, c = aligned(16, 16), aligned(16, 16), aligned(16, 16)
    a[:], b[:] = np.arange(256).reshape(16, 16), 3
    library, sim = streams(small), Simulator(small)
    pointers = [ctypes.c_void_p(each.ctypes.data) for each in (a, b, c)]
    with sim.session(record=True):
        library.by_panels(*pointers, 16, 16, 16, 16, ctypes.c_float(0.01))
    assert (c == model.rounded(a.astype(np.int32) @ b.astype(np.int32), 0.01)).all()
    assert 0 < simulate(sim.trace(), small).utilisation < 1
