"""`@data`, `@fun`, `@foreign`, `@exception`; on `@fun` `@fbip` and `@no_alloc` promise, `@inline` and `@specialize` ask, and
`@order` makes it the order of a type."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from usl_core import tracebacks
from usl_core.errors import LIBRARIES
from usl_perceus.errors import PerceusError
from usl_perceus.front import module
from usl_perceus.front.definitions import DataDef, Defined, ForeignDef, FunDef, Look, Scope
from usl_perceus.front.resolve import defaults, signature
from usl_perceus.front.types import App
from usl_perceus.front.types import show as show_type

if TYPE_CHECKING:
    from usl_perceus.explain import Allocation
    from usl_perceus.front.lower import Lowered

C = TypeVar("C")

LIBRARIES.add("usl_perceus")
tracebacks.DECORATORS.update(("data", "exception", "foreign", "fun"))
tracebacks.install()


class Function(Defined):
    """A function of the language, checked and compiled when it is first used, so that it may use what is defined later."""

    __usl_definition__: FunDef
    limited = False
    """Whether calls can be ended; that is compiled into it."""

    def __init__(self, definition: FunDef) -> None:
        self.__usl_definition__ = definition
        self._lowered: Lowered | None = None
        self._defaults: dict[str, Function] = {}
        self.entry: Callable[..., Any] | None = None
        """Calls the compiled function, once it has been called."""
        self.__name__ = definition.name

    def name(self) -> str:
        """The name that it was defined with."""
        return self.__usl_definition__.name

    def types(self) -> tuple[tuple[str, ...], str]:
        """The types of the parameters, and that of the result, as they are written."""
        return _types(self.__usl_definition__)

    def core(self) -> Lowered:
        """The program of this function and everything that it uses.

        Raises:
            PerceusError: something in it is ill-typed.
        """
        if self._lowered is None:
            from usl_perceus.front.lower import lower  # a module that only declares does without the compiler

            self._lowered = lower([self.__usl_definition__], limited=self.limited)
        return self._lowered

    def show(self, form: str = "core", *, off: Collection[str] = ()) -> str:
        """The program after the pass `form` (`core`: before the first; `c`: the C), with the optional passes off left out."""
        from usl_perceus import report

        return report.shown([self.__usl_definition__], form, off)

    def explain(self) -> str:
        """For every allocation whether and why it reuses memory."""
        from usl_perceus import report

        return report.explained([self.__usl_definition__], ())

    def allocations(self) -> list[Allocation]:
        """What `explain` says, as data: each place where memory is taken, or reused, after all passes."""
        from usl_perceus import report

        return report.allocations_of([self.__usl_definition__], ())

    def write_c(self, directory: Path, name: str | None = None) -> list[Path]:
        """Writes the C of the function and its runtime into a folder, as `usl fun -o` does; returns the paths.

        Raises:
            UslError: name, by default that of the function, is no C identifier, or a file cannot be written; then none is.
        """
        from usl_perceus import report

        return report.written([self.__usl_definition__], directory, name or self.name(), ())

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Compiles the program when it is first called, and runs it on Python's values.

        Raises:
            PerceusError: an argument has the wrong type, or the program is not well-formed.
            Exception: the program raised it.
        """
        return (self.entry or self.slowly)(*args, **named)

    def slowly(self, *args: Any, **named: Any) -> Any:
        """A call whose arguments are converted in Python."""
        from usl_perceus.python.call import call  # it needs cffi, and this module

        self.require_known_types()
        complete = self._all(args, named)
        return call(self, args) if complete is args else self(*complete)

    def require_known_types(self) -> None:
        """Refuses a generic function, which only others can call."""
        definition = self.__usl_definition__
        if signature(definition).typevars:
            hint = "hint: call it from a function whose types have no variables"
            message = f"{self.name()} is generic; Python can only call functions of known types"
            raise PerceusError(message, span=definition.span, notes=(hint,), code="E728")

    def with_limits(self, *, seconds: float | None = None) -> Limited:
        """The function, compiled so that its calls end with TimeoutError when these seconds are over, and with
        KeyboardInterrupt on Ctrl-C; what they held is given up, and the function can be used again at once.

        It asks in each recursive call and each round of a loop whether to go on. Keep it: each `with_limits` is compiled.
        """
        if seconds is not None and not seconds > 0:
            raise PerceusError(f"a time limit is a number of seconds above 0, not {seconds!r}", code="E743")
        return Limited(self.__usl_definition__, seconds)

    def _all(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """The arguments in order, with the defaults of those that are not given, if there are none too many."""
        params = self.__usl_definition__.syntax.params
        if len(args) >= len(params) and not named:
            return args
        missing = defaults(self.__usl_definition__)
        rest = params[len(args) :]
        unknown = [name for name in named if all(param.name != name for param in rest)]
        needed = [param.name for param in rest if param.name not in named and param.name not in missing]
        if unknown or needed:
            problem = (
                f"{self.name()} has no parameter {unknown[0]} left" if unknown else f"{self.name()} needs {', '.join(needed)}"
            )
            raise PerceusError(f"{problem}; {len(args) + len(named)} given", code="E743")
        for name in missing:
            self._defaults.setdefault(name, Function(missing[name]))
        return (*args, *(named[each.name] if each.name in named else self._defaults[each.name]() for each in rest))

    def __repr__(self) -> str:
        return f"<fun {self.name()}>"


class Limited(Function):
    """A function whose calls are ended when their time is up, or Ctrl-C is pressed; everything that they held is given up."""

    limited = True

    def __init__(self, definition: FunDef, seconds: float | None) -> None:
        super().__init__(definition)
        self._seconds = seconds

    def __call__(self, *args: Any, **named: Any) -> Any:
        """As `Function.__call__`.

        Raises:
            TimeoutError: the time is up. KeyboardInterrupt: Ctrl-C was pressed.
        """
        from usl_perceus.python.call import call_limited

        self.require_known_types()
        return call_limited(self, self._all(args, named), self._seconds)

    def __repr__(self) -> str:
        return f"<fun {self.name()} with limits>"


class Foreign(Defined):
    """A C function that programs can call."""

    __usl_definition__: ForeignDef

    def __init__(self, definition: ForeignDef) -> None:
        self.__usl_definition__ = definition
        self.__name__ = definition.name

    def types(self) -> tuple[tuple[str, ...], str]:
        """The types of the parameters, and that of the result, as they are written."""
        return _types(self.__usl_definition__)

    def __repr__(self) -> str:
        return f"<foreign {self.__usl_definition__.symbol}>"


def _types(definition: FunDef | ForeignDef) -> tuple[tuple[str, ...], str]:
    own = signature(definition)
    return tuple(map(show_type, own.params)), show_type(own.result)


def fun(function: Callable[..., Any]) -> Function:
    """Decorator: a Python function becomes one of the functional language. Its text is read; Python never runs it.

    Raises:
        PerceusError: the text is missing, or uses statements that the language does not have.
    """
    source, node = module.parse(function)
    return Function(FunDef(node.name, module.function(source, node), _scope(function, _caller())))


def data(cls: type) -> Any:
    """Decorator: a class of `Constructor: (types of its fields)` becomes a data type.

    Type variables are declared by `Generic[T]` as the base (or in brackets, from Python 3.12 on).
    """
    caller = _caller()
    syntax = module.data(*module.class_at(cls.__name__, caller.file, caller.line))
    return module.data_def(syntax, Scope(caller.module, caller.local), cls.__module__, cls.__doc__).python


def record(cls: type) -> Any:
    """Decorator: a class of `field: type` becomes a data type with one constructor, called like the class.

    `p.x` reads a field, `p.set(x=e)` is p with another one.
    """
    caller = _caller()
    syntax = module.record(*module.class_at(cls.__name__, caller.file, caller.line))
    return module.data_def(syntax, Scope(caller.module, caller.local), cls.__module__, cls.__doc__).python


def exception(cls: type) -> Any:
    """Decorator: a class of `field: type` becomes an exception; for Python an exception class with its fields as args."""
    caller = _caller()
    syntax = module.exception(*module.class_at(cls.__name__, caller.file, caller.line))
    made = module.exception_def(syntax, Scope(caller.module, caller.local))
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
    caller = _caller()

    def declare(declared: Callable[..., Any]) -> Foreign:
        source, node = module.parse(declared)
        symbol = function if isinstance(function, str) else node.name
        syntax = module.foreign_function(source, node)
        return Foreign(module.foreign(syntax, _scope(declared, caller), symbol, header))

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


def order(function: Function) -> Function:
    """The function compares two values of a data type, for `<` and the like wherever the type occurs: its result is negative if
    the first comes before the second, 0 if neither does.

    Raises:
        PerceusError: it does not take two values of one data type and give an i64, or the type has an order already.
    """
    _promised(function, "order")
    module.set_order(function.__usl_definition__)
    return function


def own(look: Look) -> Callable[[Function], Function]:
    """The function looks at values of its last parameter's data type instead of the one that the compiler would make. For the
    standard library: the compiler trusts that it does what `Look` says."""

    def set_own(function: Function) -> Function:
        data = signature(function.__usl_definition__).params[-1]
        assert isinstance(data, App) and isinstance(data.head, DataDef)
        data.head.own[look] = function.__usl_definition__
        return function

    return set_own


def specialize(function: Function) -> Function:
    """Ask for a copy of the function for each known function that it is called with, however large the program becomes."""
    return _promised(function, "specialize", specialize=True)


def _promised(function: Function, name: str, **promise: bool) -> Function:
    if not isinstance(function, Function):
        raise PerceusError(f"@{name} stands above @fun", notes=(f"hint: @{name} on the line before @fun",))
    definition = function.__usl_definition__
    for attribute, value in promise.items():
        setattr(definition, attribute, value)
    return function


@dataclass(frozen=True, slots=True)
class _Caller:
    """Where a decorator stands, and the names there."""

    module: Mapping[str, Any]
    local: Mapping[str, Any]
    file: str
    line: int


def _caller() -> _Caller:
    """Two frames above this one. Names of a module stay live; there are no local ones there."""
    frame = sys._getframe(2)
    local = {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)
    return _Caller(frame.f_globals, local, frame.f_code.co_filename, frame.f_lineno)


def _scope(function: Callable[..., Any], caller: _Caller) -> Scope:
    code = getattr(function, "__code__", None)
    cells = dict(zip(code.co_freevars if code else (), getattr(function, "__closure__", None) or (), strict=False))
    return Scope(caller.module, caller.local, cells)
