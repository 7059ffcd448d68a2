"""ResNet-50 on Gemmini: as one procedure, bit-exact on the functional simulator, and how long the timing model gives."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass

os.environ["USL_STORE"] = "off"  # schedules are worked out, not remembered

from usl_gemmini.cuts import cut_for
from usl_gemmini.layers import Border
from usl_gemmini.network import Operation
from usl_gemmini.network_run import expected, layers_of, random_values, run
from usl_gemmini.params import GemminiParams
from usl_gemmini.resnet import Sizes, resnet
from usl_gemmini.sim import Simulator
from usl_gemmini.timing import simulate

RATES = (4, 8)


@dataclass
class Row:
    """Layers of one shape: how many, their multiplications and cycles together, and what loses most cycles at rate 4.

    bound is the cycles that all of them take at least (`least_cycles`); 0 for layers that multiply nothing.
    """

    name: str
    what: str
    count: int
    products: int
    cycles: dict[int, int]
    limit: str
    bound: float = 0


@dataclass
class Result:
    """The whole network. Utilisation counts the multiplications of all layers; seconds are those of CPU."""

    rows: list[Row]
    differing: list[str]
    products: int
    cycles: dict[int, int]
    commands: int
    lines_of_c: int
    schedule_seconds: float
    run_seconds: float


def measure(sizes: Sizes | None = None) -> Result:
    """Schedules, runs and times the network, and compares all outputs that it keeps."""
    network, sim = resnet(sizes or Sizes()), Simulator()
    begun = time.process_time()
    procedure = network.procedure("resnet")
    scheduled = time.process_time()
    kernel, values = procedure.jit(), random_values(network)
    ready = time.process_time()
    trace = run(network, kernel, values, sim)
    ran = time.process_time()
    wants = {each.output.name: want for each, want in expected(network, values)}
    differing = [name for name in network.kept() if name in wants and (values[name] != wants[name]).any()]
    rows: dict[object, Row] = {}
    for each, commands in layers_of(network, trace):
        timings = {rate: simulate(commands, sim.params, issue=rate) for rate in RATES}
        row = rows.setdefault(
            (each.kind, each.shape), Row(each.name, described(each.shape), 0, 0, dict.fromkeys(RATES, 0), timings[4].limit)
        )
        row.count, row.products = row.count + 1, row.products + each.products
        row.bound += least_cycles(each, sim.params)
        row.cycles = {rate: row.cycles[rate] + timings[rate].cycles for rate in RATES}
    return Result(
        list(rows.values()),
        differing,
        sum(each.products for each in network.operations),
        {rate: simulate(trace, sim.params, issue=rate).cycles for rate in RATES},
        len(trace),
        procedure.c_code().count("\n"),
        scheduled - begun,
        ran - ready,
    )


BYTES_PER_CYCLE = 16 * 64 / 100
"""What memory gives: 16 transactions of 64 bytes in flight, each of 100 cycles."""


def least_cycles(each: Operation, params: GemminiParams) -> float:
    """Cycles of a layer if nothing delays the array but the shape of blocks, or nothing but one load of each byte.

    A product takes dim cycles for each pair of blocks. In a convolution whose channels fill blocks, the last block of pixels
    before new weights takes dim cycles, and each other one as many as it has rows.
    """
    dim = params.dim
    match each.kind:
        case "product" | "average":
            rows, columns, depth = (-(-size // dim) for size in each.shape)
            M, N, K = each.shape
            return float(max(rows * columns * depth * dim, (M * K + K * N) / BYTES_PER_CYCLE))
        case "conv":
            layer, s = each.shape, cut_for(each.shape, params)
            if layer.IC % dim or layer.OC % dim:
                slots = s.rows * s.blocks * dim
            else:
                lengths = sorted([s.columns - dim * (s.blocks - 1)] + [dim] * (s.blocks - 1)) * s.rows
                slots = sum(max(length, 4) for length in lengths[:-1]) + dim
            pairs = s.tiles * s.groups * s.taps * (s.group // dim)
            weights = layer.KH * layer.KW * layer.IC * layer.OC
            pixels = layer.N * layer.H * layer.W * layer.across * layer.IC
            return float(max(pairs * slots, (weights + pixels) / BYTES_PER_CYCLE))
        case _:
            return 0.0


def described(shape: object) -> str:
    """A shape as text."""
    if isinstance(shape, tuple):
        return " x ".join(map(str, shape))
    if isinstance(shape, Border):
        return f"{shape.HI} x {shape.WI} to {shape.HO} x {shape.WO}"
    names = "HI WI IC OC KH KW step".split()
    high, wide, channels, out, rows, columns, step = (getattr(shape, name) for name in names)
    return f"{high} x {wide} x {channels} to {out}, {rows} x {columns}" + (f", step {step}" if step > 1 else "")


def utilisation(products: int, cycles: float) -> str:
    """In per cent, or nothing for what does not multiply."""
    return f"{100 * products / 256 / cycles:.1f}" if products else ""


def markdown(result: Result) -> str:
    """The figures as a table."""
    lines = ["| layers | shape | how many | cycles | rate 4 | rate 8 | bound | limit |", "|---|---|---|---|---|---|---|---|"]
    for row in result.rows:
        used = " | ".join(utilisation(row.products, row.cycles[rate]) for rate in RATES)
        bound = utilisation(row.products, row.bound)
        lines.append(f"| {row.name} | {row.what} | {row.count} | {row.cycles[4]:,} | {used} | {bound} | {row.limit} |")
    used = " | ".join(utilisation(result.products, result.cycles[rate]) for rate in RATES)
    lines.append(f"| all | | {sum(row.count for row in result.rows)} | {result.cycles[4]:,} | {used} | | |")
    lines += [
        "",
        f"{result.commands:,} commands, {result.lines_of_c:,} lines of C; {result.schedule_seconds:.0f} CPU seconds"
        f" for schedules, {result.run_seconds:.1f} to run. {'DIFFERS' if result.differing else 'Bit-exact'}.",
    ]
    return "\n".join(lines) + "\n"


def as_json(result: Result) -> dict[str, object]:
    """The figures as data."""
    return asdict(result)


def judge(result: Result) -> list[str]:
    """What is wrong."""
    return [f"{name} differs from NumPy" for name in result.differing]
