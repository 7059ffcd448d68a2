"""Kernels for Gemmini: bit-exact on the functional simulator, and how long the timing model says that they take."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

os.environ["USL_STORE"] = "off"  # schedules are worked out, not remembered

from tools.trusted import code_lines
from usl_core import Procedure
from usl_gemmini.chip import chip
from usl_gemmini.conv import conv
from usl_gemmini.decode import name_of
from usl_gemmini.kernels_conv import convolution
from usl_gemmini.kernels_matmul import ALGORITHMS
from usl_gemmini.layers import Layer
from usl_gemmini.library import compile_c
from usl_gemmini.matmul import configured_commands, cut, cut_for, matmul, stage
from usl_gemmini.recording import record
from usl_gemmini.sim import Simulator
from usl_gemmini.timing import simulate

SCALE = np.float32(0.002)
RATES = (1, 4, 8)
LATENCIES = (200, 300)
"""Cycles of a write, which nobody knows: 250 is the model's."""

MATMULS = {
    "512": (512, 512, 512),
    "matmul_4": (12544, 256, 64),
    "matmul_6": (12544, 64, 256),
    "matmul_14": (3136, 512, 128),
    "matmul_16": (3136, 128, 512),
    "matmul_27": (784, 1024, 256),
}
CONVOLUTIONS = {
    "conv_3": Layer(4, 56, 56, 64, 64, 3, 3),
    "conv_17": Layer(4, 28, 28, 128, 128, 3, 3),
    "conv_30": Layer(4, 14, 14, 256, 256, 3, 3),
}
"""M x N x K, and layers, of the fact sheet, section 12.1."""
POOLED = {f"{name}_pool": replace(layer, pool=True) for name, layer in CONVOLUTIONS.items()}
"""The same layers with 2 x 2 pooling in the store."""


MEASURED = {"512": 96.1, "matmul_4": 67.1, "matmul_6": 99.0, "matmul_14": 87.3, "matmul_16": 93.0, "matmul_27": 98.5}
"""Utilisation of the hardware's own loop on an FPGA, in per cent: section 12.2."""

SOURCES = {
    "matmul": ("matmul.py", "kernels_matmul.py"),
    "conv": ("conv.py", "cuts.py", "kernels_conv.py"),
    "both": ("pipelines.py", "configuration.py"),
}
"""The modules of schedules, by what they are for."""


@dataclass(frozen=True)
class Row:
    """One kernel. seconds are CPU seconds of its schedule with empty caches; utilisation is by rate and by write latency."""

    name: str
    exact: bool
    seconds: float
    operators: int
    lines_of_c: int
    commands: int
    config_commands: int
    config_before: int | None
    """Configuration commands where each instruction sets its record every time; None where the schedule has no such form."""
    ideal_cycles: int
    by_rate: dict[int, float]
    by_latency: dict[int, float]
    bound_at_8: float
    """What the host's commands admit at rate 8: two for each product, and all others."""
    hardware_loop: float | None = None
    """The model's utilisation of the hardware's own loop on this shape."""


