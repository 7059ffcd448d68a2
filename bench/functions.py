"""Functions in vectors, ours against SLEEF, libmvec, NumPy and torch: nanoseconds an element, on one core.

`python -m bench functions` runs this module in a process of its own (`bench.versus.run_pinned`). Ours is what `vectorize` makes
of a user's loop, by `interleave` four registers at once where there is an instruction for that; SLEEF (u10, Debian's
libsleef-dev) and libmvec are called in a loop over vectors of AVX-512, in C. All work on the same numbers, which the second
cache holds, and take turns; all results are compared with ours.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench import versus
from bench.measure import take_turns
from bench.versus import OURS

SIZES = {"f32": 1 << 16, "f64": 1 << 15}
DTYPES = {"f32": np.float32, "f64": np.float64}
PLACES = 8
"""How far results may be apart, in units in the last place: none of them is off by more than four."""
SAMPLE = 2e-3
"""Seconds of a sample: shorter calls are repeated."""
RANGES: dict[str, tuple[float, float]] = {
    "exp2": (-20, 20),
    "log": (0, 100),
    "log2": (0, 100),
    "log1p": (0, 100),
    "rsqrt": (0, 100),
    "tanh": (-4, 4),
    "erf": (-4, 4),
    "expm1": (-4, 4),
    "pow": (0, 10),
}
"""Where arguments lie, and in other functions from -10 to 10."""
WRITTEN = {"sigmoid": "1.0 / (1.0 + exp(-x[i]))", "pow": "pow(x[i], z[i])"}
SLOWER_ALLOWED = {"SLEEF": 1.0}
"""The goal, as a ratio to this peer; to others 0.9."""

Work = Callable[[], object]


def vector_library(name: str, folder: Path) -> ctypes.CDLL | None:
    """The loops over SLEEF's or libmvec's functions; None where it is not installed.

    Folders of LIBRARY_PATH, where the compiler looks for libraries, are those where the loops look for them.
    """
    source = Path(__file__).with_name("functions_peers.c")
    file = folder / f"{name}.so"
    options = ["-DSLEEF", "-lsleef"] if name == "sleef" else ["-lmvec", "-lm"]
    folders = [f"-Wl,-rpath,{each}" for each in os.environ.get("LIBRARY_PATH", "").split(os.pathsep) if each]
    command = [
        "cc",
        "-O2",
        "-mavx512f",
        "-shared",
        "-fPIC",
        str(source),
        "-o",
        str(file),
        "-Wl,--no-undefined",
        *folders,
        *options,
    ]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        return None
    try:
        return ctypes.CDLL(str(file))
    except OSError:
        return None


def ours(function: str, typ: str, x: Any, z: Any, y: Any) -> Work:
    """A user's loop, vectorized, and by four registers at once where there is an instruction for that."""
    from usl_avx512 import AVX512, isa
    from usl_core import proc_from_source
    from usl_stdlib import interleave, replace_all, vectorize

    lanes = 16 if typ == "f32" else 8
    value = WRITTEN.get(function, f"{function}(x[i])")
    second, operands = (f"z: {typ}[n], ", (x, z, y)) if function == "pow" else ("", (x, y))
    head = f"def {function}_loop(n: size, x: {typ}[n], {second}y: {typ}[n]):"
    p = proc_from_source(f"{head}\n    for i in seq(0, n):\n        y[i] = {value}\n")
    p, vectors = vectorize(p, "i", lanes, AVX512, isa.for_lanes(lanes, types=(typ,)), tail="masked")
    if (four := f"mm512x4_{function}_{'ps' if typ == 'f32' else 'pd'}") in isa.names():
        p, _ = interleave(p, vectors.loop, 4)
        p = replace_all(p, getattr(isa, four))
    call = p.jit()
    return lambda: call(len(x), *operands)


def with_numpy(function: str, x: Any, z: Any, y: Any) -> Work | None:
    """NumPy's function of this name."""
    if function == "pow":
        return lambda: np.power(x, z, out=y)
    found = getattr(np, function, None)
    return None if found is None else lambda: found(x, out=y)


def with_torch(torch: Any, function: str, x: Any, z: Any, y: Any) -> Work | None:
    """torch's function of this name."""
    a, b, c = (torch.from_numpy(each) for each in (x, z, y))
    if function == "pow":
        return lambda: torch.pow(a, b, out=c)
    found = getattr(torch, function, None)
    return None if found is None else lambda: found(a, out=c)


def in_c(library: ctypes.CDLL, prefix: str, function: str, typ: str, x: Any, z: Any, y: Any) -> Work | None:
    """The loop over a library's function."""
    loop = getattr(library, f"{prefix}_{function}_{typ}", None)
    if loop is None:
        return None
    arguments = (ctypes.c_int64(len(x)), *(ctypes.c_void_p(each.ctypes.data) for each in (x, z, y)))
    return lambda: loop(*arguments)


