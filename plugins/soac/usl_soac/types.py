"""A program from its functions: each is typed and becomes core, with those that it calls, callees first."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from usl_core import Procedure
from usl_core.backend import written_formals
from usl_core.deep import deep
from usl_core.errors import NOWHERE, Span
from usl_core.ir.nodes import Arg
from usl_core.ir.sym import Sym
from usl_core.ir.types import B8, ControlType, ScalarType, TensorType, scalar_of
from usl_perceus import Foreign
from usl_perceus import Function as FunctionalFunction
from usl_soac import core, signatures
from usl_soac.arithmetic import describe
from usl_soac.core import Function, Param, Program, Type
from usl_soac.definitions import MISSING, Definition, definition_of, member
from usl_soac.errors import SoacError
from usl_soac.scalars import BOOL, I64, SCALARS
from usl_soac.statements import Statements, fit
from usl_soac.text import ill_typed, refuse
from usl_soac.values import Block, Named, Num, Tup, Val, Value, known, leaves


def lower(root: Definition) -> Program:
    """The program of a function and all those that it uses; root is the last one.

    Raises:
        SoacError: one of them is not in the language, or ill-typed.
    """
    names: dict[Definition, str] = {}
    taken: set[str] = set()

    def name_of(definition: Definition) -> str:
        if definition not in names:
            name, number = definition.name, 1
            while name in taken:
                number += 1
                name = f"{definition.name}_{number}"
            taken.add(name)
            names[definition] = name
        return names[definition]

    made: dict[Definition, Function] = {}
    calls: dict[Definition, list[Definition]] = {}
    name_of(root)
    waiting = [root]
    while waiting:
        definition = waiting.pop()
        if definition not in made:
            lowering = Lowering(definition, name_of)
            made[definition] = deep(lowering.lowered)
            calls[definition] = lowering.called
            waiting += lowering.called
    return Program(tuple(made[each] for each in _callees_first(root, calls)))


def _callees_first(root: Definition, calls: dict[Definition, list[Definition]]) -> list[Definition]:
    order: list[Definition] = []
    entered: set[Definition] = set()

    def visit(definition: Definition) -> None:
        entered.add(definition)
        for callee in calls[definition]:
            if callee not in entered:
                visit(callee)
        order.append(definition)

    deep(partial(visit, root))
    return order


class Lowering(Statements):
    """One function becomes core."""

    def __init__(self, definition: Definition, name_of: Callable[[Definition], str]) -> None:
        self.definition = definition
        self.source = definition.source
        self.called: list[Definition] = []
        self._name_of = name_of

    def lowered(self) -> Function:
        """The function in core.

        Raises:
            SoacError: it is not in the language, or ill-typed.
        """
        definition, declared = self.definition, self.definition.signature
        env: dict[str, Value] = {}
        params: list[Param] = []
        for name, size in declared.sizes.items():
            env[name] = Val(size, Type(I64))
        for formal in declared.params:
            parts = list(signatures.leaves(formal.declared))
            values = []
            for sym, leaf in zip(formal.names, parts, strict=True):
                params.append(Param(sym, leaf.type, span=formal.span))
                values.append(Val(sym, known(leaf.type.rank, leaf.type.scalar)))
            env[formal.name] = _value(formal.declared, iter(values))
        block = Block()
        _, value = self.sequence(definition.node.body, env, block, frozenset(), declared.result)
        if value is None:
            raise refuse(f"{definition.name} ends without a result", definition.span, "hint: return one")
        end = self.span(definition.node.body[-1])
        results = [each for each in leaves(fit(value, declared.result, end)) if isinstance(each, Val)]
        return Function(
            self._name_of(definition),
            tuple(declared.sizes.values()),
            tuple(params),
            declared.exists,
            tuple(leaf.type for leaf in signatures.leaves(declared.result)),
            block.body(results, end),
            promises=frozenset(definition.promises),
            promise=declared.result_span,
            span=definition.span,
        )

    # ---- what Python has

    def lookup(self, name: str) -> Any:
        """A function that programs can call, or a number."""
        return _usable(self.definition.scope.get(name))

    def attribute(self, node: ast.Attribute) -> Any:
        """The same for `module.name`."""
        return _usable(member(self.definition.scope, node))

    def names(self) -> Sequence[str]:
        """Names to suggest."""
        return [name for name in self.definition.scope.names() if self.lookup(name) is not None]

    def object_arity(self, named: Named) -> int:
        """How many arguments a function of Python's takes."""
        definition = definition_of(named.object)
        if definition is not None:
            return len(definition.signature.params)
        if isinstance(named.object, Foreign | FunctionalFunction):
            return len(named.object.types()[0])
        assert isinstance(named.object, Procedure)
        return len(named.object.ir.args)

    def object_scalars(self, named: Named) -> Sequence[ScalarType | None]:
        """The types of elements of the parameters; None where that is a tuple."""
        definition = definition_of(named.object)
        if definition is not None:
            declared = [each.declared for each in definition.signature.params]
            return [each.type.scalar if isinstance(each, signatures.Leaf) else None for each in declared]
        if isinstance(named.object, Foreign | FunctionalFunction):
            return [SCALARS.get(each) for each in named.object.types()[0]]
        assert isinstance(named.object, Procedure)
        return [self.kernel_type(named.name, each, NOWHERE).scalar for each in named.object.ir.args]

    def call_object(self, named: Named, args: Sequence[Value], block: Block, span: Span) -> Value:
        """A call of a `@soac` function or a `@proc`."""
        arity = self.object_arity(named)
        if len(args) != arity:
            raise ill_typed(f"{named.name} takes {arity} arguments, {len(args)} given", span)
        definition = definition_of(named.object)
        if definition is not None:
            return self.call_definition(definition, args, block, span)
        if isinstance(named.object, Foreign | FunctionalFunction):
            return self.call_foreign(named.object, named.name, args, block, span)
        assert isinstance(named.object, Procedure)
        return self.call_kernel(named.object, args, block, span)

    def call_definition(self, definition: Definition, args: Sequence[Value], block: Block, span: Span) -> Value:
        """A call of a `@soac` function."""
        declared = definition.signature
        atoms = []
        for formal, arg in zip(declared.params, args, strict=True):
            try:
                fitted = fit(arg, formal.declared, span)
            except SoacError:
                needed = describe_declared(formal.declared)
                raise ill_typed(f"{definition.name}: {formal.name} is {needed}, not {describe(arg)}", span) from None
            atoms += [leaf.atom for leaf in leaves(fitted) if isinstance(leaf, Val)]
        if definition not in self.called:
            self.called.append(definition)
        types = [known(leaf.type.rank, leaf.type.scalar) for leaf in signatures.leaves(declared.result)]
        made = block.emit(core.Call(self._name_of(definition), tuple(atoms), span=span), types, span)
        return _value(declared.result, iter(made))

    def call_foreign(
        self, function: Foreign | FunctionalFunction, name: str, args: Sequence[Value], block: Block, span: Span
    ) -> Value:
        """A call of a `@fun` or `@foreign` on scalars, which has no effects."""
        params, result = function.types()
        for each in (*params, result):
            if each not in SCALARS:
                raise ill_typed(f"{name} is no function of scalars: {each}", span, "hint: call it from Python, or from a @fun")
        atoms = []
        for position, (scalar, arg) in enumerate(zip(params, args, strict=True)):
            try:
                fitted = fit(arg, signatures.Leaf(Type(SCALARS[scalar]), span), span)
            except SoacError:
                raise ill_typed(f"{name}: argument {position} is {scalar}, not {describe(arg)}", span) from None
            assert isinstance(fitted, Val)
            atoms.append(fitted.atom)
        return block.one(core.Foreign(function, tuple(atoms), span=span), Type(SCALARS[result]), span)

    def call_kernel(self, kernel: Procedure, args: Sequence[Value], block: Block, span: Span) -> Value:
        """A call of a `@proc`: what it writes, as it leaves it."""
        proc = kernel.ir
        atoms, types = [], []
        for formal, arg in zip(proc.args, args, strict=True):
            typ = self.kernel_type(kernel.name(), formal, span)
            types.append(typ)
            try:
                fitted = fit(arg, signatures.Leaf(typ, span), span)
            except SoacError:
                needed = describe_declared(signatures.Leaf(typ, span))
                message = f"{kernel.name()}: {formal.name.name} is {needed}, not {describe(arg)}"
                raise ill_typed(message, span) from None
            assert isinstance(fitted, Val)
            atoms.append(fitted.atom)
        changed = written_formals(proc)
        results = [typ for formal, typ in zip(proc.args, types, strict=True) if formal.name in changed]
        if not results:
            raise ill_typed(f"{kernel.name()} writes no argument, so that a call has no result", span)
        made = block.emit(core.Kernel(kernel, tuple(atoms), span=span), results, span)
        return made[0] if len(made) == 1 else Tup(made)

    def kernel_type(self, kernel: str, formal: Arg, span: Span) -> Type:
        """What a formal of a `@proc` is here."""
        typ = formal.type
        if isinstance(typ, ControlType):
            return Type(BOOL) if typ.name == "bool" else Type(I64)
        shape = typ.shape if isinstance(typ, TensorType) else ()
        scalar = SCALARS.get(scalar_of(typ).name)
        if scalar is None:
            message = f"{formal.name.name} of {kernel} has a type that array programs do not have"
            hint = "take it as u8, which is 0 or 1" if scalar_of(typ) == B8 else "set_precision first"
            raise ill_typed(message, span, f"hint: {hint}")
        return known(len(shape), scalar)


def describe_declared(declared: signatures.Declared) -> str:
    """A declared type in words for messages."""
    if isinstance(declared, signatures.Leaf):
        return describe(Val(Sym("x"), known(declared.type.rank, declared.type.scalar)))
    return f"a tuple of {len(declared.items)}"


def _usable(found: Any) -> Any:
    if found is MISSING:
        return None
    if isinstance(found, bool | int | float | Procedure | Foreign | FunctionalFunction) or definition_of(found) is not None:
        return found
    return None


def _value(declared: signatures.Declared, parts: Any) -> Value:
    """A value of a declared type made of its parts."""
    if isinstance(declared, signatures.Tuple):
        return Tup(tuple(_value(item, parts) for item in declared.items))
    part: Val | Num = next(parts)
    return part
