"""Looking up the names in annotations: types, signatures, the fields of constructors."""

from __future__ import annotations

import ast
import sys
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from usl_core.errors import Span
from usl_core.python_syntax import parse_python
from usl_perceus.errors import PerceusError
from usl_perceus.front import syntax as sx
from usl_perceus.front.definitions import (
    MISSING,
    ConDef,
    DataDef,
    ExceptionDef,
    ForeignDef,
    FunDef,
    Ord,
    Scope,
    Signature,
    definition,
    unknown,
)
from usl_perceus.front.types import (
    ARRAY,
    FLOATS,
    FUNCTION,
    INTEGERS,
    REF,
    THREAD,
    TUPLE,
    App,
    Rigid,
    Type,
    function,
    substitute,
)

_SCALARS = frozenset({*INTEGERS, *FLOATS, "bool", "str"})
_ONE_ARGUMENT = frozenset({REF, ARRAY, THREAD})
_OTHERS = frozenset({"tuple", "Callable"})
OWNERSHIP = ("borrowed", "owned", "foreign")


def lookup(path: Sequence[str], scope: Scope) -> Any:
    """What a dotted name means to Python, or MISSING."""
    found = scope.get(path[0])
    for name in path[1:]:
        if found is MISSING:
            return MISSING
        found = getattr(found, name, MISSING)
    return found


class Types:
    """Annotations of one definition as types. typevars: the variables that it may use; None allows any, and collects them."""

    def __init__(self, scope: Scope, file: str, span: Span, typevars: Sequence[str] | None) -> None:
        self.scope = scope
        self.span = span
        self.allowed = typevars
        self.declared: set[str] = set()
        self.found: dict[str, None] = {}
        self.ordered: set[str] = set()
        """The variables with the bound Ord."""
        self._aliases: frozenset[str] = frozenset()
        """The names whose meaning is being looked up."""

    def type(self, node: ast.expr, where: Span) -> Type:
        """The type that an annotation says. where: the place to blame, since annotations may be strings."""
        match node:
            case ast.Constant(value=None):
                return App("None")
            case ast.Constant(value=str() as text):
                return self.type(_parsed(text, where), where)
            case ast.Name() | ast.Attribute():
                return self._named(node, (), where)
            case ast.Subscript(value=ast.Name() | ast.Attribute() as head, slice=arguments):
                return self._applied(head, arguments, where)
            case _:
                raise PerceusError(f"{ast.unparse(node)} is not a type", span=where, code="E718")

    def _applied(self, head: ast.Name | ast.Attribute, arguments: ast.expr, where: Span) -> Type:
        name = _path(head)[-1]
        if name == "Callable":
            match arguments:
                case ast.Tuple(elts=[ast.List(elts=params), result]):
                    return function(tuple(self.type(param, where) for param in params), self.type(result, where))
                case _:
                    raise PerceusError("a function type is written Callable[[A, B], C]", span=where, code="E718")
        if name in OWNERSHIP:
            raise PerceusError(f"{name}[...] says how a parameter is passed; it is no type", span=where, code="E718")
        items = arguments.elts if isinstance(arguments, ast.Tuple) else [arguments]
        return self._named(head, tuple(self.type(item, where) for item in items), where)

    def _named(self, node: ast.Name | ast.Attribute, args: tuple[Type, ...], where: Span) -> Type:
        path = _path(node)
        name = path[-1]
        if len(path) == 1 and name in self.declared:
            return self._variable(name, args, where)
        found = lookup(path, self.scope)
        match definition(found):
            case DataDef() as data:
                _require_count(data.name, len(data.typevars), args, where)
                return App(data, args)
            case None:
                pass
            case other:
                raise PerceusError(f"{other.name} is not a type", span=where, code="E718")
        if isinstance(found, typing.TypeVar):
            if _has_bound(found, where):
                self.ordered.add(found.__name__)
            return self._variable(found.__name__, args, where)
        if isinstance(found, str) and name not in _SCALARS:
            return self._alias(name, found, args, where)
        if name in _SCALARS or name == "None":
            _require_count(name, 0, args, where)
            return App(name)
        if name in _ONE_ARGUMENT:
            _require_count(name, 1, args, where)
            return App(name, args)
        if name == TUPLE:
            if len(args) < 2:
                raise PerceusError("a tuple has two or more items", span=where, code="E718")
            return App(TUPLE, args)
        known = {*_SCALARS, *_ONE_ARGUMENT, *_OTHERS, *self.declared, *self._known()}
        raise unknown(".".join(path), "type", known, where)

    def _alias(self, name: str, text: str, args: tuple[Type, ...], where: Span) -> Type:
        """A name for a type, `Pair: TypeAlias = "tuple[T, T]"`; args stand for its type variables, in their order. The names in
        it are those of the module that declares it."""
        if name in self._aliases:
            message = f"the type {name} stands for itself"
            raise PerceusError(message, span=where, notes=("hint: only a data type contains itself",), code="E718")
        inner = Types(_home(text) or self.scope, self.span.file, self.span, None)
        inner._aliases = self._aliases | {name}
        meaning = inner.type(_parsed(text, where), where)
        if args:
            _require_count(name, len(inner.found), args, where)
            return substitute(meaning, dict(zip(inner.found, args, strict=True)))
        self.ordered |= inner.ordered
        for variable in inner.found:
            self._variable(variable, (), where)
        return meaning

    def _known(self) -> Iterator[str]:
        for name in self.scope.names():
            if isinstance(definition(self.scope.get(name)), DataDef):
                yield name

    def _variable(self, name: str, args: tuple[Type, ...], where: Span) -> Type:
        if args:
            raise PerceusError(f"the type variable {name} takes no arguments", span=where, code="E718")
        if self.allowed is not None and name not in self.allowed:
            raise PerceusError(f"the type variable {name} is not declared here", span=where, code="E718")
        self.found.setdefault(name)
        return Rigid(name)


