"""Runs one schedule and records the CPU time of each operator call in it.

`python -m bench.scheduling.record SHAPE` does so in this process: cold, warm, and once more. It prints JSON.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.scheduling.shapes import SHAPES
from usl_core.analysis.solver import STATISTICS
from usl_core.profiling import listening


@dataclass(slots=True)
class Call:
    """One operator call: CPU seconds, the operators around it, whether it was refused, how often it asked z3."""

    operator: str
    seconds: float
    depth: int
    failed: bool
    z3: int


@dataclass
class Calls:
    """Listens to operators."""

    kinds = frozenset({"operator"})
    calls: list[Call] = field(default_factory=list)
    _open: list[tuple[str, int, int]] = field(default_factory=list)

    def begin(self, kind: str, name: str) -> None:
        self._open.append((name, STATISTICS.settled.get("z3", 0), time.process_time_ns()))

    def end(self, error: BaseException | None) -> None:
        now = time.process_time_ns()
        name, asked, began = self._open.pop()
        z3 = STATISTICS.settled.get("z3", 0) - asked
        self.calls.append(Call(name, (now - began) / 1e9, len(self._open), error is not None, z3))


@dataclass(slots=True)
class Run:
    """One run of a schedule: CPU seconds of all of it, patterns and Python included, and its operator calls.

    collector_seconds is what Python's cyclic garbage collector took of it, in whichever call it happened to run.
    """

    seconds: float
    collector_seconds: float
    calls: list[Call]
    settled: dict[str, int]


class Collector:
    """How long Python's cyclic garbage collector ran, in CPU seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._began = 0.0

    def __call__(self, phase: str, info: object) -> None:
        now = time.process_time()
        if phase == "start":
            self._began = now
        else:
            self.seconds += now - self._began


def run(schedule: Callable[[], Any]) -> tuple[Run, Any]:
    """Run a schedule once; also what it gives."""
    calls, collector, before = Calls(), Collector(), dict(STATISTICS.settled)
    gc.callbacks.append(collector)
    began = time.process_time()
    try:
        with listening(calls):
            result = schedule()
        seconds = time.process_time() - began
    finally:
        gc.callbacks.remove(collector)
    settled = {stage: n - before.get(stage, 0) for stage, n in STATISTICS.settled.items() if n != before.get(stage, 0)}
    return Run(seconds, collector.seconds, calls.calls, settled), result


def record(name: str, *, check: bool = True) -> dict[str, Any]:
    """A shape's schedule in this process: cold, warm, and again; importing z3 and parsing what is scheduled are not counted.

    Warm are procedures that are parsed anew: what solvers remember is there, what is remembered of those procedures is not.
    Again are the same procedures: operators may remember whole calls.
    """
    import z3  # noqa: F401

    began = time.process_time()
    schedule, verify = SHAPES[name].load()
    parsing = time.process_time() - began
    cold, result = run(schedule)
    if check:
        verify(result)
    schedule, _ = SHAPES[name].load_anew()
    warm, _ = run(schedule)
    again, _ = run(schedule)
    runs = {"cold": cold, "warm": warm, "again": again}
    return {"shape": name, "definitions_seconds": parsing} | {when: asdict(each) for when, each in runs.items()}


def profile(name: str, *, warm: bool, order: str, lines: int = 50) -> None:
    """Print Python's profile of one run of a schedule."""
    import cProfile
    import pstats

    import z3  # noqa: F401

    schedule, _ = SHAPES[name].load()
    if warm:
        schedule()
        schedule, _ = SHAPES[name].load_anew()
    profiler = cProfile.Profile()
    profiler.runcall(schedule)
    pstats.Stats(profiler).sort_stats(order).print_stats(lines)


def spans(name: str, *, warm: bool, flame_graph: Path | None) -> None:
    """Print the time of one run by operator, obligation and solver stage."""
    import z3  # noqa: F401

    from usl_core.cli import profile as spans

    schedule, _ = SHAPES[name].load()
    if warm:
        schedule()
        schedule, _ = SHAPES[name].load_anew()
    found = spans.profiled_call(schedule)
    print(spans.tables(found, width=110))
    if flame_graph is not None:
        from usl_core.cli.flamegraph import write

        write(found.root, flame_graph, title=name)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.scheduling.record")
    parser.add_argument("shape")
    parser.add_argument("--no-check", action="store_true", help="do not run what the schedule gives")
    parser.add_argument("--profile", choices=("cold", "warm"), help="print where Python's profiler sees the time instead")
    parser.add_argument("--spans", choices=("cold", "warm"), help="print the tables of `usl profile` instead")
    parser.add_argument("--flame-graph", type=Path, metavar="HTML", help="with --spans, also write a flame graph")
    parser.add_argument("--sort", default="tottime", help="the profile's order: tottime, cumtime, ncalls")
    chosen = parser.parse_args(arguments)
    if chosen.profile:
        profile(chosen.shape, warm=chosen.profile == "warm", order=chosen.sort)
        return 0
    if chosen.spans:
        spans(chosen.shape, warm=chosen.spans == "warm", flame_graph=chosen.flame_graph)
        return 0
    json.dump(record(chosen.shape, check=not chosen.no_check), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
