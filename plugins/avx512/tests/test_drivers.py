"""BLAS and convolutions from C, on operands that begin or end at memory that cannot be accessed: right, and nothing outside is
read or written. What the drivers check is said in blas_driver.c and conv_driver.c; `python -m bench.drivers` runs them for
more sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from avx512_build import require
from avx512_drivers import AS_USED, SANITIZED, Layer, blas, conv, execute


@pytest.fixture(autouse=True)
def _needs_the_processor() -> None:
    require("native")


@pytest.mark.parametrize("letter", "sd")
def test_every_routine_is_right_for_all_small_sizes_increments_and_options(letter: str, tmp_path: Path) -> None:
    program = blas(letter, tmp_path)
    execute(program, "vectors", "80")
    execute(program, "matrices", "70")
    execute(program, "random", "60", "300")
    execute(program, "overlap", "20000")


def test_sanitizers_find_no_undefined_behaviour_in_any_routine(tmp_path: Path) -> None:
    """In single precision; `python -m bench.drivers` has both."""
    program = blas("s", tmp_path, SANITIZED)
    execute(program, "vectors", "40")
    execute(program, "matrices", "24")
    execute(program, "random", "4", "150")


@pytest.mark.parametrize("flags", [AS_USED, SANITIZED], ids=["as used", "sanitized"])
@pytest.mark.parametrize(
    "layer",
    [
        Layer((2, 5, 21, 17), (3, 3, 17, 75), 1, True),
        Layer((1, 9, 31, 3), (3, 3, 3, 19), 2, True),
        Layer((2, 5, 7, 7), (1, 1, 7, 33), 2, False),
        Layer((3, 5, 5, 20), (1, 1, 20, 65), 1, True),
    ],
    ids=["3 x 3", "3 x 3, stride 2", "1 x 1, stride 2", "pixels as one row"],
)
def test_convolutions_touch_their_operands_only(layer: Layer, flags: tuple[str, ...], tmp_path: Path) -> None:
    program, arguments = conv(layer, tmp_path, flags)
    execute(program, *arguments)
