"""The conformance check of instructions: right ones pass, and each mistake is found and named."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("numpy")
pytest.importorskip("usl_c11")

import kernels_conformance as kernels
import kernels_conformance_wrong as wrong

from usl_conformance.compiled import Toolchain
from usl_conformance.instructions import instruction_outcome, prepare_instructions
from usl_core.plugins.manager import backend


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """The outcome of an instruction by name, run when it is asked for; all are compiled together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("USL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        tools = Toolchain(backend(), {})
        instructions = [each.ir for each in (*kernels.RIGHT, *wrong.WRONG)]
        right = [each.ir for each in (*kernels.RIGHT, wrong.set_other_stride)]
        plans = {plan.proc.name: plan for plan in prepare_instructions(instructions, right, tools)}
    return Lazily(lambda name: instruction_outcome(plans[name], tools))


class Lazily(dict):
    """A mapping whose values are made when they are first asked for."""

    def __init__(self, make):
        self.make = make

    def __missing__(self, name):
        self[name] = self.make(name)
        return self[name]


@pytest.mark.parametrize("instruction", kernels.RIGHT, ids=lambda each: each.name())
def test_a_right_instruction_passes(outcomes, instruction):
    outcome = outcomes[instruction.name()]
    assert outcome.status == "passed", outcome.text() + outcome.reason
    assert outcome.runs >= 1


@pytest.mark.parametrize("instruction", wrong.WRONG, ids=lambda each: each.name())
def test_a_mistake_is_found_and_named(outcomes, instruction):
    outcome = outcomes[instruction.name()]
    assert outcome.status == "failed", "passed"
    code, hint = wrong.WRONG[instruction]
    (finding,) = outcome.findings
    assert re.fullmatch(code, finding.code), outcome.text()
    assert re.search(hint, finding.likely), outcome.text()


@pytest.mark.parametrize(
    ("instruction", "register"),
    [
        ("scales_twice", "Regs.scale = "),
        ("ignores_its_register", "Regs.stride = 2"),
        ("forgets_the_third_lane", "Regs.lanes = 3"),
        ("ignores_a_flag_in_a_register", "Regs.negate = False"),
    ],
)
def test_a_failure_shows_the_registers(outcomes, instruction, register):
    (finding,) = outcomes[instruction].findings
    assert any(line.startswith(register) for line in finding.input), finding.input


def test_the_first_failing_input_is_an_ordinary_one_where_that_suffices(outcomes):
    (finding,) = outcomes["swapped_operands"].findings
    assert "data: small values" in finding.input
    assert "dst: f32[4] in V4" in finding.input


def test_a_misspelt_function_is_named(outcomes):
    (finding,) = outcomes["misspelt_function"].findings
    assert any("memcopy" in line for line in finding.input)
