"""A block cursor covers all that its statements became."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.primitives.equivalence import parse
from usl_core.cursors.cursor import BlockCursor
from usl_core.procedure import Procedure
from usl_core.scheduling import (
    autofission,
    cut_loop,
    divide_loop,
    fission,
    fuse,
    join_loops,
    lift_reduce_constant,
    merge_writes,
    split_write,
)


def program() -> Procedure:
    return parse("""
        def f(n: size, x: R[n], y: R[n], s: R):
            assert n > 8
            s = 0.0
            for i in seq(0, n):
                x[i] = 2.0 * y[i] + 1.0
                y[i] = 2.0
            s = 1.0
    """)


def heads(block: BlockCursor) -> list[str]:
    return [stmt.name() for stmt in block]


def loop_block(p: Procedure) -> BlockCursor:
    block = p.find_loop("i").as_block()
    assert isinstance(block, BlockCursor)
    return block


@pytest.mark.parametrize(
    ("step", "names"),
    [
        (lambda p: fission(p, p.find("x[_] = _").after()), ["i", "i"]),
        (lambda p: autofission(p, p.find("x[_] = _").after()), ["i", "i"]),
        (lambda p: cut_loop(p, "i", 3), ["i", "i"]),
        (lambda p: divide_loop(p, "i", 4, ["io", "ii"], tail="cut"), ["io", "ii"]),
        (lambda p: divide_loop(p, "i", 4, ["io", "ii"], tail="guard"), ["io"]),
        (lambda p: cut_loop(cut_loop(p, "i", 4), "i", 2), ["i", "i", "i"]),
    ],
)
def test_the_block_of_a_loop_covers_the_loops_that_it_became(step: Callable[[Procedure], Procedure], names: list[str]):
    p = program()
    q = step(p)
    assert heads(q.forward(loop_block(p))) == names
    assert heads(q.forward(p.find("s = _").expand(0, 1))) == ["s", *names]
    assert q.forward(p.find_loop("i")) == q.find_loop(names[0]), "a cursor to the loop goes to the first one"
    assert q.forward(p.find("s = 1.0").as_block()) == q.find("s = 1.0").as_block()


def test_the_block_of_an_assignment_covers_its_parts_and_one_part_covers_the_sum():
    p = program()
    first = p.find("x[_] = _")
    q = split_write(p, first)
    parts = q.forward(first.as_block())
    assert len(parts) == 2 and q.forward(first.next().as_block()) == q.find("y[_] = _").as_block()
    merged = merge_writes(q, parts)
    assert merged.forward(parts[1].as_block()) == merged.find("x[_] = _").as_block()


def test_the_block_of_a_second_loop_that_is_fused_or_joined_goes_to_the_one_loop():
    p = cut_loop(program(), "i", 3)
    second = p.find_loop("i #1").as_block()
    assert (q := join_loops(p, "i", "i #1")).forward(second) == loop_block(q)
    p = program()
    p = fission(p, p.find("x[_] = _").after())
    second = p.find_loop("i #1").as_block()
    assert (q := fuse(p, "i", "i #1")).forward(second) == loop_block(q)


def test_the_block_of_a_sum_covers_the_multiplication_after_it():
    p = parse("def f(n: size, c: R, x: R[n], s: R):\n    s = 0.0\n    for i in seq(0, n):\n        s += c * x[i]")
    q = lift_reduce_constant(p, p.body())
    assert len(q.forward(p.body())) == 3
