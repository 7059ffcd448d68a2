"""Python expressions and patterns as surface syntax. Names are not looked up here."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence

from usl_core.errors import Span
from usl_core.frontend.source import Source
from usl_perceus.errors import PerceusError
from usl_perceus.front import syntax as sx
from usl_perceus.front.builtins import SLICE

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Pow: "**",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_END = (1 << 63) - 1
"""The end of a slice that goes to the end."""
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.Invert: "~", ast.Not: "not"}


class Expressions:
    """The expressions of one definition.

    `perhaps` holds the variables that only some paths to the current statement have assigned, with the statement that does.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.perhaps: dict[str, Span] = {}
        self._numbers = itertools.count(1)

    def fresh(self, name: str) -> str:
        """A name that no source text can spell."""
        return f"{name}.{next(self._numbers)}"

    def expr(self, node: ast.expr) -> sx.Expr:
        """The syntax of a Python expression.

        Raises:
            PerceusError: the language has no such expression.
        """
        span = self.source.span(node)
        match node:
            case ast.Name(id=name):
                return self._name(name, span)
            case ast.Constant(value=bool() | int() | float() | str() | None as value):
                return sx.Literal(value, span=span)
            case ast.Tuple(elts=[_, _, *_] as items):
                return sx.Tuple(self.exprs(items), span=span)
            case ast.List(elts=items):
                return sx.ArrayLiteral(self.exprs(items), span=span)
            case ast.Call(func=function, args=args, keywords=keywords):
                values = self.exprs([*args, *(each.value for each in keywords)])
                return sx.Call(self.expr(function), values, tuple(map(self._keyword, keywords)), span=span)
            case ast.Attribute(value=owner, attr=name):
                return sx.Attribute(self.expr(owner), name, span=span)
            case ast.Subscript(value=array, slice=index) if not isinstance(index, ast.Slice | ast.Tuple):
                return sx.Index(self.expr(array), self.expr(index), span=span)
            case ast.Subscript(value=text, slice=ast.Slice(lower=lower, upper=upper, step=None)):
                first = sx.Literal(0, span=span) if lower is None else self.expr(lower)
                last = sx.Literal(_END, span=span) if upper is None else self.expr(upper)
                return sx.Call(sx.Name(SLICE, span=span), (self.expr(text), first, last), span=span)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return sx.Binary(_BINARY[type(op)], self.expr(left), self.expr(right), span=span)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if type(value) is not bool:
                return sx.Literal(-value, span=span)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return sx.Unary(_UNARY[type(op)], self.expr(operand), span=span)
            case ast.BoolOp(op=op, values=values):
                return self._boolean(op, values, span)
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[whole]):
                found = sx.Call(sx.Name(".in", span=span), (self.expr(left), self.expr(whole)), span=span)
                return found if isinstance(op, ast.In) else sx.Unary("not", found, span=span)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self._comparison(left, ops, comparators, span)
            case ast.IfExp(test=test, body=then, orelse=orelse):
                return sx.If(self.expr(test), self.expr(then), self.expr(orelse), span=span)
            case ast.Lambda(args=arguments, body=body):
                return self._lambda(arguments, body, span)
            case ast.JoinedStr(values=parts):
                return self._format(parts, span)
            case _:
                raise PerceusError(f"{_what(node)} is not in the functional language", span=span, notes=_hint(node))

    def exprs(self, nodes: Sequence[ast.expr]) -> tuple[sx.Expr, ...]:
        """The syntax of several expressions, in their order."""
        return tuple(self.expr(node) for node in nodes)

    def _name(self, name: str, span: Span) -> sx.Name:
        if name in self.perhaps:
            raise PerceusError(
                f"{name} may not be assigned here",
                span=span,
                notes=(
                    f"line {self.perhaps[name].line} assigns it on some paths only",
                    "hint: assign it before, or on every path",
                ),
                code="E722",
            )
        return sx.Name(name, span=span)

    def _keyword(self, node: ast.keyword) -> tuple[str, Span]:
        span = self.source.span(node)
        if node.arg is None:
            raise PerceusError("** is not in the functional language", span=span)
        return node.arg, span

    def _boolean(self, op: ast.boolop, values: Sequence[ast.expr], span: Span) -> sx.Expr:
        *front, result = self.exprs(values)
        for value in reversed(front):
            if isinstance(op, ast.And):
                result = sx.If(value, result, sx.Literal(False, span=span), span=span)
            else:
                result = sx.If(value, sx.Literal(True, span=span), result, span=span)
        return result

    def _comparison(self, left: ast.expr, ops: Sequence[ast.cmpop], comparators: Sequence[ast.expr], span: Span) -> sx.Expr:
        """`a < b < c` evaluates b once."""
        first, *others = comparators
        operation = _COMPARE.get(type(ops[0]))
        if operation is None:
            raise PerceusError("only == != < <= > >= compare values", span=span)
        if not others:
            return sx.Binary(operation, self.expr(left), self.expr(first), span=span)
        middle = sx.NamePattern(self.fresh("middle"), span=self.source.span(first))
        name = sx.Name(middle.name, span=middle.span)
        rest = self._comparison_after(name, ops[1:], others, span)
        test = sx.Binary(operation, self.expr(left), name, span=span)
        chain = sx.If(test, rest, sx.Literal(False, span=span), span=span)
        return sx.Let(middle, None, self.expr(first), chain, span=span)

    def _comparison_after(
        self, left: sx.Expr, ops: Sequence[ast.cmpop], comparators: Sequence[ast.expr], span: Span
    ) -> sx.Expr:
        operation = _COMPARE.get(type(ops[0]))
        if operation is None:
            raise PerceusError("only == != < <= > >= compare values", span=span)
        right = self.expr(comparators[0])
        if len(ops) == 1:
            return sx.Binary(operation, left, right, span=span)
        middle = sx.NamePattern(self.fresh("middle"), span=right.span)
        name = sx.Name(middle.name, span=right.span)
        rest = self._comparison_after(name, ops[1:], comparators[1:], span)
        chain = sx.If(sx.Binary(operation, left, name, span=span), rest, sx.Literal(False, span=span), span=span)
        return sx.Let(middle, None, right, chain, span=span)

    def _lambda(self, arguments: ast.arguments, body: ast.expr, span: Span) -> sx.Lambda:
        require_plain(arguments, span)
        params = tuple((arg.arg, self.source.span(arg)) for arg in arguments.args)
        _require_distinct(params)
        hidden = {name: self.perhaps.pop(name) for name, _ in params if name in self.perhaps}
        result = sx.Lambda(params, self.expr(body), span=span)
        self.perhaps.update(hidden)
        return result

    def _format(self, parts: Sequence[ast.expr], span: Span) -> sx.Expr:
        texts: list[sx.Expr] = []
        for part in parts:
            match part:
                case ast.Constant(value=str() as text):
                    texts.append(sx.Literal(text, span=span))
                case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                    inner = self.expr(value)
                    texts.append(sx.Call(sx.Name(".str", span=inner.span), (inner,), span=inner.span))
                case ast.FormattedValue(
                    value=value, conversion=-1, format_spec=ast.JoinedStr(values=[ast.Constant(value=str() as spec)])
                ):
                    shape = sx.Literal(spec, span=self.source.span(value))
                    texts.append(sx.Call(sx.Name(".format", span=shape.span), (self.expr(value), shape), span=shape.span))
                case ast.FormattedValue(conversion=-1):
                    raise PerceusError("a format is written out: {x:8.3f}", span=span)
                case _:
                    raise PerceusError("conversions such as !r are not in the functional language", span=span)
        if not texts:
            return sx.Literal("", span=span)
        result = texts[0]
        for piece in texts[1:]:
            result = sx.Binary("+", result, piece, span=span)
        return result

    # -- patterns

    def pattern(self, node: ast.pattern) -> sx.Pattern:
        """The syntax of a Python pattern.

        Raises:
            PerceusError: the language has no such pattern.
        """
        span = self.source.span(node)
        match node:
            case ast.MatchAs(pattern=None, name=None):
                return sx.WildcardPattern(span=span)
            case ast.MatchAs(pattern=None, name=str() as name):
                return sx.NamePattern(name, span=span)
            case ast.MatchAs(pattern=ast.pattern() as inner, name=str() as name):
                return sx.AsPattern(self.pattern(inner), name, span=span)
            case ast.MatchOr(patterns=alternatives):
                return sx.OrPattern(tuple(self.pattern(each) for each in alternatives), span=span)
            case ast.MatchClass(cls=cls, patterns=args, kwd_attrs=names, kwd_patterns=others):
                parts = tuple(self.pattern(arg) for arg in (*args, *others))
                return sx.ConstructorPattern(self._path(cls), parts, tuple(names), span=span)
            case ast.MatchSingleton(value=bool() as value):
                return sx.LiteralPattern(value, span=span)
            case ast.MatchSequence(patterns=items) if len(items) >= 2 and not self._bracketed(node):
                return sx.TuplePattern(tuple(self.pattern(item) for item in items), span=span)
            case ast.MatchValue(value=value):
                return self._value_pattern(value, span)
            case _:
                raise PerceusError("this pattern is not in the functional language", span=span)

    def _bracketed(self, node: ast.pattern) -> bool:
        span = self.source.span(node)
        return self.source.lines[span.line - self.source.first][span.column - 1 : span.column] == "["

    def _value_pattern(self, value: ast.expr, span: Span) -> sx.Pattern:
        match value:
            case ast.Constant(value=int() | float() | str() as constant):
                return sx.LiteralPattern(constant, span=span)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as constant)):
                return sx.LiteralPattern(-constant, span=span)
            case ast.Attribute():
                path = self._path(value)
                raise bare_constructor(".".join(path), span)
            case _:
                raise PerceusError("this pattern is not in the functional language", span=span)

    def _path(self, node: ast.expr) -> tuple[str, ...]:
        match node:
            case ast.Name(id=name):
                return (name,)
            case ast.Attribute(value=owner, attr=name):
                return (*self._path(owner), name)
            case _:
                raise PerceusError("a constructor is a name", span=self.source.span(node))

    def target(self, node: ast.expr) -> sx.Pattern:
        """The left side of an assignment as a pattern."""
        span = self.source.span(node)
        match node:
            case ast.Name(id="_"):
                return sx.WildcardPattern(span=span)
            case ast.Name(id=name):
                return sx.NamePattern(name, span=span)
            case ast.Tuple(elts=[_, _, *_] as items):
                return sx.TuplePattern(tuple(self.target(item) for item in items), span=span)
            case ast.Subscript(value=array):
                name = ast.unparse(array)
                hint = f"hint: {name} = {name}.set({ast.unparse(node.slice)}, ...) gives the array with one element changed"
                raise PerceusError("arrays are values: an element cannot be assigned", span=span, notes=(hint,))
            case _:
                raise PerceusError("a value is assigned to a name, or to names with commas between them", span=span)

    def handled(
        self, node: ast.expr | None, fields: Sequence[str], name: str, span: Span
    ) -> tuple[sx.ConstructorPattern | None, tuple[sx.ConstructorPattern, ...]]:
        """`E`, `E(x)`, `(E, F)` after `except`, and what is caught besides; None for every exception. fields: those that the
        handler uses as `name.x`."""
        match node:
            case None | ast.Name(id="Exception" | "BaseException"):
                if fields:
                    raise PerceusError(f"which exception has a field {fields[0]}?", span=span, notes=("hint: except E as e:",))
                return None, ()
            case ast.Call(func=function, args=args, keywords=[]):
                place = self.source.span(node)
                parts = [self.target(arg) for arg in args]
                if parts and fields:
                    raise PerceusError("the fields have names already", span=place)
                return self._exception_pattern(function, parts, fields, name, place), ()
            case ast.Name() | ast.Attribute():
                return self._exception_pattern(node, [], fields, name, self.source.span(node)), ()
            case ast.Tuple(elts=[first, *others]):
                if fields:
                    hint = "hint: a handler of its own for each"
                    raise PerceusError("the fields of several exceptions are not the same", span=span, notes=(hint,))
                rest = tuple(self._exception_pattern(each, [], (), name, self.source.span(each)) for each in others)
                return self._exception_pattern(first, [], (), name, self.source.span(first)), rest
            case _:
                raise PerceusError("expected an exception: except E: or except E(x):", span=self.source.span(node))

    def _exception_pattern(
        self, node: ast.expr, parts: Sequence[sx.Pattern], fields: Sequence[str], name: str, span: Span
    ) -> sx.ConstructorPattern:
        named = tuple(sx.NamePattern(f"{name}.{field}", span=span) for field in fields)
        return sx.ConstructorPattern(self._path(node), (*parts, *named), tuple(fields), span=span)


