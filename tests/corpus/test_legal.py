"""Every legal step is accepted, gives the documented text, and refines the program in the exact interpreter."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.corpus import legal
from tests.corpus.case import Legal, apply, cases_in
from tests.corpus.conservative import KNOWN_CONSERVATIVE
from tests.fuzz.refine import refinement_failure, steps_modulo
from tests.primitives.equivalence import assert_body
from usl_core.equivalence import Relation
from usl_core.errors import SchedulingError, Undecided
from usl_core.ir.verify import verify
from usl_core.scheduling import OPERATORS

CASES: list[Legal] = cases_in(legal)
IDS = [f"{case.operator}-{case.name}" for case in CASES]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_step_is_accepted_and_refines(case: Legal) -> None:
    before, step = apply(case, case.program.names())
    after = step()
    verify(after.ir)
    if case.expect is not None:
        assert_body(after, case.expect)
    modulo, fixed = steps_modulo(before, after), dict(case.fixed)
    difference = refinement_failure(before.ir, after.ir, random.Random(0), case.factor, vectors=5, fixed=fixed, modulo=modulo)
    assert difference is None, f"{difference}\n{before}\n{after}"
    if all(made.relation is Relation.EQUAL for made in after.history()[len(before.history()) :]):  # poison stays poison
        modulo |= steps_modulo(after, before)
        difference = refinement_failure(after.ir, before.ir, random.Random(0), case.factor, vectors=3, data=2, modulo=modulo)
        assert difference is None, f"the other way round: {difference}\n{before}\n{after}"
    if case.operator == "parallelize_loop":
        rng = random.Random(1)
        difference = refinement_failure(before.ir, after.ir, rng, case.factor, vectors=5, data=2, permute=rng)
        assert difference is None, f"in another order: {difference}\n{before}\n{after}"


@pytest.mark.parametrize("case", [c for c, _ in KNOWN_CONSERVATIVE], ids=[c.name for c, _ in KNOWN_CONSERVATIVE])
def test_a_legal_step_known_to_be_refused_is_still_refused(case: Legal) -> None:
    """So that the list does not outlive its reasons."""
    _, step = apply(case, case.program.names())
    with pytest.raises((SchedulingError, Undecided)):
        step()


def test_names_of_cases_are_unique() -> None:
    assert [name for name, count in Counter(IDS).items() if count > 1] == []


@pytest.mark.parametrize("operator", [op.__name__ for op in OPERATORS])
def test_each_operator_has_three_legal_steps(operator: str) -> None:
    assert sum(case.operator == operator for case in CASES) >= 3


def test_there_are_at_least_200_legal_steps() -> None:
    assert len(CASES) >= 200
