"""Runs one schedule and records the CPU time of each operator call in it.

`python -m bench.scheduling.record SHAPE` does so in this process, twice: cold and warm. It prints JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

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
    """One run of a schedule: CPU seconds of all of it, patterns and Python included, and its operator calls."""

    seconds: float
    calls: list[Call]
    settled: dict[str, int]


def run(schedule: Callable[[], Any]) -> tuple[Run, Any]:
    """Run a schedule once; also what it gives."""
    calls, before = Calls(), dict(STATISTICS.settled)
    began = time.process_time()
    with listening(calls):
        result = schedule()
    seconds = time.process_time() - began
    settled = {stage: n - before.get(stage, 0) for stage, n in STATISTICS.settled.items() if n != before.get(stage, 0)}
    return Run(seconds, calls.calls, settled), result


def record(name: str, *, warm_runs: int = 1, check: bool = True) -> dict[str, Any]:
    """A shape's schedule, cold and then warm in this process; importing z3 and parsing what is scheduled are not counted."""
    import z3  # noqa: F401

    from bench.scheduling.shapes import SHAPES

    began = time.process_time()
    schedule, verify = SHAPES[name].load()
    parsing = time.process_time() - began
    cold, result = run(schedule)
    warm = [run(schedule)[0] for _ in range(warm_runs)]
    if check:
        verify(result)
    return {"shape": name, "definitions_seconds": parsing, "cold": asdict(cold), "warm": [asdict(each) for each in warm]}


def profile(name: str, *, warm: bool, order: str, lines: int = 50) -> None:
    """Print Python's profile of one run of a schedule."""
    import cProfile
    import pstats

    import z3  # noqa: F401

    from bench.scheduling.shapes import SHAPES

    schedule, _ = SHAPES[name].load()
    if warm:
        schedule()
    profiler = cProfile.Profile()
    profiler.runcall(schedule)
    pstats.Stats(profiler).sort_stats(order).print_stats(lines)


def spans(name: str, *, warm: bool, flame_graph: Path | None) -> None:
    """Print the time of one run by operator, obligation and solver stage."""
    import z3  # noqa: F401

    from bench.scheduling.shapes import SHAPES
    from usl_core.cli import profile as spans

    schedule, _ = SHAPES[name].load()
    if warm:
        schedule()
    found = spans.profiled_call(schedule)
    print(spans.tables(found, width=110))
    if flame_graph is not None:
        from usl_core.cli.flamegraph import write

        write(found.root, flame_graph, title=name)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.scheduling.record")
    parser.add_argument("shape")
    parser.add_argument("--warm-runs", type=int, default=1)
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
    json.dump(record(chosen.shape, warm_runs=chosen.warm_runs, check=not chosen.no_check), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
