"""The photograph and its reference blur."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench import pictures


def test_the_photograph_is_real_and_uses_the_whole_range(tmp_path: Path) -> None:
    pytest.importorskip("skimage")
    file = pictures.photograph_file(tmp_path / "new")
    grey = pictures.read_grey(file)
    assert file.parent == tmp_path / "new" and grey.shape == (1411, 1411)
    assert (grey.min(), grey.max()) == (0, 65535)


def test_written_pixels_are_read_back_with_all_sixteen_bits(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(1).integers(0, 65535, (20, 30), np.uint16, endpoint=True)
    pictures.write_grey(pixels, tmp_path / "grey.png")
    with image.open(tmp_path / "grey.png") as back:
        np.testing.assert_array_equal(np.asarray(back), pixels)


def test_a_picture_is_repeated_and_cut_to_shape() -> None:
    pixels = np.arange(6, dtype=np.uint16).reshape(2, 3)
    repeated = pictures.repeat_to(pixels, (3, 7))
    np.testing.assert_array_equal(repeated[2], [0, 1, 2, 0, 1, 2, 0])
    assert repeated.flags.c_contiguous


def test_the_reference_blur_sums_nine_neighbours_in_32_bits_and_divides_once() -> None:
    pytest.importorskip("scipy")
    pixels = np.random.default_rng(2).integers(0, 65535, (13, 17), np.uint16, endpoint=True)
    padded = pictures.with_border(pixels).astype(np.uint32)
    sums = sum(padded[y : y + 13, x : x + 17] for y in range(3) for x in range(3))
    np.testing.assert_array_equal(pictures.scipy_blur(pixels), sums // 9)
    assert pictures.scipy_blur(np.full((4, 4), 65535, np.uint16)).max() == 65535