def bare_constructor(name: str, span: Span) -> PerceusError:
    """The error for `case Red:` where `case Red():` is meant."""
    return PerceusError(
        f"a bare name in a pattern binds a variable; the constructor {name} is written {name}()", span=span, code="E716"
    )


def require_plain(arguments: ast.arguments, span: Span, *, defaults: bool = False) -> None:
    """Only parameters by position; with defaults if they are allowed."""
    if any((arguments.posonlyargs, arguments.kwonlyargs, arguments.vararg, arguments.kwarg)):
        raise PerceusError("parameters are plain names: no *, no **, no /", span=span)
    if arguments.defaults and not defaults:
        raise PerceusError("only functions of the module have parameters with defaults", span=span)


def _require_distinct(params: Sequence[tuple[str, Span]]) -> None:
    seen: set[str] = set()
    for name, span in params:
        if name in seen:
            raise PerceusError(f"two parameters are called {name}", span=span)
        seen.add(name)


def _what(node: ast.expr) -> str:
    names = {
        ast.ListComp: "a list comprehension",
        ast.GeneratorExp: "a generator",
        ast.Dict: "a dictionary",
        ast.Set: "a set",
        ast.NamedExpr: "an assignment inside an expression",
        ast.Await: "await",
        ast.Yield: "yield",
        ast.YieldFrom: "yield",
        ast.Starred: "*",
    }
    match node:
        case ast.BinOp():
            return "the operator @"
        case ast.Constant(value=value):
            return f"a literal of type {type(value).__name__}"
        case ast.Tuple():
            return "a tuple of fewer than two items"
        case ast.Subscript():
            return "a slice"
        case _:
            return names.get(type(node), type(node).__name__)


def _hint(node: ast.expr) -> tuple[str, ...]:
    match node:
        case ast.ListComp() | ast.GeneratorExp():
            return ("hint: append to an array in a loop: made = [], then made = made.append(x)",)
        case _:
            return ()
