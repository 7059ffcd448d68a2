"""The static check of ownership accepts what the passes make, and refuses programs with one operation too many or too few."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perceus_front import program
from perceus_programs import programs
from perceus_runs import heap_outcome, outcome

from bench.perceus import programs as bench
from usl_perceus.insert import insert
from usl_perceus.ir import Do, Expr
from usl_perceus.linear import check_linear
from usl_perceus.passes import OPTIONAL, compile_program, trace
from usl_perceus.traverse import map_children, walk
from usl_perceus.verify import Malformed, verify

PROGRAMS = programs(full=False) | programs(full=True)


@given(PROGRAMS)
def test_every_form_from_insertion_on_is_linear(program):
    steps = dict(trace(program))
    for name in list(steps)[list(steps).index("perceus") :]:
        check_linear(steps[name])


@given(PROGRAMS, st.sets(st.sampled_from(sorted(OPTIONAL))))
def test_any_combination_of_passes_is_linear(program, off):
    check_linear(compile_program(program, off=off))


@pytest.mark.parametrize(
    "name", ["rbtree", "rbtree_ck", "deriv", "nqueens", "cfold", "tmap_fbip", "tmap_plain", "list_map", "list_map_shared"]
)
def test_the_benchmarks_are_linear(name):
    check_linear(compile_program(getattr(bench, name).core().program))


def without_one_operation(expr: Expr, target: Do) -> Expr:
    return target.body if expr is target else map_children(expr, lambda child: without_one_operation(child, target))


@given(PROGRAMS, st.integers(0, 1000))
def test_a_program_with_an_operation_left_out_is_refused_or_runs_all_the_same(program, choice):
    """It runs where the operation is in code that is never reached, or is a drop of a constant."""
    found = compile_program(program)
    sites = [(name, expr) for name, fun in found.funs.items() for expr in walk(fun.body) if isinstance(expr, Do)]
    expected = outcome(program)
    if not sites or expected is None:
        return
    name, target = sites[choice % len(sites)]
    body = without_one_operation(found.funs[name].body, target)
    broken = replace(found, funs={**found.funs, name: replace(found.funs[name], body=body)})
    try:
        verify(broken)
        check_linear(broken)
    except Malformed:
        return
    assert heap_outcome(broken) == expected


def test_no_operation_of_a_small_program_may_be_left_out():
    found = compile_program(bench.rbtree.core().program)
    sites = [(name, expr) for name, fun in found.funs.items() for expr in walk(fun.body) if isinstance(expr, Do)]
    assert len(sites) > 10
    for name, target in sites:
        body = without_one_operation(found.funs[name].body, target)
        broken = replace(found, funs={**found.funs, name: replace(found.funs[name], body=body)})
        with pytest.raises(Malformed):
            verify(broken)
            check_linear(broken)


def test_a_variable_that_is_consumed_twice_is_named():
    text = """
        @fun
        def twice(xs: List[i64]) -> List[List[i64]]:
            return Cons(xs, Cons(xs, Nil))
    """
    found = insert(program(text).program)
    fun = found.funs["twice"]
    (target,) = [expr for expr in walk(fun.body) if isinstance(expr, Do)]
    broken = replace(fun, body=without_one_operation(fun.body, target))
    with pytest.raises(Malformed, match=r"xs_[0-9]+ is consumed and not owned"):
        check_linear(replace(found, funs={"twice": broken}))
