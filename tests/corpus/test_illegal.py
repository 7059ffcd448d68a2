"""Every illegal step is refused with the documented code at the right place, and every one of them would indeed be wrong."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

import pytest

from tests.corpus import illegal
from tests.corpus.case import Illegal, Malformed, Misuse, Stopped, Wrong, apply, cases_in
from tests.corpus.places import expected, key, shown
from tests.fuzz.inputs import Inputs, control_vectors, random_inputs
from tests.fuzz.refine import Difference, refinement_failure
from usl_core.errors import InterpError, UslError
from usl_core.interp import Buffer, run
from usl_core.ir.nodes import Proc
from usl_core.scheduling import OPERATORS

CASES: list[Illegal] = cases_in(illegal)
IDS = [key(case) for case in CASES]
PLACES = expected()


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_step_is_refused_at_its_place(case: Illegal) -> None:
    names = case.program.names()
    before, step = apply(case, names)
    try:
        result = step()
    except UslError as error:
        assert shown(error.span, before, names) == PLACES.get(key(case)), "new, or moved: python -m tests.corpus.places"
        assert error.code == case.code, error
        assert case.message in str(error), error
        assert case.operator in str(error) or error.code in ("E401", "E402", "E403"), error
    else:
        pytest.fail(f"accepted:\n{case.program.text()}\nbecame\n{result}")


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_its_result_would_be_wrong(case: Illegal) -> None:
    names = case.program.names()
    original = case.program.procedure(names).ir
    match case.witness:
        case Wrong(body=body, formals=formals, permute=permute):
            wrong = case.program.variant(body, formals).unchecked(names)
            assert _difference(original, wrong, case.factor, permute) is not None
        case Malformed(body=body, code=code, formals=formals):
            with pytest.raises(UslError) as caught:
                case.program.variant(body, formals).procedure(names)
            assert caught.value.code == code
        case Stopped(body=body):
            assert _stops_otherwise(original, case.program.variant(body, None).unchecked(names))
        case Misuse(reason=reason):
            assert reason


def _difference(original: Proc, wrong: Proc, factor: int, permute: bool) -> Difference | None:
    """Where wrong differs; that the original program itself fails is not a difference."""
    for seed in range(20):
        rng = random.Random(seed)
        found = refinement_failure(original, wrong, rng, factor, vectors=10, data=3, permute=rng if permute else None)
        if found is not None:
            assert not found.what.startswith("the original program fails"), found
            return found
    return None


def _stops_otherwise(original: Proc, wrong: Proc) -> bool:
    rng = random.Random(0)
    for controls in control_vectors(original, rng, 4, 10):
        inputs = random_inputs(original, controls, rng)
        if _final_state(original, inputs) != _final_state(wrong, inputs):
            return True
    return False


def _final_state(proc: Proc, inputs: Inputs) -> tuple[bool, Mapping[str, list[object]]]:
    """Whether the program stopped at an error, and its data then."""
    values = inputs.fresh()
    try:
        run(proc, values, mode="exact")
        stopped = False
    except InterpError:
        stopped = True
    return stopped, {name: list(value.data) for name, value in values.items() if isinstance(value, Buffer)}


def test_names_of_cases_are_unique() -> None:
    assert [name for name, count in Counter(IDS).items() if count > 1] == []


@pytest.mark.parametrize("operator", [op.__name__ for op in OPERATORS])
def test_each_operator_has_three_illegal_steps(operator: str) -> None:
    assert sum(case.operator == operator for case in CASES) >= 3


def test_there_are_at_least_200_illegal_steps_and_few_without_a_result() -> None:
    assert len(CASES) >= 200
    assert sum(isinstance(case.witness, Misuse) for case in CASES) <= len(CASES) // 4
