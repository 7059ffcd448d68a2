"""Values from the form that their own type has to the one that all types share (`uniform.py`), and back.

A reference is `ANY` as it is; numbers, enumerations and structs get a block of their own. The parts of tuples and the
parameters and results of functions change their form too, so that all values of one type have the same form as `ANY`.
"""

from __future__ import annotations

from usl_core.errors import Span
from usl_perceus import ir
from usl_perceus.errors import PerceusError
from usl_perceus.front.block import Block
from usl_perceus.front.instances import Instances
from usl_perceus.show import show_type


def coerced(instances: Instances, atom: ir.Atom, to: ir.Type, block: Block, span: Span) -> ir.Atom:
    """The same value in the form of the type to, made in block.

    Raises:
        PerceusError: it cannot change its form, as an array cannot.
    """
    if atom.type == to:
        return atom
    if to == ir.ANY:
        return _boxed(instances, atom, block, span)
    if atom.type == ir.ANY:
        return _unboxed(instances, atom, to, block, span)
    match atom.type, to:
        case ir.DataType(name=source), ir.DataType(name=target) if {source, target} <= instances.tuples:
            return _tuple(instances, atom, to, block, span)
        case ir.FunType(), ir.FunType():
            return _function(instances, atom, to, block, span)
        case ir.DataType(name=source), ir.DataType(name=target) if source in instances.outside or target in instances.outside:
            return _retyped(atom, to, block, span)
    message = f"a value of type {show_type(atom.type)} cannot become one of type {show_type(to)}"
    raise PerceusError(message, span=span, notes=(WHY,), code="E727")


WHY = (
    "a function or type uses itself at ever larger types, so that values of its type variables are kept in a form of their own"
)


def _retyped(atom: ir.Atom, to: ir.Type, block: Block, span: Span) -> ir.Atom:
    return block.atom(ir.Prim("retype", (atom,), to, span=span), to, "value", span)


def _is_reference(type_: ir.Type, instances: Instances) -> bool:
    match type_:
        case ir.DataType(name=name):
            return instances.datas[name].layout is ir.Layout.BOXED
        case ir.StrType() | ir.RefType() | ir.ArrayType() | ir.ThreadType():
            return True
        case _:
            return False


def _boxed(instances: Instances, atom: ir.Atom, block: Block, span: Span) -> ir.Atom:
    common = instances.common(atom.type)
    if common is not None:
        atom = coerced(instances, atom, common, block, span)
    if isinstance(atom.type, ir.FunType) or _is_reference(atom.type, instances):
        return _retyped(atom, ir.ANY, block, span)
    con = instances.box(atom.type)
    made = block.atom(ir.MakeCon(con, (atom,), span=span), con.type, "box", span)
    return _retyped(made, ir.ANY, block, span)


def _unboxed(instances: Instances, atom: ir.Atom, to: ir.Type, block: Block, span: Span) -> ir.Atom:
    own = instances.common(to) or to
    if isinstance(own, ir.FunType) or _is_reference(own, instances):
        return coerced(instances, _retyped(atom, own, block, span), to, block, span)
    con = instances.box(own)
    box, content = ir.Var("box", con.type), ir.Var("value", own)
    block.bind(box, ir.Prim("retype", (atom,), con.type, span=span), span)
    block.open(box, con, (content,), span)
    return coerced(instances, content, to, block, span)


def _tuple(instances: Instances, atom: ir.Atom, to: ir.Type, block: Block, span: Span) -> ir.Atom:
    own, other = instances.tuple_con(atom.type), instances.tuple_con(to)
    items = tuple(ir.Var(f"item{i}", type_) for i, (_, type_) in enumerate(own.fields))
    block.open(block.variable(atom, span), own, items, span)
    args = tuple(coerced(instances, item, type_, block, span) for item, (_, type_) in zip(items, other.fields, strict=True))
    return block.atom(ir.MakeCon(other, args, span=span), to, "pair", span)


def _function(instances: Instances, atom: ir.Atom, to: ir.FunType, block: Block, span: Span) -> ir.Atom:
    """A closure that changes the form of its arguments and of the result."""
    assert isinstance(atom.type, ir.FunType)
    params = tuple(ir.Var(f"arg{i}", type_) for i, type_ in enumerate(to.params))
    inner = Block()
    args = tuple(coerced(instances, param, type_, inner, span) for param, type_ in zip(params, atom.type.params, strict=True))
    call = ir.CallClosure(atom, args, atom.type.result, span=span)
    last = coerced_value(instances, call, atom.type.result, to.result, inner, span)
    body = inner.wrap(last)
    captures = (atom,) if isinstance(atom, ir.Var) else ()
    return block.atom(ir.Lambda(captures, params, to.result, body, to.throws, span=span), to, "function", span)


def coerced_value(instances: Instances, value: ir.Expr, type_: ir.Type, to: ir.Type, block: Block, span: Span) -> ir.Expr:
    """The value of an expression of type_ in another form; block evaluates it if that changes."""
    if type_ == to:
        return value
    return ir.Ret(coerced(instances, block.atom(value, type_, "result", span), to, block, span), span=span)
