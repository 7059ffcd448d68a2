"""The errors of directives."""

from __future__ import annotations

from usl_core.errors import SchedulingError
from usl_halide_lib import DirectiveError


def test_a_directive_that_does_not_apply_is_a_scheduling_error():
    assert issubclass(DirectiveError, SchedulingError)