def aligned(array: np.ndarray) -> np.ndarray:
    """The same elements from a multiple of 64 bytes on, so that no row of a transfer is split."""
    room = np.empty(array.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def random_i8(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Random int8, aligned."""
    return aligned(rng.integers(-128, 128, shape, np.int8))


def read_out(sums: np.ndarray) -> np.ndarray:
    """What an mvout makes of sums."""
    return np.clip(np.rint(sums.astype(np.int32).astype(np.float32) * SCALE), -128, 127).astype(np.int8)


def measure_matmul(name: str) -> Row:
    """One of MATMULS."""
    M, N, K = MATMULS[name]
    rng = np.random.default_rng(0)
    a, b, c = random_i8(rng, M, K), random_i8(rng, K, N), aligned(np.zeros((M, N), np.int8))
    sums = a.astype(np.float64) @ b.astype(np.float64)
    row = _measure(name, lambda: matmul(M, N, K), (a, b), c, read_out(sums), M * N * K)
    return replace(row, config_before=_unhoisted(M, N, K), hardware_loop=_hardware_loop(a, b, c))


def _unhoisted(M: int, N: int, K: int) -> int:
    """The configuration commands of a product in which each instruction sets its record every time."""
    target = chip()
    shape = cut_for(M, N, K, target.params)
    p = ALGORITHMS["none"](False).partial_eval(M=M, N=N, K=K)
    p = configured_commands(stage(cut(p, shape, "none"), shape, target), shape, target, False, "none")
    return _config_commands(record(p))


def _config_commands(trace: np.ndarray) -> int:
    names = [name_of(funct, rs1) or "" for funct, rs1 in trace[:, :2].tolist()]
    return sum(each.startswith("config") for each in names)


def _hardware_loop(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    """The model's utilisation of the commands that the hardware's loop sends, which the tests compare with the FPGA."""
    streams = compile_c((Path(__file__).parents[1] / "plugins/gemmini/tests/streams.c").read_text())
    sim = Simulator()
    with sim.session(record=True, execute=False):
        pointers = (ctypes.c_void_p(each.ctypes.data) for each in (a, b, c))
        streams.hardware_loop(*pointers, *map(ctypes.c_int, (len(a), b.shape[1], len(b))), ctypes.c_float(SCALE))
    return simulate(sim.trace(), sim.params, unrolled=True, issue=1).utilisation


def measure_conv(name: str) -> Row:
    """One of CONVOLUTIONS or of POOLED."""
    layer = (CONVOLUTIONS | POOLED)[name]
    rng = np.random.default_rng(0)
    x = random_i8(rng, *layer.pixels_in)
    w = random_i8(rng, layer.KH, layer.KW, layer.IC, layer.OC)
    bias = aligned(rng.integers(-(2**15), 2**15, layer.OC, np.int32))
    y = aligned(np.zeros(layer.pixels_out, np.int8))
    images = x.reshape(layer.N, layer.HI, layer.WI, layer.IC).astype(np.float64)
    sums = np.zeros((layer.N, layer.H, layer.W, layer.OC)) + bias
    for r in range(layer.KH):
        for c in range(layer.KW):
            sums += images[:, r : r + layer.H, c : c + layer.W] @ w[r, c].astype(np.float64)
    small = read_out(sums)
    if layer.pool:
        small = small.reshape(layer.N, layer.H // 2, 2, layer.W // 2, 2, layer.OC).max(axis=(2, 4))
    return _measure(name, lambda: conv(layer), (x, w, bias), y, small.reshape(y.shape), layer.products)


def _measure(
    name: str,
    schedule: Callable[[], Procedure],
    inputs: tuple[np.ndarray, ...],
    out: np.ndarray,
    want: np.ndarray,
    products: int,
) -> Row:
    begun = time.process_time()
    kernel = schedule()
    seconds = time.process_time() - begun
    compiled, sim = kernel.jit(), Simulator()
    with sim.session(record=True):
        sim.allow(*inputs, out)
        compiled(SCALE, *inputs, out)
        sim.host_reads(out)
    trace = sim.trace()
    ideal = products // sim.params.dim**2
    by_rate = {rate: simulate(trace, sim.params, issue=rate).utilisation for rate in RATES}
    by_latency = {
        cycles: simulate(trace, sim.params, issue=4, write_latency=cycles, rewrite_latency=cycles).utilisation
        for cycles in LATENCIES
    }
    return Row(
        name,
        bool((out == want).all()),
        seconds,
        len(kernel.history()),
        kernel.c_code().count("\n"),
        len(trace),
        _config_commands(trace),
        None,
        ideal,
        by_rate,
        by_latency,
        min(1.0, ideal / (8 * len(trace))),
    )


def markdown(rows: list[Row]) -> str:
    """The figures as tables."""
    off = [100 * row.hardware_loop - MEASURED[row.name] for row in rows if row.hardware_loop is not None]
    lines = [
        f"Utilisation in per cent by the timing model. It is between {min(off):+.1f} and {max(off):+.1f} points off what FPGA",
        "runs of the hardware's loop took: read each figure with that error. Nobody knows the latency of writes (250 cycles).",
        "",
        "| kernel | ideal cycles | rate 1 | rate 4 | rate 8 | bound by commands at 8 | rate 4, writes of 200 | of 300 |"
        " hardware loop, modelled | measured |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        rates = " | ".join(f"{100 * row.by_rate[rate]:.1f}" for rate in RATES)
        late = " | ".join(f"{100 * row.by_latency[cycles]:.1f}" for cycles in LATENCIES)
        loop = "- | -" if row.hardware_loop is None else f"{100 * row.hardware_loop:.1f} | {MEASURED[row.name]}"
        lines.append(f"| {row.name} | {row.ideal_cycles:,} | {rates} | {100 * row.bound_at_8:.1f} | {late} | {loop} |")
    lines += [
        "",
        "| kernel | bit-exact | commands | configuration | if each sets its own | operators | CPU seconds | lines of C |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.name} | {'yes' if row.exact else 'NO'} | {row.commands:,} | {row.config_commands}"
        f" | {'-' if row.config_before is None else f'{row.config_before:,}'} | {row.operators}"
        f" | {row.seconds:.2f} | {row.lines_of_c} |"
        for row in rows
    ]
    return "\n".join([*lines, "", *_sources(rows)]) + "\n"


def _sources(rows: list[Row]) -> list[str]:
    """Lines of code, without blanks, comments and docstrings."""
    folder = Path(chip.__code__.co_filename).parent
    lines = ["| | algorithm | schedule, lines of Python | generated C, all kernels |", "|---|---|---|---|"]
    bodies = {"matmul": ALGORITHMS["none"](False), "conv": convolution(CONVOLUTIONS["conv_3"])}
    for kind, names in SOURCES.items():
        algorithm = str(len(str(bodies[kind]).splitlines()) - 2) if kind in bodies else "-"
        made = sum(row.lines_of_c for row in rows if row.name in (MATMULS if kind == "matmul" else CONVOLUTIONS))
        of_c = str(made) if kind in bodies else "-"
        lines.append(f"| {kind} | {algorithm} | {sum(code_lines(folder / name) for name in names)} | {of_c} |")
    return lines


def as_json(rows: list[Row]) -> dict[str, object]:
    """The figures as data."""
    return {"rows": [asdict(row) for row in rows]}


def measure() -> list[Row]:
    """All kernels."""
    matmul(16, 16, 16), conv(Layer(1, 4, 4, 16, 16, 3, 3))  # what is loaded once per process is no time of a schedule
    return [*map(measure_matmul, MATMULS), *map(measure_conv, [*CONVOLUTIONS, *POOLED])]


def judge(rows: list[Row]) -> list[str]:
    """What is wrong, or below the goals of the model's utilisation, of the host's bound and of scheduling time."""
    found = [f"{row.name} differs from NumPy" for row in rows if not row.exact]
    for row in rows:
        product = row.name in MATMULS
        goals = {4: 0.985 if product else 0.94, 8: row.bound_at_8 - 0.015 if product else 0.84}
        found += [
            f"{row.name}: {row.by_rate[rate]:.1%} at rate {rate}, goal {goal:.1%}"
            for rate, goal in goals.items()
            if row.by_rate[rate] < goal
        ]
        if row.hardware_loop is not None and row.by_rate[4] < row.hardware_loop - 0.005:
            found.append(f"{row.name}: {row.by_rate[4]:.1%}, the hardware's loop {row.hardware_loop:.1%}")
    for what, seconds in _scheduling(rows).items():
        if seconds > 3:
            found.append(f"{what}: {seconds:.1f} CPU seconds to schedule, goal 3")
    return found


def _scheduling(rows: list[Row]) -> dict[str, float]:
    """CPU seconds, of all products together and of each convolution."""
    return {"the products": sum(row.seconds for row in rows if row.name in MATMULS)} | {
        row.name: row.seconds for row in rows if row.name not in MATMULS
    }
