"""Arrays against shapes that are written as in a procedure: "2 * H + 4, W" gives H and W, or a clear message."""

from __future__ import annotations

import re
from typing import Any

from usl_core.errors import UsageError

_EXTENT = re.compile(r"(?:(\d+) \* )?([A-Z])(?: \+ (\d+))?|(\d+)")


def match_shape(kernel: str, what: str, array: Any, dtype: str, shape: str, sizes: dict[str, int]) -> Any:
    """The array as it is given, if it has a type and a shape; the sizes in the shape that are not known yet are added to sizes.

    Raises:
        UsageError: its type, its number of dimensions or an extent is another, or a size would be less than 1.
    """
    import numpy as np

    array = np.asarray(array)
    extents = shape.split(", ")
    if array.dtype != dtype or array.ndim != len(extents):
        raise _refused(kernel, what, array, dtype, shape, sizes)
    for extent, found in zip(extents, array.shape, strict=True):
        matched = _EXTENT.fullmatch(extent)
        assert matched is not None
        factor, size, more, number = matched.groups()
        if number is None:
            value, rest = divmod(found - int(more or 0), int(factor or 1))
            fits = rest == 0 and value >= 1 and sizes.setdefault(size, value) == value
        else:
            fits = found == int(number)
        if not fits:
            raise _refused(kernel, what, array, dtype, shape, sizes)
    return array


def _refused(kernel: str, what: str, array: Any, dtype: str, shape: str, sizes: dict[str, int]) -> UsageError:
    free = [each for each in dict.fromkeys(re.findall("[A-Z]", shape)) if each not in sizes]
    known = [f"{each} = {sizes[each]}" for each in dict.fromkeys(re.findall("[A-Z]", shape)) if each in sizes]
    given = [*known, *([f"{' and '.join(free)} at least 1"] if free else [])]
    where = f" with {', '.join(given)}" if given else ""
    return UsageError(f"{kernel}: {what} must be {dtype} [{shape}]{where}, got {array.dtype} {list(array.shape)}")


def extents(shape: str, sizes: dict[str, int]) -> tuple[int, ...]:
    """A shape for given sizes."""
    found = []
    for extent in shape.split(", "):
        matched = _EXTENT.fullmatch(extent)
        assert matched is not None
        factor, size, more, number = matched.groups()
        found.append(int(number) if number is not None else int(factor or 1) * sizes[size] + int(more or 0))
    return tuple(found)
