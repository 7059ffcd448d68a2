"""Kernels on NumPy arrays: scheduled for their shapes, compiled, and run on the simulator."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from usl_core import Procedure
from usl_gemmini.conv import conv
from usl_gemmini.errors import GemminiError
from usl_gemmini.layers import Layer, layer_of
from usl_gemmini.matmul import Bias, matmul
from usl_gemmini.params import GemminiParams
from usl_gemmini.sim import Simulator


def product(
    a: np.ndarray,
    b: np.ndarray,
    scale: float,
    d: np.ndarray | None = None,
    *,
    relu: bool = False,
    params: GemminiParams | None = None,
) -> np.ndarray:
    """`act(scale * (a b + d))` as int8, for int8 a [M, K] and b [K, N], and int32 d [M, N] or [N].

    Raises:
        GemminiError: arrays of other types or shapes, a scale that is negative or not finite, sizes that do not fit the chip.
        SimulatorError: a command that hardware would fail on.
    """
    _require_arrays(("a", a, np.int8, 2), ("b", b, np.int8, 2))
    if a.shape[1] != b.shape[0]:
        raise GemminiError(
            f"a product of {a.shape[0]} x {a.shape[1]} and {b.shape[0]} x {b.shape[1]}: columns of a are rows of b"
        )
    (M, K), N = a.shape, b.shape[1]
    bias: Bias = "none"
    if d is not None:
        _require_arrays(("d", d, np.int32, d.ndim))
        if d.shape not in ((M, N), (N,)):
            raise GemminiError(f"d must be {M} x {N} or have {N} elements, got {d.shape}")
        bias = "matrix" if d.ndim == 2 else "row"
    inputs = (a, b) if d is None else (a, b, d)
    return _run(_product(M, N, K, relu, bias, params), scale, inputs, (M, N), params)


def convolution(
    x: np.ndarray,
    w: np.ndarray,
    bias: np.ndarray,
    scale: float,
    *,
    step: int = 1,
    pad: int = 0,
    relu: bool = False,
    params: GemminiParams | None = None,
) -> np.ndarray:
    """`act(scale * (x * w + bias))` as int8, for int8 images x [N, H, W, IC], w [KH, KW, IC, OC] and int32 bias [OC].

    Windows are step pixels apart; around each image lies a border of zeros, pad pixels wide.

    Raises:
        GemminiError, SimulatorError: as `product`.
    """
    _require_arrays(("x", x, np.int8, 4), ("w", w, np.int8, 4), ("bias", bias, np.int32, 1))
    if bias.shape != (w.shape[3],):
        raise GemminiError(f"weights for {w.shape[3]} output channels and {bias.size} biases do not belong together")
    layer = layer_of(x.shape, w.shape, step, pad)
    if layer.is_product:
        pixels, channels = x.reshape(-1, layer.IC), w.reshape(layer.IC, layer.OC)
        return product(pixels, channels, scale, bias, relu=relu, params=params).reshape(*x.shape[:3], layer.OC)
    y = _run(_convolution(layer, relu, params), scale, (x.reshape(layer.pixels_in), w, bias), layer.pixels_out, params)
    return y.reshape(layer.N, layer.H, layer.W, layer.OC)


@functools.cache
def _product(M: int, N: int, K: int, relu: bool, bias: Bias, params: GemminiParams | None) -> Any:
    return _compiled(matmul(M, N, K, relu=relu, bias=bias, params=params))


@functools.cache
def _convolution(layer: Layer, relu: bool, params: GemminiParams | None) -> Any:
    return _compiled(conv(layer, relu=relu, params=params))


def _compiled(p: Procedure) -> Any:
    return p.jit()


def _require_arrays(*wanted: tuple[str, Any, type, int]) -> None:
    for name, array, element, rank in wanted:
        if not isinstance(array, np.ndarray) or array.dtype != element or array.ndim != rank:
            shown = f"{array.dtype} of {array.ndim} dimensions" if isinstance(array, np.ndarray) else repr(array)
            raise GemminiError(f"{name} must be an array of {element.__name__} with {rank} dimensions, got {shown}")
        if not array.flags.c_contiguous:
            raise GemminiError(f"{name} must be contiguous", notes=("np.ascontiguousarray makes it so",))


def _run(
    kernel: Any, scale: float, inputs: tuple[np.ndarray, ...], shape: tuple[int, ...], params: GemminiParams | None
) -> np.ndarray:
    if not (math.isfinite(scale) and scale >= 0):
        raise GemminiError(f"the scale must be finite and not negative, got {scale}")
    out, sim = np.zeros(shape, np.int8), Simulator(params)
    with sim.session():
        sim.allow(*inputs, out)
        kernel(np.float32(scale), *inputs, out)
        sim.host_reads(out)
    return out
