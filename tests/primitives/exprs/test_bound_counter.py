"""`bound_counter`: limits of indices that counters keep by themselves, and what they are good for."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.procedure import Procedure
from usl_core.scheduling import bound_counter, divide_loop, expand_dim, fission, lift_alloc

IN_PLACE = parse("""
    def positive(n: size, x: f32[n], c: i32):
        assert n <= 2147483647
        c = 0
        for i in seq(0, n):
            t: f32
            t = x[i]
            if t > 0.0:
                x[idx(c, 0, n)] = t
                c += 1
""")


def loads_first(p: Procedure) -> Procedure:
    """Blocks of four, whose elements are read before any is written."""
    p = divide_loop(p, "i", 4, ["io", "ii"], tail="cut")
    p = lift_alloc(expand_dim(p, "t", 4, "ii"), "t")
    return fission(p, p.find("t[_] = _").after())


def test_a_filter_in_place_reads_blocks_ahead_once_the_counter_is_bounded() -> None:
    with pytest.raises(SchedulingError, match="fission: what follows the gap does not commute"):
        loads_first(IN_PLACE)
    p = bound_counter(IN_PLACE, "idx(c, _, _)")
    assert "x[idx(c, 0, i + 1)] = t" in str(p)
    assert_equivalent(IN_PLACE, loads_first(p))


def test_limits_may_be_given_and_cursors_stay() -> None:
    index = IN_PLACE.find("idx(c, _, _)")
    p = bound_counter(IN_PLACE, index, 0, "min(n, i + 2)")
    assert p.forward(index) == p.find("idx(c, 0, min(n, i + 2))")
    assert p.forward(IN_PLACE.find("x[_] = _")) == p.find("x[_] = _")


TEXT = """
    def f(n: size, m: size, x: f32[n], y: f32[2 * n + 2 * m + 9], flag: bool):
        assert n <= 1000 and m <= 1000
        c: i32
        d: u8
        c = i32(m)
        {0}
        for i in seq(0, n):
            {1}
            y[idx({2}, 0, 2 * n + 2 * m + 9)] = x[i]
            {3}
    """


@pytest.mark.parametrize(
    ("before", "first", "index", "then", "limits"),
    [
        ("pass", "pass", "c", "c += 1", "m, m + i + 1"),
        ("pass", "c += 2", "c", "pass", "m, m + 2 * i + 3"),
        ("c += 5", "c += 1", "c", "c += select(0.0, x[i], select(x[0], x[i], 0, 1), 0)", "m, m + 2 * i + 7"),
        ("for j in seq(0, m): c += 1", "pass", "c", "pass", "m, 2 * m + 1"),
        ("for j in seq(0, m):\n            for k in seq(2, 4): c += 1", "pass", "c - i32(m)", "pass", "0, 2 * m + 1"),
        ("if flag: c += 1\n        else: c += 3", "pass", "c", "pass", "m, m + 4"),
        ("for j in seq(0, m): c = 3", "c = 7", "c + 1", "c += 1", "8, 9"),
        ("pass", "pass", "i32(n + m) - c", "c += 1", "n - i, n + 1"),
        ("d = 3", "pass", "c + i32(n)", "d += 1", "m + n, m + n + 1"),
        ("pass", "for j in seq(0, n): c = 1", "i32(i)", "pass", "i, i + 1"),
    ],
)  # fmt: skip
def test_what_a_counter_can_have_become_is_known(before: str, first: str, index: str, then: str, limits: str) -> None:
    p = parse(TEXT.format(before, first, index, then))
    q = bound_counter(p, "idx(_, _, _)")
    assert f"idx({index}, {limits})" in str(q)
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    ("before", "first", "index", "then"),
    [
        ("for j in seq(0, m): c = 3", "pass", "c", "pass"),
        ("pass", "pass", "c", "c = 1"),
        ("for j in seq(0, m):\n            for k in seq(0, m): c += 1", "pass", "c", "pass"),
        ("for j in seq(0, m):\n            for k in seq(0, j): c += 1", "pass", "c", "pass"),
        ("pass", "for j in seq(0, i): c += 1", "c", "pass"),
        ("pass", "pass", "c", "c += i32(x[i])"),
        ("pass", "pass", "c * 1", "pass"),
        ("d = 3", "pass", "d + d", "d += 1"),
        ("d = 3", "pass", "i32(d)", "pass"),
        ("if flag: c = 3", "pass", "c", "pass"),
        ("if flag:\n            for j in seq(0, m): c += 1", "pass", "c", "pass"),
        ("c = c + 1", "pass", "c", "pass"),
    ],
)
def test_what_it_may_have_become_otherwise_is_not(before: str, first: str, index: str, then: str) -> None:
    p = parse(TEXT.format(before, first, index, then))
    with pytest.raises(SchedulingError, match="not known to be made of counters that do not wrap"):
        bound_counter(p, "idx(_, _, _)")
