"""Python in procedures: what stands in braces is evaluated when a procedure is made, and fragments are code with parameters.

    def dot(T, width):
        @proc
        def kernel(x: {T}[width], y: {T}[width], out: {T}):
            for k in {range(width)}:          # copies of the body
                out += x[{k}] * y[{k}]
        return kernel

This is a step from Python's syntax tree to Python's syntax tree, before the frontend, which reads and checks the result as if
somebody had written it. Names keep their meaning: those of a fragment are looked up where it stands, its own names are fresh.
Places are kept too: a node knows its file and line, and through which loops and fragments it got where it is.
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from numbers import Real
from typing import Any, NoReturn

from usl_core.errors import ParseError, Span, UslError
from usl_core.frontend.python_scope import as_proc, function_scope
from usl_core.frontend.source import Source, parse_definition
from usl_core.ir.config import Config
from usl_core.ir.externs import BUILTINS, Extern
from usl_core.ir.identity import Identical
from usl_core.ir.memory import Memory
from usl_core.ir.operation import Operation
from usl_core.ir.types import CONTROLS, SCALARS, ControlType, ScalarType
from usl_core.records import dataclass

DEEPEST = 100
"""Fragments in fragments; more are taken for one that uses itself without end."""


_WORDS = frozenset({"seq", "par", "check", "stride", "True", "False", "DRAM", *BUILTINS, *SCALARS, *CONTROLS})
"""Names that the object language itself knows."""


class Fragment(Identical):
    """Code with parameters: statements, or an expression after `return`. `fragment` makes it."""

    __slots__ = ("_fn", "_locals", "body", "name", "parameters", "source")

    def __init__(self, fn: Callable[..., Any], scope: Mapping[str, Any]) -> None:
        self.source, node = parse_definition(fn)
        if not isinstance(node, ast.FunctionDef):
            raise ParseError("a fragment is a plain function: def name(...)", span=self.source.head(node))
        spec = node.args
        if spec.vararg or spec.kwarg or spec.kwonlyargs or spec.posonlyargs or spec.defaults:
            raise ParseError("a fragment has plain parameters only", span=self.source.head(node))
        self.name, self._fn, self._locals = node.name, fn, scope
        self.parameters = [arg.arg for arg in spec.args]
        self.body = _without_docstring(node.body)

    @property
    def scope(self) -> dict[str, Any]:
        """What its text can name in Python, later definitions of its module too."""
        return function_scope(self._fn, self._locals)

    def __repr__(self) -> str:
        return f"<Fragment {self.name}>"

    def __call__(self, *_args: Any, **_options: Any) -> NoReturn:
        """A fragment is used inside of a procedure."""
        raise UslError(f"{self.name} is a fragment, which Python does not run: use it in a procedure", code="E404")


def fragment(fn: Callable[..., Any]) -> Fragment:
    """Decorator: a function in the object language whose body takes the place of its calls in procedures.

    Parameters stand for what a call gives: expressions, buffers and elements (also to be written), Python values in
    braces, other fragments. A body of statements is called by a statement; one that ends with `return e` is an expression.

    Raises:
        ParseError: it is no plain function.
    """
    frame = sys._getframe(1)
    return Fragment(fn, {} if frame.f_locals is frame.f_globals else dict(frame.f_locals))


def expand(source: Source, node: Any, scope: dict[str, Any]) -> tuple[Source, Any, dict[str, Any]]:
    """A procedure's definition without Python in it: its source, tree and scope.

    Raises:
        ParseError: what stands in braces fails, or is no code; a fragment is used wrongly.
    """
    if not isinstance(node, ast.FunctionDef) or not _has_python(node, scope):
        return source, node, scope
    expander = _Expander(source, dict(scope), {each for each in map(_name, ast.walk(node)) if each})
    return expander.source, expander.procedure(node, scope), expander.scope


def _has_python(node: ast.FunctionDef, scope: Mapping[str, Any]) -> bool:
    for each in ast.walk(node):
        if isinstance(each, ast.Set) or (isinstance(each, ast.Call) and isinstance(_looked_up(each.func, scope), Fragment)):
            return True
    return False


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else ""


class _Sources(Source):
    """The places of nodes that come from several definitions, and the way by which each got where it is."""

    def span(self, node: ast.AST) -> Span:
        """Where a node stands, and by which way it got there."""
        source, way = getattr(node, "usl_place", (None, None))
        if source is None:
            return super().span(node)
        span: Span = source.span(node)
        return replace(span, way=way) if way is not None else span

    def head(self, node: ast.AST) -> Span:
        """The first line of a compound statement."""
        source, way = getattr(node, "usl_place", (None, None))
        if source is None:
            return super().head(node)
        span: Span = source.head(node)
        return replace(span, way=way) if way is not None else span

    def text(self, node: ast.expr) -> str:
        """The characters of an expression."""
        source, _ = getattr(node, "usl_place", (None, None))
        return super().text(node) if source is None else source.text(node)


@dataclass(frozen=True, slots=True)
class _Region:
    """Where code stands: the definition it is in, what names mean there, and the way to it."""

    source: Source
    python: Mapping[str, Any]
    """The names that Python sees around the definition."""
    prefix: str = ""
    """Of a fragment: what its names are called elsewhere."""
    way: tuple[str, Span] | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    """Names of Python's own loops, and parameters that stand for Python values."""
    names: dict[str, ast.expr | None] = field(default_factory=dict)
    """Names of the object language, and what stands for them; None: they themselves."""
    fresh: bool = False
    """Whether what is declared here gets a new name."""
    depth: int = 0

    def inner(self) -> _Region:
        """The same, for a block of its own."""
        return replace(self, names=dict(self.names))

    def meaning(self, node: ast.expr) -> Any:
        """The Python value that a name or dotted name stands for; None if there is none."""
        if isinstance(node, ast.Name) and node.id in self.names:
            return None
        return _looked_up(node, {**self.python, **self.values}) if not _roots(node) & set(self.names) else None


