"""Buffers that loops do not change the size of stand in front of them, but for parallel ones."""

from __future__ import annotations

import numpy as np

from usl_halide_lib import hl

x, y = hl.Var("x"), hl.Var("y")


def blurred(is_parallel: bool) -> hl.Func:
    image = hl.Buffer(np.arange(70, dtype=np.int32).reshape(7, 10) ** 2, "image")
    rows, out = hl.Func("rows"), hl.Func("out")
    rows[x, y] = image[x, y] + image[x + 1, y]
    out[x, y] = rows[x, y] * rows[x + 1, y]
    rows.compute_at(out, y)
    if is_parallel:
        out.parallel(y)
    return out


def test_a_buffer_for_a_row_is_allocated_once() -> None:
    lines = [each.strip() for each in str(hl.Pipeline(blurred(False)).procedure()).splitlines()]
    assert lines.index("rows: i32[1, x_len + 1]") < lines.index("for y in seq(0, y_len):")


def test_rows_that_are_computed_in_parallel_have_buffers_of_their_own() -> None:
    lines = [each.strip() for each in str(hl.Pipeline(blurred(True)).procedure()).splitlines()]
    assert lines.index("rows: i32[1, x_len + 1]") > lines.index("for y in par(0, y_len):")


def test_values_are_the_oracles() -> None:
    for is_parallel in (False, True):
        out = blurred(is_parallel)
        assert (np.asarray(out.realize([(1, 6), (2, 4)])) == out.interpret([(1, 6), (2, 4)])).all()


def test_a_pipeline_without_loops_runs() -> None:
    f = hl.Func("f")
    f[()] = hl.i32(3)
    assert int(np.asarray(f.realize())) == 3


def test_a_condition_on_an_outer_loop_is_no_branch_in_rows() -> None:
    image, c = hl.Buffer(np.arange(60, dtype=np.int32).reshape(3, 4, 5), "image"), hl.Var("c")
    f = hl.Func("f")
    f[x, y, c] = hl.select(c < 2, image[x, y, c] * image[x, y, 2], image[x, y, 2])
    assert "if " not in str(hl.Pipeline(f).procedure())
    assert (np.asarray(f.realize([5, 4, 3])) == f.interpret([5, 4, 3])).all()
