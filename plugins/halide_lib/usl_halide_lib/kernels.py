"""Image kernels on NumPy arrays: scheduled and compiled when they are first used.

    from usl_halide_lib.kernels import box_blur, unsharp

    smooth = box_blur(image)            # uint16 [H + 2, W + 2] -> uint16 [H, W]

Images may have any strides and any size from one pixel on. On a processor without AVX-512 the procedures run as they are
written, without a schedule. `source(name)` is the C of a kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from numbers import Integral, Real
from typing import Any

from usl_core.errors import UsageError
from usl_halide_lib.image_schedules import KERNELS, STREAMED, scheduled
from usl_halide_lib.shapes import extents, match_shape
from usl_halide_lib.streaming import aligned_empty, aligned_parts


def box_blur(image: Any, out: Any = None) -> Any:
    """The 3x3 box blur of 16-bit pixels, along rows and then along columns, each sum divided by 3 and rounded down.

    image is uint16 [H + 2, W + 2], the result uint16 [H, W]; sums are modulo 2^16, as in Halide.
    """
    return _filtered("box_blur", image, "uint16", "H + 2, W + 2", "H, W", out)


def unsharp(image: Any, out: Any = None) -> Any:
    """Unsharp masking of planar colours: float32 [3, H + 6, W + 6] to float32 [3, H, W].

    Reference: Qian 2024, §4.3.2.
    """
    return _filtered("unsharp", image, "float32", "3, H + 6, W + 6", "3, H, W", out)


def harris(image: Any, out: Any = None) -> Any:
    """Harris' measure of corners of a grey image: float32 [H + 4, W + 4] to float32 [H, W], with k = 0.04."""
    return _filtered("harris", image, "float32", "H + 4, W + 4", "H, W", out)


def bilateral_grid(image: Any, out: Any = None) -> Any:
    """A bilateral filter of a grey image, float32 [H, W] in [0, 1], by cells of 8 x 8 pixels and a tenth of the brightness.

    What lies outside of [0, 1] counts as its nearer end; beyond the borders the outermost pixels are repeated.
    Reference: Chen, Paris and Durand 2007.
    """
    return _filtered("bilateral_grid", image, "float32", "H, W", "H, W", out)


def demosaic(image: Any, out: Any = None) -> Any:
    """The colours of a Bayer mosaic of H x W quads green red / blue green with one more quad on each side.

    image is uint16 [2 * H + 4, 2 * W + 4], the result the planes red, green and blue, uint16 [3, 2 * H, 2 * W].
    """
    return _filtered("demosaic", image, "uint16", "2 * H + 4, 2 * W + 4", "3, 2 * H, 2 * W", out)


def local_laplacian(image: Any, alpha: float = 1.0, beta: float = 1.0, out: Any = None) -> Any:
    """A local Laplacian filter of planar colours, uint16 [3, H, W], with a pyramid of five levels and eight brightnesses.

    alpha says by how much details are strengthened (0: not at all), beta what becomes of large differences (1: nothing; less
    compresses the range). Reference: Paris, Hasinoff and Kautz 2011; the remapping is that of Halide's application.
    """
    sizes: dict[str, int] = {}
    image = match_shape("local_laplacian", "the image", image, "uint16", "3, H, W", sizes)
    return _called("local_laplacian", sizes, (alpha / 7, beta, image), (), "uint16", "3, H, W", out)


def resize(image: Any, shape: tuple[int, int], out: Any = None) -> Any:
    """A grey image, float32 [H, W], in another size: float32 of that shape, by Keys' cubic, without aliasing.

    The result is that of Pillow's bicubic filter.
    """
    from usl_halide_lib.resampling import cubic_taps

    sizes: dict[str, int] = {}
    image = match_shape("resize", "the image", image, "float32", "H, W", sizes)
    if len(shape) != 2 or not all(isinstance(each, Integral) and each >= 1 for each in shape):
        raise UsageError(f"resize: the shape must be two numbers of at least 1, got {shape}")
    rows, down = cubic_taps(sizes["H"], int(shape[0]))
    columns, across = cubic_taps(sizes["W"], int(shape[1]))
    sizes |= {"N": int(shape[0]), "M": int(shape[1]), "V": rows.shape[1], "U": columns.shape[1]}
    given = rows, down, _dense(columns.T), _dense(across.T)
    return _called("resize", sizes, (image,), given, "float32", "N, M", out)


