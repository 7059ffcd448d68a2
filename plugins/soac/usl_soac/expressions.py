"""Expressions of a text become core: names, operators, calls."""

from __future__ import annotations

import ast
import difflib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from usl_core.errors import Span
from usl_core.frontend.source import Source
from usl_core.ir.types import ScalarType
from usl_soac import arrays, core
from usl_soac.arithmetic import FLOAT_FUNCTIONS, FUNCTIONS, OPERATORS, describe, is_total, operate, settle
from usl_soac.arrays import Range
from usl_soac.core import Const, Type
from usl_soac.scalars import BOOL, I64, SCALARS
from usl_soac.text import ill_typed, refuse
from usl_soac.values import Block, Closure, Named, Num, Tup, Unassigned, Val, Value, leaves, named, rebuild, typed

Env = Mapping[str, Value]

BINARY: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
ARRAY_FUNCTIONS = frozenset(
    "iota replicate concat split transpose rearrange reshape flatten rotate len shape map reduce scan filter scatter "
    "reduce_by_index".split()
)
HINTS: Mapping[type[ast.expr], str] = {
    ast.ListComp: "a comprehension is written map(lambda x: …, xs)",
    ast.GeneratorExp: "a comprehension is written map(lambda x: …, xs)",
    ast.SetComp: "a comprehension is written map(lambda x: …, xs)",
    ast.DictComp: "a comprehension is written map(lambda x: …, xs)",
    ast.JoinedStr: "there are no texts in array programs",
    ast.Dict: "there are no dictionaries in array programs",
    ast.Set: "there are no sets in array programs",
    ast.NamedExpr: "a variable is assigned in a statement of its own",
    ast.Starred: "* does not unpack here; name the components",
    ast.Await: "there is no await in array programs",
    ast.Yield: "a function of arrays returns its result",
    ast.YieldFrom: "a function of arrays returns its result",
}


def is_open(node: ast.expr) -> bool:
    """Whether an expression consists of numbers as written, so that its context decides its type."""
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=inner):
            return is_open(inner)
        case ast.BinOp(left=left, right=right):
            return is_open(left) and is_open(right)
        case ast.Tuple(elts=items):
            return all(map(is_open, items))
        case _:
            return False


