"""`Edit`: steps in locations of the original tree, composed."""

from __future__ import annotations

import pytest

from tests.cursors.programs import body_text, owner, procedure, text
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import ArgLoc, BlockLoc, Dead, GapLoc, NodeLoc, Path, after, before, block_of, get
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Alloc, Assign, For, If, LoopMode, Pass, Read, index_literal, index_read
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import update
from usl_core.ir.types import F32, F64

NEST = """
    for i in seq(0, n):
        for j in seq(0, m):
            x = 1.0
            y = 1.0
    z = 0.0
"""
OUTER: Path = (("body", 0),)
INNER: Path = (*OUTER, ("body", 0))
X: Path = (*INNER, ("body", 0))
Y: Path = (*INNER, ("body", 1))
Z: Path = (("body", 1),)


def test_steps_take_original_locations_whatever_came_before():
    edit = Edit.of(procedure(NEST))
    edit = edit.insert(before(OUTER), (Pass(), Pass()))
    edit = edit.move(NodeLoc(Y), after(OUTER))
    edit = edit.delete(NodeLoc(Z))
    edit = edit.replace(NodeLoc(X), (Pass(),))
    assert body_text(edit.proc) == text("""
        pass
        pass
        for i in seq(0, n):
            for j in seq(0, m):
                pass
        y = 1.0
    """)
    assert edit.where(NodeLoc(Y)) == NodeLoc((("body", 3),))
    assert edit.where(NodeLoc(OUTER)) == NodeLoc((("body", 2),))


def test_an_edit_is_a_value_and_earlier_ones_stay_valid():
    start = Edit.of(procedure(NEST))
    longer = start.insert(before(OUTER), (Pass(),))
    assert start.proc is start.origin
    assert start.where(NodeLoc(Z)) == NodeLoc(Z)
    assert longer.origin is start.proc
    assert longer.forward(NodeLoc(Z)) == NodeLoc((("body", 2),))


def test_deaths_name_the_operator():
    edit = Edit.of(procedure(NEST), operator="fission").delete(NodeLoc(OUTER))
    assert edit.forward(NodeLoc(X)) == Dead("removed by fission")
    assert edit.forward(BlockLoc((), "body", 0, 2)) == BlockLoc((), "body", 0, 1)


def test_code_made_by_a_step_is_addressed_in_the_current_tree():
    edit = Edit.of(procedure(NEST), operator="add_loop")
    edit = edit.wrap(NodeLoc(Y), lambda body: For(Sym("k"), index_literal(0), index_literal(4), body))
    made = edit.path(NodeLoc(Y))[:-1]
    edit = edit.update(Now(NodeLoc(made)), mode=LoopMode.PAR)
    edit = edit.insert(Now(before(made)), (Pass(),))
    assert "        pass\n        for k in par(0, 4):\n            y = 1.0" in body_text(edit.proc)


def test_a_step_at_code_that_an_earlier_one_removed_is_a_bug_of_the_primitive():
    edit = Edit.of(procedure(NEST), operator="fuse").delete(NodeLoc(OUTER))
    with pytest.raises(AssertionError, match="fuse: a step at code removed by fuse"):
        edit.delete(NodeLoc(X))


def test_interchange_swaps_two_loops_and_every_cursor_stays_with_its_statement():
    proc = procedure(NEST)
    edit = Edit.of(proc).interchange(NodeLoc(OUTER))
    assert body_text(edit.proc).startswith("for j in seq(0, m):\n    for i in seq(0, n):\n        x = 1.0\n        y = 1.0\nz")
    assert edit.where(NodeLoc(OUTER)) == NodeLoc(INNER)
    assert edit.where(NodeLoc(INNER)) == NodeLoc(OUTER)
    assert edit.where(NodeLoc(Y)) == NodeLoc(Y)
    assert edit.where(BlockLoc(INNER, "body", 0, 2)) == BlockLoc(INNER, "body", 0, 2)
    assert edit.where(NodeLoc(Z)) == NodeLoc(Z)
    assert get(edit.proc, X) is get(proc, X)


