"""Locations, and rebuilding along paths."""

from __future__ import annotations

import pytest

from tests.cursors.programs import body_text, procedure
from usl_core.cursors.path import (
    ArgLoc,
    BlockLoc,
    Dead,
    GapLoc,
    NodeLoc,
    Path,
    after,
    before,
    block_of,
    exists,
    gap_position,
    get,
    rebuild,
    splice,
    stmts,
)
from usl_core.ir.nodes import Pass, index_literal
from usl_core.ir.traverse import update, walk

BODY = """
    t: f32[n, m]
    for i in seq(0, n):
        x = A[i, 0] + 1.0
        y = 2.0
"""
LOOP: Path = (("body", 1),)
RHS: Path = (*LOOP, ("body", 0), ("rhs", None))


def test_a_path_leads_to_every_node_and_only_to_nodes():
    proc = procedure(BODY)
    assert get(proc, ()) is proc
    assert get(proc, (("body", 0), ("shape", 1))) is proc.body[0].type.shape[1]
    assert get(proc, (*RHS, ("lhs", None), ("idx", 1))).value == 0
    for wrong in ((("body", 2),), (("body", -1),), (("body", None),), (("rhs", None),), (*RHS, ("lhs", 0))):
        with pytest.raises(LookupError):
            get(proc, wrong)


def test_a_location_exists_or_not():
    proc = procedure(BODY)
    assert all(
        exists(proc, loc) for loc in (NodeLoc(RHS), BlockLoc(LOOP, "body", 0, 2), GapLoc((), "body", 1, "after"), ArgLoc(6))
    )
    for lost in (
        NodeLoc((("body", 9),)),
        BlockLoc(LOOP, "body", 1, 1),
        BlockLoc(LOOP, "body", 0, 3),
        BlockLoc(LOOP, "orelse", 0, 1),
        GapLoc((), "body", 2, "before"),
        ArgLoc(7),
        Dead("removed by x"),
    ):
        assert not exists(proc, lost)


def test_blocks_and_gaps_of_a_statement():
    assert block_of(LOOP) == BlockLoc((), "body", 1, 2)
    assert (gap_position(before(LOOP)), gap_position(after(LOOP))) == (1, 2)
    proc = procedure(BODY)
    assert stmts(proc, BlockLoc(LOOP, "body", 0, 2)) == proc.body[1].body


def test_replacing_a_node_rebuilds_the_spine_and_shares_the_rest():
    proc = procedure(BODY)
    path = (*RHS, ("lhs", None), ("idx", 1))
    new = rebuild(proc, {path: lambda _: index_literal(3)})
    assert "x = A[i, 3] + 1.0" in body_text(new)
    spine = {id(get(proc, path[:depth])) for depth in range(len(path) + 1)}
    kept = {id(node) for node in walk(new)}
    assert all(id(node) in kept for node in walk(proc) if id(node) not in spine)


def test_replacing_an_extent_changes_the_type_of_the_allocation():
    proc = procedure(BODY)
    new = rebuild(proc, {(("body", 0), ("shape", 1)): lambda _: index_literal(4)})
    assert body_text(new).startswith("t: f32[n, 4]")


def test_many_places_are_rebuilt_in_one_pass_deeper_ones_first():
    proc = procedure(BODY)
    seen = []

    def mark(node):
        seen.append(type(node).__name__)
        return update(node)

    rebuild(proc, {LOOP: mark, RHS: mark, (("body", 0),): mark, (): mark})
    assert seen.index("BinaryOp") < seen.index("For") < seen.index("Proc")
    assert seen.index("Alloc") < seen.index("Proc")


def test_a_rebuild_that_changes_nothing_gives_the_same_object():
    proc = procedure(BODY)
    assert rebuild(proc, {RHS: lambda node: node, LOOP: lambda node: node}) is proc


def test_splice_replaces_and_inserts():
    proc = procedure(BODY)
    assert body_text(splice(proc, BlockLoc(LOOP, "body", 0, 2), (Pass(),))).endswith("for i in seq(0, n):\n    pass")
    assert body_text(splice(proc, BlockLoc((), "body", 0, 0), (Pass(),))).startswith("pass\nt: f32")
