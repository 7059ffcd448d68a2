"""The verifier finds each broken invariant."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from usl_core.frontend.parser import parse_source
from usl_core.ir import verify as verify_module
from usl_core.ir.externs import IDX, SQRT
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import (
    Alloc,
    Assign,
    BinaryOp,
    Block,
    Call,
    Cast,
    Check,
    Expr,
    ExternCall,
    For,
    If,
    Interval,
    Literal,
    Pass,
    Read,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
    bool_literal,
    index_literal,
    index_read,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import update
from usl_core.ir.types import BOOL, COND, F32, I32, INDEX, U8, ScalarType, TensorType, Type
from usl_core.ir.verify import problems, verify

GOOD = parse_source(
    """\
def good(n: size, x: f32[n], v: i32, s: f32, g: [f32][n]):
    for i in seq(0, n):
        x[i] = s * 2.0
"""
)
N, X, V, S, G = (arg.name for arg in GOOD.args)
ITER, T = Sym("i"), Sym("t")
n, zero = index_read(N), index_literal(0)
CALLEE = parse_source("def callee(m: size, d: f32[m], w: [f32][m], s: f32):\n    w[0] = 1.0")


def flt(value: int) -> Literal:
    return Literal(Fraction(value), type=F32)


def store(rhs: Expr) -> Block:
    return (Assign(S, (), rhs),)


def op(symbol: str, lhs: Expr, rhs: Expr, typ: Type) -> BinaryOp:
    return BinaryOp(symbol, lhs, rhs, type=typ)


def at(index: Expr) -> Block:
    return (Assign(X, (index,), flt(0)),)


def literal(value: object, typ: Type) -> Literal:
    return Literal(value, type=typ)  # type: ignore[arg-type]  # wrong on purpose


def whole(name: Sym, window: bool, extent: Expr = n, scalar: ScalarType = F32) -> Read:
    return Read(name, (), type=TensorType(scalar, (extent,), window))


def call(d: Expr, w: Expr, s: Expr) -> Block:
    return (Call(CALLEE, (n, d, w, s)),)


def view(*entries: Expr | Interval, rank: int = 1) -> WindowExpr:
    return WindowExpr(X, entries, type=TensorType(F32, (n,) * rank, True))


read_s = Read(S, (), type=F32)
read_v = Read(V, (), type=I32)
dense, loose = whole(X, False), whole(G, True)

BROKEN: dict[str, tuple[Block, str]] = {
    "empty body": ((), "the body is empty"),
    "empty loop": ((For(ITER, zero, n, ()),), "a loop body is empty"),
    "empty branch": ((If(bool_literal(True), (), (Pass(),)),), "a branch is empty"),
    "bound twice": ((For(ITER, zero, n, (Pass(),)), For(ITER, zero, n, (Pass(),))), "is bound twice"),
    "out of scope": ((For(ITER, zero, n, (Pass(),)), *at(index_read(ITER))), "is used outside its scope"),
    "before its binding": ((Assign(T, (), flt(0)), Alloc(T, F32, DRAM)), "is used outside its scope"),
    "mixed types": (store(op("+", read_s, read_v, F32)), "`+` mixes f32 and i32"),
    "wrong result type": (store(op("+", read_v, read_v, F32)), "`+` is ill-typed"),
    "wrong right side": (store(read_v), "has type i32, not f32"),
    "wrong rank": ((Assign(X, (), flt(0)),), "has 0 indices, not 1"),
    "data index": (at(read_v), "an index of"),
    "written control": ((Assign(N, (), index_literal(1)),), "is a control value, accessed as data"),
    "not affine": (at(op("*", n, n, INDEX)), "not affine"),
    "negative divisor": (at(op("/", n, index_literal(-2), INDEX)), "the divisor is not a positive literal"),
    "variable divisor": (at(op("%", n, n, INDEX)), "the divisor is not a positive literal"),
    "data condition as bool": ((If(op("<", read_s, read_s, BOOL), (Pass(),)),), "`<` is ill-typed"),
    "data check": ((Check(op("<", read_s, read_s, COND)),), "a check has type cond, not bool"),
    "integer as condition": ((If(n, (Pass(),)),), "`if` on index"),
    "ordered truth values": ((Check(op("<", bool_literal(True), bool_literal(True), BOOL)),), "`<` is ill-typed"),
    "remainder of floats": (store(op("%", read_s, read_s, F32)), "`%` on f32"),
    "int for a float": (store(literal(2, F32)), "the literal 2 of type f32"),
    "endless decimal": (store(literal(Fraction(1, 3), F32)), "the literal Fraction(1, 3) of type f32"),
    "out of range": (store(Cast(literal(256, U8), type=F32)), "the literal 256 of type u8"),
    "bool for an index": (at(literal(True, INDEX)), "the literal True of type index"),
    "minus on bool": ((Check(UnaryMinus(bool_literal(True), type=BOOL)),), "`-` on bool"),
    "cast of bool": (store(Cast(bool_literal(True), type=F32)), "a cast of bool"),
    "extern argument": (store(ExternCall(SQRT, (read_v,), type=F32)), "ill-typed call"),
    "idx in a bound": ((For(ITER, zero, ExternCall(IDX, (read_v, zero, n), type=INDEX), (Pass(),)),), "`idx` outside"),
    "stride in an index": (at(StrideExpr(X, 0, type=INDEX)), "`stride` where it may not stand"),
    "stride of a missing dimension": ((Check(op("==", StrideExpr(X, 3, type=INDEX), zero, BOOL)),), "of rank 1"),
    "whole buffer as value": (store(op("+", read_s, dense, F32)), "is used as a whole"),
    "window as value": (store(view(Interval(zero, n))), "a window inside an expression"),
    "stale shape": (call(whole(X, False, index_literal(3)), loose, read_s), "is out of date"),
    "point window": (call(dense, view(zero), read_s), "without intervals"),
    "window of wrong rank": (call(dense, view(Interval(zero, n), zero), read_s), "of wrong rank"),
    "window of wrong type": (call(dense, view(Interval(zero, n), rank=2), read_s), "has a wrong type"),
    "expression as location": (call(dense, loose, op("+", read_s, read_s, F32)), "is not a location"),
    "argument count": ((Call(CALLEE, (n,)),), "got 1 arguments, has 4"),
    "allocated window": ((Alloc(T, TensorType(F32, (n,), True), DRAM),), "an allocated window"),
    "no dimensions": ((Alloc(T, TensorType(F32, ()), DRAM),), "a tensor without dimensions"),
    "bad spelling": ((Alloc(Sym("a b"), F32, DRAM),), "'a b' is not an identifier"),
}


def test_a_checked_procedure_has_no_problems() -> None:
    assert problems(GOOD) == []
    assert problems(update(GOOD, body=call(dense, loose, read_s))) == []


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_invariant_is_named(name: str) -> None:
    body, message = BROKEN[name]
    found = problems(update(GOOD, body=body))
    assert any(message in problem for problem in found), found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: update(p, preds=(n,)), "an assertion has type index, not bool"),
        (lambda p: update(p, aliasable=("y",)), "aliasable names y"),
        (lambda p: update(p, args=(*p.args, update(p.args[0], name=Sym("n")))), "two formals share a spelling"),
        (lambda p: update(p, args=(update(p.args[0], mem=DRAM), *p.args[1:])), "data has a memory"),
    ],
)
def test_a_broken_head_is_named(change: Callable[[object], object], message: str) -> None:
    assert any(message in problem for problem in problems(change(GOOD)))  # type: ignore[arg-type]


def test_verify_lists_the_problems_and_shows_the_procedure() -> None:
    with pytest.raises(AssertionError, match=r"(?s)good is ill-formed:.*the body is empty.*def good"):
        verify(update(GOOD, body=()))


def test_a_well_formed_procedure_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    proc = parse_source("def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = sqrt(x[i]) * 2.0 + x[n - i - 1]\n")
    monkeypatch.setattr(verify_module, "show", lambda node: pytest.fail("messages are made where something is wrong only"))
    assert problems(proc) == []
