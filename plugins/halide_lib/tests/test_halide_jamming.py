"""Sums that are added to rows: a few terms, and two rows, at a time give what the oracle gives."""

from __future__ import annotations

import numpy as np

from usl_halide_lib import hl

x, y = hl.Var("x"), hl.Var("y")


def product(terms: int) -> hl.Func:
    rows = hl.Buffer((np.arange(5 * terms).reshape(5, terms) * 37 % 19).astype(np.float32), "rows")
    columns = hl.Buffer((np.arange(terms * 40).reshape(terms, 40) * 41 % 17).astype(np.float32), "columns")
    k, out = hl.RDom([(0, terms)], "k"), hl.Func("out")
    out[x, y] = 0.5
    out[x, y] += rows[k, y] * columns[x, k] / 3.0
    out.update().reorder(x, k, y)
    return out


def lines_of(out: hl.Func) -> list[str]:
    return [each.strip() for each in str(hl.Pipeline(out).procedure()).splitlines()]


def test_terms_are_added_in_their_order_for_all_rows() -> None:
    for terms in (9, 14, 23):
        out = product(terms)
        for window in ([(0, 40), (0, 5)], [(3, 17), (1, 4)], [(7, 1), (2, 1)]):
            assert (np.asarray(out.realize(window)) == out.interpret(window, exact=False)).all()


def test_four_terms_are_added_to_two_rows_at_a_time() -> None:
    lines = lines_of(product(20))
    begin = lines.index("for k in seq(0, 5):")
    assert lines[begin - 1 : begin + 4] == [
        "for y in seq(0, y_len / 2):",
        "for k in seq(0, 5):",
        "for x in seq(0, x_len):",
        "for yj in seq(0, 2):",
        "for kj in seq(0, 4):",
    ]


def test_all_terms_of_a_small_domain_are_added_at_once() -> None:
    image = hl.Buffer((np.arange(9 * 30).reshape(9, 30) * 37 % 19).astype(np.int32), "image")
    r, out = hl.RDom([(0, 3), (0, 3)], "r"), hl.Func("out")
    out[x, y] = 0
    out[x, y] += image[x + r.x, y + r.y] * (r.x - 2 * r.y)
    out.update().reorder(x, r.x, r.y, y)
    lines = lines_of(out)
    assert lines.index("for r_y in seq(0, 3):") == lines.index("for r_x in seq(0, 3):") - 1
    assert lines[lines.index("for r_y in seq(0, 3):") - 1] == "for x in seq(0, x_len):"
    assert (np.asarray(out.realize([28, 7])) == out.interpret([28, 7], exact=False)).all()


def test_a_scan_keeps_its_loops() -> None:
    r, out = hl.RDom([(1, 8)], "r"), hl.Func("out")
    out[x, y] = x * 3 + y
    out[x, r] += out[x, r - 1]
    out.update().reorder(x, r)
    lines = lines_of(out)
    assert lines[lines.index("for r in seq(0, 8):") + 1] == "for x in seq(0, x_len):"
    assert (np.asarray(out.realize([20, 9])) == out.interpret([20, 9], exact=False)).all()


def test_loops_that_are_never_partitioned_keep_their_order() -> None:
    out = product(20)
    out.update().never_partition(x)
    assert "for kj in seq(0, 4):" not in lines_of(out)
