"""Pooling on NumPy arrays of float32: maxima and means of squares of images.

Arrays have four dimensions: images, channels, rows and columns, or with channels_last images, rows, columns and channels. There
is a library for each size of squares, compiled when it is first used. What is tested is as for `networks`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from usl_avx512.kernels.arguments import integer, option
from usl_avx512.kernels.network_entries import POOLING
from usl_avx512.kernels.quick import Function, address_of, quick
from usl_avx512.kernels.whole_arrays import call, compiled, new, no_memory, require_array, require_output

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from usl_avx512.networks.pooling import Pool
    from usl_c11.emit import Library

LARGEST_STEP = 4


def max_pool2d(
    x: NDArray[np.float32],
    size: int,
    stride: int | None = None,
    *,
    padding: int = 0,
    channels_last: bool = False,
    out: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """The greatest element of each square of size x size elements, stride apart (size, if it is not given).

    padding: so many elements around the image count as less than all others; at most half of size. Where there is NaN, the
    result is any element.

    Raises:
        ValueError: also where stride is above 4, or the image, with its padding, is smaller than a square.
    """
    return _pooled(False, x, size, stride, padding, channels_last, out)


def avg_pool2d(
    x: NDArray[np.float32],
    size: int,
    stride: int | None = None,
    *,
    padding: int = 0,
    channels_last: bool = False,
    out: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """The mean of each square of size x size elements, stride apart (size, if it is not given).

    padding: so many elements around the image count as zeros; at most half of size.

    Raises:
        ValueError: also where stride is above 4, or the image, with its padding, is smaller than a square.
    """
    return _pooled(True, x, size, stride, padding, channels_last, out)


def _pooled(mean: bool, x: Any, size: Any, stride: Any, padding: Any, channels_last: Any, out: Any) -> NDArray[np.float32]:
    pool = _pool(mean, size, stride, padding, channels_last)
    require_array("x", x, "float32")
    if x.ndim != 4:
        raise ValueError(f"x must have four dimensions, not {x.ndim}")
    images, *rest = x.shape
    *extents, channels = rest if pool.channels_last else (*rest[1:], rest[0])
    height, width = map(pool.squares, extents)
    if height < 1 or width < 1:
        border = f", with {pool.border} beyond each edge," if pool.border else ""
        raise ValueError(f"images of {extents[0]} x {extents[1]} elements{border} have no square of {pool.size} x {pool.size}")
    shape = (images, height, width, channels) if pool.channels_last else (images, channels, height, width)
    if out is None:
        y = new(shape)
    else:
        y = require_output(out, shape, x=x)
    sizes = (images, *extents, channels) if pool.channels_last else (images * channels, *extents)
    call(_function(pool), *sizes, x, y)
    return y


def _pool(mean: bool, size: Any, stride: Any, padding: Any, channels_last: Any) -> Pool:
    from usl_avx512.networks.pooling import Pool

    size = integer("size", size)
    step = size if stride is None else integer("stride", stride, " or None")
    border = integer("padding", padding) if padding != 0 else 0
    if step > LARGEST_STEP:
        raise ValueError(f"stride must be at most {LARGEST_STEP}, not {step}")
    if 2 * border > size:
        raise ValueError(f"padding must be at most half of size, {size // 2}, not {border}")
    return Pool(mean, size, step, border, option("channels_last", channels_last))


def pooling_library(pool: Pool) -> Library:
    """The C of a kernel."""
    from usl_avx512.networks.pooling import pooling
    from usl_c11.emit import library

    return library([pooling(pool).ir], f"usl_{pool.name}", entry_checks=False)


@functools.cache
def _function(pool: Pool) -> Callable[..., int]:
    parameters = POOLING["pool_channels_last" if pool.channels_last else "pool"]
    found = compiled(pool.name, parameters, lambda: pooling_library(pool))
    number = ((pool.size * 256 + pool.step) * 256 + pool.border) * 2 + pool.channels_last
    _QUICK[pool.mean][number] = address_of(found)
    return found


_QUICK: dict[bool, dict[int, int]] = {False: {}, True: {}}
"""Whether they are of means: the kernels that have been built, by the numbers that `quick_networks.c` gives them."""


def _in_c(function: Function, mean: bool) -> Function:
    def refused(status: int) -> NoReturn:
        raise no_memory()

    return quick(function, "pooling", lambda: _QUICK[mean], refused)


max_pool2d, avg_pool2d = _in_c(max_pool2d, False), _in_c(avg_pool2d, True)
