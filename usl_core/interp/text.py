"""Expressions of the object language as Python text, and the lines of text that a procedure becomes.

Nothing here decides where an error lies: each line knows the node that it stands for, and `run` looks there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, assert_never

from usl_core.interp.arith import Arithmetic
from usl_core.interp.runtime import HELPERS
from usl_core.ir import nodes as ir
from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType

_DEEPEST_EXPR = 30
"""Operations that may be nested in one line of text; Python allows 200 parentheses."""

Scope = tuple[tuple[str, str], ...]
"""For each loop around a line, the local that holds the iterator, and its spelling."""


def local(name: Sym) -> str:
    """The Python name of a name: unique, and none of the helpers'."""
    return f"{name.name}_{name.number}"


class Text:
    """Lines of Python text under construction, and what they refer to.

    Names bound at run time are locals; constants and callees are globals of the text. For a buffer `x` there are locals
    `x_data`, `x_off`, its extents `x_n0 ...` and strides `x_s0 ...`. nodes and scopes have one entry per line, counted from 1.
    """

    def __init__(self, arith: Arithmetic, traced: bool) -> None:
        self.arith = arith
        self.traced = traced
        self.globals: dict[str, Any] = {**HELPERS}
        self.lines: list[str] = []
        self.nodes: list[ir.Node | None] = [None]
        self.node: ir.Node | None = None
        self.scope: Scope = ()
        self.scopes: list[Scope] = [()]
        self.indent = 0
        self.counter = 0
        self.spilling = True
        self.dense_locals: set[Sym] = set()

    # ---- lines

    def emit(self, text: str) -> None:
        """Adds a line at the current depth."""
        self.lines.append(" " * self.indent + text)
        self.nodes.append(self.node)
        self.scopes.append(self.scope)

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Lines in the `with` are one level deeper."""
        self.indent += 1
        yield
        self.indent -= 1

    def fresh(self, stem: str) -> str:
        """A Python name that is not in use."""
        self.counter += 1
        return f"{stem}{self.counter}"

    def constant(self, value: object) -> str:
        """A global of the text that holds value."""
        name = self.fresh("const")
        self.globals[name] = value
        return name

    # ---- accesses

    def access(self, name: Sym, idx: tuple[ir.Expr, ...], kind: str) -> tuple[str, str, list[str]]:
        """The condition under which an access is in bounds (empty: always), its place in the data list, and the indices.

        The condition binds indices that are not plain to temporaries, and the place uses them.
        """
        x = local(name)
        texts = [self.expr(index) for index in idx]
        tests, terms, points = [], [], []
        for dim, text in enumerate(texts):
            point = text if text.isidentifier() or text.isdigit() else self.fresh("i")
            tests.append(f"0 <= {point if point is text else f'({point} := {text})'} < {x}_n{dim}")
            points.append(point)
            innermost = dim == len(texts) - 1 and name in self.dense_locals
            terms.append(point if innermost else f"{point} * {x}_s{dim}")
        place = " + ".join(terms if name in self.dense_locals else [f"{x}_off", *terms]) or "0"
        if self.traced:
            index = "".join(f"{point}, " for point in points)
            place = f"state.touch({kind!r}, {self.constant(name)}, ({index}), {x}_data, {place})"
        return " and ".join(tests), place, texts

    def out_of_bounds(self, name: Sym, indices: list[str]) -> str:
        """Text of the call that stops the run at an access out of bounds."""
        shape = "".join(f"{local(name)}_n{dim}, " for dim in range(len(indices)))
        return f"oob({name.name!r}, ({', '.join(indices)},), ({shape}))"

    def read(self, read: ir.Read) -> str:
        """Text of a read."""
        if not isinstance(read.type, ScalarType):
            return local(read.name)
        guard, place, indices = self.access(read.name, read.idx, "read")
        value = f"{local(read.name)}_data[{place}]"
        return f"({value} if {guard} else {self.out_of_bounds(read.name, indices)})" if guard else value

    def window(self, window: ir.WindowExpr) -> str:
        """Text of a view."""
        entries = [
            f"({self.expr(entry.lo)}, {self.expr(entry.hi)})" if isinstance(entry, ir.Interval) else self.expr(entry)
            for entry in window.idx
        ]
        return f"view({window.name.name!r}, {local(window.name)}, ({', '.join(entries)},))"

    # ---- expressions

    def expr(self, expr: ir.Expr, depth: int = 0) -> str:
        """Self-contained text of a data or control value; deep parts are computed on lines before it, where these may be."""
        if depth >= _DEEPEST_EXPR and self.spilling and isinstance(expr, (ir.BinaryOp, ir.UnaryMinus, ir.ExternCall, ir.Cast)):
            name = self.fresh("part")
            self.emit(f"{name} = {self.operation(expr, 0)}")
            return name
        return self.operation(expr, depth + 1)

    def operation(self, expr: ir.Expr, depth: int) -> str:
        """Text of an expression that is no leaf."""
        match expr:
            case ir.Read():
                return self.read(expr)
            case ir.Literal():
                return self.literal(expr)
            case ir.UnaryMinus():
                arg = self.expr(expr.arg, depth)
                return self.arith.negate(expr.type, arg) if isinstance(expr.type, ScalarType) else f"(-{arg})"
            case ir.BinaryOp(op="and" | "or"):
                return self.logical(expr, depth)
            case ir.BinaryOp():
                return self.binary(expr, self.expr(expr.lhs, depth), self.expr(expr.rhs, depth))
            case ir.ExternCall():
                return self.extern(expr, [self.expr(arg, depth) for arg in expr.args])
            case ir.Cast():
                assert isinstance(expr.type, ScalarType)
                return self.arith.cast(expr.arg.type, expr.type, self.expr(expr.arg, depth))
            case ir.StrideExpr():
                return f"{local(expr.name)}_s{expr.dim}"
            case ir.ReadConfig():
                return f"state.configs[{self.constant((expr.config, expr.field))}]"
            case ir.WindowExpr():
                return self.window(expr)
            case _:
                assert_never(expr)

    def literal(self, literal: ir.Literal) -> str:
        """Text of a literal."""
        if isinstance(literal.type, ScalarType):
            value = self.arith.literal(literal.value, literal.type)
            text = repr(value)
            return text if text.isdigit() else self.constant(value)
        return str(literal.value) if literal.value is True or literal.value >= 0 else f"({literal.value})"

    def logical(self, expr: ir.BinaryOp, depth: int) -> str:
        """A chain of one connective. What follows its first operand may not be computed, so it has no part on lines before."""
        texts: list[str] = []
        waiting: list[ir.Expr] = [expr]
        spilling = self.spilling
        while waiting:
            operand = waiting.pop()
            if isinstance(operand, ir.BinaryOp) and operand.op == expr.op:
                waiting += [operand.rhs, operand.lhs]
            else:
                texts.append(self.expr(operand, depth))
                self.spilling = False
        self.spilling = spilling
        return f"({f' {expr.op} '.join(texts)})"

    def binary(self, expr: ir.BinaryOp, lhs: str, rhs: str) -> str:
        """Text of an operation on two sides."""
        if isinstance(expr.type, ScalarType):
            return self.arith.binary(expr.op, expr.type, lhs, rhs)
        if isinstance(expr.lhs.type, ScalarType):
            return self.arith.compare(expr.op, lhs, rhs)
        return f"({lhs} {'//' if expr.op == '/' else expr.op} {rhs})"

    def extern(self, call: ir.ExternCall, args: list[str]) -> str:
        """Text of a call of a function."""
        if not isinstance(call.type, ScalarType):
            return f"{call.fn.name}({', '.join(args)})"
        text = self.arith.call(call.fn, call.type, args)
        if text is None:
            text = f"{self.constant(self.arith.extern(call.fn, call.type))}({', '.join(args)})"
        return text
