"""Convolutions with ReLU on NumPy arrays, one compiled procedure per shape."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from usl_avx512.kernels.arguments import foreign, integer, option

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from usl_avx512.conv import Shape
    from usl_c11.emit import Library

LINE = 64
"""Bytes of a cache line: weights and results start at one, so that no register's store touches two."""


class Conv2d:
    """A convolution with given weights, packed once: `Conv2d(w, stride=2)(x)`.

    w is (KH, KW, IC, OC) in float32. With relu, what is negative becomes 0.

    Raises:
        TypeError: w is no array of float32, stride no integer, relu not True or False. ValueError: w has not four dimensions,
        or one of them is empty, or the stride is below 1.
    """

    def __init__(self, w: NDArray[np.float32], *, stride: int = 1, relu: bool = True) -> None:
        from usl_avx512.conv import blocking_of

        _check(w, "w", "(KH, KW, IC, OC)")
        stride, relu = integer("stride", stride), option("relu", relu)
        if 0 in w.shape:
            raise ValueError(f"w must not be empty, but has the shape {w.shape}")
        self.stride, self.relu = stride, relu
        self.window: tuple[int, int] = (w.shape[0], w.shape[1])
        self.channels: tuple[int, int] = (w.shape[2], w.shape[3])
        self.weights = pack(w, blocking_of(*w.shape).channels)

    def shape(self, height: int, width: int) -> Shape:
        """The shape for images of this size."""
        from usl_avx512.conv import Shape

        (kh, kw), (ic, oc), stride = self.window, self.channels, self.stride
        rows, columns = (height - kh) // stride + 1, (width - kw) // stride + 1
        return flattened(Shape(rows, columns, oc, height, width, ic, kh, kw, stride, self.relu))

    def __call__(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """The result, (N, H, W, OC), for images x, (N, H_in, W_in, IC), in float32, with their border where one is wanted.

        H is (H_in - KH) / stride + 1, rounded down, and W likewise.

        Raises:
            TypeError: x is no array of float32. ValueError: it has not four dimensions, other channels than w, is smaller than
            the window, or its elements are not in the order of its dimensions, without gaps. JitError: the processor has no
            AVX-512, or there is no C compiler.
        """
        _check(x, "x", "(N, H_in, W_in, IC)")
        images, height, width, channels = x.shape
        (kh, kw), (ic, oc), stride = self.window, self.channels, self.stride
        if channels != ic:
            raise ValueError(f"x has {channels} channels, but w is for {ic}")
        if height < kh or width < kw:
            raise ValueError(f"the images of x, {height} x {width}, are smaller than the window, {kh} x {kw}; add a border")
        if not x.flags.c_contiguous:
            raise ValueError("the elements of x must be in the order of its dimensions; copy it with numpy.ascontiguousarray")
        if x.ctypes.data % 4:
            raise ValueError("x does not start at a multiple of 4 bytes; copy it")
        y = aligned((images, (height - kh) // stride + 1, (width - kw) // stride + 1, oc))
        if images:
            ffi, function = _function(self.shape(height, width))
            function(images, *(ffi.cast("float *", array.ctypes.data) for array in (x, self.weights, y)))
        return y


def conv2d(x: NDArray[np.float32], w: NDArray[np.float32], *, stride: int = 1, relu: bool = True) -> NDArray[np.float32]:
    """`Conv2d(w, stride=stride, relu=relu)(x)`: packs the weights each time.

        y[n, i, j, o] = relu(sum over u, v, c of x[n, stride i + u, stride j + v, c] w[u, v, c, o])

    Sums are taken in this order, u outermost, and each product is fused with its sum. The first use of a shape takes seconds,
    in which its procedure is scheduled, and compiled or taken from the build cache.

    Raises:
        As `Conv2d` and its call.
    """
    return Conv2d(w, stride=stride, relu=relu)(x)


def pack(w: NDArray[np.float32], block: int) -> NDArray[np.float32]:
    """Weights (KH, KW, IC, OC) as (blocks, KH, KW, IC, block): block by block of channels, the last filled with zeros."""
    kh, kw, ic, oc = w.shape
    blocks = -(-oc // block)
    packed = aligned((blocks, kh, kw, ic, block))
    packed[-1] = 0.0
    for first in range(0, oc, block):
        part = w[..., first : first + block]
        packed[first // block, ..., : part.shape[-1]] = part
    return packed


def aligned(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """An array of float32 that starts at a cache line."""
    import numpy as np

    count = int(np.prod(shape, dtype=np.int64))
    memory = np.empty(count + LINE // 4, np.float32)
    start = -memory.ctypes.data % LINE // 4
    return memory[start : start + count].reshape(shape)


def _check(array: Any, name: str, dimensions: str) -> None:
    import numpy as np

    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, not {type(array).__name__}")
    if array.dtype != np.float32:
        raise TypeError(f"{name} must be of dtype float32, not {array.dtype}; convert it with astype")
    if array.ndim != 4:
        raise ValueError(f"{name} must have the four dimensions {dimensions}, not {array.ndim}")


def flattened(shape: Shape) -> Shape:
    """The same computation with one row of all pixels, where windows are single pixels, one beside the other."""
    if (shape.KH, shape.KW, shape.stride) != (1, 1, 1):
        return shape
    pixels = shape.H * shape.W
    return replace(shape, H=1, W=pixels, H_in=1, W_in=pixels)


# ---- the library


@functools.cache
def conv_library(shape: Shape) -> Library:
    """The C of one shape: `void NAME(int64_t N, const float *x, const float *w, float *y)`, with w as `pack` makes it."""
    from usl_avx512.conv import conv_schedule
    from usl_c11.emit import library

    return library([conv_schedule(shape).ir], symbol(shape), entry_checks=False)


def symbol(shape: Shape) -> str:
    """What the C function for a shape is called."""
    return f"conv_{shape.KH}x{shape.KW}"


@functools.cache
def conv_path(shape: Shape) -> Path:
    """The compiled library of a shape; scheduled and compiled only if the build cache has none of the same sources.

    Raises:
        JitError: the processor has no AVX-512, or there is no C compiler.
    """
    from usl_avx512.kernels.sources import built_once

    return built_once(repr(shape), lambda: conv_library(shape))


@functools.cache
def _function(shape: Shape) -> tuple[Any, Any]:
    """cffi, and the compiled procedure."""
    ffi = foreign()
    ffi.cdef(f"void {symbol(shape)}(int64_t N, const float *x, const float *w, float *y);")
    return ffi, getattr(ffi.dlopen(str(conv_path(shape))), symbol(shape))