def separable_convolution(image: Any, depth: Any, point: Any, bias: Any, out: Any = None) -> Any:
    """A depthwise-separable convolution with ReLU, channels last.

    image is float32 [H + 2, W + 2, C]; depth, [3, 3, C], has a 3 x 3 filter for each channel, point, [C, K], mixes the
    channels of a pixel, and bias, [K], is added. The result is float32 [H, W, K], with 0 for what is less.
    """
    sizes: dict[str, int] = {}
    image = match_shape("separable_convolution", "the image", image, "float32", "H + 2, W + 2, C", sizes)
    weights = [
        match_shape("separable_convolution", name, array, "float32", shape, sizes)
        for name, array, shape in (("depth", depth, "3, 3, C"), ("point", point, "C, K"), ("bias", bias, "K"))
    ]
    return _called("separable_convolution", sizes, (image,), tuple(map(_dense, weights)), "float32", "H, W, K", out)


def source(name: str) -> str:
    """The C of a kernel."""
    return scheduled(_known(name)).c_code()


def _known(name: str) -> str:
    if name not in KERNELS:
        raise UsageError(f"there is no kernel {name!r}; those that there are: {', '.join(KERNELS)}")
    return name


def _filtered(name: str, image: Any, dtype: str, shape: str, result: str, out: Any) -> Any:
    """A kernel of one image and nothing else. Where rows of a large result begin within lines of the cache, their first columns
    are computed apart, so that the others can be stored past the cache."""
    sizes: dict[str, int] = {}
    image = match_shape(name, "the image", image, dtype, shape, sizes)
    if name not in STREAMED or out is None:
        return _called(name, sizes, (image,), (), dtype, result, out)
    out = match_shape(name, "out", out, dtype, result, sizes)
    border = image.shape[-1] - out.shape[-1]
    for columns in aligned_parts(out):
        sizes = {}
        part = match_shape(name, "the image", image[..., columns.start : columns.stop + border], dtype, shape, sizes)
        _called(name, sizes, (part,), (), dtype, result, out[..., columns])
    return out


def _called(
    name: str, sizes: dict[str, int], given: tuple[Any, ...], tables: tuple[Any, ...], dtype: str, shape: str, out: Any
) -> Any:
    """One call; where elements of a row are no neighbours, they are made so."""
    import numpy as np

    wanted = extents(shape, sizes)
    result = aligned_empty(wanted, dtype) if out is None else match_shape(name, "out", out, dtype, shape, dict(sizes))
    direct = result.strides[-1] == result.itemsize
    dense_out = result if direct else np.empty(wanted, dtype)
    compiled(name)(*(sizes[each] for each in SIZES.get(name, "HW")), *map(_rows_dense, given), *tables, dense_out)
    if not direct:
        result[...] = dense_out
    return result


SIZES = {"resize": "HWNMVU", "separable_convolution": "HWCK"}
"""The sizes that a kernel takes first, where these are not H and W."""


def _rows_dense(image: Any) -> Any:
    """An image with neighbours in its rows, or a number."""
    if isinstance(image, Real) or image.strides[-1] == image.itemsize:
        return image
    return _dense(image)


def _dense(array: Any) -> Any:
    import numpy as np

    return np.ascontiguousarray(array)


@cache
def compiled(name: str) -> Callable[..., Any]:
    """A kernel's compiled procedure, which is called with sizes and arrays."""
    from usl_avx512 import has_avx512

    run: Callable[..., Any] = scheduled(name).jit() if has_avx512() else KERNELS[name][0].jit()
    return run
