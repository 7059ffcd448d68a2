"""The check of a backend: programs that it runs and that the interpreter runs, compared bit for bit.

A program that the backend refuses, at a place in its text, is no failure: the report says so. Each program is compiled and run
in a child process, as code that is wrong can do anything.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from usl_conformance.cases import Case, cases
from usl_conformance.configs import Setup
from usl_conformance.diagnose import show
from usl_conformance.driver import Driver
from usl_conformance.execute import Run, execute
from usl_conformance.findings import NO_CODE, OUTSIDE, STOPPED, VALUE, Finding, Outcome, Status
from usl_conformance.isolate import Progress, Stopped, run_isolated
from usl_conformance.random_programs import programs
from usl_core import proc_from_source
from usl_core.errors import Span, UslError
from usl_core.ir.nodes import Arg, Proc
from usl_core.ir.types import BOOL, SCALARS, SIZE, ControlType, Kind
from usl_core.plugins.hookspecs import Backend

BACKEND, CONSTRUCT, PROGRAMS = "backend", "construct", "programs"
"""The kinds of subjects: whether it runs at all, one construct of the language, random programs in one type of data."""

RANDOM_PROGRAMS = 4
"""For each type of data."""
ASSIGNMENTS = 4
"""How often the control arguments of a program get values."""
SIZES, INDICES = (1, 2, 3, 4, 5, 7), (-9, -4, -1, 0, 1, 2, 5)

Subject = tuple[str, str]
"""A kind and a name."""
Call = tuple[int, int, int]
"""A call that is to be refused: a size, and the extent and the stride of an array."""


def subjects() -> list[Subject]:
    """What is tried of every backend, in order."""
    constructs = [(CONSTRUCT, name) for name in _constructs()]
    return [
        (BACKEND, "runs"),
        *constructs,
        *((PROGRAMS, name) for name, scalar in SCALARS.items() if scalar.kind is not Kind.REAL),
    ]


def check_backend(backend: Backend) -> Iterator[Outcome]:
    """The outcome for each subject; only why, if the backend runs nothing on this machine."""
    first, *others = subjects()
    runs = try_subject(backend, first)
    yield runs
    if runs.status != "passed":
        return
    outcomes = _all_outcomes(backend, others)
    yield from outcomes
    if not any(outcome.runs for outcome in outcomes):
        finding = Finding(NO_CODE, "it refuses every program, so nothing of it was tested")
        yield Outcome(BACKEND, f"{backend.name}.takes", "failed", findings=(finding,))


def try_subject(backend: Backend, subject: Subject) -> Outcome:
    """Runs the programs of a subject in a child process."""
    (outcome,) = _all_outcomes(backend, [subject])
    return outcome


def _all_outcomes(backend: Backend, todo: Sequence[Subject]) -> list[Outcome]:
    """One child runs all, as starting a backend takes time. Where one stops it, others run what comes before and after."""
    if not todo:
        return []
    result = run_isolated(
        lambda progress: [_outcome(backend, each, partial(_tell, progress, at)) for at, each in enumerate(todo)]
    )
    if not isinstance(result, Stopped):
        found: list[Outcome] = result
        return found
    at, lines = result.at
    kind, label = todo[at]
    said = f"; {result.said}" if result.said else ""
    finding = Finding(STOPPED, f"it ended with {result.signal}{said}", lines)
    stopped = Outcome(kind, f"{backend.name}.{label}", "failed", 1, (finding,))
    return [*_all_outcomes(backend, todo[:at]), stopped, *_all_outcomes(backend, todo[at + 1 :])]


def _tell(progress: Progress, at: int, lines: tuple[str, ...]) -> None:
    progress((at, lines))


@cache
def _constructs() -> Mapping[str, tuple[Proc, tuple[Call, ...]]]:
    """By name, with calls that are to be refused."""
    from usl_conformance import kernels

    found: dict[str, tuple[Proc, tuple[Call, ...]]] = {each.name(): (each.ir, ()) for each in kernels.CONSTRUCTS}
    for each, *call in kernels.CALLS_TO_REFUSE:
        size, extent, stride = call
        others = found.get(each.name(), (each.ir, ()))[1]
        found[each.name()] = (each.ir, (*others, (size, extent, stride)))
    return found


# ---- in the child process

Tell = Callable[[tuple[str, ...]], None]
"""Tells the parent what is about to run."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a program: why it was refused, how often it ran, what was wrong."""

    refused: str = ""
    runs: int = 0
    finding: Finding | None = None


