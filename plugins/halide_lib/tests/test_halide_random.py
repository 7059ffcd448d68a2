"""A sample of what `make fuzz WHAT=halide` runs: random schedules of random procedures against the interpreter."""

from __future__ import annotations

import pytest
from halide_fuzz import trial
from halide_programs import CELLS

from usl_halide_lib import TailStrategy

SAMPLE = [cell for cell in CELLS if cell[1] is None or cell[0] == "split" or cell[1] is TailStrategy.ShiftInwards][::2]
"""Enough of the cells for each run of the suite: `make fuzz WHAT=halide` is for all of them."""


@pytest.mark.parametrize("cell", SAMPLE, ids=lambda cell: "-".join(str(getattr(part, "name", part)) for part in cell if part))
def test_a_random_schedule_computes_what_the_procedure_does_or_is_refused_with_a_line(cell):
    trial(f"suite/{cell[0]}/{cell[1]}", cell)
