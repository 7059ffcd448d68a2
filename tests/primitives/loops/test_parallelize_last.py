"""`par` loops whose last iteration runs after the others have ended."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_equivalent, parse
from usl_core.analysis.context import Context
from usl_core.analysis.parallel import check_parallel, separate_last, why_not_parallelizable, why_not_race_free
from usl_core.errors import SchedulingError
from usl_core.ir.nodes import For, LoopMode
from usl_core.ir.printer import show
from usl_core.ir.traverse import walk
from usl_core.ir.verify import verify
from usl_core.primitives.loops.divide_loop import divide_loop
from usl_core.primitives.loops.parallelize_loop import parallelize_loop
from usl_core.procedure import Procedure, from_ir

SHIFTED = divide_loop(
    parse("""
        def double(n: size, x: f32[n], y: f32[n]):
            assert n >= 4
            for i in seq(0, n):
                y[i] = x[i] * 2.0
        """),
    "i",
    4,
    ["io", "ii"],
    tail="shift_inwards",
)


def loop(body: str, hi: str = "n") -> Procedure:
    return parse(f"""
        def foo(n: size, x: f32[n + 1], y: f32[n + 1], s: f32):
            for i in seq(0, {hi}):
                {body}
        """)


def test_tiles_shifted_inwards_become_parallel():
    q = parallelize_loop(SHIFTED, "io")
    assert "for io in par(0, (n + 3) / 4):" in str(q)
    assert_equivalent(SHIFTED, q)
    check_parallel(q.ir)


def test_the_last_iteration_is_put_apart_for_whoever_runs_the_loop_in_parallel():
    q = from_ir(separate_last(parallelize_loop(SHIFTED, "io").ir))
    assert str(q).splitlines()[3:] == [
        "    for io in par(0, (n + 3) / 4 - 1):",
        "        for ii in seq(0, 4):",
        "            y[min(4 * io, n - 4) + ii] = x[min(4 * io, n - 4) + ii] * 2.0",
        "    for io in seq((n + 3) / 4 - 1, (n + 3) / 4):",
        "        for ii in seq(0, 4):",
        "            y[min(4 * io, n - 4) + ii] = x[min(4 * io, n - 4) + ii] * 2.0",
    ]
    assert_equivalent(SHIFTED, q)
    for node in walk(q.ir):
        if isinstance(node, For) and node.mode is LoopMode.PAR:
            assert why_not_race_free(Context.of_proc(q.ir), node) is None


@pytest.mark.parametrize("body", ["y[min(i, n - 2)] = x[i]", "if i == n - 1: y[0] = x[i]"])
def test_only_the_last_iteration_may_interfere(body: str):
    p = (
        loop(body)
        if "min" not in body
        else parse(f"""
        def foo(n: size, x: f32[n + 1], y: f32[n + 1]):
            assert n >= 2
            for i in seq(0, n):
                {body}
        """)
    )
    q = parallelize_loop(p, "i")
    assert_equivalent(p, q)
    apart = separate_last(q.ir)
    verify(apart)
    assert_equivalent(p, from_ir(apart))


def test_a_loop_that_may_not_run_has_no_last_iteration():
    p = loop("y[min(i, max(0, n - 3))] = x[i]", hi="n - 1")
    apart = separate_last(parallelize_loop(p, "i").ir)
    assert "for i in par(0, max(0, n - 2)):" in show(apart) and "for i in seq(max(0, n - 2), n - 1):" in show(apart)
    assert_equivalent(p, from_ir(apart))


@pytest.mark.parametrize("body", ["y[min(i, n - 1)] = x[i]", "x[i + 1] = x[i]"])
def test_a_loop_that_needs_it_not_or_may_not_be_parallel_is_left_alone(body: str):
    p = parse(f"""
        def foo(n: size, x: f32[n + 1], y: f32[n + 1]):
            for i in par(0, n):
                {body}
        """)
    assert separate_last(p.ir) is p.ir


@pytest.mark.parametrize("body", ["y[min(i, max(0, n - 3))] = x[i]", "y[max(i, 1)] = x[i]", "y[0] = x[n - 1 - i]", "s = x[i]"])
def test_two_iterations_that_interfere_before_the_last_are_refused(body: str):
    with pytest.raises(SchedulingError, match="the iterations of i may interfere") as caught:
        parallelize_loop(loop(body), "i")
    assert any("counter-example" in note for note in caught.value.notes)


def test_nested_loops_are_separated_each():
    p = parse("""
        def foo(n: size, m: size, x: f32[n, m], y: f32[n, m]):
            assert n >= 2 and m >= 2
            for i in par(0, n):
                for j in par(0, m):
                    y[min(i, n - 2), min(j, m - 2)] = x[i, j]
        """)
    apart = from_ir(separate_last(p.ir))
    assert str(apart).count("in par(") == 3 and str(apart).count("in seq(") == 3
    assert_equivalent(p, apart)


def test_the_condition_is_about_the_loop_alone():
    p = loop("y[min(i, max(0, n - 2))] = x[i]")
    found = p.find("i").node
    ctx = Context.of_proc(p.ir)
    assert why_not_race_free(ctx, found) is not None and why_not_parallelizable(ctx, found) is None
