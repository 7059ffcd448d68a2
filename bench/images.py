"""Image kernels of `usl_halide_lib` against Halide 21 with its hand-written and automatic schedules, and OpenCV.

    python -m bench images        # each number of threads in a process of its own; contestants take turns

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
from collections.abc import Callable
from pathlib import Path
from typing import Any

SIZES = ((1536, 2560), (4320, 7680))
AUTOMATIC = ("Mullapudi2016", "Adams2019", "Li2018")
GOALS = {"box_blur": 1.1, "unsharp": 1.2, "harris": 1.0}
"""How many times the speed of the best Halide schedule is wanted."""

Run = Callable[[], object]


def measure(rounds: int) -> list[dict[str, Any]]:
    """A row for each kernel, size, number of threads and contestant."""
    rows: list[dict[str, Any]] = []
    for threads in (1, 2):
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), HL_NUM_THREADS=str(threads))
        command = [sys.executable, "-m", "bench.images", str(threads), str(rounds)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        rows += json.loads(done.stdout.splitlines()[-1])
    return rows


def contest(threads: int, rounds: int) -> list[dict[str, Any]]:
    """The rows of this process."""
    import numpy as np

    numbers, rows = np.random.default_rng(0), []
    for height, width in SIZES:
        pixels = numbers.integers(0, 1 << 16, (height + 2, width + 2), dtype=np.uint16)
        colours = numbers.uniform(0.25, 1.0, (3, height + 6, width + 6)).astype(np.float32)
        gray = numbers.random((height + 4, width + 4), dtype=np.float32)
        for kernel, image, shape in (
            ("box_blur", pixels, (height, width)),
            ("unsharp", colours, (3, height, width)),
            ("harris", gray, (height, width)),
        ):
            runs = contestants(kernel, image, np.empty(shape, image.dtype), threads)
            times = in_turns({name: run for name, (run, _) in runs.items()}, rounds)
            mine = times["usl"]
            for name, taken in times.items():
                ratios = sorted(other / own for other, own in zip(taken, mine, strict=True))
                rows.append(
                    {
                        "kernel": kernel,
                        "size": f"{height}x{width}",
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


def contestants(kernel: str, image: Any, out: Any, threads: int) -> dict[str, tuple[Run, float]]:
    """By name what runs a kernel, and the greatest difference of its result from ours."""
    import numpy as np

    from usl_halide_lib import kernels

    ours = getattr(kernels, kernel)
    expected = ours(image).astype(np.float64)
    found: dict[str, tuple[Run, float]] = {"usl": (lambda: ours(image, out), 0.0)}
    for name, made in halide(kernel, image, threads):
        run, result = made
        run()
        found[name] = run, float(np.abs(np.asarray(result()).astype(np.float64) - expected).max())
    if kernel == "box_blur":
        found |= others(image)
    return found


def others(image: Any) -> dict[str, tuple[Run, float]]:
    """OpenCV's box filter, which divides once by 9 and rounds: other pixels, about the same work."""
    found: dict[str, tuple[Run, float]] = {}
    try:
        import cv2

        cv2.setNumThreads(int(os.environ.get("OMP_NUM_THREADS", "1")))
        found["OpenCV blur (rounds once)"] = (lambda: cv2.blur(image, (3, 3))), math.nan
    except ImportError:
        pass
    return found


def halide(kernel: str, image: Any, threads: int) -> list[tuple[str, tuple[Run, Callable[[], Any]]]]:
    """Each schedule that could be made: what runs it, and what gives the result."""
    try:
        import halide as hl
    except ImportError:
        return []
    found = []
    by_hand = {"box_blur": ("tiles", "rows"), "unsharp": ("rows",), "harris": ("rows",)}[kernel]
    for how in (*by_hand, *AUTOMATIC):
        try:
            found.append((f"Halide {how}", pipeline(hl, kernel, how, image, threads)))
        except Exception as error:  # a plugin may be missing, or refuse the pipeline
            print(f"Halide {how} of {kernel}: {error}", file=sys.stderr)
    return found


def pipeline(hl: Any, kernel: str, how: str, image: Any, threads: int) -> tuple[Run, Callable[[], Any]]:
    """A kernel in Halide with one schedule, compiled."""
    import numpy as np

    border = {"box_blur": 2, "unsharp": 6, "harris": 4}[kernel]
    kind = hl.UInt(16) if kernel == "box_blur" else hl.Float(32)
    given = hl.ImageParam(kind, image.ndim, "given")
    given.set(hl.Buffer(image))
    output, funcs = {"box_blur": blur, "unsharp": unsharp, "harris": harris}[kernel](hl, given)
    shape = (*image.shape[:-2], image.shape[-2] - border, image.shape[-1] - border)
    result = np.zeros(shape, image.dtype)
    whole = hl.Buffer(result)
    if how in AUTOMATIC:
        (plugin,) = Path(hl.__file__).parent.rglob(f"libautoschedule_{how.lower()}.so")
        hl.load_plugin(str(plugin))
        for dim, extent in enumerate(reversed(shape)):
            output.set_estimate(output.args()[dim], 0, extent)
        for dim, extent in enumerate(reversed(image.shape)):
            given.dim(dim).set_estimate(0, extent)
        whole_pipeline = hl.Pipeline(output)
        parameters = {"parallelism": str(threads)}
        whole_pipeline.apply_autoscheduler(hl.get_jit_target_from_environment(), hl.AutoschedulerParams(how, parameters))
        whole_pipeline.compile_jit()
        return (lambda: whole_pipeline.realize(whole)), lambda: result
    by_hand(hl, kernel, how, output, funcs)
    output.compile_jit()
    return (lambda: output.realize(whole)), lambda: result


