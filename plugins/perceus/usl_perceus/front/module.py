"""Reading definitions: from a decorated Python function or class, or from the text of a whole program."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar

from usl_core.deep import deep
from usl_core.errors import ParseError, Span
from usl_core.frontend.source import Source, parse_definition, parse_text
from usl_core.python_syntax import parse_python
from usl_perceus.errors import PerceusError
from usl_perceus.front import syntax as sx
from usl_perceus.front.definitions import DataDef, ExceptionDef, ForeignDef, FunDef, Scope
from usl_perceus.front.resolve import ownership, signature
from usl_perceus.front.statements import Statements, typevar_names
from usl_perceus.front.types import I64, App, Rigid
from usl_perceus.front.values import make_class


class FunctionalException(Exception):
    """The base of the classes that `@exception` makes; args are the fields."""


def parse(thing: Any) -> tuple[Source, Any]:
    """The syntax tree of a decorated definition.

    Raises:
        PerceusError: its text cannot be found.
    """
    try:
        return parse_definition(thing)
    except ParseError as error:
        notes = ("hint: define it in a file",) if error.span is None else error.notes
        raise PerceusError(error.message, span=error.span, notes=notes) from None


def class_at(name: str, file: str, line: int) -> tuple[Source, ast.ClassDef]:
    """The `class` statement of that name around a line of a file, whose decorator is being called.

    Python does not keep the place of a class, so that its text has to be looked for.

    Raises:
        PerceusError: the text cannot be found.
    """
    lines = linecache.getlines(file)
    try:
        tree = _tree("".join(lines))
    except SyntaxError:  # it has changed since Python read it
        tree = ast.Module([], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first <= line <= (node.end_lineno or first):
                return Source(file, [text.rstrip("\r\n") for text in lines]), node
    raise PerceusError(f"the source text of {name} is not available", notes=("hint: define it in a file",))


@functools.lru_cache(maxsize=4)
def _tree(text: str) -> Any:
    return parse_python(text)


def function(source: Source, node: ast.AST) -> sx.Function:
    """The surface syntax of a `def`."""
    if not isinstance(node, ast.FunctionDef):
        raise PerceusError("a function is a plain def", span=source.head(node))
    return deep(partial(Statements(source).function, node))


def data(source: Source, node: ast.AST) -> sx.DataSyntax:
    """The surface syntax of a class of constructors."""
    span = _require_class(source, node, "a data type")
    assert isinstance(node, ast.ClassDef)
    constructors = []
    for statement in _statements(node):
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
                names, fields = _fields(source, annotation)
                constructors.append(sx.ConstructorSyntax(name, fields, names, span=source.span(statement)))
            case _:
                place = source.span(statement)
                raise PerceusError("a constructor is written Name: (types of its fields)", span=place, code="E718")
    if not constructors:
        raise PerceusError(f"the data type {node.name} has no constructors", span=span, code="E718")
    typevars = (*typevar_names(node), *_generic(source, node))
    return sx.DataSyntax(node.name, typevars, tuple(constructors), span=span)


def _fields(source: Source, annotation: ast.expr) -> tuple[tuple[str, ...], tuple[ast.expr, ...]]:
    """`(A, B)`, `A`, or with names `{a: A, b: B}`."""
    match annotation:
        case ast.Tuple(elts=fields):
            return (), tuple(fields)
        case ast.Dict(keys=[_, *_] as keys, values=fields):
            names = tuple(key.id for key in keys if isinstance(key, ast.Name))
            if len(names) != len(keys) or len(set(names)) != len(names):
                message = "fields have different names: {x: i64, y: i64}"
                raise PerceusError(message, span=source.span(annotation), code="E718")
            return names, tuple(fields)
        case _:
            return (), (annotation,)


def record(source: Source, node: ast.AST) -> sx.DataSyntax:
    """The surface syntax of a class of fields, which is a data type of one constructor."""
    span = _require_class(source, node, "a record")
    assert isinstance(node, ast.ClassDef)
    names, fields = [], []
    for statement in _statements(node):
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None) if name not in names:
                names.append(name)
                fields.append(annotation)
            case _:
                place = source.span(statement)
                raise PerceusError("a field of a record is written name: type, once", span=place, code="E718")
    made = sx.ConstructorSyntax(node.name, tuple(fields), tuple(names), span=span)
    return sx.DataSyntax(node.name, (*typevar_names(node), *_generic(source, node)), (made,), True, span=span)


def exception(source: Source, node: ast.AST) -> sx.ConstructorSyntax:
    """The surface syntax of a class of fields, which is an exception."""
    span = _require_class(source, node, "an exception")
    assert isinstance(node, ast.ClassDef)
    names, fields = [], []
    for statement in _statements(node):
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
                names.append(name)
                fields.append(annotation)
            case _:
                place = source.span(statement)
                raise PerceusError("a field of an exception is written name: type", span=place, code="E718")
    return sx.ConstructorSyntax(node.name, tuple(fields), tuple(names), span=span)


def _require_class(source: Source, node: ast.AST, what: str) -> Span:
    if not isinstance(node, ast.ClassDef):
        raise PerceusError(f"{what} is a class", span=source.head(node), code="E718")
    return source.head(node)


def _statements(node: ast.ClassDef) -> list[ast.stmt]:
    """The body without documentation and `pass`."""
    return [each for each in node.body if not (isinstance(each, ast.Pass) or _is_text(each))]


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)
    )


def _generic(source: Source, node: ast.ClassDef) -> list[str]:
    names: list[str] = []
    for base in node.bases:
        match base:
            case ast.Subscript(value=ast.Name(id="Generic") | ast.Attribute(attr="Generic"), slice=ast.Name(id=name)):
                names.append(name)
            case ast.Subscript(value=ast.Name(id="Generic") | ast.Attribute(attr="Generic"), slice=ast.Tuple(elts=items)):
                names.extend(ast.unparse(item) for item in items)
            case _:
                raise PerceusError("a data type has no base but Generic[T]", span=source.span(base), code="E718")
    return names


def foreign_function(source: Source, node: ast.AST) -> sx.Function:
    """The `def` of a foreign function, whose body is `...` or a text."""
    if not isinstance(node, ast.FunctionDef):
        raise PerceusError("a foreign function is a plain def", span=source.head(node))
    if not all(isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in node.body):
        raise PerceusError("a foreign function has no body: ...", span=source.span(node.body[0]), code="E718")
    node.body = [ast.copy_location(ast.Pass(), node.body[0])]
    return function(source, node)


def foreign(syntax: sx.Function, scope: Scope, symbol: str, header: str | None) -> ForeignDef:
    """A C function. Whether a parameter that is counted is owned or borrowed must be said."""
    for param in syntax.params:
        if ownership(param.annotation) in (None, "foreign") and not _is_plain(param.annotation):
            raise PerceusError(
                f"parameter {param.name} of a foreign function must say who owns it",
                span=param.span,
                notes=(f"hint: borrowed[{ast.unparse(param.annotation)}], or owned[...] if the C function releases it",),
                code="E718",
            )
    return ForeignDef(syntax.name, syntax, scope, symbol, header)


def _is_plain(annotation: ast.expr) -> bool:
    plain = {"bool", "f32", "f64", *(f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64))}
    return isinstance(annotation, ast.Name) and annotation.id in plain


def parse_program(text: str, file: str = "<program>", scope: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The definitions in a text of decorated classes and functions, `T = TypeVar("T")` and constants, by name.

    The text is not run. `scope` holds what it may use besides: kernels, constants, definitions of other programs.

    Raises:
        PerceusError: it is not in the functional language.
    """
    try:
        source, tree = parse_text(text, file)
    except ParseError as error:
        raise PerceusError(error.message, span=error.span, notes=error.notes) from None
    names: dict[str, Any] = dict(scope or {})
    own = Scope(names)
    made: dict[str, Any] = {}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="TypeVar"), args=[_], keywords=[])):
                made[name] = TypeVar(name)
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="TypeVar"), args=[_], keywords=[bound])
            ):
                made[name] = TypeVar(name, bound=ast.unparse(bound.value).strip("'\""))
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=value)):
                made[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=value)):
                made[name] = value
            case ast.Import() | ast.ImportFrom():
                continue
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                made[name] = _decorated(source, node, own)
            case ast.Expr(value=ast.Constant(value=str())):
                continue
            case _:
                raise PerceusError("a program consists of decorated classes and functions", span=source.span(node))
        names.update(made)
    return made


