"""The forty pipelines of Halide's language, the same text and directives through our compiler and through Halide's.

    python -m bench halide        # one thread; both compilers in one process, in turns
    ONLY="life gauss5" python -m bench halide          # these pipelines

The results are compared before anything is timed. Run time is the processor time of a call; a ratio is the median over rounds
of Halide's time over ours in the same round, so that load of the machine weighs on both. Compile time is the processor time
from definitions to C text for ours, to machine code for Halide's, with nothing cached but one func compiled before, so
that both compilers are loaded.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

TESTS = Path(__file__).resolve().parent.parent / "plugins" / "halide_lib" / "tests"
MODULES = "pipelines_filters", "pipelines_arrays", "pipelines_pyramids", "pipelines_camera"
WIDTH, HEIGHT = 1024, 768
SMALLER = {
    "counting_sort": (16384, 64),
    "non_local_means": (256, 192),
    "local_laplacian": (512, 384),
    "stencil_chain": (512, 384),
}
LEAST = 0.8
"""What no pipeline may be slower than, as a part of Halide's speed; the geometric mean is to be 1 at least."""


def cases() -> dict[str, Any]:
    """The pipelines by name, in the order of their numbers."""
    sys.path.insert(0, str(TESTS))
    for name in MODULES:
        importlib.import_module(name)
    found: dict[str, Any] = importlib.import_module("pipelines_cases").CASES
    return {name: found[name] for name in sorted(found, key=lambda each: found[each].number)}


def chosen() -> list[str]:
    """The pipelines that the environment's ONLY names, all if it names none (`make bench WHAT=halide ONLY="life gauss5"`)."""
    names = os.environ.get("ONLY", "").split()
    if unknown := set(names) - set(cases()):
        raise SystemExit(f"ONLY: there is no pipeline {', '.join(sorted(unknown))}; there are {', '.join(cases())}")
    return names


def measure(rounds: int, names: list[str]) -> list[dict[str, Any]]:
    """A row per pipeline, each in a process of its own with an empty cache."""
    rows = []
    for name in names or cases():
        with tempfile.TemporaryDirectory() as cache:
            environment = dict(os.environ, HL_NUM_THREADS="1", OMP_NUM_THREADS="1", USL_CACHE_DIR=cache)
            command = [sys.executable, "-W", "ignore", "-m", "bench.halide", name, str(rounds)]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=900)
        if done.returncode:
            rows.append({"name": name, "error": (done.stderr.strip().splitlines() or ["?"])[-1]})
        else:
            rows.append(json.loads(done.stdout.splitlines()[-1]))
        print(line(rows[-1]), flush=True)
    return rows


def line(row: dict[str, Any]) -> str:
    """A row as text."""
    if "error" in row:
        return f"{row['name']:22s} {row['error']}"
    run = f"{1e3 * row['ours']:9.3f} ms {1e3 * row['halide']:9.3f} ms {row['ratio']:6.2f}"
    return f"{row['name']:22s} {run}   {row['compile']:6.2f} s {row['halide_compile']:6.2f} s"


