"""The loops of a procedure are those of the theory, and a directive that operators apply wrongly is found by that (E789)."""

from __future__ import annotations

from typing import Any

import pytest

from usl_core.errors import UslError
from usl_halide_lib import compute, hl, loops, storage

x, y, xi, yi, xo, yo = hl.vars("x y xi yi xo yo")


def pyramid() -> tuple[Any, Any]:
    """Two funcs, of which the first is computed in tiles of the second and stored further out."""
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y
    g[x, y] = f[x, y] + f[x, y + 1]
    g.tile(x, y, xo, yo, xi, yi, 4, 2, hl.TailStrategy.GuardWithIf)
    f.compute_at(g, yi).store_at(g, xo).reorder(y, x)
    return f, g


def refused(func: Any) -> UslError:
    with pytest.raises(UslError) as caught:
        func.procedure()
    return caught.value


def test_loops_that_agree_are_no_error():
    _, g = pyramid()
    assert g.realize([6, 5]).array.tolist() == [[2 * (i + j) + 1 for i in range(6)] for j in range(5)]


def test_a_reorder_that_is_left_out_is_found(monkeypatch):
    monkeypatch.setattr(
        "usl_halide_lib.applying.reorder", lambda w, given: None if given.func == "f" else loops.reorder(w, given)
    )
    error = refused(pyramid()[1])
    assert error.code == "E789" and error.message == "f: its loops are not those of the schedule"
    assert [*error.notes] == [
        "please report this",
        "in the procedure its stages are in g.yo g.xo g.yi f.y f.x",
        "in the theory in g.yo g.xo g.yi f.x f.y",
    ]


def test_a_func_that_is_computed_in_another_loop_is_found(monkeypatch):
    target = compute.target

    def elsewhere(working: Any, directive: Any, number: Any = None) -> Any:
        stage, loop = target(working, directive, number)
        return stage, working.at(loop).parent()

    monkeypatch.setattr(compute, "target", elsewhere)
    monkeypatch.setattr(storage, "store_loop", lambda working, placed, *rest: placed.loops[0])
    assert refused(pyramid()[1]).code == "E789"


def test_a_buffer_that_is_allocated_elsewhere_is_found(monkeypatch):
    monkeypatch.setattr(storage, "store_loop", lambda working, placed, *rest: None)
    error = refused(pyramid()[1])
    assert error.code == "E789"
    assert [*error.notes[1:]] == ["in the procedure its buffer is in the root", "in the theory in g.yo g.xo"]


def test_a_split_by_two_names_that_are_exchanged_is_found(monkeypatch):
    divide = loops.divide
    monkeypatch.setattr(loops, "divide", lambda w, s, old, outer, inner, q, tail: divide(w, s, old, inner, outer, q, tail))
    f = hl.Func("f")
    f[x] = x
    f.split(x, xo, xi, 4, hl.TailStrategy.GuardWithIf)
    assert [*refused(f).notes[1:]] == ["in the procedure its stages are in f.xi f.xo", "in the theory in f.xo f.xi"]


def test_a_copy_has_loops_of_the_variables_of_what_it_copies_wherever_that_begins():
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y
    g[x, y] = f[hl.clamp(x, -2, y), y]
    f.compute_root()
    f.in_(g).compute_root().reorder(y, x)
    assert "produce f_in_g:\n    for x:\n      for y:\n        f_in_g" in hl.Pipeline(g).loop_nest().partition("consume f:")[2]
    assert g.realize([3, 3]).array.tolist() == [[max(min(i, j), -2) + j for i in range(3)] for j in range(3)]


def test_the_third_of_three_stages_in_one_loop_is_divided_and_not_the_first():
    f, g, r = hl.Func("f"), hl.Func("g"), hl.RDom([(0, 3)], "r")
    f[x, y] = x
    f[x, y] = f[x, y] * 2
    f[x, y] += r
    g[x, y] = f[x, y] + y
    f.compute_at(g, y)
    f.update(1).split(x, xo, xi, 2, hl.TailStrategy.GuardWithIf)
    nest = hl.Pipeline(g).loop_nest()
    assert nest.count("for x.xo") == 1 and "for x.xi:\n          for r in [0, 2]" in nest
    assert g.realize([4, 2]).array.tolist() == [[2 * i + 3 + j for i in range(4)] for j in range(2)]


def test_loops_of_the_last_of_three_stages_that_are_reordered_leave_the_second_its_own():
    f, g, r = hl.Func("f"), hl.Func("g"), hl.RDom([(0, 3)], "r")
    f[x, y] = x * y
    f[x, y] += r * x
    f[x, y] = hl.max(f[x, y], y)
    g[x, y] = f[x, y] + f[x, y + 1]
    f.compute_at(g, y).vectorize(x, 4)
    f.update(0).unroll(x, 2)
    f.update(1).reorder(y, x)
    assert g.realize([9, 5]).array.tolist() == g.interpret([9, 5]).tolist()
