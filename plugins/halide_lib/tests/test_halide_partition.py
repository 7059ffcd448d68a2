"""Loops are cut where boundary conditions begin and end to matter, and compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from usl_halide_lib import hl

x, y = hl.Var("x"), hl.Var("y")
MODES = {"repeat_edge": "edge", "repeat_image": "wrap", "mirror_image": "symmetric", "mirror_interior": "reflect"}


def near(edge: Any) -> Any:
    """A cross of five places, with another weight for each."""
    f = hl.Func("near")
    f[x, y] = edge[x - 2, y] + 3 * edge[x + 2, y] + 5 * edge[x, y - 1] + 7 * edge[x, y + 1] + 11 * edge[x, y]
    return f


def padded(image: np.ndarray, mode: str, low: tuple[int, int], extent: tuple[int, int]) -> np.ndarray:
    """What `near` is in a window."""
    margin = 40
    options = {"constant_values": 9} if mode == "constant" else {}
    wide = np.pad(image, margin, mode, **options).astype(np.int32)
    (x0, y0), (w, h) = low, extent

    def at(dx: int, dy: int) -> np.ndarray:
        return wide[margin + y0 + dy : margin + y0 + dy + h, margin + x0 + dx : margin + x0 + dx + w]

    return at(-2, 0) + 3 * at(2, 0) + 5 * at(0, -1) + 7 * at(0, 1) + 11 * at(0, 0)


def conditions(image: hl.Buffer) -> dict[str, Any]:
    made = {mode: getattr(hl.BoundaryConditions, name)(image) for name, mode in MODES.items()}
    return {**made, "constant": hl.BoundaryConditions.constant_exterior(image, 9)}


WINDOWS = [((0, 0), (9, 7)), ((-5, -3), (20, 12)), ((3, 2), (1, 1)), ((-9, 0), (4, 7)), ((12, 9), (5, 2)), ((0, -20), (9, 5))]
"""The image itself, more on all sides, one place, nothing of it on the left, beyond, above."""


@pytest.mark.parametrize("mode", [*MODES.values(), "constant"])
def test_windows_in_across_and_beside_an_image_are_what_padding_gives(mode: str) -> None:
    array = np.random.default_rng(3).integers(0, 100, (7, 9)).astype(np.int32)
    f = near(conditions(hl.Buffer(array, "image"))[mode])
    for low, extent in WINDOWS:
        result = np.asarray(f.realize(list(zip(low, extent, strict=True))))
        np.testing.assert_array_equal(result, padded(array, mode, low, extent), err_msg=f"{low} {extent}")


@pytest.mark.parametrize("mode", ["edge", "constant"])
def test_the_interior_has_no_clamp_and_no_condition(mode: str) -> None:
    image = hl.ImageParam(hl.Int(32), 2, "image")
    loops = str(hl.Pipeline(near(conditions(image)[mode])).procedure()).split("for x in ")[1:]
    assert len(loops) == (3 if mode == "edge" else 9)
    columns = [line.partition("image[")[2].partition(", ")[2] for line in loops[len(loops) // 2].splitlines()]
    assert not any("max" in each.partition("]")[0] or "if " in each for each in columns)
    assert "if " not in loops[len(loops) // 2]


def test_loops_that_partition_exempts_stay_whole() -> None:
    image = hl.ImageParam(hl.Int(32), 2, "image")

    def rows(give: Any) -> int:
        f = near(conditions(image)["edge"])
        give(f)
        return str(hl.Pipeline(f).procedure()).count("for x in")

    assert rows(lambda f: f.never_partition(x)) == 1
    assert rows(lambda f: f.never_partition_all()) == 1
    assert rows(lambda f: f.partition(x, hl.Partition.Never)) == 1
    assert rows(lambda f: f.partition(x, hl.Partition.Auto)) == 3
    assert rows(lambda f: f.always_partition(x)) == 3


def test_strides_quotients_and_inner_reductions_are_partitioned() -> None:
    array = np.random.default_rng(4).integers(0, 100, 23).astype(np.int32)
    edge = hl.BoundaryConditions.repeat_edge(hl.Buffer(array, "line"))
    r = hl.RDom([(-1, 4)], "r")
    half, third, back = hl.Func("half"), hl.Func("third"), hl.Func("back")
    half[x] = edge[2 * x - 3] + 10 * edge[2 * x + 4]
    third[x] = hl.sum(edge[x / 3 + r])
    back[x] = edge[7 - x]
    places = np.arange(-30, 60)

    def at(index: np.ndarray) -> np.ndarray:
        return array[np.clip(index, 0, 22)]

    expected = {
        "half": at(2 * places - 3) + 10 * at(2 * places + 4),
        "third": sum(at(places // 3 + k) for k in range(-1, 3)),
        "back": at(7 - places),
    }
    for func in (half, third, back):
        assert str(hl.Pipeline(func).procedure()).count("for x in") == 3
        np.testing.assert_array_equal(np.asarray(func.realize([(-30, 90)])), expected[func.name()])
