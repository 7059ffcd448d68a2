"""Finds out how data gets into each memory and back: as C objects, by the plugin's own instructions, or by plain C.

A register that C sees as an object of just the elements' size can be filled with memcpy, which tests each instruction by
itself. Other memories are reached by the plugin's instructions whose bodies only copy; then what is tested is the instruction
together with these two. Where both ways exist and disagree, but load and store agree with each other, the memory keeps
its elements in an order of its own, and the instructions are used.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from usl_conformance.compiled import Compiled, Toolchain, features_of
from usl_conformance.configs import Setup, find_setup
from usl_conformance.controls import admissible, shape_of
from usl_conformance.driver import passes_through
from usl_conformance.isolate import Stopped, run_isolated
from usl_conformance.transfer import Mover, Route, declared_access, round_trip, size_probe
from usl_core.backend import written_formals
from usl_core.errors import PluginError, UslError
from usl_core.interp import Buffer, dense_strides, run
from usl_core.interp.arrays import dtype_of
from usl_core.ir.memory import MemoryClass
from usl_core.ir.nodes import Arg, Proc
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import update
from usl_core.ir.types import ControlType, ScalarType, TensorType, scalar_of

Key = tuple[MemoryClass, ScalarType, tuple[int, ...]]

SLOTS = 3
MOST_PAIRS = 12
"""Pairs of a load and a store that are tried."""


class Disagreeing(str):
    """Why a memory cannot be reached: none of its loads gives, with any of its stores, back what went in."""

    movers: frozenset[Proc]

    def __new__(cls, mem: MemoryClass, ways: Sequence[Route]) -> Disagreeing:
        """The sentence for the ways that were tried."""
        loads, stores = (
            dict.fromkeys(mover.instr for way in ways if (mover := getattr(way, end)) is not None) for end in ("load", "store")
        )
        names = " and ".join(", ".join(each.name for each in side) for side in (loads, stores))
        made = super().__new__(cls, f"{names} do not bring data into memory {mem.name} and back as it was")
        made.movers = frozenset((*loads, *stores))
        return made


@dataclass
class Router:
    """The routes of one plugin's memories; a text says why there is none."""

    tools: Toolchain
    instructions: Sequence[Proc]
    found: dict[Key, Route | str] = field(default_factory=dict)

    def prepare(self, keys: Iterable[Key]) -> None:
        """Finds the routes of all keys together, which saves compiling."""
        new = [key for key in dict.fromkeys(keys) if key not in self.found]
        slots: dict[Key, int] = {}
        for key in new:
            accepted = why_not_reached(key[0]) or self._slots(key)
            if isinstance(accepted, int):
                slots[key] = accepted
            else:
                self.found[key] = accepted
        tails = self._tails(slots)
        for key, count in slots.items():
            self.found[key] = self._route(key, count, tails.get(key, 0))

    def route(self, key: Key) -> Route | str:
        """The route of one key, or why there is none; it is searched for once."""
        if key not in self.found:
            self.prepare([key])
        return self.found[key]

    # ---- whether the memory takes such a buffer

    def _slots(self, key: Key) -> int | str:
        """How many tensors side by side the memory can hold: three, or one; or why none."""
        mem, scalar, shape = key
        reason = ""
        for slots in (SLOTS, 1):
            try:
                self.tools.backend.emit([size_probe("fits", scalar, shape, mem, slots)], "fits")
                return slots
            except UslError as error:
                reason = error.message
        return reason

    # ---- memory as C objects

    def _tails(self, slots: Mapping[Key, int]) -> Mapping[Key, int]:
        """For each key whose windows are C objects of their elements' size: how many dimensions such an object has."""
        probes = {
            key: size_probe(f"size_{number}", key[1], key[2], key[0], slots[key])
            for number, key in enumerate(slots)
            if not key[0].addressable and declared_access(key[0]) is None
        }
        compiled = self.tools.compile(list(probes.values()), "usl_check_sizes")
        return {key: self._tail(key, compiled[probe.name]) for key, probe in probes.items()}

    def _tail(self, key: Key, probe: object) -> int:
        _, scalar, shape = key
        if isinstance(probe, UslError) or not callable(probe):
            return 0
        sizes = np.zeros(len(shape), np.int64)

        def measure(_: object) -> list[int]:
            probe(sizes)
            return [int(size) for size in sizes]

        result = run_isolated(measure)
        if isinstance(result, Stopped):
            return 0
        itemsize = dtype_of(scalar).itemsize
        fitting = [tail for tail, size in enumerate(result, 1) if size == itemsize * math.prod(shape[len(shape) - tail :])]
        return max(fitting, default=0)

    # ---- by instructions

    def _route(self, key: Key, slots: int, tail: int) -> Route | str:
        mem, _, shape = key
        if mem.addressable:
            return Route(slots)
        if (access := declared_access(mem)) is not None:
            return Route(slots, min(access.rank, len(shape)))
        ways = list(itertools.islice(self._by_instructions(key, slots), MOST_PAIRS))
        own = self._first_that_agrees(key, ways)
        if ways and own is None and tail == 0:
            return Disagreeing(mem, ways)
        if tail == 0:
            hint = (
                f"no way to move data of shape {list(shape)} into memory {mem.name} and back: neither a C object of that size"
            )
            return own or f"{hint}, nor instructions that copy it from and to DRAM"
        plain = Route(slots, tail)
        if own is None or not self._only_instructions_agree(key, plain, own):
            return plain
        return own

    def _first_that_agrees(self, key: Key, ways: Sequence[Route]) -> Route | None:
        """The first load and store that together give back what went in: a wrong one is not used to test the others."""
        mem, scalar, shape = key
        trips = [round_trip(f"trip_{number}", scalar, shape, mem, way, way) for number, way in enumerate(ways)]
        compiled = self.tools.compile(trips, "usl_check_moves") if trips else {}
        both = zip(ways, trips, strict=True)
        return next((way for way, trip in both if _survives(compiled[trip.name], scalar, _whole(way, shape))), None)

    def _by_instructions(self, key: Key, slots: int) -> Iterator[Route]:
        loads, stores = [list(self._copies(key, enter)) for enter in (True, False)]
        for load, store in itertools.product(loads, stores):
            yield Route(slots, 0, load, store)

    def _copies(self, key: Key, enter: bool) -> Iterator[Mover]:
        """Instructions that copy a tensor of just this kind from main memory (or to it)."""
        mem, scalar, shape = key
        for instr in self.instructions:
            pair = _ends(instr, mem, scalar, enter)
            if pair is None or self.tools.way(features_of(instr)) is None:
                continue
            setup = find_setup(instr, self.instructions)
            if isinstance(setup, str):
                continue
            for controls in admissible(with_preds(instr, setup), limit=64):
                mover = Mover(instr, controls, setup)
                if all(shape_of(arg.type, controls) == shape for arg in pair) and _is_copy(mover, pair, shape):  # type: ignore[arg-type]
                    yield mover
                    break

    def _only_instructions_agree(self, key: Key, plain: Route, own: Route) -> bool:
        """Whether data survives load and store, but neither load alone nor store alone as C objects would tell."""
        mem, scalar, shape = key
        ways = {"both": (own, own), "load": (own, plain), "store": (plain, own)}
        procs = [round_trip(f"trip_{name}", scalar, shape, mem, first, second) for name, (first, second) in ways.items()]
        compiled = self.tools.compile(procs, "usl_check_trips")
        whole = _whole(plain, shape)
        agrees = {}
        for name in ways:
            agrees[name] = _survives(compiled[f"trip_{name}"], scalar, whole)
        return agrees["both"] and not agrees["load"] and not agrees["store"]