def _decorated(source: Source, node: ast.ClassDef | ast.FunctionDef, scope: Scope) -> Any:
    decorators = [ast.unparse(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list]
    match node, decorators:
        case ast.ClassDef(), ["data"]:
            return data_def(data(source, node), scope, source.file, None)
        case ast.ClassDef(), ["record"]:
            return data_def(record(source, node), scope, source.file, None)
        case ast.ClassDef(), ["exception"]:
            return exception_def(exception(source, node), scope)
        case ast.FunctionDef(), [*promises, "fun"] if set(promises) <= {"fbip", "no_alloc", "inline", "specialize", "order"}:
            made = FunDef(node.name, function(source, node), scope)
            for promise in promises:
                if promise == "order":
                    set_order(made)
                else:
                    setattr(made, promise, True)
            return made
        case ast.FunctionDef(), ["foreign"]:
            symbol, header = _foreign_options(source, node.decorator_list[0])
            return foreign(foreign_function(source, node), scope, symbol or node.name, header)
        case _:
            raise PerceusError("expected @data, @record, @fun, @exception or @foreign", span=source.head(node))


def data_def(syntax: sx.DataSyntax, scope: Scope, module: str, doc: str | None) -> DataDef:
    """A data type with a Python class of its own."""
    names = [(each.name, each.names or tuple(f"_{i}" for i in range(len(each.fields)))) for each in syntax.constructors]
    python: Any = make_class(syntax.name, names, module, doc, is_record=syntax.is_record)
    python.__usl_definition__ = DataDef(syntax.name, syntax.typevars, syntax, scope, python=python)
    made: DataDef = python.__usl_definition__
    return made


def set_order(fun: FunDef) -> None:
    """Makes a function the order of the data type that it compares.

    Raises:
        PerceusError: it does not take two values of one data type, with any types for its variables, or has no result i64; or
        the type has another order already.
    """
    own = signature(fun)
    match own.params:
        case [App(head=DataDef() as data, args=args), second] if second == own.params[0] and own.result == I64:
            if len(set(args)) == len(args) and all(isinstance(arg, Rigid) for arg in args):
                if data.own.get("order", fun).name != fun.name:
                    raise PerceusError(f"{data.name} has an order already", span=fun.span, code="E718")
                data.own["order"] = fun
                return
    hint = "hint: def compare(a: D[T], b: D[T]) -> i64, which is negative if a comes before b, and 0 if neither does"
    raise PerceusError("an order compares two values of one data type", span=fun.span, notes=(hint,), code="E718")


def exception_def(syntax: sx.ConstructorSyntax, scope: Scope) -> ExceptionDef:
    """An exception with a Python class of its own."""
    return ExceptionDef(syntax.name, syntax, scope, type(syntax.name, (FunctionalException,), {}))


def _foreign_options(source: Source, decorator: ast.expr) -> tuple[str | None, str | None]:
    if not isinstance(decorator, ast.Call):
        return None, None
    symbol: str | None = None
    header: str | None = None
    match decorator.args:
        case []:
            pass
        case [ast.Constant(value=str() as symbol)]:
            pass
        case _:
            raise _foreign_form(source, decorator)
    match decorator.keywords:
        case []:
            pass
        case [ast.keyword(arg="header", value=ast.Constant(value=str() as header))]:
            pass
        case _:
            raise _foreign_form(source, decorator)
    return symbol, header


def _foreign_form(source: Source, decorator: ast.expr) -> PerceusError:
    return PerceusError('expected @foreign("symbol", header="file.h")', span=source.span(decorator))
