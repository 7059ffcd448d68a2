"""Python source to a typed procedure.

`parse_function` reads the text of a Python function, `parse_source` a text as the printer makes it. Neither proves bounds or
preconditions: `usl_core.frontend.boundscheck` does, on the result.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from usl_core.collector import collected_later
from usl_core.deep import deeply
from usl_core.errors import ParseError
from usl_core.frontend import statements
from usl_core.frontend.config_class import parse_config, write_only
from usl_core.frontend.parse_stmt import StmtParser
from usl_core.frontend.python_scope import PythonScope, function_scope
from usl_core.frontend.source import Source, name_of, parse_definition, parse_text
from usl_core.ir.nodes import InstrTemplate, Proc
from usl_core.profiling import profiled


class LATER:
    """What a later layer does with a definition before it is read (`usl_core.expansion`)."""

    expand: Callable[[Source, Any, dict[str, Any]], tuple[Source, Any, Mapping[str, Any]]] = staticmethod(lambda *same: same)


@profiled("frontend", "parse")
@collected_later()
@deeply
def parse_function(
    fn: Callable[..., Any],
    *,
    instr: InstrTemplate | None = None,
    locals: Mapping[str, Any] | None = None,
    aliasable: Sequence[str] = (),
) -> Proc:
    """The procedure that a Python function spells. Its decorators are the caller's business.

    Names are looked up in the procedure, then in fn's closure, in locals, and in fn's module.

    Raises:
        ParseError: the source text is missing, or not in the object language.
        TypeError_: unknown names and ill-typed code.
    """
    source, node, scope = LATER.expand(*parse_definition(fn), function_scope(fn, locals))
    return _procedure(node, source, scope, instr, tuple(aliasable))


@profiled("frontend", "parse")
@collected_later()
@deeply
def parse_source(text: str, scope: Mapping[str, Any] | None = None, file: str | None = None) -> Proc:
    """The procedure in a text of one `def`, with its decorator `@proc(...)` or `@instr(...)` if there is one.

    scope holds callees, configurations, externs, memories, types and constants by name.

    Raises: as parse_function.
    """
    file = file or name_of(text)
    source, tree = parse_text(text, file)
    match tree.body:
        case [ast.FunctionDef() as node]:
            instr, aliasable = _decorator(node, source)
            return _procedure(node, source, dict(scope or {}), instr, aliasable)
        case [first, *_]:
            raise ParseError("the text must be one procedure: def name(...)", span=source.head(first))
        case _:
            raise ParseError(f"{file}: the text holds no procedure")


def _procedure(
    node: ast.AST,
    source: Source,
    scope: Mapping[str, Any],
    instr: InstrTemplate | None,
    aliasable: tuple[str, ...],
) -> Proc:
    if not isinstance(node, ast.FunctionDef):
        raise ParseError("a procedure is a plain function: def name(...)", span=source.head(node))
    parser = StmtParser(source, PythonScope(scope, source))
    args = parser.args(node)
    preds, rest = parser.assertions(node.body)
    body = parser.block(rest)
    return statements.procedure(node.name, args, preds, body, instr=instr, aliasable=aliasable, span=source.head(node))


def _decorator(node: ast.FunctionDef, source: Source) -> tuple[InstrTemplate | None, tuple[str, ...]]:
    """The declarations of `@proc`, `@proc(aliasable=...)`, `@instr("...", ...)`: literals only."""
    match node.decorator_list:
        case [] | [ast.Name(id="proc")]:
            return None, ()
        case [ast.Call(func=ast.Name(id="proc"), args=[], keywords=keywords)]:
            options = _options(keywords, ("aliasable",), source)
            return None, tuple(options.get("aliasable", ()))
        case [ast.Call(func=ast.Name(id="instr"), args=[ast.Constant(value=str() as template)], keywords=keywords)]:
            names = ("includes", "features", "c_global", "aliasable", "roundings", "special", "subnormals", "implicit", "fence")
            options = _options(keywords, names, source)
            for name in ("includes", "features", "aliasable", "implicit"):
                options[name] = tuple(options.get(name, ()))
            return InstrTemplate(template, **{k: v for k, v in options.items() if k != "aliasable"}), options["aliasable"]
        case [first, *_]:
            raise ParseError('expected @proc or @instr("template", ...)', span=source.span(first))
        case _:
            raise AssertionError("a list matches one of the cases above")


def _options(keywords: Sequence[ast.keyword], known: Sequence[str], source: Source) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for keyword in keywords:
        if keyword.arg is None or keyword.arg not in known:
            raise ParseError(f"unknown option {keyword.arg}; known are {', '.join(known)}", span=source.span(keyword))
        try:
            options[keyword.arg] = ast.literal_eval(keyword.value)
        except ValueError:
            raise ParseError(f"{keyword.arg} must be a literal", span=source.span(keyword.value)) from None
    return options


__all__ = ["parse_config", "parse_function", "parse_source", "write_only"]
