"""A question that the solver cannot answer is never taken for a yes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.primitives.equivalence import parse
from usl_core.analysis import conditions, conflict, context, earlier, obligations, producer
from usl_core.analysis import formula as fml
from usl_core.analysis.conflict import refuting_model
from usl_core.analysis.context import Context
from usl_core.analysis.effects import summary
from usl_core.analysis.recheck import recheck
from usl_core.analysis.solver import Unknown
from usl_core.errors import SchedulingError, Undecided
from usl_core.ir.traverse import update
from usl_core.primitives.base import require_proved
from usl_core.primitives.buffers import lifetimes
from usl_core.primitives.buffers.resize_dim import resize_dim
from usl_core.primitives.buffers.stage_mem import stage_mem
from usl_core.primitives.loops.eliminate_dead_code import eliminate_dead_code
from usl_core.primitives.loops.fuse import fuse
from usl_core.primitives.loops.guard_redundant import guard_redundant
from usl_core.primitives.loops.join_loops import join_loops
from usl_core.primitives.loops.reorder_loops import reorder_loops
from usl_core.primitives.loops.shift_loop import shift_loop
from usl_core.primitives.stmts.reorder_stmts import reorder_stmts


def unknown(*_: object, **__: object) -> Unknown:
    return Unknown("too hard")


def undecided(*question: Any) -> Any:
    """`refuting_model`, whose solver cannot answer."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(conflict, "prove", unknown)
        return refuting_model(*question)


FOO = parse("""
    def foo(n: size, m: index, x: f32[n + 8]):
        assert m >= 0 and m < n
        x[m] = 1.0
        x[n] = 2.0
        if m < 3:
            x[0] = 1.0
        for i in seq(0, n):
            for j in seq(0, 4):
                x[i + j] = 1.0
""")
RING = parse("""
    def ring(y: f32[8]):
        t: f32[8]
        t[0] = 1.0
        for i in seq(0, 7):
            t[i + 1] = t[i] * 2.0
            y[i] = t[i + 1]
""")
SLIDE = parse("""
    def slide(n: size, x: f32[n + 1], t: f32[n + 1], y: f32[n]):
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = x[i + j]
        for i in seq(0, n):
            y[i] = t[i]
""")
FILL = parse("""
    def fill(n: size, t: f32[n + 1], y: f32[n]):
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = 1.0
        for i in seq(0, n):
            y[i] = t[i + 1]
""")


@pytest.mark.parametrize(
    ("module", "step"),
    [
        (conflict, lambda: reorder_stmts(FOO, "x[m] = _ ; x[n] = _")),
        (conflict, lambda: reorder_loops(FOO, "i j")),
        (context, lambda: shift_loop(FOO, "i", "m")),
        (context, lambda: eliminate_dead_code(FOO, "if _: _")),
        (lifetimes, lambda: resize_dim(RING, "t", 0, 2, 0, fold=True)),
        (earlier, lambda: guard_redundant(SLIDE, "t = _", "i == 0 or j == 1")),
        (producer, lambda: guard_redundant(SLIDE, "t = _", "i == 0 or j == 1")),
        (producer, lambda: fuse(FILL, "i", "i #1")),
    ],
)
def test_an_operator_that_cannot_decide_does_not_rewrite(
    module: Any, step: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if module in (conflict, context, lifetimes):
        monkeypatch.setattr(module, "prove", unknown)
    if module not in (conflict, context):  # these ask by the same function, about a question of their own
        monkeypatch.setattr(module, "refuting_model", undecided)
    with pytest.raises(Undecided, match="could not decide") as caught:
        step()
    assert any("too hard" in note for note in caught.value.notes) or "always or never" in caught.value.message


def test_a_goal_that_is_not_decided_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    ctx = Context.of_proc(FOO.ir)
    monkeypatch.setattr(context, "prove", unknown)
    goal = fml.FALSE
    with pytest.raises(Undecided, match="could not decide: it holds"):
        require_proved(ctx, goal, "it holds")
    with pytest.raises(Undecided, match="could not decide: it holds"):
        obligations.require(ctx, goal, lambda: "it holds", FOO.ir.span)


def test_assertions_that_may_contradict_each_other_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(obligations, "consistent", unknown)
    with pytest.raises(Undecided, match="could not decide whether the assertions of foo can hold"):
        obligations.check_proc_invariant(FOO.ir)


def test_a_read_that_is_not_known_to_be_covered_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    ctx, write = Context.of_proc(FOO.ir), summary(FOO.ir.body[0]).accesses[-1]
    assert conditions.covered(ctx.facts, write, [write])
    monkeypatch.setattr(conditions, "prove", unknown)
    assert not conditions.covered(ctx.facts, write, [write])


def test_a_window_that_is_not_known_to_lie_apart_may_show_what_is_staged(monkeypatch: pytest.MonkeyPatch) -> None:
    p = parse("def f(x: f32[8]):\n    w = x[4:8]\n    for i in seq(0, 4):\n        x[i] = w[i]")
    with monkeypatch.context() as patched, pytest.raises(SchedulingError, match="also reaches x under the name w"):
        patched.setattr(conflict, "prove", unknown)
        stage_mem(p, "for i in _: _", "x[0:4]", "c")
    stage_mem(p, "for i in _: _", "x[0:4]", "c")


def test_a_loop_that_is_not_known_to_be_free_of_races_becomes_sequential(monkeypatch: pytest.MonkeyPatch) -> None:
    p = parse("def f(n: size, x: f32[n + 4]):\n    for i in par(0, 4): x[i] = 1.0\n    for i in par(4, n + 4): x[i] = 1.0")
    with monkeypatch.context() as patched:
        patched.setattr(conflict, "prove", unknown)
        assert "for i in seq(0, n + 4)" in str(join_loops(p, "for i in _: _ #0", "for i in _: _ #1"))


def test_an_operator_whose_result_is_not_decided_to_be_safe_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = update(FOO.ir, body=FOO.ir.body[:2])
    recheck(FOO.ir, changed, "op")
    monkeypatch.setattr(context, "prove", unknown)
    with pytest.raises(Undecided, match="op: could not decide: index 0 of x"):
        recheck(FOO.ir, update(changed, body=(update(FOO.ir.body[1]), FOO.ir.body[0])), "op")
