"""Python statements to typed statements of the object language."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from usl_core.errors import ParseError, TypeError_
from usl_core.frontend import expressions, operators, statements
from usl_core.frontend.parse_expr import ExprParser
from usl_core.frontend.parse_types import parse_annotation
from usl_core.frontend.python_scope import PythonScope, as_proc, unknown
from usl_core.frontend.scope import Binding, arg_binding
from usl_core.frontend.source import Source
from usl_core.ir.combining import FUNCTIONS
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.nodes import Arg, Block, Expr, For, If, LoopMode, Pass, Stmt, WindowExpr, WindowStmt
from usl_core.ir.operation import Operation
from usl_core.ir.sym import Sym
from usl_core.ir.types import INDEX

_REFUSED: dict[type[ast.stmt], tuple[str, str]] = {
    ast.While: ("`while` loop", "write for i in seq(lo, hi)"),
    ast.AsyncFor: ("`async for`", "write for i in seq(lo, hi)"),
    ast.Return: ("`return`", "write results into arguments, which are passed by reference"),
    ast.Break: ("`break`", "guard the rest of the body with `if`"),
    ast.Continue: ("`continue`", "guard the rest of the body with `if`"),
    ast.With: ("`with` statement", "memories are named in annotations: x: f32[n] @ MEM"),
    ast.AsyncWith: ("`async with`", "remove it"),
    ast.Try: ("`try` statement", "nothing raises; remove it"),
    ast.TryStar: ("`try` statement", "nothing raises; remove it"),
    ast.Raise: ("`raise`", "write check(condition)"),
    ast.FunctionDef: ("nested function", "define the procedure outside and call it"),
    ast.AsyncFunctionDef: ("nested function", "define the procedure outside and call it"),
    ast.ClassDef: ("nested class", "define it outside"),
    ast.Import: ("`import`", "import it before the procedure"),
    ast.ImportFrom: ("`import`", "import it before the procedure"),
    ast.Global: ("`global`", "pass it as an argument"),
    ast.Nonlocal: ("`nonlocal`", "pass it as an argument"),
    ast.Delete: ("`del`", "a buffer lives until the end of its block"),
    ast.Match: ("`match` statement", "write if, elif, else"),
}


_COMBINING: dict[type[ast.operator], str] = {ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}


class StmtParser:
    """Parses blocks; each block has its own names, the innermost binding of a spelling wins."""

    def __init__(self, source: Source, scope: PythonScope) -> None:
        self.source = source
        self.scope = scope
        self.env: dict[str, Binding] = {}
        self.exprs = ExprParser(source, scope, self.env)

    def bind(self, name: str, binding: Binding) -> None:
        """From here on, name means binding."""
        self.env[name] = binding

    def scoped(self, parse: Callable[[], Block]) -> Block:
        """parse() in a block of its own."""
        outer = dict(self.env)
        try:
            return parse()
        finally:
            self.env.clear()
            self.env.update(outer)

    # ---- procedures

    def args(self, node: ast.FunctionDef) -> list[Arg]:
        """The formals, each in scope for those after it."""
        spec = node.args
        for extra in (spec.vararg, spec.kwarg, *spec.kwonlyargs, *spec.posonlyargs):
            if extra is not None:
                raise ParseError("a procedure has plain positional arguments only", span=self.source.span(extra))
        for default in spec.defaults:
            raise ParseError("arguments have no default values", span=self.source.span(default))
        if node.returns is not None:
            raise ParseError("a procedure returns nothing; remove the annotation", span=self.source.span(node.returns))
        return [self.arg(arg) for arg in spec.args]

    def arg(self, node: ast.arg) -> Arg:
        """One formal with its annotation."""
        span = self.source.span(node)
        if node.annotation is None:
            raise ParseError(f"argument {node.arg} needs a type, such as {node.arg}: size or {node.arg}: f32[n]", span=span)
        typ, mem = parse_annotation(node.annotation, self.exprs)
        arg = statements.formal(Sym(node.arg), typ, mem, span=span)
        self.bind(node.arg, arg_binding(arg))
        return arg

    def assertions(self, body: Sequence[ast.stmt]) -> tuple[list[Expr], Sequence[ast.stmt]]:
        """The assertions at the top, and the statements after them. A docstring is dropped."""
        if body and isinstance(body[0], ast.Expr) and _is_string(body[0].value):
            body = body[1:]
        preds = []
        while body and isinstance(body[0], ast.Assert):
            preds.append(statements.assertion(self.exprs.expr(body[0].test)))
            body = body[1:]
        return preds, body

    # ---- statements

    def block(self, body: Sequence[ast.stmt]) -> Block:
        """The statements of a list, in a scope of their own."""
        return tuple(self.stmt(stmt) for stmt in body)

    def stmt(self, node: ast.stmt) -> Stmt:
        """Any statement."""
        match node:
            case ast.Assign():
                return self.assign(node)
            case ast.AugAssign():
                return self.augmented(node)
            case ast.AnnAssign():
                return self.alloc(node)
            case ast.For():
                return self.loop(node)
            case ast.If():
                return self.branch(node)
            case ast.Expr(value=ast.Call() as call):
                return self.call(call)
            case ast.Pass():
                return Pass(span=self.source.span(node))
            case ast.Assert():
                message = "`assert` may stand at the top of the procedure only; write check(condition) here"
                raise ParseError(message, span=self.source.span(node))
            case ast.Expr(value=value):
                what = "a string" if _is_string(value) else "an expression"
                raise ParseError(f"{what} alone is not a statement", span=self.source.span(node))
            case _:
                construct, hint = _REFUSED.get(type(node), (f"{type(node).__name__} statement", "remove it"))
                raise ParseError(f"the object language has no {construct}; {hint}", span=self.source.head(node))

    def assign(self, node: ast.Assign) -> Stmt:
        """`x[i] = e`, `Cfg.field = e` or `w = x[lo:hi]`."""
        span = self.source.span(node)
        if len(node.targets) != 1:
            raise ParseError("chained assignment; write one assignment per statement", span=span)
        (target,) = node.targets
        match target:
            case ast.Attribute(value=owner, attr=field):
                config = self.scope.config(owner)
                if config is None:
                    raise TypeError_(f"{ast.unparse(owner)} is not a configuration", span=self.source.span(owner))
                return statements.assign_config(config, field, self.exprs.expr(node.value), span=span)
            case ast.Name(id=name) if self.is_window(node.value):
                window = self.exprs.expr(node.value)
                assert isinstance(window, WindowExpr)
                stmt = WindowStmt(Sym(name), window, span=span)
                self.bind(name, Binding(stmt.name, window.type, self.mem_of(window)))
                return stmt
            case ast.Name(id=name) if name not in self.env:
                raise self.unknown_target(target, node.value)
            case _:
                binding, idx = self.target(target)
                return statements.assign(binding, idx, self.exprs.expr(node.value), span=span)

    def is_window(self, node: ast.expr) -> bool:
        """Whether the right side makes a window, so that the statement names one."""
        return isinstance(node, ast.Subscript) and any(isinstance(part, ast.Slice) for part in self.exprs.indices(node))

    def mem_of(self, window: WindowExpr) -> MemoryClass | None:
        """The memory of the buffer that a window shows."""
        return next(binding.mem for binding in self.env.values() if binding.sym is window.name)

    def unknown_target(self, target: ast.Name, value: ast.expr) -> TypeError_:
        """The error for an assignment to a name that is not bound."""
        if isinstance(value, ast.Name) and value.id in self.env and self.env[value.id].rank:
            hint = f"hint: a window names its intervals: {target.id} = {value.id}[{', '.join(':' * self.env[value.id].rank)}]"
        else:
            hint = f"hint: allocate it first, for instance {target.id}: f32"
        error = unknown(target.id, "name", self.env, self.source.span(target))
        return TypeError_(error.message, span=error.span, notes=(hint,))

    def target(self, node: ast.expr) -> tuple[Binding, list[Expr]]:
        """What an assignment writes, with its indices."""
        match node:
            case ast.Name():
                return self.exprs.binding(node), []
            case ast.Subscript(value=value):
                parts = self.exprs.indices(node)
                for part in parts:
                    if isinstance(part, ast.Slice):
                        raise ParseError("one element is written at a time; write a loop", span=self.source.span(part))
                return self.exprs.binding(value), [self.exprs.expr(part) for part in parts]
            case ast.Tuple() | ast.List():
                raise ParseError("tuple assignment; write one assignment per statement", span=self.source.span(node))
            case _:
                raise ParseError(f"{ast.unparse(node)} cannot be assigned", span=self.source.span(node))

    def augmented(self, node: ast.AugAssign) -> Stmt:
        """`x += e`, `x *= e`, `x &= e`, `x @= max(e)` and so on; `x -= e` is `x += -e`."""
        span = self.source.span(node)
        if isinstance(node.target, ast.Attribute):
            raise ParseError("a configuration field is written with `=`", span=span)
        op, right = self.operation(node)
        binding, idx = self.target(node.target)
        rhs = self.exprs.expr(right)
        if isinstance(node.op, ast.Sub) and not binding.is_control:
            rhs = operators.negate(operators.adopt(rhs, binding.scalar, "the right side of `-=`"), span=rhs.span)
        return statements.reduce(binding, idx, rhs, op, span=span)

    def operation(self, node: ast.AugAssign) -> tuple[str | Operation, ast.expr]:
        """What an augmented assignment combines the location with, and by which operation."""
        match node:
            case ast.AugAssign(op=ast.Add() | ast.Sub(), value=value):
                return "+", value
            case ast.AugAssign(op=ast.Mult() | ast.BitAnd() | ast.BitOr() | ast.BitXor() as combining, value=value):
                return _COMBINING[type(combining)], value
            case ast.AugAssign(op=ast.MatMult(), value=ast.Call(func=ast.Name(id=name), args=[value], keywords=[])) if (
                name in FUNCTIONS
            ):
                return name, value
            case ast.AugAssign(op=ast.MatMult(), value=ast.Call(func=head, args=[value], keywords=[])) if isinstance(
                declared := self.scope.find(head), Operation
            ):
                return declared, value
            case _:
                pass
        text = ast.unparse(node.target)
        if isinstance(node.op, ast.MatMult):
            known = " or ".join(f"{text} @= {name}(...)" for name in FUNCTIONS)
            raise ParseError(f"`@=` combines a location with one value by a function: {known}", span=self.source.span(node))
        op = ast.unparse(node)[len(text) + 1 :].split("=", 1)[0]
        raise ParseError(f"the object language has no `{op}=`; write {text} = {text} {op} ...", span=self.source.span(node))

    def alloc(self, node: ast.AnnAssign) -> Stmt:
        """`x: f32[n] @ DRAM`."""
        span = self.source.span(node)
        if not isinstance(node.target, ast.Name):
            raise ParseError("only a name can be declared: x: f32[n] @ MEM", span=span)
        name = node.target.id
        if node.value is not None:
            raise ParseError(f"an allocation has no initial value; assign {name} in the next statement", span=span)
        typ, mem = parse_annotation(node.annotation, self.exprs)
        stmt = statements.alloc(Sym(name), typ, mem or DRAM, span=span)
        self.bind(name, Binding(stmt.name, stmt.type, stmt.mem))
        return stmt

    def loop(self, node: ast.For) -> For:
        """`for i in seq(lo, hi)`, or `par`."""
        if not isinstance(node.target, ast.Name):
            raise ParseError("a loop has one iterator, a name", span=self.source.span(node.target))
        if node.orelse:
            raise ParseError(
                "the object language has no `else` of a loop; put it after the loop", span=self.source.span(node.orelse[0])
            )
        mode, lo, hi = self.bounds(node.iter)
        statements.loop_bounds(lo, hi)
        sym = Sym(node.target.id)

        def body() -> Block:
            self.bind(sym.name, Binding(sym, INDEX))
            return self.block(node.body)

        return statements.for_(sym, lo, hi, self.scoped(body), mode, span=self.source.span(node))

    def bounds(self, node: ast.expr) -> tuple[LoopMode, Expr, Expr]:
        """The mode and the limits of a loop."""
        match node:
            case ast.Call(func=ast.Name(id="seq" | "par" as mode), args=[lo, hi], keywords=[]):
                return LoopMode(mode), self.exprs.expr(lo), self.exprs.expr(hi)
            case ast.Call(func=ast.Name(id="seq" | "par" as mode)):
                raise ParseError(f"a loop has two bounds: {mode}(0, n)", span=self.source.span(node))
            case ast.Call(func=ast.Name(id="range"), args=[*_, hi]):
                raise ParseError(f"a loop runs over seq, not range: seq(0, {ast.unparse(hi)})", span=self.source.span(node))
            case _:
                raise ParseError("a loop runs over seq(lo, hi) or par(lo, hi)", span=self.source.span(node))

    def branch(self, node: ast.If) -> If:
        """`if`, with `elif` as an `if` in `else`."""
        cond = expressions.condition(self.exprs.expr(node.test))
        body = self.scoped(lambda: self.block(node.body))
        orelse = self.scoped(lambda: self.block(node.orelse))
        return statements.if_(cond, body, orelse, span=self.source.span(node))

    def call(self, node: ast.Call) -> Stmt:
        """`check(cond)` or the call of a procedure."""
        span = self.source.span(node)
        if isinstance(node.func, ast.Name) and node.func.id == "check":
            return statements.check(self.exprs.one_argument(node), span=span)
        callee = self.scope.callee(node.func)
        if callee is None:
            raise self.not_callable(node)
        return statements.call(callee, self.exprs.arguments(node), span=span)

    def not_callable(self, node: ast.Call) -> TypeError_:
        """The error for a call of what is no procedure."""
        head, name = self.source.span(node.func), ast.unparse(node.func)
        if self.scope.extern(node.func) or self.scope.scalar(node.func):
            return TypeError_(f"{name}(...) is a value, not a statement; assign it", span=self.source.span(node))
        if self.scope.find(node.func) is not None:
            return TypeError_(f"{name} is a Python object, not a procedure", span=head)
        procedures = [key for key, value in self.scope.names.items() if as_proc(value)]
        return unknown(name, "procedure", [*procedures, "check"], head)


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
