"""Results past the cache: the same pixels as by it, for every address, distance between rows and size."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

pytest.importorskip("usl_avx512")

from usl_avx512 import has_avx512
from usl_avx512.emulation import FLAGS, simde
from usl_c11.batch import jit_all
from usl_core.errors import UsageError
from usl_halide_lib import kernels
from usl_halide_lib.image_schedules import KERNELS, STREAMED, scheduled
from usl_halide_lib.streaming import LARGE, aligned_empty, aligned_parts, at_least, past_the_cache

ALWAYS = "H >= 1 and W >= 1"
SHAPES = {
    "box_blur": (np.uint16, 2, lambda h, w: (h, w)),
    "unsharp": (np.float32, 6, lambda h, w: (3, h, w)),
    "demosaic": (np.uint16, 4, lambda h, w: (3, 2 * h, 2 * w)),
}
"""By kernel the type of pixels, how much larger the image is than the result, and the result's shape for H and W."""


@cache
def compiled(emulated=False):
    """The kernels with every result stored past the cache, and as they are written."""
    procs = []
    for name, (output, _) in STREAMED.items():
        algorithm, how = KERNELS[name]
        if not emulated or name == "box_blur":
            procs.append(past_the_cache(how(algorithm).apply(), output, ALWAYS))
    return jit_all([each.ir for each in procs], "streamed", flags=(*FLAGS, "-O0") if emulated else ("-O1",), emulated=emulated)


@cache
def plain():
    return jit_all([KERNELS[name][0].ir for name in STREAMED], "plain", flags=("-O1",))


def image_of(name, height, width):
    dtype, border, shape = SHAPES[name]
    rows, columns = shape(height, width)[-2:]
    planes = (3,) if name == "unsharp" else ()
    values = np.random.default_rng(0).integers(1, 1 << 16, (*planes, rows + border, columns + border))
    return values.astype(dtype) if dtype is np.uint16 else values.astype(dtype) / dtype(1 << 17) + dtype(0.5)


def agrees(name, height, width, begin, distance, run, step=1):
    """A result that begins so many bytes after a multiple of 64, whose rows are distance bytes longer than they must be."""
    dtype, _, shape = SHAPES[name]
    dtype, wanted = np.dtype(dtype), shape(height, width)
    image = image_of(name, height, width)
    row = wanted[-1] * dtype.itemsize + distance
    strides = (wanted[-2] * row, row * step, dtype.itemsize)[-len(wanted) :]
    space = np.full(64 + begin + wanted[0] * wanted[-2] * row + 64, 77, np.uint8)
    first = -space.ctypes.data % 64 + begin + (0 if step > 0 else (wanted[-2] - 1) * row)
    expected = np.zeros(wanted, dtype)
    plain()[name](height, width, image, expected)
    whole = space.copy()
    np.ndarray(wanted, dtype, whole, first, strides)[...] = expected
    run[name](height, width, image, np.ndarray(wanted, dtype, space, first, strides))
    found = np.ndarray(wanted, dtype, space, first, strides)
    np.testing.assert_allclose(found, expected, rtol=3e-5 if dtype.kind == "f" else 0)
    found[...] = 0
    np.ndarray(wanted, dtype, whole, first, strides)[...] = 0
    assert (space == whole).all()


@pytest.mark.skipif(not has_avx512(), reason="this processor has no AVX-512")
@pytest.mark.parametrize("name", STREAMED)
def test_pixels_are_the_same_at_every_address_and_distance_of_rows(name):
    size = np.dtype(SHAPES[name][0]).itemsize
    for begin in range(0, 64, size):
        agrees(name, 35, 64, begin, 0, compiled())
    for distance in (size, 64 - size, 64, 128):
        agrees(name, 36, 64, 0, distance, compiled())
    agrees(name, 33, 64, 0, 64, compiled(), step=-1)


@pytest.mark.skipif(not has_avx512(), reason="this processor has no AVX-512")
@pytest.mark.parametrize("name", STREAMED)
def test_images_may_have_any_size(name):
    for height, width in ((1, 1), (1, 200), (200, 1), (12, 32), (13, 33), (32, 95), (70, 257)):
        agrees(name, height, width, 0, 64 - width * np.dtype(SHAPES[name][0]).itemsize % 64, compiled())


