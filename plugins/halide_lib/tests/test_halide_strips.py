"""Rows in strips: look-ups in tables of bytes, and sums of many rows, give what the oracle gives."""

from __future__ import annotations

import numpy as np

from usl_halide_lib import hl

x, y = hl.Var("x"), hl.Var("y")


def looked_up() -> hl.Func:
    image = hl.Buffer((np.arange(3 * 600).reshape(3, 600) * 37 % 251).astype(np.uint8), "image")
    table, out = hl.Func("table"), hl.Func("out")
    table[x] = hl.u8(x * 5 + 3)
    out[x, y] = table[hl.i32(image[x, y]) * hl.i32(image[x + 1, y]) / 256] + hl.u8(1)
    table.compute_root()
    return out


def summed() -> hl.Func:
    image = hl.Buffer((np.arange(14 * 300).reshape(14, 300) * 41 % 17).astype(np.float32), "image")
    r, out = hl.RDom([(0, 6), (0, 6)], "r"), hl.Func("out")
    out[x, y] = hl.sum((image[x + r.x, y + r.y] - image[x, y]) * (image[x + r.x, y + 1] + 1.0)) * 2.0
    return out


def test_a_table_of_bytes_is_looked_up_in_a_loop_of_its_own() -> None:
    out = looked_up()
    assert "place: i32[256]" in str(hl.Pipeline(out).procedure())
    for window in ([(0, 599), (0, 1)], [(3, 256), (1, 1)], [(7, 1), (0, 2)]):
        assert (np.asarray(out.realize(window)) == out.interpret(window)).all()
    out.never_partition(x)
    assert "place" not in str(hl.Pipeline(out).procedure())


def test_sums_over_many_places_go_row_by_row() -> None:
    out = summed()
    lines = [each.strip() for each in str(hl.Pipeline(out).procedure()).splitlines()]
    assert lines.index("for r_y in seq(0, 6):") < lines.index("for r_x in seq(0, 6):") - 1  # the strip is between them
    for window in ([(0, 294), (0, 1)], [(3, 3), (1, 2)]):
        assert (np.asarray(out.realize(window)) == out.interpret(window, exact=False)).all()


def test_the_parity_of_places_is_the_same_for_all_strips() -> None:
    image = hl.Buffer((np.arange(3 * 300).reshape(3, 300) * 37 % 251).astype(np.uint8), "image")
    out = hl.Func("out")
    out[x, y] = hl.select((x + y) % 2 == 0, image[x, y], hl.u8(7))
    lines = [each.strip() for each in str(hl.Pipeline(out).procedure()).splitlines()]
    assert "for xi in seq(0, 64):" in lines
    assert "out[y, 64 * x + xi] = select(0, i32((xi + x_min + y_min + y) % 2), 7, t)" in lines
    for window in ([(0, 300), (0, 3)], [(3, 130), (1, 2)], [(7, 1), (0, 2)]):
        assert (np.asarray(out.realize(window)) == out.interpret(window, exact=False)).all()
