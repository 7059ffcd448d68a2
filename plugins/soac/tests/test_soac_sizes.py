"""Terms: equal forms have equal values, in the arithmetic of i64; facts prove only what holds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from usl_core.ir.sym import Sym
from usl_soac.facts import Facts, at_least_zero, facts_of
from usl_soac.sizes import (
    SIZE_LIMIT,
    ZERO,
    Compare,
    Term,
    ceiling_quotient,
    choice,
    evaluate,
    holds,
    literal,
    maximum,
    minimum,
    name,
    substitute,
    wrap,
)

NAMES = (Sym("n"), Sym("m"), Sym("k"))
N, M, K = map(name, NAMES)
CORNERS = [0, 1, 2, 3, 7, -1, -5, SIZE_LIMIT, 2**62, 2**63 - 1, -(2**63)]
VALUES = st.fixed_dictionaries({n: st.one_of(st.integers(-5, 9), st.sampled_from(CORNERS)) for n in NAMES})
SMALL = st.fixed_dictionaries({n: st.integers(0, 6) for n in NAMES})
LEAVES = st.one_of(st.sampled_from([N, M, K]), st.integers(-4, 5).map(literal), st.sampled_from(CORNERS).map(literal))


def compares(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[Compare]:
    return st.builds(Compare, st.sampled_from(["==", "!=", "<=", "<"]), terms, terms)


def larger(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(lambda a, b: a + b, terms, terms),
        st.builds(lambda a, b: a - b, terms, terms),
        st.builds(lambda a, b: a * b, terms, terms),
        st.builds(lambda a, k: a // k, terms, st.sampled_from([-3, -1, 1, 2, 3, 4])),
        st.builds(minimum, terms, terms, terms),
        st.builds(maximum, terms, terms),
        st.builds(choice, compares(terms), terms, terms),
    )


TERMS = st.recursive(LEAVES, larger, max_leaves=8)


@given(TERMS, TERMS, VALUES)
def test_operations_on_terms_are_those_of_i64(a, b, values):
    x, y = evaluate(a, values), evaluate(b, values)
    assert evaluate(a + b, values) == wrap(x + y)
    assert evaluate(a - b, values) == wrap(x - y)
    assert evaluate(a * b, values) == wrap(x * y)
    assert evaluate(-a, values) == wrap(-x)
    assert evaluate(a // 3, values) == x // 3
    assert evaluate(a // -1, values) == wrap(-x)
    assert evaluate(minimum(a, b), values) == min(x, y)
    assert evaluate(maximum(a, b, 2), values) == max(x, y, 2)


@given(TERMS, TERMS, TERMS)
def test_equal_polynomials_have_one_form(a, b, c):
    assert a * (b + c) == a * b + a * c
    assert (a + b) - b == a
    assert a + b == b + a and a * b == b * a
    assert minimum(a, minimum(b, c)) == minimum(minimum(c, a), b)
    assert a - a == ZERO
    assert hash(a + b) == hash(b + a)


@given(TERMS, TERMS, VALUES)
def test_substitution_is_evaluation_with_the_value(term, replacement, values):
    changed = {**values, NAMES[0]: evaluate(replacement, values)}
    assert evaluate(substitute(term, {NAMES[0]: replacement}), values) == evaluate(term, changed)


@given(compares(TERMS), VALUES)
def test_a_comparison_that_is_known_holds_for_all_values(test, values):
    if test.known is not None:
        assert holds(test, values) == test.known
    assert holds(test.negated(), values) != holds(test, values)


LINEAR = st.recursive(
    st.one_of(st.sampled_from([N, M, K]), st.integers(-4, 5).map(literal)),
    lambda terms: st.one_of(
        st.builds(lambda a, b: a + b, terms, terms),
        st.builds(lambda a, b: a - b, terms, terms),
        st.builds(lambda a, k: a * k, terms, st.integers(-2, 3)),
        st.builds(lambda a, k: a // k, terms, st.integers(2, 3)),
        st.builds(minimum, terms, terms),
        st.builds(maximum, terms, terms),
        st.builds(lambda a, b: a * b, terms, terms),
    ),
    max_leaves=4,
)


@settings(max_examples=150)
@given(st.lists(compares(LINEAR), max_size=4), compares(LINEAR), SMALL, st.booleans())
def test_what_facts_prove_holds_wherever_the_facts_hold(known, goal, values, sizes):
    facts = facts_of(*known, sizes=NAMES if sizes else ())
    if all(holds(test, values) for test in known) and facts.proves(goal):
        assert holds(goal, values)


@settings(max_examples=150)
@given(st.lists(compares(TERMS), max_size=3), compares(TERMS), VALUES)
def test_what_facts_prove_holds_where_terms_wrap(known, goal, values):
    facts = facts_of(*known)
    if all(holds(test, values) for test in known):
        assert evaluate(facts.normal(goal.left), values) == evaluate(goal.left, values)
        if facts.proves(goal):
            assert holds(goal, values)


def at_most(left: Term, right: Term | int) -> Compare:
    return Compare("<=", left, right if isinstance(right, Term) else literal(right))


@pytest.mark.parametrize(
    ("known", "goal"),
    [
        ([], at_least_zero(N + M)),
        ([], at_most(N, N + M)),
        ([Compare("<", K, N)], at_most(K + 1, N)),
        ([Compare("<", K, N), Compare("==", N, M)], Compare("<", K, M)),
        ([Compare("!=", N, ZERO)], Compare("<", ZERO, N)),
        ([Compare("<", ZERO, N)], at_least_zero(N - 1)),
        ([at_most(K, N), at_most(N, M), at_most(M, K)], Compare("==", K, M)),
        ([], at_most(N // 2, N)),
        ([], at_least_zero(N - N // 2)),
        ([], at_most(minimum(N, M), N)),
        ([], at_most(N, maximum(N, M))),
        ([at_most(K, N)], at_most(ceiling_quotient(N - K, 2), N)),
        ([Compare("==", 2 * N, 2 * M)], at_most(N, M)),
    ],
)
def test_linear_facts_about_sizes_prove(known, goal):
    facts = facts_of(*known, sizes=NAMES)
    assert facts.proves(goal)


@pytest.mark.parametrize("goal", [at_least_zero(N - 1), at_most(N, M), at_least_zero(N * M * K), Compare("==", N, M)])
def test_linear_facts_do_not_prove_what_can_fail(goal):
    assert not facts_of(sizes=NAMES).proves(goal)


def test_a_sum_of_parameters_that_may_wrap_proves_nothing():
    assert not facts_of(at_least_zero(N), at_least_zero(M)).proves(at_least_zero(N + M))
    assert facts_of(at_least_zero(N), at_least_zero(M), sizes=NAMES[:2]).proves(at_least_zero(N + M))


def test_an_equation_rewrites_the_later_name():
    facts = facts_of(Compare("==", M, N))
    assert facts.equal(2 * N, M + M) and str(facts.normal(M + 1)) == "n + 1"
    assert not Facts().equal(N, M)


def test_terms_print_as_one_would_write_them():
    texts = [2 * N - M, N - 2 * M, N * M + 3, (N + 1) // 2, (N // 2) * M, minimum(N, M, 3), -N, 3 - N, ZERO]
    assert [str(t) for t in texts] == [
        "2*n - m",
        "n - 2*m",
        "n*m + 3",
        "(n + 1) // 2",
        "m*(n // 2)",
        "min(n, m, 3)",
        "-n",
        "-n + 3",
        "0",
    ]
    assert str(choice(Compare("==", K, ZERO), ZERO, M)) == "(0 if k == 0 else m)"
