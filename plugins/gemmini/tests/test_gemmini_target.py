"""The target: fences cannot be lost, outputs are out of reach of plain code, and there is one block of weights."""

from __future__ import annotations

import kernels_target
import pytest

from usl_conformance.check import check_plugin, toolchain
from usl_conformance.memories import check_memories
from usl_core import BackendError, SchedulingError, delete_config, proc_from_source, reorder_stmts
from usl_core.plugins.manager import plugin_manager
from usl_gemmini.matmul import matmul
from usl_gemmini.memories import GEMMINI_OUT


@pytest.mark.parametrize("name", ["mvin", "mm_again", "mvout_relu"])
def test_an_instruction_does_what_its_body_says(chip, name):  # after a reset: what failed before would stay
    (outcome,) = check_plugin("gemmini", instruction=name).outcomes
    assert outcome.status == "passed"


def test_main_memory_that_plain_code_may_not_touch_passes_the_check_of_memories():
    manager = plugin_manager()
    (outcome,) = check_memories([GEMMINI_OUT], [], toolchain(manager.get("gemmini"), manager, "c11", emulate=False))
    assert outcome.status == "passed"


def test_a_fence_that_is_deleted_shows_in_what_was_proved():
    p = kernels_target.copied
    assert "FENCE" not in str(p.assurance())
    assert "FENCE.pending" in str(delete_config(p, "fence()").assurance())


def test_a_fence_does_not_move_before_the_store_that_it_waits_for():
    p = kernels_target.copied
    with pytest.raises(SchedulingError, match=r"FENCE\.pending"):
        reorder_stmts(p, p.find("fence()").expand(1, 0))


def test_commands_that_read_outputs_need_a_fence():
    text = str(kernels_target.copied)
    back = "mvin_back(16, 16, a[0:1, 0:16, 0:16], y[0:16, 0:16])"
    scope = {name: getattr(kernels_target, name) for name in dir(kernels_target) if not name.startswith("_")}
    proc_from_source(text.replace("fence()", f"fence()\n    {back}"), scope)
    with pytest.raises(Exception, match=r"may break its assertion FENCE\.pending == False"):
        proc_from_source(text.replace("fence()", f"{back}\n    fence()"), scope)


def test_plain_code_cannot_read_outputs():
    with pytest.raises(BackendError, match="cannot be read by plain C, which knows nothing of fences"):
        kernels_target.read_by_plain_code.c_code()


def test_two_live_blocks_of_weights_are_refused():
    with pytest.raises(BackendError, match="does not fit into memory ARRAY"):
        kernels_target.two_blocks_of_weights.c_code()


def test_configuration_is_written_once_and_before_the_loops():
    p = matmul(64, 64, 64)
    calls = [stmt.subproc().name() for stmt in list(p.body())[:4]]
    assert sorted(calls) == ["config_ex", "config_ld0", "config_ld1", "config_st"]
    assert len(p.find("config_ld0(_)", many=True)) == 1
