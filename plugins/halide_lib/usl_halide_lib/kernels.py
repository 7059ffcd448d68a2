"""Image kernels on NumPy arrays: scheduled and compiled when they are first used.

    from usl_halide_lib.kernels import box_blur, unsharp

    smooth = box_blur(image)            # uint16 [H + 2, W + 2] -> uint16 [H, W]

Images may have any strides and any size from one pixel on. On a processor without AVX-512 the procedures run as they are
written, without a schedule. `source(name)` is the C of a kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from usl_core.errors import UsageError
from usl_halide_lib.image_schedules import KERNELS, scheduled


def box_blur(image: Any, out: Any = None) -> Any:
    """The 3x3 box blur of 16-bit pixels, along rows and then along columns, each sum divided by 3 and rounded down.

    image is uint16 [H + 2, W + 2], the result uint16 [H, W]; sums are modulo 2^16, as in Halide.
    """
    return _call("box_blur", "uint16", image, out, 2, 0)


def unsharp(image: Any, out: Any = None) -> Any:
    """Unsharp masking of planar colours: float32 [3, H + 6, W + 6] to float32 [3, H, W].

    Reference: Qian 2024, §4.3.2.
    """
    return _call("unsharp", "float32", image, out, 6, 1)


def harris(image: Any, out: Any = None) -> Any:
    """Harris' measure of corners of a grey image: float32 [H + 4, W + 4] to float32 [H, W], with k = 0.04."""
    return _call("harris", "float32", image, out, 4, 0)


def source(name: str) -> str:
    """The C of a kernel."""
    return scheduled(_known(name)).c_code()


def _known(name: str) -> str:
    if name not in KERNELS:
        raise UsageError(f"there is no kernel {name!r}; those that there are: {', '.join(KERNELS)}")
    return name


def _call(name: str, dtype: str, image: Any, out: Any, border: int, planes: int) -> Any:
    """One call: shapes checked, elements of a row made neighbours where they are not."""
    import numpy as np

    image = np.asarray(image)
    if image.dtype != dtype or image.ndim != planes + 2 or (planes and image.shape[0] != 3):
        shape = f"[{'3, ' * planes}H + {border}, W + {border}]"
        raise UsageError(f"{name}: the image must be {dtype} {shape}, got {image.dtype} {list(image.shape)}")
    height, width = (extent - border for extent in image.shape[planes:])
    if height < 1 or width < 1:
        raise UsageError(f"{name}: the image must have more than {border} rows and columns, got {list(image.shape)}")
    wanted = (*image.shape[:planes], height, width)
    result = np.empty(wanted, dtype) if out is None else out
    if result.dtype != dtype or result.shape != wanted:
        raise UsageError(f"{name}: out must be {dtype} {list(wanted)}, got {result.dtype} {list(result.shape)}")
    dense_in = image if image.strides[-1] == image.itemsize else np.ascontiguousarray(image)
    dense_out = result if result.strides[-1] == result.itemsize else np.empty(wanted, dtype)
    _compiled(name)(height, width, dense_in, dense_out)
    if dense_out is not result:
        result[...] = dense_out
    return result


@cache
def _compiled(name: str) -> Callable[..., Any]:
    from usl_avx512 import has_avx512

    run: Callable[..., Any] = scheduled(name).jit() if has_avx512() else KERNELS[name][0].jit()
    return run
