"""No C is made of a wrong procedure that came through a mistake in what proves single steps."""

from __future__ import annotations

import pytest

from tests.analysis.faults import MISTAKES_OF_EDITING, MISTAKES_OF_PROVING
from usl_c11.emit import library
from usl_core.errors import UslError

MISTAKES = MISTAKES_OF_PROVING | MISTAKES_OF_EDITING


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_the_backend_refuses_what_the_check_of_a_step_let_through(mistake, monkeypatch):
    wrong = mistake(monkeypatch.setattr)
    with pytest.raises(UslError) as caught:
        library([wrong.ir], "wrong")
    assert MISTAKES[mistake] in str(caught.value)
