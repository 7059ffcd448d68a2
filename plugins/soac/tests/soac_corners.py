"""Programs at the corners of the language with inputs, in `soac_corners.txt`: after each text its inputs, a `>>>` before each.

Most have a test that fails for some input, or arrays that are empty, shared, or read where they have just been written.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from soac_programs import RandomProgram

_NAMES = {"array": np.array, "zeros": np.zeros, "arange": np.arange, "nan": np.nan, "inf": np.inf}


def corner_programs() -> list[RandomProgram]:
    """All of them."""
    blocks = Path(__file__).with_suffix(".txt").read_text().strip().split("\n\n")
    return [_program(number, block.split("\n")) for number, block in enumerate(blocks)]


def corner_program(number: int) -> RandomProgram:
    """One of them, from the start again behind the last."""
    programs = corner_programs()
    return programs[number % len(programs)]


def _program(number: int, lines: list[str]) -> RandomProgram:
    text = "\n".join(line for line in lines if not line.startswith(">>> "))
    inputs = tuple(eval(line[4:], _NAMES) for line in lines if line.startswith(">>> "))
    return RandomProgram(number, text + "\n", inputs)
