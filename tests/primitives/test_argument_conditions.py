"""Arguments of the wrong kind are refused by name, before anything is looked at."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.primitives.equivalence import parse
from usl_core.errors import InvalidCursorError, SchedulingError, UsageError
from usl_core.primitives.buffers.divide_dim import divide_dim
from usl_core.primitives.buffers.lift_alloc import lift_alloc
from usl_core.primitives.buffers.rearrange_dim import rearrange_dim
from usl_core.primitives.buffers.resize_dim import resize_dim
from usl_core.primitives.buffers.set_memory import set_memory
from usl_core.primitives.buffers.set_window import set_window
from usl_core.primitives.buffers.stage_mem import stage_mem
from usl_core.primitives.calls.call_eqv import call_eqv
from usl_core.primitives.calls.replace import replace
from usl_core.primitives.composed.autofission import autofission
from usl_core.primitives.composed.autolift_alloc import autolift_alloc
from usl_core.primitives.exprs.bind_expr import bind_expr
from usl_core.primitives.exprs.rewrite_expr import rewrite_expr
from usl_core.primitives.loops.cut_loop import cut_loop
from usl_core.primitives.loops.divide_loop import divide_loop
from usl_core.primitives.loops.divide_with_recompute import divide_with_recompute
from usl_core.primitives.loops.fission import fission
from usl_core.primitives.loops.mult_loops import mult_loops
from usl_core.primitives.loops.reorder_loops import reorder_loops
from usl_core.primitives.loops.specialize import specialize
from usl_core.primitives.procs.partial_eval import partial_eval
from usl_core.primitives.stmts.delete_pass import delete_pass
from usl_core.primitives.stmts.insert_noop_call import insert_noop_call
from usl_core.primitives.stmts.insert_pass import insert_pass
from usl_core.primitives.stmts.lift_reduce_constant import lift_reduce_constant
from usl_core.primitives.stmts.merge_writes import merge_writes
from usl_core.primitives.stmts.reorder_stmts import reorder_stmts
from usl_core.primitives.stmts.split_write import split_write

G = parse("def g(d: [f32][4]):\n    d[0] = 1.0")
P = parse(
    """
    def foo(n: size, b: bool, x: f32[n, 8], y: f32):
        t: f32[4, 8]
        for i in seq(0, n):
            for j in seq(0, 8):
                s: f32[2]
                s[0] = x[i, j]
                x[i, j] = s[0] * s[0]
        t[0, 0] = y
        if b:
            t[0, 1] = y
        else:
            t[0, 2] = y
        if y < 1.0:
            t[1, 1] = y
        g(t[0, 0:4])
    """,
    g=G,
)
SCALAR = parse("def foo(y: f32):\n    s: f32\n    s = y\n    y = s * s")
LOOP = P.find_loop("i")
ONE = parse("def one(x: f32[4], y: f32):\n    for i in seq(0, 4): x[i] = 1.0\n    y = 0.0\n    pass")

CASES: list[tuple[Callable[[], Any], str]] = [
    (lambda: autolift_alloc(P, "s", 1.0), "n_lifts must be an int"),  # type: ignore[arg-type]
    (lambda: autolift_alloc(P, "s", True), "n_lifts must be an int"),
    (lambda: divide_dim(P, "t", 1, 2.0), "factor must be an int"),  # type: ignore[arg-type]
    (lambda: divide_dim(P, "t", 1, True), "factor must be an int"),
    (lambda: divide_dim(P, "t", 1, 0), "the factor must be at least 1"),
    (lambda: divide_dim(P, "t", 1.0, 2), "dim must be an int, got 1.0"),  # type: ignore[arg-type]
    (lambda: divide_dim(P, "t", True, 2), "dim must be an int, got True"),
    (lambda: divide_dim(P, "t", 2, 2), "there is no dimension 2"),
    (lambda: divide_dim(P, "t", -1, 2), "there is no dimension -1"),
    (lambda: lift_alloc(P, "s", 1.0), "n_lifts must be an int"),  # type: ignore[arg-type]
    (lambda: lift_alloc(P, "s", True), "n_lifts must be an int"),
    (lambda: lift_alloc(P, "s", 0), "n_lifts must be at least 1"),
    (lambda: lift_alloc(P, "s", 3), "cannot be lifted 3 times"),
    (lambda: rearrange_dim(P, "t", "10"), "perm must be a list of which each is an int"),  # type: ignore[arg-type]
    (lambda: rearrange_dim(P, "t", [1.0, 0.0]), "perm must be a list of which each is an int"),  # type: ignore[list-item]
    (lambda: rearrange_dim(P, "t", [True, False]), "perm must be a list of which each is an int"),
    (lambda: rearrange_dim(P, "t", [0]), "a permutation of the 2 dimensions"),
    (lambda: rearrange_dim(SCALAR, "s", 0), "perm must be a list of which each is an int"),  # type: ignore[arg-type]
    (lambda: rearrange_dim(SCALAR, "s", ""), "perm must be a list of which each is an int"),  # type: ignore[arg-type]
    (lambda: resize_dim(P, "t", 2, 4, 0, fold=True), "there is no dimension 2"),
    (lambda: resize_dim(P, "t", 0, 0, 0, fold=True), "the new extent may be below 1"),
    (lambda: resize_dim(P, "t", 0, 4, 0, fold=1), "fold must be True or False, got 1"),  # type: ignore[arg-type]
    (lambda: resize_dim(P, "t", 0, "stride(x, 0)", 0), "not made of sizes and iterators only"),
    (lambda: set_memory(P, "t", "DRAM"), "mem must be a subclass of Memory"),  # type: ignore[arg-type]
    (lambda: set_memory(P, "t", int), "mem must be a subclass of Memory"),  # type: ignore[arg-type]
    (lambda: set_memory(P, "x", "DRAM"), "mem must be a subclass of Memory"),  # type: ignore[arg-type]
    (lambda: set_memory(P, "n", object), "mem must be a subclass of Memory"),  # type: ignore[arg-type]
    (lambda: set_window(P, "x", 1), "is_window must be True or False, got 1"),  # type: ignore[arg-type]
    (lambda: set_window(P, "t"), "no formal with dimensions"),
    (lambda: set_window(P, "y"), "no formal with dimensions"),
    (lambda: set_window(P, "n"), "no formal with dimensions"),
    (lambda: stage_mem(P, LOOP, P.find("s[0] * s[0]"), "w"), "a window of a buffer is wanted"),
    (lambda: stage_mem(P, LOOP, P.find_loop("i").hi(), "w"), "a window of a buffer is wanted"),
    (lambda: call_eqv(P, "g(_)", "g"), "g must be a Procedure, got 'g'"),  # type: ignore[arg-type]
    (lambda: replace(P, LOOP, "g"), "f must be a Procedure, got 'g'"),  # type: ignore[arg-type]
    (lambda: bind_expr(P, [], "w"), "no expression is given"),
    (lambda: cut_loop(P, "j", True), "at must be an expression .*, got True"),
    (lambda: cut_loop(P, "j", 2.0), "at must be an expression .*, got 2.0"),  # type: ignore[arg-type]
    (lambda: cut_loop(P, "i", P.find("s[0]")), "an expression of type index is wanted here"),
    (lambda: cut_loop(P, "i", P.find("s[0] = _").rhs().idx()[1]), "uses j, which is not in scope there"),
    (lambda: rewrite_expr("foo", "y", "y"), "rewrite_expr: the first argument must be a procedure"),  # type: ignore[arg-type]
    (lambda: autofission("foo", LOOP.before()), "autofission: the first argument must be a procedure"),  # type: ignore[arg-type]
    (lambda: divide_with_recompute(P, "j", 1, 8.0, ["a", "b"]), "outer_stride must be an int"),  # type: ignore[arg-type]
    (lambda: divide_with_recompute(P, "j", 8, True, ["a", "b"]), "outer_stride must be an int"),
    (lambda: mult_loops(P, "j", "k"), "the body of the loop j is not one loop"),
    (lambda: mult_loops(ONE, "i", "k"), "the body of the loop i is not one loop"),
    (lambda: insert_noop_call(P, LOOP.before(), G, 1), "args must be a list .*, got 1"),  # type: ignore[arg-type]
    (lambda: lift_reduce_constant(P, LOOP), "a block of two statements is wanted, not 1"),
    (lambda: lift_reduce_constant(P, P.body()[0:3]), "a block of two statements is wanted, not 3"),
    (lambda: lift_reduce_constant(P, P.body()[2:4]), "the first statement must set the sum to 0"),
    (lambda: lift_reduce_constant(ONE, ONE.body()[1:3]), "a loop must follow, found Pass"),
    (lambda: merge_writes(P, "t[0, 0] = _"), "a block of two statements is wanted, not 1"),
    (lambda: merge_writes(ONE, ONE.body()[0:3]), "a block of two statements is wanted, not 3"),
    (lambda: merge_writes(ONE, ONE.body()[0:2]), "both statements must be `=` or reductions, found For"),
    (lambda: split_write(P, LOOP), "`=` or a reduction is wanted here, found For"),
    (lambda: divide_loop(P, "j", 2.0, ["a", "b"]), "factor must be an int, got 2.0"),  # type: ignore[arg-type]
    (lambda: divide_loop(P, "j", True, ["a", "b"]), "factor must be an int, got True"),
    (lambda: divide_loop(P, "j", 2, "ab"), "names must be a list of names, got 'ab'"),  # type: ignore[arg-type]
    (lambda: divide_loop(P, "j", 2, ["a"]), "a list of 2 names is wanted"),
    (lambda: divide_loop(P, "j", 2, ["a", "a"]), "the new names must differ"),
    (lambda: divide_loop(P, "j", 2, ["a", 1]), "names must be a list of names, got"),  # type: ignore[list-item]
    (lambda: divide_loop(P, "j", 2, ["a", "b c"]), "must be an identifier"),
    (lambda: divide_loop(P, "j", 2, ["a", "for"]), "must be an identifier"),
    (lambda: divide_loop(P, "j", 2, ["a", "_"]), "must be an identifier"),
    (lambda: fission(P, P.find("t[0, 2] = _").after()), "an `else` branch cannot be split|before and one after the gap"),
    (lambda: fission(P, LOOP), "a gap is wanted here"),
    (lambda: fission(P, P.find("s[0] = _").after(), 1.0), "n_lifts must be an int"),  # type: ignore[arg-type]
    (lambda: fission(P, P.find("s[0] = _").after(), True), "n_lifts must be an int"),
    (lambda: reorder_loops(P, 3), "loops must be a cursor or a pattern, got 3"),  # type: ignore[arg-type]
    (lambda: reorder_loops(P, P.find("t[0, 0] = _")), "a loop is wanted here, found Assign"),
    (lambda: insert_pass(P, LOOP), "a gap is wanted here"),
    (lambda: reorder_stmts(P, P.find("s[0]")), "a block of statements is wanted here"),
    (lambda: specialize(P, LOOP, []), "at least one condition is wanted"),
    (lambda: partial_eval(P, n=0), "size n must be at least 1"),
    (lambda: partial_eval(P, n=True), "n is a size, got True"),
    (lambda: partial_eval(P, n=2.0), "n must be an int or True or False, got 2.0"),  # type: ignore[arg-type]
    (lambda: partial_eval(P, b=1), "b is a bool, got 1"),
    (lambda: partial_eval(P, q=1), "q is not a control formal of foo"),
    (lambda: partial_eval(P, 4, n=4), "two values for n"),
    (lambda: partial_eval(P, 4, True, 5), "3 values for 2 control formals"),
    (lambda: partial_eval(P), "no value is given"),
]


@pytest.mark.parametrize(("step", "message"), CASES, ids=[message[:40] for _, message in CASES])
def test_an_argument_of_the_wrong_kind_is_refused(step: Callable[[], Any], message: str) -> None:
    misused = re.search("must be (an int|a list|a [PpsC]|a cursor|an expression|True or False)", message)
    with pytest.raises(UsageError if misused else SchedulingError, match=message):
        step()


def test_a_cursor_to_code_that_is_gone_is_refused_with_the_operator_that_removed_it() -> None:
    p = insert_pass(P, LOOP.before())
    gone = p.find("pass")
    q = delete_pass(p)
    with pytest.raises(InvalidCursorError, match="insert_pass: the code that the cursor pointed to is gone"):
        insert_pass(q, gone.before())
    with pytest.raises(InvalidCursorError, match="reorder_loops: the code that the cursor pointed to is gone"):
        reorder_loops(q, gone)


def test_integers_of_numpy_are_integers() -> None:
    p = parse("def f(n: size, x: R[n]):\n    assert n % 8 == 0\n    for i in seq(0, n):\n        x[i] = 1.0")
    assert str(divide_loop(p, "i", np.int64(8), ["io", "ii"])) == str(divide_loop(p, "i", 8, ["io", "ii"]))
    assert str(cut_loop(p, "i", np.int8(1))) == str(cut_loop(p, "i", 1))
    assert str(p.partial_eval(n=np.uint16(16))) == str(p.partial_eval(n=16))
    t = parse("def f(x: R[2, 3]):\n    t: R[2, 3]\n    t[0, 0] = x[0, 0]")
    assert str(rearrange_dim(t, "t", list(np.arange(2)[::-1]))) == str(rearrange_dim(t, "t", [1, 0]))
    for wrong in (np.bool_(True), np.float64(8), np.array([8])):
        with pytest.raises(UsageError, match="factor must be an int"):
            divide_loop(p, "i", wrong, ["io", "ii"])
