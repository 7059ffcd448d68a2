"""The order of data: that of the program if it has one (`@order`), else constructors in the order of their declaration, then
fields from left to right; for each type that `<` compares a function that borrows both values and gives -1, 0 or 1."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import NOWHERE, Span
from usl_perceus import ir
from usl_perceus.front.block import Block
from usl_perceus.front.derived import Comparison, Pair, add, compared, elements, fields, next_round
from usl_perceus.front.equality import is_scalar
from usl_perceus.front.instances import Instances

_LESS, _SAME, _MORE = (ir.Lit(value, ir.I64) for value in (-1, 0, 1))


def order(instances: Instances, left: ir.Atom, right: ir.Atom, span: Span) -> ir.Expr:
    """How two values of one type compare. Neither is consumed; that the type has an order is known."""
    type_ = left.type
    own = instances.own("order", type_)
    if own is not None:
        return ir.Call(own, (left, right), ir.I64, span=span)
    if isinstance(type_, ir.UnitType):
        return ir.Ret(_SAME, span=span)
    if is_scalar(type_, instances) or isinstance(type_, ir.StrType):
        op = "str_lt" if isinstance(type_, ir.StrType) else "lt"
        block, inner = Block(), Block()
        less = block.atom(ir.Prim(op, (left, right), ir.BOOL, span=span), ir.BOOL, "less", span)
        more = inner.atom(ir.Prim(op, (right, left), ir.BOOL, span=span), ir.BOOL, "more", span)
        other = inner.wrap(ir.If(more, ir.Ret(_MORE, span=span), ir.Ret(_SAME, span=span), span=span))
        return block.wrap(ir.If(less, ir.Ret(_LESS, span=span), other, span=span))
    return compared(instances, _ORDER, left, right, span)


def _of_data(decl: ir.DataDecl, left: ir.Var, right: ir.Var, instances: Instances) -> ir.Expr:
    """`match a { C(xs) -> match b { B(_) -> 1; C(ys) -> order of the fields; _ -> -1 } ... }`"""
    return ir.Match(left, tuple(_branch(con, decl.cons, right, instances) for con in decl.cons))


def _branch(con: ir.Con, cons: Sequence[ir.Con], right: ir.Var, instances: Instances) -> ir.Branch:
    """Left was made by con."""
    pairs = fields(con)
    before = [ir.Branch(each, _unused(each), ir.Ret(_MORE)) for each in cons[: con.tag]]
    same = ir.Branch(con, tuple(y for _, y in pairs), _of_fields(pairs, instances))
    after = ir.Ret(_LESS) if con.tag + 1 < len(cons) else None
    return ir.Branch(con, tuple(x for x, _ in pairs), ir.Match(right, (*before, same), after))


def _unused(con: ir.Con) -> tuple[ir.Var, ...]:
    return tuple(ir.Var(f"field{i}", type_) for i, (_, type_) in enumerate(con.fields))


def _of_fields(pairs: Sequence[Pair], instances: Instances) -> ir.Expr:
    if not pairs:
        return ir.Ret(_SAME)
    (x, y), *rest = pairs
    found = order(instances, x, y, NOWHERE)
    return _first(found, _of_fields(rest, instances)) if rest else found


def _first(found: ir.Expr, otherwise: ir.Expr) -> ir.Expr:
    """found if it is not 0, else otherwise."""
    block = Block()
    so_far = block.atom(found, ir.I64, "order", NOWHERE)
    same = block.atom(ir.Prim("eq", (so_far, _SAME), ir.BOOL), ir.BOOL, "same", NOWHERE)
    return block.wrap(ir.If(same, otherwise, ir.Ret(so_far)))


def _of_arrays(name: str, left: ir.Var, right: ir.Var, instances: Instances) -> ir.Expr:
    """The first elements that differ decide, else the lengths."""
    loop = instances.fresh(f"{name}.from")
    _add_loop(loop, left.type, instances)
    return ir.Call(loop, (left, right, ir.Lit(0, ir.I64)), ir.I64)


def _add_loop(name: str, type_: ir.Type, instances: Instances) -> None:
    """The order of the elements from i on, and of the lengths."""
    params = left, right, i = ir.Var("a", type_), ir.Var("b", type_), ir.Var("i", ir.I64)
    start, block = Block(), Block()
    length, other = (start.atom(ir.Prim("array_len", (array,), ir.I64), ir.I64, "length", NOWHERE) for array in (left, right))
    in_left, in_right = (
        start.atom(ir.Prim("lt", (i, limit), ir.BOOL), ir.BOOL, "inside", NOWHERE) for limit in (length, other)
    )
    inside = start.atom(ir.Prim("and", (in_left, in_right), ir.BOOL), ir.BOOL, "inside", NOWHERE)
    here = order(instances, *elements(left, right, i, block), NOWHERE)
    both = block.wrap(_first(here, next_round(_ORDER, name, params)))
    add(instances, _ORDER, name, params, start.wrap(ir.If(inside, both, order(instances, length, other, NOWHERE))))


_ORDER = Comparison("order", ir.I64, _of_data, _of_arrays)
