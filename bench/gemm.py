"""SGEMM and DGEMM against OpenBLAS, MKL, oneDNN and BLIS: square sizes, and a sweep of thin ones with as many operations.

`python -m bench sgemm` runs this module in a process of its own (`bench.versus.run_pinned`), and then once more with
`--threads 2`: several threads against one, and against OpenBLAS and MKL on as many, in wall time.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bench import peers, versus
from bench.measure import Timings
from bench.peak import PeakProbe
from bench.versus import Case, Row, TimingLoop
from usl_avx512.cpu import cpu_features

if TYPE_CHECKING:
    from numpy.typing import NDArray

SQUARE = (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 67, 90, 100, 131, 257, 509, 1021)
THIN_K = 512
THIN_ROWS = tuple(16 * 2**step for step in range(11))
"""M of the thin sweep, 16 to 16384; M N is 512^2."""

THREADED = (
    *((n, n, n) for n in (64, 128, 256, 512, 1024, 2048)),
    (8, 768, 3072),
    (16, 1024, 1024),
    (32, 3072, 768),
    (100, 100, 1024),
    (128, 768, 3072),
    (1000, 17, 333),
    (4096, 4, 1024),
    (4096, 768, 4),
    (4096, 1, 1024),
    (1, 4096, 4096),
)
"""M, N and K for several threads."""
REST_SECONDS, THREADED_SAMPLE_SECONDS = 0.05, 0.02
"""Before a contestant's turn, for the other's threads go on looking for work for a while; and what a sample takes about."""

SHARE_OF_PEAK, SHARE_SIZES = 0.95, (256, 2048)
GEOMETRIC_MEAN, THIN_GOAL = 1.05, 0.95

ONE = "USL, one thread"

STATE = """
struct gemm {
    void *function;
    int64_t m, n, k;
    const REAL *a, *b;
    REAL *c;
    int64_t lda, ldb, ldc;
    int ta, tb; /* 111: not transposed, 112: transposed */
    int threads;
    double beta; /* C = A B + beta C */
};
typedef int (*usl_gemm)(int, int, int64_t, int64_t, int64_t, REAL, const REAL *, int64_t, const REAL *, int64_t, REAL, REAL *,
                        int64_t);
typedef int (*usl_gemm_threads)(int, int, int, int64_t, int64_t, int64_t, REAL, const REAL *, int64_t, const REAL *, int64_t,
                                REAL, REAL *, int64_t);
typedef void (*cblas_gemm)(int, int, int, int, int, int, REAL, const REAL *, int, const REAL *, int, REAL, REAL *, int);
void run_usl(void *state)
{
    const struct gemm *g = state;
    ((usl_gemm)g->function)(g->ta, g->tb, g->m, g->n, g->k, 1, g->a, g->lda, g->b, g->ldb, (REAL)g->beta, g->c, g->ldc);
}
void run_usl_threads(void *state)
{
    const struct gemm *g = state;
    ((usl_gemm_threads)g->function)(g->threads, g->ta, g->tb, g->m, g->n, g->k, 1, g->a, g->lda, g->b, g->ldb, (REAL)g->beta,
                                    g->c, g->ldc);
}
void run_cblas(void *state)
{
    const struct gemm *g = state; /* 101: row-major */
    ((cblas_gemm)g->function)(101, g->ta, g->tb, (int)g->m, (int)g->n, (int)g->k, 1, g->a, (int)g->lda, g->b,
                              (int)g->ldb, (REAL)g->beta, g->c, (int)g->ldc);
}
"""

ONEDNN = """
typedef int (*dnnl_gemm)(char, char, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float,
                         float *, int64_t);
void run_onednn(void *state)
{
    const struct gemm *g = state;
    ((dnnl_gemm)g->function)(g->ta == 111 ? 'N' : 'T', g->tb == 111 ? 'N' : 'T', g->m, g->n, g->k, 1, (const float *)g->a,
                             g->lda, (const float *)g->b, g->ldb, (float)g->beta, (float *)g->c, g->ldc);
}
"""


def available(name: str) -> tuple[dict[str, int], dict[str, str], list[str], list[str]]:
    """The product's address in ours and in all peers that have it (oneDNN has single precision only); which function of STATE
    or ONEDNN calls each; the peers' versions; which are missing, and why."""
    from usl_avx512.kernels.level3_library import gemm_path

    loaders = [peers.openblas, peers.mkl, *([peers.onednn] if name == "sgemm" else []), peers.blis]
    libraries, missing = peers.available(*loaders)
    entries = {
        versus.OURS: ctypes.cast(getattr(ctypes.CDLL(str(gemm_path(f"usl_{name}"))), f"usl_{name}"), ctypes.c_void_p).value or 0
    }
    entries |= {peer.name: peer.address("sgemm" if peer.name == "oneDNN" else f"cblas_{name}") for peer in libraries}
    callers = {side: {versus.OURS: "run_usl", "oneDNN": "run_onednn"}.get(side, "run_cblas") for side in entries}
    return entries, callers, [peer.version for peer in libraries], missing


