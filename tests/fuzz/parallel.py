"""Fuzzing in several processes. Programs are handed out in order and counted in order, so their number changes nothing."""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import signal
import traceback
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace

from tests.fuzz import compiled
from tests.fuzz.compiled import BLOCK, How, Subject, Verdict, way
from tests.fuzz.harness import fuzz_program, is_corner
from tests.fuzz.shrink import shrink
from tests.fuzz.tally import CALLS_OF_C, IN_C, NO_C, Tally
from usl_core.procedure import Procedure


@dataclass(frozen=True)
class Outcome:
    """What came of one program; failure is a report, empty if all is well."""

    program_seed: int
    tally: Tally
    failure: str


def judge(program_seed: int, names: list[str]) -> Outcome:
    """One program, with a failure shrunk and made into text, as it has to travel between processes."""
    return judge_all(range(program_seed, program_seed + 1), names)[0]


def judge_all(seeds: range, names: list[str]) -> list[Outcome]:
    """Programs in order, up to the first that fails. The C of all is compiled together, if they are of one block."""
    found: list[Outcome] = []
    subjects: dict[How, dict[int, Subject]] = {}
    for position, seed in enumerate(seeds):
        outcome, left = _steps(seed, names)
        found.append(outcome)
        how = way(seed, certain=is_corner(seed))
        if left is not None and how is not None:
            subjects.setdefault(how, {})[position] = Subject(seed, left.ir)
        if outcome.failure:
            break
    for how, group in subjects.items():
        for position, verdict in zip(group, compiled.judge_all(list(group.values()), how), strict=True):
            found[position] = _with_verdict(found[position], verdict)
    first = next((k for k, outcome in enumerate(found) if outcome.failure), len(found) - 1)
    return found[: first + 1]


def _steps(program_seed: int, names: list[str]) -> tuple[Outcome, Procedure | None]:
    """The steps of one program, and what they have left of it."""
    tally, left = Tally(), None
    try:
        left = fuzz_program(program_seed, names, tally)
        failure = shrink(tally.failures[0]).report() if tally.failures else ""
    except Exception:  # outside of an operator: in the generator, the interpreter or the fuzzer
        failure = f"FAILURE at program seed {program_seed}\n{traceback.format_exc()}"
    return Outcome(program_seed, replace(tally, failures=[]), failure), left


def _with_verdict(outcome: Outcome, verdict: Verdict) -> Outcome:
    outcome.tally.checks.update({CALLS_OF_C: verdict.runs, IN_C: verdict.runs > 0, NO_C: bool(verdict.refused)})
    return replace(outcome, failure=outcome.failure or verdict.failure)


def outcomes(first: int, names: list[str], jobs: int, batch: int = BLOCK) -> Generator[Outcome, None, None]:
    """The outcomes of the programs first, first + 1, and so on. Close the generator to stop the processes."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, initializer=_prepare)
    waiting: deque[Future[list[Outcome]]] = deque()
    try:
        for start in _starts(first, batch):
            waiting.append(pool.submit(judge_all, range(*start), names))
            if len(waiting) > jobs:
                yield from waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _starts(first: int, batch: int) -> Iterator[tuple[int, int]]:
    """Ranges of programs that do not reach across multiples of batch, so that one way of compiling serves each."""
    for start in itertools.count(first - first % batch, batch):
        yield max(first, start), start + batch


def _prepare() -> None:
    """Interrupts are left to the parent. What is loaded once stays, so the collector need not look at it again and again."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(100_000, 10, 50)
