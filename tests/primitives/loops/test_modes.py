"""Parallel loops under operators: from loops without races come loops without races."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tests.corpus import legal
from tests.corpus.case import Legal, cases_in
from tests.primitives.equivalence import parse
from usl_core.analysis.parallel import check_parallel
from usl_core.errors import BackendError, SchedulingError, Undecided
from usl_core.ir.nodes import For, LoopMode, Node, Proc
from usl_core.ir.traverse import map_children, update, walk
from usl_core.procedure import Procedure, from_ir
from usl_core.scheduling import (
    call_eqv,
    divide_with_recompute,
    fuse,
    join_loops,
    lift_scope,
    mult_loops,
    reorder_loops,
    stage_mem,
)

Operator = Callable[[Procedure], Procedure]


def program(body: str, **scope: object) -> Procedure:
    head = "def f(n: size, x: f32[n + 8, n + 8], y: f32[n + 8], z: f32[n + 8]):\n"
    return parse(head + "".join(f"    {line}\n" for line in body.splitlines()), **scope)


def mode(p: Procedure) -> str:
    """The mode of the first loop."""
    check_parallel(p.ir)
    loop = next(node for node in walk(p.ir) if isinstance(node, For))
    return loop.mode.value


INDEPENDENT = {
    "join_loops": ("for i in par(0, 2): y[i] = 1.0\nfor i in par(2, n + 2): y[i] = 1.0", lambda p: join_loops(p, "i", "i #1")),
    "join_loops whose last iteration reads alone": (
        "for i in par(0, n): y[i] = y[n] * 2.0\nfor i in par(n, n + 1): y[i] = y[n] * 2.0",
        lambda p: join_loops(p, "i", "i #1"),
    ),
    "mult_loops": ("for i in par(0, n):\n    for j in par(0, 4): x[i, j] = 1.0", lambda p: mult_loops(p, "i", "k")),
    "fuse": ("for i in par(0, n): y[i] = 1.0\nfor i in par(0, n): z[i] = y[i]", lambda p: fuse(p, "i", "i #1")),
    "fuse a seq with a par": (
        "for i in seq(0, n): y[i] = 1.0\nfor i in par(0, n): z[i] = y[i]",
        lambda p: fuse(p, "i", "i #1"),
    ),
    "reorder_loops": ("for i in seq(0, n):\n    for j in par(0, n): x[i, j] = 1.0", lambda p: reorder_loops(p, "i j")),
    "lift_scope": ("for i in seq(0, n):\n    for j in par(0, n): x[i, j] = 1.0", lambda p: lift_scope(p, "j")),
}
MEETING = {
    # Of two iterations one is the last of its loop, which runs after the others there but not in the joined loop.
    "join_loops": (
        "for i in par(0, 2): y[i] = y[1] + 1.0\nfor i in par(2, 4): y[i] = y[1] + 1.0",
        lambda p: join_loops(p, "i", "i #1"),
    ),
    "mult_loops": (
        "for i in par(0, n):\n    for j in par(0, 4):\n        x[i, j] = x[i, 3]",
        lambda p: mult_loops(p, "i", "k"),
    ),
    "fuse a producer with what reads two of its values": (
        "for i in par(0, n): y[i] = 1.0\nfor i in par(0, n):\n    if i > 0:\n        z[i] = y[i - 1] + y[i]",
        lambda p: fuse(p, "i", "i #1"),
    ),
    "reorder_loops": (
        "for i in seq(0, n):\n    for j in par(0, n): x[i + 1, j + 1] = x[i, j] + x[i, j + 1]",
        lambda p: reorder_loops(p, "i j"),
    ),
    "lift_scope": (
        "for i in seq(0, n):\n    for j in par(0, n): x[i + 1, j + 1] = x[i, j] + x[i, j + 1]",
        lambda p: lift_scope(p, "j"),
    ),
    "divide_with_recompute": (
        "for i in par(0, n + 2): y[i] = 1.0",
        lambda p: divide_with_recompute(p, "i", "n", 1, ["io", "ii"]),
    ),
}


@pytest.mark.parametrize(("body", "step"), INDEPENDENT.values(), ids=INDEPENDENT)
def test_what_is_made_of_parallel_loops_is_parallel(body: str, step: Operator) -> None:
    assert mode(step(program(body))) == "par"


@pytest.mark.parametrize(("body", "step"), MEETING.values(), ids=MEETING)
def test_what_would_race_is_sequential(body: str, step: Operator) -> None:
    before = program(body)
    check_parallel(before.ir)
    assert mode(step(before)) == "seq"


def test_staging_refuses_copies_that_iterations_would_share() -> None:
    p = program("for i in par(0, n):\n    y[i] = 1.0")
    with pytest.raises(SchedulingError, match="stage_mem: the iterations of parallel loop i would interfere"):
        stage_mem(p, p.find("y[_] = _"), "y[0:n]", "t")
    check_parallel(stage_mem(p, p.find("y[_] = _"), "y[i:i + 1]", "t").ir)
    check_parallel(stage_mem(p, p.body(), "y[0:n]", "t").ir)


def test_staging_refuses_to_copy_in_what_other_iterations_write() -> None:
    p = program("for i in par(0, n):\n    y[i] = 1.0\n    z[i] = y[i]")
    with pytest.raises(SchedulingError, match="stage_mem: the iterations of parallel loop i would interfere"):
        stage_mem(p, p.find("z[_] = _"), "y[0:n]", "t")
    check_parallel(stage_mem(p, p.find("z[_] = _"), "y[i:i + 1]", "t").ir)


def test_an_equivalent_callee_that_writes_more_is_refused_in_a_parallel_loop() -> None:
    one = parse("def one(n: size, k: index, y: f32[n]):\n    assert 0 <= k and k < n\n    y[k] = 1.0")
    more = stage_mem(one, one.body(), "y[0:n]", "t")
    p = program("for i in par(0, n):\n    one(n + 8, i, y)", one=one)
    with pytest.raises(SchedulingError, match="call_eqv: the iterations of parallel loop i would interfere"):
        call_eqv(p, "one(_)", more)
    sequential = program("for i in seq(0, n):\n    one(n + 8, i, y)", one=one)
    assert call_eqv(sequential, "one(_)", more)


def test_a_loop_that_races_already_is_left_to_the_backend() -> None:
    p = program("for i in par(0, n):\n    y[0] = 1.0\n    y[i] = 1.0")
    assert stage_mem(p, p.find("y[_] = _ #1"), "y[0:n]", "t")


CASES: list[Legal] = cases_in(legal)


@pytest.mark.parametrize("operator", sorted({case.operator for case in CASES}))
def test_no_step_makes_races(operator: str) -> None:
    for case in CASES:
        if case.operator == operator:
            names = case.program.names()
            before = with_parallel_loops(case.program.procedure(names))
            try:
                after = case.step(before, SimpleNamespace(**names)) if case.callees else case.step(before)
            except (SchedulingError, Undecided):
                continue
            check_parallel(after.ir)


def with_parallel_loops(p: Procedure) -> Procedure:
    """p with as many `par` loops as have no races."""
    ir = p.ir
    for loop in [node for node in walk(ir) if isinstance(node, For)]:
        candidate = _with_parallel(ir, loop)
        try:
            check_parallel(candidate)
        except (BackendError, Undecided):
            continue
        ir = candidate
    return from_ir(ir)


def _with_parallel(ir: Proc, loop: For) -> Proc:
    def visit(node: Node) -> Node:
        node = map_children(node, visit)
        return update(node, mode=LoopMode.PAR) if isinstance(node, For) and node.iter is loop.iter else node

    found = visit(ir)
    assert isinstance(found, Proc)
    return found
