"""Annotations to types and memories: `size`, `f32`, `f32[n, 4] @ MEM`, `[f32][n, 4]`."""

from __future__ import annotations

import ast

from usl_core.errors import ParseError, TypeError_
from usl_core.frontend import statements
from usl_core.frontend.parse_expr import ExprParser
from usl_core.frontend.python_scope import unknown
from usl_core.ir.memory import MemoryClass
from usl_core.ir.types import CONTROLS, SCALARS, ScalarType, Type

_FORMS = "write a type as size, index, bool, f32, f32[n, 4], [f32][n, 4] (a window), each data type with @ MEMORY if not DRAM"


def parse_annotation(node: ast.expr, exprs: ExprParser) -> tuple[Type, MemoryClass | None]:
    """The type and, where it is written, the memory."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return parse_type(node.left, exprs), exprs.scope.memory(node.right)
    return parse_type(node, exprs), None


def parse_type(node: ast.expr, exprs: ExprParser) -> Type:
    """The type that an annotation says, with extents read in scope."""
    match node:
        case ast.Subscript(value=ast.List(elts=[element])):
            return _tensor(element, node, exprs, window=True)
        case ast.Subscript(value=element):
            return _tensor(element, node, exprs, window=False)
        case ast.Name() | ast.Attribute():
            found = exprs.scope.scalar(node) or exprs.scope.control(node)
            if found is not None:
                return found
            raise _no_type(node, exprs)
        case ast.Constant(value=str()):
            raise ParseError("a type may not stand in quotes", span=exprs.span(node), notes=(f"hint: {_FORMS}",))
        case _:
            raise ParseError(f"{ast.unparse(node)} is not a type", span=exprs.span(node), notes=(f"hint: {_FORMS}",))


def _tensor(element: ast.expr, node: ast.Subscript, exprs: ExprParser, *, window: bool) -> Type:
    scalar = exprs.scope.scalar(element)
    if scalar is None:
        if isinstance(element, ast.Name | ast.Attribute):
            raise _no_type(element, exprs)
        raise ParseError(f"{ast.unparse(node)} is not a type", span=exprs.span(node), notes=(f"hint: {_FORMS}",))
    shape = []
    for part in exprs.indices(node):
        if isinstance(part, ast.Slice):
            raise ParseError("a shape has extents, not intervals", span=exprs.span(part))
        shape.append(exprs.expr(part))
    if not shape:
        raise ParseError("a shape needs at least one extent", span=exprs.span(node))
    return statements.tensor_type(scalar, shape, window=window)


def _no_type(node: ast.expr, exprs: ExprParser) -> TypeError_:
    span, text = exprs.span(node), ast.unparse(node)
    if exprs.scope.control(node) is not None:
        data = "truth values are b8" if text == "bool" else "such as f32"
        return TypeError_(f"{text} is a control type; buffers hold data, {data}", span=span)
    python = {"int": "index, or a data type such as i32", "float": "f32 or f64", "double": "f64"}
    if text in python:
        return TypeError_(f"unknown type {text}; write {python[text]}", span=span)
    scalars = [name for name, value in exprs.scope.names.items() if isinstance(value, ScalarType)]
    return unknown(text, "type", [*SCALARS, *CONTROLS, *scalars], span)
