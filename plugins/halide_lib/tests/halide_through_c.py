"""Random pipelines under random schedules through P0, the operators and compiled C, compared with the oracle bit by bit.

`halide_confluence` compares the theory's loops, state by state; what a processor runs is compared here. Types are all there
are, inputs and outputs are contiguous, cropped, strided, reversed or transposed views of larger arrays, windows begin anywhere.
What is refused on the way is counted with its reason, and the rest of the schedule goes on without it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import patch

import numpy as np
from halide_confluence import Cell, Pair, pair

from usl_core.errors import UslError
from usl_halide_lib import hl
from usl_halide_lib.directives import Directive
from usl_halide_lib.lang import pipeline
from usl_halide_lib.lang.collect import collect
from usl_halide_lib.lang.errors import here

Layout = tuple[str, Any]


def viewed(array: np.ndarray[Any, Any], chosen: random.Random) -> np.ndarray[Any, Any]:
    """The same values with other strides: as they are, in a larger array, at every second place, backwards, columns first."""
    kind = chosen.choice(("plain", "cropped", "strided", "reversed", "transposed"))
    shape = array.shape
    match kind:
        case "plain":
            made = array.copy()
        case "cropped":
            whole = np.full([n + 5 for n in shape], 99, array.dtype)
            made = whole[tuple(slice(2, 2 + n) for n in shape)]
        case "strided":
            whole = np.full([2 * n for n in shape], 99, array.dtype)
            made = whole[(slice(None, None, 2),) * len(shape)]
        case "reversed":
            made = np.full(shape, 99, array.dtype)[(slice(None, None, -1),) * len(shape)]
        case _:
            made = np.full(tuple(reversed(shape)), 99, array.dtype).T
    made[...] = array
    return made


def guarded(shape: list[int], dtype: Any, chosen: random.Random) -> tuple[Any, Any]:
    """An output of a shape within a larger array, and that array: nothing around the output may change."""
    step = chosen.choice((1, 1, 2))
    whole = np.full([n * (step if axis else 1) + 4 for axis, n in enumerate(shape)], 77, dtype)
    places = tuple(slice(2, 2 + n * (step if axis else 1), step if axis else 1) for axis, n in enumerate(shape))
    return whole[places], whole


def reason(error: UslError) -> str:
    """A refusal in words that do not depend on names and numbers."""
    text = re.sub(r"\b[fnrt]\d+\w*|\d+", "#", error.message.rpartition("): ")[2])
    return f"{error.code} {text[:90]}"


@dataclass
class Trial:
    """A pipeline, with the values that the oracle has for its window, and the directives that are left of a random schedule."""

    given: Pair
    chosen: random.Random
    is_whole: bool
    wanted: list[Any]
    left: list[Directive]
    happened: list[str] = field(default_factory=list)

    @property
    def output(self) -> Any:
        """The func."""
        return self.given.made.output

    def attempt(self, step: Callable[[], Any]) -> Any:
        """What a step gives with as many of the directives as apply; None if it is refused without any.

        The directive that a refusal names is left out, or else the last one.
        """
        span = here()
        while True:
            for func in self.given.made.funcs:
                mine = [each for each in self.left if each.func == func.name()]
                if [*map(str, mine)] != [*map(str, func._collected.directives)]:  # the same objects are not compiled again
                    func._collected.directives[:] = [replace(each, span=span) for each in mine]
            try:
                with patch.multiple(pipeline, partitioned=_whole, halved=_whole) if self.is_whole else nullcontext():
                    return step()
            except UslError as error:
                if error.code == "E789":  # a mistake of ours
                    raise
                if not self.left:
                    self.happened.append(f"pipeline refused: {reason(error)}")
                    return None
                blamed = next((each for each in self.left if str(each) in error.message), self.left[-1])
                self.left.remove(blamed)
                self.happened.append(f"{blamed.name} refused: {reason(error)}")

    def run(self) -> list[str]:
        """Compare; what happened, in words.

        Raises:
            AssertionError: the compiled code computes something else, or writes beside its output.
        """
        got = self.attempt(lambda: self.output.realize(self.given.made.window))
        if got is None:
            return self.happened
        results = [np.asarray(each) for each in (got if isinstance(got, tuple) else (got,))]
        for a, b in zip(results, self.wanted, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=str(list(map(str, self.left))))
        self.happened += into_buffers(self.output, self.given.made.window, self.wanted, self.chosen)
        for func in self.given.made.funcs:
            func._collected.directives[:] = []
        return [*self.happened, "compiled and equal", *(f"with {each.name}" for each in self.left)]


def trial(seed: int, cell: Cell, floats: bool = True, most: int = 3, cut: float = 0.25) -> Trial | None:
    """A pair for compiled code; None if there is none. cut says how often loops are cut where borders are, which takes long.

    What rfactor adds is left out, as it changes the algorithm.
    """
    given = pair(seed, cell, floats, most)
    if given is None:
        return None
    chosen = random.Random(seed)
    output, window = given.made.output, given.made.window
    for image in collect([output]).images.values():
        image._array = viewed(np.asarray(image.array()), chosen)
    want = output.interpret(window, exact=False)
    names = {each.name() for each in given.made.funcs}
    left = [plainly(each) for each in given.directives if each.func in names and each.name != "rfactor"]
    return Trial(given, chosen, chosen.random() >= cut, want if isinstance(want, list) else [want], left)


def _whole(procedure: Any, _: Any) -> Any:
    """Rows that are not cut where borders begin and end to matter, nor divided into pairs."""
    return procedure


def compiled(seed: int, cell: Cell, floats: bool = True, most: int = 3) -> list[str]:
    """A pair through C: what happened, in words.

    Raises:
        AssertionError: the compiled code computes something else, or writes beside its output.
    """
    made = trial(seed, cell, floats, most)
    return ["no pair"] if made is None else made.run()


def into_buffers(output: Any, window: list[tuple[int, int]], wanted: list[Any], chosen: random.Random) -> list[str]:
    """The same into places of larger arrays, which stay as they are around these."""
    made = [guarded(list(each.shape), each.dtype, chosen) for each in wanted]
    buffers = []
    for view, _ in made:
        buffers.append(hl.Buffer(view))
        buffers[-1].set_min([low for low, _ in window])
    before = [whole.copy() for _, whole in made]
    try:
        output.realize(buffers)
    except UslError as error:
        assert error.code == "E775", error
        return [f"buffers refused: {reason(error)}"]
    for (view, whole), old, want in zip(made, before, wanted, strict=True):
        np.testing.assert_array_equal(view, want)
        view[...] = 77
        np.testing.assert_array_equal(whole, old)
    return ["into buffers"]


def plainly(directive: Directive) -> Directive:
    """A directive with the names that a user's variables have in procedures."""
    stage = 0 if directive.name in ("bound", "align_bounds") else directive.stage  # they are about a func
    return replace(directive, stage=stage, args=tuple(map(_plain, directive.args)))


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("$", "_")
    return type(value)(map(_plain, value)) if isinstance(value, list | tuple) else value


__all__ = ["Trial", "compiled", "plainly", "trial", "viewed"]
