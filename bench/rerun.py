"""What a script takes that runs again, unchanged or after a change: the whole schedule of SGEMM, its C and a callable.

Each run is a process of its own, with compiled Python in `__pycache__` and the C in the build cache unless it is new. Figures
are CPU seconds, the least of several runs: of Python from its start to the callable, and of the C compiler.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

GOAL = 0.35
"""Seconds of CPU time for an unchanged script."""

SCRIPT = """
import dataclasses, json, os, time
from usl_avx512 import isa
from usl_avx512.gemm import SINGLE, Blocking, gemm_schedule
from usl_avx512.kernels_algorithms import sgemm
from usl_core.primitives import base
from usl_core.scheduling import rename

worked_out, derive = [], base.derive
base.derive = lambda *args: (worked_out.append(args[3]), derive(*args))[1]
lanes = dataclasses.replace(SINGLE, prefetch_row_later=isa.mm_prefetch_row_t0_f32) if CHANGE == "middle" else SINGLE
scheduled = gemm_schedule(sgemm, lanes)
if CHANGE == "last":
    scheduled = rename(scheduled, "sgemm_again")
kernel = scheduled.jit()
times = os.times()
print(json.dumps([time.process_time(), times.children_user + times.children_system, len(worked_out), kernel.source]))
"""
UNCHANGED, LAST, MIDDLE = "", "last", "middle"


@dataclass(frozen=True, slots=True)
class Figure:
    """CPU seconds of Python and of the C compiler, and the operator calls worked out; goal is 0 where there is none."""

    what: str
    seconds: float
    compiler: float
    worked_out: int
    goal: float = 0.0


def measure(rounds: int) -> tuple[list[Figure], list[str]]:
    """The figures, and what is wrong with the runs: the C must not depend on what is kept."""
    with tempfile.TemporaryDirectory() as folder:
        python, off, on = (Path(folder, name) for name in ("python", "off", "on"))
        _run(python, off, UNCHANGED, "off")  # Python is compiled, and the C
        without, text = _least("no operator calls kept", rounds, python, off, UNCHANGED, "off")
        first, *texts = _run(python, on, UNCHANGED, "on")
        again, same = _least("unchanged", rounds, python, on, UNCHANGED, "on")
        problems = ["the C depends on whether calls are kept"] if {same, *texts} != {text} else []
        found = [without, _figure("first run, empty caches", [first]), replace(again, goal=GOAL)]
        for what, change in (("another name at the last step", LAST), ("another instruction in a kernel", MIDDLE)):
            changed, text = _changed(what, rounds, python, on, change)
            problems += [f"the C differs: {what}"] if _run(python, off, change, "off")[1] != text else []
            found.append(changed)
    return found, problems


def _run(python: Path, caches: Path, change: str, store: str) -> tuple[tuple[float, float, int], str]:
    """Python's seconds, the compiler's, the calls that were worked out, and the C."""
    environment = os.environ | {"USL_CACHE_DIR": str(caches), "USL_STORE": store, "PYTHONPYCACHEPREFIX": str(python)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    script = f"CHANGE = {change!r}\n{SCRIPT}"
    answer = subprocess.run([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    seconds, compiler, worked_out, text = json.loads(answer.stdout)
    return (seconds, compiler, worked_out), text


def _figure(what: str, runs: list[tuple[float, float, int]]) -> Figure:
    seconds, compilers, worked_out = zip(*runs, strict=True)
    return Figure(what, min(seconds), min(compilers), max(worked_out))


def _least(what: str, rounds: int, python: Path, caches: Path, change: str, store: str) -> tuple[Figure, str]:
    """The same run several times, with caches that it may fill."""
    runs = [_run(python, caches, change, store) for _ in range(rounds)]
    return _figure(what, [run for run, _ in runs]), runs[0][1]


def _changed(what: str, rounds: int, python: Path, caches: Path, change: str) -> tuple[Figure, str]:
    """After a change: the caches are those of the unchanged script each time."""
    runs = []
    for number in range(rounds):
        copy = caches.with_name(f"changed{number}")
        shutil.copytree(caches, copy)
        runs.append(_run(python, copy, change, "on"))
        shutil.rmtree(copy)
    return _figure(what, [run for run, _ in runs]), runs[0][1]


def judge(figures: list[Figure]) -> list[str]:
    """The goals that were missed."""
    return [f"{each.what}: {each.seconds:.2f} s, the goal is {each.goal} s" for each in figures if 0 < each.goal < each.seconds]


def markdown(figures: list[Figure]) -> str:
    """The table of docs/performance.md."""
    rows = (
        f"| {each.what} | {each.worked_out} | {each.seconds:.2f} | {each.goal or ''} | {each.compiler:.2f} |"
        for each in figures
    )
    head = ["| run | calls worked out | Python, s | goal | C compiler, s |", "| --- | ---: | ---: | ---: | ---: |"]
    return "\n".join([*head, *rows, ""])


def summary(figures: list[Figure]) -> Mapping[str, object]:
    """The figures as data."""
    return {each.what: {"python": each.seconds, "compiler": each.compiler, "worked_out": each.worked_out} for each in figures}
