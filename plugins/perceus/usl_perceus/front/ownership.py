"""Borrowed parameters are only looked at: not returned, not stored, not captured, not given to what would own them.

The parts that a match takes out of a borrowed value are values of their own, and may be used in any way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn, assert_never

from usl_core.errors import Span
from usl_perceus import prims
from usl_perceus.errors import PerceusError
from usl_perceus.front import patterns as pt
from usl_perceus.front import syntax as sx
from usl_perceus.front.builtins import is_part
from usl_perceus.front.definitions import Signature
from usl_perceus.front.free_names import names_in
from usl_perceus.front.inference import is_enumeration
from usl_perceus.front.resolve import signature
from usl_perceus.front.typed import (
    BuiltinUse,
    ConUse,
    FieldUse,
    ForeignUse,
    FunUse,
    KernelUse,
    NestedUse,
    PrimUse,
    Typed,
    UpdateUse,
)
from usl_perceus.front.types import BOOL, STR, UNIT, Type, is_number, resolve

Borrowed = Mapping[str, Span]
"""The variables that are borrowed, with the parameter that each comes from."""


def check_ownership(syntax: sx.Function, own: Signature, typed: Typed) -> None:
    """Checks a function and those nested in it.

    Raises:
        PerceusError: a borrowed parameter is used as if it were owned.
    """
    _Ownership(typed).function(syntax, own)


def is_counted(type_: Type) -> bool:
    """Whether values of the type may hold references."""
    type_ = resolve(type_)
    return not (is_number(type_) or type_ in (BOOL, UNIT) or is_enumeration(type_))


class _Ownership:
    def __init__(self, typed: Typed) -> None:
        self._typed = typed

    def function(self, syntax: sx.Function, own: Signature) -> None:
        borrowed = {
            param.name: param.span
            for param, type_, is_borrowed in zip(syntax.params, own.params, own.borrowed, strict=True)
            if is_borrowed and is_counted(type_)
        }
        self._owned(syntax.body, borrowed, "returned")

    def _owned(self, node: sx.Expr, borrowed: Borrowed, how: str) -> None:
        """node where its value is owned; how says what would become of it."""
        node = self._typed.calls.get(node, node)
        match node:
            case sx.Name(name=name):
                if name in borrowed:
                    _refuse(name, how, node.span, borrowed)
            case sx.Literal():
                return
            case sx.Tuple(items=items):
                self._all(items, borrowed, "stored in a tuple")
            case sx.ArrayLiteral(items=items):
                self._all(items, borrowed, "stored in an array")
            case sx.Call():
                self._call(node, borrowed)
            case sx.Attribute(owner=owner):
                if isinstance(self._typed.uses.get(node), FieldUse | None):
                    self._looked_at(owner, borrowed)
            case sx.Index(array=array, index=index):
                self._looked_at(array, borrowed)
                self._owned(index, borrowed, how)
            case sx.Unary(operand=operand):
                self._looked_at(operand, borrowed)
            case sx.Binary(op=op, left=left, right=right):
                joins = op == "+" and resolve(self._typed.types[left]) == STR
                look: Callable[[sx.Expr, Borrowed], None] = self._joined if joins else self._looked_at
                look(left, borrowed)
                look(right, borrowed)
            case sx.If(condition=condition, then=then, orelse=orelse):
                self._owned(condition, borrowed, how)
                self._owned(then, borrowed, how)
                self._owned(orelse, borrowed, how)
            case sx.Match():
                self._match(node, borrowed, how)
            case sx.Let():
                self._let(node, borrowed, how)
            case sx.Lambda(body=body, params=params):
                self._captured(node, borrowed, {name for name, _ in params})
                self._owned(body, {}, how)
            case sx.LetFunctions(functions=functions, body=body):
                for function in functions:
                    self._captured(function.body, borrowed, {param.name for param in function.params})
                    self.function(function, self._typed.signatures[function])
                self._owned(body, _without(borrowed, {function.name for function in functions}), how)
            case sx.Raise(value=value):
                if isinstance(value, sx.Call):
                    self._all(value.args, borrowed, "raised")
            case sx.Try(body=body, then=then, handlers=handlers):
                self._owned(body, borrowed, how if then is None else "assigned")
                if then is not None:
                    self._owned(then, _without(borrowed, _names(self._typed.patterns[node])), how)
                for handler in handlers:
                    names = _names(self._typed.patterns[handler]) if handler.pattern is not None else set()
                    self._owned(handler.body, _without(borrowed, names), how)
            case sx.SetValue(reference=reference, value=value):
                self._looked_at(reference, borrowed)
                self._owned(value, borrowed, "stored in a ref")
            case sx.Join(params=params, rest=rest, body=body):
                self._owned(body, borrowed, how)
                self._owned(rest, _without(borrowed, set(params)), how)
            case sx.Loop(params=params, start=start, body=body):
                self._all(start, borrowed, "assigned in a loop")
                self._owned(body, _without(borrowed, set(params)), how)
            case sx.Begin(source=source):
                self._looked_at(source, borrowed)
            case sx.Step(body=body, orelse=orelse):
                self._owned(body, _without(borrowed, _names(self._typed.patterns[node])), how)
                self._owned(orelse, borrowed, how)
            case sx.Jump(args=args):
                self._all(args, borrowed, "assigned on several paths")
            case _:
                assert_never(node)

    def _all(self, nodes: Sequence[sx.Expr], borrowed: Borrowed, how: str) -> None:
        for node in nodes:
            self._owned(node, borrowed, how)

    def _looked_at(self, node: sx.Expr, borrowed: Borrowed) -> None:
        """node where its value is borrowed for a moment."""
        if not isinstance(node, sx.Name):
            self._owned(node, borrowed, "kept")

    def _joined(self, node: sx.Expr, borrowed: Borrowed) -> None:
        self._owned(node, borrowed, "concatenated, which may reuse its memory")

    def _captured(self, node: sx.Expr, borrowed: Borrowed, own: set[str]) -> None:
        for name in names_in(node):
            if name.name in borrowed and name.name not in own:
                _refuse(name.name, "captured by a function", name.span, borrowed)

    def _call(self, node: sx.Call, borrowed: Borrowed) -> None:
        use = self._typed.uses.get(node.function)
        match use:
            case FunUse() | PrimUse() if isinstance(node.function, sx.Attribute) and self._is_method(node.function):
                # Methods of strings look at the string; what they take as well they own if it becomes a part of the result.
                self._looked_at(node.function.owner, borrowed)
                kept = (True,) * len(node.args) if isinstance(use, PrimUse) else signature(use.fun).borrowed[1:]
                self._arguments(node.args, kept, node.function.name, borrowed)
            case PrimUse(prim=prim):
                self._arguments(node.args, prims.borrowed(prim.op, len(node.args)), prim.name, borrowed)
            case FunUse(fun=fun):
                self._arguments(self._given(node), signature(fun).borrowed, fun.name, borrowed)
            case ForeignUse(foreign=foreign):
                self._arguments(self._given(node), signature(foreign).borrowed, foreign.name, borrowed)
            case NestedUse(function=function):
                self._arguments(self._given(node), self._typed.signatures[function].borrowed, function.name, borrowed)
            case KernelUse(kernel=kernel, written=written):
                kept = tuple(position not in written for position in range(len(node.args)))
                arrays = [self._whole(arg, borrowed) for arg in node.args]
                self._arguments(arrays, kept, kernel.name(), borrowed)
            case ConUse(con=con):
                self._all(node.args, borrowed, f"stored in {con.name}")
            case UpdateUse():
                assert isinstance(node.function, sx.Attribute)
                self._owned(node.function.owner, borrowed, "changed")
                self._all(node.args, borrowed, "stored in a field")
            case BuiltinUse(name="len" | "hash" | "slice" | "in" | "ord" | "int" | "float"):
                for arg in node.args:
                    self._looked_at(arg, borrowed)
            case BuiltinUse(name=("array.set" | "array.swap" | "array.take" | "array.modify")):
                assert isinstance(node.function, sx.Attribute)
                self._owned(node.function.owner, borrowed, "changed")
                self._all(node.args, borrowed, "stored in an array")
            case BuiltinUse(name=("cell.swap" | "cell.take" | "cell.modify")):
                assert isinstance(node.function, sx.Attribute)
                self._looked_at(node.function.owner, borrowed)
                self._all(node.args, borrowed, "stored in a ref")
            case BuiltinUse(name=name):
                self._all(node.args, borrowed, f"passed to {name}")
            case _:
                self._owned(node.function, borrowed, "called, which uses it up")
                self._all(node.args, borrowed, "passed to a function value, which owns its arguments")

    def _whole(self, node: sx.Expr, borrowed: Borrowed) -> sx.Expr:
        """The array of which a kernel gets a part; the limits are looked at."""
        if not is_part(node):
            return node
        array, first, last = node.args
        self._looked_at(first, borrowed)
        self._looked_at(last, borrowed)
        return array

    def _is_method(self, node: sx.Attribute) -> bool:
        return resolve(self._typed.types.get(node.owner, UNIT)) == STR

    def _given(self, node: sx.Call) -> list[sx.Expr | None]:
        """The argument of each parameter; None for those that have their default."""
        order = self._typed.arguments.get(node, range(len(node.args)))
        return [node.args[each] if isinstance(each, int) else None for each in order]

    def _arguments(self, args: Sequence[sx.Expr | None], kept: Sequence[bool], name: str, borrowed: Borrowed) -> None:
        for arg, is_kept in zip(args, kept, strict=True):
            if arg is None:
                continue
            if is_kept:
                self._looked_at(arg, borrowed)
            else:
                self._owned(arg, borrowed, f"passed to {name}, which owns this argument")

    def _let(self, node: sx.Let, borrowed: Borrowed, how: str) -> None:
        inner = dict(borrowed)
        if isinstance(node.value, sx.Name) and node.value.name in borrowed:
            inner = self._aliases(self._typed.patterns[node], borrowed[node.value.name], borrowed)
        else:
            self._owned(node.value, borrowed, "assigned")
            inner = _without(borrowed, _names(self._typed.patterns[node]))
        self._owned(node.body, inner, how)

    def _match(self, node: sx.Match, borrowed: Borrowed, how: str) -> None:
        columns = node.scrutinee.items if isinstance(node.scrutinee, sx.Tuple) else (node.scrutinee,)
        for column in columns:
            self._looked_at(column, borrowed)
        for case in node.cases:
            found: pt.Resolved = self._typed.patterns[case]
            inner = _without(borrowed, _names(found))
            rows = (found,) if len(columns) == 1 else found.args if isinstance(found, pt.Construct) else ()
            for column, pattern in zip(columns, rows, strict=False):
                if isinstance(column, sx.Name) and column.name in borrowed:
                    inner.update(dict.fromkeys(pattern.names, borrowed[column.name]))
            if case.guard is not None:
                self._owned(case.guard, inner, "kept")
            self._owned(case.body, inner, how)

    def _aliases(self, pattern: pt.Resolved, span: Span, borrowed: Borrowed) -> dict[str, Span]:
        return {**_without(borrowed, _names(pattern)), **dict.fromkeys(pattern.names, span)}


def _refuse(name: str, how: str, span: Span, borrowed: Borrowed) -> NoReturn:
    raise PerceusError(
        f"{name} is borrowed: it cannot be {how}",
        span=span,
        notes=(f"line {borrowed[name].line} borrows it", "hint: leave out borrowed[...], and the function owns the parameter"),
        code="E719",
    )


def _names(pattern: pt.Resolved) -> set[str]:
    match pattern:
        case pt.Any(names=names):
            return set(names)
        case pt.Construct(args=parts, names=names) | pt.Alternatives(items=parts, names=names):
            return {*names, *(name for part in parts for name in _names(part))}


def _without(borrowed: Borrowed, names: set[str]) -> dict[str, Span]:
    return {name: span for name, span in borrowed.items() if name not in names}
