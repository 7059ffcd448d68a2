"""The random soundness test: random steps on random programs, on all cores, with a table of what was accepted and refused.

Counts go into one file. The same seed goes on where it stopped, and the table adds up all seeds that ran on this version of the
code.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from pathlib import Path

from tests.fuzz.compiled import BLOCK
from tests.fuzz.harness import PROGRAMS, available
from tests.fuzz.parallel import Outcome, judge, outcomes
from tests.fuzz.record import DEFAULT, Run, code_version, comparable, load, resume, save, total
from tests.fuzz.registry import ACTIONS

SAVE_EVERY = 10.0
"""Seconds."""


def options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument(
        "--steps", type=int, default=2000, help="operators to try with this seed, earlier runs included (default 2000)"
    )
    parser.add_argument("--seed", type=int, default=0, help="decides programs, steps and data (default 0)")
    parser.add_argument("--only", nargs="+", metavar="OPERATOR", default=[], help="try these operators only")
    parser.add_argument(
        "--jobs", type=int, default=0, help="processes (default: one for each core); the counts do not depend on it"
    )
    parser.add_argument("--file", type=Path, default=DEFAULT, help="where the counts are kept (default .cache/fuzz.json)")
    parser.add_argument("--any-code", action="store_true", help="go on from, and add up, what other versions of the code did")
    parser.add_argument("--fresh", action="store_true", help="try the programs of this seed again, from the first")
    parser.add_argument("--program", type=int, metavar="SEED", help="one program, as a failure names it, and nothing else")
    parsed = parser.parse_args(argv)
    unknown = set(parsed.only) - set(ACTIONS)
    if unknown:
        parser.error(f"no such operator: {', '.join(sorted(unknown))}")
    return parsed


def main(argv: list[str] | None = None) -> int:
    chosen = options(argv)
    only = tuple(sorted(set(chosen.only)))
    if chosen.program is not None:
        return _one_program(chosen.program, only)
    code = code_version()
    run = Run(chosen.seed, code, only) if chosen.fresh else resume(load(chosen.file), chosen.seed, code, only, chosen.any_code)
    started, before = time.monotonic(), run.tally.steps
    if run.following:
        print(f"seed {run.seed}: going on after {before} steps", flush=True)
    elif any(old.seed == run.seed for old in load(chosen.file)):
        print(
            f"seed {run.seed}: from the first program, as the code has changed (--any-code goes on) or --fresh says so",
            flush=True,
        )
    finished = _extend(run, chosen.steps, chosen.jobs or _cores(), chosen.file)
    spent = time.monotonic() - started
    shortfalls = _summary(comparable(load(chosen.file), code, only, chosen.any_code), only)
    if run.failure:
        again = f"python -m tests.fuzz --program {run.seed * PROGRAMS + run.following}" + (
            f" --only {' '.join(only)}" if only else ""
        )
        print(f"\n{run.failure}\nagain: {again}")
    for shortfall in shortfalls:
        print(f"drawn badly: {shortfall}")
    if not finished:
        print(
            f"fuzz interrupted: seed {run.seed}, {run.tally.steps} of {chosen.steps} steps; the same command goes on from here"
        )
        return 130
    verdict = "FAILED" if run.failure or shortfalls else "passed"
    print(f"fuzz {verdict}: seed {run.seed}, {run.tally.steps} steps, {run.tally.steps - before} of them now in {spent:.0f} s")
    return 1 if verdict == "FAILED" else 0


def _one_program(program_seed: int, only: tuple[str, ...]) -> int:
    outcome = judge(program_seed, available(only or None))
    print(outcome.failure or f"nothing fails in {outcome.tally.steps} steps")
    return 1 if outcome.failure else 0


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def _extend(run: Run, steps: int, jobs: int, file: Path) -> bool:
    """Goes on with run until it has so many steps or a failure, and keeps file up to date; False if it was interrupted."""
    names = available(run.only or None)
    first, batch = run.seed * PROGRAMS + run.following, max(1, min(BLOCK, (steps - run.tally.steps) // (4 * jobs)))
    with interruptions() as interrupted, closing(outcomes(first, names, jobs, batch)) as found:
        saved = time.monotonic()
        try:
            while run.tally.steps < steps and not run.failure and not interrupted:
                _count(run, next(found))
                if time.monotonic() - saved > SAVE_EVERY:
                    save(file, run)
                    saved = time.monotonic()
                if sys.stderr.isatty():
                    print(f"\r{run.tally.steps}/{steps} steps", end="", file=sys.stderr, flush=True)
        except BrokenProcessPool:
            if not interrupted:
                run.failure = f"a process died at one of the programs from {run.seed * PROGRAMS + run.following} on"
        finally:
            save(file, run)
            if sys.stderr.isatty():
                print(file=sys.stderr)
        return not interrupted


def _count(run: Run, outcome: Outcome) -> None:
    """A program that fails is not counted, so that the next run starts with it."""
    run.failure = outcome.failure
    if not outcome.failure:
        run.tally.add(outcome.tally)
        run.following += 1


@contextmanager
def interruptions() -> Iterator[list[int]]:
    """Signals that ask us to stop, as they come, so that no program is counted by half. The second one does stop us."""
    seen: list[int] = []

    def note(number: int, _: object) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _summary(runs: list[Run], only: tuple[str, ...]) -> list[str]:
    """Prints the sum of the runs; returns what falls short in it."""
    names, tally = available(only or None), total(runs)
    print(tally.table(names))
    print("seeds: " + ", ".join(f"{run.seed} ({run.tally.steps} steps{', FAILED' if run.failure else ''})" for run in runs))
    missing = [name for name in ACTIONS if name not in available()]
    if missing:
        print(f"not there: {', '.join(missing)}")
    return tally.shortfalls(names)


if __name__ == "__main__":
    sys.exit(main())
