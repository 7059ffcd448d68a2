"""BLAS level 3 beside `gemm`: square and thin operands, all sides, triangles and transposes.

    python -m bench.level3 --rounds 5 --only trsm            # both precisions against OpenBLAS, MKL and BLIS, one thread
    python -m bench.level3 --threads 2 --precision s         # several threads of ours against one, in wall time

Every result is compared. A line of the table is a routine, a size and a width: the geometric mean over its options (sides,
triangles, transposes) of the ratio to the best peer, and the worst option. Small widths are columns of B, or rows where A is on
the right; for `syrk` and `syr2k` they are terms of the sums.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import json
import os
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import peers, versus
from bench.versus import Case, Row, TimingLoop

if TYPE_CHECKING:
    from numpy.typing import NDArray

SOURCE = Path(__file__).with_suffix(".c")
SIZES = (4, 8, 16, 32, 64, 100, 256, 768)
WIDTHS = (1, 4, 8)
"""Right-hand sides, beside as many as A has rows."""
ROUTINES = ("symm", "syrk", "syr2k", "trmm", "trsm")
LEFT, RIGHT, UPPER, LOWER, NO, YES, NONUNIT = 141, 142, 121, 122, 111, 112, 131
ALPHA = 1e-3
ONE = "one thread"
THREADED_SECONDS = 0.02
"""What a sample on several threads takes about."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A routine with its options (side, triangle, transpose) on an n x n triangle or C, and so many columns or terms."""

    routine: str
    n: int
    width: int
    side: int = LEFT
    uplo: int = UPPER
    trans: int = NO

    @property
    def rank(self) -> bool:
        return self.routine in ("syrk", "syr2k")

    @property
    def triangular(self) -> bool:
        return self.routine in ("trmm", "trsm")

    @property
    def group(self) -> str:
        return f"{self.routine} {self.n}, {'square' if self.width == self.n else self.width}"

    @property
    def label(self) -> str:
        options = "" if self.rank else {LEFT: "L", RIGHT: "R"}[self.side]
        options += {UPPER: "U", LOWER: "L"}[self.uplo]
        return f"{self.group} {options}" + ("" if self.routine == "symm" else {NO: "N", YES: "T"}[self.trans])

    @property
    def flops(self) -> float:
        products = self.n * self.n * self.width
        return float(products * (2 if self.routine in ("symm", "syr2k") else 1))


def problems(only: Sequence[str] = (), sizes: Sequence[int] = SIZES) -> Iterator[Problem]:
    """All, or those whose label has one of these words in it."""
    for routine, n in itertools.product(ROUTINES, sizes):
        for width in dict.fromkeys((*(w for w in WIDTHS if w < n), n)):
            sides = (LEFT,) if routine in ("syrk", "syr2k") else (LEFT, RIGHT)
            transposes = (NO,) if routine == "symm" else (NO, YES)
            for options in itertools.product(sides, (UPPER, LOWER), transposes):
                found = Problem(routine, n, width, *options)
                if not only or any(word in found.label for word in only):
                    yield found


def state_of(real: Any) -> type[ctypes.Structure]:
    """`struct state` of level3.c; real is that of the precision."""
    fields = (
        ("function", ctypes.c_void_p),
        *((size, ctypes.c_int64) for size in "mnk"),
        *((matrix, ctypes.c_void_p) for matrix in "abc"),
        *((distance, ctypes.c_int64) for distance in ("lda", "ldb", "ldc")),
        *((option, ctypes.c_int) for option in ("side", "uplo", "trans", "diag", "threads")),
        ("alpha", real),
    )
    return type("State", (ctypes.Structure,), {"_fields_": fields})


def operands(problem: Problem, dtype: Any, random: Any) -> dict[str, NDArray[Any]]:
    """A, B and C by their names in the state; a triangular A is such that a solution is not much larger than B."""
    import numpy as np

    n, width = problem.n, problem.width
    if problem.rank:
        shape = (n, width) if problem.trans == NO else (width, n)
        shapes = (shape, shape, (n, n))
    else:
        shape = (n, width) if problem.side == LEFT else (width, n)
        shapes = ((n, n), shape, shape)
    found = {name: random.uniform(-1, 1, each).astype(dtype) for name, each in zip("abc", shapes, strict=True)}
    if problem.triangular:
        found["a"] = (found["a"] / n + np.eye(n)).astype(dtype)
    return found