def blur(hl: Any, given: Any) -> tuple[Any, list[Any]]:
    x, y = hl.Var("x"), hl.Var("y")
    rows, both, three = hl.Func("blur_x"), hl.Func("blur_y"), hl.u16(3)
    rows[x, y] = (given[x, y] + given[x + 1, y] + given[x + 2, y]) / three
    both[x, y] = (rows[x, y] + rows[x, y + 1] + rows[x, y + 2]) / three
    return both, [rows]


def unsharp(hl: Any, given: Any) -> tuple[Any, list[Any]]:
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    k = [hl.f32(math.exp(-i * i / 4.5) / (math.sqrt(2 * math.pi) * 1.5)) for i in range(4)]
    gray, down, both = hl.Func("gray"), hl.Func("blur_y"), hl.Func("blur_x")
    sharpen, ratio, output = hl.Func("sharpen"), hl.Func("ratio"), hl.Func("output")
    gray[x, y] = hl.f32(0.299) * given[x, y, 0] + hl.f32(0.587) * given[x, y, 1] + hl.f32(0.114) * given[x, y, 2]
    down_sum = k[0] * gray[x, y + 3]
    for i in (1, 2, 3):
        down_sum = down_sum + k[i] * (gray[x, y + 3 - i] + gray[x, y + 3 + i])
    down[x, y] = down_sum
    both_sum = k[0] * down[x + 3, y]
    for i in (1, 2, 3):
        both_sum = both_sum + k[i] * (down[x + 3 - i, y] + down[x + 3 + i, y])
    both[x, y] = both_sum
    sharpen[x, y] = hl.f32(2.0) * gray[x + 3, y + 3] - both[x, y]
    ratio[x, y] = sharpen[x, y] / gray[x + 3, y + 3]
    output[x, y, c] = ratio[x, y] * given[x + 3, y + 3, c]
    return output, [gray, down, ratio]


def harris(hl: Any, given: Any) -> tuple[Any, list[Any]]:
    x, y = hl.Var("x"), hl.Var("y")
    gx, gy = hl.Func("gx"), hl.Func("gy")
    at, two = (lambda dx, dy: given[x + dx, y + dy]), hl.f32(2.0)
    gx[x, y] = at(2, 0) - at(0, 0) + two * (at(2, 1) - at(0, 1)) + at(2, 2) - at(0, 2)
    gy[x, y] = at(0, 2) - at(0, 0) + two * (at(1, 2) - at(1, 0)) + at(2, 2) - at(2, 0)

    def box(name: str, a: Any, b: Any) -> Any:
        func, total = hl.Func(name), None
        for dy in range(3):
            for dx in range(3):
                term = a[x + dx, y + dy] * b[x + dx, y + dy]
                total = term if total is None else total + term
        func[x, y] = total
        return func

    xx, xy, yy = box("xx", gx, gx), box("xy", gx, gy), box("yy", gy, gy)
    output, trace = hl.Func("response"), xx[x, y] + yy[x, y]
    output[x, y] = xx[x, y] * yy[x, y] - xy[x, y] * xy[x, y] - hl.f32(0.04) * trace * trace
    return output, [gx, gy]


def by_hand(hl: Any, kernel: str, how: str, output: Any, funcs: list[Any]) -> None:
    """The schedule that the thesis or Halide's applications give, with vectors of this machine."""
    x, y = hl.Var("x"), hl.Var("y")
    xi, yi, yo = hl.Var("xi"), hl.Var("yi"), hl.Var("yo")
    if kernel == "box_blur" and how == "tiles":
        output.tile(x, y, xi, yi, 256, 32).vectorize(xi, 32).parallel(y)
        funcs[0].compute_at(output, x).vectorize(x, 32)
    elif kernel == "box_blur":
        output.split(y, y, yi, 64).parallel(y).vectorize(x, 32)
        funcs[0].store_at(output, y).compute_at(output, yi).vectorize(x, 32)
    else:
        output.split(y, yo, yi, 32).parallel(yo).vectorize(x, 16)
        if kernel == "unsharp":
            c = hl.Var("c")
            output.bound(c, 0, 3).reorder(x, c, yi, yo).unroll(c)
        for func in funcs:
            func.compute_at(output, yi).store_at(output, yo).vectorize(x, 16)


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
    missed = [
        f"{row['kernel']} {row['size']}, {row['threads']} threads: {row['ours_is_faster_by']:.2f} of {row['who']}, "
        f"wanted {GOALS[row['kernel']]}"
        for row in best_halide(rows)
        if row["ours_is_faster_by"] < GOALS[row["kernel"]]
    ]
    wrong = [f"{row['who']} gives other pixels for {row['kernel']}" for row in rows if row["differs_by"] > 0.01]
    return [*missed, *wrong]


def markdown(rows: list[dict[str, Any]]) -> str:
    """All rows as a table."""
    lines = ["| kernel | size | threads | who | median ms | least ms | time over ours |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        figures = f"{row['ms']:.2f} | {row['least_ms']:.2f} | {row['ours_is_faster_by']:.2f}"
        lines.append(f"| {row['kernel']} | {row['size']} | {row['threads']} | {row['who']} | {figures} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(json.dumps(contest(int(sys.argv[1]), int(sys.argv[2]))))
