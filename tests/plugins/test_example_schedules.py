"""tests/example_schedules, a distribution of schedules: installed, listed, and used by name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.plugins.sites import EXAMPLE_SCHEDULES, Site
from tests.primitives.equivalence import assert_refines, parse
from usl_core import Procedure, SchedulingError, divide_loop, schedules
from usl_core.plugins.manager import configure

NAMES = ["parallelize_outermost", "stage_locally", "tile_to_fit"]


@pytest.fixture
def installed(site: Site) -> Any:
    site.add_project(EXAMPLE_SCHEDULES)
    configure(allowed=["example_schedules"])  # a new manager, which sees the site
    yield schedules
    configure()


def gemm(multiple: int = 64) -> Procedure:
    p = parse("""
        def gemm(M: size, N: size, K: size, A: f32[M, K], B: f32[K, N], C: f32[M, N]):
            for i in seq(0, M):
                for j in seq(0, N):
                    for k in seq(0, K):
                        C[i, j] += A[i, k] * B[k, j]
    """)
    for size in "MNK":
        p = p.add_assertion(f"{size} % {multiple} == 0")
    return p


def loops(p: Procedure) -> list[str]:
    return [f"{loop.mode()} {loop.name()}" for loop in p.find("for _ in _: _", many=True)]


def test_usl_plugins_lists_the_schedules(site: Site) -> None:
    site.add_project(EXAMPLE_SCHEDULES)
    done = site.usl("--plugins", "example_schedules", "plugins", "--json")
    (info,) = json.loads(done.stdout)
    assert (info["name"], info["dist"], info["version"]) == ("example_schedules", "usl-example-schedules", "0.3.0")
    assert info["usable"] and not info["problems"] and info["provides"] == {"schedules": NAMES}


def test_schedules_are_used_by_name_bare_or_with_their_namespace(installed: Any) -> None:
    assert set(NAMES) <= set(dir(installed))
    assert installed.tile_to_fit is installed.lookup("example_schedules.tile_to_fit")
    assert loops(installed.parallelize_outermost(gemm())) == ["par i", "seq j", "seq k"]


def test_tiles_are_the_largest_that_fit_and_mean_the_same(installed: Any) -> None:
    p = gemm()
    tiled = installed.tile_to_fit(p, "i", 3 * 4 * 32 * 32)
    assert loops(tiled) == ["seq io", "seq jo", "seq ko", "seq ii", "seq ji", "seq ki"]
    assert [tiled.find_loop(name).hi().value() for name in ("ii", "ji", "ki")] == [32, 32, 32]
    small = gemm(8)
    assert_refines(small, installed.tile_to_fit(small, small.find_loop("i"), 10_000, sizes=[16, 8]), factor=8, vectors=2)


def test_where_no_tile_fits_the_message_says_why(installed: Any) -> None:
    with pytest.raises(SchedulingError, match="no schedule applies") as caught:
        installed.tile_to_fit(gemm(), "i", 100)
    assert caught.value.notes[0] == "divide_loop: cannot prove that 128 divides M"
    assert caught.value.notes[-1] == "tile_to_fit: a tile of 8 touches 768 bytes, more than 100"


def test_what_a_tile_touches_is_staged(installed: Any) -> None:
    blur = parse("""
        def blur(n: size, x: f32[n + 2], y: f32[n]):
            for i in seq(0, n):
                y[i] = x[i] + x[i + 1] + x[i + 2]
    """)
    tiled = divide_loop(blur, "i", 8, ["io", "ii"], tail="cut")
    staged = installed.stage_locally(tiled, "io", "x")
    assert "x_tile: f32[10]" in str(staged)
    assert_refines(blur, staged, factor=8)
