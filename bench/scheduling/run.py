"""All measurements of scheduling, each schedule in processes of its own."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from bench.scheduling.shapes import SHAPES
from bench.scheduling.summary import of_run

PROCESSES = 3
"""How often each schedule runs cold; the process with the median time is the one reported."""

WHEN = ("cold", "warm", "again")
"""See `record`."""

Tell = Callable[[str], None]


def child(module: str, *arguments: str) -> dict[str, Any]:
    """What a measuring module prints, run in a new Python."""
    command = [sys.executable, "-m", f"bench.scheduling.{module}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[1:])} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def shapes(names: Sequence[str] = (), processes: int = PROCESSES, tell: Tell = lambda line: None) -> dict[str, Any]:
    """The schedules named, or all, cold and warm. A schedule whose result is wrong raises."""
    found = {}
    for name in names or SHAPES:
        records = [child("record", name, *([] if first else ["--no-check"])) for first in reversed(range(processes))]
        found[name] = {
            "title": SHAPES[name].title,
            "peer": SHAPES[name].peer,
            "definitions_seconds": statistics.median(record["definitions_seconds"] for record in records),
        } | {when: of_run(median_run([record[when] for record in records])) for when in WHEN}
        tell(line(name, found[name]))
    return found


def median_run(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The run whose total time is the median."""
    return sorted(runs, key=lambda run: run["seconds"])[len(runs) // 2]


def line(name: str, shape: dict[str, Any]) -> str:
    """One line for a terminal."""
    parts = [f"{name:12} {shape['cold']['calls']['count']:5} calls"]
    for when in WHEN:
        run, most = shape[when], shape[when]["without_replace"]
        parts.append(f"{when} {run['seconds']:6.2f} s, median {most['median']:6.2f} ms, mean {most['mean']:6.2f} ms")
    return "   ".join([*parts, f"z3 in {shape['cold']['asking_z3']}"])


def limits(names: Sequence[str] = (), tell: Tell = lambda line: None) -> dict[str, Any]:
    """Long histories and long procedures."""
    from bench.scheduling.limits import LIMITS

    found = {}
    for name in names or LIMITS:
        found[name] = child("limits", name)
        tell(f"{name}: {found[name]}")
    return found


def growth(operators: Sequence[str] = (), repeats: int = 5) -> dict[str, Any]:
    """The curves of the operators."""
    return child("growth", "--repeats", str(repeats), *operators)
