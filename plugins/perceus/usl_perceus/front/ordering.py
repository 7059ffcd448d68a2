"""The order of data: that of the program if it has one (`@order`), else constructors in the order of their declaration, then
fields from left to right; for each type that `<` compares a function that borrows both values and gives -1, 0 or 1."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import NOWHERE, Span
from usl_perceus import ir
from usl_perceus.front.block import Block
from usl_perceus.front.equality import is_scalar
from usl_perceus.front.instances import Instances
from usl_perceus.show import show_type

_LESS, _SAME, _MORE = (ir.Lit(value, ir.I64) for value in (-1, 0, 1))


def order(instances: Instances, left: ir.Atom, right: ir.Atom, span: Span) -> ir.Expr:
    """How two values of one type compare. Neither is consumed; that the type has an order is known."""
    type_ = left.type
    own = instances.own_order(type_)
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
    assert isinstance(type_, ir.DataType | ir.ArrayType), f"{show_type(type_)} has no order"
    return ir.Call(_of(type_, instances), (left, right), ir.I64, span=span)


def _of(type_: ir.DataType | ir.ArrayType, instances: Instances) -> str:
    """The name of the function that compares values of a type, which is made if there is none yet."""
    name = instances.orders.get(type_)
    if name is None:
        name = instances.orders[type_] = instances.fresh(f"order[{show_type(type_)}]")
        if isinstance(type_, ir.ArrayType):
            _add_of_arrays(name, type_, instances)
        else:
            _add_of_data(name, type_, instances)
    return name


def _add(name: str, params: Sequence[ir.Var], body: ir.Expr, instances: Instances, span: Span = NOWHERE) -> None:
    made = tuple(ir.Param(param, borrowed=True) for param in params)
    instances.derived.append(ir.FunDef(name, made, ir.I64, body, span=span))


def _add_of_data(name: str, type_: ir.DataType, instances: Instances) -> None:
    """`match a { C(xs) -> match b { B(_) -> 1; C(ys) -> order of the fields; _ -> -1 } ... }`"""
    decl = instances.datas[type_.name]
    left, right = ir.Var("a", type_), ir.Var("b", type_)
    branches = tuple(_branch(con, decl.cons, right, instances) for con in decl.cons)
    _add(name, (left, right), ir.Match(left, branches), instances, decl.span)


def _branch(con: ir.Con, cons: Sequence[ir.Con], right: ir.Var, instances: Instances) -> ir.Branch:
    """Left was made by con."""
    pairs = [(ir.Var(f"x{i}", type_), ir.Var(f"y{i}", type_)) for i, (_, type_) in enumerate(con.fields)]
    before = [ir.Branch(each, _unused(each), ir.Ret(_MORE)) for each in cons[: con.tag]]
    same = ir.Branch(con, tuple(y for _, y in pairs), _fields(pairs, instances))
    after = ir.Ret(_LESS) if con.tag + 1 < len(cons) else None
    return ir.Branch(con, tuple(x for x, _ in pairs), ir.Match(right, (*before, same), after))


def _unused(con: ir.Con) -> tuple[ir.Var, ...]:
    return tuple(ir.Var(f"field{i}", type_) for i, (_, type_) in enumerate(con.fields))


def _fields(pairs: Sequence[tuple[ir.Var, ir.Var]], instances: Instances) -> ir.Expr:
    if not pairs:
        return ir.Ret(_SAME)
    (x, y), *rest = pairs
    if not rest:
        return order(instances, x, y, NOWHERE)
    return _first(order(instances, x, y, NOWHERE), _fields(rest, instances))


def _first(found: ir.Expr, otherwise: ir.Expr) -> ir.Expr:
    """found if it is not 0, else otherwise."""
    block = Block()
    so_far = block.atom(found, ir.I64, "order", NOWHERE)
    same = block.atom(ir.Prim("eq", (so_far, _SAME), ir.BOOL), ir.BOOL, "same", NOWHERE)
    return block.wrap(ir.If(same, otherwise, ir.Ret(so_far)))


def _add_of_arrays(name: str, type_: ir.ArrayType, instances: Instances) -> None:
    """The first elements that differ decide, else the lengths."""
    loop = instances.fresh(f"{name}.from")
    left, right = ir.Var("a", type_), ir.Var("b", type_)
    _add(name, (left, right), ir.Call(loop, (left, right, ir.Lit(0, ir.I64)), ir.I64), instances)
    params = left, right, i = ir.Var("a", type_), ir.Var("b", type_), ir.Var("i", ir.I64)
    start, block, step = Block(), Block(), Block()
    length, other = (start.atom(ir.Prim("array_len", (array,), ir.I64), ir.I64, "length", NOWHERE) for array in (left, right))
    in_left, in_right = (
        start.atom(ir.Prim("lt", (i, limit), ir.BOOL), ir.BOOL, "inside", NOWHERE) for limit in (length, other)
    )
    inside = start.atom(ir.Prim("and", (in_left, in_right), ir.BOOL), ir.BOOL, "inside", NOWHERE)
    x, y = (block.atom(ir.Prim("array_get", (array, i), type_.elem), type_.elem, "x", NOWHERE) for array in (left, right))
    after = step.atom(ir.Prim("add", (i, ir.Lit(1, ir.I64)), ir.I64), ir.I64, "after", NOWHERE)
    again = step.wrap(ir.Call(loop, (left, right, after), ir.I64))
    compared = block.wrap(_first(order(instances, x, y, NOWHERE), again))
    _add(loop, params, start.wrap(ir.If(inside, compared, order(instances, length, other, NOWHERE))), instances)
