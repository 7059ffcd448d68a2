"""Kernels against hand-written libraries: one C timing loop, one pinned thread, contestants in turns, ratios with a bound.

A benchmark is a module with a `main` that makes `Case`s, has a `TimingLoop` measure them, and prints `rows` as JSON; it is run
by `run_pinned`. A contestant is the address of a C function `void work(void *state)`, usually a few lines of C that call the
kernel or the library with the arguments in `state` (`TimingLoop(thunks=...)` compiles them beside the loop).
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from bench.blas import clean_environment
from bench.measure import Ratio, Timings
from bench.peers import ENVIRONMENT
from bench.toolchain import ToolError, compiler, run_tool

SOURCE = Path(__file__).with_suffix(".c")
SAMPLE_SECONDS = 2e-3
"""A sample is the mean of as many calls as take about this long; one call if that takes longer."""
OURS = "USL"
TOLERANCE = 0.98
"""A goal counts as reached if the lower 95 % bound of the ratio is this part of it: the noise of a shared machine."""


@dataclass(frozen=True, slots=True)
class Case:
    """One problem: what it is called, its floating-point operations, and the bytes it has to move at least."""

    name: str
    flops: float
    bytes: float


@dataclass(frozen=True, slots=True)
class Row:
    """The seconds of each contestant on one case, one sample per round."""

    case: Case
    timings: Timings

    def ratio(self, peer: str) -> Ratio:
        return self.timings.speedup(OURS, peer)

    @property
    def peers(self) -> list[str]:
        return [name for name in self.timings.seconds if name != OURS]

    @property
    def best_peer(self) -> str:
        return min(self.peers, key=self.timings.median)

    def gflops(self, name: str) -> float:
        return self.case.flops / self.timings.median(name) / 1e9

    def as_json(self) -> dict[str, Any]:
        ratios = {peer: self.ratio(peer) for peer in self.peers}
        return {
            "case": self.case.name,
            "flops": self.case.flops,
            "bytes": self.case.bytes,
            "gflops": {name: self.gflops(name) for name in self.timings.seconds},
            "ratio": {peer: {"median": ratio.median, "lower95": ratio.lower95} for peer, ratio in ratios.items()},
            "seconds": {name: list(values) for name, values in self.timings.seconds.items()},
        }

    @staticmethod
    def from_json(row: Mapping[str, Any]) -> Row:
        seconds = {name: tuple(values) for name, values in row["seconds"].items()}
        return Row(Case(row["case"], row["flops"], row["bytes"]), Timings(seconds))


class TimingLoop:
    """The compiled loop, with the thunks of one benchmark; use as a context manager.

    thunks is C text, one `void NAME(void *state)` or more, compiled into the same library: `loop.address("NAME")`.
    """

    def __init__(self, thunks: str = "", flags: Sequence[str] = ()) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="usl-versus-"))
        try:
            source, library = self._directory / "loop.c", self._directory / "loop.so"
            source.write_text(SOURCE.read_text(encoding="utf-8") + thunks, encoding="utf-8")
            vectors = ["-mprefer-vector-width=512", "-Wno-psabi"]
            run_tool(
                [*compiler(), "-O2", *vectors, "-march=native", "-fPIC", "-shared", str(source), "-o", str(library), *flags]
            )
            self.library = ctypes.CDLL(str(library))
        except BaseException:
            self.close()
            raise
        self.library.versus_sample.restype = ctypes.c_double
        self.library.versus_read.restype = ctypes.c_double

    def function(self, name: str) -> Any:
        """One of the thunks, to be called from Python."""
        return getattr(self.library, name)

    def address(self, function: str) -> int:
        found = ctypes.cast(self.function(function), ctypes.c_void_p).value
        assert found is not None
        return found

    def sample(self, work: int, states: Sequence[int], repeats: int) -> float:
        """Seconds of one call, as the mean of repeats calls."""
        array = (ctypes.c_void_p * len(states))(*states)
        seconds = self.library.versus_sample(ctypes.c_void_p(work), array, ctypes.c_int64(len(states)), ctypes.c_int64(repeats))
        return float(seconds)

    def measure(self, case: Case, contestants: Mapping[str, tuple[int, Sequence[int]]], rounds: int) -> Row:
        """Let contestants, each a function's address and the addresses of its states, take turns for so many rounds.

        With one state all calls work on the same data, which stays in the caches that are large enough; with several, all
        contestants the same number, calls go through them in turn.
        """
        names = list(contestants)
        works = [contestants[name][0] for name in names]
        states = [contestants[name][1] for name in names]
        count = len(states[0])
        if any(len(each) != count for each in states):
            raise ValueError("every contestant needs the same number of states")
        repeats = []
        for work, own in zip(works, states, strict=True):
            self.sample(work, own, 1)
            once = min(self.sample(work, own, 1), self.sample(work, own, 1))
            repeats.append(max(1, math.ceil(SAMPLE_SECONDS / max(once, 1e-9))))
        seconds = (ctypes.c_double * (rounds * len(names)))()
        self.library.versus_rounds(
            ctypes.c_int64(len(names)),
            (ctypes.c_void_p * len(names))(*works),
            (ctypes.c_void_p * (count * len(names)))(*(state for own in states for state in own)),
            ctypes.c_int64(count),
            (ctypes.c_int64 * len(names))(*repeats),
            ctypes.c_int64(rounds),
            seconds,
        )
        return Row(case, Timings({name: tuple(seconds[i :: len(names)]) for i, name in enumerate(names)}))

    def bandwidth(self, megabytes: int = 256, repeats: int = 5) -> float:
        """GB/s at which one thread reads a buffer of this size, the best of repeats: the slope of the roofline."""
        import numpy as np

        buffer = np.zeros(megabytes * 2**17 + 8)
        start = buffer.ctypes.data + -buffer.ctypes.data % 64
        count = megabytes * 2**17
        best = math.inf
        for _ in range(repeats):
            begin = time.perf_counter()
            self.library.versus_read(ctypes.c_void_p(start), ctypes.c_int64(count))
            best = min(best, time.perf_counter() - begin)
        return 8.0 * count / best / 1e9

    def close(self) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)

    def __enter__(self) -> TimingLoop:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def pin() -> None:
    """Keep this process on one processor. To be called before a library is loaded that counts processors."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def run_pinned(module: str, *arguments: str, python: str = sys.executable) -> dict[str, Any]:
    """Run `python -m MODULE ARGUMENTS` with the peers' environment and nobody else's settings; the JSON that it prints last.

    What it prints before goes on to this process's output line by line. The module calls `pin` before anything else.
    """
    child = subprocess.Popen(
        [python, "-m", module, *arguments], env=clean_environment() | ENVIRONMENT, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    last = ""
    for line in child.stdout:
        if last:
            print(last, end="", flush=True)
        last = line
    if child.wait() != 0:
        raise ToolError(f"python -m {module} ended with status {child.returncode}: {last}")
    result: dict[str, Any] = json.loads(last)
    return result


# ---- what rows say


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def ratio_to_best(row: Row) -> Ratio:
    """The ratio to the peer that was fastest on this case."""
    return row.ratio(row.best_peer)


def heading(names: Sequence[str]) -> str:
    return (
        f"{'case':>22} "
        + " ".join(f"{name:>9}" for name in names)
        + f" {'% of peak':>9}  ratio to best peer (lower 95 % bound)"
    )


def line(row: Row, peak: float) -> str:
    """One line of a table: GFLOP/s of each contestant, ours as a part of the peak, the ratio to the best peer."""
    rates = " ".join(f"{row.gflops(name):9.1f}" for name in row.timings.seconds)
    share = f"{100 * row.gflops(OURS) / peak:9.1f}" if peak else f"{'':9}"
    if not row.peers:
        return f"{row.case.name:>22} {rates} {share}"
    ratio = ratio_to_best(row)
    return f"{row.case.name:>22} {rates} {share}  {ratio.median:.3f} ({ratio.lower95:.3f}) {row.best_peer}"


def markdown(rows: Sequence[Row], peak: float) -> str:
    """The table for a report."""
    names = list(rows[0].timings.seconds)
    lines = [
        f"| case | {' | '.join(f'{name}, GFLOP/s' for name in names)} | % of peak | ratio to best peer | lower 95 % bound |"
    ]
    lines += ["|---" * (len(names) + 4) + "|"]
    for row in rows:
        rates = " | ".join(f"{row.gflops(name):.1f}" for name in names)
        share = 100 * row.gflops(OURS) / peak
        ratio = ratio_to_best(row) if row.peers else None
        compared = f"{ratio.median:.3f} | {ratio.lower95:.3f}" if ratio else "no peer installed | "
        lines.append(f"| {row.case.name} | {rates} | {share:.1f} | {compared} |")
    return "\n".join(lines) + "\n"


def missed(rows: Sequence[Row], goal: float) -> list[str]:
    """The cases on which the lower bound of the ratio to the best peer is below TOLERANCE times the goal."""
    found = []
    for row in rows:
        ratio = ratio_to_best(row)
        if ratio.lower95 < TOLERANCE * goal:
            found.append(
                f"{row.case.name}: {ratio.median:.3f} (lower bound {ratio.lower95:.3f}) of {row.best_peer}, goal {goal}"
            )
    return found


def roofline(rows: Sequence[Row], peak: float, bandwidth: float, title: str, file: Path) -> None:
    """Draw GFLOP/s against operations per byte, under the roof that the peak and the bandwidth make."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 6))
    intensity = [row.case.flops / row.case.bytes for row in rows]
    low, high = min(intensity) / 2, max(intensity) * 2
    steps = [low * (high / low) ** (i / 200) for i in range(201)]
    axes.plot(steps, [min(peak, bandwidth * x) for x in steps], "k-", label=f"roof: {peak:.0f} GFLOP/s, {bandwidth:.0f} GB/s")
    for name, marker in zip(rows[0].timings.seconds, "osv^Dx", strict=False):
        axes.plot(intensity, [row.gflops(name) for row in rows], marker, label=name, alpha=0.7)
    axes.set(xscale="log", yscale="log", xlabel="operations per byte that must be moved", ylabel="GFLOP/s", title=title)
    axes.legend()
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=120)
    pyplot.close(figure)
