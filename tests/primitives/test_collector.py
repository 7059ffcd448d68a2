"""Python's cyclic collector around operators: its settings are the user's, and what nobody holds goes."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from tests.primitives.equivalence import parse
from usl_core.errors import SchedulingError
from usl_core.primitives import collector
from usl_core.procedure import Procedure
from usl_core.scheduling import divide_loop, rename


@pytest.fixture(autouse=True)
def _collector_as_it_was() -> Iterator[None]:
    thresholds, enabled = gc.get_threshold(), gc.isenabled()
    yield
    gc.set_threshold(*thresholds)
    (gc.enable if enabled else gc.disable)()


@pytest.fixture
def ages(monkeypatch: pytest.MonkeyPatch) -> collector._Ages:
    fresh = collector._Ages()
    monkeypatch.setattr(collector, "_AGES", fresh)
    return fresh


class Knot:
    """An object that only the cyclic collector can free."""

    def __init__(self) -> None:
        self.self = self


def program() -> Procedure:
    return parse("""
        def foo(n: size, x: f32[n]):
            for i in seq(0, n):
                x[i] = 1.0
    """)


def test_an_operator_leaves_the_settings_alone() -> None:
    gc.enable()
    gc.set_threshold(701, 11, 12)
    frozen = gc.get_freeze_count()
    divide_loop(program(), "i", 4, ["io", "ii"], tail="cut")
    assert gc.isenabled()
    assert gc.get_threshold() == (701, 11, 12)
    assert gc.get_freeze_count() == frozen


def test_a_collector_that_is_off_stays_off_and_collects_nothing(ages: collector._Ages) -> None:
    program()
    gc.disable()
    alive = weakref.ref(Knot())
    divide_loop(program(), "i", 4, ["io", "ii"], tail="cut")
    assert not gc.isenabled()
    assert alive() is not None
    assert ages.made == 0


def test_a_refused_operator_switches_the_collector_on_again() -> None:
    gc.enable()
    with pytest.raises(SchedulingError):
        divide_loop(program(), "i", 0, ["io", "ii"])
    assert gc.isenabled()


def test_what_the_user_froze_stays_frozen(ages: collector._Ages) -> None:
    gc.enable()
    p = program()
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        assert frozen > 0
        for number in range(3):
            p = rename(p, f"bar{number}")
        assert gc.get_freeze_count() >= frozen - 100  # what is freed by counting references leaves
    finally:
        gc.unfreeze()


def test_young_objects_that_nobody_holds_are_freed_by_the_next_operator(ages: collector._Ages) -> None:
    gc.enable()
    p = program()
    lost = weakref.ref(Knot())
    rename(p, "bar")
    assert lost() is None


def test_old_objects_that_nobody_holds_are_freed_when_enough_has_been_made(
    ages: collector._Ages, monkeypatch: pytest.MonkeyPatch
) -> None:
    gc.enable()
    p = program()
    knot = Knot()
    lost = weakref.ref(knot)
    rename(p, "bar")  # the knot is old from here on
    del knot
    rename(p, "baz")
    assert lost() is not None
    monkeypatch.setattr(collector, "SEVERAL", 0)
    rename(p, "qux")
    assert lost() is None
    assert (ages.made, ages.passes) == (0, gc.get_stats()[2]["collections"])


def test_a_pass_over_all_comes_when_the_objects_have_doubled(ages: collector._Ages, monkeypatch: pytest.MonkeyPatch) -> None:
    gc.enable()
    monkeypatch.setattr(collector, "SEVERAL", 0)
    p = rename(program(), "bar")
    passes = ages.passes
    assert ages.alive > 10_000
    rename(p, "baz")
    assert ages.passes == gc.get_stats()[2]["collections"] == passes
    ages.made = ages.alive
    rename(p, "qux")
    assert ages.passes == gc.get_stats()[2]["collections"] == passes + 1