def states(
    problem: Problem, entries: Mapping[str, int], matrices: Mapping[str, NDArray[Any]], real: Any, threads: Mapping[str, int]
) -> dict[str, Any]:
    """The arguments of each contestant; threads are those of whom it is asked."""
    made, kind = {}, state_of(real)
    rows, columns = matrices["c"].shape
    for side, entry in entries.items():
        state: Any = kind()
        state.function, state.m, state.n, state.k = entry, rows, columns, problem.width
        for name in "abc":
            setattr(state, name, matrices[name].ctypes.data)
            setattr(state, f"ld{name}", matrices[name].shape[1])
        state.side, state.uplo, state.trans, state.diag = problem.side, problem.uplo, problem.trans, NONUNIT
        state.threads, state.alpha = threads.get(side, 0), 1 if problem.triangular else ALPHA
        made[side] = state
    return made


def apart(loop: TimingLoop, own: Mapping[str, Any], works: Mapping[str, int], c: NDArray[Any]) -> dict[str, float]:
    """How far each contestant's result is from the first one's, as a part of the largest element. c is as it was afterwards."""
    before, results = c.copy(), {}
    for side, state in own.items():
        c[:] = before
        loop.sample(works[side], [ctypes.addressof(state)], 1)
        results[side] = c.copy()
    c[:] = before
    first = next(iter(results.values()))
    return {side: float(abs(result - first).max() / abs(first).max()) for side, result in results.items()}


def measure(letter: str, rounds: int, only: Sequence[str], sizes: Sequence[int]) -> dict[str, Any]:
    """Rows of all problems against the peers, on one thread."""
    import numpy as np

    from usl_avx512.kernels.level3_library import gemm_path

    versus.pin()
    dtype, real, c_real = (np.float32, "float", ctypes.c_float) if letter == "s" else (np.float64, "double", ctypes.c_double)
    libraries, missing = peers.available(peers.openblas, peers.mkl, peers.blis)
    ours = ctypes.CDLL(str(gemm_path(f"usl_{letter}gemm")))
    random, rows, wrong = np.random.default_rng(3), [], []
    with TimingLoop(SOURCE.read_text(encoding="utf-8"), [f"-DREAL={real}"]) as loop:
        for problem in problems(only, sizes):
            own = ctypes.cast(getattr(ours, f"usl_{letter}{problem.routine}"), ctypes.c_void_p).value or 0
            entries = {versus.OURS: own} | {peer.name: peer.address(f"cblas_{letter}{problem.routine}") for peer in libraries}
            works = {side: loop.address(f"{'usl' if side == versus.OURS else 'cblas'}_{problem.routine}") for side in entries}
            matrices = operands(problem, dtype, random)
            own_states = states(problem, entries, matrices, c_real, {})
            bound = 16 * (problem.n + problem.width) * float(np.finfo(dtype).eps)
            for side, most in apart(loop, own_states, works, matrices["c"]).items():
                if not most <= bound:
                    wrong.append(f"{letter}{problem.label}: {side} differs by {most}")
            if problem.triangular:  # what is put in the place of B then stays as it is
                matrices["a"][:] = np.eye(problem.n)
            case = Case(letter + problem.label, problem.flops, 0.0)
            contestants = {side: (works[side], [ctypes.addressof(each)]) for side, each in own_states.items()}
            rows.append(loop.measure(case, contestants, rounds))
    return {
        "rows": [row.as_json() for row in rows],
        "peers": [peer.version for peer in libraries],
        "missing": missing,
        "wrong": wrong,
    }