@pytest.mark.skipif(not has_avx512(), reason="this processor has no AVX-512")
def test_threads_that_write_neighbouring_rows_disturb_nobody():
    """Rows that end in the middle of lines, in which the rows of other threads begin; again and again."""
    image, out = image_of("box_blur", 240, 100), np.zeros((240, 100), np.uint16)
    expected = np.zeros_like(out)
    plain()["box_blur"](240, 100, image, expected)
    for _ in range(200):
        out[...] = 0
        compiled()["box_blur"](240, 100, image, out)
        assert (out == expected).all()


@pytest.mark.skipif(simde() is None, reason="the headers of SIMDe are not installed")
def test_without_avx512_the_emulation_gives_the_same_pixels():
    for begin, distance in ((0, 0), (2, 0), (16, 64), (0, 2)):
        agrees("box_blur", 26, 64, begin, distance, compiled(emulated=True))


def test_results_are_new_arrays_at_a_line_of_the_cache():
    for shape, dtype in (((3, 5), "uint16"), ((1, 7, 9), "float32"), ((1,), "uint8")):
        found = aligned_empty(shape, dtype)
        assert (found.shape, found.dtype.name, found.ctypes.data % 64, found.flags.c_contiguous) == (shape, dtype, 0, True)
    assert kernels.box_blur(np.zeros((40, 50), np.uint16)).ctypes.data % 64 == 0


def test_a_large_result_that_begins_within_a_line_is_computed_in_two_parts():
    space = aligned_empty((LARGE + 128,), "uint8")
    place = (LARGE // 4096, 2048)
    for begin, parts in ((0, [(0, 2048)]), (16, [(0, 64), (24, 2048)]), (60, [(0, 64), (2, 2048)]), (62, [(0, 2048)])):
        found = aligned_parts(np.ndarray(place, np.uint16, space, begin))
        assert [(each.start, each.stop) for each in found] == parts
    assert len(aligned_parts(np.ndarray((place[0], 2047), np.uint16, space, 16, (4096, 2)))) == 1  # not large
    assert len(aligned_parts(np.ndarray((LARGE // 4098, 2049), np.uint16, space, 16))) == 1  # rows differ


@pytest.mark.parametrize(("name", "height", "width"), [("box_blur", 2048, 4096), ("demosaic", 768, 1024)])
def test_large_results_are_those_of_their_halves(name, height, width):
    """Halves are too small to be stored past the cache."""
    image = image_of(name, height, width)
    kernel, border = getattr(kernels, name), SHAPES[name][1]
    wanted = SHAPES[name][2](height, width)
    middle = wanted[-2] // 2
    expected = np.concatenate([kernel(image[: middle + border]), kernel(image[middle:])], axis=-2)
    assert (kernel(image) == expected).all()
    space = np.zeros(expected.nbytes + 128, np.uint8)
    for begin in (0, 16, 18):
        out = np.ndarray(wanted, expected.dtype, space, -space.ctypes.data % 64 + begin)
        assert kernel(image, out=out) is out
        assert (out == expected).all()


def test_an_array_for_a_result_of_another_shape_is_still_refused():
    with pytest.raises(UsageError, match="out must be uint16"):
        kernels.box_blur(np.zeros((40, 50), np.uint16), out=np.zeros((38, 49), np.uint16))


def test_sizes_are_counted_by_rectangles():
    def holds(height, width):
        return eval(at_least(8 << 20), {"H": height, "W": width})

    assert all(holds(height, (8 << 20) // height) for height in (512, 1024, 2048, 4096, 8192, 16384))
    assert not any(holds(height, (8 << 20) // height - 1) for height in range(1, 40000, 77))


def test_a_kernel_has_both_kinds_of_stores():
    text = str(scheduled("box_blur"))
    assert text.count("mm512_streamu_epu16(") == 12 and "mm512_storeu_epu16(blur_y" in text
