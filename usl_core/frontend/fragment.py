"""Expressions and windows given as text, read in the scope at a place of a procedure.

Scheduling operators take them: `cut_loop(p, "i", "n - 4")`, `stage_mem(p, block, "x[0:4, i]", ...)`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from usl_core.errors import ParseError, Span
from usl_core.frontend import expressions, operators
from usl_core.frontend.parse_expr import ExprParser
from usl_core.frontend.python_scope import PythonScope
from usl_core.frontend.scope import Binding, Env, arg_binding, loop_binding, stmt_binding
from usl_core.frontend.source import parse_text
from usl_core.ir.nodes import Alloc, Expr, For, Node, Proc, Read, Stmt, WindowExpr, WindowStmt
from usl_core.ir.printer import Printer
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import Step, get_field
from usl_core.ir.types import INDEX, Type

_BINDS = frozenset({Alloc, WindowStmt})


class _Visible:
    """Names collected on the way down; each under its own spelling, and under the printed one where no other has it."""

    def __init__(self) -> None:
        self.by_sym: dict[Sym, Binding] = {}
        self.printer = Printer()

    def bind(self, binding: Binding) -> None:
        self.by_sym[binding.sym] = binding
        self.printer.bind(binding.sym)

    def bind_stmt(self, stmt: Stmt) -> None:
        binding = stmt_binding(stmt, self.by_sym)
        if binding is not None:
            self.bind(binding)

    def env(self) -> dict[str, Binding]:
        printed = {self.printer.name(sym): binding for sym, binding in self.by_sym.items()}
        return printed | {sym.name: binding for sym, binding in self.by_sym.items()}


def env_at(proc: Proc, path: Sequence[Step]) -> dict[str, Binding]:
    """The names visible just before the node at path, by spelling; the innermost binding wins.

    A name that the printer shows with a suffix (`i_1`) is found under that spelling too. A path may end one past the last
    statement of a block: that is the place at the block's end.
    """
    visible = _Visible()
    node: Node = proc
    for field, position in path:
        if isinstance(node, Proc):
            formals = node.args[:position] if field == "args" else node.args
            for arg in formals:
                visible.bind(arg_binding(arg))
        if field in ("body", "orelse"):
            if isinstance(node, For):
                visible.bind(loop_binding(node))
            for stmt in get_field(node, field)[:position]:
                if type(stmt) in _BINDS:
                    visible.bind_stmt(stmt)
        children = get_field(node, field)
        if position is None:
            node = children
        elif position < len(children):
            node = children[position]
        else:
            break
    if not path:
        for arg in proc.args:
            visible.bind(arg_binding(arg))
    return visible.env()


def parse_expr(text: str, env: Env, scope: Mapping[str, Any] | None = None, want: Type | None = None) -> Expr:
    """The expression in text where the names of env are visible.

    want is the type that the place demands; numbers adopt it, and anything else is an error. Without it numbers are indices.

    Raises:
        ParseError, TypeError_: with a span into the text, whose file is shown as `<text>`.
    """
    parser, node = _parser(text, env, scope)
    expr = parser.expr(node)
    if want is None:
        return operators.settle(expr, INDEX)
    return operators.adopt(expr, want, f"`{text}`")


def parse_cond(text: str, env: Env, scope: Mapping[str, Any] | None = None) -> Expr:
    """A truth value on control values."""
    parser, node = _parser(text, env, scope)
    return expressions.control_bool(parser.expr(node), f"`{text}`")


def parse_window(text: str, env: Env, scope: Mapping[str, Any] | None = None) -> WindowExpr | Read:
    """`x[lo:hi, pt]`, `x[i, j]` (one element), or `x` (the whole buffer, or a scalar)."""
    parser, node = _parser(text, env, scope)
    if isinstance(node, ast.Name | ast.Subscript):
        parser.binding(node.value if isinstance(node, ast.Subscript) else node)
        expr = parser.expr(node)
        if isinstance(expr, WindowExpr | Read):
            return expr
    raise ParseError(f"`{text}` is not a window; write x[lo:hi, i], x[i] or x", span=parser.span(node))


def _parser(text: str, env: Env, scope: Mapping[str, Any] | None) -> tuple[ExprParser, ast.expr]:
    stripped = text.strip()
    file = f"<{stripped}>"
    if not stripped:
        raise ParseError("an expression is expected, the text is empty", span=Span("<empty>", 1, 1, 1, 2))
    source, tree = parse_text(stripped, file, "eval")
    return ExprParser(source, PythonScope(scope or {}, source), env), tree.body


__all__ = ["env_at", "parse_cond", "parse_expr", "parse_window"]
