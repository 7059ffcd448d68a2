"""The search for small models: what it finds satisfies the formulas, and finds most of what schedules ask."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.test_solver import NAMES, formulas, holds
from usl_core.analysis import affine, linear, solver
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Stride
from usl_core.analysis.formula import Bool, Formula
from usl_core.analysis.models import find_model
from usl_core.analysis.solver import Proved, Refuted, prove
from usl_core.ir.sym import Sym

M, N, P, Q = (Sym(name) for name in "mnpq")


def lin(name: Sym) -> affine.Lin:
    return affine.var(name)


@given(st.lists(formulas(), min_size=1, max_size=4))
@settings(max_examples=200, deadline=None)
def test_a_model_satisfies_every_formula(parts: list[Formula]) -> None:
    model = find_model(parts)
    if model is not None:
        env = {name: int(model.get(name, 0)) for name in NAMES}
        assert all(holds(part, env) for part in parts)
        assert not linear.unsat(parts)


def test_the_search_follows_variables_into_quotients_and_minima() -> None:
    tile = affine.quotient(lin(M), 6)
    assert find_model([fml.ge(lin(M), 1), fml.ge(lin(P)), fml.lt(lin(P), tile)]) is not None
    rest = affine.remainder(lin(N), 64)
    assert find_model([fml.ge(lin(N), 1), fml.ge(rest, 17), fml.ge(lin(N), 200)]) is not None
    least = affine.minimum([lin(M), lin(N) + 3])
    assert find_model([fml.ge(least, 10), fml.le(lin(N), 8)]) is not None


def test_truth_values_and_strides_are_part_of_a_model() -> None:
    dense = fml.eq(affine.of_atom(Stride(M, 0)), 1)
    model = find_model([Bool(P), Bool(Q, positive=False), dense])
    assert model == {P: True, Q: False}


def test_a_contradiction_and_a_quantifier_have_no_answer() -> None:
    assert find_model([fml.ge(lin(M), 1), fml.le(lin(M), 0)]) is None
    assert find_model([fml.exists((P,), fml.eq(lin(P).scale(2), lin(M)))]) is None


def test_refutations_of_a_schedule_do_not_reach_z3() -> None:
    """Questions that `simplify` asks about tiles: does a loop over them never run, or once?"""
    facts = [fml.ge(lin(M), 1), fml.ge(lin(P)), fml.lt(lin(P), affine.quotient(lin(M), 7))]
    before = solver.STATISTICS.settled.get("z3", 0)
    for goal in (
        fml.le(affine.quotient(lin(M), 7), 1),
        fml.eq(affine.remainder(lin(M), 7), 1),
        fml.lt(lin(M), 70),
        fml.FALSE,
    ):
        assert isinstance(prove(facts, goal), Refuted)
    assert solver.STATISTICS.settled.get("z3", 0) == before


def test_a_quotient_is_not_negative_where_its_numerator_is_not() -> None:
    """The bound follows only if the numerator is eliminated before its quotient, whose coefficients are then rounded."""
    facts = [fml.ge(lin(M), 1), fml.ge(lin(P))]
    assert prove(facts, fml.ge(lin(P) + affine.quotient(lin(M), 6).scale(6))) == Proved("affine")
