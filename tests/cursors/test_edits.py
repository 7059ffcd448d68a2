"""The forwarding rules of the atomic edits, one by one."""

from __future__ import annotations

import pytest

from tests.cursors.programs import body_text, procedure, text
from usl_core.cursors.edits import delete, insert, move, replace, splice_many, unwrap, wrap
from usl_core.cursors.path import ArgLoc, BlockLoc, Dead, GapLoc, NodeLoc, get, stmts
from usl_core.ir.nodes import Block, For, Pass, Proc, Stmt, index_literal
from usl_core.ir.sym import Sym

FOUR = """
    x = 0.0
    x = 1.0
    x = 2.0
    x = 3.0
"""
NEST = """
    for i in seq(0, n):
        x = 1.0
        y = 1.0
    z = 0.0
"""


def top(*indices: int) -> NodeLoc:
    """A statement by its place in the body, then in the body of that, ..."""
    return NodeLoc(tuple(("body", index) for index in indices))


def block(lo: int, hi: int, *owner: int) -> BlockLoc:
    return BlockLoc(top(*owner).path, "body", lo, hi)


def gap(index: int, side: str, *owner: int) -> GapLoc:
    return GapLoc(top(*owner).path, "body", index, side)  # type: ignore[arg-type]


def passes(count: int) -> Block:
    return tuple(Pass() for _ in range(count))


def loop_of(body: Block) -> Stmt:
    return For(Sym("w"), index_literal(0), index_literal(1), body)


@pytest.fixture
def four() -> Proc:
    return procedure(FOUR)


@pytest.fixture
def nest() -> Proc:
    return procedure(NEST)


# ---- insert


def test_insert_puts_statements_into_the_gap(four):
    new, _ = insert(four, gap(1, "after"), passes(2))
    assert body_text(new) == "x = 0.0\nx = 1.0\npass\npass\nx = 2.0\nx = 3.0"


def test_insert_shifts_what_comes_after_and_keeps_every_location_alive(four):
    _, forward = insert(four, gap(1, "after"), passes(2))
    assert [forward(top(index)) for index in range(4)] == [top(0), top(1), top(4), top(5)]
    assert forward(NodeLoc((*top(3).path, ("rhs", None)))) == NodeLoc((*top(5).path, ("rhs", None)))


def test_a_block_around_the_gap_of_an_insertion_grows(four):
    _, forward = insert(four, gap(1, "after"), passes(2))
    assert forward(block(1, 3)) == block(1, 5)


def test_a_block_beside_the_gap_of_an_insertion_does_not_grow(four):
    _, forward = insert(four, gap(1, "after"), passes(2))
    assert forward(block(0, 2)) == block(0, 2)
    assert forward(block(2, 4)) == block(4, 6)


def test_gaps_stay_with_their_anchors_when_something_is_inserted_between(four):
    _, forward = insert(four, gap(2, "before"), passes(1))
    assert forward(gap(1, "after")) == gap(1, "after")
    assert forward(gap(2, "before")) == gap(3, "before")


def test_insert_reaches_an_empty_else():
    proc = procedure("if n < 3:\n    x = 0.0")
    new, forward = insert(proc, GapLoc(top(0).path, "orelse", 0, "before"), passes(1))
    assert body_text(new) == "if n < 3:\n    x = 0.0\nelse:\n    pass"
    assert forward(top(0, 0)) == top(0, 0)


# ---- delete


def test_delete_removes_the_block_and_kills_what_is_in_it(four):
    new, forward = delete(four, block(1, 3), by="scissors")
    assert body_text(new) == "x = 0.0\nx = 3.0"
    dead = Dead("removed by scissors")
    assert [forward(top(index)) for index in range(4)] == [top(0), dead, dead, top(1)]
    assert forward(gap(1, "before")) == forward(block(1, 2)) == forward(block(1, 3)) == dead
    assert forward(NodeLoc((*top(1).path, ("rhs", None)))) == dead


def test_a_block_that_contains_the_deleted_one_shrinks_and_one_that_overlaps_dies(four):
    _, forward = delete(four, block(1, 2), by="scissors")
    assert forward(block(0, 3)) == block(0, 2)
    assert forward(block(1, 4)) == block(1, 3)
    _, forward = delete(four, block(1, 3), by="scissors")
    assert forward(block(0, 2)) == Dead("torn apart by scissors")
    assert forward(block(3, 4)) == block(1, 2)