class Expressions(ABC):
    """The expressions of one function; calls of other functions, and running a nested def, are left to subclasses."""

    source: Source

    @abstractmethod
    def lookup(self, name: str) -> Any:
        """What the module around the function has under a name, None if nothing that programs can use."""

    @abstractmethod
    def attribute(self, node: ast.Attribute) -> Any:
        """What `module.name` is, None if nothing that programs can use."""

    @abstractmethod
    def call_object(self, named: Named, args: Sequence[Value], block: Block, span: Span) -> Value:
        """A call of a `@soac`, a `@proc`, or another function that Python has."""

    @abstractmethod
    def object_arity(self, named: Named) -> int:
        """How many arguments it takes."""

    @abstractmethod
    def object_scalars(self, named: Named) -> Sequence[ScalarType | None]:
        """The types that numbers have as its arguments."""

    @abstractmethod
    def run_def(self, closure: Closure, args: Sequence[Value], block: Block, span: Span) -> Value:
        """The result of a nested def on arguments."""

    @abstractmethod
    def own(self, name: str, node: ast.Call, env: Env, block: Block, expected: ScalarType | None) -> Value:
        """A call of one of the language's functions."""

    @abstractmethod
    def update(self, node: ast.Call, target: ast.expr, env: Env, block: Block) -> Value:
        """`x.set(i, v)`"""

    @abstractmethod
    def names(self) -> Sequence[str]:
        """Names of the module, to suggest."""

    def span(self, node: ast.AST) -> Span:
        """The place of a node."""
        return self.source.span(node)

    # ---- expressions

    def expr(self, node: ast.expr, env: Env, block: Block, expected: ScalarType | None = None) -> Value:
        """The value of an expression.

        Raises:
            SoacError: it is not in the language, or ill-typed.
        """
        match node:
            case ast.Constant():
                return self.constant(node)
            case ast.Name(id=name):
                return self.name(name, env, node)
            case ast.Tuple(elts=items):
                return Tup(tuple(self.component(item, env, block, expected) for item in items))
            case ast.List(elts=items):
                values = [self.expr(item, env, block, expected) for item in items]
                return arrays.listed(values, block, self.span(node), expected)
            case ast.BinOp():
                return self.binary(node, env, block, expected)
            case ast.UnaryOp():
                return self.unary(node, env, block, expected)
            case ast.BoolOp(op=op, values=values):
                return self.truth(values, isinstance(op, ast.And), env, block)
            case ast.Compare():
                return self.compare(node, env, block)
            case ast.IfExp():
                return self.choice(node, env, block, expected)
            case ast.Call():
                return self.call(node, env, block, expected)
            case ast.Subscript():
                return self.subscript(node, env, block)
            case ast.Lambda():
                self.require_plain(node.args, self.span(node))
                return Closure(node, dict(env), self.source)
            case ast.Attribute():
                return self.member(node)
            case _:
                raise refuse(HINTS.get(type(node), f"{_kind(node)} is not in the language of arrays"), self.span(node))

    def component(self, node: ast.expr, env: Env, block: Block, expected: ScalarType | None) -> Value:
        """A component of a tuple."""
        value = self.expr(node, env, block, expected)
        if isinstance(value, Closure | Named):
            raise refuse("a function is no component of a tuple", self.span(node))
        return value

    def constant(self, node: ast.Constant) -> Value:
        """A number or truth value as written."""
        match node.value:
            case bool() as value:
                return Val(Const(value, BOOL), Type(BOOL))
            case int() as value:
                return Num(Fraction(value), False)
            case float() as value:
                text = self.source.text(node)
                return Num(_written(text, value), True)
            case _:
                raise refuse(f"{node.value!r} is no number or truth value", self.span(node))

    def name(self, name: str, env: Env, node: ast.expr) -> Value:
        """A variable, a size, a function, or a number that the module has."""
        if name in env:
            value = env[name]
            if isinstance(value, Unassigned):
                raise ill_typed(f"{name} is not assigned on every path to here", self.span(node))
            return value
        found = self.lookup(name)
        if found is not None:
            return self.python_value(found, name, node)
        if name in FUNCTIONS or name in ARRAY_FUNCTIONS:
            return Named(name)
        if name == "inf":
            return Num(float("inf"), True)
        if name == "nan":
            return Num(float("nan"), True)
        near = difflib.get_close_matches(name, [*env, *FUNCTIONS, *ARRAY_FUNCTIONS, *self.names()], 1)
        hint = (f"hint: did you mean {near[0]}?",) if near else ()
        raise ill_typed(f"unknown name {name}", self.span(node), *hint)

    def python_value(self, found: Any, name: str, node: ast.expr) -> Value:
        """What Python has under a name, as a value of programs."""
        match found:
            case bool():
                return Val(Const(found, BOOL), Type(BOOL))
            case int():
                return Num(Fraction(found), False)
            case float():
                finite = found - found == 0
                return Num(Fraction(found) if finite else found, True)
            case _:
                return Named(name, found)

    def member(self, node: ast.Attribute) -> Value:
        """`module.name`"""
        found = self.attribute(node)
        if found is not None:
            return self.python_value(found, ast.unparse(node), node)
        hint = {"shape": "shape(x, d)", "T": "transpose(x)", "size": "len(x)"}.get(node.attr)
        what = f"there is no attribute {node.attr}"
        raise refuse(f"{what}; write {hint}" if hint else what, self.span(node))

    # ---- operators

    def binary(self, node: ast.BinOp, env: Env, block: Block, expected: ScalarType | None) -> Value:
        """`a + b`; a number as written gets the type of the other side."""
        span = self.span(node)
        if type(node.op) not in BINARY:
            raise refuse("@ is not in the language; write the product with map and reduce", span)
        left, right = self.pair(node.left, node.right, env, block, expected)
        return operate(BINARY[type(node.op)], (left, right), block, span, expected)

    def pair(self, left: ast.expr, right: ast.expr, env: Env, block: Block, expected: ScalarType | None) -> tuple[Value, Value]:
        """Both sides, the one of which the type is known first if the other has numbers only."""
        if is_open(left) and not is_open(right):
            second = self.expr(right, env, block, expected)
            return self.expr(left, env, block, scalar_of(second) or expected), second
        first = self.expr(left, env, block, expected)
        return first, self.expr(right, env, block, scalar_of(first) or expected)

    def unary(self, node: ast.UnaryOp, env: Env, block: Block, expected: ScalarType | None) -> Value:
        """`-a`, `not a`, `~a`"""
        value = self.expr(node.operand, env, block, expected)
        match node.op:
            case ast.UAdd():
                return operate("+", (Num(Fraction(0), False), value), block, self.span(node), expected)
            case ast.USub():
                return operate("neg", (value,), block, self.span(node), expected)
            case ast.Not():
                return operate("not", (value,), block, self.span(node), BOOL)
            case _:
                return operate("~", (value,), block, self.span(node), expected)

    def condition(self, node: ast.expr, env: Env, block: Block) -> Val:
        """A truth value.

        Raises:
            SoacError: it is none.
        """
        value = self.expr(node, env, block)
        if not isinstance(value, Val) or value.type != Type(BOOL):
            raise ill_typed(f"a condition is a truth value, not {describe(value)}", self.span(node))
        return value

    def truth(self, nodes: Sequence[ast.expr], conjunction: bool, env: Env, block: Block) -> Val:
        """`a and b`, `a or b`: b is evaluated only if it decides."""
        first = self.condition(nodes[0], env, block)
        if len(nodes) == 1:
            return first
        inner = Block()
        rest = self.truth(nodes[1:], conjunction, env, inner)
        start, end = self.span(nodes[0]), self.span(nodes[-1])
        span = Span(start.file, start.line, start.column, end.end_line, end.end_column)
        if is_total(inner.statements):
            block.statements += inner.statements
            op = core.Op("and" if conjunction else "or", (first.atom, rest.atom), BOOL, span=span)
            return block.one(op, Type(BOOL), span)
        known = Val(Const(not conjunction, BOOL), Type(BOOL))
        decided, open_ = Block().body([known], span), inner.body([rest], span)
        then, orelse = (open_, decided) if conjunction else (decided, open_)
        return block.one(core.If(first.atom, then, orelse, span=span), Type(BOOL), span)

    def compare(self, node: ast.Compare, env: Env, block: Block) -> Value:
        """`a < b`, `a <= b < c`"""
        sides = [node.left, *node.comparators]
        for op in node.ops:
            if type(op) not in COMPARE:
                raise refuse(f"{_words(op)} is not in the language of arrays", self.span(node))
        if len(sides) == 2:
            left, right = self.pair(sides[0], sides[1], env, block, None)
            return operate(COMPARE[type(node.ops[0])], (left, right), block, self.span(node))
        values = [None if is_open(side) else self.expr(side, env, block) for side in sides]
        scalar = next((scalar_of(value) for value in values if value is not None), None)
        known = [
            self.expr(side, env, block, scalar) if value is None else value for side, value in zip(sides, values, strict=True)
        ]
        result: Value | None = None
        for op, left, right in zip(node.ops, known, known[1:], strict=False):
            part = operate(COMPARE[type(op)], (left, right), block, self.span(node))
            result = part if result is None else operate("and", (result, part), block, self.span(node))
        assert result is not None
        return result

    def choice(self, node: ast.IfExp, env: Env, block: Block, expected: ScalarType | None) -> Value:
        """`a if c else b`"""
        condition = self.condition(node.test, env, block)
        then, orelse = Block(), Block()
        if is_open(node.body) and not is_open(node.orelse):
            no = self.expr(node.orelse, env, orelse, expected)
            yes = self.expr(node.body, env, then, scalar_of(no) or expected)
        else:
            yes = self.expr(node.body, env, then, expected)
            no = self.expr(node.orelse, env, orelse, scalar_of(yes) or expected)
        return self.join(condition, (yes, then), (no, orelse), block, self.span(node), expected)

    def join(
        self,
        condition: Val,
        yes: tuple[Value, Block],
        no: tuple[Value, Block],
        block: Block,
        span: Span,
        expected: ScalarType | None = None,
        names: Sequence[str] = (),
    ) -> Value:
        """An `if` of the core with the values of two branches."""
        lefts, rights = list(leaves(yes[0])), list(leaves(no[0]))
        if len(lefts) != len(rights) or not _alike(yes[0], no[0]):
            raise ill_typed(f"the branches give {describe(yes[0])} and {describe(no[0])}", span)
        pairs = [same_type(a, b, span, expected) for a, b in zip(lefts, rights, strict=True)]
        then = yes[1].body([a for a, _ in pairs], span)
        orelse = no[1].body([b for _, b in pairs], span)
        made = block.emit(core.If(condition.atom, then, orelse, span=span), [a.type for a, _ in pairs], span, names)
        return rebuild(yes[0], iter(made))

    # ---- indexing

    def subscript(self, node: ast.Subscript, env: Env, block: Block) -> Value:
        """`x[i]`, `x[i, lo:hi]`, a component of a tuple."""
        value = self.expr(node.value, env, block)
        span = self.span(node)
        items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        match value, items:
            case Tup(items=parts), [ast.Constant(value=int() as position)] if not isinstance(position, bool):
                if position >= len(parts):
                    raise ill_typed(f"{describe(value)} has no component {position}", span)
                return parts[position]
            case ((Val() | Tup()), _):
                return arrays.choose(value, [self.item(item, env, block) for item in items], block, span)
            case _:
                raise ill_typed(f"{describe(value)} has no elements", span)

    def item(self, node: ast.expr, env: Env, block: Block) -> Value | Range:
        """An index or a range between brackets."""
        match node:
            case ast.Slice(lower=lower, upper=upper, step=step):
                by = 1 if step is None else arrays.literal(step, "the step of a part", self.span(step))
                if by == 0:
                    raise refuse("the step of a part is not 0", self.span(node))
                return Range(self.bound(lower, env, block), self.bound(upper, env, block), by)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
                hint = "hint: x[len(x) - 1] is the last element"
                raise refuse("an index is not negative", self.span(node), hint)
            case ast.Constant(value=value) if value is None or value is ...:
                raise refuse(f"{ast.unparse(node)} is no index", self.span(node))
            case _:
                return self.expr(node, env, block, I64)

    def bound(self, node: ast.expr | None, env: Env, block: Block) -> Value | None:
        """One end of a range."""
        if node is None:
            return None
        value = self.item(node, env, block)
        assert not isinstance(value, Range)
        return value

    # ---- calls

    def call(self, node: ast.Call, env: Env, block: Block, expected: ScalarType | None) -> Value:
        """A call of a function of the language, of a nested def, or of what Python has."""
        span = self.span(node)
        match node.func:
            case ast.Attribute(attr="set", value=target) if self.attribute(node.func) is None:
                return self.update(node, target, env, block)
            case ast.Name() | ast.Attribute():
                function = self.expr(node.func, env, block)
            case ast.Lambda():
                function = self.expr(node.func, env, block)
            case _:
                raise refuse("what is called is the name of a function", self.span(node.func))
        if isinstance(function, Named) and function.object is None:
            return self.own(function.name, node, env, block, expected)
        for keyword in node.keywords:
            raise refuse("arguments have no names here", self.span(keyword.value))
        scalars = self.object_scalars(function) if isinstance(function, Named) else []
        wanted = [*scalars, *[None] * len(node.args)]
        args = [self.expr(arg, env, block, scalar) for arg, scalar in zip(node.args, wanted, strict=False)]
        return self.apply(function, args, block, span)

    def apply(
        self, function: Value, args: Sequence[Value], block: Block, span: Span, expected: ScalarType | None = None
    ) -> Value:
        """The result of a function value on arguments.

        Raises:
            SoacError: it is no function, or does not take these.
        """
        match function:
            case Closure():
                params = function.node.args.args
                if len(params) != len(args):
                    raise ill_typed(f"{function.name} takes {len(params)} arguments, {len(args)} given", span)
                if isinstance(function.node, ast.Lambda):
                    bound = {each.arg: named(arg, each.arg) for each, arg in zip(params, args, strict=True)}
                    inner = {**function.env, **bound}
                    return self.expr(function.node.body, inner, block, expected)
                return self.run_def(function, args, block, span)
            case Named(object=None, name=name):
                return self.scalar_function(name, args, block, span, expected)
            case Named():
                return self.call_object(function, args, block, span)
            case _:
                raise ill_typed(f"{describe(function)} is called, but is no function", span)

    def scalar_function(self, name: str, args: Sequence[Value], block: Block, span: Span, expected: ScalarType | None) -> Value:
        """`exp`, `min`, `f32`, `add`, …"""
        if name in ARRAY_FUNCTIONS:
            raise refuse(f"{name} cannot be passed as a function; write lambda x: {name}(…)", span)
        if name in SCALARS:
            match args:
                case [Num() as value]:
                    return self.converted(value, SCALARS[name], span)
                case [_]:
                    return operate(name, args, block, span)
                case _:
                    raise ill_typed(f"{name} converts one number, {len(args)} given", span)
        if name in ("min", "max"):
            if len(args) < 2:
                raise ill_typed(f"{name} is for two numbers or more; reduce({name}, …) is for arrays", span)
            result = args[0]
            for each in args[1:]:
                result = operate(name, (result, each), block, span, expected)
            return result
        arity = FLOAT_FUNCTIONS.get(name, 2 if name in OPERATORS else 1)
        if len(args) != arity:
            raise ill_typed(f"{name} takes {arity} arguments, {len(args)} given", span)
        return operate(OPERATORS.get(name, name), args, block, span, expected)

    def converted(self, value: Num, scalar: ScalarType, span: Span) -> Val:
        """`f32(0.1)`, `u8(300)`: the number itself."""
        if scalar is BOOL:
            raise ill_typed("a number as written is no truth value; write True or False", span)
        if scalar.is_int:
            if value.value - value.value != 0:
                raise ill_typed(f"{value.value} is no {scalar}", span)
            low, high = scalar.int_range()
            whole = int(value.value)
            if value.floating:
                whole = min(max(whole, low), high)
            else:
                whole = (whole - low) % (1 << scalar.bits) + low
            return typed(Num(Fraction(whole), False), scalar)
        return typed(value, scalar)

    def require_plain(self, args: ast.arguments, span: Span) -> None:
        """Refuses defaults and stars."""
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults or args.kw_defaults:
            raise refuse("parameters are plain names, without defaults and stars", span)


