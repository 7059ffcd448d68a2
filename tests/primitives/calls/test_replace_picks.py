"""replace and callees that read at a least or greatest value: loads that are clamped at borders."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_refines
from usl_core import Procedure, SchedulingError, proc_from_source
from usl_core.scheduling import replace


def load(index: str, known: str) -> Procedure:
    return proc_from_source(
        "def load(first: index, lo: index, hi: index, n: size, dst: [f32][4], src: [f32][n]):\n"
        f"    assert {known}\n"
        f"    for i in seq(0, 4):\n        dst[i] = src[{index}]\n"
    )


BOTH = load("min(max(first + i, lo), hi)", "0 <= lo and lo <= hi and hi < n")
BELOW = load("max(first + i, lo)", "0 <= lo and lo < n and first + 4 <= n and hi == 0")


def caller(index: str, shape: str = "m", known: str = "4 * k + 4 <= m") -> Procedure:
    return proc_from_source(
        f"def f(m: size, k: size, x: f32[{shape}], y: f32[4]):\n    assert {known}\n"
        f"    for c in seq(0, 4):\n        y[c] = x[{index}]\n"
    )


@pytest.mark.parametrize(
    ("callee", "index", "shape", "call"),
    [
        (BOTH, "min(max(4 * k + c - 1, 0), m - 1)", "m", "load(4 * k - 1, 0, m - 1, m, y[0:4], x[0:m])"),
        (BOTH, "min(m - 1, max(1, 4 * k + c))", "m", "load(4 * k, 1, m - 1, m, y[0:4], x[0:m])"),
        (BOTH, "max(k - 1, 0), min(max(c - 1, 0), m - 1)", "k, m", "load(-1, 0, m - 1, m, y[0:4], x[max(k - 1, 0), 0:m])"),
        (BOTH, "min(max(c + 1, 0), m - 1), 2", "m, 3", "load(1, 0, m - 1, m, y[0:4], x[0:m, 2])"),
        (BELOW, "max(4 * k + c - 1, 0)", "m", "load(4 * k - 1, 0, 0, m, y[0:4], x[0:m])"),
    ],
)
def test_the_limits_and_the_first_element_are_found(callee: Procedure, index: str, shape: str, call: str) -> None:
    before = caller(index, shape)
    after = replace(before, "for c in _: _", callee)
    assert call in str(after)
    assert_refines(before, after)


@pytest.mark.parametrize(
    ("callee", "index", "shape"),
    [
        (BOTH, "max(min(4 * k + c - 1, m - 1), 0)", "m"),  # equal here, but another form
        (BOTH, "min(max(4 * k + 2 * c - 4 * k, 0), m - 1)", "m"),
        (BOTH, "max(4 * k + c - 1, 0)", "m"),
        (BOTH, "c", "m"),
        (BELOW, "min(4 * k + c, m - 1)", "m"),
        (BOTH, "min(max(c, 0), max(c - 1, 0))", "m"),
    ],
)
def test_other_indices_are_refused(callee: Procedure, index: str, shape: str) -> None:
    with pytest.raises(SchedulingError, match="does not match"):
        replace(caller(index, shape), "for c in _: _", callee)


def test_what_the_callee_asserts_of_the_limits_is_proved() -> None:
    narrow = load("min(max(first + i, lo), hi)", "0 <= lo and lo <= hi and hi < n and first >= 0")
    with pytest.raises(SchedulingError):
        replace(caller("min(max(c - 1, 0), m - 1)"), "for c in _: _", narrow)
