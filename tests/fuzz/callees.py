"""Small procedures that generated programs call, and whose bodies they also write out in place, as food for `replace`."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.fuzz.terms import compare, literal, num, var
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Arg, Assign, BinaryOp, Expr, For, Literal, Proc, Read, Reduce, StrideExpr
from usl_core.ir.sym import Sym
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
    unit_stride: bool


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
    unit = compare("==", StrideExpr(dst, 0, type=INDEX), Literal(1, type=INDEX))
    preds = (unit,) if window.window and rng.random() < 0.25 else ()
    body = (For(i, num(0), extent, (store,)),)
    return Callee(Proc(f"callee{number}", tuple(formals), preds, body), typ, lanes, sources, scalar, window.window, bool(preds))


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
