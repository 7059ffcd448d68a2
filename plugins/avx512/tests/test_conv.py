"""Convolutions: every shape is right to the bound that theory gives, the schedule keeps its meaning, bad input is named."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from avx512_build import require

from usl_avx512.conv import Blocking, Shape, conv_schedule
from usl_avx512.conv.schedule import near_equal
from usl_avx512.kernels import Conv2d, conv2d
from usl_avx512.kernels.conv import flattened, pack
from usl_avx512.memories import AVX512
from usl_core.interp.run import run
from usl_stdlib import walk

SHAPES = {  # images, window, stride, relu
    "tiles of one row, a block of channels and a masked rest": ((2, 5, 21, 16), (3, 3, 16, 75), 1, True),
    "tiles of several rows, columns that no window reaches": ((1, 12, 10, 32), (3, 3, 32, 64), 2, True),
    "few input channels, a wide window, single pixels left": ((1, 9, 31, 3), (5, 7, 3, 48), 2, True),
    "pixels as one row": ((3, 5, 5, 20), (1, 1, 20, 65), 1, True),
    "pixels that are left out": ((2, 5, 7, 16), (1, 1, 16, 16), 3, False),
    "one of everything": ((1, 1, 1, 1), (1, 1, 1, 1), 1, False),
}


def exact(x: np.ndarray, w: np.ndarray, stride: int) -> np.ndarray:
    """The sums in double precision."""
    (_, height, width, _), (kh, kw, _, oc) = x.shape, w.shape
    rows, columns = (height - kh) // stride + 1, (width - kw) // stride + 1
    total = np.zeros((x.shape[0], rows, columns, oc))
    for u in range(kh):
        for v in range(kw):
            seen = x[:, u : u + stride * (rows - 1) + 1 : stride, v : v + stride * (columns - 1) + 1 : stride]
            total += seen.astype(np.float64) @ w[u, v].astype(np.float64)
    return total


@pytest.mark.parametrize("name", SHAPES)
def test_results_are_within_the_error_bound(name: str) -> None:
    require("native")
    image, window, stride, relu = SHAPES[name]
    random = np.random.default_rng(3)
    x, w = (random.uniform(-1, 1, shape).astype(np.float32) for shape in (image, window))
    y, sums = conv2d(x, w, stride=stride, relu=relu), exact(x, w, stride)
    # n fused steps: each sum is off by at most n u / (1 - n u) of the sum of magnitudes (Higham 2002, §3.1); ReLU adds nothing.
    unit = window[0] * window[1] * window[2] * 2.0**-24
    bound = (unit / (1 - unit) + 1e-12) * exact(np.abs(x), np.abs(w), stride)
    assert y.shape == sums.shape and y.dtype == np.float32
    assert (np.abs(y - (np.maximum(sums, 0) if relu else sums)) <= bound).all()


def test_weights_are_packed_once_for_images_of_several_sizes() -> None:
    require("native")
    random = np.random.default_rng(4)
    w = random.integers(-4, 5, (1, 1, 3, 5)).astype(np.float32)
    layer = Conv2d(w[:, :, ::-1], relu=False)
    for shape in ((0, 2, 3, 3), (2, 2, 3, 3), (1, 1, 1, 3)):
        x = random.integers(-4, 5, shape).astype(np.float32)
        assert np.array_equal(layer(x), exact(x, w[:, :, ::-1], 1))


@pytest.mark.parametrize(
    ("shape", "blocking"),
    [
        (Shape(2, 5, 75, 5, 11, 16, 2, 2, 2), Blocking(3, 32)),
        (Shape(3, 2, 16, 4, 4, 2, 2, 3), Blocking(4, 32)),
        (Shape(2, 3, 65, 3, 3, 2, 2, 1), Blocking(6, 32, weights_stay=True)),
        (Shape(1, 7, 64, 1, 7, 32, 1, 1, rectify=False), Blocking(3, 64)),
    ],
    ids=["channels left", "rows in a tile", "weights stay", "no relu"],
)
def test_the_schedule_means_the_same_to_the_interpreter(shape: Shape, blocking: Blocking) -> None:
    fast, random = conv_schedule(shape, blocking), np.random.default_rng(5)
    x = random.integers(-4, 5, (1, shape.H_in, shape.W_in, shape.IC)).astype(np.float32)
    w = random.integers(-4, 5, (shape.KH, shape.KW, shape.IC, shape.OC)).astype(np.float32)
    y = np.full((1, shape.H, shape.W, shape.OC), np.nan, np.float32)
    run(fast.ir, [1, x, pack(w, blocking.channels), y], mode="machine")
    sums = exact(x, w, shape.stride)[:, : shape.H, : shape.W]
    assert np.array_equal(y, np.maximum(sums, 0) if shape.rectify else sums)


def test_all_work_of_the_published_layer_is_done_by_instructions_on_registers() -> None:
    fast = conv_schedule(Shape(80, 100, 128, 82, 102, 128, 3, 3))
    assert not list(walk(fast, "writes"))
    assert all(buffer.mem() is AVX512 for buffer in walk(fast, "allocations"))


def test_parts_are_nearly_equal() -> None:
    for extent in range(1, 200):
        parts = near_equal(extent, 14)
        assert sum(size * many for size, many in parts) == extent
        assert max(size for size, _ in parts) <= 14 and len(parts) <= 2
        assert max(size for size, _ in parts) - min(size for size, _ in parts) <= 1


def test_only_windows_of_one_pixel_without_gaps_make_one_row() -> None:
    assert flattened(Shape(4, 5, 8, 4, 5, 8, 1, 1)) == Shape(1, 20, 8, 1, 20, 8, 1, 1)
    for shape in (Shape(2, 3, 8, 4, 5, 8, 1, 1, 2), Shape(2, 3, 8, 4, 5, 8, 3, 3)):
        assert flattened(shape) == shape


def test_bad_input_is_refused_with_what_to_do() -> None:
    x, w = np.ones((1, 4, 4, 2), np.float32), np.ones((3, 3, 2, 4), np.float32)
    odd = np.zeros(4 * 32 + 1, np.uint8)[1:].view(np.float32).reshape(x.shape)
    cases: list[tuple[Any, Any, dict[str, Any], type[Exception], str]] = [
        (x.tolist(), w, {}, TypeError, "x must be a NumPy array, not list"),
        (x, w.astype(np.float64), {}, TypeError, "w must be of dtype float32, not float64"),
        (x[0], w, {}, ValueError, r"x must have the four dimensions \(N, H_in, W_in, IC\), not 3"),
        (x, w[0], {}, ValueError, r"w must have the four dimensions \(KH, KW, IC, OC\), not 3"),
        (x, w[:, :, :1], {}, ValueError, "x has 2 channels, but w is for 1"),
        (x, w[:, :0], {}, ValueError, "w must not be empty"),
        (x[:, :2].copy(), w, {}, ValueError, "2 x 4, are smaller than the window, 3 x 3; add a border"),
        (x[:, ::-1], w, {}, ValueError, "copy it with numpy.ascontiguousarray"),
        (odd, w, {}, ValueError, "x does not start at a multiple of 4 bytes"),
        (x, w, {"stride": 0}, ValueError, "stride must be at least 1, not 0"),
        (x, w, {"stride": 1.0}, TypeError, "stride must be an integer, not float"),
    ]
    for image, weights, options, error, message in cases:
        with pytest.raises(error, match=message):
            conv2d(image, weights, **options)


def test_importing_the_kernels_builds_nothing() -> None:
    code = "import sys, usl_avx512.kernels; sys.exit('usl_avx512.conv' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
