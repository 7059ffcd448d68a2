"""Calling an operator again with the same arguments gives the version that it made, and only then."""

from __future__ import annotations

import gc
import weakref

import pytest

from tests.primitives.equivalence import parse
from usl_core.equivalence import Relation
from usl_core.errors import SchedulingError, UsageError
from usl_core.procedure import Procedure
from usl_core.scheduling import (
    add_loop,
    divide_loop,
    extract_subproc,
    fission,
    rename,
    replace,
    resize_dim,
    specialize,
    unroll_loop,
)


def program() -> Procedure:
    return parse("""
        def foo(n: size, x: f32[n], y: f32[n]):
            for i in seq(0, n):
                x[i] = 1.0
                y[i] = 2.0
    """)


def test_a_schedule_that_runs_again_walks_along_its_versions() -> None:
    def schedule(p: Procedure) -> Procedure:
        p = divide_loop(p, "i", 4, ["io", "ii"], tail="cut")
        p = fission(p, p.find("x[_] = _").after())
        return unroll_loop(p, p.find_loop("ii"))

    p = program()
    first = schedule(p)
    assert schedule(p) is first
    assert schedule(program()) is not first  # another procedure, though of the same text


def test_cursors_stand_for_their_places() -> None:
    p = program()
    kept = specialize(p, p.find_loop("i"), ["n > 4"])
    assert specialize(p, p.body()[0], ["n > 4"]) is kept
    assert specialize(p, p.body()[0].body()[0], ["n > 4"]) is not kept
    assert specialize(p, p.find_loop("i"), ["n > 5"]) is not kept


def test_true_is_not_one() -> None:
    p = program()
    with pytest.raises(UsageError, match="got True"):
        add_loop(p, p.find_loop("i"), "k", True)
    add_loop(p, p.find_loop("i"), "k", 1)
    with pytest.raises(UsageError, match="got True"):
        add_loop(p, p.find_loop("i"), "k", True)


def test_a_list_that_the_caller_changes_is_another_argument() -> None:
    p, names = program(), ["a", "b"]
    first = divide_loop(p, "i", 4, names, tail="cut")
    names[1] = "c"
    second = divide_loop(p, "i", 4, names, tail="cut")
    assert second is not first
    assert "for c in" in str(second)
    assert "for b in" in str(first)


def test_versions_that_nobody_holds_are_made_anew() -> None:
    p = program()
    gone = weakref.ref(divide_loop(p, "i", 4, ["io", "ii"], tail="cut"))
    gc.collect()
    assert gone() is None
    assert "for ii in" in str(divide_loop(p, "i", 4, ["io", "ii"], tail="cut"))


def test_a_callee_keeps_its_versions_with_it() -> None:
    zero = parse("def zero(d: [f32][4]):\n    for k in seq(0, 4):\n        d[k] = 0.0\n")
    p = parse("def bar(x: f32[4]):\n    for k in seq(0, 4):\n        x[k] = 0.0\n")

    def scheduled() -> Procedure:
        callee = rename(zero, "cleared")
        return replace(p, p.find_loop("k"), callee)

    first = scheduled()
    gc.collect()
    assert scheduled() is first


def test_refused_calls_are_refused_again() -> None:
    p = program()
    for _ in range(2):
        with pytest.raises(SchedulingError):
            divide_loop(p, "i", 4, ["io", "ii"], perfect=True)


def test_the_ways_of_one_operator_are_told_apart() -> None:
    """With fold the places are taken modulo 4, without it they must lie within the first 4."""
    p = parse("""
        def foo(x: f32[8]):
            t: f32[8]
            for i in seq(0, 4):
                t[i] = x[i]
                x[i] = t[i] + 1.0
    """)
    within = resize_dim(p, "t", 0, 4, 0)
    folded = resize_dim(p, "t", 0, 4, 0, fold=True)
    assert [q.history()[-1].relation for q in (within, folded)] == [Relation.EQUAL, Relation.REFINES]
    assert resize_dim(p, "t", 0, 4, 0) is within
    assert resize_dim(p, "t", 0, 4, 0, fold=True) is folded


def test_what_an_operator_gives_beside_a_version_is_there_again() -> None:
    p = program()
    first = extract_subproc(p, "for i in _: _", "inner")
    assert extract_subproc(p, "for i in _: _", "inner") == first
    assert extract_subproc(p, "x[_] = _", "inner") != first
    assert extract_subproc(p, "for i in _: _", "other")[1].name() == "other"
