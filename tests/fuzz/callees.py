"""Small procedures that generated programs call, and whose bodies they also write out in place, as food for `replace`."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.fuzz.terms import compare, index_op, literal, num, reductions, usual_operation, var
from usl_core.ir.combining import OPERATORS, written_out
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import (
    Arg,
    Assign,
    BinaryOp,
    Block,
    Call,
    Expr,
    For,
    If,
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
from usl_core.ir.types import B8, INDEX, SIZE, ScalarType, TensorType


@dataclass(frozen=True)
class Callee:
    """proc has the formals (n if lanes is None), dst, src..., then one scalar if `scalar`; rank 1, all of one type.

    With `unused` come a size and a scalar that its body does not mention.
    """

    proc: Proc
    typ: ScalarType
    lanes: int | None
    sources: int
    scalar: bool
    windows: bool
    stride: int | None
    """What it asserts of the stride of dst."""
    unused: bool


def random_callee(rng: random.Random, typ: ScalarType, number: int) -> Callee:
    """`dst[i] op src[i] ...` over n elements, or over a fixed number of lanes as instructions have."""
    lanes = rng.choice((None, None, 2, 4))
    sources = rng.choice((0, 1, 1, 2))
    scalar = rng.random() < 0.4
    size, i, dst = Sym("n"), Sym("i"), Sym("dst")
    extent: Expr = var(size) if lanes is None else num(lanes)
    names = [Sym(f"src{k}") for k in range(sources)]
    value = _value(rng, typ, [Read(name, (var(i),), type=typ) for name in names], scalar_name := Sym("a"), scalar)
    op = usual_operation(typ) if rng.random() < 0.7 else rng.choice(reductions(typ))
    store: Assign | Reduce = Reduce(dst, (var(i),), value, op) if rng.random() < 0.5 else Assign(dst, (var(i),), value)
    window = TensorType(typ, (extent,), window=rng.random() < 0.9)
    formals = [Arg(size, SIZE)] if lanes is None else []
    formals += [Arg(name, TensorType(typ, (extent,), window.window), DRAM) for name in (dst, *names)]
    formals += [Arg(scalar_name, typ, DRAM)] if scalar else []
    unused = rng.random() < 0.15
    formals += [Arg(Sym("u"), SIZE), Arg(Sym("v"), typ, DRAM)] if unused else []
    stride = rng.choice((1, 1, 2, 4, 4, 4)) if window.window and rng.random() < 0.35 else None
    preds = (compare("==", StrideExpr(dst, 0, type=INDEX), num(stride)),) if stride else ()
    body = (For(i, num(0), extent, (store,)),)
    return Callee(
        Proc(f"callee{number}", tuple(formals), preds, body), typ, lanes, sources, scalar, window.window, stride, unused
    )


def _value(rng: random.Random, typ: ScalarType, reads: list[Read], scalar_name: Sym, scalar: bool) -> Expr:
    parts: list[Expr] = [*reads]
    if scalar:
        parts.append(Read(scalar_name, (), type=typ))
    if not parts:
        return literal(typ, rng.choice((0, 1)))
    value = parts[0]
    for part in parts[1:]:
        value = BinaryOp(rng.choice("&|^" if typ == B8 else "+*-"), value, part, type=typ)
    return value


def inlined(call: Call) -> Block:
    """The body of a call of a `callees` procedure with windows substituted by hand (rank 1, one loop, one statement)."""
    env = {formal.name: arg for formal, arg in zip(call.proc.args, call.args, strict=True)}
    control = {name: arg for name, arg in env.items() if arg.type is INDEX}
    block = with_fresh_binders(call.proc.body)
    return tuple(_redirect(substitute(stmt, control), env) for stmt in block)


def in_another_form(rng: random.Random, block: Block, size: Sym | None, lanes: int | None) -> Block:
    """The block with operands in another order, sums into their own target by `=`, and where lanes is the value of size, loops
    up to size: what `replace` sees through."""

    def rule(node: Node) -> Node | None:
        match node:
            case BinaryOp(op=op, type=ScalarType()) if op in OPERATORS and rng.random() < 0.3:
                return update(node, lhs=node.rhs, rhs=node.lhs)
            case Reduce(name=name, idx=idx) if rng.random() < 0.3:
                return Assign(name, idx, written_out(node))
            case For(hi=Literal(value=value)) if size is not None and value == lanes:
                return update(node, hi=var(size))
            case _:
                return None

    found = tuple(rewrite(stmt, rule) for stmt in block)
    return found if size is None or lanes is None else (If(compare("==", var(size), num(lanes)), found),)


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
