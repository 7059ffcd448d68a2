"""Every pass keeps results, ownership and the empty heap, together with the others and with any of them off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perceus_programs import programs
from perceus_runs import heap_outcome, outcome

from usl_c11.perceus import heap
from usl_c11.perceus.passes import OPTIONAL, compile_program, trace
from usl_c11.perceus.verify import verify

PROGRAMS = programs(full=False) | programs(full=True)


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
        assert heap_outcome(compile_program(program), heap.Machine.check_counts) == expected


@given(PROGRAMS, st.sets(st.sampled_from(sorted(OPTIONAL))))
def test_any_passes_may_be_off(program, off):
    expected = outcome(program)
    if expected is not None:
        assert heap_outcome(compile_program(program, off=off), heap.Machine.check_counts) == expected


def test_an_unknown_pass_is_refused(subtests=None):
    with pytest.raises(ValueError, match="no optional pass is called nonsense"):
        list(trace(None, off=("nonsense",)))
