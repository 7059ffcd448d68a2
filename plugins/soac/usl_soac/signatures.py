"""The type that a function declares: `def f(x: f64[n, m], k: i64) -> f64[_]`.

In a parameter a new name binds a size; a bound one, an i64 parameter, a number, or a term of these must agree with the
argument. In the result a term over bound names is a promise; a name that nothing binds is a size that comes with the result,
`_` one of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from usl_core.errors import Span
from usl_core.frontend.source import Source
from usl_core.ir.sym import Sym
from usl_soac import sizes
from usl_soac.core import Type
from usl_soac.scalars import I64, SCALARS
from usl_soac.sizes import Term
from usl_soac.text import SIZE_UNKNOWN, ill_typed, refuse


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar or an array as declared."""

    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Tuple:
    """`tuple[A, B]`."""

    items: tuple[Declared, ...]


Declared = Leaf | Tuple
Size = Callable[[ast.expr], Term | None]


@dataclass(frozen=True, slots=True)
class Formal:
    """A parameter; one name of the core for each leaf."""

    name: str
    declared: Declared
    names: tuple[Sym, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function declares; `sizes` in the order in which parameters bind them."""

    name: str
    sizes: Mapping[str, Sym]
    params: tuple[Formal, ...]
    exists: tuple[Sym, ...]
    result: Declared
    span: Span
    result_span: Span


def leaves(declared: Declared) -> Iterator[Leaf]:
    """The scalars and arrays of a declared type."""
    if isinstance(declared, Tuple):
        for item in declared.items:
            yield from leaves(item)
    else:
        yield declared


def signature(source: Source, node: ast.FunctionDef) -> Signature:
    """The type that a `def` declares.

    Raises:
        SoacError: a type is missing or is none, or nothing gives a size.
    """
    return _Reader(source).signature(node)


def local_type(source: Source, annotation: ast.expr, names: Mapping[str, Term]) -> Declared:
    """The type in an annotation whose sizes are terms over names; `_` is any size.

    Raises:
        SoacError: it is none.
    """
    return _Reader(source).local(annotation, names)


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.bound: dict[str, Sym] = {}
        self.scalars: dict[str, Sym] = {}
        """Parameters of type i64."""
        self.exists: dict[str, Sym] = {}
        self.anonymous: list[Sym] = []
        self.once: dict[str, ast.Name] = {}
        """New names in the result that stand there once so far."""

    def signature(self, node: ast.FunctionDef) -> Signature:
        args = node.args
        span = self.source.head(node)
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults or args.kw_defaults:
            raise refuse("parameters are plain names with types, without defaults and stars", span)
        if getattr(node, "type_params", None):
            raise refuse("a function of arrays has no type parameters; sizes are bound by the parameters' types", span)
        seen: set[str] = set()
        for arg in args.args:
            if arg.annotation is None:
                raise ill_typed(f"the parameter {arg.arg} has no type", self.source.span(arg), f"hint: {arg.arg}: f64[n]")
            if arg.arg in seen:
                raise refuse(f"two parameters are called {arg.arg}", self.source.span(arg))
            seen.add(arg.arg)
        if node.returns is None:
            raise ill_typed(f"{node.name} has no result type", span, "hint: write -> f64[_] if the size is any")
        self._bind(node)
        params = tuple(self._formal(arg) for arg in args.args)
        bound = dict(self.bound)
        result = self._declared(node.returns, self._result_size)
        for name, place in self.once.items():
            message = f"nothing gives the size {name}; write _ if any size is meant"
            raise refuse(message, self.source.span(place), code=SIZE_UNKNOWN)
        exists = (*self.exists.values(), *self.anonymous)
        return Signature(node.name, bound, params, exists, result, span, self.source.span(node.returns))

    def _bind(self, node: ast.FunctionDef) -> None:
        """The sizes that stand alone as a dimension of a parameter, first of all: terms may use them before."""
        for arg in node.args.args:
            if isinstance(arg.annotation, ast.Name) and arg.annotation.id == "i64":
                self.scalars[arg.arg] = Sym(arg.arg)
        for arg in node.args.args:
            assert arg.annotation is not None
            for each in _alone(arg.annotation):
                if each.id == "_":
                    raise refuse("a size of a parameter has a name", self.source.span(each))
                if each.id in SCALARS:
                    raise refuse(f"{each.id} is a type, no size", self.source.span(each))
                if each.id not in self.scalars and each.id not in self.bound:
                    self.bound[each.id] = Sym(each.id)

    def _formal(self, arg: ast.arg) -> Formal:
        assert arg.annotation is not None
        declared = self._declared(arg.annotation, self._parameter_size)
        if arg.arg in self.bound:
            raise refuse(f"{arg.arg} is a parameter and a size", self.source.span(arg))
        count = len(list(leaves(declared)))
        names = (
            (self.scalars[arg.arg],)
            if arg.arg in self.scalars
            else (Sym(arg.arg),)
            if isinstance(declared, Leaf)
            else tuple(Sym(f"{arg.arg}_{i}") for i in range(count))
        )
        return Formal(arg.arg, declared, names, self.source.span(arg))

    # ---- types

    def local(self, annotation: ast.expr, names: Mapping[str, Term]) -> Declared:
        return self._declared(annotation, lambda node: self._term(node, names))

    def _terms(self) -> Mapping[str, Term]:
        return {name: sizes.name(sym) for name, sym in {**self.scalars, **self.bound}.items()}

    def _declared(self, node: ast.expr, size: Size) -> Declared:
        span = self.source.span(node)
        match node:
            case ast.Name(id=name) if name in SCALARS:
                return Leaf(Type(SCALARS[name]), span)
            case ast.Subscript(value=ast.Name(id="tuple"), slice=inner):
                items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                if not items:
                    raise ill_typed("a tuple has components: tuple[f64, i64]", span)
                return Tuple(tuple(self._declared(item, size) for item in items))
            case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in SCALARS:
                return Leaf(Type(SCALARS[name], tuple(size(each) for each in _dims(inner))), span)
            case ast.Subscript(value=ast.Subscript(value=ast.Name(id="tuple")) as rows, slice=inner):
                return self._array_of(self._declared(rows, size), tuple(size(each) for each in _dims(inner)))
            case ast.Constant(value=str()):
                raise ill_typed("a type is not written in quotes", span, "hint: from __future__ import annotations")
            case _:
                hint = "hint: f64, i32[n], f32[n, 2 * m], tuple[f64[n], i64]"
                raise ill_typed(f"{ast.unparse(node)} is no type of this language", span, hint)

    def _array_of(self, declared: Declared, dims: tuple[Term | None, ...]) -> Declared:
        if isinstance(declared, Tuple):
            return Tuple(tuple(self._array_of(item, dims) for item in declared.items))
        return Leaf(Type(declared.type.scalar, (*dims, *declared.type.dims)), declared.span)

    # ---- sizes

    def _parameter_size(self, node: ast.expr) -> Term:
        term = self._term(node, self._terms())
        assert term is not None
        if any(len(monomial) > 1 or not all(isinstance(atom, Sym) for atom in monomial) for monomial, _ in term.parts):
            raise refuse("a size of a parameter is a name or a sum of multiples of names", self.source.span(node))
        return term

    def _result_size(self, node: ast.expr) -> Term:
        match node:
            case ast.Name(id="_"):
                self.anonymous.append(Sym("k"))
                return sizes.name(self.anonymous[-1])
            case ast.Name(id=name) if name not in self.bound and name not in self.scalars and name not in SCALARS:
                if name in self.exists:
                    self.once.pop(name, None)
                else:
                    self.exists[name] = Sym(name)
                    self.once[name] = node
                return sizes.name(self.exists[name])
            case _:
                term = self._term(node, self._terms())
                assert term is not None
                return term

    def _term(self, node: ast.expr, names: Mapping[str, Term]) -> Term | None:
        span = self.source.span(node)
        match node:
            case ast.Name(id="_"):
                return None
            case ast.Name(id=name):
                if name not in names:
                    raise refuse(f"nothing gives the size {name}", span, code=SIZE_UNKNOWN)
                return names[name]
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return sizes.literal(value)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -self._inner(inner, names)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._inner(left, names) + self._inner(right, names)
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return self._inner(left, names) - self._inner(right, names)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return self._inner(left, names) * self._inner(right, names)
            case ast.BinOp(left=left, op=ast.FloorDiv(), right=ast.Constant(value=int() as divisor)) if divisor > 0:
                return self._inner(left, names) // divisor
            case ast.Call(func=ast.Name(id="min" | "max" as which), args=[_, _, *_] as args, keywords=[]):
                terms = [self._inner(arg, names) for arg in args]
                return sizes.minimum(*terms) if which == "min" else sizes.maximum(*terms)
            case ast.Slice():
                raise refuse("a size is a number, a name, or a term: f64[2 * n]", span)
            case _:
                raise refuse(f"{ast.unparse(node)} is no size: a size is a number, a name, or a sum or product of these", span)

    def _inner(self, node: ast.expr, names: Mapping[str, Term]) -> Term:
        term = self._term(node, names)
        if term is None:
            raise refuse("_ stands alone", self.source.span(node))
        return term


def is_i64(declared: Declared) -> bool:
    """Whether sizes may mention a parameter of this type."""
    return isinstance(declared, Leaf) and declared.type == Type(I64)


def _dims(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def _alone(annotation: ast.expr) -> Iterator[ast.Name]:
    """The names that are a dimension by themselves."""
    match annotation:
        case ast.Subscript(value=ast.Name(id="tuple"), slice=inner):
            for item in _dims(inner):
                yield from _alone(item)
        case ast.Subscript(value=value, slice=inner):
            yield from _alone(value)
            yield from (each for each in _dims(inner) if isinstance(each, ast.Name))
        case _:
            pass