def why_not_reached(mem: MemoryClass) -> str:
    """What is wrong with how the memory says that tests reach it; empty if nothing is."""
    try:
        declared_access(mem)
    except PluginError as error:
        return error.message
    return ""


def _whole(route: Route, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The extents of all slots together."""
    return (route.slots, *shape) if route.slots > 1 else shape


def _survives(trip: Compiled, scalar: ScalarType, shape: Sequence[int]) -> bool:
    """Whether data comes back from a round trip as it went."""
    if isinstance(trip, UslError):
        return False

    def travel(_: object) -> bool:
        x = np.arange(1, math.prod(shape) + 1).reshape(shape).astype(dtype_of(scalar))
        y = np.zeros_like(x)
        trip(x, y)
        return bool((x == y).all())

    return run_isolated(travel) is True


def _ends(instr: Proc, mem: MemoryClass, scalar: ScalarType, enter: bool) -> tuple[Arg, Arg] | None:
    """Target and source of an instruction with two tensors, one in mem and one in main memory, going the wanted way."""
    data = [arg for arg in instr.args if not isinstance(arg.type, ControlType)]
    if len(data) != 2 or not all(isinstance(arg.type, TensorType) and arg.type.scalar == scalar for arg in data):
        return None
    written = written_formals(instr)
    targets = [arg for arg in data if arg.name in written]
    if len(targets) != 1:
        return None
    target = targets[0]
    source = next(arg for arg in data if arg is not target)
    inner, outer = (target, source) if enter else (source, target)
    return (target, source) if inner.mem is mem and passes_through(outer) else None


def with_preds(instr: Proc, setup: Setup) -> Proc:
    """instr with its assertions on fields turned into assertions on what they are set to: for choosing inputs only.

    Fields that the assertions do not fix are further formals.
    """
    return update(instr, args=(*instr.args, *setup.free), preds=setup.preds(instr)) if setup.setters else instr


def _is_copy(mover: Mover, pair: tuple[Arg, Arg], shape: tuple[int, ...]) -> bool:
    """Whether the body copies source to target, element by element: tried on distinct numbers."""
    instr, controls = mover.instr, mover.controls
    target, source = pair
    strides = {(arg.name, dim): stride for arg in pair for dim, stride in enumerate(dense_strides(shape))}
    ones: dict[Sym, Any] = {arg.name: 1 if scalar_of(arg.type).is_int else 1.0 for arg in mover.setup.data.values()}
    count = math.prod(shape)
    scalar = source.type.scalar  # type: ignore[union-attr]
    number = (lambda k: k % 100 + 1) if scalar.is_int else (lambda k: float(k + 1))
    wanted = [number(k) for k in range(count)]
    buffers = {source: Buffer(scalar, shape, list(wanted)), target: Buffer(scalar, shape)}
    args = [controls[arg.name] if isinstance(arg.type, ControlType) else buffers[arg] for arg in instr.args]
    try:
        run(instr, args, mode="machine", configs=mover.setup.state(controls, strides, ones))
    except UslError:
        return False
    return buffers[target].values() == wanted
