"""Image kernels of `usl_halide_lib` against Halide 21 with its hand-written and automatic schedules, and OpenCV.

    python -m bench images                                        # all of it; each kernel and size in a process of its own
    python -m bench.images --kernels harris,resize --sizes 1536x2560 --threads 1 --rounds 9
    python -m bench.images --prepare --kernels harris             # only compile, both sides; what is compiled is kept

Both sides are compiled before anything is timed, Halide's pipelines ahead of time (`halide_aot`), and each only once. All get
the same arrays, and their results are compared. Contestants take turns; a turn is a call that is not counted and then as many
as take a fiftieth of a second, after a pause in which the threads of the one before go to sleep. A figure is the median over
the rounds of a contestant's time over ours in the same round, so that load of the machine weighs on both.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import math
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench import halide_aot
from bench.halide_aot import AUTOMATIC
from bench.images_halide import BY_HAND

SIZES = ((1536, 2560), (4320, 7680))
LAYERS = ((112, 112, 32, 64), (56, 56, 128, 128))
KERNELS = ("box_blur", "unsharp", "harris", "bilateral_grid", "demosaic", "local_laplacian", "resize", "separable_convolution")
THREADS = (1, 2)
TURN = 0.02
"""Seconds that a contestant runs in its turn, once at least."""

TRIES = 5
"""How often a disturbed turn is repeated."""

BEHIND = 2.5
"""How many times the least time a contestant may take, to go on."""

PAUSE = 0.005
"""Seconds before a turn: idle threads of OpenMP look for work for about half as long."""

GOALS = {"box_blur": 1.1, "unsharp": 1.2}
"""How many times the speed of the best Halide schedule is wanted, where it is not 1."""

MEAN = 1.15
"""The geometric mean of these that is wanted."""

TOLERANCE = {"local_laplacian": 2000.0, "separable_convolution": 0.1}
"""By how much results may differ, where it is not 0.01: a place in the table of the Laplacian depends on rounding."""

Run = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Case:
    """One call: the kernel, what the table calls its size, and the result's shape.

    Halide's pipeline and our procedure are given the inputs, ours after its sizes; our function in Python is given ours.
    """

    kernel: str
    size: str
    inputs: tuple[Any, ...]
    ours: tuple[Any, ...]
    shape: tuple[int, ...]
    sizes: tuple[float, ...]


def measure(rounds: int) -> list[dict[str, Any]]:
    """A row for each kernel, size, number of threads and contestant."""
    rows: list[dict[str, Any]] = []
    for case in cases():
        prepare(case, THREADS)
        command = [sys.executable, "-m", "bench.images", "--kernels", case.kernel, "--sizes", case.size, "--json"]
        done = subprocess.run([*command, "--rounds", str(rounds)], stdout=subprocess.PIPE, text=True, check=True)
        rows += json.loads(done.stdout.splitlines()[-1])
        print(markdown([row for row in rows if (row["kernel"], row["size"]) == (case.kernel, case.size)]), flush=True)
    return rows


def cases(names: Sequence[str] = (), sizes: Sequence[str] = ()) -> Iterator[Case]:
    """What is measured, or what of it has one of these names and sizes; arrays are made when their case is asked for."""
    for kernel in KERNELS:
        layers = kernel == "separable_convolution"
        for shape in LAYERS if layers else SIZES:
            if (not names or kernel in names) and (not sizes or "x".join(map(str, shape)) in sizes):
                yield layer_case(*shape) if layers else image_case(kernel, *shape)


def image_case(kernel: str, height: int, width: int) -> Case:
    """A kernel on one image of random pixels."""
    import numpy as np

    numbers, size = np.random.default_rng(0), f"{height}x{width}"
    if kernel == "resize":
        from usl_halide_lib.resampling import cubic_taps

        gray, shape = numbers.random((height, width), dtype=np.float32), (2 * height // 3, 2 * width // 3)
        (rows, down), (columns, across) = cubic_taps(height, shape[0]), cubic_taps(width, shape[1])
        tables = (np.array(each, order="C") for each in (rows, down, columns.T, across.T))  # Halide wants to write
        sizes = height, width, *shape, rows.shape[1], columns.shape[1]
        return Case(kernel, size, (gray, *tables), (gray, shape), shape, sizes)
    kind, of, result = {
        "box_blur": (np.uint16, (height + 2, width + 2), (height, width)),
        "unsharp": (np.float32, (3, height + 6, width + 6), (3, height, width)),
        "harris": (np.float32, (height + 4, width + 4), (height, width)),
        "bilateral_grid": (np.float32, (height, width), (height, width)),
        "demosaic": (np.uint16, (height + 4, width + 4), (3, height, width)),
        "local_laplacian": (np.uint16, (3, height, width), (3, height, width)),
    }[kernel]
    image: Any
    if kind is np.uint16:
        image = numbers.integers(0, 1 << 16, of, dtype=np.uint16)
    else:
        image = numbers.uniform(0.25, 1.0, of).astype(np.float32)
    sizes = {"demosaic": (height // 2, width // 2), "local_laplacian": (height, width, 1 / 7, 1.0)}
    return Case(kernel, size, (image,), (image,), result, sizes.get(kernel, (height, width)))


def layer_case(height: int, width: int, channels: int, results: int) -> Case:
    """A depthwise-separable convolution of MobileNet's shapes."""
    import numpy as np

    numbers = np.random.default_rng(0)
    shapes = (height + 2, width + 2, channels), (3, 3, channels), (channels, results), (results,)
    given = tuple(numbers.standard_normal(shape, dtype=np.float32) for shape in shapes)
    sizes = height, width, channels, results
    return Case("separable_convolution", "x".join(map(str, sizes)), given, given, (height, width, results), sizes)


