"""Memories that C knows by handles: how a test reaches them, and which instruction is to blame."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")
pytest.importorskip("usl_c11")

import kernels_handles as kernels

from usl_conformance.compiled import Toolchain
from usl_conformance.instructions import check_instructions
from usl_conformance.memories import check_memories
from usl_core.plugins.manager import backend


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("USL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def outcomes(instructions):
    found = check_instructions(instructions, instructions, Toolchain(backend(), {}))
    return {outcome.name: outcome for outcome in found}


@pytest.mark.parametrize("memory", [kernels.Handles, kernels.Peeked])
def test_right_moves_of_handles_pass_and_so_does_the_memory(memory):
    instructions = kernels.moves(memory)
    found = outcomes(instructions)
    assert {name: outcome.status for name, outcome in found.items()} == dict.fromkeys(
        ("load_row", "store_row", "double_row"), "passed"
    ), [outcome.text() + outcome.reason for outcome in found.values()]
    (memory_outcome,) = check_memories([memory], instructions, Toolchain(backend(), {}))
    assert memory_outcome.status == "passed" and memory_outcome.runs > 1, memory_outcome.text()


def test_with_peek_and_poke_a_wrong_move_fails_alone():
    found = outcomes(kernels.moves(kernels.Peeked, kernels.WRONG_LOAD))
    assert {name: outcome.status for name, outcome in found.items()} == {
        "load_row": "failed",
        "store_row": "passed",
        "double_row": "passed",
    }
    assert "dst[3] is not what the body gives" in found["load_row"].text()


def test_without_them_both_moves_are_blamed_and_the_others_are_not_judged():
    found = outcomes(kernels.moves(kernels.Handles, kernels.WRONG_LOAD))
    assert {name: outcome.status for name, outcome in found.items()} == {
        "load_row": "failed",
        "store_row": "failed",
        "double_row": "skipped",
    }
    reason = "load_row and store_row do not bring data into memory Handles and back as it was"
    assert found["double_row"].reason == reason
    assert reason in found["store_row"].text()
    assert "peek and poke of the memory would tell which" in found["load_row"].text()


def test_a_second_load_that_agrees_clears_the_store():
    right, (wrong, *_) = kernels.moves(kernels.Handles), kernels.moves(kernels.Handles, kernels.WRONG_LOAD)
    found = list(check_instructions([wrong, *right], [wrong, *right], Toolchain(backend(), {})))
    assert [outcome.status for outcome in found] == ["failed", "passed", "passed", "passed"]


def test_half_a_declaration_is_a_finding_of_the_memory():
    (outcome,) = check_memories([kernels.HalfDeclared], [], Toolchain(backend(), {}))
    assert outcome.status == "failed"
    assert "memory HalfDeclared must declare both peek and poke" in outcome.text()