def contestants(function: str, typ: str, peers: Mapping[str, Any]) -> dict[str, tuple[Work, Any]]:
    """Who takes part, with the array that it writes to."""
    rng = np.random.default_rng(19)
    size, dtype = SIZES[typ], DTYPES[typ]
    x = rng.uniform(*RANGES.get(function, (-10, 10)), size).astype(dtype)
    z = rng.uniform(-10, 10, size).astype(dtype)
    found: dict[str, tuple[Work, Any]] = {}
    for name in (OURS, *peers):
        y = np.zeros(size, dtype)
        match name:
            case "NumPy":
                work = with_numpy(function, x, z, y)
            case "torch":
                work = with_torch(peers[name], function, x, z, y)
            case "SLEEF" | "libmvec":
                work = in_c(peers[name], "sleef" if name == "SLEEF" else "mvec", function, typ, x, z, y)
            case _:
                work = ours(function, typ, x, z, y)
        if work is not None:
            found[name] = (work, y)
    return found


def apart(a: Any, b: Any) -> float:
    """How far two results are apart, in units in the last place."""
    return float(np.max(np.abs(a.astype(np.longdouble) - b) / np.spacing(np.abs(a))))


def measure(rounds: int, only: str = "") -> dict[str, Any]:
    """The rows of the table, and what is wrong with results."""
    peers: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        peers["SLEEF"] = vector_library("sleef", Path(folder))
        peers["libmvec"] = vector_library("mvec", Path(folder))
    peers["NumPy"] = np
    try:
        import torch  # type: ignore[import-not-found,unused-ignore]

        torch.set_num_threads(1)
    except ImportError:
        torch = None
    peers["torch"] = torch
    missing = [f"{name}, which is not installed" for name, each in peers.items() if each is None]
    present = {name: each for name, each in peers.items() if each is not None}
    rows, problems = [], []
    for function, typ in _functions(only):
        found = contestants(function, typ, present)
        for work, _ in found.values():
            work()
        for name, (_, y) in found.items():
            if (off := apart(found[OURS][1], y)) > PLACES:
                problems.append(f"{function} of {typ}: ours and {name}'s are {off:.1f} units in the last place apart")
        timings = take_turns({name: repeated(work) for name, (work, _) in found.items()}, rounds)
        row = {
            "function": function,
            "type": typ,
            "ns": {name: 1e9 * timings.median(name) / SIZES[typ] for name in found},
            "ratios": {name: timings.speedup(OURS, name).median for name in found if name != OURS},
        }
        rows.append(row)
        print(markdown([row]).splitlines()[-1], flush=True)
    return {"rows": rows, "problems": problems, "missing": missing}


def _functions(only: str) -> list[tuple[str, str]]:
    from usl_avx512 import isa

    found = []
    for name in [each.name() for each in isa.instructions("functions")]:
        function, _, suffix = name.removeprefix("mm512_").rpartition("_")
        if not function.startswith("mask_") and (not only or f"{function}_{suffix}" in only.split(",")):
            found.append((function, "f32" if suffix == "ps" else "f64"))
    return found


def repeated(work: Work) -> Callable[[], float]:
    """Seconds of one call, as the mean of as many as fill a sample."""

    def seconds(calls: int) -> float:
        begin = time.thread_time()  # all have one thread; what other programs take of the processor does not count
        for _ in range(calls):
            work()
        return (time.thread_time() - begin) / calls

    calls = max(1, round(SAMPLE / min(seconds(1) for _ in range(3))))
    return lambda: seconds(calls)


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """The table for a report."""
    names = (OURS, "SLEEF", "libmvec", "NumPy", "torch")
    lines = [f"| function | {' | '.join(names)} | of SLEEF | of the fastest |", "|---" * 8 + "|"]
    for row in rows:
        ns = [f"{row['ns'][name]:.3f}" if name in row["ns"] else "-" for name in names]
        sleef = f"{row['ratios']['SLEEF']:.2f}" if "SLEEF" in row["ratios"] else "-"
        fastest = f"{min(row['ratios'].values()):.2f}" if row["ratios"] else "-"
        lines.append(f"| `{row['function']}` {row['type']} | {' | '.join(ns)} | {sleef} | {fastest} |")
    return "\n".join(lines) + "\n"


def missed(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The functions that are behind a peer by more than the goal and the noise of a shared machine."""
    found = []
    for row in rows:
        for name, ratio in row["ratios"].items():
            goal = SLOWER_ALLOWED.get(name, 0.9)
            if ratio < versus.TOLERANCE * goal:
                found.append(f"{row['function']} of {row['type']}: {ratio:.2f} of {name}, goal {goal}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="functions, as exp_ps,exp_pd")
    arguments = parser.parse_args()
    versus.pin()
    print(json.dumps(measure(arguments.rounds, arguments.only)))


if __name__ == "__main__":
    main()
