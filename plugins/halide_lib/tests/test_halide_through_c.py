"""Some random pipelines under random schedules through compiled C; `make fuzz WHAT=halide_lang` runs more."""

from __future__ import annotations

import random

import pytest
from halide_confluence import cells
from halide_through_c import compiled


@pytest.mark.parametrize("seed", [41002, 41004])
def test_compiled_code_computes_what_the_oracle_says_in_any_layout(seed: int) -> None:
    happened = compiled(seed, random.Random(seed).choice(cells()))
    assert "compiled and equal" in happened and "into buffers" in happened
