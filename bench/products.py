"""Matrix products of all shapes and transposes, thin ones above all, against OpenBLAS, MKL, oneDNN and BLIS on one thread.

`python -m bench gemm` runs this module in a process of its own for each precision (`bench.versus.run_pinned`). Shapes are a
sample, always the same, of all M, N, K out of SIZES with fewer than MOST operations, each with all transposes; every result is
compared with ours. oneDNN has single precision only.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from bench import gemm, versus
from bench.peak import PeakProbe
from bench.versus import Case, Row, TimingLoop
from usl_avx512.cpu import cpu_features

SIZES = (1, 2, 3, 4, 7, 8, 12, 16, 17, 24, 32, 64, 100, 128, 256, 768, 1024, 3072, 4096)
MOST = 1e10
SAMPLED, SEED = 300, 19
GEOMETRIC_MEAN, NEARLY_ALL, NEARLY, LEAST = 1.05, 0.95, 0.97, 0.9
"""The goals: the mean of the ratios to the best peer; the part of them that is at least NEARLY; the least of all."""

Shape = tuple[int, int, int, str, str]
"""M, N, K, and for A and B "N" or "T"."""


def sample(count: int = SAMPLED, seed: int = SEED) -> list[Shape]:
    """The shapes that are measured."""
    sizes = [each for each in itertools.product(SIZES, repeat=3) if 2.0 * each[0] * each[1] * each[2] < MOST]
    every = [(*each, a, b) for each in sizes for a in "NT" for b in "NT"]
    return sorted(random.Random(seed).sample(every, count))


def named(label: str) -> Shape:
    """The shape of a label such as `100x2x64NT`, from the command line."""
    found = re.fullmatch(r"(\d+)x(\d+)x(\d+)([NT])([NT])", label)
    if found is None:
        raise argparse.ArgumentTypeError(f"no shape: {label}; M, N, K, and N or T for each of both matrices, as in 100x2x64NT")
    m, n, k, ta, tb = found.groups()
    return int(m), int(n), int(k), ta, tb


def measure(name: str, rounds: int, shapes: Sequence[Shape], beta: float) -> dict[str, Any]:
    """Rows for these shapes of C = A B + beta C; the peak of one core in this precision."""
    import numpy as np

    versus.pin()
    dtype = np.float32 if name == "sgemm" else np.float64
    entries, callers, versions, missing = gemm.available(name)
    numbers, rows, peaks, wrong = np.random.default_rng(SEED), [], [], []
    print(versus.heading(list(entries)))
    with TimingLoop(gemm.thunks(name)) as loop, PeakProbe(cpu_features()) as probe:
        work = {side: loop.address(callers[side]) for side in entries}
        for m, n, k, ta, tb in shapes:
            a, b = (
                numbers.uniform(-1, 1, shape[:: -1 if t == "T" else 1]).astype(dtype)
                for shape, t in (((m, k), ta), ((k, n), tb))
            )
            results = {side: np.zeros((m, n), dtype) for side in entries}
            states = {}
            for side, c in results.items():
                states[side] = gemm.state(entries[side], m, n, k, (a, b, c))
                states[side].lda, states[side].ta = a.shape[1], 111 if ta == "N" else 112
                states[side].ldb, states[side].tb = b.shape[1], 111 if tb == "N" else 112
                states[side].beta = beta
                loop.sample(work[side], [ctypes.addressof(states[side])], 1)
            bound, label = 4 * (k + 1) * float(np.finfo(dtype).eps), f"{m}x{n}x{k} {ta}{tb}"
            apart = {side: float(abs(c - results[versus.OURS]).max()) for side, c in results.items()}
            wrong += [f"{label}: {side} differs by {most}" for side, most in apart.items() if not most <= bound]
            for each in states.values():
                each.c = states[versus.OURS].c  # where C begins within a line is worth as much as some of the differences
            size = np.dtype(dtype).itemsize
            case = Case(label, 2.0 * m * n * k, float(size * (m * k + k * n + (1 if beta == 0 else 2) * m * n)))
            rows.append(loop.measure(case, {side: (work[side], [ctypes.addressof(states[side])]) for side in entries}, rounds))
            peaks.append(probe.gflops(repeats=1) * 4 / size)
            print(versus.line(rows[-1], max(peaks)), flush=True)
    return {
        "rows": [row.as_json() for row in rows],
        "peak_gflops": max(peaks),
        "peers": versions,
        "missing": missing,
        "wrong": wrong,
    }


def judge(result: Mapping[str, Any]) -> list[str]:
    """The goals that are missed, with the shapes behind."""
    rows = [row for row in map(Row.from_json, result["rows"]) if row.peers]
    if not rows:
        return []
    ratios = {row.case.name: versus.ratio_to_best(row).median for row in rows}
    mean, near = versus.geometric_mean(list(ratios.values())), sum(ratio >= NEARLY for ratio in ratios.values()) / len(ratios)
    found = [f"geometric mean {mean:.3f}, goal {GEOMETRIC_MEAN}"] if mean < GEOMETRIC_MEAN else []
    found += [f"{100 * near:.0f} % are at least {NEARLY}, goal {100 * NEARLY_ALL:.0f} %"] if near < NEARLY_ALL else []
    behind = sorted((ratio, name) for name, ratio in ratios.items() if ratio < LEAST)
    return found + [f"{name}: {ratio:.3f}, goal {LEAST}" for ratio, name in behind]


def behind(result: Mapping[str, Any]) -> str:
    """A table of the shapes whose ratio to the best peer is below NEARLY, the worst first."""
    rows = [row for row in map(Row.from_json, result["rows"]) if row.peers and versus.ratio_to_best(row).median < NEARLY]
    rows.sort(key=lambda row: versus.ratio_to_best(row).median)
    return versus.markdown(rows, result["peak_gflops"]) if rows else "no shape is behind\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.products")
    parser.add_argument("name", choices=("sgemm", "dgemm"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--count", type=int, default=SAMPLED, help=f"how many shapes (default {SAMPLED})")
    parser.add_argument(
        "--part", default="1/1", metavar="I/N", help="every N-th shape from the I-th on, for a machine that others use"
    )
    parser.add_argument("--only", nargs="+", type=named, metavar="MxNxKab", help="these shapes, as in 100x2x64NT")
    parser.add_argument("--beta", type=float, default=1.0, help="C = A B + beta C (default 1; 0: C is only written)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"which sample (default {SEED})")
    chosen = parser.parse_args(arguments)
    part, _, parts = chosen.part.partition("/")
    shapes = chosen.only or sample(chosen.count, chosen.seed)[int(part) - 1 :: int(parts or 1)]
    print(json.dumps(measure(chosen.name, chosen.rounds, shapes, chosen.beta)))


if __name__ == "__main__":
    main()
