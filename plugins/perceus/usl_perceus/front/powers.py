"""`a ** b`: floats as the C library does it, integers by squaring, wrapping around. A negative exponent raises ValueError."""

from __future__ import annotations

from usl_core.errors import NOWHERE, Span
from usl_perceus import ir
from usl_perceus.front.block import Block
from usl_perceus.front.builtins import VALUE
from usl_perceus.front.instances import Instances
from usl_perceus.front.raising import raising
from usl_perceus.show import show_type

NEGATIVE = "the exponent is negative"
LARGEST_WRITTEN_OUT = 64
"""Constant exponents up to this become multiplications."""


def power(instances: Instances, base: ir.Atom, exponent: ir.Atom, type_: ir.Type, block: Block, span: Span) -> ir.Expr:
    """`base ** exponent`."""
    if isinstance(type_, ir.FloatType):
        return ir.Prim("pow", (base, exponent), type_, span=span)
    assert isinstance(type_, ir.IntType)
    if isinstance(exponent, ir.Lit) and isinstance(exponent.value, int):
        if exponent.value < 0:
            return raising(instances, VALUE, type_, span, NEGATIVE)
        if exponent.value <= LARGEST_WRITTEN_OUT:
            return _written_out(base, exponent.value, type_, block, span)
    call = ir.Call(_of(type_, instances), (ir.Lit(1, type_), base, exponent), type_, span=span)
    if not type_.signed:
        return call
    negative = block.atom(ir.Prim("lt", (exponent, ir.Lit(0, type_)), ir.BOOL, span=span), ir.BOOL, "negative", span)
    return ir.If(negative, raising(instances, VALUE, type_, span, NEGATIVE), call, span=span)


def _written_out(base: ir.Atom, exponent: int, type_: ir.IntType, block: Block, span: Span) -> ir.Expr:
    result: ir.Expr = ir.Ret(ir.Lit(1, type_), span=span)
    for digit in f"{exponent:b}" if exponent else "":
        half = block.atom(result, type_, "half", span)
        result = ir.Prim("mul", (half, half), type_, span=span)
        if digit == "1":
            result = ir.Prim("mul", (block.atom(result, type_, "square", span), base), type_, span=span)
    return result


def _of(type_: ir.IntType, instances: Instances) -> str:
    """The function of a type: `pow(so_far, base, exponent)` is so_far * base ** exponent."""
    name = instances.powers.get(type_)
    if name is None:
        name = instances.powers[type_] = instances.fresh(f"pow[{show_type(type_)}]")
        instances.derived.append(_function(name, type_))
    return name


def _function(name: str, type_: ir.IntType) -> ir.FunDef:
    so_far, base, exponent = params = tuple(ir.Var(each, type_) for each in ("so_far", "base", "exponent"))
    one, zero = ir.Lit(1, type_), ir.Lit(0, type_)
    block = Block()
    square = block.atom(ir.Prim("mul", (base, base), type_), type_, "square", NOWHERE)
    half = block.atom(ir.Prim("shr", (exponent, one), type_), type_, "half", NOWHERE)
    last = block.atom(ir.Prim("and", (exponent, one), type_), type_, "last", NOWHERE)
    odd = block.atom(ir.Prim("eq", (last, one), ir.BOOL), ir.BOOL, "odd", NOWHERE)
    more = Block()
    product = more.atom(ir.Prim("mul", (so_far, base), type_), type_, "product", NOWHERE)
    with_base = more.wrap(ir.Call(name, (product, square, half), type_))
    step = block.wrap(ir.If(odd, with_base, ir.Call(name, (so_far, square, half), type_)))
    start = Block()
    over = start.atom(ir.Prim("eq", (exponent, zero), ir.BOOL), ir.BOOL, "over", NOWHERE)
    body = start.wrap(ir.If(over, ir.Ret(so_far), step))
    return ir.FunDef(name, tuple(ir.Param(param) for param in params), type_, body)
