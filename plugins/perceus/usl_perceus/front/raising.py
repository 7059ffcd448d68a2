"""Exceptions of operators, which say what happened where."""

from __future__ import annotations

from usl_core.errors import Span, source_line
from usl_perceus import ir
from usl_perceus.front.definitions import ExceptionDef
from usl_perceus.front.instances import Instances


def raising(instances: Instances, exception: ExceptionDef, type_: ir.Type, span: Span, why: str) -> ir.Raise:
    """Raise an exception without fields; why is told with the source text."""
    text = source_line(span)
    if text is not None:
        shown = text[span.column - 1 : span.end_column - 1] if span.end_line == span.line else f"{text[span.column - 1 :]} ..."
        why = f"{why}: {shown}"
    return ir.Raise(ir.Nullary(instances.exception(exception)), type_, why, span=span)


def raised_here(
    instances: Instances, value: ir.Expr, type_: ir.Type, exception: ExceptionDef, span: Span, why: str
) -> ir.TryLet:
    """The value, which a function of the library gives; if that raises the exception, the place to name is this one."""
    given, caught = ir.Var("given", type_), ir.Var("exception", ir.EXN)
    here = ir.Branch(instances.exception(exception), (), raising(instances, exception, type_, span, why), span=span)
    handler = ir.Match(caught, (here,), ir.Raise(caught, type_, span=span), span=span)
    return ir.TryLet(given, value, ir.Ret(given, span=span), caught, handler, span=span)
