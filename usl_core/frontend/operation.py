"""The text of an operation of reductions: a `def` of two scalars of one type that returns a data expression."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from usl_core.errors import ParseError, TypeError_
from usl_core.frontend import literals, operators
from usl_core.frontend.parse_expr import ExprParser
from usl_core.frontend.parse_types import parse_annotation
from usl_core.frontend.python_scope import PythonScope, function_scope
from usl_core.frontend.scope import Binding
from usl_core.frontend.source import parse_definition
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Literal, ReadConfig
from usl_core.ir.operation import Operation
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import walk
from usl_core.ir.types import ScalarType


def parse_operation(
    fn: Callable[..., Any], identity: object, idempotent: bool, locals: Mapping[str, Any] | None = None
) -> Operation:
    """What fn declares, not proved yet.

    Raises:
        ParseError: it is not of the form `def op(a: T, b: T): return e`.
        TypeError_: e, or identity, is not of the type T.
    """
    source, node = parse_definition(fn)
    form = "an operation is written def op(a: f32, b: f32): return e"
    if not isinstance(node, ast.FunctionDef) or len(node.args.args) != 2:
        raise ParseError(form, span=source.head(node))
    body = [stmt for stmt in node.body if not (isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant))]
    if not (len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None):
        raise ParseError(form, span=source.head(node))
    env: dict[str, Binding] = {}
    exprs = ExprParser(source, PythonScope(function_scope(fn, locals), source), env)
    for arg in node.args.args:
        if arg.annotation is None:
            raise ParseError(f"argument {arg.arg} needs a type, such as {arg.arg}: f32", span=source.span(arg))
        typ, _ = parse_annotation(arg.annotation, exprs)
        if not isinstance(typ, ScalarType):
            raise TypeError_(f"argument {arg.arg} of an operation is one element of data", span=source.span(arg))
        env[arg.arg] = Binding(Sym(arg.arg), typ, DRAM)
    first, second = (env[arg.arg] for arg in node.args.args)
    if first.scalar != second.scalar:
        message = f"both arguments of an operation have one type, got {first.scalar} and {second.scalar}"
        raise TypeError_(message, span=source.head(node))
    value = operators.adopt(exprs.expr(body[0].value), first.scalar, f"the result of {node.name}")
    state = next((node for node in walk(value) if isinstance(node, ReadConfig)), None)
    if state is not None:
        raise ParseError("an operation depends on its arguments only, not on configuration", span=state.span)
    neutral = None if identity is None else operators.adopt(literals.literal(identity), first.scalar, "the identity")
    assert neutral is None or isinstance(neutral, Literal)
    text, formals = show_expr(value), (first.sym, second.sym)
    return Operation(node.name, first.scalar, formals, value, text, neutral, idempotent, proved=False)
