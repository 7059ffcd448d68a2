"""Matrix products made by the schedule, on the simulator against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from gemmini_model import read_out, wrapped

from usl_gemmini import GemminiError, GemminiParams
from usl_gemmini.matmul import matmul
from usl_gemmini.sim import Simulator

SHAPES = [(1, 1, 1), (100, 170, 37), (17, 5, 300), (16, 64, 2048), (40, 300, 600), (160, 256, 512)]
SHAPES += [(32, 192, 256), (50, 64, 1100)]  # loads that do not fill groups


def runs_exactly(M, N, K, scale=0.01, relu=False, bias="none", params=None):
    """Whether the kernel gives what NumPy gives; a command that hardware would fail on raises."""
    kernel, sim = matmul(M, N, K, relu=relu, bias=bias, params=params).jit(), Simulator(params)
    rng = np.random.default_rng(M + N + K)
    a, b = rng.integers(-128, 128, (M, K), np.int8), rng.integers(-128, 128, (K, N), np.int8)
    d = rng.integers(-(2**16), 2**16, (M, N) if bias == "matrix" else N, np.int32)
    c = np.zeros((M, N), np.int8)
    sums = a.astype(np.int64) @ b.astype(np.int64)
    with sim.session():
        sim.allow(a, b, c, d)
        kernel(np.float32(scale), a, b, *(() if bias == "none" else (d,)), c)
        sim.host_reads(c)
    return (c == read_out(wrapped(sums if bias == "none" else sums + d), scale, relu)).all()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_product_is_bit_exact(shape):
    assert runs_exactly(*shape)


@pytest.mark.parametrize("bias", ["matrix", "row"])
@pytest.mark.parametrize("relu", [False, True])
def test_a_product_with_bias_and_activation_is_bit_exact(relu, bias):
    assert runs_exactly(33, 70, 50, relu=relu, bias=bias)


@pytest.mark.parametrize("dim", [4, 8, 32])
def test_a_product_is_bit_exact_on_chips_of_other_dimensions(dim):
    assert runs_exactly(45, 50, 37, params=GemminiParams(dim=dim))


def test_a_product_is_bit_exact_on_a_tiny_chip_and_refused_where_no_block_fits():
    assert runs_exactly(31, 69, 137, params=GemminiParams(sp_kib=2, acc_kib=2))
    with pytest.raises(GemminiError, match="half of a bank of 16 rows does not fit a block of 16 rows"):
        matmul(31, 69, 137, params=GemminiParams(sp_kib=1, acc_kib=2))


@pytest.mark.parametrize(
    ("shape", "bias"), [((20, 70, 4100), "none"), ((16, 16, 8192), "row"), ((1, 5, 9000), "matrix")], ids=str
)
def test_a_product_whose_sums_are_too_long_for_a_bank_is_bit_exact(shape, bias):
    assert runs_exactly(*shape, scale=0.001, bias=bias)


def test_a_size_of_nothing_is_refused():
    with pytest.raises(GemminiError, match="N must be at least 1"):
        matmul(16, 0, 16)
