"""Loops that take turns, by two iterations at a time: what they compute is the same wherever a window begins and ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from usl_halide_lib import hl

x, y = hl.Var("x"), hl.Var("y")


def doubled() -> Any:
    line = hl.Buffer((np.arange(40) ** 2).astype(np.int32), "line")
    f = hl.Func("doubled")
    f[x] = hl.select(x % 2 == 0, line[(x + 6) / 2], line[(x + 7) / 2 + 1] - line[(x - 5) / 2 + 8])
    return f


def clamped() -> Any:
    line = hl.Buffer((np.arange(5) ** 2).astype(np.int32), "line")
    edge, f = hl.BoundaryConditions.repeat_edge(line), hl.Func("clamped")
    f[x] = edge[x / 2] * 3 - edge[(x + 1) / 2] + x % 2
    return f


def of_two_levels() -> Any:
    line = hl.Buffer((np.arange(40) * 7).astype(np.uint8), "line")
    half, f = hl.Func("half"), hl.Func("of_two_levels")
    half[x] = hl.u16(line[x / 2 + 9]) + line[(x + 1) / 2 + 9]
    f[x] = half[x / 2] + half[x / 2 + 1]
    half.compute_root()
    return f


def of_both_parities() -> Any:
    line = hl.Buffer(np.arange(40, dtype=np.int32), "line")
    f, p = hl.Func("of_both_parities"), hl.Param(hl.Int(32), "p", 3)
    f[x] = line[(x + 6) / 2] * line[(x + p + 6) / 2]
    return f


@pytest.mark.parametrize("make", [doubled, clamped, of_two_levels, of_both_parities])
def test_values_are_the_oracles_for_windows_that_begin_and_end_anywhere(make: Any) -> None:
    f = make()
    for low in range(-6, 4):
        for extent in (1, 2, 3, 8, 17):
            window = [(low, extent)]
            np.testing.assert_array_equal(np.asarray(f.realize(window)), f.interpret(window, exact=False))


def test_in_the_loop_over_pairs_nothing_is_halved_and_never_partition_leaves_it_whole() -> None:
    f = doubled()
    lines = str(hl.Pipeline(f).procedure()).splitlines()
    pairs = next(i for i, line in enumerate(lines) if "doubled[2 * x" in line)
    assert "% 2" not in lines[pairs].partition("] = ")[2]
    f.never_partition(x)
    assert str(hl.Pipeline(f).procedure()).count("doubled[") == 1
