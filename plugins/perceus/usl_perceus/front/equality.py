"""Equality of data by structure: for each type that `==` compares, a function that borrows both values."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import NOWHERE, Span
from usl_perceus import ir
from usl_perceus.front.block import Block
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
            return ir.Call(_of(type_, instances), (left, right), ir.BOOL, span=span)
        case ir.ArrayType():
            return ir.Call(_of(type_, instances), (left, right), ir.BOOL, span=span)
        case _:
            raise AssertionError(f"{show_type(type_)} has no equality")


def _of(type_: ir.DataType | ir.ArrayType, instances: Instances) -> str:
    """The name of the function that compares values of a type, which is made if there is none yet."""
    name = instances.equalities.get(type_)
    if name is None:
        name = instances.equalities[type_] = instances.fresh(f"eq[{show_type(type_)}]")
        if isinstance(type_, ir.ArrayType):
            _add_of_arrays(name, type_, instances)
        else:
            _add_of_data(name, type_, instances)
    return name


def _add(name: str, params: Sequence[ir.Var], body: ir.Expr, instances: Instances, span: Span = NOWHERE) -> None:
    made = tuple(ir.Param(param, borrowed=True) for param in params)
    instances.derived.append(ir.FunDef(name, made, ir.BOOL, body, span=span))


# -- data


def _add_of_data(name: str, type_: ir.DataType, instances: Instances) -> None:
    """`match a { C(xs) -> match b { C(ys) -> xs == ys; _ -> False } ... }`"""
    decl = instances.datas[type_.name]
    left, right = ir.Var("a", type_), ir.Var("b", type_)
    branches = tuple(_branch(con, right, len(decl.cons) > 1, instances) for con in decl.cons)
    _add(name, (left, right), ir.Match(left, branches), instances, decl.span)


def _branch(con: ir.Con, right: ir.Var, others: bool, instances: Instances) -> ir.Branch:
    """Left was made by con. others: whether right may be made by another constructor."""
    fields = tuple((ir.Var(f"x{i}", type_), ir.Var(f"y{i}", type_)) for i, (_, type_) in enumerate(con.fields))
    same = ir.Branch(con, tuple(y for _, y in fields), _all_equal(_in_order(fields, con), instances))
    return ir.Branch(con, tuple(x for x, _ in fields), ir.Match(right, (same,), ir.Ret(_NO) if others else None))


Pair = tuple[ir.Var, ir.Var]


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


def _add_of_arrays(name: str, type_: ir.ArrayType, instances: Instances) -> None:
    """Equal lengths and equal elements; these are compared by a loop."""
    loop = instances.fresh(f"{name}.from")
    left, right = ir.Var("a", type_), ir.Var("b", type_)
    block = Block()
    length = block.atom(ir.Prim("array_len", (left,), ir.I64), ir.I64, "length", NOWHERE)
    other = block.atom(ir.Prim("array_len", (right,), ir.I64), ir.I64, "other", NOWHERE)
    test = block.atom(ir.Prim("eq", (length, other), ir.BOOL), ir.BOOL, "same", NOWHERE)
    elements = ir.Call(loop, (left, right, ir.Lit(0, ir.I64), length), ir.BOOL)
    _add(name, (left, right), block.wrap(ir.If(test, elements, ir.Ret(_NO))), instances)
    _add_loop(loop, type_, instances)


def _add_loop(name: str, type_: ir.ArrayType, instances: Instances) -> None:
    """Whether the elements from i on are equal."""
    params = left, right, i, length = (ir.Var("a", type_), ir.Var("b", type_), ir.Var("i", ir.I64), ir.Var("length", ir.I64))
    block = Block()
    x, y = (block.atom(ir.Prim("array_get", (array, i), type_.elem), type_.elem, "x", NOWHERE) for array in (left, right))
    same = block.atom(equal(instances, x, y, NOWHERE), ir.BOOL, "same", NOWHERE)
    step = Block()
    after = step.atom(ir.Prim("add", (i, ir.Lit(1, ir.I64)), ir.I64), ir.I64, "after", NOWHERE)
    again = step.wrap(ir.Call(name, (left, right, after, length), ir.BOOL))
    compared = block.wrap(ir.If(same, again, ir.Ret(_NO)))
    start = Block()
    done = start.atom(ir.Prim("ge", (i, length), ir.BOOL), ir.BOOL, "done", NOWHERE)
    _add(name, params, start.wrap(ir.If(done, ir.Ret(_YES), compared)), instances)
