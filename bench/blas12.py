"""BLAS level 1 and 2 against OpenBLAS, MKL and BLIS: operands of few elements, in the first- and second-level cache, in memory,
and with strides.

`python -m bench blas` runs this module in a process of its own (`bench.versus.run_pinned`), once for each precision.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import peers, versus
from bench.measure import Ratio, Timings
from bench.peak import PeakProbe
from bench.versus import Case, Row, TimingLoop
from usl_avx512.cpu import cpu_features

if TYPE_CHECKING:
    from numpy.typing import NDArray

SOURCE = Path(__file__).with_suffix(".c")

VECTORS = {"16": 16, "100": 100, "L1": 1000, "L2": 40_000}
MATRICES = {"16": 16, "L1": 60, "L2": 300}
"""Elements of a vector, and rows of a matrix, in cache."""
MEMORY_BYTES = 2**26
"""What a vector or matrix in memory has at least: twice what the last cache holds."""
STRIDE = 3

OF_BANDWIDTH = 0.9


@dataclass(frozen=True, slots=True)
class Problem:
    """A routine with its options: operations and least traffic, both per element of a vector, or of a matrix (level 2).

    pattern names the probe of `PROBES` whose traffic is alike; only in caches can a routine be faster.
    """

    name: str
    flops: float
    traffic: float
    pattern: str
    options: tuple[int, int, int] = (0, 0, 0)

    @property
    def routine(self) -> str:
        return self.name.split()[0]


LEVEL1 = (
    Problem("axpy", 2, 3, "update two"),
    Problem("scal", 1, 2, "update"),
    Problem("dot", 2, 2, "read"),
    Problem("asum", 1, 1, "read"),
    Problem("nrm2", 2, 1, "read"),
    Problem("iamax", 1, 1, "read"),
    Problem("copy", 0, 2, "copy"),
    Problem("swap", 0, 4, "swap"),
    Problem("rot", 6, 4, "swap"),
)
NO, YES, UPPER, LOWER, NONUNIT = 111, 112, 121, 122, 131
LEVEL2 = (
    Problem("gemv N", 2, 1, "read", (0, NO, 0)),
    Problem("gemv T", 2, 1, "read", (0, YES, 0)),
    Problem("ger", 2, 2, "update"),
    *(Problem(f"symv {u}", 2, 0.5, "read", (code, 0, 0)) for u, code in (("L", LOWER), ("U", UPPER))),
    *(
        Problem(f"{routine} {t}{u}", 1, 0.5, "read", (code, trans, NONUNIT))
        for routine in ("trmv", "trsv")
        for t, trans in (("N", NO), ("T", YES))
        for u, code in (("L", LOWER), ("U", UPPER))
    ),
)

PROBES = {"read": 1, "update": 2, "update two": 3, "copy": 2, "swap": 4}
"""What memory is asked for, and the vectors that move: a sum, `x = a x`, `y += a x`, `y = x` (past the cache where that is
faster), x and y exchanged."""
PROBE = "memory"


class State(ctypes.Structure):
    """`struct state` of blas12.c."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        ("n", ctypes.c_int64),
        ("inc", ctypes.c_int64),
        ("a", ctypes.c_void_p),
        ("x", ctypes.c_void_p),
        ("y", ctypes.c_void_p),
        ("uplo", ctypes.c_int),
        ("trans", ctypes.c_int),
        ("diag", ctypes.c_int),
    )


