"""Drivers as callables: all of them in one run of the compiler, one by one where that fails, to find which."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from usl_core.errors import JitError, PluginError, UslError
from usl_core.ir.nodes import Alloc, Call, Proc
from usl_core.ir.traverse import walk_block
from usl_core.plugins.hookspecs import BatchBackend, Emulation

Compiled = Callable[..., Any] | UslError
"""What a driver became, or why it is no C."""


STRICT = ("-Werror=implicit-function-declaration",)
"""A misspelt intrinsic, or one whose header is missing, is an error that names it, not an unknown symbol when it is loaded."""


def as_batch_backend(backend: object, name: str) -> BatchBackend:
    """The backend, if it can compile for tests.

    Raises:
        PluginError: it cannot.
    """
    if not isinstance(backend, BatchBackend):
        raise PluginError(f"backend {name!r} cannot run conformance tests: it has no jit_all and missing_features")
    return backend


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A backend, and the emulations that plugins offer for CPU features which this processor lacks.

    nonnegative are fields of data (`ST.scale`) which the hardware takes finite numbers from zero on for.
    """

    backend: BatchBackend
    emulations: Mapping[str, Emulation]
    always_emulate: bool = False
    nonnegative: frozenset[str] = frozenset()

    def way(self, features: Iterable[str]) -> str | None:
        """How instructions that need features run here: "" natively, else by the emulation of that name; None: not at all."""
        needed = frozenset(features)
        lacking = frozenset(self.backend.missing_features(sorted(needed)))
        if needed and (lacking or self.always_emulate):
            fitting = [name for name, emulation in self.emulations.items() if needed <= emulation.features]
            if fitting:
                return fitting[0]
        return None if lacking else ""

    def why_not(self, features: Iterable[str]) -> str:
        """Why there is no way to run what needs features; empty if there is one."""
        if self.way(features) is not None:
            return ""
        lacking = ", ".join(self.backend.missing_features(sorted(features)))
        return f"this processor lacks {lacking}, and no plugin emulates it here"

    def compile(self, procs: Sequence[Proc], name: str) -> Mapping[str, Compiled]:
        """The callables by procedure name. All procs of one way share a library."""
        found: dict[str, Compiled] = {}
        ways: dict[str | None, list[Proc]] = {}
        for proc in procs:
            ways.setdefault(self.way(features_of(proc)), []).append(proc)
        for way, group in ways.items():
            if way is None:
                found |= {proc.name: JitError(self.why_not(features_of(proc))) for proc in group}
            else:
                found |= self._batch(group, name, way)
        return found

    def _batch(self, procs: Sequence[Proc], name: str, way: str) -> Mapping[str, Compiled]:
        flags = (*STRICT, *(self.emulations[way].flags if way else ()))
        try:
            return dict(self.backend.jit_all(procs, name, flags=flags, emulated=bool(way)))
        except UslError as error:
            if len(procs) == 1:
                return {procs[0].name: error}
            suspects = _named(error, procs)
        if 0 < len(suspects) < len(procs):
            rest = [proc for proc in procs if proc not in suspects]
            alone = [self._batch([proc], f"{name}_alone", way) for proc in suspects]
            return {found: each for part in (*alone, self._batch(rest, name, way)) for found, each in part.items()}
        middle = len(procs) // 2
        return {**self._batch(procs[:middle], name, way), **self._batch(procs[middle:], name, way)}


def _named(error: UslError, procs: Sequence[Proc]) -> Sequence[Proc]:
    """The procedures whose C functions the compiler's messages name."""
    words = frozenset(re.findall(r"\w+", "\n".join(error.notes)))
    return [proc for proc in procs if words & {proc.name, f"{proc.name}_body"}]


def features_of(proc: Proc) -> frozenset[str]:
    """The CPU features that proc needs: its own as an instruction, those of its memories, and of the instructions it calls."""
    found = {feature for arg in proc.args if arg.mem is not None for feature in arg.mem.features}
    if proc.instr is not None:
        return frozenset(found.union(proc.instr.features))
    for node in walk_block(proc.body):
        if isinstance(node, Alloc):
            found.update(node.mem.features)
        elif isinstance(node, Call):
            found |= features_of(node.proc)
    return frozenset(found)


def ways_of(procs: Iterable[Proc], tools: Toolchain) -> str:
    """How procs, which can all be run, are run, in words."""
    ways = dict.fromkeys(tools.way(features_of(proc)) for proc in procs)
    return " and ".join(f"emulated by {way}" if way else "native" for way in ways)
