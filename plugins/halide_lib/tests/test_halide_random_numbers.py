"""Random numbers: Halide 21's values, recorded from a new process, which no schedule changes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from usl_core.errors import UslError
from usl_halide_lib import hl
from usl_halide_lib.lang import random_numbers

x, y = hl.vars("x y")


@pytest.fixture(autouse=True)
def as_in_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls and definitions are numbered from 0."""
    monkeypatch.setattr(random_numbers, "_CALLS", itertools.count())
    monkeypatch.setattr(random_numbers, "_DEFINITIONS", itertools.count())


def test_values_are_those_of_halide_for_the_same_calls_and_definitions() -> None:
    f, g, h, k, m = (hl.Func(name) for name in "fghkm")
    f[x, y] = hl.random_uint()
    g[x] = hl.random_float() + 0
    r, q = hl.RDom([(0, 3)], "r"), hl.RDom([(0, 3), (0, 2)], "q")
    h[x] = hl.random_int(7)
    h[x] += hl.random_int(8) * r
    h[r] = hl.random_int()
    k[x] = hl.random_float(5) * hl.random_float(5)
    m[x, y] = hl.random_float()
    m[x, q.y] += hl.random_float(q.x)
    floats = [np.float32(each) for each in (0.1679593324661255, 0.41009247303009033, 0.13688504695892334, 0.3483313322067261)]
    products = [0.36877986788749695, 0.25367093086242676, 0.10741149634122849, 0.6029284000396729]
    sums = [
        [2.607210874557495, 1.958689570426941, 2.2487716674804688],
        [1.1644140481948853, 1.559119462966919, 1.8924527168273926],
    ]
    whole = [[3355082590, 3048578040, 528622644], [1887570679, 264045155, 722080269]]
    for func, window, want in (
        (f, [3, 2], whole),
        (g, [4], floats),
        (h, [4], [1955644839, 375152252, 876233459, -375080075]),
        (k, [4], np.array(products, np.float32)),
        (m, [3, 2], np.array(sums, np.float32)),
    ):
        assert np.array_equal(func.interpret(window, exact=False), want)
        assert np.array_equal(func.realize(window), want)


def test_sums_and_updates_without_a_first_definition_count_as_in_halide() -> None:
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    r, q = hl.RDom([(0, 3)], "r"), hl.RDom([(0, 3)], "q")
    f[x] = hl.sum(hl.random_float() * r)
    g[x] += hl.random_float()
    h[x] = hl.f32(0)
    h[hl.clamp(hl.i32(hl.random_float() * 4), 0, 3)] += hl.random_float() + q
    assert np.array_equal(f.interpret([3], exact=False), np.array([2.599820137023926] * 3, np.float32))
    assert np.array_equal(
        g.interpret([3], exact=False), np.array([0.17663979530334473, 0.27429306507110596, 0.8565980195999146], np.float32)
    )
    assert np.array_equal(
        h.interpret([4], exact=False), np.array([0.0, 0.0, 1.451150894165039, 2.3869705200195312], np.float32)
    )


def test_no_schedule_changes_them() -> None:
    noise, out = hl.Func("noise"), hl.Func("out")
    noise[x, y] = hl.random_float()
    values = noise.interpret([20, 20])
    assert values.min() >= 0 and values.max() < 1 and len(set(values.flat)) > 390
    out[x, y] = noise[x, y] - noise[x + 1, y]
    want = np.asarray(out.realize([(-3, 9), 5])).copy()
    xi, yi = hl.vars("xi yi")
    out.tile(x, y, xi, yi, 4, 2).vectorize(xi)
    noise.compute_at(out, x).vectorize(x, 4)
    assert np.array_equal(out.realize([(-3, 9), 5]), want)


def test_they_belong_to_the_places_of_a_func_and_seeds_are_int32() -> None:
    r = hl.RDom([(0, 3)], "r")
    for step, text in (
        (lambda: r.where(hl.random_uint() > 5), "where has a random number"),
        (lambda: hl.RDom([(0, hl.random_int())]), "may only consist of numbers and parameters"),
        (lambda: hl.random_float(hl.u8(3)), "is uint8; it has to be int32"),
    ):
        with pytest.raises(UslError) as caught:
            step()
        assert text in caught.value.message and caught.value.code == "E772"
        assert caught.value.span is not None and caught.value.span.file == __file__
