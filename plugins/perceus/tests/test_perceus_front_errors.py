"""One located message for each mistake: code, place, source line, caret, what to do.

Lines count from the start of each program here; the prelude (`perceus_front.py`) stands before it.
"""

from __future__ import annotations

import re
from textwrap import dedent

import mistakes_names
import mistakes_ownership
import mistakes_patterns
import mistakes_statements
import mistakes_types
import pytest
from perceus_front import FIRST, program
from perceus_mistakes import Mistake

from usl_perceus.errors import PerceusError

MISTAKES = (
    *mistakes_patterns.MISTAKES,
    *mistakes_names.MISTAKES,
    *mistakes_types.MISTAKES,
    *mistakes_statements.MISTAKES,
    *mistakes_ownership.MISTAKES,
)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_gives_one_located_message(mistake: Mistake):
    with pytest.raises(PerceusError) as caught:
        program(dedent(mistake.source).removeprefix("\n"))
    error = caught.value
    assert error.span is not None
    shown = str(error).replace(f"<program>:{error.span.line}:", f"{error.span.line - FIRST + 1}:", 1)
    shown = re.sub(r"(?m)^  line (\d+) ", lambda found: f"  line {int(found[1]) - FIRST + 1} ", shown)
    assert (error.code, shown) == (mistake.code, dedent(mistake.message).strip("\n"))


def test_every_code_of_the_front_end_is_among_the_mistakes():
    assert {mistake.code for mistake in MISTAKES} >= {f"E7{number}" for number in (*range(10, 17), 18, 19, *range(21, 26), 27)}
