"""The image kernels against NumPy, for sizes from one pixel on and any strides."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("usl_avx512")

from usl_core.errors import UsageError
from usl_halide_lib.image_schedules import KERNELS, scheduled
from usl_halide_lib.kernels import (
    bilateral_grid,
    box_blur,
    demosaic,
    harris,
    local_laplacian,
    resize,
    separable_convolution,
    source,
    unsharp,
)

SIZES = ((1, 1), (3, 40), (33, 31), (70, 70))


def third(a, b, c):
    return (a + b + c) // np.uint16(3)


@pytest.mark.parametrize("size", SIZES)
def test_the_blur_is_that_of_numpy_in_sixteen_bits(size):
    height, width = size
    image = np.random.default_rng(0).integers(0, 1 << 16, (height + 2, width + 2), dtype=np.uint16)
    rows = third(image[:, :-2], image[:, 1:-1], image[:, 2:])
    np.testing.assert_array_equal(box_blur(image), third(rows[:-2], rows[1:-1], rows[2:]))


def test_images_that_are_smaller_than_a_tile_have_vectors_too():
    """Those of the last lanes are masked, and tiles that are cut short are not unrolled."""
    large, small = str(scheduled("box_blur")).split("\n    else:")
    assert "mask" not in large and "for y in" not in large
    assert "mm512_mask_loadu_epu16" in small and "for y in" in small and "in par(" in small


def test_images_may_be_transposed_reversed_and_parts_of_others():
    image = np.random.default_rng(0).integers(0, 1 << 16, (90, 80), dtype=np.uint16)
    out = np.zeros((80, 100), np.uint16)[:78, 7:95].T[:, ::-1]
    for given in (image, image.T, image[::-1, ::-1], image[5:60, 3:70], image[::2, ::2]):
        expected = box_blur(np.ascontiguousarray(given))
        np.testing.assert_array_equal(box_blur(given), expected)
    assert box_blur(image, out) is out
    np.testing.assert_array_equal(out, box_blur(image))


@pytest.mark.parametrize("size", SIZES)
def test_unsharp_masking_is_that_of_numpy(size):
    height, width = size
    image = np.random.default_rng(0).uniform(0.5, 1.0, (3, height + 6, width + 6)).astype(np.float32)
    taps = np.exp(-(np.arange(-3, 4) ** 2) / 4.5) / (np.sqrt(2 * np.pi) * 1.5)
    wide = image.astype(np.float64)
    gray = 0.299 * wide[0] + 0.587 * wide[1] + 0.114 * wide[2]
    down = sum(taps[k] * gray[k : k + height] for k in range(7))
    both = sum(taps[k] * down[:, k : k + width] for k in range(7))
    middle = gray[3:-3, 3:-3]
    np.testing.assert_allclose(unsharp(image), (2 * middle - both) / middle * wide[:, 3:-3, 3:-3], rtol=3e-5)


@pytest.mark.parametrize("size", SIZES[:3])
def test_corners_are_those_of_numpy(size):
    height, width = size
    image = np.random.default_rng(0).random((height + 4, width + 4), dtype=np.float32)
    w = image.astype(np.float64)
    gx = w[:-2, 2:] - w[:-2, :-2] + 2 * (w[1:-1, 2:] - w[1:-1, :-2]) + w[2:, 2:] - w[2:, :-2]
    gy = w[2:, :-2] - w[:-2, :-2] + 2 * (w[2:, 1:-1] - w[:-2, 1:-1]) + w[2:, 2:] - w[:-2, 2:]

    def box(a):
        return sum(a[y : y + height, x : x + width] for y in range(3) for x in range(3))

    xx, xy, yy = box(gx * gx), box(gx * gy), box(gy * gy)
    np.testing.assert_allclose(harris(image), xx * yy - xy * xy - 0.04 * (xx + yy) ** 2, rtol=1e-3, atol=1e-3)


def average(a, b):
    return (a + b + 1) >> 1


@pytest.mark.parametrize("size", SIZES)
def test_a_mosaic_is_interpolated_as_numpy_does_it_for_all_values(size):
    height, width = size
    mosaic = np.random.default_rng(0).integers(0, 1 << 16, (2 * height + 4, 2 * width + 4), dtype=np.uint16)
    gr, r, b, gb = (mosaic[y::2, x::2].astype(np.int64) for y in (0, 1) for x in (0, 1))

    def closer(pair, other):
        nearer = abs(other[0] - other[1]) < abs(pair[0] - pair[1])
        return np.where(nearer, average(*other), average(*pair))

    def moved(green, colours, greens):
        return np.clip(green + average(*colours) - average(*greens), 0, 65535)

    g_r = closer((gr[1:, :-1], gr[1:, 1:]), (gb[:-1, :-1], gb[1:, :-1]))  # row y, column x: quad y + 1, x
    g_b = closer((gb[:-1, :-1], gb[:-1, 1:]), (gr[:-1, 1:], gr[1:, 1:]))  # quad y, x + 1
    gr, gb, r0, b0 = gr[1:-1, 1:-1], gb[1:-1, 1:-1], r[1:-1, 1:-1], b[1:-1, 1:-1]
    g_r, g_b = g_r[:, : width + 1], g_b[: height + 1]

    def diagonal(green, colour, greens):
        one, other = (colour[0], colour[3]), (colour[1], colour[2])
        first, second = moved(green, one, (greens[0], greens[3])), moved(green, other, (greens[1], greens[2]))
        return np.where(abs(one[0] - one[1]) < abs(other[0] - other[1]), first, second)

    corners = [(slice(y, y + height), slice(x, x + width)) for y in (0, 1) for x in (0, 1)]
    red, blue = [r[1:-1, :-1], r0, r[2:, :-2], r[2:, 1:-1]], [b[:-2, 1:-1], b[:-2, 2:], b0, b[1:-1, 2:]]
    red[0] = red[0][:, :width]
    g_red, g_blue = [g_r[each] for each in corners], [g_b[each] for each in corners]
    expected = np.empty((3, 2 * height, 2 * width), np.int64)
    expected[0, ::2, ::2] = moved(gr, (red[0], r0), (g_red[0], g_red[1]))
    expected[0, ::2, 1::2] = r0
    expected[0, 1::2, ::2] = diagonal(g_blue[2], red, g_red)
    expected[0, 1::2, 1::2] = moved(gb, (r0, red[3]), (g_red[1], g_red[3]))
    expected[1, ::2, ::2], expected[1, 1::2, 1::2] = gr, gb
    expected[1, ::2, 1::2], expected[1, 1::2, ::2] = g_red[1], g_blue[2]
    expected[2, ::2, ::2] = moved(gr, (blue[0], b0), (g_blue[0], g_blue[2]))
    expected[2, ::2, 1::2] = diagonal(g_red[1], blue, g_blue)
    expected[2, 1::2, ::2] = b0
    expected[2, 1::2, 1::2] = moved(gb, (b0, blue[3]), (g_blue[2], g_blue[3]))
    np.testing.assert_array_equal(demosaic(mosaic), expected)


def test_a_mosaic_of_one_colour_gives_that_colour():
    mosaic = np.empty((20, 24), np.uint16)
    mosaic[::2, ::2] = mosaic[1::2, 1::2] = 40000
    mosaic[::2, 1::2], mosaic[1::2, ::2] = 65535, 7
    assert (demosaic(mosaic) == np.array([65535, 40000, 7])[:, None, None]).all()


def bilateral_reference(image):
    height, width = image.shape
    rows, columns = (height + 7) // 8 + 5, (width + 7) // 8 + 5
    bright = np.clip(np.pad(image.astype(np.float64), ((20, 8 * rows), (20, 8 * columns)), "edge"), 0, 1)
    grid = np.zeros((2, rows, columns, 20))
    for y in range(8 * rows):
        level = (bright[y, : 8 * columns].astype(np.float32) * np.float32(10) + np.float32(2.5)).astype(int)
        cell = np.arange(8 * columns) // 8
        np.add.at(grid[0, y // 8], (cell, level), bright[y, : 8 * columns])
        np.add.at(grid[1, y // 8], (cell, level), 1)
    for axis in (1, 2, 3):
        grid = np.moveaxis(grid, axis, 0)
        grid = np.moveaxis(sum(w * grid[k : len(grid) - 4 + k] for k, w in enumerate((1, 4, 6, 4, 1))), 0, axis)
    y, x = np.mgrid[:height, :width]
    level = np.clip(image, 0, 1) * np.float32(10)
    found = 0
    for corner in np.ndindex(2, 2, 2):
        place = (y // 8 + corner[0], x // 8 + corner[1], level.astype(int) + corner[2])
        parts = (y % 8 / 8, x % 8 / 8, level - level.astype(int))
        weight = np.prod([part if bit else 1 - part for part, bit in zip(parts, corner, strict=True)], axis=0)
        found = found + weight * grid[(slice(None), *place)]
    return found[0] / found[1]


@pytest.mark.parametrize("size", SIZES)
def test_the_bilateral_grid_is_that_of_numpy(size):
    image = np.random.default_rng(0).random(size, dtype=np.float32) * 1.4 - 0.2
    np.testing.assert_allclose(bilateral_grid(image), bilateral_reference(image), rtol=2e-5)


def laplacian_reference(image, alpha, beta):
    """Exactly but for the place in the table of the remapping; 64 places on each side are enough for five levels."""
    _, height, width = image.shape
    pad = [(64, 64 + 16 - n % 16) for n in (height, width)]
    padded = [np.pad(plane / 65535, pad, "edge") for plane in image]
    gray = 0.299 * padded[0] + 0.587 * padded[1] + 0.114 * padded[2]

    def remap(i):
        return alpha / 7 * (i / 256) * np.exp(-((i / 256) ** 2) / 2)

    def down(a):
        for axis in (0, 1):
            wide = np.moveaxis(np.pad(a, [(1, 2) if each == axis else (0, 0) for each in (0, 1)], "edge"), axis, 0)
            a = np.moveaxis((wide[:-3] + 3 * wide[1:-2] + 3 * wide[2:-1] + wide[3:])[::2] / 8, 0, axis)
        return a

    def up(a, shape):
        for axis in (0, 1):
            at = np.arange(shape[axis])
            far = np.clip(at // 2 - 1 + 2 * (at % 2), 0, a.shape[axis] - 1)
            a = 0.25 * a.take(far, axis) + 0.75 * a.take(at // 2, axis)
        return a

    place = (gray.astype(np.float32) * np.float32(1792)).astype(int)
    own, remapped = [gray], [[beta * (gray - k / 7) + k / 7 + remap(place - 256 * k)] for k in range(8)]
    for _ in range(4):
        own.append(down(own[-1]))
        for each in remapped:
            each.append(down(each[-1]))
    result = 0
    for j in range(4, -1, -1):
        level = own[j] * 7
        low = np.clip(level.astype(int), 0, 6)
        details = np.array([each[j] - (up(each[j + 1], each[j].shape) if j < 4 else 0) for each in remapped])
        blend = np.take_along_axis(details, low[None], 0)[0] * (1 - level + low)
        blend += np.take_along_axis(details, low[None] + 1, 0)[0] * (level - low)
        result = blend + (up(result, blend.shape) if j < 4 else 0)
    part = slice(64, 64 + height), slice(64, 64 + width)
    factor = ((result + 0.01) / (gray + 0.01))[part]
    return np.floor(np.clip(factor * (image + 655.35) - 655.35, 0, 65535) + 0.5)


@pytest.mark.parametrize("size", [(1, 1), (20, 33), (70, 240)])
def test_the_local_laplacian_is_that_of_numpy(size):
    image = np.random.default_rng(0).integers(0, 1 << 16, (3, *size), dtype=np.uint16)
    for alpha, beta in ((1.0, 1.0), (0.5, 0.6)):
        difference = abs(local_laplacian(image, alpha, beta) - laplacian_reference(image, alpha, beta))
        assert np.quantile(difference, 0.98) <= 2
        assert difference.max() <= 65535 * alpha / 7 / 128 * 4  # a place of the table more or less, in a few pixels


def test_a_local_laplacian_without_remapping_changes_nothing():
    image = np.random.default_rng(0).integers(0, 1 << 16, (3, 50, 60), dtype=np.uint16)
    assert abs(local_laplacian(image, 0.0, 1.0) - image.astype(int)).max() <= 2


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("wanted", [(1, 1), (20, 75), (99, 13)])
def test_resizing_is_that_of_pillow(size, wanted):
    images = pytest.importorskip("PIL.Image")
    image = np.random.default_rng(0).random(size, dtype=np.float32)
    expected = images.fromarray(image).resize(wanted[::-1], images.Resampling.BICUBIC)
    np.testing.assert_allclose(resize(image, wanted), np.asarray(expected), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("size", "channels"), [((1, 1), (1, 1)), ((5, 6), (16, 32)), ((3, 20), (35, 33)), ((9, 7), (3, 70))])
def test_a_separable_convolution_is_that_of_numpy(size, channels):
    numbers = np.random.default_rng(0)
    (height, width), (c, k) = size, channels
    image, depth, point, bias = (
        numbers.standard_normal(shape, dtype=np.float32) for shape in ((height + 2, width + 2, c), (3, 3, c), (c, k), (k,))
    )
    deep = sum(depth[i, j].astype(np.float64) * image[i : i + height, j : j + width] for i in range(3) for j in range(3))
    np.testing.assert_allclose(
        separable_convolution(image, depth, point, bias), np.maximum(deep @ point + bias, 0), rtol=1e-3, atol=1e-4
    )


FORMS = {
    "unsharp": (unsharp, np.float32, lambda h, w: (3, h + 6, w + 6)),
    "harris": (harris, np.float32, lambda h, w: (h + 4, w + 4)),
    "bilateral_grid": (bilateral_grid, np.float32, lambda h, w: (h, w)),
    "demosaic": (demosaic, np.uint16, lambda h, w: (2 * h + 4, 2 * w + 4)),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_schedule_gives_the_pixels_of_the_plain_procedure_whatever_the_strides(name):
    kernel, kind, shape = FORMS[name]
    plain, numbers = KERNELS[name][0].jit(), np.random.default_rng(0)
    for height, width in [(1, 1), *numbers.integers(1, 90, (6, 2)).tolist()]:
        whole = shape(height, width)
        image = numbers.integers(0, 1 << 16, (*whole[:-2], 2 * whole[-2], 3 * whole[-1])).astype(kind)
        image = image[..., ::-2, ::3] if kind is np.uint16 else image[..., ::-2, ::3] / 65536 + np.float32(0.125)
        image = np.asarray(image, kind)[..., : whole[-2], : whole[-1]]
        expected = np.zeros_like(kernel(image))
        plain(height, width, np.ascontiguousarray(image), expected)
        out = np.zeros((*expected.shape, 2), kind)[..., 0][..., ::-1]
        assert kernel(image, out) is out
        np.testing.assert_allclose(out, expected, rtol=0 if kind is np.uint16 else 1e-4, atol=0 if kind is np.uint16 else 1e-3)


def test_an_image_of_another_type_or_without_a_border_is_refused():
    for image in (np.zeros((5, 5), np.uint8), np.zeros((2, 5), np.uint16), np.zeros((3, 5, 5), np.uint16)):
        with pytest.raises(UsageError, match="box_blur: the image must"):
            box_blur(image)


def test_what_does_not_fit_is_said_with_what_would():
    f32, u16 = np.float32, np.uint16
    for call, message in (
        (
            lambda: box_blur(np.zeros((2, 5), u16)),
            r"box_blur: the image must be uint16 \[H \+ 2, W \+ 2\] with H and W at least 1",
        ),
        (lambda: box_blur(np.zeros((5, 5), u16), np.zeros((4, 3), u16)), r"out must be uint16 \[H, W\] with H = 3, W = 3, got"),
        (lambda: demosaic(np.zeros((9, 8), u16)), r"demosaic: the image must be uint16 \[2 \* H \+ 4, 2 \* W \+ 4\]"),
        (lambda: resize(np.zeros((9, 8), f32), (0, 3)), "resize: the shape must be two numbers of at least 1, got"),
        (lambda: resize(np.zeros((9, 8)), (3, 3)), "resize: the image must be float32"),
        (lambda: bilateral_grid(np.zeros((0, 8), f32)), "bilateral_grid: the image must be float32"),
        (
            lambda: separable_convolution(*(np.zeros(each, f32) for each in ((5, 5, 4), (3, 3, 4), (5, 8), (8,)))),
            r"point must be float32 \[C, K\] with C = 4, K at least 1, got float32 \[5, 8\]",
        ),
    ):
        with pytest.raises(UsageError, match=message):
            call()


def test_the_c_of_a_kernel_can_be_had():
    for name in KERNELS:
        assert f"int {name}(" in source(name)
    with pytest.raises(UsageError, match="there is no kernel"):
        source("blur")


def test_iterations_of_a_parallel_loop_may_be_procedures_which_c_compilers_know_more_of():
    """In a function of its own `restrict` holds, also where the loop is outlined for threads."""
    (loop, call), *_ = [
        (line, after) for line, after in pairwise(str(scheduled("separable_convolution")).splitlines()) if "par(" in line
    ]
    assert "separable_convolution_iteration(" in call and "for y in" in loop
