"""Mistakes that could be made in what proves a step, each with a wrong procedure that comes through because of it.

Each function injects one mistake with patch (`setattr`, or a monkeypatch's) and gives the procedure. The operators here are
wrong on purpose: without the mistake the check that follows a step refuses what they make, unless the edit itself is the
mistake.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tests.primitives.equivalence import parse
from usl_core.analysis import effects, recheck, solver
from usl_core.analysis.context import Context
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.ir.memo import memo_of
from usl_core.ir.nodes import Assign, Read, index_literal
from usl_core.ir.traverse import walk
from usl_core.ir.types import F64, TensorType
from usl_core.primitives.base import primitive
from usl_core.primitives.loops import unroll_loop
from usl_core.primitives.loops.parallelize_loop import parallelize_loop
from usl_core.procedure import Procedure, config

Patch = Callable[[Any, str, Any], object]


@config
class State:
    """What a reader of a field goes by."""

    at: index  # noqa: F821  # a type of the object language


@primitive()
def widen(proc: Procedure, loop: Any) -> Edit:
    """Let a loop run once more than it did."""
    node = loop.node
    return Edit.of(proc.ir, "widen").replace_expr(NodeLoc((*loop.path, ("hi", None))), index_literal(node.hi.value + 1))


@primitive()
def shrink(proc: Procedure, alloc: Any) -> Edit:
    """Halve a buffer."""
    old = alloc.node.type
    return Edit.of(proc.ir, "shrink").update(NodeLoc(alloc.path), type=TensorType(old.scalar, (index_literal(4),), old.window))


@primitive(control=True)
def write_otherwise(proc: Procedure, write: Any) -> Edit:
    """Write 9 into a field."""
    return Edit.of(proc.ir, "write_otherwise").replace_expr(NodeLoc((*write.path, ("rhs", None))), index_literal(9))


@primitive()
def write_other(proc: Procedure, write: Any, value: Any) -> Edit:
    """Assign another value."""
    return Edit.of(proc.ir, "write_other").replace_expr(NodeLoc((*write.path, ("rhs", None))), value)


def key_of_what_is_proved(patch: Patch) -> Procedure:
    """The key leaves out what is known at the place."""
    p = parse("""
        def foo(x: f32[8]):
            for i in seq(0, 8):
                for j in seq(0, 1):
                    x[i + j] = 1.0
        """)
    patch(Context, "known_to", lambda self, stmt: ((), frozenset()))
    recheck.check_block(Context.of_proc(p.ir), p.ir.body)  # what is remembered under the wrong key
    return widen(p, p.find("for i in _: _"))


def answer_that_covers_all(patch: Patch) -> Procedure:
    """What was proved anywhere is taken as proved everywhere."""
    p = parse("""
        def foo(x: f32[8]):
            for i in seq(0, 8):
                for j in seq(0, 1):
                    x[i + j] = 1.0
        """)
    patch(recheck.check_block.__globals__["_Proved"], "covers", lambda self, bindings, known: True)
    return widen(p, p.find("for i in _: _"))


def suffix_that_is_skipped(patch: Patch) -> Procedure:
    """What follows a changed allocation is not proved again."""
    p = parse("""
        def foo(x: f32[8]):
            t: f32[8]
            for i in seq(0, 8):
                t[i] = x[i]
            for i in seq(0, 8):
                x[i] = t[i]
        """)
    patch(recheck._Rebound, "past", lambda self, old, new: None)
    return shrink(p, p.find("t: _"))


def readers_that_are_missed(patch: Patch) -> Procedure:
    """What reads a field is not proved again when the field is written otherwise."""
    p = parse(
        """
        def foo(x: f32[8]):
            State.at = 3
            x[State.at] = 1.0
        """,
        State=State,
    )
    patch(recheck, "written_otherwise", lambda *_: frozenset())
    return write_otherwise(p, p.find("State.at = _"))


def effects_that_are_wrong(patch: Patch) -> Procedure:
    """A statement is remembered to touch nothing."""
    p = parse("""
        def foo(x: f32[8], y: f32[8]):
            for i in seq(0, 8):
                y[0] = x[i]
        """)
    if patch is not without:
        memo_of(p.find("y[_] = _").node)[inspect.unwrap(effects.summary)] = effects.EMPTY
    return parallelize_loop(p, "i")


def answer_that_is_wrong(patch: Patch) -> Procedure:
    """The solver remembers that everything is proved."""

    class Anything(dict[str, solver.Verdict]):
        def get(self, key: str, default: Any = None) -> Any:
            return solver.Verdict("proved", "z3")

    p = parse("""
        def foo(x: f32[8]):
            for i in seq(0, 8):
                x[i] = 1.0
        """)
    patch(solver, "_memory", solver.Memory(verdicts=Anything()))
    return widen(p, p.find("for i in _: _"))


def name_out_of_scope(patch: Patch) -> Procedure:
    """An edit leaves a name where it is not bound."""
    p = parse("""
        def foo(x: f32[8]):
            x[0] = 1.0
            for i in seq(0, 8):
                x[i] = f32(i)
        """)
    value = next(node for node in walk(p.ir.body[1]) if isinstance(node, Assign)).rhs
    return write_other(p, p.find("x[0] = _"), value)


def binder_twice(patch: Patch) -> Procedure:
    """Copies of code bind the same names."""
    p = parse("""
        def foo(x: f32[8]):
            for i in seq(0, 2):
                for j in seq(0, 4):
                    x[4 * i + j] = 1.0
        """)
    patch(unroll_loop, "with_fresh_binders", lambda block: block)
    return unroll_loop.unroll_loop(p, "i")


def type_that_differs(patch: Patch) -> Procedure:
    """An edit leaves a value of another type."""
    p = parse("""
        def foo(x: f32[8], y: f64):
            x[0] = 1.0
        """)
    return write_other(p, p.find("x[0] = _"), Read(p.ir.args[1].name, (), type=F64))


def without(*_: Any) -> None:
    """Injects nothing."""


MISTAKES_OF_PROVING = {
    key_of_what_is_proved: "may be out of bounds",
    answer_that_covers_all: "may be out of bounds",
    suffix_that_is_skipped: "may be out of bounds",
    readers_that_are_missed: "may be out of bounds",
    effects_that_are_wrong: "may interfere",
    answer_that_is_wrong: "may be out of bounds",
}
"""Each with what the last check says."""
MISTAKES_OF_EDITING = {
    name_out_of_scope: "is used outside its scope",
    binder_twice: "is bound twice",
    type_that_differs: "has type",
}
