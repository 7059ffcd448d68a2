"""Random programs: what the generator gives, and that machine and exact arithmetic agree on programs of small numbers."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from typing import get_args

import pytest
from soac_programs import interpreted, random_program

from usl_soac import core

SEEDS = range(100)


def expressions(node: object) -> Iterator[core.Expr]:
    """All expressions in a function, a body or a statement."""
    if isinstance(node, get_args(core.Expr)):
        yield node
    if isinstance(node, get_args(core.Node)):
        for each in dataclasses.fields(node):
            value = getattr(node, each.name)
            for item in value if isinstance(value, tuple) else (value,):
                yield from expressions(item)


@pytest.fixture(scope="module")
def runs():
    """For each program its functions in core, and for each input both outcomes."""
    found = []
    for seed in SEEDS:
        program = random_program(seed)
        main = program.main()
        outcomes = [(interpreted(main, args), interpreted(main, args, exact=True)) for args in program.inputs]
        found.append((main.core(), outcomes))
    return found


def test_a_seed_always_gives_the_same_program():
    assert random_program(7).text == random_program(7).text
    assert random_program(7).text != random_program(8).text


def test_most_runs_end_well_and_some_fail(runs):
    ends = Counter(
        "late" if machine is None else "failed" if machine == "failed" else "well"
        for _, outcomes in runs
        for machine, _ in outcomes
    )
    assert ends["well"] >= 0.5 * ends.total()
    assert ends["failed"] >= 0.02 * ends.total()
    assert ends["late"] <= 0.02 * ends.total()


def test_machine_arithmetic_agrees_with_exact_arithmetic(runs):
    different = [
        seed for seed, (_, outcomes) in zip(SEEDS, runs, strict=True) for a, b in outcomes if a != b and None not in (a, b)
    ]
    assert different == []


def test_every_form_of_the_core_is_generated(runs):
    seen = Counter(type(each) for program, _ in runs for function in program.functions for each in expressions(function.body))
    made_by_passes = {core.Copy, core.Count, core.Compress}
    assert set(seen) == set(get_args(core.Expr)) - made_by_passes - {core.Foreign}, "foreign calls have tests of their own"
    recursive = [
        function
        for program, _ in runs
        for function in program.functions
        if any(isinstance(each, core.Call) and each.function == function.name for each in expressions(function.body))
    ]
    assert len(recursive) >= 10
