"""spread_into: loads among the iterations of another loop."""

from __future__ import annotations

import pytest

from usl_core import Procedure, SchedulingError, proc_from_source
from usl_core.cursors import AssignCursor, ForCursor
from usl_core.interp import Buffer, run
from usl_core.ir.types import I32
from usl_stdlib import spread_into


def program(loads: int, uses: int, between: str = "") -> Procedure:
    middle = f"    {between}\n" if between else ""
    return proc_from_source(
        f"def f(x: i32[{loads}], a: i32[{loads}], y: i32[{uses}], t: i32):\n"
        f"    for l in seq(0, {loads}):\n        a[l] = x[l] + 1\n{middle}"
        f"    for i in seq(0, {uses}):\n        y[i] += t\n"
    )


def result(p: Procedure, loads: int, uses: int) -> list[list[int]]:
    x, a, y = Buffer(I32, (loads,), list(range(loads))), Buffer(I32, (loads,)), Buffer(I32, (uses,), [5] * uses)
    run(p.ir, [x, a, y, Buffer(I32, (), [3])])
    return [a.values(), y.values()]


@pytest.mark.parametrize(("loads", "uses"), [(4, 4), (8, 4), (6, 4), (3, 7), (16, 49), (7, 3), (1, 5), (5, 1), (9, 4)])
def test_every_load_happens_once_among_the_iterations_of_the_other_loop(loads: int, uses: int) -> None:
    p = program(loads, uses, "t = 3")
    q, loop = spread_into(p, "l", "i")
    assert result(p, loads, uses) == result(q, loads, uses)
    assert loop.name() == "i" and [type(stmt) for stmt in q.body()] == [AssignCursor, ForCursor] and loop == q.body()[1]


@pytest.mark.parametrize(("loads", "uses"), [(7, 3), (9, 4), (16, 49), (5, 1)])
def test_guarded_shares_are_all_as_long_as_each_other(loads: int, uses: int) -> None:
    p = program(loads, uses)
    q, _ = spread_into(p, "l", "i", tail="guard")
    assert result(p, loads, uses) == result(q, loads, uses)
    assert loads <= uses or q.find_loop("l_each").hi().value() == -(-loads // uses)


def test_loads_that_the_second_loop_needs_at_once_are_refused() -> None:
    p = proc_from_source("""
def f(x: i32[8], a: i32[8], y: i32[4]):
    for l in seq(0, 8):
        a[l] = x[l]
    for i in seq(0, 4):
        y[i] = a[7 - i]
""")
    with pytest.raises(SchedulingError):
        spread_into(p, "l", "i")
    p = proc_from_source("""
def f(n: size, a: i32[n], y: i32[n]):
    for l in seq(0, n):
        a[l] = 1
    for i in seq(0, n):
        y[i] = 2
""")
    with pytest.raises(SchedulingError, match="must be numbers"):
        spread_into(p, "l", "i")
