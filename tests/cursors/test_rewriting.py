"""Edits of expressions, statement heads, formals and assertions, and where locations in them go."""

from __future__ import annotations

import pytest

from tests.cursors.programs import body_text, procedure
from usl_core.cursors.path import ArgLoc, BlockLoc, Dead, GapLoc, NodeLoc, Path, get
from usl_core.cursors.rewriting import replace_expr, replace_exprs, rewrite_exprs, set_args, set_preds, update_at
from usl_core.ir.make import add
from usl_core.ir.memory import Memory
from usl_core.ir.nodes import Assign, BinaryOp, For, If, LoopMode, Node, Pass, Read, index_literal, index_read
from usl_core.ir.printer import show
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import update
from usl_core.ir.types import TensorType

LOOPS = """
    for i in seq(0, n):
        for j in seq(0, m):
            A[i, j] = B[i, j] + 1.0
        x = 2.0
"""
LOOP: Path = (("body", 0),)
ASSIGN: Path = (*LOOP, ("body", 0), ("body", 0))


def below(path: Path, *steps: str | tuple[str, int]) -> NodeLoc:
    return NodeLoc((*path, *[(step, None) if isinstance(step, str) else step for step in steps]))


def substitute_i(proc, sub):
    """A rule that puts sub in the place of the outer iterator."""
    sym = get(proc, LOOP).iter

    def rule(node: Node) -> Node | None:
        return sub if isinstance(node, Read) and node.name is sym else None

    return rule


def test_a_rule_is_applied_to_all_expressions_below_a_statement():
    proc = procedure(LOOPS)
    new, _ = rewrite_exprs(proc, LOOP, substitute_i(proc, add(index_read(Sym("k")), index_literal(3))))
    assert "A[k + 3, j] = B[k + 3, j] + 1.0" in body_text(new)


def test_an_expression_that_a_rule_replaced_forwards_to_the_new_one():
    proc = procedure(LOOPS)
    new, forward = rewrite_exprs(proc, LOOP, substitute_i(proc, add(index_read(Sym("k")), index_literal(3))))
    loc = below(ASSIGN, ("idx", 0))
    assert forward(loc) == loc
    assert show(get(new, loc.path)) == "k + 3"


def test_statements_gaps_blocks_and_untouched_expressions_stay_under_a_rule():
    proc = procedure(LOOPS)
    _, forward = rewrite_exprs(proc, LOOP, substitute_i(proc, index_literal(3)))
    for loc in (
        NodeLoc(ASSIGN),
        below(ASSIGN, "rhs", "lhs", ("idx", 1)),
        BlockLoc(LOOP, "body", 0, 2),
        GapLoc(LOOP, "body", 1, "after"),
        ArgLoc(0),
        NodeLoc((*LOOP, ("body", 1))),
    ):
        assert forward(loc) == loc


def test_what_a_rule_does_not_touch_is_shared_and_nothing_to_do_is_the_same_procedure():
    proc = procedure(LOOPS)
    new, _ = rewrite_exprs(proc, LOOP, substitute_i(proc, index_literal(3)))
    assert get(new, (*LOOP, ("body", 1))) is get(proc, (*LOOP, ("body", 1)))
    assert get(new, (*ASSIGN, ("idx", 1))) is get(proc, (*ASSIGN, ("idx", 1)))
    assert rewrite_exprs(proc, (), lambda node: None)[0] is proc


def test_subexpressions_keep_their_cursors_when_an_access_gets_a_new_dimension():
    proc = procedure(LOOPS)
    io = index_read(Sym("io"))

    def rule(node: Node) -> Node | None:
        if isinstance(node, Read | Assign) and node.idx:
            return update(node, idx=(io, *node.idx))
        return None

    new, forward = rewrite_exprs(proc, BlockLoc((), "body", 0, 1), rule)
    assert "A[io, i, j] = B[io, i, j] + 1.0" in body_text(new)
    assert forward(below(ASSIGN, ("idx", 1))) == below(ASSIGN, ("idx", 2))
    assert forward(below(ASSIGN, "rhs", "lhs", ("idx", 0))) == below(ASSIGN, "rhs", "lhs", ("idx", 1))
    assert forward(below(ASSIGN, "rhs", "lhs")) == below(ASSIGN, "rhs", "lhs")


def test_subexpressions_that_a_rule_drops_die_and_those_it_keeps_follow():
    proc = procedure("x = (y + 1.0) * z")
    rhs: Path = (("body", 0), ("rhs", None))

    def keep_left(node: Node) -> Node | None:
        return node.lhs if isinstance(node, BinaryOp) and node.op == "*" else None

    new, forward = rewrite_exprs(proc, (), keep_left, by="simplify")
    assert body_text(new) == "x = y + 1.0"
    assert forward(below(rhs, "lhs")) == NodeLoc(rhs)
    assert forward(below(rhs, "lhs", "rhs")) == below(rhs, "rhs")
    assert forward(below(rhs, "rhs")) == Dead("replaced by simplify")


def test_a_rule_must_leave_the_statements_in_a_statement_alone():
    proc = procedure(LOOPS)
    with pytest.raises(AssertionError, match="statements inside"):
        rewrite_exprs(proc, (), lambda node: update(node, body=(Pass(),)) if isinstance(node, For) else None)
    with pytest.raises(AssertionError, match="statements into statements"):
        rewrite_exprs(proc, (), lambda node: index_literal(1) if isinstance(node, For) else None)


