"""From linear forms to expressions and back; what facts decide."""

from __future__ import annotations

import random

import pytest

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.formula import Formula
from usl_core.analysis.lower import index_lin
from usl_core.analysis.raise_ import from_lin, reduce_lin
from usl_core.analysis.solver import Proved, prove
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym

I, J, N = Sym("i"), Sym("j"), Sym("n")  # noqa: E741
i, j, n = affine.var(I), affine.var(J), affine.var(N)


def random_lin(rng: random.Random, depth: int) -> Lin:
    choice = rng.randrange(9 if depth else 2)
    if choice == 0:
        return affine.const(rng.randrange(-5, 6))
    if choice == 1:
        return affine.var(rng.choice((I, J, N)))
    a, b = random_lin(rng, depth - 1), random_lin(rng, depth - 1)
    return [
        a + b,
        a + b,
        a - b,
        a.scale(rng.randrange(-3, 5)),
        affine.quotient(a, rng.randrange(1, 6)),
        affine.remainder(a, rng.randrange(1, 6)),
        affine.minimum([a, b]) if rng.random() < 0.5 else affine.maximum([a, b]),
    ][choice - 2]


def test_lowering_undoes_raising():
    for seed in range(3000):
        lin = random_lin(random.Random(seed), 4)
        assert index_lin(from_lin(lin)) == lin, seed


@pytest.mark.parametrize(
    ("lin", "text"),
    [
        (affine.remainder(i, 4), "i % 4"),
        (affine.remainder(i + 5, 4), "(i + 1) % 4"),
        (affine.quotient(n - i, 4), "(n - i) / 4"),
        (affine.quotient(n - 1, 4), "(n - 1) / 4"),
        (affine.quotient(n + 3, 4), "(n + 3) / 4"),
        (affine.maximum([i, n - 3]), "max(i, n - 3)"),
        (affine.const(3) - i - j, "3 - i - j"),
        (affine.remainder(i.scale(2) + j, 4) + i.scale(3), "3 * i + (2 * i + j) % 4"),
        (-i, "-i"),
        (affine.ZERO, "0"),
    ],
)
def test_expressions_read_as_one_would_write_them(lin, text):
    assert show_expr(from_lin(lin)) == text


def test_a_quotient_of_a_quotient_is_in_lowest_terms():
    assert affine.quotient(affine.quotient(n.scale(2), 3), 2) == affine.quotient(n, 3)


FACTS = [fml.ge(i), fml.lt(i, affine.const(4)), fml.ge(j), fml.lt(j, n)]


def holds(goal: Formula) -> bool:
    return isinstance(prove(FACTS, goal), Proved)


@pytest.mark.parametrize(
    ("lin", "text"),
    [
        (affine.quotient(j.scale(4) + i, 4), "j"),
        (affine.remainder(j.scale(4) + i, 4), "i"),
        (affine.quotient(j.scale(4) + i, 8), "j / 2"),
        (affine.quotient(i - 4, 4), "-1"),
        (affine.quotient(j + i, 4), "(j + i) / 4"),
        (affine.minimum([j, n]), "j"),
        (affine.maximum([i, j]), "max(i, j)"),
        (affine.minimum([affine.quotient(i + 4, 4), n + 1]), "1"),
    ],
)
def test_facts_decide_quotients_and_minima(lin, text):
    assert show_expr(from_lin(reduce_lin(lin, holds))) == text


def test_what_facts_decide_has_the_same_value():
    for seed in range(150):
        rng = random.Random(seed)
        lin = random_lin(rng, 3)
        reduced = reduce_lin(lin, holds)
        assert holds(fml.eq(lin, reduced)), seed
