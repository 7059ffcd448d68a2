"""usl_core.inspect and usl_core.backend: what is known at a place, told without changing anything."""

from __future__ import annotations

import pytest

from usl_core import Procedure, UsageError, proc_from_source
from usl_core.backend import callees_first, parallel_loops
from usl_core.inspect import Access, Affine, accesses, affine, assertions, bounds, facts, prove, witness


def tiles() -> Procedure:
    return proc_from_source("""
def tiles(n: size, x: f32[n], y: f32[n]):
    assert n % 8 == 0
    for io in seq(0, n / 8):
        if io > 0:
            for ii in seq(0, 8):
                y[8 * io + ii] = x[8 * io + ii - 8]
""")


def test_conditions_are_proved_refuted_at_their_place() -> None:
    p = tiles()
    assert prove(p, "n >= 8") is True
    assert prove(p, "n >= 9") is False
    assert prove(p.find("y[_] = _"), "io >= 1") is True
    assert prove(p.find_loop("io"), "n / 8 >= 1") is True
    assert prove(p.find_loop("ii"), "io >= 2") is False


def test_facts_are_texts_of_what_holds_at_a_place() -> None:
    found = facts(tiles().find("y[_] = _"))
    assert "ii >= 0" in found
    assert "io - 1 >= 0" in found
    assert not any("ii" in fact for fact in facts(tiles()))


def test_an_index_is_a_sum_and_has_tight_bounds() -> None:
    p = proc_from_source("""
def shifted(x: f32[40]):
    for i in seq(2, 9):
        for j in seq(0, 3):
            x[4 * i - j + 1] = 0.0
""")
    index = p.find("x[_] = _").idx()[0]
    assert affine(index) == Affine(1, {"i": 4, "j": -1})
    assert bounds(index) == (7, 33)
    assert bounds(tiles().find_loop("io").hi()) == (1, None)


def test_accesses_follow_windows_and_tell_what_iterates() -> None:
    p = proc_from_source("""
def halves(n: size, x: f32[2 * n], y: f32[n]):
    w = x[n:2 * n]
    for i in seq(0, n):
        y[i] += w[i]
""")
    found = accesses(p.find_loop("i"))
    assert Access("reduce", "y", ("i",), ("i",), True, "+") in found
    assert Access("read", "x", ("n + i",), ("i",), True) in found


def test_what_is_no_place_is_a_mistake_in_the_call() -> None:
    with pytest.raises(UsageError, match="prove: place must be a Procedure or a Cursor, got 'io'"):
        prove("io", "n >= 1")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="affine: a cursor to an expression is wanted here"):
        affine(tiles().find_loop("io"))  # type: ignore[arg-type]


def test_a_witness_meets_the_assertions() -> None:
    p = proc_from_source("def f(n: size, m: size):\n    assert n > 100\n    assert m == n + 1\n    pass")
    found = {name.name: value for name, value in (witness(p.ir) or {}).items()}
    assert found["n"] > 100
    assert found["m"] == found["n"] + 1
    assert len(assertions(p)) == 2


def test_a_backend_finds_loops_callees_and_fields() -> None:
    inner = proc_from_source("def inner(x: f32[4]):\n    for i in par(0, 4):\n        x[i] = 0.0")
    p = proc_from_source(
        """
def outer(x: f32[4], s: f32):
    inner(x)
    for i in par(0, 4):
        s += x[i]
""",
        {"inner": inner},
    )
    assert [proc.name for proc in callees_first([p.ir])] == ["inner", "outer"]
    (loop,) = parallel_loops(p.ir)
    assert [access.buffer.name for access in loop.shared_reductions()] == ["s"]
    assert {(access.kind.value, access.buffer.name) for access in loop.accesses()} == {("read", "x"), ("reduce", "s")}
