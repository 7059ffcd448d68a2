"""Makes a failing program smaller: drops statements as long as the same step still fails in the same way."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.fuzz.forwarding import forwarding_failure
from tests.fuzz.harness import REFUSALS, Failure, apply, relocate
from tests.fuzz.refine import refinement_failure, steps_modulo
from tests.fuzz.sites import Site, siblings, sites
from usl_core.cursors import edits
from usl_core.errors import UslError
from usl_core.ir.traverse import walk
from usl_core.ir.verify import problems
from usl_core.procedure import Procedure, from_ir

ATTEMPTS = 400


def shrink(failure: Failure) -> Failure:
    """A failure of the same operator on a program with no statement to spare."""
    budget, found = ATTEMPTS, True
    while found and budget > 0:
        found, position = False, 0
        while position < len(order := _largest_first(failure)) and budget > 0:
            budget -= 1
            smaller = _without(failure, order[position])
            if smaller is None:
                position += 1
            else:
                failure, found = smaller, True
    return failure


def _largest_first(failure: Failure) -> list[Site]:
    """The statements of the failing program, those with much in them before those with little."""
    return sorted(sites(failure.program.ir), key=lambda site: -sum(1 for _ in walk(site.stmt)))


def _without(failure: Failure, site: Site) -> Failure | None:
    """The failure without one statement, if it is still one."""
    ir = failure.program.ir
    if len(siblings(ir, site)) == 1 and site.field == "body":
        return None
    smaller, forward = edits.delete(ir, site.block())
    draft = relocate(failure.draft, forward)
    if draft is None or problems(smaller):
        return None
    try:
        program = from_ir(smaller)
    except UslError:
        return None
    return retry(replace(failure, program=program, draft=draft))


def retry(failure: Failure) -> Failure | None:
    """The failure of the same step on its program, None if the step is refused or right."""
    rng = random.Random(failure.seed)
    try:
        result: Procedure = apply(failure.operator, failure.program, failure.draft)
    except REFUSALS:
        return None
    except Exception as error:  # the failure that we look for may be an exception
        return (
            replace(failure, what=f"{type(error).__name__}: {error}", difference=None, result=None)
            if failure.result is None
            else None
        )
    if failure.result is None:
        return None
    fixed = dict(failure.draft.kwargs) if failure.operator == "partial_eval" else {}
    difference = refinement_failure(
        failure.program.ir, result.ir, rng, 4, 10, 2, fixed, modulo=steps_modulo(failure.program, result)
    )
    if difference is not None:
        return replace(failure, what=difference.what, difference=difference, result=result)
    problem = forwarding_failure(failure.program, result, failure.operator, rng)
    return replace(failure, what=problem, difference=None, result=result) if problem and failure.difference is None else None
