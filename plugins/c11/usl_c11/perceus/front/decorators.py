"""`@data`, `@fun`, `@foreign`, `@exception`, and the promises `@fbip`, `@no_alloc`, `@inline` on top of `@fun`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, overload

from usl_c11.perceus.errors import PerceusError
from usl_c11.perceus.front import module
from usl_c11.perceus.front.definitions import ForeignDef, FunDef, Scope
from usl_c11.perceus.front.lower import Lowered, lower
from usl_c11.perceus.front.values import Value

C = TypeVar("C")


class Function:
    """A function of the language, checked and compiled when it is first used, so that it may use what is defined later."""

    def __init__(self, definition: FunDef) -> None:
        self.__usl_definition__ = definition
        self._lowered: Lowered | None = None
        self.__name__ = definition.name

    def name(self) -> str:
        return self.__usl_definition__.name

    def core(self) -> Lowered:
        """The program of this function and everything that it uses.

        Raises:
            PerceusError: something in it is ill-typed.
        """
        if self._lowered is None:
            self._lowered = lower([self.__usl_definition__])
        return self._lowered

    def __repr__(self) -> str:
        return f"<fun {self.name()}>"


class Foreign:
    """A C function that programs can call."""

    def __init__(self, definition: ForeignDef) -> None:
        self.__usl_definition__ = definition
        self.__name__ = definition.name

    def __repr__(self) -> str:
        return f"<foreign {self.__usl_definition__.symbol}>"


def fun(function: Callable[..., Any]) -> Function:
    """Decorator: a Python function becomes one of the functional language. Its text is read; Python never runs it.

    Raises:
        PerceusError: the text is missing, or uses statements that the language does not have.
    """
    source, node = module.parse(function)
    return Function(FunDef(node.name, module.function(source, node), _scope(function, _caller_locals())))


def data(cls: type) -> Any:
    """Decorator: a class of `Constructor: (types of its fields)` becomes a data type.

    Type variables are declared by `Generic[T]` as the base (or in brackets, from Python 3.12 on).
    """
    source, node = module.parse(cls)
    syntax = module.data(source, node)
    return module.data_def(syntax, _class_scope(cls, _caller_locals()), cls.__module__, cls.__doc__).python


def exception(cls: type) -> Any:
    """Decorator: a class of `field: type` becomes an exception; for Python an exception class with its fields as args."""
    source, node = module.parse(cls)
    made = module.exception_def(module.exception(source, node), _class_scope(cls, _caller_locals()))
    made.python.__module__ = cls.__module__
    made.python.__usl_definition__ = made  # type: ignore[attr-defined]
    return made.python


@overload
def foreign(function: Callable[..., Any], /) -> Foreign: ...


@overload
def foreign(symbol: str | None = None, /, *, header: str | None = None) -> Callable[[Callable[..., Any]], Foreign]: ...


def foreign(function: Any = None, /, *, header: str | None = None) -> Any:
    """Decorator: a Python function without a body declares a C function, `@foreign` or `@foreign("symbol", header="file.h")`.

    Parameters of types that are counted say who owns them: `borrowed[T]`, or `owned[T]` if the C function releases it.
    """
    local = _caller_locals()

    def declare(declared: Callable[..., Any]) -> Foreign:
        source, node = module.parse(declared)
        symbol = function if isinstance(function, str) else node.name
        syntax = module.foreign_function(source, node)
        return Foreign(module.foreign(syntax, _scope(declared, local), symbol, header))

    return declare(function) if callable(function) else declare


def fbip(function: Function) -> Function:
    """Promise: on unique arguments the function allocates nothing and its stack does not grow; otherwise compilation fails.

    Reference: Reinking 2022, §4.2.6.
    """
    return _promised(function, "fbip", fbip=True)


def no_alloc(function: Function) -> Function:
    """Promise: on unique arguments the function allocates nothing; otherwise compilation fails."""
    return _promised(function, "no_alloc", no_alloc=True)


def inline(function: Function) -> Function:
    """Ask for the function to be inlined where it is called."""
    return _promised(function, "inline", inline=True)


def _promised(function: Function, name: str, **promise: bool) -> Function:
    if not isinstance(function, Function):
        raise PerceusError(f"@{name} stands above @fun", notes=(f"hint: @{name} on the line before @fun",))
    definition = function.__usl_definition__
    for attribute, value in promise.items():
        setattr(definition, attribute, value)
    return function


def _caller_locals() -> Mapping[str, Any]:
    """The local names where the decorator stands, two frames above this one; none at module level, whose names stay live."""
    frame = sys._getframe(2)
    return {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)


def _scope(function: Callable[..., Any], local: Mapping[str, Any]) -> Scope:
    code = getattr(function, "__code__", None)
    cells = dict(zip(code.co_freevars if code else (), getattr(function, "__closure__", None) or (), strict=False))
    return Scope(getattr(function, "__globals__", {}), local, cells)


def _class_scope(cls: type, local: Mapping[str, Any]) -> Scope:
    owner = sys.modules.get(cls.__module__)
    return Scope(vars(owner) if owner is not None else {}, local)


__all__ = ["Foreign", "Function", "Value", "data", "exception", "fbip", "foreign", "fun", "inline", "no_alloc"]
