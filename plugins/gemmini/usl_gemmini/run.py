"""Kernels on NumPy arrays: scheduled for their shapes, compiled, and run on the simulator."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from usl_core import Procedure
from usl_gemmini.conv import Layer, conv
from usl_gemmini.errors import GemminiError
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
    relu: bool = False,
    params: GemminiParams | None = None,
) -> np.ndarray:
    """`act(scale * (x * w + bias))` as int8, for int8 images x [N, H, W, IC] with their border, w [KH, KW, IC, OC], int32 bias.

    Raises:
        GemminiError, SimulatorError: as `product`.
    """
    _require_arrays(("x", x, np.int8, 4), ("w", w, np.int8, 4), ("bias", bias, np.int32, 1))
    (N, high, wide, IC), (KH, KW, channels, OC) = x.shape, w.shape
    if channels != IC or bias.shape != (OC,):
        raise GemminiError(f"images of {IC} channels, weights {w.shape} and {bias.size} biases do not belong together")
    if step not in (1, 2):
        raise GemminiError(f"step must be 1 or 2, got {step!r}")
    H, W = (high - KH) // step + 1, (wide - KW) // step + 1
    if (step * (H - 1) + KH, step * (W - 1) + KW) != (high, wide) or H < 1 or W < 1:
        raise GemminiError(f"windows of {KH} x {KW}, {step} apart, do not fill images of {high} x {wide}")
    return _run(_convolution(Layer(N, H, W, IC, OC, KH, KW, step), relu, params), scale, (x, w, bias), (N, H, W, OC), params)


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