def elements(count: int, dtype: Any, seed: int) -> NDArray[Any]:
    """Random numbers from a start that is a multiple of 64 bytes, as allocators of large arrays give."""
    import numpy as np

    size = np.dtype(dtype).itemsize
    whole = np.empty(count + 64 // size, dtype)
    skip = (-whole.ctypes.data % 64) // size
    part = whole[skip : skip + count]
    part[:] = np.random.default_rng(seed).uniform(-1, 1, count)
    return part


def rows_of(problem: Problem, where: str, size: int) -> int:
    """Elements of a vector, or rows of a matrix, of so many bytes an element."""
    level1 = problem in LEVEL1
    if where == "memory":
        return MEMORY_BYTES // size if level1 else math.isqrt(MEMORY_BYTES // size) + 4
    if where == "stride":
        return 10_000 if level1 else 300
    return (VECTORS if level1 else MATRICES)[where]


def operands(problem: Problem, n: int, inc: int, dtype: Any) -> dict[str, NDArray[Any]]:
    """Arrays by their names in State. A triangle is that of the unit matrix: what is put in place of x stays as it is."""
    found = {name: elements(n * inc, dtype, seed) for seed, name in enumerate("xy")}
    if problem in LEVEL2:
        found["a"] = elements(n * n, dtype, 2)
        if problem.routine in ("trmv", "trsv"):
            found["a"][:] = 0
            found["a"][:: n + 1] = 1
    return found


def measure(letter: str, rounds: int, only: Sequence[str]) -> dict[str, Any]:
    """Rows for every problem and place, or those named; the bandwidth of main memory for each of PROBES, and the FMA peak."""
    import numpy as np

    from usl_avx512.kernels.blas_library import blas_path, entry_name

    versus.pin()
    dtype, real = (np.float32, "float") if letter == "s" else (np.float64, "double")
    size = np.dtype(dtype).itemsize
    libraries, missing = peers.available(peers.openblas, peers.mkl, peers.blis)
    rows, rates = [], {}
    print(heading([versus.OURS, *(peer.name for peer in libraries)]), flush=True)
    with TimingLoop(SOURCE.read_text(encoding="utf-8"), [f"-DREAL={real}"]) as loop, PeakProbe(cpu_features()) as probe:
        stream = Stream(loop, dtype)
        for where in ("16", "100", "L1", "L2", "memory", "stride"):
            for problem in _problems(where):
                name = f"{letter}{problem.name}, {where}"
                if only and not any(word in name for word in only):
                    continue
                n, inc = rows_of(problem, where, size), STRIDE if where == "stride" else 1
                arrays = operands(problem, n, inc, dtype)
                count = n if problem in LEVEL1 else n * n
                case = Case(name, problem.flops * count, problem.traffic * count * size)
                own = ctypes.CDLL(str(blas_path(problem.routine, letter)))[entry_name(problem.routine, letter)]
                functions = {versus.OURS: ctypes.cast(own, ctypes.c_void_p).value or 0}
                cblas = f"cblas_i{letter}amax" if problem.routine == "iamax" else f"cblas_{letter}{problem.routine}"
                functions |= {peer.name: peer.address(cblas) for peer in libraries}
                data = {key: array.ctypes.data for key, array in arrays.items()}
                states = {
                    side: State(function, n, inc, data.get("a"), data["x"], data["y"], *problem.options)
                    for side, function in functions.items()
                }
                contestants = {
                    side: (
                        loop.address(f"{'usl' if side == versus.OURS else 'cblas'}_{problem.routine}"),
                        [ctypes.addressof(state)],
                    )
                    for side, state in states.items()
                }
                if where == "memory":
                    contestants[PROBE] = (stream.address(problem.pattern), stream.states)
                row, seconds = split(loop.measure(case, contestants, rounds))
                if seconds:
                    rates[name] = stream.gigabytes(problem.pattern, seconds)
                rows.append(row)
                print(line(row, rates), flush=True)
        peak = probe.gflops(repeats=3) * 4 / size
    return {
        "rows": [row.as_json() for row in rows],
        "bandwidth_gbs": rates,
        "peak_gflops": peak,
        "peers": [peer.version for peer in libraries],
        "missing": missing,
    }


def _problems(where: str) -> tuple[Problem, ...]:
    """What is measured in a place."""
    if where == "stride":
        return (*LEVEL1, *(problem for problem in LEVEL2 if problem.routine == "gemv"))
    return LEVEL1 if where == "100" else (*LEVEL1, *LEVEL2)


class Stream:
    """Loops in C that move as much through main memory as it gives: a contestant beside the kernels, under the same noise."""

    def __init__(self, loop: TimingLoop, dtype: Any) -> None:
        import numpy as np

        n = MEMORY_BYTES // np.dtype(dtype).itemsize
        self._arrays = elements(n, dtype, 3), elements(n, dtype, 4)
        x, y = (array.ctypes.data for array in self._arrays)
        self._state = State(None, n, 1, None, x, y, 0, 0, 0)
        self._addresses = {pattern: loop.address(f"probe_{pattern.replace(' ', '_')}") for pattern in PROBES}
        ways = [self._addresses["copy"], loop.address("probe_copy_past_cache")]
        self._addresses["copy"] = min(ways, key=lambda way: min(loop.sample(way, self.states, 1) for _ in range(7)))

    @property
    def states(self) -> list[int]:
        return [ctypes.addressof(self._state)]

    def address(self, pattern: str) -> int:
        return self._addresses[pattern]

    def gigabytes(self, pattern: str, seconds: Sequence[float]) -> float:
        """GB/s of a probe, from the median of its samples."""
        return PROBES[pattern] * MEMORY_BYTES / statistics.median(seconds) / 1e9


def split(row: Row) -> tuple[Row, tuple[float, ...]]:
    """A row without the probe of memory, and the probe's seconds; none where it did not run."""
    seconds = dict(row.timings.seconds)
    probe = seconds.pop(PROBE, ())
    return Row(row.case, Timings(seconds)), probe


# ---- what rows say


def share(row: Row, rates: Mapping[str, float]) -> float | None:
    """What part of main memory's bandwidth ours moves, None where operands are in cache."""
    name = row.case.name
    return gigabytes(row, versus.OURS) / rates[name] if name in rates else None


def gigabytes(row: Row, name: str) -> float:
    """GB/s of a contestant."""
    return row.case.bytes / row.timings.median(name) / 1e9


def heading(names: Sequence[str]) -> str:
    return f"{'case':>16} " + " ".join(f"{name:>9}" for name in names) + "  GB/s; ratio to best peer (lower 95 % bound)"


def line(row: Row, rates: Mapping[str, float]) -> str:
    values = " ".join(f"{gigabytes(row, name):9.1f}" for name in row.timings.seconds)
    ratio = versus.ratio_to_best(row) if row.peers else Ratio(math.nan, math.nan)
    part = share(row, rates)
    of_memory = "" if part is None else f"  {100 * part:.0f} % of memory's {rates[row.case.name]:.1f}"
    best = row.best_peer if row.peers else "nobody"
    return f"{row.case.name:>16} {values}  {ratio.median:.2f} ({ratio.lower95:.2f}) {best}{of_memory}"


def groups(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows that have a goal in common."""

    def where(row: Row) -> str:
        return row.case.name.rpartition(" ")[2]

    return {
        "in cache": [row for row in rows if row.peers and where(row) in ("16", "100", "L1", "L2")],
        "in memory": [row for row in rows if row.peers and where(row) == "memory"],
        "strided": [row for row in rows if row.peers and where(row) == "stride"],
    }


def means(rows: Sequence[Row]) -> dict[str, Ratio]:
    """The geometric means of the ratios to the best peer, and of their lower bounds."""
    found = {}
    for name, group in groups(rows).items():
        if group:
            ratios = [versus.ratio_to_best(row) for row in group]
            parts = ([ratio.median for ratio in ratios], [ratio.lower95 for ratio in ratios])
            found[name] = Ratio(*(versus.geometric_mean(part) for part in parts))
    return found


def judge(result: Mapping[str, Any]) -> list[str]:
    """The goals that are missed: in the mean as fast as the best peer; in memory, that or nearly all of its bandwidth each."""
    rows = [Row.from_json(row) for row in result["rows"]]
    found = [
        f"{name}: geometric mean of the ratios {ratio.median:.3f}, goal 1"
        for name, ratio in means(rows).items()
        if ratio.median < versus.TOLERANCE
    ]
    for row in groups(rows)["in memory"]:
        ratio, part = versus.ratio_to_best(row), share(row, result["bandwidth_gbs"])
        if ratio.lower95 < versus.TOLERANCE and part is not None and part < OF_BANDWIDTH * versus.TOLERANCE:
            found.append(f"{row.case.name}: {ratio.median:.3f} of {row.best_peer}, {100 * part:.0f} % of the bandwidth")
    return found


def markdown(rows: Sequence[Row], rates: Mapping[str, float]) -> str:
    """The table for a report."""
    names = list(rows[0].timings.seconds)
    head = [*(f"{name}, GB/s" for name in names), "ratio to best peer", "lower 95 % bound", "% of memory's bandwidth"]
    lines = [f"| case | {' | '.join(head)} |", "|---" * (len(head) + 1) + "|"]
    for row in rows:
        values = " | ".join(f"{gigabytes(row, name):.1f}" for name in names)
        ratio = versus.ratio_to_best(row) if row.peers else Ratio(math.nan, math.nan)
        part = share(row, rates)
        of_memory = "" if part is None else f"{100 * part:.0f}"
        lines.append(f"| {row.case.name} | {values} | {ratio.median:.2f} | {ratio.lower95:.2f} | {of_memory} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.blas12")
    parser.add_argument("letter", choices=("s", "d"))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="'gemv', say, or 'L1'; may be repeated")
    chosen = parser.parse_args(arguments)
    print(json.dumps(measure(chosen.letter, chosen.rounds, chosen.only)))


if __name__ == "__main__":
    main()
