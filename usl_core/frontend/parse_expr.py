"""Python expressions to typed expressions of the object language."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fractions import Fraction

from usl_core.errors import ParseError, Span, TypeError_
from usl_core.frontend import expressions, literals, operators
from usl_core.frontend.python_scope import PythonScope, refuse_python_object, unknown
from usl_core.frontend.scope import Binding, Env
from usl_core.frontend.source import Source
from usl_core.ir.config import Config
from usl_core.ir.externs import BUILTINS, SELECT
from usl_core.ir.nodes import Expr, Interval, WindowExpr
from usl_core.ir.types import INDEX, SCALARS

_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_COMPARISON: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_REFUSED: dict[type[ast.expr], str] = {
    ast.IfExp: "a conditional expression; write select(a, b, x, y), which is x if a < b, else y",
    ast.ListComp: "a list comprehension; write a loop",
    ast.SetComp: "a set comprehension; write a loop",
    ast.DictComp: "a dict comprehension; write a loop",
    ast.GeneratorExp: "a generator expression; write a loop",
    ast.Lambda: "a lambda",
    ast.List: "a list",
    ast.Tuple: "a tuple",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.NamedExpr: "an assignment expression `:=`",
    ast.Await: "`await`",
    ast.Yield: "`yield`",
    ast.YieldFrom: "`yield from`",
    ast.JoinedStr: "an f-string",
    ast.Starred: "a starred argument; give the arguments one by one",
    ast.Slice: "an interval outside a window",
}
_REFUSED_OPERATORS: dict[type[ast.operator], str] = {
    ast.Pow: "`**`; multiply instead",
    ast.MatMult: "`@` between values; write the loops",
}


class ExprParser:
    """Parses expressions where the names of env are visible; numbers alone may come out untyped (`operators.settle`)."""

    def __init__(self, source: Source, scope: PythonScope, env: Env) -> None:
        self.source = source
        self.scope = scope
        self.env: Env = env

    def span(self, node: ast.AST) -> Span:
        """Where a node of Python's tree stands."""
        return self.source.span(node)

    def refuse(self, node: ast.AST, what: str) -> ParseError:
        """The error that what is not in the object language."""
        return ParseError(f"the object language has no {_without_article(what)}", span=self.span(node))

    # ---- expressions

    def expr(self, node: ast.expr) -> Expr:
        """Any expression."""
        match node:
            case ast.Constant():
                return self.constant(node)
            case ast.Name(id=name):
                binding = self.env.get(name)
                return expressions.read(binding, span=self.span(node)) if binding else self.python_value(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.UnaryOp(op=op, operand=operand):
                return self.unary(op, operand, node)
            case ast.BinOp(left=left, op=op, right=right):
                if type(op) not in _ARITHMETIC:
                    raise self.refuse(node, _REFUSED_OPERATORS[type(op)])
                return operators.arithmetic(_ARITHMETIC[type(op)], self.expr(left), self.expr(right), span=self.span(node))
            case ast.BoolOp(op=op, values=values):
                return self.logical("and" if isinstance(op, ast.And) else "or", values)
            case ast.Compare():
                return self.comparison(node)
            case ast.Call():
                return self.call(node)
            case _:
                raise self.refuse(node, _REFUSED.get(type(node), f"{type(node).__name__} expression"))

    def constant(self, node: ast.Constant, sign: str = "", whole: ast.expr | None = None) -> Expr:
        """A number or truth value; sign and whole are those of `-1`."""
        span = self.span(whole or node)
        match node.value:
            case bool() as value:
                return literals.literal(value, span=span)
            case int() as number:
                return literals.literal(-number if sign else number, span=span)
            case float():
                return literals.decimal_literal(sign + self.source.text(node), span=span)
            case complex():
                raise self.refuse(node, "complex number")
            case str() | bytes():
                raise self.refuse(node, "string")
            case value:
                raise self.refuse(node, f"value {value!r}")

    def python_value(self, node: ast.expr) -> Expr:
        """A number of the surrounding Python scope."""
        value, span = self.scope.constant(node), self.span(node)
        if value is not None:
            return literals.literal(value, span=span)
        found = self.scope.find(node)
        if found is not None:
            raise refuse_python_object(node, found, span)
        numbers = [name for name, obj in self.scope.names.items() if isinstance(obj, int | float | Fraction)]
        raise unknown(ast.unparse(node), "name", [*self.env, *numbers], span)

    def attribute(self, node: ast.Attribute) -> Expr:
        """`Cfg.field`."""
        config = self.scope.config(node.value)
        if config is not None:
            return expressions.read_config(config, node.attr, span=self.span(node))
        if isinstance(node.value, ast.Name) and node.value.id in self.env:
            raise TypeError_(f"{node.value.id} has no attribute {node.attr}", span=self.span(node))
        if isinstance(node.value, ast.Name) and self.scope.find(node.value) is None:
            configs = [name for name, obj in self.scope.names.items() if isinstance(obj, Config)]
            raise unknown(node.value.id, "configuration or module", configs, self.span(node.value))
        return self.python_value(node)

    def unary(self, op: ast.unaryop, operand: ast.expr, node: ast.expr) -> Expr:
        """`-x`, `not x` or `~x`."""
        match op:
            case ast.USub():
                if isinstance(operand, ast.Constant) and not isinstance(operand.value, bool | str):
                    return self.constant(operand, "-", node)
                return operators.unary_minus(self.expr(operand), span=self.span(node))
            case ast.UAdd():
                return self.expr(operand)
            case ast.Not():
                return operators.negation(self.expr(operand), span=self.span(node))
            case _:
                return operators.inversion(self.expr(operand), span=self.span(node))

    def logical(self, op: str, values: Sequence[ast.expr]) -> Expr:
        """`a and b`, `a or b`, of two or more."""
        result = self.expr(values[0])
        for value in values[1:]:
            rhs = self.expr(value)
            result = operators.logical(op, result, rhs, span=_join(self.span(values[0]), self.span(value)))
        return result

    def comparison(self, node: ast.Compare) -> Expr:
        """`a < b`; a chain `a < b < c` is `a < b and b < c`."""
        operands = [node.left, *node.comparators]
        result: Expr | None = None
        for op, left, right in zip(node.ops, operands[:-1], operands[1:], strict=True):
            if type(op) not in _COMPARISON:
                raise self.refuse(
                    node, "`is`; write `==`" if isinstance(op, ast.Is | ast.IsNot) else "`in`; write a range test"
                )
            span = _join(self.span(left), self.span(right))
            step = operators.compare(_COMPARISON[type(op)], self.expr(left), self.expr(right), span=span)
            result = step if result is None else operators.logical("and", result, step, span=_join(result.span, span))
        assert result is not None
        return result

    # ---- accesses

    def binding(self, node: ast.expr) -> Binding:
        """The buffer, scalar or control value that a name stands for."""
        if not isinstance(node, ast.Name):
            raise ParseError(f"expected the name of a buffer, not {ast.unparse(node)}", span=self.span(node))
        binding = self.env.get(node.id)
        if binding is None:
            if self.scope.find(node) is not None:
                raise TypeError_(f"{node.id} is a Python object, not a buffer of the procedure", span=self.span(node))
            raise unknown(node.id, "name", self.env, self.span(node))
        return binding

    def indices(self, node: ast.Subscript) -> list[ast.expr]:
        """What stands between the brackets, by commas."""
        return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]

    def subscript(self, node: ast.Subscript) -> Expr:
        """`x[i, j]`, or a window of x if one entry is `lo:hi`."""
        binding, parts = self.binding(node.value), self.indices(node)
        if any(isinstance(part, ast.Slice) for part in parts):
            return self.window(node)
        return expressions.read(binding, [self.expr(part) for part in parts], span=self.span(node))

    def window(self, node: ast.Subscript) -> WindowExpr:
        """`x[lo:hi, i]`."""
        entries = [self.entry(part) for part in self.indices(node)]
        return expressions.window(self.binding(node.value), entries, span=self.span(node))

    def entry(self, part: ast.expr) -> Expr | Interval | slice:
        """One entry between brackets: an index, an interval, or a slice with a limit left out."""
        if not isinstance(part, ast.Slice):
            return self.expr(part)
        if part.step is not None:
            raise self.refuse(part.step, "step in a window; its elements are neighbours")
        lo = self.expr(part.lower) if part.lower else None
        hi = self.expr(part.upper) if part.upper else None
        if lo is None or hi is None:
            return slice(lo, hi)
        return expressions.interval(lo, hi, span=self.span(part))

    # ---- calls

    def arguments(self, node: ast.Call) -> list[Expr]:
        """The arguments of a call, none by name."""
        if node.keywords:
            raise ParseError(
                "keyword arguments are not supported; give arguments by position", span=self.span(node.keywords[0])
            )
        return [self.expr(arg) for arg in node.args]

    def call(self, node: ast.Call) -> Expr:
        """`stride(x, 0)`, a cast, an extern."""
        head, span = node.func, self.span(node)
        if isinstance(head, ast.Name) and head.id == "stride":
            return self.stride(node)
        if isinstance(head, ast.Name) and head.id == "index":
            return operators.adopt(self.one_argument(node), INDEX, "the argument of index(...)")
        scalar = self.scope.scalar(head)
        if scalar is not None:
            return operators.cast(scalar, self.one_argument(node), span=span)
        extern = self.scope.extern(head)
        if extern is SELECT and len(node.args) == 3:
            return operators.choose(*self.arguments(node), span=span)
        if extern is not None:
            return operators.extern_call(extern, self.arguments(node), span=span)
        name = ast.unparse(head)
        if self.scope.callee(head) is not None:
            raise TypeError_(f"the call of {name} is a statement; a procedure returns nothing", span=span)
        if self.scope.find(head) is not None:
            raise TypeError_(f"{name} is a Python object that the object language cannot call", span=self.span(head))
        raise unknown(name, "function", [*BUILTINS, *SCALARS, "stride"], self.span(head))

    def one_argument(self, node: ast.Call) -> Expr:
        """The argument of a call that takes one."""
        args = self.arguments(node)
        if len(args) != 1:
            raise TypeError_(f"{ast.unparse(node.func)}(...) takes 1 argument, got {len(args)}", span=self.span(node))
        return args[0]

    def stride(self, node: ast.Call) -> Expr:
        """`stride(x, dim)`."""
        match node.args:
            case [name, dim] if not node.keywords:
                value = operators.constant(self.expr(dim))
                if value is None:
                    raise TypeError_("the dimension of `stride` must be a number", span=self.span(dim))
                return expressions.stride(self.binding(name), value, span=self.span(node))
            case _:
                raise TypeError_("`stride` takes a buffer and a dimension: stride(x, 0)", span=self.span(node))


def _join(first: Span, last: Span) -> Span:
    return Span(first.file, first.line, first.column, last.end_line, last.end_column)


def _without_article(text: str) -> str:
    for article in ("a ", "an "):
        if text.startswith(article):
            return text[len(article) :]
    return text
