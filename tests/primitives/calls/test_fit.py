"""What is refused before unification is what unification would refuse, for the same reason."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.frontend.programs import procedures
from tests.primitives.equivalence import parse
from usl_core.cursors.path import BlockLoc
from usl_core.errors import SchedulingError
from usl_core.ir.memory import Memory
from usl_core.ir.nodes import Block, Proc, Stmt
from usl_core.ir.shape import shape
from usl_core.ir.traverse import rewrite, update, walk, with_fresh_binders
from usl_core.primitives.calls.fit import alike, fits, memories
from usl_core.primitives.calls.unify import Mismatch, Unifier
from usl_core.procedure import Procedure, proc_from_source
from usl_core.scheduling import replace


def unifies(proc: Proc, body: Block, block: Block) -> bool:
    """Whether a procedure with proc's formals and that body unifies with a block of proc."""
    callee = update(proc, name="f", preds=(), body=with_fresh_binders(body))
    try:
        Unifier(callee).solve(block)
    except Mismatch as mismatch:
        return "does not determine" in mismatch.reason  # all of the body matched
    return True


@settings(max_examples=15, deadline=None)
@given(procedures())
def test_statements_that_unify_have_one_shape(proc: Proc) -> None:
    stmts = [node for node in walk(proc) if isinstance(node, Stmt)][:25]
    for a in stmts:
        assert shape(with_fresh_binders((a,))[0]) == shape(a)
        for b in stmts:
            if not alike((a,), (b,)):
                assert not unifies(proc, (a,), (b,))


@settings(max_examples=10, deadline=None)
@given(procedures())
def test_a_remembered_shape_is_that_of_a_fresh_copy(proc: Proc) -> None:
    remembered = [shape(node) for node in walk(proc) if isinstance(node, Stmt)]
    fresh = rewrite(proc, lambda node: update(node) if isinstance(node, Stmt) else None)
    assert [shape(node) for node in walk(fresh) if isinstance(node, Stmt)] == remembered


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


def loop(number: int) -> BlockLoc:
    return BlockLoc((), "body", number, number + 1)


@pytest.mark.parametrize(("number", "callee"), [(2, LOAD), (3, FILL), (4, TWICE)], ids=["load", "fill", "twice"])
def test_what_fits_is_let_through(number: int, callee: Procedure) -> None:
    assert fits(P.ir, loop(number), callee.ir)
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
def test_what_does_not_fit_is_refused_with_the_reason_of_the_full_comparison(
    number: int, callee: Procedure, reason: str
) -> None:
    with pytest.raises(SchedulingError) as caught:
        replace(P, f"i #{number - 2}", callee)
    assert caught.value.code == "E430"
    assert reason in caught.value.message
    assert str(caught.value).startswith("<string>:")
    assert caught.value.as_dict()["notes"] == [str(note) for note in caught.value.notes]


def test_a_window_lies_where_its_buffer_does() -> None:
    names = {node.name for node in walk(P.ir) if hasattr(node, "mem") or type(node).__name__ == "WindowStmt"}
    found = memories(P.ir, (("body", 2),), names)
    assert {name.name: mem.name for name, mem in found.items()} == {
        "x": "DRAM",
        "y": "DRAM",
        "k": "DRAM",
        "t": "Tile",
        "w": "Tile",
    }
    assert memories(P.ir, (("body", 1),), names).keys() == found.keys() - {P.ir.body[1].name}  # type: ignore[attr-defined]


def test_a_cast_of_data_is_no_cast_of_a_control_value() -> None:
    f = parse("def f(n: index, d: f32):\n    d = f32(-n)")
    p = parse("def p(k: i8, x: f32):\n    x = f32(-k)")
    with pytest.raises(Mismatch):
        Unifier(f.ir).solve(p.ir.body)
