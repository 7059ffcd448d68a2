"""A sample of what `make fuzz WHAT=halide` runs: random schedules of random procedures against the interpreter."""

from __future__ import annotations

import pytest
from halide_fuzz import trial
from halide_programs import CELLS


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: "-".join(str(getattr(part, "name", part)) for part in cell if part))
def test_a_random_schedule_computes_what_the_procedure_does_or_is_refused_with_a_line(cell):
    trial(f"suite/{cell[0]}/{cell[1]}", cell)
