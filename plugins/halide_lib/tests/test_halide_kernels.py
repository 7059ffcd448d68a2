"""The image kernels against NumPy, for sizes from one pixel on and any strides."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("usl_avx512")

from usl_core.errors import UsageError
from usl_halide_lib.kernels import box_blur, harris, source, unsharp

SIZES = ((1, 1), (3, 40), (33, 31), (70, 70))


def third(a, b, c):
    return (a + b + c) // np.uint16(3)


@pytest.mark.parametrize("size", SIZES)
def test_the_blur_is_that_of_numpy_in_sixteen_bits(size):
    height, width = size
    image = np.random.default_rng(0).integers(0, 1 << 16, (height + 2, width + 2), dtype=np.uint16)
    rows = third(image[:, :-2], image[:, 1:-1], image[:, 2:])
    np.testing.assert_array_equal(box_blur(image), third(rows[:-2], rows[1:-1], rows[2:]))


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


def test_an_image_of_another_type_or_without_a_border_is_refused():
    for image in (np.zeros((5, 5), np.uint8), np.zeros((2, 5), np.uint16), np.zeros((3, 5, 5), np.uint16)):
        with pytest.raises(UsageError, match="box_blur: the image must"):
            box_blur(image)


def test_the_c_of_a_kernel_can_be_had():
    assert "box_blur" in source("box_blur")
    with pytest.raises(UsageError, match="there is no kernel"):
        source("blur")
