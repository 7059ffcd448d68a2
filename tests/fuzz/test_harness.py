"""The soundness test passes on the operators as they are, and finds operators that are wrong."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import usl_stdlib
from tests.fuzz.harness import Failure, apply, fuzz
from tests.fuzz.library import library
from tests.fuzz.operators import operators
from tests.fuzz.registry import ACTIONS
from tests.fuzz.shrink import shrink
from tests.fuzz.sites import sites
from usl_core.cursors import edits
from usl_core.cursors.path import BlockLoc, after
from usl_core.equivalence import Step
from usl_core.errors import BoundsError
from usl_core.ir.nodes import For
from usl_core.procedure import Procedure, derive
from usl_core.scheduling import OPERATORS, autofission, autolift_alloc


def test_a_hundred_random_steps_keep_the_meaning() -> None:
    tally = fuzz(100, seed=20, vectors=5)
    assert not tally.failures, tally.failures[0].report()
    assert tally.accepted.total() > 40
    assert tally.refused.total() > 20


def test_every_operator_and_every_function_of_the_library_is_tried() -> None:
    known = {operator.__name__ for operator in (*OPERATORS, autofission, autolift_alloc)}
    assert set(ACTIONS) == known | set(library()) == set(operators()) & set(ACTIONS)
    looking = {"walk", "classify", "enclosing_loop", "enclosing_loops", "common_ancestor", "loop_nest", "affine_range"}
    looking |= {"infer_bounds", "touched", "traffic", "count_config_writes", "near_misses", "tile_for_memory"}
    rules = {"fma_rule", "select_rule", "abs_rule"}
    assert {function.__name__ for function in usl_stdlib.LIBRARY} - looking - rules == set(library()) - {
        "inspect",
        "repeat n_times",
    }


def test_a_seed_decides_every_step() -> None:
    first, second = fuzz(20, seed=5, vectors=2), fuzz(20, seed=5, vectors=2)
    assert (first.accepted, first.refused) == (second.accepted, second.refused)


def found(monkeypatch: pytest.MonkeyPatch, name: str, wrong: Callable[..., Procedure], steps: int = 400) -> Failure:
    """The shrunk failure of an operator that is wrong on purpose."""
    monkeypatch.setitem(operators(), name, wrong)
    tally = fuzz(steps, seed=2, only=[name], vectors=4)
    assert tally.failures, f"{name} was not found to be wrong"
    return shrink(tally.failures[0])


def swap_without_check(proc: Procedure, block: Any, split: int = 1) -> Procedure:
    loc = block.loc
    assert isinstance(loc, BlockLoc)
    first = BlockLoc(loc.parent, loc.field, loc.lo, loc.lo + split)
    ir, forward = edits.move(proc.ir, first, after((*loc.parent, (loc.field, loc.hi - 1))))
    return derive(proc, ir, forward, "reorder_stmts", lambda: Step("reorder_stmts"))


def test_a_swap_of_statements_that_do_not_commute_is_found_and_shrunk_to_little(monkeypatch: pytest.MonkeyPatch) -> None:
    failure = found(monkeypatch, "reorder_stmts", swap_without_check)
    assert failure.difference is not None
    assert "and must be" in failure.what
    assert len(sites(failure.program.ir)) <= 8
    report = failure.report()
    assert f"def {failure.program.name()}(" in report and "the step:" in report and "sizes:" in report


def test_a_swap_that_forgets_to_forward_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = operators()["reorder_stmts"]

    def swap_and_stay(proc: Procedure, *args: Any) -> Procedure:
        return derive(proc, right(proc, *args).ir, lambda loc: loc, "reorder_stmts", lambda: Step("reorder_stmts"))

    failure = found(monkeypatch, "reorder_stmts", swap_and_stay)
    assert failure.what.startswith("cursor to")


def test_a_loop_that_loses_its_tail_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = operators()["divide_loop"]

    def divide_and_drop(proc: Procedure, loop: Any, factor: int, names: list[str], **_: Any) -> Procedure:
        divided = right(proc, loop, factor, names, tail="cut")
        outer = divided.forward(loop)
        rest = outer.next()
        if not rest or not isinstance(rest.node, For):
            raise BoundsError("no tail")
        ir, forward = edits.delete(divided.ir, rest.as_block().loc)
        return derive(divided, ir, forward, "divide_loop", lambda: Step("divide_loop"))

    assert found(monkeypatch, "divide_loop", divide_and_drop).difference is not None


def test_an_exception_that_is_no_refusal_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(proc: Procedure, loop: Any) -> Procedure:
        raise KeyError("loop")

    failure = found(monkeypatch, "remove_loop", crash)
    assert failure.what.startswith("KeyError")
    with pytest.raises(KeyError):
        apply("remove_loop", failure.program, failure.draft)


def test_every_fault_can_be_put_into_the_system_as_it_is() -> None:
    apply = "from tests.fuzz.faults import FAULTS\nfor fault in FAULTS.values(): fault.apply()"
    assert subprocess.run([sys.executable, "-c", apply], capture_output=True, text=True, check=False).stderr == ""