def test_delete_leaves_a_pass_in_a_body_that_would_be_empty(nest):
    new, forward = delete(nest, block(0, 2, 0))
    assert body_text(new) == "for i in seq(0, n):\n    pass\nz = 0.0"
    assert isinstance(forward(top(0, 0)), Dead)
    assert isinstance(forward(block(0, 2, 0)), Dead)
    assert forward(top(0)) == top(0)


def test_deleting_all_of_an_else_leaves_none():
    proc = procedure("if n < 3:\n    x = 0.0\nelse:\n    x = 1.0")
    new, _ = delete(proc, BlockLoc(top(0).path, "orelse", 0, 1))
    assert body_text(new) == "if n < 3:\n    x = 0.0"


# ---- replace


def test_a_replaced_block_forwards_to_the_new_statements(four):
    new, forward = replace(four, block(1, 3), passes(3))
    assert body_text(new) == "x = 0.0\npass\npass\npass\nx = 3.0"
    assert forward(block(1, 3)) == block(1, 4)
    assert forward(block(0, 4)) == block(0, 5)
    assert forward(top(3)) == top(4)


def test_what_is_inside_a_replaced_block_dies(four):
    _, forward = replace(four, block(1, 3), passes(3), by="replace")
    dead = Dead("replaced by replace")
    assert forward(top(1)) == forward(top(2)) == forward(block(1, 2)) == forward(gap(1, "after")) == dead
    assert forward(block(0, 2)) == Dead("torn apart by replace")


def test_a_single_replaced_statement_forwards_to_the_first_new_one_and_its_insides_die(nest):
    _, forward = replace(nest, block(0, 1), passes(2))
    assert forward(top(0)) == top(0)
    assert isinstance(forward(top(0, 1)), Dead)
    assert isinstance(forward(block(0, 2, 0)), Dead)
    assert isinstance(forward(gap(0, "before", 0)), Dead)
    assert forward(top(1)) == top(2)


def test_the_gaps_at_the_edges_of_a_replaced_block_stay_at_its_edges(four):
    _, forward = replace(four, block(1, 3), passes(4))
    assert forward(gap(1, "before")) == gap(1, "before")
    assert forward(gap(2, "after")) == gap(4, "after")


# ---- move


def test_moved_statements_and_what_is_in_them_keep_their_identity(nest):
    new, forward = move(nest, block(0, 1), gap(1, "after"))
    assert body_text(new) == text("z = 0.0\nfor i in seq(0, n):\n    x = 1.0\n    y = 1.0")
    assert forward(top(0, 1)) == top(1, 1)
    assert forward(block(0, 2, 0)) == block(0, 2, 1)
    assert forward(top(1)) == top(0)
    assert get(new, top(1).path) is get(nest, top(0).path)


def test_move_into_a_loop_and_out_of_it(nest):
    inside, forward = move(nest, block(1, 2), gap(0, "after", 0))
    assert body_text(inside) == "for i in seq(0, n):\n    x = 1.0\n    z = 0.0\n    y = 1.0"
    assert forward(top(1)) == top(0, 1)
    assert forward(block(0, 2, 0)) == block(0, 3, 0)
    outside, forward = move(nest, block(0, 2, 0), gap(0, "before"))
    assert body_text(outside) == "x = 1.0\ny = 1.0\nfor i in seq(0, n):\n    pass\nz = 0.0"
    assert [forward(top(0, 0)), forward(top(0, 1)), forward(top(0)), forward(top(1))] == [top(0), top(1), top(2), top(3)]
    assert forward(block(0, 2, 0)) == block(0, 2)


def test_a_block_that_contains_the_moved_one_loses_it_and_one_that_overlaps_dies(four):
    proc = procedure("x = 0.0\nx = 1.0\nx = 2.0\nfor i in seq(0, n):\n    pass")
    _, forward = move(proc, block(0, 2), gap(0, "before", 3), by="sink")
    assert forward(block(0, 4)) == block(0, 2)
    assert forward(block(0, 1)) == block(0, 1, 1)
    assert forward(block(1, 3)) == Dead("torn apart by sink")


def test_a_block_that_contains_the_moved_statements_and_the_gap_still_holds_the_same_statements(four):
    _, forward = move(four, block(1, 2), gap(0, "before"))
    assert forward(block(0, 2)) == block(0, 2)
    assert forward(block(0, 4)) == block(0, 4)
    assert forward(block(0, 1)) == block(1, 2)


def test_a_block_with_the_gap_inside_gains_the_moved_statements(four):
    _, forward = move(four, block(3, 4), gap(0, "after"))
    assert forward(block(0, 2)) == block(0, 3)
    assert forward(block(1, 3)) == block(2, 4)