def test_replacing_an_expression_keeps_its_cursor_and_kills_those_inside():
    proc = procedure(LOOPS)
    rhs = (*ASSIGN, ("rhs", None))
    new, forward = replace_expr(proc, rhs, Read(Sym("t"), type=get(proc, rhs).type), by="bind_expr")
    assert "A[i, j] = t" in body_text(new)
    assert forward(NodeLoc(rhs)) == NodeLoc(rhs)
    assert forward(below(rhs, "lhs")) == Dead("replaced by bind_expr")
    assert forward(below(ASSIGN, ("idx", 0))) == below(ASSIGN, ("idx", 0))


def test_an_expression_put_inside_its_replacement_takes_its_insides_along():
    proc = procedure("x = y * z")
    rhs: Path = (("body", 0), ("rhs", None))
    old = get(proc, rhs)
    new, forward = replace_expr(proc, rhs, BinaryOp("+", old, old.rhs, type=old.type))
    assert body_text(new) == "x = y * z + z"
    assert forward(below(rhs, "lhs")) == below(rhs, "lhs", "lhs")


def test_several_expressions_are_replaced_at_once():
    proc = procedure("x = y\nz = y")
    one = (("body", 0), ("rhs", None)), (("body", 1), ("rhs", None))
    zero = get(procedure("x = 0.0"), one[0])
    new, forward = replace_exprs(proc, dict.fromkeys(one, zero))
    assert body_text(new) == "x = 0.0\nz = 0.0"
    assert forward(NodeLoc(one[1])) == NodeLoc(one[1])


def test_update_changes_what_is_no_child_and_moves_nothing():
    proc = procedure(LOOPS)
    new, forward = update_at(proc, LOOP, mode=LoopMode.PAR, iter=Sym("q"))
    assert body_text(new).startswith("for q in par(0, n):")
    assert forward(NodeLoc(ASSIGN)) == NodeLoc(ASSIGN)
    with pytest.raises(AssertionError, match="hold children"):
        update_at(proc, LOOP, body=())


def test_extents_that_a_changed_type_no_longer_has_die():
    proc = procedure("t: f32[n, m]\nx = 0.0")
    alloc: Path = (("body", 0),)
    old = get(proc, alloc)
    new_type = TensorType(old.type.scalar, (index_literal(4), *old.type.shape[:1]))
    new, forward = update_at(proc, alloc, type=new_type, by="expand_dim")
    assert body_text(new).startswith("t: f32[4, n]")
    assert forward(below(alloc, ("shape", 0))) == below(alloc, ("shape", 1))
    assert forward(below(alloc, ("shape", 1))) == Dead("replaced by expand_dim")


def test_formals_follow_their_names():
    class SRAM(Memory):
        name = "SRAM"

    proc = procedure("x = 0.0")
    _, m, a, *rest = proc.args
    new, forward = set_args(proc, (a, m, *[update(arg, mem=SRAM) for arg in rest]), by="partial_eval")
    assert new.args[0] is a
    assert forward(ArgLoc(2)) == ArgLoc(0)
    assert forward(ArgLoc(1)) == ArgLoc(1)
    assert forward(ArgLoc(0)) == Dead("removed by partial_eval")
    assert forward(NodeLoc((("args", 2), ("shape", 1)))) == NodeLoc((("args", 0), ("shape", 1)))
    assert forward(NodeLoc((("args", 3), ("shape", 1)))) == NodeLoc((("args", 2), ("shape", 1)))
    assert forward(NodeLoc((("args", 0), ("shape", 0)))) == Dead("removed by partial_eval")


def test_assertions_follow_what_they_say():
    proc = procedure("assert n > 3\nassert m > 4\nx = 0.0")
    first, second = proc.preds
    more = BinaryOp("<", index_literal(1), index_literal(2), type=first.type)
    _, forward = set_preds(proc, (more, second), by="add_assertion")
    assert forward(NodeLoc((("preds", 1), ("lhs", None)))) == NodeLoc((("preds", 1), ("lhs", None)))
    assert forward(NodeLoc((("preds", 0),))) == Dead("removed by add_assertion")


def test_a_rule_may_change_the_condition_of_an_if_without_moving_its_branches():
    proc = procedure("if n < 3:\n    x = 0.0\nelse:\n    x = 1.0")

    def rule(node: Node) -> Node | None:
        if isinstance(node, If):
            return update(node, cond=BinaryOp("<", index_literal(0), index_literal(1), type=node.cond.type))
        return None

    new, forward = rewrite_exprs(proc, (), rule)
    assert body_text(new).startswith("if 0 < 1:")
    assert forward(NodeLoc((("body", 0), ("orelse", 0)))) == NodeLoc((("body", 0), ("orelse", 0)))
    assert get(new, (("body", 0), ("body", 0))) is get(proc, (("body", 0), ("body", 0)))


def test_windows_keep_their_types_true_when_an_interval_is_rewritten():
    proc = procedure("w = A[0:4, 0]\nx = w[0]")
    path: Path = (("body", 0), ("rhs", None), ("idx", 0), ("hi", None))
    new, forward = replace_expr(proc, path, index_literal(8))
    window = get(new, path[:2])
    assert window.type.shape[0].value == 8
    assert forward(NodeLoc(path)) == NodeLoc(path)
    assert forward(NodeLoc(path[:-1])) == NodeLoc(path[:-1])
