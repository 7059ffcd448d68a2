"""Image kernels of `usl_halide_lib` against Halide 21 with its hand-written and automatic schedules, and OpenCV.

    python -m bench images        # each number of threads in a process of its own; contestants take turns
    python -m bench.images 1 9 demosaic resize      # threads, rounds, kernels (all of them if none): the rows as JSON

All get the same arrays, and their results are compared before anything is timed. A figure is the median over the rounds of
a contestant's time over ours in the same round, so that load of the machine weighs on both.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SIZES = ((1536, 2560), (4320, 7680))
AUTOMATIC = ("Mullapudi2016", "Adams2019", "Li2018")
GOALS = {"box_blur": 1.1, "unsharp": 1.2}
"""How many times the speed of the best Halide schedule is wanted, where it is not 1."""

MEAN = 1.15
"""The geometric mean of these that is wanted."""

TOLERANCE = {"local_laplacian": 2000.0, "separable_convolution": 0.1}
"""By how much results may differ, where it is not 0.01: a place in the table of the Laplacian depends on rounding."""

Run = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Case:
    """One call: the kernel, what the table calls its size, what Halide and our function are given, the result's shape."""

    kernel: str
    size: str
    inputs: tuple[Any, ...]
    ours: tuple[Any, ...]
    shape: tuple[int, ...]


def measure(rounds: int) -> list[dict[str, Any]]:
    """A row for each kernel, size, number of threads and contestant."""
    rows: list[dict[str, Any]] = []
    for threads in (1, 2):
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), HL_NUM_THREADS=str(threads))
        command = [sys.executable, "-m", "bench.images", str(threads), str(rounds)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        rows += json.loads(done.stdout.splitlines()[-1])
    return rows


def cases(names: Sequence[str] = ()) -> Iterator[Case]:
    """What is measured, or what of it is about the kernels of some names; arrays are made when their case is asked for."""
    for height, width in SIZES:
        for kernel in ("box_blur", "unsharp", "harris", "bilateral_grid", "demosaic", "local_laplacian", "resize"):
            if not names or kernel in names:
                yield image_case(kernel, height, width)
    for layer in ((112, 112, 32, 64), (56, 56, 128, 128)):
        if not names or "separable_convolution" in names:
            yield layer_case(*layer)


def image_case(kernel: str, height: int, width: int) -> Case:
    """A kernel on one image of random pixels."""
    import numpy as np

    numbers, size = np.random.default_rng(0), f"{height}x{width}"
    if kernel == "resize":
        from usl_halide_lib.resampling import cubic_taps

        gray, shape = numbers.random((height, width), dtype=np.float32), (2 * height // 3, 2 * width // 3)
        (rows, down), (columns, across) = cubic_taps(height, shape[0]), cubic_taps(width, shape[1])
        tables = (np.array(each, order="C") for each in (rows, down, columns.T, across.T))  # Halide wants to write
        return Case(kernel, size, (gray, *tables), (gray, shape), shape)
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
    return Case(kernel, size, (image,), (image,), result)


def layer_case(height: int, width: int, channels: int, results: int) -> Case:
    """A depthwise-separable convolution of MobileNet's shapes."""
    import numpy as np

    numbers = np.random.default_rng(0)
    shapes = (height + 2, width + 2, channels), (3, 3, channels), (channels, results), (results,)
    given = tuple(numbers.standard_normal(shape, dtype=np.float32) for shape in shapes)
    return Case("separable_convolution", f"{height}x{width}x{channels}x{results}", given, given, (height, width, results))


def contest(threads: int, rounds: int, names: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The rows of this process."""
    rows: list[dict[str, Any]] = []
    for case in cases(names):
        runs = contestants(case, threads)
        times = in_turns({name: run for name, (run, _) in runs.items()}, rounds)
        for name, taken in times.items():
            ratios = sorted(other / own for other, own in zip(taken, times["usl"], strict=True))
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
    """The times of each, in another order in each round, so that nobody always follows a long run; the first is not counted."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in random.Random(number).sample(list(runs.items()), len(runs)):
            start = time.perf_counter()
            run()
            if number:
                times[name].append(time.perf_counter() - start)
    return times


def contestants(case: Case, threads: int) -> dict[str, tuple[Run, float]]:
    """By name what runs a kernel, and the greatest difference of its result from ours."""
    import numpy as np

    from usl_halide_lib import kernels

    ours = getattr(kernels, case.kernel)
    out = np.empty_like(ours(*case.ours))
    expected = ours(*case.ours, out=out).astype(np.float64)
    found: dict[str, tuple[Run, float]] = {"usl": (lambda: ours(*case.ours, out=out), 0.0)}
    for name, (run, result) in halide(case, out.dtype, threads):
        run()
        found[name] = run, float(np.abs(np.asarray(result()).astype(np.float64) - expected).max())
    return found | others(case, threads)


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


def halide(case: Case, kind: Any, threads: int) -> list[tuple[str, tuple[Run, Callable[[], Any]]]]:
    """Each schedule that could be made: what runs it, and what gives the result."""
    try:
        import halide as hl
    except ImportError:
        return []
    from bench.images_halide import BY_HAND

    found = []
    for how in (*BY_HAND[case.kernel], *AUTOMATIC):
        try:
            found.append((f"Halide {how}", pipeline(hl, case, how, kind, threads)))
        except Exception as error:  # a plugin may be missing, or refuse the pipeline
            print(f"Halide {how} of {case.kernel}: {str(error).splitlines()[0]}", file=sys.stderr)
    return found


def pipeline(hl: Any, case: Case, how: str, kind: Any, threads: int) -> tuple[Run, Callable[[], Any]]:
    """A kernel in Halide with one schedule, compiled."""
    import numpy as np

    from bench.images_halide import BY_HAND, DEFINED

    given = hl.ImageParam(KINDS[str(case.inputs[0].dtype)](hl), case.inputs[0].ndim, "given")
    given.set(hl.Buffer(case.inputs[0]))
    tables = [hl.Buffer(each) for each in case.inputs[1:]]
    output, funcs = DEFINED[case.kernel](hl, given, *tables)
    result = np.zeros(case.shape, kind)
    whole = hl.Buffer(result)
    if how not in AUTOMATIC:
        BY_HAND[case.kernel][how](hl, output, funcs)
        output.compile_jit()
        return (lambda: output.realize(whole)), lambda: result
    (plugin,) = Path(hl.__file__).parent.rglob(f"libautoschedule_{how.lower()}.so")
    hl.load_plugin(str(plugin))
    for dim, extent in enumerate(reversed(case.shape)):
        output.set_estimate(output.args()[dim], 0, extent)
    for dim, extent in enumerate(reversed(case.inputs[0].shape)):
        given.dim(dim).set_estimate(0, extent)
    made = hl.Pipeline(output)
    made.apply_autoscheduler(hl.get_jit_target_from_environment(), hl.AutoschedulerParams(how, {"parallelism": str(threads)}))
    made.compile_jit()
    return (lambda: made.realize(whole)), lambda: result


KINDS: dict[str, Callable[[Any], Any]] = {"uint16": lambda hl: hl.UInt(16), "float32": lambda hl: hl.Float(32)}
"""Halide's types."""


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


if __name__ == "__main__":
    print(json.dumps(contest(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])))
