"""Kernels for Gemmini: bit-exact on the functional simulator, and how long the timing model says that they take."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np

os.environ["USL_STORE"] = "off"  # schedules are worked out, not remembered

from usl_core import Procedure
from usl_gemmini.conv import conv
from usl_gemmini.decode import name_of
from usl_gemmini.layers import Layer
from usl_gemmini.matmul import matmul
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
    ideal_cycles: int
    by_rate: dict[int, float]
    by_latency: dict[int, float]
    bound_at_8: float
    """What the host's commands admit at rate 8: two for each product, and all others."""


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
    return _measure(name, lambda: matmul(M, N, K), (a, b), c, read_out(sums), M * N * K)


def measure_conv(name: str) -> Row:
    """One of CONVOLUTIONS."""
    layer = CONVOLUTIONS[name]
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
    return _measure(name, lambda: conv(layer), (x, w, bias), y, read_out(sums).reshape(y.shape), layer.products)


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
    names = [name_of(funct, rs1 & 3) or "" for funct, rs1, _ in trace.tolist()]
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
        sum(each.startswith("config") for each in names),
        ideal,
        by_rate,
        by_latency,
        min(1.0, ideal / (8 * len(trace))),
    )


def markdown(rows: list[Row]) -> str:
    """The figures as tables."""
    lines = [
        "| kernel | ideal cycles | rate 1 | rate 4 | rate 8 | bound by commands at 8 | rate 4, writes of 200 | of 300 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        rates = " | ".join(f"{100 * row.by_rate[rate]:.1f}" for rate in RATES)
        late = " | ".join(f"{100 * row.by_latency[cycles]:.1f}" for cycles in LATENCIES)
        lines.append(f"| {row.name} | {row.ideal_cycles:,} | {rates} | {100 * row.bound_at_8:.1f} | {late} |")
    lines += [
        "",
        "| kernel | bit-exact | commands | of these configuration | operators | CPU seconds | lines of C |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.name} | {'yes' if row.exact else 'NO'} | {row.commands:,} | {row.config_commands} | {row.operators}"
        f" | {row.seconds:.2f} | {row.lines_of_c} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def as_json(rows: list[Row]) -> dict[str, object]:
    """The figures as data."""
    return {"rows": [asdict(row) for row in rows]}


def measure() -> list[Row]:
    """All kernels."""
    matmul(16, 16, 16), conv(Layer(1, 4, 4, 16, 16, 3, 3))  # what is loaded once per process is no time of a schedule
    return [*map(measure_matmul, MATMULS), *map(measure_conv, CONVOLUTIONS)]


def judge(rows: list[Row]) -> list[str]:
    """What is wrong, or below the goals."""
    found = [f"{row.name} differs from NumPy" for row in rows if not row.exact]
    for row in rows:
        goal = 0.985 if row.name in MATMULS else 0.94
        if row.by_rate[4] < goal:
            found.append(f"{row.name}: {row.by_rate[4]:.1%} at rate 4, goal {goal:.1%}")
    return found
