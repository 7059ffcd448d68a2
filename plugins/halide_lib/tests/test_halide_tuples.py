"""Tuples that are computed in loops of their consumers are what the oracle says; a place that two iterations need: refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from usl_core.errors import UslError
from usl_halide_lib import hl

x, y = hl.vars("x y")
xi, yi = hl.vars("xi yi")
WINDOW = [(-3, 13), (2, 9)]


def pair(distance: int, update: bool) -> tuple[Any, Any]:
    """A tuple and what reads it, its elements at other columns and, at a distance, at other rows."""
    source = hl.Buffer(np.arange(2000, dtype=np.int32).reshape(40, 50) % 97, "source")
    t, f = hl.Func("t"), hl.Func("f")
    t[x, y] = (source[hl.clamp(x, 0, 49), hl.clamp(y, 0, 39)], hl.f32(x) * 0.5, hl.u8(x + y))
    if update:
        r = hl.RDom([(0, 3)], "r")
        t[x, y] = (t[x, y][0] * 2 + hl.i32(t[x, y][2]) + r, t[x, y][1] + hl.f32(t[x, y][0]), t[x, y][2] + 1)
    f[x, y] = (t[x, y][0] - hl.i32(t[x, y][1]), hl.i32(t[x, y + distance][2]) + t[x, y][0])
    return t, f


SCHEDULES: dict[str, Callable[[Any, Any], Any]] = {
    "rows": lambda t, f: t.compute_at(f, y),
    "points": lambda t, f: t.compute_at(f, x),
    "tiles": lambda t, f: (f.tile(x, y, xi, yi, 8, 4), t.compute_at(f, x)),
    "vectors": lambda t, f: (f.vectorize(x, 4), t.compute_at(f, y).vectorize(x, 8)),
    "rows in threads": lambda t, f: (f.parallel(y), t.compute_at(f, y)),
    "at root": lambda t, f: t.compute_root().split(x, "xo", xi, 4).reorder(xi, y, "xo").unroll(xi),
}


@pytest.mark.parametrize("update", [False, True], ids=["pure", "updated"])
@pytest.mark.parametrize("name", SCHEDULES)
def test_a_tuple_in_a_loop_of_its_consumer_is_what_the_oracle_says(name: str, update: bool) -> None:
    t, f = pair(0, update)
    SCHEDULES[name](t, f)
    for got, want in zip(f.realize(WINDOW), f.interpret(WINDOW, exact=False), strict=True):
        np.testing.assert_array_equal(np.asarray(got), want)


@pytest.mark.parametrize("name", ["points", "tiles", "rows in threads"])
def test_the_elements_of_a_tuple_that_two_iterations_need_move_one_by_one(name: str) -> None:
    t, f = pair(1, False)
    SCHEDULES[name](t, f)
    for got, want in zip(f.realize(WINDOW), f.interpret(WINDOW, exact=False), strict=True):
        np.testing.assert_array_equal(np.asarray(got), want)


@pytest.mark.parametrize("name", ["rows", "tiles"])
def test_what_only_one_element_is_computed_from_moves_with_it(name: str) -> None:
    source = hl.Buffer(np.arange(2000, dtype=np.uint8).reshape(40, 50), "source")
    source.set_min([-10, -10])
    t, f, r = hl.Func("t"), hl.Func("f"), hl.RDom([(-1, 3)], "r")
    t[x, y] = (
        hl.sum(hl.i32(source[x + r, y])),
        hl.maximum(source[x, y + r]),
        hl.select(x % 2 == 0, source[x, y], hl.u8(y)),
    )
    f[x, y] = t[x, y][0] - t[x, y - 1][0] + t[x, y][1] + t[x, y + 1][1] * t[x, y + 1][2]
    SCHEDULES[name](t, f)
    np.testing.assert_array_equal(np.asarray(f.realize(WINDOW)), f.interpret(WINDOW))


def test_elements_slide_and_fold_each_for_itself_and_the_nest_shows_one_of_them() -> None:
    t, u = hl.Func("t"), hl.Func("u")
    t[x, y] = (x + y, x - y)
    u[x, y] = t[x, y][0] * t[x, y + 2][0] + t[x, y + 1][1]
    t.compute_at(u, y).store_root()
    explained = hl.Pipeline(u).explain()
    assert "t: i32[4, x_len]" in explained and "t_1: i32[1, x_len]" in explained
    assert hl.Pipeline(u).loop_nest().count("produce t") == 1 and "for x:\n      for x" not in hl.Pipeline(u).loop_nest()
    expected = [[(i + j) * (i + j + 2) + i - j - 1 for i in range(5)] for j in range(6)]
    assert u.realize([5, 6]).array.tolist() == expected


def test_a_tuple_with_updates_that_two_iterations_need_is_refused_or_at_the_root() -> None:
    t, f = pair(1, True)
    t.compute_at(f, y)
    with pytest.raises(UslError, match="compute_at") as caught:
        f.realize(WINDOW)
    assert caught.value.code == "E773" and caught.value.span is not None and caught.value.span.file == __file__
    t, f = pair(1, True)
    t.compute_root()
    for got, want in zip(f.realize(WINDOW), f.interpret(WINDOW, exact=False), strict=True):
        np.testing.assert_array_equal(np.asarray(got), want)


@pytest.mark.parametrize("name", ["rows", "tiles"])
def test_an_element_that_nothing_reads_is_left_out_where_elements_move(name: str) -> None:
    t, f = hl.Func("t"), hl.Func("f")
    t[x, y] = (x + y, x * y, x - y)
    f[x, y] = t[x, y][0] + t[x, y + 1][0]
    SCHEDULES[name](t, f)
    np.testing.assert_array_equal(np.asarray(f.realize(WINDOW)), f.interpret(WINDOW))
