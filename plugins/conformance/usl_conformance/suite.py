"""A plugin's conformance test cut into subjects, for test runners that want one test for each.

All of a plugin is compiled together when the first subject is checked; each subject then runs by itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from usl_conformance.findings import Outcome
from usl_core.errors import Span
from usl_core.plugins.manager import Kind, plugin_manager


class NonConforming(AssertionError):
    """A subject failed; the text is the report."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One instruction, one memory, one construct that a backend may take, or the plugin's declarations (kind "plugin")."""

    plugin: str
    kind: str
    name: str
    emulate: bool = False
    span: Span | None = field(default=None, compare=False)

    @property
    def label(self) -> str:
        """The name in a test's id."""
        return f"{self.kind}-{self.name}"

    @property
    def ran(self) -> str:
        """How its code ran, as in `Outcome`; empty before the check."""
        return _OUTCOMES[self].ran if self in _OUTCOMES else ""

    def check(self) -> Outcome:
        """The outcome, if it passed; a skipped one is skipped for pytest too.

        Raises:
            NonConforming: it failed.
        """
        outcome = _OUTCOMES[self] = _runners(self.plugin, self.emulate)[self.kind, self.name]()
        if outcome.status == "failed":
            raise NonConforming(outcome.text())
        if outcome.status == "skipped":
            import pytest

            pytest.skip(outcome.reason)
        return outcome


_OUTCOMES: dict[Subject, Outcome] = {}


def subjects_of(plugin: str, *, emulate: bool = False) -> Iterator[Subject]:
    """The subjects of an installed plugin. Compiles nothing yet.

    Raises:
        PluginError: it is not installed or cannot be loaded.
    """
    declared = plugin_manager().get(plugin).declared
    yield Subject(plugin, "plugin", plugin, emulate)
    for memory in declared(Kind.MEMORIES).values():
        yield Subject(plugin, "memory", memory.name, emulate)
    for instruction in declared(Kind.INSTRUCTIONS).values():
        yield Subject(plugin, "instruction", instruction.name(), emulate, instruction.ir.span)
    if backends := list(declared(Kind.BACKENDS)):
        from usl_conformance.backends import subjects

        for name in backends:
            yield from (Subject(plugin, kind, f"{name}.{label}", emulate) for kind, label in subjects())


@functools.cache
def _runners(name: str, emulate: bool) -> Mapping[tuple[str, str], Callable[[], Outcome]]:
    """What checks each subject, by kind and name, with everything compiled."""
    from usl_conformance.backends import subjects, try_subject
    from usl_conformance.check import backends_of, check_declarations, toolchain
    from usl_conformance.instructions import instruction_outcome, prepare_instructions
    from usl_conformance.memories import memory_outcome, prepare_memories

    manager = plugin_manager()
    plugin = manager.get(name)
    instructions = [each.ir for each in plugin.declared(Kind.INSTRUCTIONS).values()]
    memories = list(plugin.declared(Kind.MEMORIES).values())
    runners: dict[tuple[str, str], Callable[[], Outcome]] = {
        ("plugin", name): lambda: next(check_declarations(plugin)),
    }
    for backend in backends_of(plugin):
        runners |= {
            (kind, f"{backend.name}.{label}"): partial(try_subject, backend, (kind, label)) for kind, label in subjects()
        }
    if not (memories or instructions):
        return runners
    tools = toolchain(plugin, manager, "c11", emulate)
    for memory in prepare_memories(memories, instructions, tools):
        runners["memory", memory.memory.name] = partial(memory_outcome, memory)
    for instruction in prepare_instructions(instructions, instructions, tools):
        runners["instruction", instruction.proc.name] = partial(instruction_outcome, instruction, tools)
    return runners
