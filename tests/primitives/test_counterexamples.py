"""The values that a refusal shows are real: at these sizes the refused step gives something else than the program."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from tests.corpus import illegal
from tests.corpus.case import Illegal, Malformed, Wrong, apply, cases_in
from tests.fuzz.inputs import Controls, random_inputs
from tests.fuzz.refine import compare_at
from usl_core.errors import InterpError, UslError
from usl_core.interp import run
from usl_core.ir.nodes import Proc
from usl_core.ir.types import BOOL, SIZE, ControlType

TRIES = 30
"""Data drawn for one vector of sizes: a wrong order shows only where values differ."""


def refusal(case: Illegal) -> UslError:
    _, step = apply(case, case.program.names())
    with pytest.raises(UslError) as caught:
        step()
    return caught.value


NOT_REPLAYED = {
    "bind_expr-a_later_iteration_reads_what_an_earlier_one_wrote": "the values name the conflict, seen later",
    "lift_scope-the_body_changes_the_data": "the values name the conflict, seen in the next iteration",
    "replace-a_guard_that_is_off_by_one": "the values are about a call with another argument than the witness has",
}


def identify(case: Illegal) -> str:
    return f"{case.operator}-{case.name}"


CANDIDATES: list[Illegal] = [
    case for case in cases_in(illegal) if isinstance(case.witness, Wrong | Malformed) and identify(case) not in NOT_REPLAYED
]
"""Steps whose wrong result is known; not every refusal of them shows values."""


@cache
def with_values() -> list[Illegal]:
    return [case for case in CANDIDATES if refusal(case).counterexample]


def vectors(proc: Proc, values: Mapping[str, int | bool]) -> Iterator[Controls]:
    """Small values for the control formals of proc that the counter-example leaves open."""
    formals = [arg for arg in proc.args if isinstance(arg.type, ControlType)]
    choices = [
        [values[arg.name.name]]
        if arg.name.name in values
        else [False, True]
        if arg.type is BOOL
        else list(range(int(arg.type is SIZE), 7))
        for arg in formals
    ]
    for chosen in itertools.product(*choices):
        yield {arg.name.name: value for arg, value in zip(formals, chosen, strict=True)}


def differs(original: Proc, wrong: Proc, controls: Controls, permute: bool) -> bool:
    for seed in range(TRIES):
        rng = random.Random(seed)
        inputs = random_inputs(original, controls, rng, rng.choice((0.0, 0.0, 0.4)))
        what = compare_at(original, wrong, inputs, permute=rng if permute else None)
        if what is not None and what.startswith("the original program fails"):
            return False
        if what is not None:
            return True
    return False


def faults(original: Proc, wrong: Proc, controls: Controls) -> bool:
    """Whether wrong goes out of bounds, or breaks an assertion, where the original program runs."""
    inputs = random_inputs(original, controls, random.Random(0))
    try:
        run(original, inputs.fresh(), mode="exact")
    except InterpError:
        return False
    try:
        run(wrong, inputs.fresh(), mode="exact")
    except InterpError:
        return True
    return False


def replayed(case: Illegal, values: Mapping[str, int | bool]) -> bool:
    names = case.program.names()
    original = case.program.procedure(names).ir
    match case.witness:
        case Wrong(body=body, formals=formals, permute=permute):
            wrong = case.program.variant(body, formals).unchecked(names)
            return any(differs(original, wrong, controls, permute) for controls in vectors(original, values))
        case Malformed(body=body, formals=formals):
            wrong = case.program.variant(body, formals).unchecked(names)
            return any(faults(original, wrong, controls) for controls in vectors(original, values))
        case _:
            raise AssertionError(case.witness)


@pytest.mark.parametrize("case", CANDIDATES, ids=identify)
def test_at_the_values_that_a_refusal_shows_the_step_would_be_wrong(case: Illegal) -> None:
    error = refusal(case)
    values = error.counterexample
    assert not values or replayed(case, values), f"nothing differs for {dict(values)}\n{error}"


def test_most_refusals_of_dependences_and_conditions_show_values() -> None:
    """Of the others most are about constants and scalars, where there is nothing to choose."""
    operators = Counter(case.operator for case in with_values())
    assert operators.total() >= 120
    for operator in (
        "reorder_loops fission fuse reorder_stmts parallelize_loop remove_loop divide_loop cut_loop sink_alloc stage_mem "
        "join_loops expand_dim resize_dim reuse_buffer lift_alloc guard_redundant replace"
    ).split():
        assert operators[operator] >= 1, operator


def test_the_values_of_an_error_are_those_of_its_text() -> None:
    for case in with_values():
        error = refusal(case)
        text = ", ".join(f"{name} = {value}" for name, value in error.counterexample.items())
        assert f"counter-example: {text}" in str(error)
        assert error.as_dict()["counterexample"] == error.counterexample
