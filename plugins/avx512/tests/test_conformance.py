"""The conformance check of the core passes for every instruction and memory, natively and by emulation."""

from __future__ import annotations

import pytest
from avx512_build import HOW, require

from usl_core.plugins.conformance.check import check_plugin


@pytest.mark.parametrize("how", HOW)
def test_every_instruction_and_memory_conforms(how: str) -> None:
    require(how)
    report = check_plugin("avx512", emulate=how == "simde")
    assert {outcome.status for outcome in report.outcomes} == {"passed"}, report.text()
    assert sum(outcome.kind == "instruction" for outcome in report.outcomes) >= 40
