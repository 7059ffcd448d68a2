"""The conformance test of a plugin: every instruction against its body, every memory, every backend, every name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from usl_conformance.backends import check_backend
from usl_conformance.compiled import Toolchain, as_batch_backend
from usl_conformance.findings import NAME, Finding, Outcome, Report
from usl_conformance.instructions import check_instructions
from usl_conformance.memories import check_memories
from usl_conformance.names import check_config_names
from usl_core.errors import PluginError
from usl_core.ir.nodes import Proc
from usl_core.plugins.hookspecs import Backend
from usl_core.plugins.manager import Kind, Plugin, PluginManager, plugin_manager


def check_plugin(
    name: str,
    *,
    instruction: str | None = None,
    backend: str = "c11",
    emulate: bool = False,
    manager: PluginManager | None = None,
) -> Report:
    """Checks the installed plugin of that name, or one of its instructions.

    emulate runs by emulation even what the processor could run.

    Raises:
        PluginError: there is no such plugin or instruction, it cannot be loaded, or the backend cannot run tests.
    """
    manager = manager or plugin_manager()
    plugin = manager.get(name)
    instructions: list[Proc] = [each.ir for each in plugin.declared(Kind.INSTRUCTIONS).values()]
    if instruction is not None:
        chosen: Any = manager.lookup(f"{name}.{instruction}", Kind.INSTRUCTIONS)
        return Report(name, tuple(check_instructions([chosen.ir], instructions, toolchain(plugin, manager, backend, emulate))))
    found = list(check_declarations(plugin))
    memories: list[Any] = list(plugin.declared(Kind.MEMORIES).values())
    if memories or instructions:
        tools = toolchain(plugin, manager, backend, emulate)
        found += [*check_memories(memories, instructions, tools), *check_instructions(instructions, instructions, tools)]
    for each in backends_of(plugin):
        found += check_backend(each)
    return Report(name, tuple(found))


def backends_of(plugin: Plugin) -> list[Backend]:
    """The backends that a plugin declares, without those that cannot be made, of which `check_declarations` tells."""
    declared, made = plugin.declared(Kind.BACKENDS), []
    for name in declared:
        with contextlib.suppress(PluginError):
            made.append(declared[name])
    return made


def toolchain(plugin: Plugin, manager: PluginManager, backend: str, emulate: bool) -> Toolchain:
    """What compiles and runs the checks of a plugin.

    Raises:
        PluginError: there is no such backend, or it cannot compile many procedures together.
    """
    emulations = dict(plugin.declared(Kind.EMULATIONS))
    nonnegative = getattr(plugin.found.entry.load(), "NONNEGATIVE_FIELDS", ())
    return Toolchain(as_batch_backend(manager.backend(backend), backend), emulations, emulate, frozenset(nonnegative))


def check_declarations(plugin: Plugin) -> Iterator[Outcome]:
    """What the plugin declares, kind by kind, its configuration's names, and its own check of its installation."""
    findings = [finding for kind in Kind for finding in _unusable(plugin, kind)]
    findings += [Finding(NAME, str(problem)) for problem in plugin.problems]
    findings += [Finding(NAME, f"self-check: {sentence}") for sentence in plugin.selfcheck()]
    findings += [found for config in plugin.declared(Kind.CONFIGS).values() for found in check_config_names(config)]
    yield Outcome("plugin", plugin.name, "failed" if findings else "passed", 0, tuple(findings))


def _unusable(plugin: Plugin, kind: Kind) -> Iterator[Finding]:
    """What cannot be made of what the plugin declares by name only."""
    declared = plugin.declared(kind)
    for name in declared:
        try:
            declared[name]
        except PluginError as error:
            yield Finding(NAME, error.message)
