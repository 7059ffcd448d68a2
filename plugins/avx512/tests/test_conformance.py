"""The conformance check of the core passes for every memory, and for the instructions that are written out one by one."""

from __future__ import annotations

import pytest
from avx512_build import HOW, require

from usl_avx512 import isa, kernels_int
from usl_conformance.check import check_declarations, toolchain
from usl_conformance.findings import Report
from usl_conformance.instructions import check_instructions
from usl_conformance.memories import check_memories
from usl_core.plugins.declarations import Kind
from usl_core.plugins.manager import plugin_manager

INSTRUCTIONS = [p.ir for p in (*isa.instructions("basics"), *kernels_int.INSTRUCTIONS)]


@pytest.mark.parametrize("how", HOW)
def test_every_memory_and_what_the_kernels_use_conforms_in_all_cases(how: str) -> None:
    """`test_families` tries some of the instructions that are made from tables."""
    require(how)
    manager = plugin_manager()
    plugin = manager.get("avx512")
    tools = toolchain(plugin, manager, "c11", how == "simde")
    memories = list(plugin.declared(Kind.MEMORIES).values())
    found = [*check_declarations(plugin), *check_memories(memories, INSTRUCTIONS, tools)]
    found += check_instructions(INSTRUCTIONS, INSTRUCTIONS, tools)
    report = Report("avx512", tuple(found))
    assert {outcome.status for outcome in found} == {"passed"}, report.text()
    assert sum(outcome.kind == "memory" for outcome in found) == 5
    assert sum(outcome.kind == "instruction" for outcome in found) >= 60
