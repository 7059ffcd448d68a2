"""`Func` and `Pipeline` as users have them: definitions, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from usl_halide_lib.lang import syntax
from usl_halide_lib.lang.collect import collect, inputs_of
from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.interp import Interval, Oracle

Window = Sequence[int | Interval]


def intervals(window: Window, dimensions: int) -> list[Interval]:
    """A window as (min, extent) per dimension, x first; a number is an extent from 0.

    Raises:
        AlgorithmError: E787, another number of dimensions, or an extent that is negative or too large.
    """
    if len(window) != dimensions:
        raise refuse(f"the window has {len(window)} dimensions, and {dimensions} are needed", code="E787")
    pairs = [(0, each) if isinstance(each, int) else (int(each[0]), int(each[1])) for each in window]
    for dim, (low, extent) in enumerate(pairs):
        if not (0 <= extent < 2**31 and low >= -(2**31) and low + extent <= 2**31):
            raise refuse(
                f"dimension {dim} of the window is {low}:{low + extent}, which is no range of 32-bit places", code="E787"
            )
    return pairs


class Func(syntax.Func):
    """A func: a value for each place of an unbounded grid. `f[x, y] = e` defines it, further assignments are updates."""

    def interpret(self, window: Window, exact: bool = True) -> Any:
        """The values in a window by the semantics alone: the oracle. Slow, and not compiled.

        window has an extent, or (min, extent), per dimension, x first. The result is an array of Python objects (exact: floats
        are Fractions) or of the func's type, dimensions in NumPy's order; of a tuple a list of arrays.

        Raises:
            AlgorithmError: an input has no value or is too small (E786), an extent is negative (E787).
        """
        program = collect([self])
        pairs = intervals(window, self.dimensions())
        oracle = Oracle(program.algorithm, inputs_of(program), exact)
        values = oracle.realize(self.name(), pairs)
        arrays = [
            np.empty([extent for _, extent in reversed(pairs)], object if exact else numpy_type(typ)) for typ in self.types()
        ]
        for point, elements in values.items():
            place = tuple(c - low for c, (low, _) in reversed(list(zip(point, pairs, strict=True))))
            for array, element in zip(arrays, elements, strict=True):
                array[place] = element
        return arrays[0] if len(arrays) == 1 else arrays


def numpy_type(typ: Any) -> Any:
    """The NumPy type of a type's values."""
    return np.dtype(str(typ))