def test_unwrap_leaves_the_body_in_place_of_the_loop():
    edit = Edit.of(procedure(NEST), operator="remove_loop").unwrap(NodeLoc(INNER))
    assert body_text(edit.proc) == "for i in seq(0, n):\n    x = 1.0\n    y = 1.0\nz = 0.0"
    assert edit.where(NodeLoc(INNER)) == Dead("removed by remove_loop")
    assert edit.where(BlockLoc(INNER, "body", 0, 2)) == BlockLoc(OUTER, "body", 0, 2)
    assert edit.where(block_of(INNER)) == BlockLoc(OUTER, "body", 0, 2)


def test_unwrap_can_keep_the_else_of_an_if():
    proc = procedure("if n < 3:\n    x = 0.0\nelse:\n    x = 1.0\n    y = 1.0")
    edit = Edit.of(proc).unwrap(NodeLoc(OUTER), "orelse")
    assert body_text(edit.proc) == "x = 1.0\ny = 1.0"
    assert isinstance(edit.where(NodeLoc((*OUTER, ("body", 0)))), Dead)
    assert edit.where(NodeLoc((*OUTER, ("orelse", 1)))) == NodeLoc((("body", 1),))


def test_independent_steps_make_one_batch():
    proc = procedure(NEST)
    edit = Edit.of(proc).splice_many([(NodeLoc(X), ()), (after(Z), (Pass(),)), (block_of(Z), (Pass(), Pass()))])
    assert body_text(edit.proc).endswith("        y = 1.0\npass\npass\npass")
    assert edit.where(NodeLoc(Y)) == NodeLoc(X)


def test_a_redirected_location_takes_what_is_inside_it_along_where_it_fits():
    proc = procedure(NEST)
    copy = get(proc, OUTER)
    edit = Edit.of(proc, operator="unroll").insert(after(Z), (update(copy),))
    target = NodeLoc((("body", 2),))
    edit = edit.redirect(NodeLoc(OUTER), Now(target))
    assert edit.where(NodeLoc(OUTER)) == target
    assert edit.where(NodeLoc(Y)) == NodeLoc((("body", 2), ("body", 0), ("body", 1)))
    assert edit.where(GapLoc(INNER, "body", 1, "after")) == GapLoc((("body", 2), ("body", 0)), "body", 1, "after")
    assert edit.where(BlockLoc(INNER, "body", 0, 2)) == BlockLoc((("body", 2), ("body", 0)), "body", 0, 2)
    assert edit.where(NodeLoc(Z)) == NodeLoc(Z)


def test_what_has_no_counterpart_at_the_target_of_a_redirection_dies():
    proc = procedure(NEST)
    edit = Edit.of(proc, operator="bind").redirect(NodeLoc(OUTER), NodeLoc(Z))
    assert edit.where(NodeLoc(OUTER)) == NodeLoc(Z)
    assert edit.where(NodeLoc(INNER)) == Dead("removed by bind")
    assert edit.where(NodeLoc((*OUTER, ("lo", None)))) == Dead("removed by bind")


def test_later_steps_move_a_redirected_location_and_the_nearest_redirection_wins():
    proc = procedure(NEST)
    edit = Edit.of(proc).redirect(NodeLoc(OUTER), NodeLoc(Z)).redirect(NodeLoc(X), NodeLoc(Y))
    edit = edit.insert(before(Y), (Pass(),)).insert(GapLoc((), "body", 0, "before"), (Pass(),))
    assert edit.where(NodeLoc(OUTER)) == NodeLoc((("body", 2),))
    assert edit.where(NodeLoc(X)) == NodeLoc((("body", 1), ("body", 0), ("body", 2)))


