"""Hashes of data, the same for equal values: for each type a function that mixes what a value is made of into a number."""

from __future__ import annotations

from usl_core.errors import NOWHERE, Span
from usl_perceus import ir
from usl_perceus.front.block import Block
from usl_perceus.front.equality import is_scalar
from usl_perceus.front.instances import Instances
from usl_perceus.show import show_type


def mixed(instances: Instances, hash: ir.Atom, value: ir.Atom, span: Span = NOWHERE) -> ir.Expr:
    """hash, a u64, mixed with a value of a plain type, which is not consumed."""
    type_ = value.type
    own = instances.own("hash", type_)
    if own is not None:
        block = Block()
        found = block.atom(ir.Call(own, (value,), ir.U64, span=span), ir.U64, "hash", span)
        return block.wrap(ir.Prim("hash", (hash, found), ir.U64, span=span))
    if isinstance(type_, ir.UnitType):
        return ir.Ret(hash, span=span)
    if is_scalar(type_, instances) or isinstance(type_, ir.StrType):
        return ir.Prim("hash", (hash, value), ir.U64, span=span)
    assert isinstance(type_, ir.DataType | ir.ArrayType), f"{show_type(type_)} has no hash"
    return ir.Call(_of(type_, instances), (hash, value), ir.U64, span=span)


def _of(type_: ir.DataType | ir.ArrayType, instances: Instances) -> str:
    """The name of the function that mixes values of a type into a hash, which is made if there is none yet."""
    name = instances.hashes.get(type_)
    if name is None:
        name = instances.hashes[type_] = instances.fresh(f"hash[{show_type(type_)}]")
        hash, value = ir.Var("hash", ir.U64), ir.Var("x", type_)
        if isinstance(type_, ir.ArrayType):
            body, span = _of_array(name, hash, value, instances), NOWHERE
        else:
            decl = instances.datas[type_.name]
            body, span = (
                ir.Match(value, tuple(_branch(con, len(decl.cons) > 1, hash, instances) for con in decl.cons)),
                decl.span,
            )
        _add(instances, name, (hash, value), body, span)
    return name


def _add(instances: Instances, name: str, params: tuple[ir.Var, ...], body: ir.Expr, span: Span = NOWHERE) -> None:
    made = tuple(ir.Param(param, borrowed=True) for param in params)
    instances.derived.append(ir.FunDef(name, made, ir.U64, body, span=span))


def _branch(con: ir.Con, others: bool, hash: ir.Atom, instances: Instances) -> ir.Branch:
    """The number of the constructor, if there are others, then the fields."""
    fields = tuple(ir.Var(f"x{i}", type_) for i, (_, type_) in enumerate(con.fields))
    block = Block()
    if others:
        tag = ir.Prim("hash", (hash, ir.Lit(con.tag, ir.U64)), ir.U64)
        hash = block.atom(tag, ir.U64, "hash", NOWHERE)
    ordered = sorted(fields, key=lambda field: field.type == con.type)  # a call of the function itself at the end is a jump
    for field in ordered[:-1]:
        hash = block.atom(mixed(instances, hash, field), ir.U64, "hash", NOWHERE)
    return ir.Branch(con, fields, block.wrap(mixed(instances, hash, ordered[-1]) if ordered else ir.Ret(hash)))


def _of_array(name: str, hash: ir.Var, array: ir.Var, instances: Instances) -> ir.Expr:
    """The length, then the elements."""
    assert isinstance(array.type, ir.ArrayType)
    loop = instances.fresh(f"{name}.from")
    params = so_far, whole, i = ir.Var("hash", ir.U64), ir.Var("a", array.type), ir.Var("i", ir.I64)
    end, item, start = Block(), Block(), Block()
    count = end.atom(ir.Prim("array_len", (whole,), ir.I64), ir.I64, "length", NOWHERE)
    done = end.atom(ir.Prim("ge", (i, count), ir.BOOL), ir.BOOL, "done", NOWHERE)
    element = item.atom(ir.Prim("array_get", (whole, i), array.type.elem), array.type.elem, "x", NOWHERE)
    longer = item.atom(mixed(instances, so_far, element), ir.U64, "hash", NOWHERE)
    after = item.atom(ir.Prim("add", (i, ir.Lit(1, ir.I64)), ir.I64), ir.I64, "after", NOWHERE)
    again = item.wrap(ir.Call(loop, (longer, whole, after), ir.U64))
    _add(instances, loop, params, end.wrap(ir.If(done, ir.Ret(so_far), again)))
    length = start.atom(ir.Prim("array_len", (array,), ir.I64), ir.I64, "length", NOWHERE)
    first = start.atom(ir.Prim("hash", (hash, length), ir.U64), ir.U64, "hash", NOWHERE)
    return start.wrap(ir.Call(loop, (first, array, ir.Lit(0, ir.I64)), ir.U64))