def thunks(name: str) -> str:
    """The C of all callers."""
    return STATE.replace("REAL", "float" if name == "sgemm" else "double") + (ONEDNN if name == "sgemm" else "")


class State(ctypes.Structure):
    """`struct gemm` of STATE."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        *((size, ctypes.c_int64) for size in "mnk"),
        *((matrix, ctypes.c_void_p) for matrix in "abc"),
        *((distance, ctypes.c_int64) for distance in ("lda", "ldb", "ldc")),
        ("ta", ctypes.c_int),
        ("tb", ctypes.c_int),
        ("threads", ctypes.c_int),
        ("beta", ctypes.c_double),
    )


def shapes() -> list[tuple[str, int, int, int]]:
    """Name, M, N and K of every case."""
    square = [(f"n = {n}", n, n, n) for n in SQUARE]
    return square + [(f"{m} x {512 * 512 // m} x {THIN_K}", m, 512 * 512 // m, THIN_K) for m in THIN_ROWS]


def state(function: int, m: int, n: int, k: int, matrices: Sequence[NDArray[Any]]) -> State:
    a, b, c = (matrix.ctypes.data for matrix in matrices)
    return State(function, m, n, k, a, b, c, k, n, n, 111, 111, 1, 1.0)


def measure(name: str, rounds: int, only: Sequence[str]) -> dict[str, Any]:
    """Rows for every shape, or those named; the peak of one core in this precision, and the bandwidth of main memory."""
    import numpy as np

    versus.pin()
    dtype = np.float32 if name == "sgemm" else np.float64
    entries, callers, versions, missing = available(name)
    random = np.random.default_rng(16)
    rows, peaks = [], []
    print(versus.heading(list(entries)))
    with TimingLoop(thunks(name)) as loop, PeakProbe(cpu_features()) as probe:
        for label, m, n, k in shapes():
            if only and label not in only:
                continue
            matrices = [random.uniform(-1, 1, shape).astype(dtype) for shape in ((m, k), (k, n), (m, n))]
            states = {side: state(entry, m, n, k, matrices) for side, entry in entries.items()}
            work = {side: loop.address(callers[side]) for side in states}
            size = matrices[0].itemsize
            case = Case(label, 2.0 * m * n * k, float(size * (m * k + k * n + 2 * m * n)))
            contestants = {side: (work[side], [ctypes.addressof(each)]) for side, each in states.items()}
            rows.append(loop.measure(case, contestants, rounds))
            peaks.append(probe.gflops(repeats=3) * 4 / size)
            print(versus.line(rows[-1], max(peaks)), flush=True)
        bandwidth = loop.bandwidth()
    return {
        "rows": [row.as_json() for row in rows],
        "peak_gflops": max(peaks),
        "bandwidth_gbs": bandwidth,
        "peers": versions,
        "missing": missing,
    }


def measure_threads(name: str, threads: int, rounds: int) -> dict[str, Any]:
    """Rows in wall time for THREADED: ours on so many threads and on one, peers on so many. None on a single core."""
    import numpy as np

    from usl_avx512.kernels.level3_library import gemm_path

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores == 1:
        return {"rows": [], "missing": ["several threads: there is one core"], "threads": threads, "cores": cores}
    dtype, real = (np.float32, "float") if name == "sgemm" else (np.float64, "double")
    libraries, missing = peers.available(functools.partial(peers.openblas, threads), functools.partial(peers.mkl, threads))
    ours = ctypes.CDLL(str(gemm_path(f"usl_{name}")))
    entries = {
        side: ctypes.cast(getattr(ours, f"usl_{name}{ending}"), ctypes.c_void_p).value or 0
        for side, ending in ((versus.OURS, "_threads"), (ONE, ""))
    }
    thunks = {versus.OURS: "run_usl_threads", ONE: "run_usl"}
    entries |= {peer.name: peer.address(f"cblas_{name}") for peer in libraries}
    if cores < threads:
        missing.append(f"a core for each thread: {threads} threads share {cores} cores")
    random, rows = np.random.default_rng(16), []
    with TimingLoop(STATE.replace("REAL", real), ["-DVERSUS_WALL"]) as loop:
        for m, n, k in THREADED:
            matrices = [random.uniform(-1, 1, shape).astype(dtype) for shape in ((m, k), (k, n), (m, n))]
            states = {side: state(entry, m, n, k, matrices) for side, entry in entries.items()}
            states[versus.OURS].threads = threads
            work = {side: loop.address(thunks.get(side, "run_cblas")) for side in states}
            size = matrices[0].itemsize
            case = Case(f"{m} x {n} x {k}", 2.0 * m * n * k, float(size * (m * k + k * n + 2 * m * n)))
            rows.append(Row(case, rested_turns(loop, work, states, rounds)))
            print(threads_line(rows[-1]), flush=True)
    found = {"rows": [row.as_json() for row in rows], "missing": missing, "threads": threads, "cores": cores}
    return found | {"load": os.getloadavg()[0], "peers": [peer.version for peer in libraries]}


def rested_turns(loop: TimingLoop, work: Mapping[str, int], states: Mapping[str, State], rounds: int) -> Timings:
    """One sample of each contestant a round, each after a rest and a call that wakes its threads; who begins moves on."""
    seconds: dict[str, list[float]] = {side: [] for side in states}
    sides = list(states)
    for number in range(rounds):
        for turn in range(len(sides)):
            side = sides[(number + turn) % len(sides)]
            time.sleep(REST_SECONDS)
            address = [ctypes.addressof(states[side])]
            once = min(loop.sample(work[side], address, 1) for _ in range(2))
            seconds[side].append(loop.sample(work[side], address, max(1, round(THREADED_SAMPLE_SECONDS / once))))
    return Timings({side: tuple(samples) for side, samples in seconds.items()})


def threads_line(row: Row) -> str:
    rates = ", ".join(f"{name} {row.gflops(name):.0f}" for name in row.timings.seconds)
    return f"{row.case.name:>22} GFLOP/s in wall time: {rates}; {compared(row)}"


def compared(row: Row) -> str:
    """What several threads give over one, and over peers."""
    ratios = {name: row.ratio(name) for name in row.peers}
    return ", ".join(f"{ratio.median:.2f} (lower 95 % bound {ratio.lower95:.2f}) of {name}" for name, ratio in ratios.items())


def threads_markdown(result: Mapping[str, Any]) -> str:
    """The table for a report, and what it cannot say."""
    rows = [Row.from_json(row) for row in result["rows"]]
    lines = [f"not measured: {missing}" for missing in result["missing"]]
    if rows:
        names = list(rows[0].timings.seconds)
        lines += [f"{result['threads']} threads on {result['cores']} cores, load {result['load']:.1f}, wall time", ""]
        lines += [f"| case | {' | '.join(f'{name}, GFLOP/s' for name in names)} | ratios |", "|---" * (len(names) + 2) + "|"]
        for row in rows:
            lines.append(f"| {row.case.name} | {' | '.join(f'{row.gflops(name):.1f}' for name in names)} | {compared(row)} |")
    return "\n".join(lines) + "\n"


def judge(result: dict[str, Any]) -> list[str]:
    """The goals that are missed: as fast as the best peer on squares, more in the mean, near the peak, not behind when thin."""
    rows = [Row.from_json(row) for row in result["rows"]]
    compared = [row for row in rows if row.peers]
    square = [row for row in compared if row.case.name.startswith("n =")]
    found = versus.missed(square, 1.0) + versus.missed([row for row in compared if row not in square], THIN_GOAL)
    if square:
        mean = versus.geometric_mean([versus.ratio_to_best(row).median for row in square])
        if mean < GEOMETRIC_MEAN * versus.TOLERANCE:
            found.append(f"geometric mean of the ratios on squares: {mean:.3f}, goal {GEOMETRIC_MEAN}")
    low, high = SHARE_SIZES
    for row in rows:
        share = row.gflops(versus.OURS) / result["peak_gflops"]
        if row.case.name in {f"n = {n}" for n in SQUARE if low <= n <= high} and share < SHARE_OF_PEAK * versus.TOLERANCE:
            found.append(f"{row.case.name}: {100 * share:.1f} % of the peak, goal {100 * SHARE_OF_PEAK:.0f} %")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.gemm")
    parser.add_argument("name", choices=("sgemm", "dgemm"))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", action="append", default=[], metavar="CASE", help="'n = 64', say; may be repeated")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="the parallel product on N threads, in wall time")
    chosen = parser.parse_args(arguments)
    if chosen.threads > 1:
        result = measure_threads(chosen.name, chosen.threads, chosen.rounds)
    else:
        result = measure(chosen.name, chosen.rounds, chosen.only)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