def prepare(case: Case, threads: Sequence[int]) -> None:
    """Compile what has not been compiled; what could not be is told."""
    from usl_halide_lib import kernels

    kernels.compiled(case.kernel)
    for how in schedules(case):
        for count in threads if how in AUTOMATIC else (1,):
            if problem := halide_aot.prepare(case, how, count):
                print(f"Halide {how} of {case.kernel} {case.size}: {problem}", file=sys.stderr)


def schedules(case: Case) -> list[str]:
    """Halide's schedules of a kernel."""
    if importlib.util.find_spec("halide") is None:
        return []
    return [*BY_HAND[case.kernel], *AUTOMATIC]


def contest(case: Case, counts: Sequence[int], rounds: int) -> list[dict[str, Any]]:
    """The rows of one case, for each number of threads."""
    rows: list[dict[str, Any]] = []
    for threads in counts:
        runs = contestants(case, threads)
        times = in_turns({name: run for name, (run, _) in runs.items()}, rounds)
        for name, taken in times.items():
            ratios = sorted(other / own for other, own in zip(taken, times["usl"], strict=False))
            rows.append(
                {
                    "kernel": case.kernel,
                    "size": case.size,
                    "threads": threads,
                    "who": name,
                    "ms": sorted(taken)[len(taken) // 2] * 1e3,
                    "least_ms": min(taken) * 1e3,
                    "ours_is_faster_by": ratios[len(ratios) // 2],
                    "differs_by": runs[name][1],
                }
            )
    return rows


def in_turns(runs: dict[str, Run], rounds: int) -> dict[str, list[float]]:
    """The times of each, in another order in each round, so that nobody always follows a long run.

    Who is far behind runs in one round.
    """
    times: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds):
        for name, run in random.Random(number).sample(list(runs.items()), len(runs)):
            time.sleep(PAUSE)
            times[name].append(turn(run))
        limit = BEHIND * min(min(each) for each in times.values())
        runs = {name: run for name, run in runs.items() if min(times[name]) <= limit}
    return times


def turn(run: Run) -> float:
    """Seconds of a call, in the mean over a turn; one in which another process took the core from us is repeated."""
    start = time.perf_counter()
    run()
    first = time.perf_counter() - start
    calls = max(1, round(TURN / first))
    found = math.inf
    for _ in range(TRIES):
        losses, start = _cores_lost(), time.perf_counter()
        for _ in range(calls):
            run()
        found = min(found, (time.perf_counter() - start) / calls)
        if _cores_lost() == losses:
            break
    return found


def _cores_lost() -> int:
    """How often a thread of this process had to make way for another process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def contestants(case: Case, threads: int) -> dict[str, tuple[Run, float]]:
    """By name what runs a kernel, and the greatest difference of its result from ours."""
    import numpy as np

    from usl_halide_lib import kernels

    set_threads(threads)
    expected = getattr(kernels, case.kernel)(*case.ours)
    ours, out = kernels.compiled(case.kernel), np.ndarray(expected.shape, expected.dtype, _aligned(expected))
    ours(*case.sizes, *case.inputs, out)
    found: dict[str, tuple[Run, float]] = {"usl": (lambda: ours(*case.sizes, *case.inputs, out), difference(out, expected))}
    result = np.ndarray(case.shape, out.dtype, _aligned(out))
    for how in schedules(case):
        path = halide_aot.library(case, how, threads)
        if path.exists():
            run, set_halide_threads = halide_aot.caller(path, case.inputs[0], result)
            set_halide_threads(threads)
            result[...] = 0
            run()
            found[f"Halide {how}"] = run, difference(result, expected)
    return found | others(case, threads)


def _aligned(array: Any) -> Any:
    """Space for another such array that begins at a multiple of 64 bytes, as that of Halide's buffers does."""
    import numpy as np

    space = np.zeros(array.nbytes + 64, np.uint8)
    return space[-space.ctypes.data % 64 :]


def difference(one: Any, other: Any) -> float:
    """The greatest difference of two arrays; a row at a time, since they are large."""
    return max(float(abs(a.astype("f8") - b.astype("f8")).max()) for a, b in zip(one, other, strict=True))


def set_threads(count: int) -> None:
    """How many threads the parallel loops of compiled C have."""
    try:
        ctypes.CDLL("libgomp.so.1").omp_set_num_threads(count)
    except OSError:
        print("no OpenMP: our loops run on one thread", file=sys.stderr)


def others(case: Case, threads: int) -> dict[str, tuple[Run, float]]:
    """What OpenCV has for about the same work: other pixels, as the names say."""
    try:
        import cv2
    except ImportError:
        return {}
    cv2.setNumThreads(threads)
    image, size = case.inputs[0], case.shape[1::-1]
    found: dict[str, Run] = {}
    match case.kernel:
        case "box_blur":
            found["OpenCV blur (rounds once)"] = lambda: cv2.blur(image, (3, 3))
        case "harris":
            found["OpenCV cornerHarris (with borders)"] = lambda: cv2.cornerHarris(image, 3, 3, 0.04)
        case "bilateral_grid":
            found["OpenCV bilateralFilter (5 x 5)"] = lambda: cv2.bilateralFilter(image, 5, 0.1, 8)
        case "demosaic":
            found["OpenCV demosaicing (bilinear)"] = lambda: cv2.cvtColor(image, cv2.COLOR_BayerGB2RGB)
            found["OpenCV demosaicing (edge-aware)"] = lambda: cv2.cvtColor(image, cv2.COLOR_BayerGB2RGB_EA)
        case "resize":
            found["OpenCV resize (cubic, aliased)"] = lambda: cv2.resize(image, size, interpolation=cv2.INTER_CUBIC)
        case _:
            pass
    return {name: (run, math.nan) for name, run in found.items()}


def best_halide(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each kernel, size and number of threads the row of the fastest Halide schedule, by what ours is faster."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        key = row["kernel"], row["size"], row["threads"]
        if row["who"].startswith("Halide") and (key not in found or row["ours_is_faster_by"] < found[key]["ours_is_faster_by"]):
            found[key] = row
    return list(found.values())


def judge(rows: list[dict[str, Any]]) -> list[str]:
    """The goals that were missed, and results that differ."""
    best = best_halide(rows)
    missed = [
        f"{row['kernel']} {row['size']}, {row['threads']} threads: {row['ours_is_faster_by']:.2f} of {row['who']}, "
        f"wanted {GOALS.get(row['kernel'], 1.0)}"
        for row in best
        if row["ours_is_faster_by"] < GOALS.get(row["kernel"], 1.0)
    ]
    mean = math.exp(sum(math.log(row["ours_is_faster_by"]) for row in best) / len(best)) if best else MEAN
    if mean < MEAN:
        missed.append(f"the geometric mean is {mean:.2f}, wanted {MEAN}")
    missed += [
        f"{name}: two threads are {times:.2f} times as fast as one, wanted 1.8" for name, times in scaling(rows) if times < 1.8
    ]
    wrong = [
        f"{row['who']} gives other pixels for {row['kernel']}"
        for row in rows
        if row["differs_by"] > TOLERANCE.get(row["kernel"], 0.01)
    ]
    return [*missed, *wrong]


def scaling(rows: list[dict[str, Any]]) -> list[tuple[str, float]]:
    """For each kernel and size how many times faster two threads of ours are than one."""
    times = {(row["kernel"], row["size"], row["threads"]): row["least_ms"] for row in rows if row["who"] == "usl"}
    both = [key for key in times if key[2] == 1 and (*key[:2], 2) in times]
    return [(f"{kernel} {size}", times[kernel, size, 1] / times[kernel, size, 2]) for kernel, size, _ in both]


def markdown(rows: list[dict[str, Any]]) -> str:
    """All rows as a table."""
    lines = ["| kernel | size | threads | who | median ms | least ms | time over ours |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        figures = f"{row['ms']:.2f} | {row['least_ms']:.2f} | {row['ours_is_faster_by']:.2f}"
        lines.append(f"| {row['kernel']} | {row['size']} | {row['threads']} | {row['who']} | {figures} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.images", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kernels", default=",".join(KERNELS), help="names, with commas between them")
    parser.add_argument("--sizes", default="", help="such as 1536x2560, with commas between them; all if none is given")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--prepare", action="store_true", help="only compile")
    parser.add_argument("--json", action="store_true", help="rows as JSON rather than a table")
    chosen = parser.parse_args()
    threads = sorted(int(each) for each in chosen.threads.split(","))
    wanted = chosen.kernels.split(","), [each for each in chosen.sizes.split(",") if each]
    rows = []
    if chosen.prepare:
        for case in cases(*wanted):
            prepare(case, threads)
    for count in [] if chosen.prepare else threads:  # Halide's threads go on working when it is told to use fewer
        for case in cases(*wanted):
            rows += contest(case, [count], chosen.rounds)
    print(json.dumps(rows) if chosen.json else markdown(rows))


if __name__ == "__main__":
    main()
