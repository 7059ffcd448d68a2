"""What does not match is refused with the reason."""

from __future__ import annotations

import re

import pytest

from tests.primitives.equivalence import parse
from usl_core.errors import SchedulingError
from usl_core.ir.memory import Memory
from usl_core.primitives.calls.solving import solve
from usl_core.primitives.calls.unify import Mismatch, Unifier
from usl_core.procedure import Procedure, proc_from_source
from usl_core.scheduling import replace


class Tile(Memory):
    """A memory that is not DRAM."""

    name = "Tile"


TEXT = """
def p(x: f32[32], y: f32[32], k: f32):
    t: f32[32] @ Tile
    w = t[4:20]
    for i in seq(0, 8):
        w[i] = x[i]
    for i in seq(0, 8):
        w[i] = 2.0
    for i in seq(0, 8):
        y[i] = x[i] + x[i + 1]
"""


def procedure(text: str) -> Procedure:
    return proc_from_source(text, {"Tile": Tile})


P = procedure(TEXT)
LOAD = procedure("def load(dst: [f32][8] @ Tile, src: [f32][8]):\n    for i in seq(0, 8):\n        dst[i] = src[i]")
MOVE = procedure("def move(dst: [f32][8], src: [f32][8]):\n    for i in seq(0, 8):\n        dst[i] = src[i]")
FILL = procedure("def fill(dst: [f32][8] @ Tile, value: f32):\n    for i in seq(0, 8):\n        dst[i] = value")
TWICE = procedure("def twice(dst: [f32][8], src: [f32][9]):\n    for i in seq(0, 8):\n        dst[i] = src[i] + src[i + 1]")
DIFFERENT = procedure("def mixed(dst: [f32][8], src: [f32][8]):\n    for i in seq(0, 8):\n        dst[i] = src[i] + dst[i]")


@pytest.mark.parametrize(("number", "callee"), [(2, LOAD), (3, FILL), (4, TWICE)], ids=["load", "fill", "twice"])
def test_what_matches_becomes_a_call(number: int, callee: Procedure) -> None:
    assert f"{callee.name()}(" in str(replace(P, f"i #{number - 2}", callee))


@pytest.mark.parametrize(
    ("number", "callee", "reason"),
    [
        (2, MOVE, "dst is in DRAM, but w[0:8] is in Tile"),
        (2, TWICE, "the expressions differ"),
        (3, LOAD, "the expressions differ"),
        (4, DIFFERENT, "dst would have to be both"),
        (4, LOAD, "the expressions differ"),
    ],
)
def test_what_does_not_match_is_refused_with_the_reason(number: int, callee: Procedure, reason: str) -> None:
    with pytest.raises(SchedulingError) as caught:
        replace(P, f"i #{number - 2}", callee)
    assert caught.value.code == "E430"
    assert reason in caught.value.message
    assert re.match(r"<string \w+>:\d+:\d+: replace:", str(caught.value))
    assert caught.value.as_dict()["notes"] == [str(note) for note in caught.value.notes]


def test_a_cast_of_data_is_no_cast_of_a_control_value() -> None:
    f = parse("def f(n: index, d: f32):\n    d = f32(-n)")
    p = parse("def p(k: i8, x: f32):\n    x = f32(-k)")
    with pytest.raises(Mismatch):
        solve(Unifier(f.ir), p.ir.body)