def _home(text: str) -> Scope | None:
    """The names of the module that declares this very text as a type; None where none does, or a function declares it."""
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        for name, annotation in names.get("__annotations__", {}).items():
            if "TypeAlias" in str(annotation) and names.get(name) is text:
                return Scope(names)
    return None


def _has_bound(variable: typing.TypeVar, where: Span) -> bool:
    bound = variable.__bound__
    if bound is None:
        return False
    if bound is not Ord and getattr(bound, "__forward_arg__", None) != Ord.__name__:
        raise PerceusError(f"the bound of the type variable {variable.__name__} can only be Ord", span=where, code="E718")
    return True


def _require_count(name: str, count: int, args: Sequence[Type], where: Span) -> None:
    if len(args) != count:
        expected = "no type arguments" if count == 0 else f"{count} type argument{'s' if count > 1 else ''}"
        raise PerceusError(f"{name} takes {expected}, {len(args)} given", span=where, code="E718")


def _path(node: ast.expr) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=owner, attr=name):
            return (*_path(owner), name)
        case _:
            return (ast.unparse(node),)


def _parsed(text: str, where: Span) -> Any:
    try:
        return parse_python(text.strip(), "eval").body
    except SyntaxError:
        raise PerceusError(f"{text!r} is not a type", span=where, code="E718") from None


def constructors(data: DataDef) -> tuple[ConDef, ...]:
    """The constructors of a data type with the types of their fields."""
    if data.constructors is None:
        types = Types(data.scope, data.span.file, data.span, data.typevars)
        types.declared.update(data.typevars)
        made: list[ConDef] = []
        for tag, each in enumerate(data.syntax.constructors):
            if any(each.name == other.name for other in made):
                raise PerceusError(f"{data.name} has two constructors called {each.name}", span=each.span, code="E718")
            fields = tuple(types.type(field, each.span) for field in each.fields)
            made.append(ConDef(each.name, data, tag, fields, each.span, each.names))
        data.constructors = tuple(made)
    return data.constructors


def exception_fields(exception: ExceptionDef) -> tuple[Type, ...]:
    """The types of what an exception carries."""
    if exception.fields is None:
        types = Types(exception.scope, exception.span.file, exception.span, ())
        exception.fields = tuple(types.type(field, exception.span) for field in exception.syntax.fields)
    return exception.fields


