"""Fuzzing in several processes. Programs are handed out in order and counted in order, so their number changes nothing."""

from __future__ import annotations

import itertools
import multiprocessing
import signal
import traceback
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace

from tests.fuzz.harness import fuzz_program
from tests.fuzz.shrink import shrink
from tests.fuzz.tally import Tally

BATCH = 2
"""Programs to a task."""


@dataclass(frozen=True)
class Outcome:
    """What came of one program; failure is a report, empty if all is well."""

    program_seed: int
    tally: Tally
    failure: str


def judge(program_seed: int, names: list[str]) -> Outcome:
    """One program, with a failure shrunk and made into text, as it has to travel between processes."""
    tally = Tally()
    try:
        fuzz_program(program_seed, names, tally)
        failure = shrink(tally.failures[0]).report() if tally.failures else ""
    except Exception:  # outside of an operator: in the generator, the interpreter or the fuzzer
        failure = f"FAILURE at program seed {program_seed}\n{traceback.format_exc()}"
    return Outcome(program_seed, replace(tally, failures=[]), failure)


def _judge_all(seeds: range, names: list[str]) -> list[Outcome]:
    outcomes = []
    for seed in seeds:
        outcomes.append(judge(seed, names))
        if outcomes[-1].failure:
            break
    return outcomes


def outcomes(first: int, names: list[str], jobs: int) -> Generator[Outcome, None, None]:
    """The outcomes of the programs first, first + 1, and so on. Close the generator to stop the processes."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, initializer=_leave_interrupts_to_the_parent)
    waiting: deque[Future[list[Outcome]]] = deque()
    try:
        for start in itertools.count(first, BATCH):
            waiting.append(pool.submit(_judge_all, range(start, start + BATCH), names))
            if len(waiting) >= 4 * jobs:
                yield from waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
