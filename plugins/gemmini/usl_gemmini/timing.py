"""Cycles of a command trace, by the timing model of docs/gemmini.md. All of its constants are in one table here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from usl_gemmini.decode import name_of
from usl_gemmini.errors import GemminiError
from usl_gemmini.library import load
from usl_gemmini.params import GemminiParams
from usl_gemmini.trace import Trace

READ_IN_RTL, FITTED, GUESSED = "read in the RTL", "fitted to FPGA runs", "guessed"


@dataclass(frozen=True, slots=True)
class Constant:
    """One number of the model: value + of_dim * dim, how sure it is, and which section of the fact sheet has it."""

    name: str
    value: int
    certainty: str
    source: str
    meaning: str
    of_dim: int = 0

    def of(self, params: GemminiParams) -> int:
        """The value for a chip."""
        return self.value + self.of_dim * params.dim


CONSTANTS = (
    Constant("issue", 4, GUESSED, "11.1", "cycles of the host per command; 1 for the hardware loop, 8 for slow code"),
    Constant("ld_entries", 8, READ_IN_RTL, "11.1", "reservation entries for loads"),
    Constant("ex_entries", 16, READ_IN_RTL, "11.1", "reservation entries for preloads and computes"),
    Constant("st_entries", 4, READ_IN_RTL, "11.1", "reservation entries for stores"),
    Constant("ld_queue", 8, READ_IN_RTL, "11.1", "commands in the load controller's queue"),
    Constant("ex_queue", 8, READ_IN_RTL, "11.1", "commands in the execute controller's queue"),
    Constant("st_queue", 2, READ_IN_RTL, "11.1", "commands in the store controller's queue"),
    Constant("mvins", 2, READ_IN_RTL, "11.3", "mvins in flight"),
    Constant("reads", 16, READ_IN_RTL, "11.3", "read transactions in flight (64 in the lean variant)"),
    Constant("read_latency", 100, FITTED, "11.6", "cycles of a read transaction"),
    Constant("bus_bytes", 16, READ_IN_RTL, "11.3", "bytes per cycle of each direction"),
    Constant("scale_lanes", 4, READ_IN_RTL, "11.3", "elements per cycle that an mvin scales by other than 1"),
    Constant("writes", 16, READ_IN_RTL, "11.4", "write transactions in flight"),
    Constant("write_latency", 250, FITTED, "11.6, 12.2", "cycles of the first write to a line of 64 bytes"),
    Constant("rewrite_latency", 250, FITTED, "11.6, 12.2", "cycles of a later write to the same line"),
    Constant("store_latency", 10, READ_IN_RTL, "11.4", "cycles from a local row to its write transaction"),
    Constant("store_buffer", 4, GUESSED, "-", "write transactions that wait behind those in flight"),
    Constant("result_latency", 2, GUESSED, "11.2", "cycles from the begin of a slot until C is written", of_dim=3),
    Constant("config_ex", 10, GUESSED, "11.2", "cycles of a config_ex, after all results are written"),
    Constant("least_slot", 4, READ_IN_RTL, "11.2", "cycles of the shortest slot"),
    Constant("os_flush", 0, GUESSED, "11.2", "cycles to empty the array of output-stationary sums", of_dim=2),
    Constant("transpose_b", 0, GUESSED, "11.2", "more cycles of a preload that transposes B", of_dim=1),
    Constant("transpose_a", 0, GUESSED, "11.2", "more cycles until C is written where A is transposed", of_dim=1),
)
"""In the order of `Constants` in timing.h."""

CAUSES = (
    "execute",
    "short blocks",
    "load",
    "store",
    "configuration",
    "bank conflicts",
    "transfers into a bank",
    "host",
    "drain",
)
"""Why the array took a row of A in a cycle (the first), or not; in the order of timing.h."""

UNITS = ("load", "execute", "store")
LIMIT = 64
"""Entries of the reservation station and transactions in flight that the model has room for."""


@dataclass(frozen=True, slots=True)
class Event:
    """A command in the hands of a controller: when it got its entry, when it began, when its entry was released."""

    unit: str
    command: int
    taken: int
    begun: int
    released: int


@dataclass(frozen=True, slots=True)
class Timing:
    """What the model says of one trace. Cycles begin with the first command and end when the last write is acknowledged."""

    params: GemminiParams
    cycles: int
    products: int
    """Multiply-adds that the commands ask for."""
    busy: Mapping[str, int]
    """Cycles in which each controller had something to do, by UNITS."""
    blocked: Mapping[str, int]
    """Cycles in which the host waited for a reservation entry, by UNITS."""
    causes: Mapping[str, int]
    """Each cycle by CAUSES: together they are all."""
    trace: Trace
    times: np.ndarray
    """For each command, as in Event: taken, begun, released; -1 for a fence and a flush."""

    @property
    def utilisation(self) -> float:
        """Multiply-adds per cycle over those that the array could do."""
        return self.products / self.params.dim**2 / self.cycles if self.cycles else 0.0

    @property
    def limit(self) -> str:
        """The cause that lost most cycles."""
        return max(CAUSES[1:], key=lambda cause: self.causes[cause])

    def timeline(self) -> Iterator[Event]:
        """The commands of each controller, in program order."""
        for index, (taken, begun, released) in enumerate(self.times.tolist()):
            if taken >= 0:
                yield Event(_unit(*self.trace[index, :2].tolist()), index, taken, max(begun, taken), released)

    def summary(self) -> str:
        """A few lines for people."""
        shares = "".join(f"\n  {cause:22}{self.causes[cause]:10}  {self.causes[cause] / self.cycles:6.1%}" for cause in CAUSES)
        busy = ", ".join(f"{unit} {self.busy[unit] / self.cycles:.0%}" for unit in UNITS)
        return f"{self.cycles} cycles, utilisation {self.utilisation:.1%}, most lost to: {self.limit}; busy: {busy}{shares}\n"


def _unit(funct: int, rs1: int) -> str:
    name = name_of(funct, rs1) or ""
    if name.startswith("mvin") or name == "config_ld":
        return "load"
    return "store" if name in ("mvout", "config_st", "config_norm") else "execute"


def constants(params: GemminiParams, **changed: int) -> dict[str, int]:
    """The constants of the model for a chip, some of them changed.

    Raises:
        GemminiError: there is no such constant, or the model has no room for its value.
    """
    found = {each.name: each.of(params) for each in CONSTANTS}
    for name, value in changed.items():
        if name not in found:
            raise GemminiError(f"the timing model has no constant {name!r}", notes=(f"constants: {', '.join(found)}",))
        if value < 1:
            raise GemminiError(f"the timing model: {name} must be at least 1, got {value}")
    found |= changed
    entries = sum(found[f"{unit}_entries"] for unit in ("ld", "ex", "st"))
    most = {"entries in all": entries} | {name: found[name] for name in ("mvins", "reads", "writes", "store_buffer")}
    for name, value in most.items():
        if value > LIMIT:
            raise GemminiError(f"the timing model: {name} = {value}; it has room for {LIMIT}")
    return found


def simulate(trace: Trace, params: GemminiParams | None = None, *, unrolled: bool = False, **changed: int) -> Timing:
    """The time that commands take, which the functional simulator accepts. changed are constants: `issue=8, write_latency=300`.

    unrolled means that the hardware's loop makes the commands, not the host: the trace has the loads, the products and the
    stores of one tile after the other, and each class runs ahead as far as it may. It is used with `issue=1`.

    Raises:
        GemminiError: a constant is wrong, or the commands never end: a preload without its compute.
    """
    params = params or GemminiParams()
    words = np.ascontiguousarray(trace, dtype=np.uint64).reshape(-1, 3)
    values = np.array(list(constants(params, **changed).values()), np.int64)
    report = np.zeros(2 + 2 * len(UNITS) + len(CAUSES), np.int64)
    times = np.full((len(words), 3), -1, np.int64)
    data = (words.ctypes.data, len(words), values.ctypes.data, int(unrolled), report.ctypes.data, times.ctypes.data)
    if not load(params).gemmini_sim_time(*data):
        raise GemminiError("the timing model: the commands do not end; the functional simulator says which one is wrong")
    cycles, products, *counts = report.tolist()
    busy, blocked, causes = counts[:3], counts[3:6], counts[6:]
    return Timing(
        params,
        cycles,
        products,
        dict(zip(UNITS, busy, strict=True)),
        dict(zip(UNITS, blocked, strict=True)),
        dict(zip(CAUSES, causes, strict=True)),
        words,
        times,
    )
