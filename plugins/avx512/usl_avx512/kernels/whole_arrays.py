"""Arrays without gaps, as kernels of networks take them: what is tested before anything is computed, and the call itself."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from usl_avx512.kernels.arguments import SINGLE, foreign, number, wrong_type

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from usl_c11.emit import Library


def rows_of(name: str, x: Any, *, empty: bool = False) -> tuple[int, int]:
    """How many rows an array has, and their length; empty says whether there may be none of either."""
    require_array(name, x, "float32", empty=empty)
    if x.ndim == 0:
        raise ValueError(f"{name} must have at least one dimension")
    return math.prod(x.shape[:-1]), x.shape[-1]


def require_array(name: str, array: Any, dtype: str, *, empty: bool = False) -> None:
    """An array of this dtype, whose elements are in order, without gaps; empty says whether it may have none."""
    if type(array) is not SINGLE.array:
        import numpy as np

        if isinstance(array, np.ma.MaskedArray):
            raise TypeError(f"{name} must not be a masked array; fill it with numpy.ma.filled")
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name} must be a NumPy array, not {type(array).__name__}")
    if array.dtype is not (wanted := _dtype(dtype)) and array.dtype != wanted:
        raise wrong_type(name, dtype, array.dtype)
    if not (array.size or empty):
        raise ValueError(f"{name} must not be empty, but has the shape {array.shape}")
    flags = array.flags
    if not flags.c_contiguous:
        hint = "copy it with numpy.ascontiguousarray"
        raise ValueError(f"the elements of {name} must be in the order of its dimensions, without gaps; {hint}")
    if not flags.aligned:
        raise ValueError(f"the elements of {name} do not lie at multiples of {array.itemsize} bytes; copy it")


def require_shape(name: str, array: Any, n: int) -> None:
    """A vector with an element for each column of x."""
    require_array(name, array, "float32")
    if array.shape != (n,):
        raise ValueError(f"{name} must have the shape ({n},), as the rows of x have {n} elements, not {array.shape}")


def positive(name: str, value: Any) -> float:
    """A number that is at least 0, in single precision."""
    found = number(SINGLE, name, value)
    if not found >= 0:
        raise ValueError(f"{name} must be at least 0, not {found:g}")
    return found


def new(shape: tuple[int, ...], dtype: str = "float32") -> NDArray[Any]:
    """Memory for a result."""
    import numpy as np

    return np.empty(shape, _dtype(dtype))


def result(x: Any, out: Any, **others: Any) -> NDArray[np.float32]:
    """The array for the result, of the shape of x."""
    if out is None:
        return new(x.shape)
    return require_output(out, x.shape, **{"the input": x}, **others)


def require_output(out: Any, shape: tuple[int, ...], dtype: str = "float32", /, **inputs: Any) -> NDArray[Any]:
    """out, if it can take a result of this shape."""
    import numpy as np

    require_array("out", out, dtype, empty=True)
    if out.shape != shape:
        raise ValueError(f"out must have the shape {shape}, not {out.shape}")
    if not out.flags.writeable:
        raise ValueError("out is to be changed, but the array is read-only")
    for name, array in inputs.items():
        if np.may_share_memory(out, array):
            raise ValueError(f"out shares memory with {name}; give it memory of its own")
    found: NDArray[Any] = out
    return found


# ---- calls


def compiled(name: str, parameters: str, make: Callable[[], Library]) -> Callable[..., int]:
    """A C function of these parameters that returns 0, or a status where there is no memory; make gives its C. To be cached."""
    from usl_avx512.kernels.sources import built_once

    ffi = _foreign()
    ffi.cdef(f"int {name}({parameters});", override=True)  # two threads may come at once
    path = built_once(f"network {name}", make)
    found: Callable[..., int] = getattr(ffi.dlopen(str(path)), name)
    return found


def call(function: Callable[..., int], *args: Any) -> None:
    """Call a compiled function on arrays and numbers."""
    if function(*[arg if type(arg) is int else _passed(arg) for arg in args]):
        raise no_memory()


def no_memory() -> MemoryError:
    """What a status other than 0 stands for."""
    return MemoryError("there is no memory for what is computed on the way")


def _passed(arg: Any) -> Any:
    """An array or a number as C gets it: by its address."""
    if isinstance(arg, float):
        return _foreign().new("float *", arg)
    return SINGLE.address(arg) if arg.dtype is SINGLE.dtype else _address(arg.dtype.char)(arg)


def bytes_of(array: Any) -> Any:
    """Where an array of truth values begins, for C."""
    return _address("B")(array)


@functools.cache
def _address(code: str) -> Callable[[Any], Any]:
    """Where an array of integers of this type begins, for C."""
    ffi = _foreign()
    return functools.partial(ffi.from_buffer, ffi.typeof(f"{_dtype(code).name}_t[]"))


@functools.cache
def _dtype(name: str) -> Any:
    import numpy as np

    return np.dtype(name)


@functools.cache
def _foreign() -> Any:
    return foreign()
