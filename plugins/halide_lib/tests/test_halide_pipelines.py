"""The forty pipelines, each scheduled, give what NumPy gives; the same text in Halide gives the same pixels."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np
import pipelines_arrays
import pipelines_camera
import pipelines_filters
import pipelines_pyramids
import pytest
from pipelines_cases import CASES, Case

from usl_halide_lib import hl

HAS_HALIDE = importlib.util.find_spec("halide") is not None
MODULES = pipelines_arrays, pipelines_camera, pipelines_filters, pipelines_pyramids
NAMES = sorted(CASES, key=lambda name: CASES[name].number)
SIZE = 64, 64
"""Halide's vectors need this much room."""


def values(results: Any) -> list[np.ndarray]:
    return [np.asarray(each) for each in (results if isinstance(results, list | tuple) else [results])]


def check(case: Case, got: list[np.ndarray], expected: list[np.ndarray]) -> None:
    assert len(got) == len(expected)
    for result, wanted in zip(got, expected, strict=True):
        if case.differing:
            assert result.shape == wanted.shape and np.mean(result != wanted) <= case.differing
        elif case.rtol:
            np.testing.assert_allclose(result, wanted, rtol=case.rtol, atol=case.atol)
        else:
            np.testing.assert_array_equal(result, wanted)


def outputs(case: Case, language: Any, arrays: dict[str, np.ndarray]) -> list[Any]:
    """The scheduled outputs of a case in a language."""
    made, schedule = case.build(language, **{name: language.Buffer(array, name) for name, array in arrays.items()})
    schedule()
    return made


def test_there_are_forty():
    assert len(MODULES) == 4 and sorted(case.number for case in CASES.values()) == list(range(1, 41))


NESTS = Path(__file__).parent / "halide_nests.txt"
"""What Halide 21 prints for each pipeline, its numbers of vectors left out."""
OTHER_NESTS = {
    "blur": "where a func slides, Halide guards the consumer, and here the producer is guarded",
    "camera_pipe": "the range of the table is known here",
    "stereo": "the stages of a func that is computed in a loop share the loops over its places",
}


def golden() -> dict[str, str]:
    parts = NESTS.read_text(encoding="utf-8").split("== ")[1:]
    return {name.strip(): nest for name, _, nest in (part.partition("\n") for part in parts)}


@pytest.mark.parametrize("name", NAMES)
def test_a_pipeline_gives_what_numpy_gives_in_the_loops_that_halide_prints(name):
    case = CASES[name]
    arrays = case.arrays(*SIZE)
    assert case.expected is not None
    window, expected = list(case.window(*SIZE)), values(case.expected(**arrays))
    pipeline = hl.Pipeline(outputs(case, hl, arrays))
    check(case, values(pipeline.realize(window)), expected)
    nest = re.sub(r"\.v\d+", ".v#", pipeline.loop_nest())
    assert (nest == golden()[name]) == (name not in OTHER_NESTS)


@pytest.mark.skipif(not HAS_HALIDE, reason="Halide's Python package is not installed")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", NAMES)
def test_the_same_text_in_halide_gives_the_same(name):
    import halide

    case = CASES[name]
    arrays = case.arrays(*SIZE)
    assert case.expected is not None
    window, expected = list(case.window(*SIZE)), values(case.expected(**arrays))
    check(case, values(halide.Pipeline(outputs(case, halide, arrays)).realize(window)), expected)
