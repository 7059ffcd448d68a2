"""Sliding windows and circular buffers in the theory: what is computed and kept, and that it is what the oracle says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from usl_core.errors import UslError
from usl_halide_lib import hl
from usl_halide_lib.lang import sliding
from usl_halide_lib.lang.collect import collect, inputs_of
from usl_halide_lib.lang.conditions import with_parameters
from usl_halide_lib.lang.inference import infer
from usl_halide_lib.lang.interp import Oracle
from usl_halide_lib.lang.scheduling import scheduled
from usl_halide_lib.lang.target_interp import Machine

x, y = hl.vars("x y")
xi, yi, xo, yo = hl.vars("xi yi xo yo")
GUARD = hl.TailStrategy.GuardWithIf
WINDOW = [(2, 5), (-3, 7)]


def run(output: Any, window: list[tuple[int, int]]) -> tuple[int, int, list[tuple[int, int | None]]]:
    """How many places of f are computed, how many it has room for, and along which dimensions to how many places it slides.

    Raises:
        AssertionError: the values are not those of the oracle.
    """
    program = collect([output])
    given = [directive for func in program.funcs for directive in func.given_directives()]
    program = with_parameters(program, given)
    target = scheduled(program.algorithm, given)
    bounds = infer(target)
    moving, slides = sliding.slid(target, bounds, given)
    machine = Machine(moving, bounds.fill, inputs_of(program), {output.name(): window})
    values = machine.run()[output.name()].values
    expected = Oracle(program.algorithm, inputs_of(program)).realize(output.name(), window)
    assert all(values[point] == value for point, value in expected.items())
    return machine.trace.computed["f"], machine.trace.allocated["f"], [(each.dim, each.places) for each in slides]


def blurred(update: bool = False) -> tuple[Any, Any]:
    """Three rows of f are read for one of g."""
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * y + 1
    if update:
        f[x, y] += x + 2 * y
    g[x, y] = f[x, y] + f[x, y + 1] + f[x, y + 2]
    return f, g


def test_each_row_is_computed_once_and_a_power_of_two_of_them_kept():
    f, g = blurred()
    f.compute_at(g, y).store_root()
    assert run(g, WINDOW) == (5 * 9, 5 * 4, [(1, 4)])
    f, g = blurred()
    f.compute_at(g, y)
    assert run(g, WINDOW) == (5 * 3 * 7, 5 * 3, [])


def test_stages_slide_together_so_that_no_update_is_done_twice():
    f, g = blurred(update=True)
    f.compute_at(g, y).store_root()
    assert run(g, WINDOW) == (2 * 5 * 9, 5 * 4, [(1, 4)])


def test_a_reduction_along_another_dimension_slides():
    f, g, r = hl.Func("f"), hl.Func("g"), hl.RDom([(1, 4)], "r")
    f[x, y] = x - y
    f[r, y] += f[r - 1, y]
    g[x, y] = f[hl.clamp(x, 0, 4), y] + f[0, y + 1]
    f.compute_at(g, y).store_root()
    computed, allocated, slides = run(g, WINDOW)
    assert slides == [(1, 2)] and allocated == 5 * 2 and computed == (5 + 4) * 8


def test_along_two_dimensions_places_are_kept_of_the_outer_one_alone():
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * y + 1
    g[x, y] = f[x, y] + f[x + 1, y + 1] + f[x + 2, y + 2]
    f.compute_at(g, x).store_root()
    assert run(g, WINDOW) == (7 * 9, 7 * 4, [(0, None), (1, 4)])
    f.fold_storage(x, 4)
    assert refused(lambda: run(g, WINDOW)) == ("E775", "places are kept along another dimension too")


def test_a_tile_is_computed_whole_where_it_begins():
    f, g = blurred()
    g.split(y, yo, yi, 4, GUARD)
    f.compute_at(g, yi).store_at(g, yo)
    assert run(g, WINDOW) == (5 * (6 + 5), 5 * 4, [(1, 4)])


def test_a_window_that_moves_half_as_fast_computes_nothing_new_in_every_second_iteration():
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = x * 7
    g[x] = f[x // 2] + f[x // 2 + 1]
    f.compute_at(g, x).store_root()
    assert run(g, [(-3, 12)]) == (8, 2, [(0, 2)])


def test_rows_that_are_rounded_up_slide_and_all_of_them_are_kept():
    f, g = blurred()
    f.compute_at(g, y).store_root().split(y, yo, yi, 2, hl.TailStrategy.RoundUp)
    assert run(g, WINDOW)[2] == [(1, None)]


@pytest.mark.parametrize(
    "change",
    [
        lambda f, g: f.compute_at(g, y).store_at(g, y),
        lambda f, g: (g.parallel(y), f.compute_at(g, y)),
        lambda f, g: (f.compute_at(g, y).store_root(), f.specialize(hl.Param(hl.Int(32), "p", 1) > 0)),
        lambda f, g: f.compute_root(),
    ],
    ids=["stored there", "in threads", "specialised", "at root"],
)
def test_what_does_not_slide(change: Callable[[Any, Any], Any]):
    f, g = blurred()
    change(f, g)
    assert run(g, WINDOW)[2] == []


@pytest.mark.parametrize("place", [lambda: -y, lambda: hl.clamp(3 - y, -2, 2), lambda: y % 3, lambda: x + y])
def test_a_window_that_moves_back_or_with_another_dimension_does_not_slide(place: Callable[[], Any]):
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * y + 1
    g[x, y] = f[x + y, place()] + f[x, place()]
    f.compute_at(g, y).store_root()
    assert run(g, WINDOW)[2] == []


def refused(step: Callable[[], Any]) -> tuple[str | None, str]:
    with pytest.raises(UslError) as caught:
        step()
    return caught.value.code, caught.value.message.rpartition(": ")[2]


def test_fold_storage_says_how_many_places_there_are_or_is_refused():
    f, g = blurred()
    f.compute_at(g, y).store_root().fold_storage(y, 3)
    assert run(g, WINDOW) == (5 * 9, 5 * 3, [(1, 3)])
    f, g = blurred()
    f.compute_at(g, y).store_root().fold_storage(y, 2)
    assert refused(lambda: run(g, WINDOW)) == ("E775", "3 places are alive at once along y")
    f, g = blurred()
    f.compute_at(g, y).fold_storage(y, 4)
    assert refused(lambda: run(g, WINDOW)) == ("E775", "nothing slides along y")


def test_fewer_places_and_no_guard_are_found_by_the_oracle(monkeypatch):
    f, g = blurred(update=True)
    f.compute_at(g, y).store_root()
    with monkeypatch.context() as patch:
        patch.setattr(sliding, "_folded", lambda slide, *rest: replace(slide, places=2))
        with pytest.raises(AssertionError):
            run(g, WINDOW)
    with monkeypatch.context() as patch:
        patch.setattr(sliding, "_guarded", lambda stmt, slides: stmt)
        assert run(g, WINDOW)[0] > 2 * 5 * 9
    with monkeypatch.context() as patch:
        wrong = sliding._Window.earlier
        patch.setattr(sliding._Window, "earlier", lambda self, form, name: form if "y" in name else wrong(self, form, name))
        with pytest.raises(AssertionError):
            run(g, WINDOW)


def test_the_program_with_bounds_is_shown():
    f, g = blurred()
    f.compute_at(g, y).store_root()
    shown = hl.Pipeline(g).lowered("tgt")
    assert "allocate f([g.min.0, g.len.0], [0, 4])" in shown
    assert "if g.s0.y <= g.min.1 || f.s0.y >= g.s0.y + 2:" in shown
    assert "f^0[f.s0.x, f.s0.y % 4] ← f.s0.x * f.s0.y + 1" in shown


@pytest.mark.parametrize("wide", [False, True])
def test_a_func_of_one_dimension_with_updates_at_places_is_computed_in_a_loop(wide: bool) -> None:
    f, g, r = hl.Func("f"), hl.Func("g"), hl.RDom([(0, 16)], "r")
    f[x] = x
    f[(r * 5) % 9] += r
    f[hl.clamp(f[r % 4], 0, 8)] *= 3
    place = (x, y) if wide else (x,)
    g[place] = f[x] + f[x + 1] * (y if wide else 1)
    f.compute_at(g, place[-1])
    window = [(1, 6), (2, 3)][: len(place)]
    np.testing.assert_array_equal(np.asarray(g.realize(window)), g.interpret(window))
    loop = g.procedure().find(str(place[-1]))
    assert loop.find("f[_] += _") and loop.find("f[_] = _")