def test_a_redirection_can_leave_the_insides_alone():
    proc = procedure(NEST)
    edit = Edit.of(proc).redirect(NodeLoc(OUTER), NodeLoc(Z), inside=False)
    assert edit.where(NodeLoc(OUTER)) == NodeLoc(Z)
    assert edit.where(NodeLoc(Y)) == NodeLoc(Y)


def test_steps_address_the_code_itself_and_are_not_redirected():
    proc = procedure(NEST)
    edit = Edit.of(proc).redirect(NodeLoc(OUTER), NodeLoc(Z)).delete(NodeLoc(Y))
    assert body_text(edit.proc) == "for i in seq(0, n):\n    for j in seq(0, m):\n        x = 1.0\nz = 0.0"


def test_a_dead_location_can_be_redirected_back_to_life():
    proc = procedure(NEST)
    edit = Edit.of(proc).delete(NodeLoc(X))
    assert isinstance(edit.where(NodeLoc(X)), Dead)
    edit = edit.redirect(NodeLoc(X), NodeLoc(Y))
    assert edit.where(NodeLoc(X)) == NodeLoc(X)


def test_formals_assertions_and_the_head_of_the_procedure():
    proc = procedure("assert n > 3\nx = 0.0")
    edit = Edit.of(proc, operator="partial_eval")
    edit = edit.replace_arg(ArgLoc(4), update(proc.args[4], name=Sym("q"), type=F64))
    assert edit.where(ArgLoc(4)) == ArgLoc(4)
    assert (edit.proc.args[4].name.name, edit.proc.args[4].type) == ("q", F64)
    edit = edit.set_args(edit.proc.args[1:])
    assert edit.where(ArgLoc(4)) == ArgLoc(3)
    assert edit.where(ArgLoc(0)) == Dead("removed by partial_eval")
    edit = edit.replace_preds(()).update_proc(name="bar")
    assert (edit.proc.name, edit.proc.preds) == ("bar", ())
    assert edit.where(NodeLoc((("preds", 0),))) == Dead("removed by partial_eval")


def test_a_primitive_of_several_kinds_of_steps_keeps_every_cursor():
    """Staging by hand: an allocation, a copy, redirected reads."""
    foo = owner("for i in seq(0, n):\n    x = y + 1.0\nz = y")
    proc, loop = foo.ir, OUTER
    temporary = Sym("t")
    y = get(proc, (*loop, ("body", 0), ("rhs", None), ("lhs", None)))
    read = Read(temporary, (), type=F32)

    def rule(node):
        return read if isinstance(node, Read) and node.name is y.name else None

    edit = Edit.of(proc, operator="stage")
    edit = edit.rewrite_exprs(NodeLoc(loop), rule)
    edit = edit.insert(before(loop), (Alloc(temporary, F32, DRAM), Assign(temporary, (), y)))
    edit = edit.replace_expr(NodeLoc((*loop, ("hi", None))), index_read(proc.args[1].name))
    assert body_text(edit.proc) == "t: f32\nt = y\nfor i in seq(0, m):\n    x = t + 1.0\nz = y"
    one = foo.find("y + 1.0")
    assert edit.where(one.loc) == NodeLoc((("body", 2), ("body", 0), ("rhs", None)))
    assert edit.where(one.lhs().loc) == NodeLoc((("body", 2), ("body", 0), ("rhs", None), ("lhs", None)))


def test_wrapping_an_else_branch():
    proc = procedure("x = 0.0\ny = 0.0\nif n < 3:\n    pass")
    cond = get(proc, (("body", 2), ("cond", None)))
    edit = Edit.of(proc).wrap(NodeLoc(OUTER), lambda body: If(cond, (Pass(),), body), "orelse").delete(NodeLoc((("body", 2),)))
    assert body_text(edit.proc) == "if n < 3:\n    pass\nelse:\n    x = 0.0\ny = 0.0"
    assert edit.where(NodeLoc(OUTER)) == NodeLoc((*OUTER, ("orelse", 0)))
