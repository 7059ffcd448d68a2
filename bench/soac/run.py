"""Array programs and their peers in turns, on one core: medians, ratios with lower ends, compile times, results compared."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import Ratio, Timings, take_turns, timed
from bench.soac.cases import CASES, Case

OURS = "USL"
ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / ".venv-soac" / "bin" / "python"
NOT_WRITTEN = "not written"
SLOW, FEW, MOST = 1.0, 5, 15.0
"""Where somebody takes so many seconds there are few rounds: five, of which the least bounds a ratio with 97 %; who takes more
than the last number is compared, but not timed in turns."""


class Peers:
    """The process in which the other systems run."""

    def __init__(self, python: Path = PEERS) -> None:
        script = str(Path(__file__).with_name("peers.py"))
        self._process = subprocess.Popen([str(python), script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        found = self.ask(peers=True)
        self.versions: Mapping[str, str] = found["versions"]
        self.programs: Mapping[str, Sequence[str]] = found["programs"]

    def ask(self, **asked: Any) -> dict[str, Any]:
        """One question.

        Raises:
            RuntimeError: the process says that it failed, or has ended.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        found: dict[str, Any] = json.loads(line) if line else {"error": "the process of the peers has ended"}
        if "error" in found:
            raise RuntimeError(found["error"])
        return found

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@dataclass(slots=True)
class Result:
    """Of one program: seconds of each contestant, of its first run (with compiling), who is missing, what is wrong."""

    case: Case
    timings: Timings
    first: dict[str, float] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    lines: int = 0
    compiling: float = 0
    in_loops: int = 0
    existential: bool = False

    def milliseconds(self, name: str) -> float:
        return 1e3 * self.timings.median(name)

    def speedup(self, over: str) -> Ratio | None:
        return self.timings.speedup(OURS, over) if over in self.timings.seconds else None

    def best_peer(self) -> str | None:
        peers = [name for name in self.timings.seconds if name != OURS]
        return min(peers, key=self.timings.median, default=None)


def lines_of(case: Case) -> int:
    """Lines of a program's text: no blank ones, no comments, nothing before its first function."""
    assert case.source().__file__ is not None
    text = Path(case.source().__file__).read_text(encoding="utf-8")
    _, _, body = text.partition("\n@soac\n")
    body = body.partition("\n# -- schedules")[0]
    return 1 + sum(1 for line in body.splitlines() if line.strip() and not line.strip().startswith("#"))


def measure(case: Case, peers: Peers | None, rounds: int) -> Result:
    """One program on its data by everybody who can."""
    data = [*case.data(np.random.default_rng(20))]
    program = case.program()
    begin = time.perf_counter()
    program.compiled()
    compiling = time.perf_counter() - begin
    tuned = getattr(case.source(), "tuned", None)
    fast = tuned(program) if tuned is not None else program
    begin = time.perf_counter()
    found = _several(fast(*data))
    first = {OURS: compiling + time.perf_counter() - begin}
    contestants = {OURS: timed(lambda: fast(*data))}
    wrong: list[str] = []
    missing: dict[str, str] = {}
    slowest = 0.0
    if peers is None:
        missing = {"NumPy, Numba, JAX": "not installed: make bench WHAT=soac"}
    else:
        with tempfile.TemporaryDirectory() as folder:
            given, result = Path(folder, "given.npz"), Path(folder, "result.npz")
            np.savez(given, *data)
            for peer, names in peers.programs.items():
                if case.known_as not in names:
                    missing[peer] = NOT_WRITTEN
                    continue
                try:
                    said = peers.ask(peer=peer, program=case.known_as, data=str(given), result=str(result))
                except RuntimeError as error:
                    missing[peer] = str(error)
                    continue
                first[peer] = said["first"]
                with np.load(result) as theirs:
                    wrong += _differences(case, peer, found, [theirs[f"arr_{i}"] for i in range(len(theirs.files))])
                if said["seconds"] > MOST:
                    missing[peer] = f"takes {said['seconds']:.0f} s"
                    continue
                contestants[peer] = _remote(peers, peer, case.known_as)
                slowest = max(slowest, said["seconds"])
    timings = take_turns(contestants, rounds if slowest < SLOW else max(1, min(rounds, FEW)))
    return Result(
        case, timings, first, missing, wrong,
        lines=lines_of(case),
        compiling=compiling,
        in_loops=sum(1 for each in fast.allocations() if each.depth),
        existential="∃" in fast.type(),
    )  # fmt: skip


def _remote(peers: Peers, peer: str, name: str) -> Any:
    return lambda: peers.ask(peer=peer, program=name)["seconds"]


def _several(found: Any) -> list[Any]:
    return [np.asarray(each) for each in (found if isinstance(found, tuple) else (found,))]


def _differences(case: Case, peer: str, ours: Sequence[Any], theirs: Sequence[Any]) -> list[str]:
    if case.name == "filtered" and peer == "JAX":
        return [] if len(ours[0]) == int(theirs[1]) else [f"{case.name}: {peer} keeps another number"]
    wrong = []
    for a, b in zip(ours, theirs, strict=True):
        if a.shape != b.shape:
            wrong.append(f"{case.name}: {peer} has {b.shape}, not {a.shape}")
            continue
        exact = a.dtype.kind in "iu"
        if case.name == "mandelbrot":  # points at the border escape some rounds earlier or later, as sums are rounded
            far = float(np.mean(a != b))
            if far > 0.01:
                wrong.append(f"{case.name}: {peer} differs at {100 * far:.1f} % of the points")
            continue
        scale = float(np.abs(b.astype(np.float64)).max(initial=1e-30))
        far = float(np.abs(a.astype(np.float64) - b.astype(np.float64)).max(initial=0))
        if not far <= (0 if exact else case.tolerance * scale):  # nor is it NaN
            wrong.append(f"{case.name}: {peer} differs by {far:g}, where the largest is {scale:g}")
    return wrong


def pinned() -> None:
    """This process, and those that it starts, on one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def everything(
    rounds: int, names: Sequence[str] = (), python: Path = PEERS, on_case: Callable[[Result], None] = lambda result: None
) -> tuple[list[Result], Mapping[str, str]]:
    """All programs, or those of these names; the versions of the peers."""
    pinned()
    peers = Peers(python) if python.exists() else None
    results = []
    for case in CASES:
        if not names or case.name in names:
            results.append(measure(case, peers, rounds))
            on_case(results[-1])
    versions = dict(peers.versions) if peers is not None else {}
    if peers is not None:
        peers.close()
    return results, versions