def contest(name: str, rounds: int) -> dict[str, Any]:
    """The row of one pipeline, measured in this process."""
    import halide

    from usl_halide_lib import hl

    case = cases()[name]
    size = SMALLER.get(name, (WIDTH, HEIGHT))
    arrays = case.arrays(*size)
    window = list(case.window(*size))
    seconds, outputs, runs = {}, {}, {}
    for language in (halide, hl):
        warm_up(language, language is hl)
        made, schedule = case.build(language, **{key: language.Buffer(array, key) for key, array in arrays.items()})
        schedule()
        pipeline = language.Pipeline(made)
        start = time.process_time()
        if language is hl:
            pipeline.procedure().c_code()
        else:
            pipeline.compile_jit()
        seconds[language] = time.process_time() - start
        first = pipeline.realize(window)
        outputs[language] = first if isinstance(first, list | tuple) else (first,)
        runs[language] = calls(pipeline, outputs[language], language is hl)
    agree(case, [[np.array(each) for each in outputs[language]] for language in (halide, hl)])
    times = in_turns(runs[hl], runs[halide], rounds)
    ratios = sorted(theirs / ours for ours, theirs in times)
    return {
        "name": name,
        "ours": sorted(ours for ours, _ in times)[rounds // 2],
        "halide": sorted(theirs for _, theirs in times)[rounds // 2],
        "ratio": ratios[rounds // 2],
        "compile": seconds[hl],
        "halide_compile": seconds[halide],
    }


def warm_up(language: Any, is_ours: bool) -> None:
    """Compile one func, so that the compilers are loaded."""
    first, x = language.Func("first"), language.Var("x")
    first[x] = x
    pipeline = language.Pipeline(first)
    if is_ours:
        pipeline.procedure().c_code()
    else:
        pipeline.compile_jit()


def calls(pipeline: Any, outputs: Any, is_ours: bool) -> Callable[[], object]:
    """A call that writes to the buffers of the first one."""
    if not is_ours:
        buffers = list(outputs)
        return lambda: pipeline.realize(buffers if len(buffers) > 1 else buffers[0])
    run: Callable[[], object] = pipeline.runner([each.window for each in outputs])
    return run


def agree(case: Any, both: list[list[np.ndarray[Any, Any]]]) -> None:
    """Refuse to time what does not compute the same."""
    for theirs, ours in zip(*both, strict=True):
        if case.differing:
            assert np.mean(theirs != ours) <= case.differing, "the results differ"
        elif case.rtol:
            np.testing.assert_allclose(ours, theirs, rtol=10 * case.rtol, atol=max(10 * case.atol, 1e-5))
        else:
            np.testing.assert_array_equal(ours, theirs)


def in_turns(ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> list[tuple[float, float]]:
    """Processor seconds of a call of each, in turns; short ones are repeated within a round."""
    repeats = max(1, math.ceil(2e-3 / max(once(ours, 1), 1e-6)))
    pairs = []
    for number in range(rounds):
        if number % 2:
            second = once(theirs, repeats)
            pairs.append((once(ours, repeats), second))
        else:
            pairs.append((once(ours, repeats), once(theirs, repeats)))
    return pairs


def once(call: Callable[[], object], repeats: int) -> float:
    """Processor seconds of a call."""
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


def chain(stages: int = 100) -> float:
    """Processor seconds of bounds inference for a chain of stencils."""
    from usl_halide_lib import hl
    from usl_halide_lib.lang.collect import collect
    from usl_halide_lib.lang.inference import infer
    from usl_halide_lib.lang.lower import lower

    x, y = hl.Var("x"), hl.Var("y")
    previous: Any = hl.ImageParam(hl.Float(32), 2, "im")
    for number in range(stages):
        func = hl.Func(f"f{number}")
        func[x, y] = previous[x - 1, y] + previous[x, y + 1] + previous[x + 1, y - 1]
        previous = func
    algorithm = collect([previous]).algorithm
    start = time.process_time()
    infer(lower(algorithm))
    return time.process_time() - start


def judge(rows: list[dict[str, Any]], seconds: float) -> list[str]:
    """The goals that were missed."""
    missed = [f"{row['name']}: {row['error']}" for row in rows if "error" in row]
    measured = [row for row in rows if "error" not in row]
    missed += [f"{row['name']}: {row['ratio']:.2f} of Halide's speed" for row in measured if row["ratio"] < LEAST]
    slow = [row for row in measured if row["compile"] > row["halide_compile"]]
    missed += [f"{row['name']}: compiled in {row['compile']:.2f} s, Halide in {row['halide_compile']:.2f} s" for row in slow]
    if measured and (mean := geometric_mean(measured)) < 1:
        missed.append(f"geometric mean of run time: {mean:.2f} of Halide's speed")
    if seconds > 1:
        missed.append(f"bounds of a chain of 100 stages: {seconds:.2f} s")
    return missed


def geometric_mean(rows: list[dict[str, Any]]) -> float:
    """Of the ratios."""
    return math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(contest(sys.argv[1], int(sys.argv[2]))))
