"""Walking code, the loops around a place, and what kind of loop a loop is."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from stdlib_config_programs import program

from tests.fuzz.generate import generate
from tests.primitives.equivalence import parse
from usl_core import SchedulingError, Undecided, UslError, parallelize_loop
from usl_core.cursors.kinds import BinaryOpCursor
from usl_core.errors import InvalidCursorError, PatternError, UsageError
from usl_core.procedure import from_ir
from usl_stdlib import classify, common_ancestor, enclosing_loop, enclosing_loops, loop_nest, walk
from usl_stdlib.classification import LoopKind

GEMM = parse("""
    def gemm(n: size, x: f32[n, n], y: f32[n, n], c: f32[n, n]):
        for i in seq(0, n):
            for j in seq(0, n):
                c[i, j] = 0.0
                for k in seq(0, n):
                    if k > 2:
                        c[i, j] += x[i, k] * y[k, j]
                    else:
                        pass
        w = c[0, 0:n]
""")


def test_walking_meets_everything_in_source_order() -> None:
    assert [loop.name() for loop in walk(GEMM, "loops")] == ["i", "j", "k"]
    assert [type(stmt).__name__ for stmt in walk(GEMM, "statements")] == [
        *("ForCursor", "ForCursor", "AssignCursor", "ForCursor", "IfCursor", "ReduceCursor", "PassCursor", "WindowStmtCursor"),
    ]
    assert [each.name() for each in walk(GEMM.find("c[_] += _"), "reads")] == ["i", "j", "x", "i", "k", "y", "k", "j"]
    assert [op.op() for op in walk(GEMM, BinaryOpCursor)] == [">", "*"]
    assert len(list(walk(GEMM.find_loop("k")))) == 1 + 2 + 1 + 3 + 1 + 2 + 7 + 1
    assert len(list(walk(GEMM, "windows"))) == 2


def test_walking_what_is_no_code_or_for_what_is_no_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="a procedure or a cursor is wanted, got 'i'"):
        walk("i")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"the kinds are statements, loops, .*, got 'loop'"):
        walk(GEMM, "loop")
    with pytest.raises(InvalidCursorError):
        list(walk(GEMM.find_loop("i").prev()))


def test_loops_around_a_place_are_found_by_name() -> None:
    product = GEMM.find("x[_] * y[_]")
    assert [loop.name() for loop in enclosing_loops(product)] == ["k", "j", "i"]
    assert enclosing_loop(product).name() == "k"
    assert enclosing_loop(product, "i") == GEMM.find_loop("i")
    assert enclosing_loop(GEMM.find_loop("k")).name() == "j"
    with pytest.raises(PatternError, match="there is no loop z around") as caught:
        enclosing_loop(product, "z")
    assert caught.value.notes == ("the loops around it are k, j, i",)
    with pytest.raises(PatternError, match="there is no loop around"):
        enclosing_loop(GEMM.find_loop("i"))


def test_the_common_ancestor_is_the_innermost_statement_around_all() -> None:
    zero, add, window = GEMM.find("c[_] = _"), GEMM.find("c[_] += _"), GEMM.find("w = _")
    assert common_ancestor([zero, add]) == GEMM.find_loop("j")
    assert common_ancestor([add, GEMM.find_loop("k")]) == GEMM.find_loop("k")
    assert common_ancestor([add, add.rhs().lhs()]) == add
    assert not common_ancestor([add, window])
    with pytest.raises(SchedulingError, match="cursors of one procedure"):
        common_ancestor([])


def test_patterns_are_no_cursors_and_lost_ones_say_so() -> None:
    with pytest.raises(UsageError, match=r"common_ancestor: places must be .*, got \['i'\]"):
        common_ancestor(["i"])  # type: ignore[list-item]
    for function in (enclosing_loop, enclosing_loops, loop_nest, classify):
        with pytest.raises(SchedulingError, match="is wanted, got 'i'"):
            function("i")  # type: ignore[operator]
    for function in (enclosing_loop, enclosing_loops, loop_nest, classify, lambda place: common_ancestor([place])):
        with pytest.raises(InvalidCursorError, match="there is no statement 1 before"):
            function(GEMM.find_loop("i").prev())  # type: ignore[operator]


def test_a_nest_ends_where_a_loop_is_not_alone() -> None:
    assert [loop.name() for loop in loop_nest(GEMM.find_loop("i"))] == ["i", "j"]


LOOPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "map": ("y[i] = 2.0 * x[i]", "map", ()),
    "map in place": ("y[i] = y[i] + 1.0", "map", ()),
    "map of tiles": ("for t in seq(0, 4):\n    z[4 * i + t] = z[4 * i + 3 - t]", "map", ()),
    "map with a local": ("t: f32\nt = x[i]\ny[i] = t", "map", ()),
    "map through a window": ("w = z[4 * i:4 * i + 4]\nw[0] = w[3]", "map", ()),
    "sum": ("s += x[i]", "reduction", ("s",)),
    "sum of rows": ("for t in seq(0, 4):\n    v[t] += z[4 * i + t]", "reduction", ("v",)),
    "overlapping tiles": ("for t in seq(0, 4):\n    z[3 * i + t] = 0.0", "sequential", ("z",)),
    "last value": ("s = x[i]", "sequential", ("s",)),
    "read of a sum": ("s += x[i]\ny[i] = s", "sequential", ("s",)),
    "stencil in place": ("y[i] = y[n - 1 - i]", "sequential", ("y",)),
    "two places": ("s += x[i]\nv[0] = x[i]", "sequential", ("s", "v")),
    "check": ("check(i < n)", "sequential", ()),
}


@pytest.mark.parametrize(("body", "kind", "carried"), LOOPS.values(), ids=LOOPS.keys())
def test_loops_are_classified_by_what_their_iterations_share(body: str, kind: str, carried: tuple[str, ...]) -> None:
    head = "def f(n: size, x: f32[n], y: f32[n], z: f32[4 * n], v: f32[4], s: f32):\n    for i in seq(0, n):\n"
    p = parse(head + "".join(f"        {line}\n" for line in body.splitlines()))
    found = classify(p.find_loop("i"))
    assert (found.kind.value, found.carried) == (kind, carried)
    if kind == "map":
        assert parallelize_loop(p, "i").find_loop("i").mode() == "par"


def test_inner_loops_are_classified_within_an_iteration_of_the_outer() -> None:
    kinds = {loop.name(): classify(loop).kind.value for loop in walk(GEMM, "loops")}
    assert kinds == {"i": "map", "j": "map", "k": "reduction"}


@given(st.integers(0, 2**32))
@settings(max_examples=10)
def test_what_is_called_a_map_or_a_reduction_is_not_refused_as_a_parallel_loop(seed: int) -> None:
    try:
        p = from_ir(generate(random.Random(seed)))
    except UslError:
        assume(False)
    for loop in walk(p, "loops"):
        if classify(loop).kind is not LoopKind.SEQUENTIAL:
            with suppress(Undecided):
                parallelize_loop(p, loop)


def test_a_loop_that_writes_configuration_is_sequential_and_only_loops_are_classified() -> None:
    p = program("def f(n: size):\n    for i in seq(0, n):\n        set_a(i)\n")
    assert classify(p.find_loop("i")).kind.value == "sequential"
    stmt: Any = p.find("set_a(_)")
    with pytest.raises(UslError, match="classify: a cursor of kind ForCursor is wanted, got CallCursor"):
        classify(stmt)
