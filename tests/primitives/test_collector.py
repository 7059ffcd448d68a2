"""Python's cyclic collector around operators: it waits while one runs, and its settings are the user's."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.primitives.equivalence import parse
from usl_core import collector
from usl_core.analysis.last_check import last_check
from usl_core.cursors.edit import Edit
from usl_core.errors import SchedulingError
from usl_core.primitives.base import primitive
from usl_core.procedure import Procedure
from usl_core.scheduling import divide_loop

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _collector_as_it_was() -> Iterator[None]:
    thresholds, enabled = gc.get_threshold(), gc.isenabled()
    yield
    gc.set_threshold(*thresholds)
    (gc.enable if enabled else gc.disable)()


def program() -> Procedure:
    return parse("""
        def foo(n: size, x: f32[n]):
            for i in seq(0, n):
                x[i] = 1.0
    """)


def test_an_operator_leaves_the_settings_alone() -> None:
    gc.enable()
    gc.set_threshold(701, 11, 12)
    divide_loop(program(), "i", 4, ["io", "ii"], tail="cut")
    assert gc.isenabled()
    assert gc.get_threshold() == (701, 11, 12)


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    divide_loop(program(), "i", 4, ["io", "ii"], tail="cut")
    assert not gc.isenabled()


def test_it_waits_while_an_operator_runs_and_runs_again_after_one_that_is_refused() -> None:
    seen: list[bool] = []

    @primitive()
    def looks(proc: Procedure) -> Edit:
        seen.append(gc.isenabled())
        return Edit.of(proc.ir, "looks")

    gc.enable()
    looks(program())
    assert seen == [False] and gc.isenabled()
    with pytest.raises(SchedulingError):
        divide_loop(program(), "i", 4, ["io", "ii"], perfect=True)
    assert gc.isenabled()


def test_the_collector_waits_in_the_last_check_and_not_in_what_is_made_of_its_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    collects: list[bool] = []
    monkeypatch.setattr("usl_core.analysis.last_check.check_proc_invariant", lambda proc: collects.append(gc.isenabled()))
    gc.enable()
    with last_check([program().ir]):
        assert gc.isenabled()
    assert collects == [False]
    assert gc.isenabled()


def test_a_collector_that_is_switched_off_stays_so_in_the_last_check() -> None:
    gc.disable()
    with last_check([program().ir]):
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_it_does_not_run_while_a_procedure_is_read_and_checked() -> None:
    runs: list[str] = []
    body = "\n".join(f"    x[{k}] = 1.0 + 2.0" for k in range(50))
    gc.enable()
    gc.set_threshold(50, 1, 1)
    gc.callbacks.append(lambda phase, info: runs.append(phase))
    try:
        parse(f"def foo(x: f32[50]):\n{body}")
    finally:
        gc.callbacks.pop()
    assert runs.count("start") < 20  # before, between and after: it is not for us to switch off


GARBAGE = """
import gc, weakref
from tests.primitives.test_collector import program
from usl_core import collector
from usl_core.scheduling import divide_loop

class Knot:
    def __init__(self):
        self.me = self  # refers to itself

collector.SEVERAL = 1000
p = divide_loop(program(), "i", 4, ["io", "ii"], tail="cut")
knot = weakref.ref(Knot())
limit = collector._ages.limit
made = 0
while knot() is not None:
    p = divide_loop(p, "io", 2, ["io", "iu"], tail="cut")
    made += 1
    assert made * 500 < 3 * limit, "an operator makes some thousand objects"
print("gone")
"""


def test_what_is_garbage_goes_when_operators_have_made_much_more() -> None:
    """In a process of its own: how much is much depends on what is alive, which in this one is what other tests left."""
    done = subprocess.run([sys.executable, "-c", GARBAGE], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout == "gone\n", done.stderr


@pytest.mark.parametrize("limit", [0, 1 << 60], ids=["before a pass over all", "after one"])
def test_what_the_user_has_frozen_stays_so(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "_ages", collector._Ages(limit=limit))
    gc.enable()
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        divide_loop(program(), "i", 4, ["io", "ii"], tail="cut")
        assert gc.get_freeze_count() > frozen // 2  # some have died
    finally:
        gc.unfreeze()
