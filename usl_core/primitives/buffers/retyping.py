"""Expressions at other precisions: what happens to a computation when the type of a buffer in it changes.

All conversions among R and floating types are the identity on exact numbers, so that nothing here changes what a program means
in exact arithmetic; it changes where results are rounded, which is what a precision step is (docs/semantics.md, "Data values").
R is "not chosen yet": a conversion to R rounds nothing, and gives way as soon as its operation has one other type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from usl_core.ir import nodes as ir
from usl_core.ir.combining import may_reduce, spelt
from usl_core.ir.printer import literal_groups
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import rewrite, update, walk
from usl_core.ir.types import F32, F64, R, ScalarType, Type


def retype(node: ir.Node, elements: Mapping[Sym, ScalarType]) -> ir.Node | None:
    """node well typed again, where its children are (a rule for `rewrite_exprs`); None if it is already.

    elements gives the element type of every buffer.

    Raises:
        ValueError: a function takes no arguments of the new types.
    """
    match node:
        case ir.Assign(name=name, rhs=rhs) | ir.Reduce(name=name, rhs=rhs):
            if isinstance(node, ir.Reduce) and not may_reduce(node.op, elements[name]):
                raise ValueError(f"{spelt(node.op)} does not reduce {elements[name]} data")
            new = converted(rhs, elements[name])
            return None if new is rhs else update(node, rhs=new)
        case ir.AssignConfig(config=config, field=field, rhs=rhs):
            typ = config.fields[field].type
            new = converted(rhs, typ) if isinstance(typ, ScalarType) else rhs
            return None if new is rhs else update(node, rhs=new)
        case ir.Cast(type=typ, arg=arg) if is_real(typ) and arg.type == typ:
            return arg
        case ir.UnaryMinus(arg=arg) if is_real(arg.type):
            return _rebuilt(node, [arg])
        case ir.BinaryOp(lhs=lhs, rhs=rhs) if is_real(lhs.type):
            return _rebuilt(node, [lhs, rhs])
        case ir.ExternCall(args=args):
            return _call(node, args)
        case ir.NodeBase():  # nothing else has an operand that must have its type; `ir.verify` sees it if one has
            return None


def is_real(typ: object) -> bool:
    """Whether typ is R or a floating type."""
    return isinstance(typ, ScalarType) and typ.is_real


def converted(expr: ir.Expr, typ: ScalarType) -> ir.Expr:
    """expr as a value of type typ: itself, literals given that type, or a conversion."""
    if expr.type == typ or not is_real(typ):
        return expr
    bare = _bare(expr)
    if bare.type == typ:
        return bare
    return _adopted(bare, typ) if _only_literals(bare) else ir.Cast(bare, type=typ, span=bare.span)


def _rebuilt(node: ir.UnaryMinus | ir.BinaryOp, operands: Sequence[ir.Expr]) -> ir.Expr | None:
    new, typ = _unified(operands)
    result = typ if is_real(node.type) else node.type  # a comparison keeps its type
    if result == node.type and all(a is b for a, b in zip(new, operands, strict=True)):
        return None
    if isinstance(node, ir.UnaryMinus):
        return update(node, arg=new[0], type=result)
    return update(node, lhs=new[0], rhs=new[1], type=result)


def _call(node: ir.ExternCall, args: tuple[ir.Expr, ...]) -> ir.Expr | None:
    new = list(args)
    for group in literal_groups(node.fn, len(args)):
        operands = [args[position] for position in group.positions]
        if group.uniform and all(is_real(operand.type) for operand in operands):
            for position, operand in zip(group.positions, _unified(operands)[0], strict=True):
                new[position] = operand
    result = node.fn.result([arg.type for arg in new])
    if result != node.type and not (is_real(result) and is_real(node.type)):
        raise ValueError(f"{node.fn.name} gives {result} of the new type, and {node.type} is needed")
    if all(a is b for a, b in zip(new, args, strict=True)) and result == node.type:
        return None
    return update(node, args=tuple(new), type=result)


def _unified(operands: Sequence[ir.Expr]) -> tuple[list[ir.Expr], ScalarType]:
    """The operands at one type, the widest among them where they differ, and that type."""
    bare = [_bare(operand) for operand in operands]
    fixed = [operand for operand in bare if not _only_literals(operand)]
    typ = _widest({operand.type for operand in fixed or bare})
    if all(operand.type == typ for operand in operands):
        return list(operands), typ
    return [converted(operand, typ) for operand in bare], typ


def _widest(types: Iterable[Type]) -> ScalarType:
    """R if it is among them, else the float of most bits; of two different ones of 16 bits neither is, so f32."""
    scalars = {typ for typ in types if isinstance(typ, ScalarType)}
    if R in scalars:
        return R
    bits = max(typ.bits for typ in scalars)
    widest = [typ for typ in scalars if typ.bits == bits]
    if len(widest) == 1:
        return widest[0]
    return F32 if bits < F32.bits else F64


def _bare(expr: ir.Expr) -> ir.Expr:
    """expr without conversions to R, which round nothing."""
    while isinstance(expr, ir.Cast) and expr.type == R and is_real(expr.arg.type) and expr.arg.type != R:
        expr = expr.arg
    return expr


def _only_literals(expr: ir.Expr) -> bool:
    return all(isinstance(node, ir.Literal | ir.UnaryMinus | ir.BinaryOp) for node in walk(expr))


def _adopted(expr: ir.Expr, typ: ScalarType) -> ir.Expr:
    """An expression of literals only, at another type."""
    return rewrite(expr, lambda node: update(node, type=typ))