def signature(fun: FunDef | ForeignDef) -> Signature:
    """The type of a function."""
    if fun.signature is None:
        fun.signature = signature_of(fun.syntax, fun.scope, None)
    return fun.signature


def defaults(fun: FunDef) -> Mapping[str, FunDef]:
    """The functions that give the defaults of fun's parameters; each call makes them anew."""
    if fun.defaults is None:
        fun.defaults = {
            param.name: FunDef(
                f"{fun.name}.{param.name}",
                sx.Function(
                    param.name, fun.syntax.typevars, (), _ownership(param.annotation)[0], param.default, span=param.default.span
                ),
                fun.scope,
                inline=True,
            )
            for param in fun.syntax.params
            if param.default is not None
        }
    return fun.defaults


def signature_of(syntax: sx.Function, scope: Scope, outer: Sequence[str] | None) -> Signature:
    """The type that a `def` says. outer: the type variables of the function around a nested one."""
    types = Types(scope, syntax.span.file, syntax.span, outer)
    types.declared.update(syntax.typevars if outer is None else outer)
    if outer is not None and syntax.typevars:
        raise PerceusError("a nested function has no type variables of its own", span=syntax.span, code="E718")
    params, borrowed, foreign = [], [], []
    for param in syntax.params:
        annotation, mode = _ownership(param.annotation)
        found = types.type(annotation, param.span)
        if mode == "foreign" and not (isinstance(found, App) and found.head == FUNCTION):
            message = "foreign[...] is a function that Python may give: foreign[Callable[[A], B]]"
            raise PerceusError(message, span=param.span, code="E718")
        params.append(found)
        borrowed.append(mode == "borrowed")
        foreign.append(mode == "foreign")
    result = types.type(syntax.result, syntax.span)
    ordered = frozenset({*types.ordered, *(syntax.ordered if outer is None else ())})
    return Signature(tuple(types.found), tuple(params), tuple(borrowed), result, ordered, tuple(foreign))


def ownership(annotation: ast.expr) -> str | None:
    """`borrowed` or `owned` if a parameter says so."""
    return _ownership(annotation)[1]


def _ownership(annotation: ast.expr) -> tuple[ast.expr, str | None]:
    match annotation:
        case ast.Constant(value=str() as text):
            try:
                return _ownership(parse_python(text.strip(), "eval").body)
            except SyntaxError:
                return annotation, None
        case ast.Subscript(value=ast.Name() | ast.Attribute() as head, slice=inner) if _path(head)[-1] in OWNERSHIP:
            return inner, _path(head)[-1]
        case _:
            return annotation, None


def visible_constructors(scope: Scope, more: Sequence[Type] = ()) -> Mapping[str, tuple[ConDef, ...]]:
    """The constructors that bare names may mean: those of the data types in scope and of the types in more."""
    datas: dict[int, DataDef] = {}
    for value in scope.values():
        found = definition(value)
        if isinstance(found, DataDef):
            datas[id(found)] = found
    for type_ in more:
        for data in _datas(type_):
            datas[id(data)] = data
    names: dict[str, tuple[ConDef, ...]] = {}
    for data in datas.values():
        for con in constructors(data):
            names[con.name] = (*names.get(con.name, ()), con)
    return names


def _datas(type_: Type) -> Iterator[DataDef]:
    if isinstance(type_, App):
        if isinstance(type_.head, DataDef):
            yield type_.head
        for arg in type_.args:
            yield from _datas(arg)


def is_abstract(type_: Type) -> bool:
    """Whether it is a data type whose fields only its own functions look at."""
    return isinstance(type_, App) and isinstance(type_.head, DataDef) and type_.head.abstract


def function_of(owner: Type, name: str) -> FunDef | None:
    """The public function of the module of a data type that takes a value of it first."""
    if not isinstance(owner, App) or not isinstance(owner.head, DataDef) or name.startswith("_"):
        return None
    fun = definition(owner.head.scope.get(name))
    if not isinstance(fun, FunDef):
        return None
    params = signature(fun).params
    return fun if params and isinstance(params[0], App) and params[0].head is owner.head else None
