"""What equations and bounds determine: compared with all assignments of small numbers."""

from __future__ import annotations

import itertools
import random

from tests.analysis.evaluation import number, truth
from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.context import Context
from usl_core.analysis.formula import Formula
from usl_core.ir.sym import Sym

NAMES = (Sym("a"), Sym("b"), Sym("c"))
VALUES = range(-2, 5)


def random_lin(rng: random.Random) -> Lin:
    """A sum of a few variables and quotients."""
    total = Lin(rng.randint(-4, 4))
    for name in rng.sample(NAMES, rng.randint(1, 2)):
        part = affine.var(name)
        if rng.random() < 0.4:
            part = affine.quotient(part + rng.randint(0, 3), rng.randint(2, 4))
        total = total + part.scale(rng.choice((-2, -1, 1, 1, 2)))
    return total


def random_facts(rng: random.Random) -> tuple[list[dict[Sym, int]], Context]:
    """Facts about NAMES that some values within VALUES satisfy, and all of these: the facts keep the names there."""
    facts: list[Formula] = []
    for name in NAMES:
        facts += [fml.ge(affine.var(name), VALUES[0]), fml.le(affine.var(name), VALUES[-1])]
    witness = {name: rng.choice(VALUES) for name in NAMES}
    for _ in range(rng.randint(1, 4)):
        lin = random_lin(rng)
        value = number(lin, witness)
        facts.append(rng.choice((fml.eq, fml.le, fml.ge))(lin, Lin(value)))
    every = (dict(zip(NAMES, values, strict=True)) for values in itertools.product(VALUES, repeat=len(NAMES)))
    return [env for env in every if all(truth(fact, env) for fact in facts)], Context().assume(facts)


def test_what_is_determined_is_so_for_all_values() -> None:
    determined = 0
    for seed in range(50):
        rng = random.Random(seed)
        models, ctx = random_facts(rng)
        for atom, value in {**ctx.known.equations, **ctx.known.numbers}.items():
            determined += 1
            for env in models:
                assert number(affine.of_atom(atom), env) == number(value, env), (seed, atom, value, env)
    assert determined > 30


def test_no_atom_is_expressed_by_one_that_is_expressed_itself() -> None:
    for seed in range(50):
        _, ctx = random_facts(random.Random(seed))
        for value in ctx.known.equations.values():
            assert ctx.known.equations.keys().isdisjoint(affine.atoms(value)), seed


def test_a_value_is_found_where_there_is_but_one_and_only_there() -> None:
    found = 0
    for seed in range(50):
        rng = random.Random(seed)
        models, ctx = random_facts(rng)
        lin = random_lin(rng)
        values = {number(lin, env) for env in models}
        answer = ctx.value(lin)
        found += answer is not None
        assert answer is None or values == {answer}, (seed, values, answer)
    assert found > 2
