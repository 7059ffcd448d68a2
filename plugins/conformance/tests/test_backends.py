"""The check of a backend: a right one passes, each wrong one is told by the construct that it gets wrong.

The backends here run programs on the interpreter, with a mistake put in by rewriting them, so that nothing has to be compiled.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from usl_conformance.backends import check_backend, subjects, try_subject
from usl_conformance.findings import NO_CODE, OUTSIDE, STOPPED, VALUE, Report
from usl_conformance.random_programs import programs
from usl_core import proc_from_source
from usl_core.errors import BackendError, JitError
from usl_core.interp import run
from usl_core.ir.nodes import Assign, BinaryOp, For, If, Literal, Node, Proc, Reduce, UnaryMinus, WindowExpr
from usl_core.ir.traverse import rewrite, update, walk_block
from usl_core.ir.types import I16, INDEX, SCALARS, is_integer_control, scalar_of
from usl_core.plugins.hookspecs import Backend


class Interpreted(Backend):
    """Runs the interpreter on what change makes of a program."""

    name = "tried"

    def __init__(self, change: Callable[[Node], Node | None] = lambda node: None) -> None:
        self.change = change

    def emit(self, procs: Any, name: str, *, entry_checks: bool = True) -> dict[str, str]:
        return {f"{name}.txt": ""}

    def jit(self, procedure: Proc, **options: Any) -> Callable[..., None]:
        changed = rewrite(procedure, self.change)

        def call(*args: Any) -> None:
            run(changed, args)

        return call


CHEAP = [("backend", "runs"), ("construct", "windows_with_names"), ("construct", "assertions"), ("programs", "i16")]


@pytest.mark.parametrize("subject", CHEAP)
def test_a_right_backend_passes(subject):
    outcome = try_subject(Interpreted(), subject)
    assert outcome.status == "passed", outcome.text()
    assert outcome.runs > 0


def rounds_up(node):
    """Division of control values to plus infinity."""
    match node:
        case BinaryOp(op="/", lhs=lhs, rhs=rhs) if is_integer_control(node.type):
            return UnaryMinus(BinaryOp("/", UnaryMinus(lhs, type=INDEX), rhs, type=INDEX), type=INDEX)
    return None


def forgets_to_add(node):
    return Assign(node.name, node.idx, node.rhs, span=node.span) if isinstance(node, Reduce) else None


def takes_the_other_branch(node):
    return update(node, body=node.orelse, orelse=node.body) if isinstance(node, If) and node.orelse else None


def begins_loops_at_zero(node):
    return update(node, lo=Literal(0, type=INDEX)) if isinstance(node, For) else None


def takes_less_for_less_or_equal(node):
    return update(node, op="<") if isinstance(node, BinaryOp) and node.op == "<=" else None


def exchanges_operands(node):
    if isinstance(node, BinaryOp) and node.op == "-" and node.type == I16:
        return update(node, lhs=node.rhs, rhs=node.lhs)
    return None


def starts_windows_one_late(node):
    """A point of a window that is one off."""
    if isinstance(node, WindowExpr) and isinstance(node.idx[0], Literal):
        return update(node, idx=(Literal(node.idx[0].value + 1, type=INDEX), *node.idx[1:]))
    return None


FAULTS = [
    (rounds_up, "index_division"),
    (forgets_to_add, "float_reductions"),
    (takes_the_other_branch, "conditions_one_after_another"),
    (begins_loops_at_zero, "loops_that_may_not_run"),
    (takes_less_for_less_or_equal, "conditions_on_floats"),
    (exchanges_operands, "narrow_integers_wrap"),
    (starts_windows_one_late, "windows_with_names"),
]


@pytest.mark.parametrize(("fault", "construct"), FAULTS)
def test_a_wrong_operation_is_told_by_the_construct_that_it_spoils(fault, construct):
    outcome = try_subject(Interpreted(fault), ("construct", construct))
    assert outcome.status == "failed"
    assert outcome.name == f"tried.{construct}"
    assert outcome.findings[0].code == VALUE
    assert outcome.findings[0].input[-1].startswith("data: ")
    assert outcome.span is not None and outcome.span.file.endswith("kernels.py")


def test_random_programs_find_it_too_and_the_finding_shows_the_program():
    outcome = try_subject(Interpreted(rounds_up), ("programs", "i32"))
    assert outcome.status == "failed"
    (finding,) = outcome.findings
    assert finding.input[1].startswith("def random_i32_")
    assert finding.expected and finding.got


class Wrong(Interpreted):
    """One whose callable is made by wrap of the right one."""

    def __init__(self, wrap: Callable[..., Any]) -> None:
        super().__init__()
        self.wrap = wrap

    def jit(self, procedure: Proc, **options: Any) -> Callable[..., None]:
        right = super().jit(procedure)
        return lambda *args: self.wrap(right, *args)


def dense(right, *args):
    """Strides are taken for those of a dense array: what lies between elements is changed."""
    arrays = [np.ndarray(a.shape, a.dtype, buffer=_bytes(a)) if isinstance(a, np.ndarray) and a.ndim else a for a in args]
    right(*arrays)


def _bytes(array):
    import ctypes

    return (ctypes.c_char * array.nbytes).from_address(array.__array_interface__["data"][0])


def test_strides_that_are_not_heeded_are_found():
    outcome = try_subject(Wrong(dense), ("construct", "windows_as_arguments"))
    assert [finding.code for finding in outcome.findings] in ([VALUE], [OUTSIDE])


def unchecked(right, *args):
    """Assertions and checks are not tested."""
    try:
        right(*args)
    except Exception:
        args[-1][...] = 1


@pytest.mark.parametrize("construct", ["assertions", "checks_that_fail"])
def test_a_call_that_should_be_refused_and_is_not_is_found(construct):
    outcome = try_subject(Wrong(unchecked), ("construct", construct))
    assert outcome.findings[0].problem == "a call that the program forbids runs without an error"


def test_a_call_that_is_refused_without_need_is_found():
    def refuse(right, *args):
        raise JitError("no")

    outcome = try_subject(Wrong(refuse), ("construct", "copied_array"))
    assert outcome.findings[0].problem == "a call that the program admits is refused: no"


def killed(right, *args):
    if len(args) == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    right(*args)


def test_a_program_that_crashes_is_one_finding_and_the_others_run(monkeypatch):
    some = [("backend", "runs"), *(("construct", name) for name in ("checks_that_hold", "copied_array", "deep_nests"))]
    monkeypatch.setattr("usl_conformance.backends.subjects", lambda: some)
    outcomes = list(check_backend(Wrong(killed)))
    assert [outcome.status for outcome in outcomes] == ["passed", "passed", "failed", "passed"]
    (finding,) = outcomes[2].findings
    assert finding.code == STOPPED
    assert finding.problem == "it ended with SIGSEGV"
    assert finding.input[0].startswith("n = ")


class Refusing(Interpreted):
    """Refuses what has loops, as said."""

    def __init__(self, error: Callable[[For], Exception]) -> None:
        super().__init__()
        self.error = error

    def jit(self, procedure: Proc, **options: Any) -> Callable[..., None]:
        for node in walk_block(procedure.body):
            if isinstance(node, For):
                raise self.error(node)
        return super().jit(procedure)


def test_what_a_backend_refuses_at_its_place_is_skipped_with_the_reason():
    backend = Refusing(lambda node: BackendError("tried has no loops", span=node.span))
    outcome = try_subject(backend, ("construct", "deep_nests"))
    assert (outcome.status, outcome.reason) == ("skipped", "refused: tried has no loops")
    assert "skipped: 1 construct: refused: tried has no loops\n  tried.deep_nests" in Report("tried", [outcome]).text()


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (BackendError("no loops"), "it is refused without a place in its text: no loops"),
        (KeyError("For"), "making code of it fails: KeyError: 'For'"),
    ],
)
def test_a_refusal_without_a_place_and_a_python_error_are_findings(error, problem):
    def raising(_):
        return error

    (finding,) = try_subject(Refusing(raising), ("construct", "deep_nests")).findings
    assert (finding.code, finding.problem) == (NO_CODE, problem)


def test_a_backend_that_takes_nothing_fails(monkeypatch):
    some = [("backend", "runs"), ("construct", "copied_array"), ("construct", "deep_nests")]
    monkeypatch.setattr("usl_conformance.backends.subjects", lambda: some)
    outcomes = list(check_backend(Refusing(lambda node: BackendError("no loops", span=node.span))))
    assert [outcome.status for outcome in outcomes] == ["passed", "skipped", "skipped", "failed"]
    assert outcomes[-1].findings[0].problem == "it refuses every program, so nothing of it was tested"


def test_a_backend_that_runs_nothing_here_is_skipped_and_says_why():
    class Elsewhere(Backend):
        name = "elsewhere"

        def emit(self, procs: Any, name: str, *, entry_checks: bool = True) -> dict[str, str]:
            return {}

    (outcome,) = check_backend(Elsewhere())
    assert outcome.status == "skipped"
    assert "backend 'elsewhere' runs nothing here" in outcome.reason


@pytest.mark.parametrize("name", ["f32", "u8"])
def test_random_programs_are_of_the_language_and_the_same_each_time(name):
    texts = programs(SCALARS[name], 12)
    assert texts == programs(SCALARS[name], 12)
    for text in texts:
        made = proc_from_source(text).ir
        assert all(scalar_of(arg.type).name == name for arg in made.args if arg.mem is not None)


def test_every_construct_and_every_type_is_a_subject():
    kinds = [kind for kind, _ in subjects()]
    assert kinds.count("construct") == 52
    assert ("programs", "bf16") in subjects() and ("programs", "R") not in subjects()
