"""Equality of data by structure: for each type that `==` compares, a function that borrows both values."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import NOWHERE, Span
from usl_perceus import ir
from usl_perceus.front.block import Block
from usl_perceus.front.derived import Comparison, Pair, add, compared, elements, fields, next_round
from usl_perceus.front.instances import Instances
from usl_perceus.show import show_type

_YES = ir.Nullary(ir.TRUE)
_NO = ir.Nullary(ir.FALSE)


def is_scalar(type_: ir.Type, instances: Instances) -> bool:
    """Whether values of the type are compared by one primitive, which tells `!=` as well."""
    match type_:
        case ir.DataType(name=name):
            return instances.datas[name].layout is ir.Layout.ENUM
        case _:
            return isinstance(type_, ir.IntType | ir.FloatType)


def equal(instances: Instances, left: ir.Atom, right: ir.Atom, span: Span) -> ir.Expr:
    """Whether two values of one type are equal. Neither is consumed; that the type has an equality is known."""
    type_ = left.type
    own = instances.own("equality", type_)
    if own is not None:
        return ir.Call(own, (left, right), ir.BOOL, span=span)
    if is_scalar(type_, instances):
        return ir.Prim("eq", (left, right), ir.BOOL, span=span)
    match type_:
        case ir.UnitType():
            return ir.Ret(_YES, span=span)
        case ir.StrType():
            return ir.Prim("str_eq", (left, right), ir.BOOL, span=span)
        case ir.DataType():
            for constant, other in ((left, right), (right, left)):
                if isinstance(constant, ir.Nullary) and isinstance(other, ir.Var):
                    is_it = ir.Branch(constant.con, (), ir.Ret(_YES, span=span), span=span)
                    return ir.Match(other, (is_it,), ir.Ret(_NO, span=span), span=span)
            return compared(instances, _EQUALITY, left, right, span)
        case ir.ArrayType():
            return compared(instances, _EQUALITY, left, right, span)
        case _:
            raise AssertionError(f"{show_type(type_)} has no equality")


# -- data


def _of_data(decl: ir.DataDecl, left: ir.Var, right: ir.Var, instances: Instances) -> ir.Expr:
    """`match a { C(xs) -> match b { C(ys) -> xs == ys; _ -> False } ... }`"""
    return ir.Match(left, tuple(_branch(con, right, len(decl.cons) > 1, instances) for con in decl.cons))


def _branch(con: ir.Con, right: ir.Var, others: bool, instances: Instances) -> ir.Branch:
    """Left was made by con. others: whether right may be made by another constructor."""
    pairs = fields(con)
    same = ir.Branch(con, tuple(y for _, y in pairs), _all_equal(_in_order(pairs, con), instances))
    return ir.Branch(con, tuple(x for x, _ in pairs), ir.Match(right, (same,), ir.Ret(_NO) if others else None))


def _in_order(pairs: Sequence[Pair], con: ir.Con) -> list[Pair]:
    """What is compared at once comes first, what calls the function again last: there it is a jump."""

    def rank(pair: Pair) -> int:
        match pair[0].type:
            case ir.IntType() | ir.FloatType() | ir.UnitType():
                return 0
            case ir.StrType():
                return 1
            case type_:
                return 3 if type_ == con.type else 2

    return sorted(pairs, key=rank)


def _all_equal(pairs: Sequence[Pair], instances: Instances) -> ir.Expr:
    if not pairs:
        return ir.Ret(_YES)
    (x, y), *rest = pairs
    if not rest:
        return equal(instances, x, y, NOWHERE)
    block = Block()
    test = block.atom(equal(instances, x, y, NOWHERE), ir.BOOL, "same", NOWHERE)
    return block.wrap(ir.If(test, _all_equal(rest, instances), ir.Ret(_NO)))


# -- arrays


def _of_arrays(name: str, left: ir.Var, right: ir.Var, instances: Instances) -> ir.Expr:
    """Equal lengths and equal elements; these are compared by a loop."""
    loop = instances.fresh(f"{name}.from")
    block = Block()
    length = block.atom(ir.Prim("array_len", (left,), ir.I64), ir.I64, "length", NOWHERE)
    other = block.atom(ir.Prim("array_len", (right,), ir.I64), ir.I64, "other", NOWHERE)
    test = block.atom(ir.Prim("eq", (length, other), ir.BOOL), ir.BOOL, "same", NOWHERE)
    all_of_them = ir.Call(loop, (left, right, ir.Lit(0, ir.I64), length), ir.BOOL)
    _add_loop(loop, left.type, instances)
    return block.wrap(ir.If(test, all_of_them, ir.Ret(_NO)))


def _add_loop(name: str, type_: ir.Type, instances: Instances) -> None:
    """Whether the elements from i on are equal."""
    params = left, right, i, length = (ir.Var("a", type_), ir.Var("b", type_), ir.Var("i", ir.I64), ir.Var("length", ir.I64))
    start, block = Block(), Block()
    same = block.atom(equal(instances, *elements(left, right, i, block), NOWHERE), ir.BOOL, "same", NOWHERE)
    rest = block.wrap(ir.If(same, next_round(_EQUALITY, name, params), ir.Ret(_NO)))
    done = start.atom(ir.Prim("ge", (i, length), ir.BOOL), ir.BOOL, "done", NOWHERE)
    add(instances, _EQUALITY, name, params, start.wrap(ir.If(done, ir.Ret(_YES), rest)))


_EQUALITY = Comparison("eq", ir.BOOL, _of_data, _of_arrays)
