"""Random pipelines under random schedules through P0, the operators and compiled C, compared with the oracle bit by bit.

`halide_confluence` compares the theory's loops, state by state; what a processor runs is compared here. Types are all there
are, inputs and outputs are contiguous, cropped, strided, reversed or transposed views of larger arrays, windows begin anywhere.
What is refused on the way is counted with its reason, and the rest of the schedule goes on without it.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import numpy as np
from halide_confluence import Cell, pair

from usl_core.errors import UslError
from usl_halide_lib import hl
from usl_halide_lib.directives import Directive
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


def compiled(seed: int, cell: Cell, floats: bool = True, most: int = 3) -> list[str]:
    """A pair through C: what happened, in words. What rfactor adds is left out, as it changes the algorithm.

    Raises:
        AssertionError: the compiled code computes something else, or writes beside its output.
    """
    given = pair(seed, cell, floats, most)
    if given is None:
        return ["no pair"]
    chosen = random.Random(seed)
    output, window = given.made.output, given.made.window
    for image in collect([output]).images.values():
        image._array = viewed(np.asarray(image.array()), chosen)
    want = output.interpret(window, exact=False)
    wanted = want if isinstance(want, list) else [want]
    funcs = {each.name(): each for each in given.made.funcs}
    left = [plainly(each) for each in given.directives if each.func in funcs and each.name != "rfactor"]
    happened: list[str] = []
    span, is_whole = here(), chosen.random() < 0.75  # proofs of where to cut loops take most of the time
    while True:
        for name, func in funcs.items():
            mine = [replace(each, span=span) for each in left if each.func == name]
            if is_whole and (mine or func is output):
                mine.append(Directive("never_partition_all", name, 0, (), span, 0))
            func._collected.directives[:] = mine
        try:
            got = output.realize(window)
            break
        except UslError as error:
            if not left:
                return [*happened, f"pipeline refused: {reason(error)}"]
            blamed = next((each for each in left if str(each) in error.message), left[-1])
            left.remove(blamed)
            happened.append(f"{blamed.name} refused: {reason(error)}")
    results = [np.asarray(each) for each in (got if isinstance(got, tuple) else (got,))]
    for a, b in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=str(list(map(str, left))))
    happened += into_buffers(output, window, wanted, chosen)
    for func in funcs.values():
        func._collected.directives[:] = []
    return [*happened, "compiled and equal", *(f"with {each.name}" for each in left)]


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


__all__ = ["compiled", "plainly", "viewed"]
