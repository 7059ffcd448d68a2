"""Calls of the language's own functions: `iota`, `map`, `x.set` and the like."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from usl_core.errors import Span
from usl_core.ir.types import ScalarType
from usl_soac import arrays, soacs
from usl_soac.arithmetic import FLOAT_FUNCTIONS, OPERATORS, describe, number
from usl_soac.arrays import Range
from usl_soac.expressions import ARRAY_FUNCTIONS, HINTS, Env, Expressions, is_open, scalar_of
from usl_soac.scalars import I64, SCALARS
from usl_soac.text import ill_typed, refuse
from usl_soac.values import Block, Closure, Named, Num, Value


class OwnFunctions(Expressions):
    """Expressions with calls of the language's functions."""

    def own(self, name: str, node: ast.Call, env: Env, block: Block, expected: ScalarType | None) -> Value:
        """A call of one of the language's functions."""
        span = self.span(node)
        given = [*node.args]
        if any(isinstance(arg, ast.Starred) for arg in given):
            raise refuse(HINTS[ast.Starred], span)
        commutative = False
        for keyword in node.keywords:
            match name, keyword:
                case "reduce", ast.keyword(arg="commutative", value=ast.Constant(value=bool() as commutative)):
                    pass
                case _:
                    raise refuse(f"{name} has no argument called {keyword.arg}", self.span(keyword.value))
        if name in ("map", "filter", "reduce", "scan", "reduce_by_index"):
            return self.second_order(name, node, env, block, commutative)
        if name not in ARRAY_FUNCTIONS:
            args = self.operands(given, env, block, None if name in SCALARS else expected)
            return self.scalar_function(name, args, block, span, expected)
        counts = {"concat": (1, 1 << 30), "iota": (1, 2), "transpose": (1, 1), "flatten": (1, 1), "len": (1, 1)}
        counts["scatter"] = (3, 3)
        least, most = counts.get(name, (2, 2))
        if not least <= len(given) <= most:
            wanted = str(least) if least == most else f"{least} or more" if most > 2 else f"{least} or {most}"
            raise ill_typed(f"{name} takes {wanted} arguments, {len(given)} given", span)
        return self.array_function(name, given, env, block, span, expected)

    def operands(self, nodes: Sequence[ast.expr], env: Env, block: Block, expected: ScalarType | None) -> list[Value]:
        """Arguments of one type."""
        values = {i: self.expr(each, env, block, expected) for i, each in enumerate(nodes) if not is_open(each)}
        scalar = next((found for value in values.values() if (found := scalar_of(value)) is not None), expected)
        values |= {i: self.expr(each, env, block, scalar) for i, each in enumerate(nodes) if is_open(each)}
        return [values[i] for i in range(len(nodes))]

    def array_function(
        self, name: str, given: Sequence[ast.expr], env: Env, block: Block, span: Span, expected: ScalarType | None
    ) -> Value:
        """`iota`, `concat`, …"""
        match name, given:
            case "iota", [size]:
                return arrays.iota(self.expr(size, env, block, I64), I64, block, span)
            case "iota", [size, ast.Name(id=scalar)] if scalar in SCALARS and scalar != "bool":
                return arrays.iota(self.expr(size, env, block, I64), SCALARS[scalar], block, span)
            case "iota", _:
                raise ill_typed("the second argument of iota is a type of numbers: iota(n, f32)", span)
            case "replicate", [size, value]:
                times = self.expr(size, env, block, I64)
                part = self.expr(value, env, block, expected)
                if isinstance(part, Num) and expected is not None:
                    part = number(part, expected, span)
                return arrays.replicate(times, part, block, span)
            case "concat", _:
                return arrays.concat(self.operands(given, env, block, expected), block, span)
            case "split", [value, at]:
                return arrays.split(self.expr(value, env, block), self.expr(at, env, block, I64), block, span)
            case "rotate", [value, by]:
                return arrays.rotate(self.expr(value, env, block), self.expr(by, env, block, I64), block, span)
            case "transpose", [value]:
                return arrays.transpose(self.expr(value, env, block), block, span)
            case "rearrange", [value, ast.Tuple(elts=order)]:
                numbers = [arrays.literal(each, "a dimension", self.span(each)) for each in order]
                return arrays.rearrange(self.expr(value, env, block), numbers, block, span)
            case "rearrange", _:
                raise ill_typed("the order of rearrange is written as a tuple of numbers: rearrange(x, (1, 0))", span)
            case "reshape", [value, dims]:
                target = self.expr(value, env, block)
                sizes = dims.elts if isinstance(dims, ast.Tuple) else [dims]
                return arrays.reshape(target, [self.expr(each, env, block, I64) for each in sizes], block, span)
            case "flatten", [value]:
                return arrays.flatten(self.expr(value, env, block), block, span)
            case "len", [value]:
                return arrays.size(self.expr(value, env, block), 0, block, span)
            case "shape", [value, dim]:
                which = arrays.literal(dim, "the dimension in shape", self.span(dim))
                return arrays.size(self.expr(value, env, block), which, block, span)
            case "scatter", [target, places, values]:
                first, second, third = (self.expr(each, env, block) for each in (target, places, values))
                return arrays.scatter(first, second, third, block, span)
            case _:
                raise AssertionError(f"a function {name} of the language")

    def second_order(self, name: str, node: ast.Call, env: Env, block: Block, commutative: bool) -> Value:
        """`map`, `reduce`, `scan`, `filter`, `reduce_by_index`"""
        span, given = self.span(node), list(node.args)
        least = {"map": 2, "filter": 2, "reduce": 3, "scan": 3, "reduce_by_index": 5}[name]
        if len(given) < least or (name == "reduce_by_index" and len(given) > least):
            shape = {"map": "(f, x, …)", "filter": "(p, x, …)", "reduce_by_index": "(x, op, ne, is, vs)"}
            raise ill_typed(f"{name}{shape.get(name, '(op, ne, x, …)')} takes {least} arguments or more", span)
        if name == "reduce_by_index":
            target, op, neutral, places, values = given
            function = self.function(op, env, block, span)
            rows = self.expr(target, env, block)
            start = self.expr(neutral, env, block, scalar_of(rows))
            others = (self.expr(places, env, block), self.expr(values, env, block))
            return soacs.soac_hist(function, rows, start, *others, block, span)
        function = self.function(given[0], env, block, span)
        if name in ("map", "filter"):
            elements = [self.expr(each, env, block) for each in given[1:]]
            made = soacs.soac_map if name == "map" else soacs.soac_filter
            return made(function, elements, block, span)
        elements = [self.expr(each, env, block) for each in given[2:]]  # they tell the types of numbers in the neutral element
        start = self.expr(given[1], env, block, scalar_of(elements[0]) if len(elements) == 1 else None)
        if name == "scan":
            return soacs.soac_scan(function, start, elements, block, span)
        return soacs.soac_reduce(function, start, elements, block, span, commutative=commutative)

    def function(self, node: ast.expr, env: Env, block: Block, span: Span) -> soacs.Argument:
        """The function argument of `map` and the like.

        Raises:
            SoacError: it is none.
        """
        value = self.expr(node, env, block)
        place = self.span(node)
        arity: int | None
        match value:
            case Closure():
                arity = len(value.node.args.args)
            case Named(object=None, name=name):
                if name in ARRAY_FUNCTIONS:
                    raise refuse(f"{name} cannot be passed as a function; write lambda x: {name}(…)", place)
                arity = FLOAT_FUNCTIONS.get(name, 2 if name in OPERATORS else 1)
            case Named():
                arity = self.object_arity(value)
            case _:
                hint = "hint: a lambda, a nested def, a @soac function, or add, mul, min, max, and_, or_, xor"
                raise ill_typed(f"a function is needed here, not {describe(value)}", place, hint)
        return soacs.Argument(lambda args, inner: self.apply(value, args, inner, place), arity, value.name)

    def update(self, node: ast.Call, target: ast.expr, env: Env, block: Block) -> Value:
        """`x.set(i, v)`"""
        span = self.span(node)
        if len(node.args) != 2 or node.keywords:
            raise ill_typed("set takes an index and a value: x.set(i, v), x.set((i, j), v)", span)
        where, value = node.args
        array = self.expr(target, env, block)
        places = where.elts if isinstance(where, ast.Tuple) else [where]
        found = [self.item(each, env, block) for each in places]
        indices = [each for each in found if not isinstance(each, Range)]
        if len(indices) != len(found):
            raise refuse("set replaces an element or a row, no range", span, "hint: concat the parts")
        return arrays.update(array, indices, self.expr(value, env, block, scalar_of(array)), block, span)
