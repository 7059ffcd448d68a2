"""NumPy arrays as buffers of the interpreter, and back. The only module of the interpreter that needs NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usl_core.errors import InterpError
from usl_core.interp.buffers import Buffer, require_rank
from usl_core.interp.encoding import bits_of, numbers_of
from usl_core.interp.values import POISON, Value
from usl_core.ir.nodes import Arg
from usl_core.ir.types import B8, R, ScalarType, numpy_name, scalar_of

Array = NDArray[Any]
Store = Callable[[], None]


def dtype_of(scalar: ScalarType) -> np.dtype[Any]:
    """The dtype of arrays that hold scalar; what NumPy lacks as its bits, R as f64, integers of plugins by their width."""
    name = "float64" if scalar == R else numpy_name(scalar)
    if not name:
        raise InterpError(f"no NumPy dtype for the scalar type {scalar}; pass a Buffer")
    return np.dtype(name)


def import_arrays(arrays: Sequence[tuple[Arg, Array]]) -> list[tuple[Buffer, Store]]:
    """For each array a buffer with its values, and a function that stores the buffer's values back into the array.

    Arrays of one dtype that share memory give buffers that share their list, so that aliasing means what it does in C.
    """
    for formal, array in arrays:
        _check(formal, array)
    results: list[tuple[Buffer, Store] | None] = [None] * len(arrays)
    for group in _groups([array for _, array in arrays]):
        first, *others = (arrays[k] for k in group)
        for formal, array in others:
            if array.dtype != first[1].dtype:
                raise InterpError(
                    f"arguments {first[0].name.name} and {formal.name.name} share memory at different dtypes", span=formal.span
                )
        base = min(np.lib.array_utils.byte_bounds(arrays[k][1])[0] for k in group)
        end = max(np.lib.array_utils.byte_bounds(arrays[k][1])[1] for k in group)
        data: list[Value] = [POISON] * ((end - base) // arrays[group[0]][1].itemsize)
        for k in group:
            results[k] = _import(arrays[k][0], arrays[k][1], base, data)
    return [result for result in results if result is not None]


def _check(formal: Arg, array: Array) -> None:
    name, scalar = formal.name.name, scalar_of(formal.type)
    require_rank(formal, array.shape)
    if array.dtype != dtype_of(scalar) and not (scalar.is_encoded and array.dtype.name == scalar.dtype):
        raise InterpError(
            f"argument {name} must have dtype {dtype_of(scalar)} for {scalar}, got {array.dtype}", span=formal.span
        )
    if any(stride % array.itemsize for stride in array.strides):
        raise InterpError(f"argument {name} has strides {array.strides} that are not whole elements", span=formal.span)


def _groups(arrays: list[Array]) -> list[list[int]]:
    """The positions of arrays, together where they overlap, directly or through others."""
    groups: list[list[int]] = []
    for k, array in enumerate(arrays):
        touching = [g for g in groups if any(np.may_share_memory(arrays[j], array) for j in g)]
        groups = [g for g in groups if g not in touching]
        groups.append([j for g in touching for j in g] + [k])
    return groups


def _import(formal: Arg, array: Array, base: int, data: list[Value]) -> tuple[Buffer, Store]:
    scalar = scalar_of(formal.type)
    strides = tuple(stride // array.itemsize for stride in array.strides)
    address: int = array.__array_interface__["data"][0]
    buffer = Buffer(scalar, array.shape, data, (address - base) // array.itemsize, strides)
    values = numbers(array, scalar).ravel().tolist()
    if len(data) == len(values) and array.flags.c_contiguous:
        data[:] = values
    else:
        for offset, value in zip(buffer.offsets(), values, strict=True):
            data[offset] = value
    return buffer, lambda: _store(buffer, array)


def _store(buffer: Buffer, array: Array) -> None:
    """Writes the buffer's values into the array; elements that are poison keep what the array holds."""
    values = buffer.values()
    defined = np.array([value is not POISON for value in values], dtype=bool).reshape(array.shape)
    plain = [0 if value is POISON else value for value in values]
    if buffer.scalar.is_encoded:
        array, new = array.view(dtype_of(buffer.scalar)), bits_of(np.array(plain), buffer.scalar)
    else:
        new = np.array(plain, dtype=array.dtype)
    np.copyto(array, new.reshape(array.shape), where=defined)


def numbers(array: Array, scalar: ScalarType) -> Array:
    """The numbers in an array, of which it may hold the bits."""
    if scalar == B8:
        return np.not_equal(array.view(np.uint8), 0).astype(np.uint8)
    return numbers_of(array.view(dtype_of(scalar)), scalar) if scalar.is_encoded else array
