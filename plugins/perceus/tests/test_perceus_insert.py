"""Perceus insertion on random programs: the theorems of Reinking 2022, §4.3, as properties."""

from __future__ import annotations

from hypothesis import given
from perceus_programs import programs
from perceus_runs import heap_outcome, outcome
from perceus_semantics import heap

from usl_perceus.insert import erase, insert
from usl_perceus.show import show_expr
from usl_perceus.verify import verify

PROGRAMS = programs(full=False) | programs(full=True)


@given(PROGRAMS)
def test_generated_programs_are_well_formed(program):
    verify(program)


@given(PROGRAMS)
def test_erasing_the_resource_operations_gives_the_program_back(program):
    inserted = insert(program)
    verify(inserted)
    for name, fun in program.funs.items():
        assert show_expr(erase(inserted.funs[name].body)) == show_expr(erase(fun.body))


@given(PROGRAMS)
def test_the_heap_semantics_agrees_with_the_standard_one_and_leaves_an_empty_heap(program):
    expected = outcome(program)
    if expected is not None:
        assert heap_outcome(insert(program)) == expected


@given(PROGRAMS)
def test_each_count_is_the_number_of_references(program):
    if outcome(program) is not None:
        heap_outcome(insert(program), heap.check_counts)


@given(programs(full=False, borrowing=False) | programs(full=True, borrowing=False))
def test_no_state_holds_garbage(program):
    if outcome(program) is not None:
        heap_outcome(insert(program), heap.check_garbage_free)