def test_a_gap_moves_with_its_anchor(four):
    _, forward = move(four, block(0, 1), gap(3, "after"))
    assert forward(gap(0, "after")) == gap(3, "after")
    assert forward(gap(3, "after")) == gap(2, "after")


def test_moving_a_block_to_its_own_edge_changes_nothing(four):
    for edge in (gap(1, "before"), gap(0, "after"), gap(2, "after")):
        new, forward = move(four, block(1, 3), edge)
        assert new is four
        assert forward(block(0, 2)) == block(0, 2)


def test_a_block_cannot_move_into_itself(nest):
    with pytest.raises(AssertionError, match="inside the moved block"):
        move(nest, block(0, 1), gap(0, "before", 0))


# ---- wrap and unwrap


def test_wrapped_statements_go_inside_with_their_blocks_and_gaps(four):
    new, forward = wrap(four, block(1, 3), loop_of)
    assert body_text(new) == "x = 0.0\nfor w in seq(0, 1):\n    x = 1.0\n    x = 2.0\nx = 3.0"
    assert [forward(top(index)) for index in range(4)] == [top(0), top(1, 0), top(1, 1), top(2)]
    assert forward(block(1, 3)) == block(0, 2, 1)
    assert forward(gap(1, "before")) == gap(0, "before", 1)


def test_a_block_around_the_wrapped_one_holds_the_wrapper_and_one_that_overlaps_dies(four):
    _, forward = wrap(four, block(1, 3), loop_of, by="wrapper")
    assert forward(block(0, 4)) == block(0, 3)
    assert forward(block(2, 4)) == Dead("torn apart by wrapper")


def test_wrap_refuses_a_maker_that_loses_statements(four):
    with pytest.raises(AssertionError, match="keep the statements"):
        wrap(four, block(1, 3), lambda body: loop_of(body[:1]))


def test_unwrap_undoes_wrap(four):
    wrapped, into = wrap(four, block(1, 3), loop_of)
    new, out = unwrap(wrapped, top(1).path, by="unwrap")
    assert body_text(new) == body_text(four)
    for loc in (top(0), top(1), top(2), top(3), block(1, 3), block(0, 4), gap(1, "after")):
        assert out(into(loc)) == loc
    assert out(top(1)) == Dead("removed by unwrap")
    assert out(block(1, 2)) == block(1, 3)


# ---- batches, sharing


def test_a_batch_of_independent_edits_is_one_step_in_locations_of_the_old_tree(nest):
    steps = [(gap(1, "after", 0), passes(1)), (block(0, 1, 0), ()), (gap(1, "before"), passes(2)), (block(1, 2), passes(1))]
    new, forward = splice_many(nest, steps, by="batch")
    assert body_text(new) == "for i in seq(0, n):\n    y = 1.0\n    pass\npass\npass\npass"
    assert forward(top(0, 1)) == top(0, 0)
    assert forward(top(1)) == top(3)
    assert forward(block(0, 2)) == block(0, 4)


def test_two_insertions_of_a_batch_at_one_place_keep_their_order(four):
    three = stmts(four, block(3, 4))
    new, forward = splice_many(four, [(gap(0, "after"), passes(1)), (gap(1, "before"), three)], by="batch")
    assert body_text(new) == "x = 0.0\npass\nx = 3.0\nx = 1.0\nx = 2.0\nx = 3.0"
    assert forward(top(1)) == top(3)


def test_a_batch_refuses_edits_that_overlap_or_nest(nest):
    with pytest.raises(AssertionError, match="overlap"):
        splice_many(nest, [(block(0, 2), ()), (block(1, 2), ())], by="batch")
    with pytest.raises(AssertionError, match="inside a replaced block"):
        splice_many(nest, [(block(0, 1), ()), (block(0, 1, 0), ())], by="batch")


def test_an_edit_rebuilds_the_spine_only():
    proc = procedure("""
        for i in seq(0, n):
            for j in seq(0, m):
                x = 1.0
            for j in seq(0, m):
                y = 1.0
        for k in seq(0, n):
            z = 1.0
    """)
    new, _ = insert(proc, gap(0, "after", 0, 0), passes(1))
    assert new.body[1] is proc.body[1]
    assert get(new, top(0, 1).path) is get(proc, top(0, 1).path)
    assert get(new, top(0, 0, 0).path) is get(proc, top(0, 0, 0).path)
    assert new.args is proc.args


def test_formals_and_the_dead_are_left_alone_by_edits_of_statements(four):
    _, forward = delete(four, block(0, 4))
    assert forward(ArgLoc(2)) == ArgLoc(2)
    assert forward(Dead("removed by an older edit")) == Dead("removed by an older edit")