def _roots(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _looked_up(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Name(id=name):
            return names.get(name)
        case ast.Attribute(value=value, attr=attr):
            return getattr(_looked_up(value, names), attr, None)
        case _:
            return None


class _Expander:
    """Makes one procedure's tree; scope grows by the Python values that it names."""

    def __init__(self, source: Source, scope: dict[str, Any], taken: set[str]) -> None:
        self.own = source
        self.source = _Sources(source.file, source.lines, source.first, source.shift)
        self.scope = scope
        self.taken = taken

    def procedure(self, node: ast.FunctionDef, scope: Mapping[str, Any]) -> ast.FunctionDef:
        """The definition, its formals and its body."""
        region = _Region(self.own, scope)
        made = copy.copy(node)
        made.args = copy.copy(node.args)
        made.args.args = []
        for arg in node.args.args:
            new = copy.copy(arg)
            new.annotation = None if arg.annotation is None else self.expr(arg.annotation, region)
            region.names[arg.arg] = None
            made.args.args.append(new)
        made.body = self.block(node.body, region) or [ast.copy_location(ast.Pass(), node)]
        return made

    # ---- statements

    def block(self, body: Sequence[ast.stmt], region: _Region) -> list[ast.stmt]:
        """Statements one after another; what one declares the next ones see."""
        return [made for stmt in body for made in self.stmt(stmt, region)]

    def stmt(self, node: ast.stmt, region: _Region) -> Iterator[ast.stmt]:
        """What a statement becomes: Python's own `for` and `if`, and uses of fragments, are gone."""
        match node:
            case ast.For(iter=ast.Set() as values):
                yield from self.copies(node, values, region)
            case ast.If(test=ast.Set() as test):
                yield from self.block(node.body if self.value(test, region) else node.orelse, region)
            case ast.Expr(value=ast.Set() as spliced):
                yield from self.spliced(self.value(spliced, region), spliced, region)
            case ast.Expr(value=ast.Call(func=func) as call) if isinstance(used := self.callee(func, region), Fragment):
                yield from self.used(used, call, region)
            case ast.For():
                made = self.copied(node, region, iter=self.expr(node.iter, region))
                inner = region.inner()
                if isinstance(node.target, ast.Name):
                    made.target = self.declared(node.target, inner, bool(region.prefix))
                made.body = self.filled(node.body, inner, node)
                made.orelse = self.block(node.orelse, region.inner())
                yield made
            case ast.If():
                made = self.copied(node, region, test=self.expr(node.test, region))
                made.body = self.filled(node.body, region.inner(), node)
                made.orelse = self.block(node.orelse, region.inner())
                yield made
            case ast.AnnAssign(target=ast.Name() as target):
                annotation = self.expr(node.annotation, region)
                value = None if node.value is None else self.expr(node.value, region)
                yield self.copied(
                    node, region, annotation=annotation, value=value, target=self.declared(target, region, region.fresh)
                )
            case ast.Assign(targets=[ast.Name() as target], value=ast.Subscript(slice=index)) if _is_interval(index):
                value = self.expr(node.value, region)
                yield self.copied(node, region, value=value, targets=[self.declared(target, region, region.fresh)])
            case _:
                yield self.expr(node, region)

    def filled(self, body: Sequence[ast.stmt], region: _Region, around: ast.stmt) -> list[ast.stmt]:
        """A block, which must not be empty."""
        return self.block(body, region) or [self.placed(ast.copy_location(ast.Pass(), around), region)]

    def copies(self, node: ast.For, values: ast.Set, region: _Region) -> Iterator[ast.stmt]:
        """The body once for each value of a Python loop."""
        found = self.value(values, region)
        try:
            items = list(found)
        except TypeError:
            raise ParseError(
                f"{ast.unparse(values)} is nothing that Python can loop over", span=self.at(values, region)
            ) from None
        if node.orelse:
            raise ParseError("a loop of Python has no `else` here", span=self.at(node.orelse[0], region))
        for item in items:
            bound = self.unpacked(node.target, item, region)
            shown = ", ".join(f"{name} = {_short(value)}" for name, value in bound.items())
            names = {name: meaning for name, meaning in region.names.items() if name not in bound}
            way = (f"with {shown} in the loop", self.at(values, region))
            yield from self.block(
                node.body, replace(region, values={**region.values, **bound}, names=names, way=way, fresh=True)
            )

    def unpacked(self, target: ast.expr, item: Any, region: _Region) -> dict[str, Any]:
        """The names of a loop's target with their values."""
        match target:
            case ast.Name(id=name):
                return {name: item}
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                try:
                    items = list(item)
                except TypeError:
                    items = []
                if len(items) != len(parts):
                    raise ParseError(f"{_short(item)} is not {len(parts)} values", span=self.at(target, region))
                bound: dict[str, Any] = {}
                for part, each in zip(parts, items, strict=True):
                    bound |= self.unpacked(part, each, region)
                return bound
            case _:
                raise ParseError("a loop of Python sets names here", span=self.at(target, region))

    def spliced(self, value: Any, node: ast.expr, region: _Region) -> Iterator[ast.stmt]:
        """The statements that a value in braces stands for."""
        if isinstance(value, Fragment):
            yield from self.used(value, ast.copy_location(ast.Call(node, [], []), node), region)
        elif isinstance(value, list | tuple):
            for each in value:
                yield from self.spliced(each, node, region)
        elif value is not None:
            raise ParseError(
                f"{ast.unparse(node)} is a Python {type(value).__name__}, not statements",
                span=self.at(node, region),
                notes=("hint: statements are a fragment without parameters, or a list of some",),
            )

    # ---- fragments

    def used(self, used: Fragment, call: ast.Call, region: _Region) -> Iterator[ast.stmt]:
        """The statements of a fragment, in place of its call."""
        yield from self.block(used.body, self.opened(used, call, region))

    def opened(self, used: Fragment, call: ast.Call, region: _Region) -> _Region:
        """Where the body of a fragment stands when it is called."""
        span = self.at(call, region)
        if region.depth >= DEEPEST:
            raise ParseError(f"the fragment {used.name} uses itself without end", span=span)
        values: dict[str, Any] = {}
        names: dict[str, ast.expr | None] = {}
        for name, arg in self.bound(used, call, span).items():
            meaning = self.value(arg, region) if isinstance(arg, ast.Set) else region.meaning(arg)
            if isinstance(arg, ast.Set) or isinstance(meaning, Fragment) or _roots(arg) & set(region.values) == {_name(arg)}:
                values[name] = meaning
            else:
                names[name] = self.expr(arg, region)
        way = (f"in the fragment {used.name}, used", span)
        return _Region(used.source, used.scope, f"{used.name}.", way, values, names, fresh=True, depth=region.depth + 1)

    def bound(self, used: Fragment, call: ast.Call, span: Span) -> dict[str, ast.expr]:
        """The arguments by the names of the parameters."""
        given = dict(zip(used.parameters, call.args, strict=False))
        for keyword in call.keywords:
            if keyword.arg not in used.parameters or keyword.arg in given:
                raise ParseError(f"the fragment {used.name} has no parameter {keyword.arg} left", span=span)
            given[keyword.arg] = keyword.value
        if len(given) < len(used.parameters) or len(call.args) > len(used.parameters):
            wanted = f"{len(used.parameters)} arguments ({', '.join(used.parameters)})"
            raise ParseError(
                f"the fragment {used.name} takes {wanted}, {len(call.args) + len(call.keywords)} are given", span=span
            )
        return given

    def returned(self, used: Fragment, call: ast.Call, region: _Region) -> Any:
        """The expression of a fragment, in place of its call."""
        inner = self.opened(used, call, region)
        body = list(used.body)
        while body:
            match body.pop(0):
                case ast.Return(value=ast.expr() as value):
                    return self.expr(value, inner)
                case ast.If(test=ast.Set() as test, body=then, orelse=otherwise):
                    body = [*(then if self.value(test, inner) else otherwise), *body]
                case _:
                    break
        raise ParseError(
            f"the fragment {used.name} is no expression: it does not end with `return`",
            span=self.at(call, region),
            notes=("hint: one of statements is called by a statement",),
        )

    # ---- expressions

    def expr(self, node: Any, region: _Region) -> Any:
        """A node, and what is in it, with meanings in place of Python and of parameters."""
        match node:
            case ast.Set():
                return self.named(self.value(node, region), ast.unparse(node), node, region)
            case ast.Call(func=func) if isinstance(used := self.callee(func, region), Fragment):
                return self.returned(used, node, region)
            case ast.Name(id=name):
                return self.renamed(name, node, region)
            case ast.AST():
                parts = {name: self.part(value, region) for name, value in ast.iter_fields(node)}
                return self.copied(node, region, **parts)
            case _:
                return node

    def part(self, value: Any, region: _Region) -> Any:
        return [self.expr(each, region) for each in value] if isinstance(value, list) else self.expr(value, region)

    def renamed(self, name: str, node: ast.Name, region: _Region) -> Any:
        """What a name stands for."""
        if name in region.names:
            meaning = region.names[name]
            return self.copied(node, region) if meaning is None else self.given(meaning, node, region)
        if name in region.values:
            return self.named(region.values[name], name, node, region)
        if region.prefix and name in region.python:
            return self.named(region.python[name], region.prefix + name, node, region, quiet=True)
        if region.prefix and name not in _WORDS:  # one of the place of use would not be what the fragment meant
            return self.copied(node, region, id=region.prefix + name)
        return self.copied(node, region)

    def given(self, meaning: ast.expr, node: ast.Name, region: _Region) -> ast.expr:
        """What stands for a name; what a call gave is at its own place, by way of the parameter."""
        made: ast.expr = _cloned(meaning)
        if isinstance(meaning, ast.Name) and isinstance(meaning.ctx, ast.Store):
            placed: ast.expr = self.placed(ast.copy_location(made, node), region)
            return placed
        way = (f"as {node.id} in {region.prefix[:-1]}", self.at(node, region))
        for each in ast.walk(made):
            if hasattr(each, "usl_place"):
                each.usl_place = (each.usl_place[0], way)
        return made

    def named(self, value: Any, shown: str, node: ast.expr, region: _Region, quiet: bool = False) -> Any:
        """A name for a Python value, which no program can spell, so that nothing else has it."""
        if isinstance(value, Fragment):
            return self.returned(value, ast.copy_location(ast.Call(node, [], []), node), region)
        if not quiet and not _is_code(value):
            raise ParseError(
                f"{shown} is a Python {type(value).__name__}, which is no code",
                span=self.at(node, region),
                notes=("hint: numbers, types, memories, procedures, configurations and fragments are",),
            )
        key = shown if quiet else f"{shown} = {_short(value)}"
        while key in self.scope and self.scope[key] is not value:
            key += "'"
        self.scope[key] = value
        return self.placed(ast.copy_location(ast.Name(key, ast.Load()), node), region)

    def declared(self, target: ast.Name, region: _Region, fresh: bool) -> Any:
        """The name that a declaration gets: its own, or one that nothing else has."""
        name = target.id
        if fresh:
            numbered = (f"{target.id}_{number}" for number in range(1, len(self.taken) + 2))
            name = next(each for each in (target.id, *numbered) if each not in self.taken)
            self.taken.add(name)
        made = self.placed(ast.copy_location(ast.Name(name, ast.Store()), target), region)
        region.names[target.id] = made if name != target.id else None
        return made

    # ---- Python

    def value(self, node: ast.Set, region: _Region) -> Any:
        """What stands in braces, evaluated.

        Raises:
            ParseError: Python fails.
        """
        span = self.at(node, region)
        if len(node.elts) != 1 or isinstance(node.elts[0], ast.Starred):
            raise ParseError("one Python expression stands in braces", span=span)
        code = compile(ast.Expression(node.elts[0]), span.file, "eval")
        try:
            return eval(code, {**region.python, **region.values})
        except NameError as error:
            known = error.name in region.names or error.name in self.taken
            hint = f"{error.name} belongs to the object language, and has no value when the procedure is made" if known else ""
            raise ParseError(f"{ast.unparse(node)}: {error}", span=span, notes=(hint,) if hint else ()) from None
        except Exception as error:
            raise ParseError(f"{ast.unparse(node)}: {type(error).__name__}: {error}", span=span) from error

    def callee(self, func: ast.expr, region: _Region) -> Any:
        return self.value(func, region) if isinstance(func, ast.Set) else region.meaning(func)

    # ---- places

    def copied(self, node: Any, region: _Region, **changes: Any) -> Any:
        """A node with other parts, at its place."""
        made = copy.copy(node)
        for name, value in changes.items():
            setattr(made, name, value)
        return self.placed(made, region)

    def placed(self, node: Any, region: _Region) -> Any:
        node.usl_place = (region.source, region.way)
        return node

    def at(self, node: ast.AST, region: _Region) -> Span:
        """The place of a node of a definition, with the way to it."""
        span = region.source.span(node)
        return span if region.way is None else replace(span, way=region.way)


def _cloned(node: Any) -> Any:
    """A copy of a tree with the same places."""
    if isinstance(node, list):
        return [_cloned(each) for each in node]
    if not isinstance(node, ast.AST):
        return node
    made = copy.copy(node)
    for name, value in ast.iter_fields(node):
        setattr(made, name, _cloned(value))
    return made


def _is_interval(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(part, ast.Slice) for part in parts)


def _is_code(value: Any) -> bool:
    if isinstance(value, Real | ScalarType | ControlType | Config | Extern | Operation) or as_proc(value) is not None:
        return True
    return isinstance(value, type) and issubclass(value, Memory)


def _short(value: Any) -> str:
    text = getattr(value, "name", None)
    text = text if isinstance(text, str) else getattr(value, "__name__", None) or repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
        case _:
            return body
