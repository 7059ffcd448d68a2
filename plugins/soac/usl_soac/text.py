"""The text of a function as Python's syntax tree, with places, and the refusal of what is not in the language."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from usl_core.errors import ParseError, Span
from usl_core.frontend.source import Source, parse_definition, parse_text
from usl_soac.errors import SoacError

NOT_IN_LANGUAGE, ILL_TYPED, SIZE_UNKNOWN = "E760", "E761", "E763"


PROMISES = ("sliced", "interleaved", "static_sizes", "checked_once", "no_alloc")
"""What may stand above `@soac`."""


def promises(node: ast.FunctionDef) -> set[str]:
    """The names above `@soac`."""
    return {each.id for each in node.decorator_list if isinstance(each, ast.Name)} - {"soac"}


def refuse(message: str, span: Span | None, *notes: str, code: str = NOT_IN_LANGUAGE) -> SoacError:
    """The error for a mistake at a place."""
    return SoacError(message, span=span, notes=notes, code=code)


def ill_typed(message: str, span: Span | None, *notes: str) -> SoacError:
    """E761: types, arity, unknown names."""
    return SoacError(message, span=span, notes=notes, code=ILL_TYPED)


def definition(function: Any) -> tuple[Source, ast.FunctionDef]:
    """The syntax tree of a decorated function.

    Raises:
        SoacError: its text cannot be found, or it is not a `def`.
    """
    try:
        source, node = parse_definition(function)
    except ParseError as error:
        notes = ("hint: define it in a file",) if error.span is None else error.notes
        raise SoacError(error.message, span=error.span, notes=notes, code=NOT_IN_LANGUAGE) from None
    if not isinstance(node, ast.FunctionDef):
        raise refuse("a function of arrays is a plain def", source.head(node))
    return source, node


def definitions(text: str, file: str) -> tuple[Source, Sequence[ast.FunctionDef]]:
    """The `@soac` functions of a text.

    Raises:
        SoacError: the text is not Python, or has something else than such functions, imports and documentation.
    """
    try:
        source, tree = parse_text(text, file)
    except ParseError as error:
        raise SoacError(error.message, span=error.span, notes=error.notes, code=NOT_IN_LANGUAGE) from None
    found = []
    for node in tree.body:
        match node:
            case ast.FunctionDef(decorator_list=[*_, ast.Name(id="soac")]):
                for each in node.decorator_list[:-1]:
                    if not (isinstance(each, ast.Name) and each.id in PROMISES):
                        raise refuse(f"@{ast.unparse(each)} is no promise", source.span(each), f"hint: {', '.join(PROMISES)}")
                found.append(node)
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
                pass
            case _:
                raise refuse("a program consists of functions with @soac above them", source.span(node))
    return source, found
