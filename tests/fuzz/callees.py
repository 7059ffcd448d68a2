"""Small procedures that generated programs call, and whose bodies they also write out in place, as food for `replace`."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.fuzz.terms import compare, index_op, literal, num, var
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import (
    Arg,
    Assign,
    BinaryOp,
    Block,
    Call,
    Expr,
    For,
    Interval,
    Literal,
    Node,
    Proc,
    Read,
    Reduce,
    Stmt,
    StrideExpr,
    WindowExpr,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import rewrite, substitute, update, with_fresh_binders
from usl_core.ir.types import INDEX, SIZE, ScalarType, TensorType


@dataclass(frozen=True)
class Callee:
    """proc has the formals (n if lanes is None), dst, src..., then one scalar if `scalar`; rank 1, all of one type."""

    proc: Proc
    typ: ScalarType
    lanes: int | None
    sources: int
    scalar: bool
    windows: bool
    stride: int | None
    """What it asserts of the stride of dst."""


def random_callee(rng: random.Random, typ: ScalarType, number: int) -> Callee:
    """`dst[i] op src[i] ...` over n elements, or over a fixed number of lanes as instructions have."""
    lanes = rng.choice((None, None, 2, 4))
    sources = rng.choice((0, 1, 1, 2))
    scalar = rng.random() < 0.4
    size, i, dst = Sym("n"), Sym("i"), Sym("dst")
    extent: Expr = var(size) if lanes is None else num(lanes)
    names = [Sym(f"src{k}") for k in range(sources)]
    value = _value(rng, typ, [Read(name, (var(i),), type=typ) for name in names], scalar_name := Sym("a"), scalar)
    store = (Reduce if rng.random() < 0.5 else Assign)(dst, (var(i),), value)
    window = TensorType(typ, (extent,), window=rng.random() < 0.9)
    formals = [Arg(size, SIZE)] if lanes is None else []
    formals += [Arg(name, TensorType(typ, (extent,), window.window), DRAM) for name in (dst, *names)]
    formals += [Arg(scalar_name, typ, DRAM)] if scalar else []
    stride = rng.choice((1, 1, 2, 4, 4, 4)) if window.window and rng.random() < 0.35 else None
    preds = (compare("==", StrideExpr(dst, 0, type=INDEX), num(stride)),) if stride else ()
    body = (For(i, num(0), extent, (store,)),)
    return Callee(Proc(f"callee{number}", tuple(formals), preds, body), typ, lanes, sources, scalar, window.window, stride)


def _value(rng: random.Random, typ: ScalarType, reads: list[Read], scalar_name: Sym, scalar: bool) -> Expr:
    parts: list[Expr] = [*reads]
    if scalar:
        parts.append(Read(scalar_name, (), type=typ))
    if not parts:
        return literal(typ, rng.choice((0, 1)))
    value = parts[0]
    for part in parts[1:]:
        value = BinaryOp(rng.choice("+*-"), value, part, type=typ)
    return value


def inlined(call: Call) -> Block:
    """The body of a call of a `callees` procedure with windows substituted by hand (rank 1, one loop, one statement)."""
    env = {formal.name: arg for formal, arg in zip(call.proc.args, call.args, strict=True)}
    control = {name: arg for name, arg in env.items() if arg.type is INDEX}
    block = with_fresh_binders(call.proc.body)
    return tuple(_redirect(substitute(stmt, control), env) for stmt in block)


def _redirect(stmt: Stmt, env: dict[Sym, Expr]) -> Stmt:
    def place(name: Sym, idx: tuple[Expr, ...]) -> tuple[Sym, tuple[Expr, ...]]:
        target = env[name]
        if isinstance(target, Read):
            return target.name, target.idx or idx
        assert isinstance(target, WindowExpr)
        point = iter(idx)
        return target.name, tuple(
            (next(point) if _is_zero(e.lo) else index_op("+", next(point), e.lo)) if isinstance(e, Interval) else e
            for e in target.idx
        )

    def rule(node: Node) -> Node | None:
        if not isinstance(node, (Read, Assign, Reduce)) or node.name not in env:
            return None
        target = env[node.name]
        if isinstance(target, Literal):
            return target
        name, idx = place(node.name, node.idx)
        return update(node, name=name, idx=idx)

    return rewrite(stmt, rule)


def _is_zero(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.value == 0