def _outcome(backend: Backend, subject: Subject, tell: Tell) -> Outcome:
    kind, label = subject
    name = f"{backend.name}.{label}"
    tell(())
    match kind:
        case "backend":
            tried = _tried(backend, proc_from_source("def empty(n: size):\n    pass\n").ir, (), tell)
            reason = tried.refused or (tried.finding.problem if tried.finding else "")
            return Outcome(kind, name, "skipped" if reason else "passed", tried.runs, reason=reason)
        case "construct":
            proc, calls = _constructs()[label]
            return _concluded(kind, name, [_tried(backend, proc, calls, tell)], proc.span)
        case _:
            texts = programs(SCALARS[label], RANDOM_PROGRAMS)
            return _concluded(kind, name, [_tried_text(backend, text, tell) for text in texts], None)


def _concluded(kind: str, name: str, tried: Sequence[Tried], span: Span | None) -> Outcome:
    runs = sum(each.runs for each in tried)
    findings = tuple(each.finding for each in tried if each.finding)[:1]
    refused = "" if runs else next((each.refused for each in tried if each.refused), "")
    status: Status = "failed" if findings else "skipped" if refused else "passed"
    return Outcome(kind, name, status, runs, findings, f"refused: {refused}" if refused else "", span)


def _tried_text(backend: Backend, text: str, tell: Tell) -> Tried:
    """A program that stands in no file: what is told of it begins with it."""
    program = proc_from_source(text)
    lines = tuple(str(program).rstrip().splitlines())
    tried = _tried(backend, program.ir, (), lambda more: tell((*lines, *more)))
    return replace(tried, finding=replace(tried.finding, input=(*lines, *tried.finding.input))) if tried.finding else tried


def _tried(backend: Backend, proc: Proc, calls: Sequence[Call], tell: Tell) -> Tried:
    """Compiles proc and runs it on one input after another, until one is wrong."""
    tell(())
    try:
        function = backend.jit(proc)
    except UslError as error:
        if error.span is None or error.span.line == 0:
            return Tried(finding=Finding(NO_CODE, f"it is refused without a place in its text: {error.message}"))
        return Tried(refused=error.message)
    except Exception as error:
        return Tried(finding=Finding(NO_CODE, f"making code of it fails: {type(error).__name__}: {error}"))
    for call in calls:
        if finding := _not_refused(function, call):
            return Tried(runs=1, finding=finding)
    todo = [] if calls else _inputs(proc)
    for number, case in enumerate(todo):
        tell(case.lines(proc))
        if finding := _compared(function, proc, case, number):
            return Tried(runs=number + 1, finding=finding)
    return Tried(runs=len(todo) + len(calls))


def _inputs(proc: Proc) -> list[Case]:
    """For each kind of data one input with all values of the control arguments, for each other circumstance one; the plainest
    first."""
    source = random.Random(proc.name)
    names = [arg for arg in proc.args if isinstance(arg.type, ControlType)]
    values = [{arg.name: source.choice(_values(arg)) for arg in names} for _ in range(ASSIGNMENTS if names else 1)]
    chosen: dict[object, Case] = {}
    for case in cases(proc, values):
        plain = case == Case(case.controls, case.layout, case.fill)
        key = case.fill, case.place, case.offset, case.wide, id(case.controls) if plain else None
        chosen.setdefault(key, case)
    return list(chosen.values())


def _values(arg: Arg) -> Sequence[int | bool]:
    return (False, True) if arg.type is BOOL else SIZES if arg.type is SIZE else INDICES


def _compared(function: Callable[..., Any], proc: Proc, case: Case, seed: int) -> Finding | None:
    slots = {arg.name: 0 for arg in proc.args if not isinstance(arg.type, ControlType)}
    try:
        result = execute(proc, Driver(proc, None, slots, Setup()), function, case, seed)
    except UslError as error:
        return Finding(NO_CODE, f"a call that the program admits is refused: {error.message}", case.lines(proc))
    return None if result.passed else _finding(proc, result)


def _finding(proc: Proc, result: Run) -> Finding:
    lines, mismatch = result.case.lines(proc), result.mismatch
    if result.outside is not None:
        operand, places = result.outside
        problem = f"it writes {len(places)} bytes outside of {operand.name}, the first {places[0]} bytes from its start"
        return Finding(OUTSIDE, problem, lines, "no change outside of the arguments", "changed bytes")
    assert mismatch is not None
    place = f"{mismatch.operand.name}{list(mismatch.index) if mismatch.index else ''}"
    count = f" ({result.differing} elements differ)" if result.differing > 1 else ""
    kept = "" if mismatch.written else ", as before"
    problem = f"{place} is not what the interpreter gives{count}"
    return Finding(VALUE, problem, lines, f"{show(mismatch.expected)}{kept}", show(mismatch.got))


def _not_refused(function: Callable[..., Any], call: Call) -> Finding | None:
    """A finding if a call ends as if nothing were wrong with it."""
    size, extent, stride = call
    array = np.zeros(extent * stride, np.float32)[::stride]
    try:
        function(size, array)
    except UslError:
        return None
    lines = (f"n = {size}", f"x: f32[{extent}], strides [{stride}]")
    return Finding(VALUE, "a call that the program forbids runs without an error", lines, "an error", "none")
