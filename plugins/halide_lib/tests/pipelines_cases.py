"""The registry of the forty pipelines (halide.md §14): each is written once, for Halide and for us, with what it is in NumPy.

A case's `build` takes the language (`hl`, or the `halide` package) and its inputs as that language's buffers. It gives the
outputs and a function that gives the directives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]
Make = Callable[[int, int, np.random.Generator], np.ndarray]


@dataclass
class Case:
    """One pipeline. inputs and window take the width and the height; rtol is how far floats may be apart, note a difference."""

    number: int
    name: str
    build: Callable[..., Any]
    inputs: dict[str, Make]
    window: Callable[[int, int], Sequence[int]]
    rtol: float = 0.0
    atol: float = 0.0
    differing: float = 0.0
    """The share of elements that may differ."""
    note: str = ""
    expected: Callable[..., Any] | None = field(default=None)

    def arrays(self, width: int, height: int, seed: int = 0) -> Arrays:
        """Inputs of a size."""
        rng = np.random.default_rng(seed + self.number)
        return {name: make(width, height, rng) for name, make in self.inputs.items()}

    def numpy(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Take a function of the inputs as what the pipeline means."""
        self.expected = function
        return function


CASES: dict[str, Case] = {}


def case(number: int, inputs: dict[str, Make], window: Any = None, **options: Any) -> Callable[..., Case]:
    """Register a pipeline; without a window its output has the extents (width, height)."""

    def register(build: Callable[..., Any]) -> Case:
        made = Case(number, build.__name__, build, inputs, window or (lambda w, h: (w, h)), **options)
        CASES[made.name] = made
        return made

    return register


def image(dtype: Any, margin: tuple[int, int] = (0, 0), planes: int | None = None, most: float | None = None) -> Make:
    """Random images, some places larger than the output: integers of a type, or floats in [0, 1)."""

    def make(width: int, height: int, rng: np.random.Generator) -> np.ndarray:
        shape: tuple[int, ...] = (height + margin[1], width + margin[0])
        shape = shape if planes is None else (planes, *shape)
        if np.dtype(dtype).kind == "f":
            return (rng.random(shape) * (most or 1)).astype(dtype)
        info = np.iinfo(dtype)
        return rng.integers(info.min, (most or info.max) + 1, shape).astype(dtype)

    return make


def shape(*extents: Any, dtype: Any = np.float32, low: float = 0, high: float = 1) -> Make:
    """Random arrays in NumPy's order; an extent is a number, "w" or "h"."""

    def make(width: int, height: int, rng: np.random.Generator) -> np.ndarray:
        sizes = [{"w": width, "h": height}.get(each, each) for each in extents]
        if np.dtype(dtype).kind == "f":
            return (rng.random(sizes) * (high - low) + low).astype(dtype)
        return rng.integers(low, high + 1, sizes).astype(dtype)

    return make


def at(array: np.ndarray, dy: int, dx: int, height: int, width: int) -> np.ndarray:
    """The part of an image that is shifted."""
    return array[..., dy : dy + height, dx : dx + width]