def same_type(a: Value, b: Value, span: Span, expected: ScalarType | None = None) -> tuple[Val, Val]:
    """Two values that a name may stand for.

    Raises:
        SoacError: their types differ.
    """
    left, right = settle((a, b), expected, "a branch", span)
    if left.type != right.type:
        raise ill_typed(f"the branches give {describe(left)} and {describe(right)}", span)
    return left, right


def _alike(a: Value, b: Value) -> bool:
    """Whether both are tuples of the same form."""
    if isinstance(a, Tup) != isinstance(b, Tup):
        return False
    if isinstance(a, Tup) and isinstance(b, Tup):
        return len(a.items) == len(b.items) and all(_alike(x, y) for x, y in zip(a.items, b.items, strict=True))
    return True


def scalar_of(value: Value | None) -> ScalarType | None:
    return value.type.scalar if isinstance(value, Val) else None


def _written(text: str, value: float) -> Fraction | float:
    """The number as written, exactly."""
    if value - value != 0:
        return value
    try:
        return Fraction(text.replace("_", ""))
    except (ValueError, ZeroDivisionError):
        return Fraction(value)


def _kind(node: ast.expr) -> str:
    return f"`{ast.unparse(node)}`" if len(ast.unparse(node)) < 40 else "this"


def _words(op: ast.cmpop) -> str:
    return {ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not"}[type(op)]
