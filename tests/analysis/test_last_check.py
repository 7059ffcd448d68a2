"""The last check meets what the checks of single steps let through: the backend and `usl verify` rely on nothing remembered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.analysis import faults
from tests.analysis.faults import MISTAKES_OF_EDITING, MISTAKES_OF_PROVING, without
from tests.fuzz.incremental import comparable
from tests.primitives.equivalence import parse
from usl_core.analysis import solver
from usl_core.analysis.effects import proc_summary
from usl_core.analysis.last_check import last_check
from usl_core.cli.verify import verify_text
from usl_core.errors import SchedulingError, UslError
from usl_core.ir.traverse import same, walk
from usl_core.procedure import Procedure

ROOT = Path(__file__).resolve().parents[2]
MISTAKES = MISTAKES_OF_PROVING | MISTAKES_OF_EDITING


@pytest.mark.parametrize("mistake", MISTAKES_OF_PROVING, ids=lambda mistake: mistake.__name__)
def test_without_the_mistake_the_wrong_step_is_refused(mistake):
    with pytest.raises(SchedulingError):
        mistake(without)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_a_wrong_procedure_that_comes_through_a_mistake_does_not_come_through_the_last_check(mistake, monkeypatch):
    wrong = mistake(monkeypatch.setattr)
    assert isinstance(wrong, Procedure)
    with pytest.raises(UslError) as caught, last_check([wrong.ir]):
        pass
    assert MISTAKES[mistake] in str(caught.value)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_usl_verify_refuses_it_too(mistake, tmp_path, monkeypatch):
    file = tmp_path / "wrong.py"
    file.write_text(f"from tests.analysis.faults import {mistake.__name__}\nwrong = {mistake.__name__}(setattr)\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    with pytest.raises(UslError) as caught:
        verify_text(f"{file}:wrong", as_json=False)
    assert MISTAKES[mistake] in str(caught.value)
    assert "Traceback" not in str(caught.value)


def test_callees_are_checked_as_well(monkeypatch):
    wrong = faults.key_of_what_is_proved(monkeypatch.setattr)
    caller = parse("def bar(x: f32[8]):\n    foo(x)", foo=wrong)
    monkeypatch.undo()
    with pytest.raises(UslError, match="may be out of bounds"), last_check([caller.ir]):
        pass


def test_a_copy_is_the_same_text_in_other_nodes():
    callee = parse("def one(n: size, x: [f32][n]):\n    for i in seq(0, n):\n        x[i] = 1.0")
    p = parse(
        """
        def foo(n: size, x: f32[n, 8]):
            assert n > 3
            t: f32[n]
            w = x[1:n - 1, 2]
            one(n - 2, w)
            one(n, t)
            for i in par(0, n):
                if i < 3:
                    x[i, 0] += t[i] * 2.0
        """,
        one=callee,
    )
    comparable(proc_summary(p.ir))
    with last_check([p.ir, callee.ir]) as copies:
        assert list(copies) == [callee.ir, p.ir]
        for original, copy in copies.items():
            assert same(original, copy)
            assert not {id(node) for node in walk(original)} & {id(node) for node in walk(copy)}


def test_what_was_remembered_is_there_again_afterwards():
    p = parse("def foo(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 1.0")
    memory = solver._memory
    with last_check([p.ir]):
        assert solver._memory is not memory
    assert solver._memory is memory
    with pytest.raises(RuntimeError), last_check([p.ir]):
        raise RuntimeError
    assert solver._memory is memory
