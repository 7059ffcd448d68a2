"""The conformance check of instructions: right ones pass, and each mistake is found and named."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("numpy")
pytest.importorskip("usl_c11")

from tests.plugins import kernels_conformance as kernels
from usl_core.plugins.conformance.compiled import Toolchain
from usl_core.plugins.conformance.instructions import check_instructions
from usl_core.plugins.manager import backend


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """The outcome of every instruction, by name; all are compiled together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("USL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        instructions = [each.ir for each in (*kernels.RIGHT, *kernels.WRONG)]
        right = [each.ir for each in kernels.RIGHT]
        return {outcome.name: outcome for outcome in check_instructions(instructions, right, Toolchain(backend(), {}))}


@pytest.mark.parametrize("instruction", kernels.RIGHT, ids=lambda each: each.name())
def test_a_right_instruction_passes(outcomes, instruction):
    outcome = outcomes[instruction.name()]
    assert outcome.status == "passed", outcome.text() + outcome.reason
    assert outcome.runs >= 5


@pytest.mark.parametrize("instruction", kernels.WRONG, ids=lambda each: each.name())
def test_a_mistake_is_found_and_named(outcomes, instruction):
    outcome = outcomes[instruction.name()]
    assert outcome.status == "failed", "passed"
    code, hint = kernels.WRONG[instruction]
    (finding,) = outcome.findings
    assert re.fullmatch(code, finding.code), outcome.text()
    assert re.search(hint, finding.likely), outcome.text()
