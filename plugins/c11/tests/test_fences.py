"""Instructions whose stores need a fence: nobody else looks before it has run."""

from __future__ import annotations

import c11_kernels as kernels
import numpy as np

from usl_c11.emit import library
from usl_c11.jit import jit
from usl_core.ir.nodes import Proc

COUNT = "static _Thread_local int pending;"
"""How many stores of the thread have not been ordered yet."""

STORE = kernels.instruction(
    "def late(x: f32):\n    x = 1.0\n", "*{x.ptr} = 1.0f; pending++;", c_global=COUNT, fence="pending = 0; /* fence */"
)
LOOK = kernels.instruction("def look(x: f32):\n    x = 0.0\n", "*{x.ptr} = (float)pending;", c_global=COUNT)
"""Tells, in C, how many stores are pending: its body is wrong on purpose."""


def parse(text: str) -> Proc:
    return kernels.parse(text, late=STORE, look=LOOK, looked=kernels.parse("def looked(x: f32):\n    look(x)\n", look=LOOK))


def lines(proc: Proc) -> list[str]:
    source = library([proc], "lib").files["lib.c"]
    start = source.index(f"{proc.name}_body(")
    return [line.strip() for line in source[start : source.index("\n}\n", start)].splitlines()[2:]]


FENCE = "pending = 0; /* fence */"


def test_the_end_of_a_procedure_is_behind_the_fence():
    assert lines(parse("def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        late(x[i])\n"))[-1] == FENCE


def test_an_iteration_of_a_parallel_loop_ends_with_the_fence_and_threads_start_behind_one():
    found = lines(parse("def f(n: size, x: f32[n]):\n    late(x[0])\n    for i in par(0, n):\n        late(x[i])\n    pass\n"))
    assert found.count(FENCE) == 3
    assert found[found.index("#ifdef _OPENMP") - 1] == FENCE
    loop = next(position for position, line in enumerate(found) if line.startswith("for ("))
    assert found[loop + 2 :] == [FENCE, "}", FENCE]


def test_where_threads_share_two_loops_the_fence_is_in_the_inner_one():
    text = "def f(n: size, x: f32[n, n]):\n    for i in par(0, n):\n        for j in par(0, n):\n            late(x[i, j])\n"
    found = lines(parse(text))
    assert any("collapse(2)" in line for line in found)
    assert found[-4:] == [FENCE, "}", "}", FENCE]


def test_storage_is_released_behind_the_fence_once_for_all_that_goes():
    text = """
def f(n: size, x: f32[n]):
    for i in seq(0, n):
        a: f32[n]
        b: f32[n]
        late(a[0])
        late(b[0])
"""
    found = lines(parse(text))
    frees = sorted(found.index(f"free({name});") for name in "ab")
    assert all(found[position - 1] == FENCE or position - 1 in frees for position in frees)


def test_a_failure_returns_behind_the_fence():
    found = lines(parse("def f(n: size, x: f32[n]):\n    late(x[0])\n    check(n < 5)\n    late(x[0])\n"))
    returns = [position for position, line in enumerate(found) if line.startswith("return")]
    assert found[returns[0] - 1] == FENCE and found[returns[1] - 1] == FENCE


def test_a_called_procedure_sees_nothing_pending():
    """What C says of it: the count of stores that were not ordered, seen from the callee and from a later call."""
    f = jit(parse("def f(n: size, x: f32[n], y: f32[n]):\n    for i in seq(0, n):\n        late(x[i])\n        looked(y[i])\n"))
    x, y = np.zeros(7, np.float32), np.ones(7, np.float32)
    f(7, x, y)
    assert (x == 1).all() and (y == 0).all()


def test_a_thread_leaves_nothing_pending_behind():
    first = jit(
        parse(
            """
def f(n: size, x: f32[n], y: f32[n]):
    for i in par(0, n):
        late(x[i])
    for i in par(0, n):
        look(y[i])
"""
        )
    )
    x, y = np.zeros(64, np.float32), np.ones(64, np.float32)
    first(64, x, y)
    assert (x == 1).all() and (y == 0).all()


def test_without_such_instructions_there_is_no_fence():
    assert not any("fence" in line for line in lines(parse("def f(x: f32):\n    look(x)\n    looked(x)\n")))
