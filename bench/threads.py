"""Products on several threads against one, in wall time: the sample of shapes of `bench.products`, alone or beside busy loops.

    python -m bench.threads sgemm --rounds 5 --busy 1

Not pinned: threads go where the system puts them. Each busy loop is a process that takes a processor as far as it is let.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import gemm, products, versus
from bench.versus import TimingLoop

SAMPLE_SECONDS, SETTLE_SECONDS = 0.02, 0.3
SLOWER, MUCH_SLOWER = 0.97, 0.9
"""Below which ratio several threads count as slower."""


@contextlib.contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """So many processes that do nothing else than run."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        time.sleep(SETTLE_SECONDS if count else 0)
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def ratios(name: str, library: Path, shapes: Sequence[products.Shape], threads: int, rounds: int) -> dict[str, float]:
    """For each shape, the time on one thread over that on several: the means of samples that took turns."""
    import numpy as np

    dtype, real = (np.float32, "float") if name == "sgemm" else (np.float64, "double")
    entry = getattr(ctypes.CDLL(str(library)), f"usl_{name}_threads")
    address = ctypes.cast(entry, ctypes.c_void_p).value or 0
    numbers, found = np.random.default_rng(products.SEED), {}
    with TimingLoop(gemm.STATE.replace("REAL", real), ["-DVERSUS_WALL"]) as loop:
        work = loop.address("run_usl_threads")
        for m, n, k, ta, tb in shapes:
            a, b = (
                numbers.uniform(-1, 1, shape[:: -1 if t == "T" else 1]).astype(dtype)
                for shape, t in (((m, k), ta), ((k, n), tb))
            )
            c = np.zeros((m, n), dtype)
            states = []
            for count in (1, threads):
                states.append(gemm.state(address, m, n, k, (a, b, c)))
                states[-1].threads, states[-1].lda, states[-1].ldb = count, a.shape[1], b.shape[1]
                states[-1].ta, states[-1].tb = (111 if t == "N" else 112 for t in (ta, tb))
            places = [[ctypes.addressof(each)] for each in states]
            once = min(loop.sample(work, places[0], 1) for _ in range(3))
            repeats, taken = max(1, round(SAMPLE_SECONDS / once)), ([], [])
            for turn in range(2 * rounds):
                side = (turn + turn // 2) % 2  # one, several, several, one
                taken[side].append(loop.sample(work, places[side], repeats))
            label = f"{m}x{n}x{k} {ta}{tb}"
            found[label] = statistics.mean(taken[0]) / statistics.mean(taken[1])
            print(f"{label:>20} {found[label]:.2f}", flush=True)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    from usl_avx512.kernels.level3_library import gemm_path

    parser = argparse.ArgumentParser(prog="python -m bench.threads")
    parser.add_argument("name", choices=("sgemm", "dgemm"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="beside so many busy loops")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="every N-th shape from the I-th on")
    parser.add_argument("--least", type=float, default=0, metavar="OPERATIONS", help="only shapes of so many operations")
    parser.add_argument("--library", type=Path, help="another one than that of the build cache")
    chosen = parser.parse_args(arguments)
    part, _, parts = chosen.part.partition("/")
    shapes = [each for each in products.sample() if 2.0 * each[0] * each[1] * each[2] >= chosen.least]
    library = chosen.library or gemm_path(f"usl_{chosen.name}")
    before = os.getloadavg()[0]
    with busy_loops(chosen.busy):
        found = ratios(chosen.name, library, shapes[int(part) - 1 :: int(parts or 1)], chosen.threads, chosen.rounds)
    values = sorted(found.values())
    slower, much = (sum(each < limit for each in values) for limit in (SLOWER, MUCH_SLOWER))
    print(
        f"{len(values)} shapes, {chosen.threads} threads over one beside {chosen.busy} busy loops, load {before:.1f} to "
        f"{os.getloadavg()[0]:.1f}: geometric mean {versus.geometric_mean(values):.3f}, {slower} below {SLOWER}, {much} below "
        f"{MUCH_SLOWER}, least {values[0]:.2f}, median {statistics.median(values):.2f}"
    )


if __name__ == "__main__":
    main()
