"""Every pass keeps results, ownership and the empty heap, together with the others and with any of them off."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perceus_programs import programs
from perceus_runs import heap_outcome, outcome
from perceus_semantics import heap

from usl_perceus.ir import Lambda, MakeCon, MakeConHole
from usl_perceus.passes import OPTIONAL, compile_program, trace
from usl_perceus.verify import verify

PROGRAMS = programs(full=False) | programs(full=True)
OWNING = programs(full=False, borrowing=False) | programs(full=True, borrowing=False)


@given(PROGRAMS)
def test_every_pass_keeps_what_a_program_means(program):
    expected = outcome(program)
    for name, step in trace(program):
        verify(step)
        if expected is not None:
            assert outcome(step, fuel=10**6) == expected, name


@given(PROGRAMS)
def test_after_all_passes_the_heap_is_empty_and_counts_are_references(program):
    expected = outcome(program)
    if expected is not None:
        assert heap_outcome(compile_program(program), heap.check_counts) == expected


@given(PROGRAMS, st.sets(st.sampled_from(sorted(OPTIONAL))))
def test_any_passes_may_be_off(program, off):
    expected = outcome(program)
    if expected is not None:
        assert heap_outcome(compile_program(program, off=off), heap.check_counts) == expected


@pytest.mark.parametrize("name", sorted(OPTIONAL))
@given(program=PROGRAMS)
@settings(max_examples=30)
def test_each_pass_by_itself_keeps_results_and_the_empty_heap(name, program):
    expected = outcome(program)
    if expected is not None:
        assert heap_outcome(compile_program(program, off=OPTIONAL - {name})) == expected


@given(OWNING)
def test_no_state_holds_garbage_after_the_passes_that_infer_no_borrows(program):
    if outcome(program) is not None:
        heap_outcome(compile_program(program, off=("borrow",)), heap.check_garbage_free)


def check_at_allocations(machine):
    if isinstance(machine.expr, MakeCon | MakeConHole | Lambda):
        heap.check_garbage_free(machine)


@given(OWNING)
def test_no_allocation_happens_while_there_is_garbage(program):
    """Parameters are inferred to be borrowed only where that cannot raise the peak."""
    if outcome(program) is not None:
        heap_outcome(compile_program(program), check_at_allocations)


def test_an_unknown_pass_is_refused():
    with pytest.raises(ValueError, match="no optional pass is called nonsense"):
        list(trace(None, off=("nonsense",)))
