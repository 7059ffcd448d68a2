"""Schedules that make no sense end in one DirectiveError with a line, or do what the procedure does: never in a traceback."""

from __future__ import annotations

import pytest
from halide_senseless import attempt


@pytest.mark.parametrize("seed", range(60))
def test_nonsense_ends_in_one_error_of_a_directive(seed):
    attempt(f"suite/{seed}")