def measure_threads(letter: str, rounds: int, only: Sequence[str], sizes: Sequence[int], threads: int) -> dict[str, Any]:
    """Rows in wall time: ours on so many threads beside one, not pinned."""
    import numpy as np

    from usl_avx512.kernels.level3_library import gemm_path

    dtype, real, c_real = (np.float32, "float", ctypes.c_float) if letter == "s" else (np.float64, "double", ctypes.c_double)
    ours = ctypes.CDLL(str(gemm_path(f"usl_{letter}gemm")))
    random, rows, wrong = np.random.default_rng(3), [], []
    with TimingLoop(SOURCE.read_text(encoding="utf-8"), [f"-DREAL={real}", "-DVERSUS_WALL"]) as loop:
        for problem in problems(only, sizes):
            entry = ctypes.cast(getattr(ours, f"usl_{letter}{problem.routine}_threads"), ctypes.c_void_p).value or 0
            entries, counts = {versus.OURS: entry, ONE: entry}, {versus.OURS: threads, ONE: 1}
            works = dict.fromkeys(entries, loop.address(f"usl_{problem.routine}"))
            matrices = operands(problem, dtype, random)
            own_states = states(problem, entries, matrices, c_real, counts)
            if apart(loop, own_states, works, matrices["c"])[ONE] != 0:
                wrong.append(f"{letter}{problem.label}: threads change bits")
            if problem.triangular:
                matrices["a"][:] = np.eye(problem.n)
            places = [[ctypes.addressof(each)] for each in own_states.values()]
            work = works[ONE]
            once = min(loop.sample(work, places[1], 1) for _ in range(3))
            repeats = max(1, round(THREADED_SECONDS / once))
            taken: tuple[list[float], list[float]] = ([], [])
            for turn in range(2 * rounds):
                side = (turn + turn // 2) % 2
                taken[side].append(loop.sample(work, places[side], repeats))
            mean = {versus.OURS: statistics.mean(taken[0]), ONE: statistics.mean(taken[1])}
            rows.append({"case": letter + problem.label, "ratio": mean[ONE] / mean[versus.OURS]})
    return {"rows": rows, "wrong": wrong, "missing": [], "load": os.getloadavg()[0]}


def ratios(result: Mapping[str, Any]) -> dict[str, float]:
    """For each case the ratio to the best peer, or to one thread."""
    if result["rows"] and "seconds" not in result["rows"][0]:
        return {row["case"]: row["ratio"] for row in result["rows"]}
    return {row.case.name: versus.ratio_to_best(row).median for row in map(Row.from_json, result["rows"])}


def table(found: Mapping[str, float]) -> str:
    """For each routine and size: the mean of the ratios of each width over the options, and the worst option."""
    groups: dict[str, dict[str, dict[str, float]]] = {}
    for name, ratio in found.items():
        head, _, options = name.rpartition(" ")
        line, _, width = head.partition(", ")
        groups.setdefault(line, {}).setdefault(width, {})[options] = ratio
    widths = [*map(str, WIDTHS), "square"]
    lines = [f"| | {' | '.join(widths)} |", "|---" * (len(widths) + 1) + "|"]
    for line, by_width in groups.items():
        cells = []
        for width in widths:
            each = by_width.get(width)
            if each is None:
                cells.append("")
                continue
            worst = min(each, key=lambda options: each[options])
            cells.append(f"{versus.geometric_mean(list(each.values())):.2f} ({worst} {each[worst]:.2f})")
        lines.append(f"| {line} | {' | '.join(cells)} |")
    return "\n".join(lines)


def show(result: Mapping[str, Any]) -> None:
    found = ratios(result)
    print(table(found))
    values = list(found.values())
    print(
        f"{len(values)} cases: geometric mean {versus.geometric_mean(values):.3f}, "
        f"{sum(each >= 0.97 for each in values)} at least 0.97, {sum(each < 0.9 for each in values)} below 0.9"
    )
    for problem in (*result["wrong"], *(f"not compared with {each}" for each in result["missing"])):
        print(problem)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.level3")
    parser.add_argument("--precision", choices=("s", "d"), action="append")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="'trsm 64, 8', say; may be repeated")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="only rows, as JSON (for the process with the peers' environment)")
    chosen = parser.parse_args(arguments)
    for letter in chosen.precision or ("s", "d"):
        if chosen.threads > 1:
            show(measure_threads(letter, chosen.rounds, chosen.only, chosen.sizes, chosen.threads))
        elif chosen.json:
            print(json.dumps(measure(letter, chosen.rounds, chosen.only, chosen.sizes)))
        else:
            given = ["--precision", letter, "--rounds", str(chosen.rounds), "--sizes", *map(str, chosen.sizes), "--json"]
            only = [part for word in chosen.only for part in ("--only", word)]
            show(versus.run_pinned("bench.level3", *given, *only))


if __name__ == "__main__":
    main()
