"""The conformance check of memories: right ones pass, and each mistake is found and named."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("numpy")
pytest.importorskip("usl_c11")

import kernels_conformance as kernels
import kernels_conformance_memories as memories_kernels

from usl_conformance.compiled import Toolchain
from usl_conformance.memories import _heap_in_use, memory_outcome, prepare_memories
from usl_core.plugins.manager import backend


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    """Every memory by name, with its procedures compiled, all of them together but for the one whose C does not compile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("USL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        memories = [
            each
            for each in (*memories_kernels.RIGHT_MEMORIES, *memories_kernels.WRONG_MEMORIES)
            if each is not memories_kernels.NoCode
        ]
        instructions = [each.ir for each in (*kernels.RIGHT, memories_kernels.load_wrong_window)]
        tools = Toolchain(backend(), {})
        found = [*prepare_memories(memories, instructions, tools), *prepare_memories([memories_kernels.NoCode], [], tools)]
        return {plan.memory.name: plan for plan in found}


@pytest.mark.parametrize("memory", memories_kernels.RIGHT_MEMORIES, ids=lambda each: each.name)
def test_a_right_memory_passes(plans, memory):
    outcome = memory_outcome(plans[memory.name])
    assert outcome.status == "passed", outcome.text() + outcome.reason
    assert outcome.runs >= 2


@pytest.mark.parametrize("memory", memories_kernels.WRONG_MEMORIES, ids=lambda each: each.__name__)
def test_a_mistake_is_found_and_named(plans, memory):
    if memory is memories_kernels.Leaking and _heap_in_use() is None:
        pytest.skip("the C library does not count its heap")
    outcome = memory_outcome(plans[memory.name])
    assert outcome.status == "failed", "passed"
    code, hint = memories_kernels.WRONG_MEMORIES[memory]
    (finding,) = outcome.findings
    assert re.fullmatch(code, finding.code), outcome.text()
    assert re.search(hint, finding.likely), outcome.text()
