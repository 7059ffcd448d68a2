"""Arguments of public functions are of the kinds that the annotations say, or they are refused before anything is looked at.

The annotation `Annotated[Cursor | str, "a cursor or a pattern"]` says how a message calls that kind. True is no number, a text
is no list of its letters, and what has no annotation may be anything. Integers of NumPy are integers.
"""

from __future__ import annotations

import collections.abc as abc
import functools
import inspect
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from operator import is_
from types import FunctionType, NoneType, UnionType
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from usl_core.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")
Test = Callable[[Any], bool]


def checked(function: Callable[P, R], name: str = "") -> Callable[P, R]:
    """Decorator: arguments that the function does not take are a UsageError, which calls it name."""
    parameters = Parameters(function, name)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> R:
        args, kwargs = plain_all(args, kwargs)
        parameters.check(args, kwargs)
        return function(*args, **kwargs)

    return cast(Callable[P, R], call)


def plain_all(args: Iterable[Any], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of a call, each as `plain` gives it."""
    return tuple(map(plain, args)), {key: plain(value) for key, value in kwargs.items()}


def plain(value: Any) -> Any:
    """value with Python's integers for those of other libraries (NumPy's), in a list or tuple too."""
    if type(value) in (list, tuple):
        found = [int(each) if _is_foreign(each) else each for each in value]
        return value if all(map(is_, found, value)) else type(value)(found)
    return int(value) if _is_foreign(value) else value


def _is_foreign(value: Any) -> bool:
    return not isinstance(value, int | str) and isinstance(value, Integral)


def check_all(owner: Any, names: Iterable[str]) -> None:
    """From now on the functions with these names, of a module or of a class, refuse what they do not take."""
    for name in names:
        function = vars(owner)[name]
        if isinstance(function, FunctionType):
            setattr(owner, name, checked(function, owner.__name__ if name == "__init__" else name))


class Parameters:
    """What a function takes. Its annotations are read when it is first called, as other modules may not be loaded before."""

    def __init__(self, function: Callable[..., Any], name: str = "") -> None:
        self.function = function
        self.name = name or function.__name__
        self.signature = inspect.signature(function)
        all_ = self.signature.parameters.values()
        self.plain = [each.name for each in all_ if each.kind in (each.POSITIONAL_OR_KEYWORD, each.POSITIONAL_ONLY)]
        self.by_name = {each.name for each in all_ if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)}
        self.needed = {
            name for name in (*self.plain, *self.by_name) if self.signature.parameters[name].default is inspect.Parameter.empty
        }
        by_name = any(name not in self.plain for name in self.needed)
        self.enough = len(self.plain) + 1 if by_name else max((self.plain.index(name) + 1 for name in self.needed), default=0)
        """So many arguments by position are all that is needed."""
        self.rest = next((each.name for each in all_ if each.kind is each.VAR_POSITIONAL), "")
        self.others = next((each.name for each in all_ if each.kind is each.VAR_KEYWORD), "")

    @functools.cached_property
    def hints(self) -> Mapping[str, Any]:
        """The annotations of the parameters."""
        return get_type_hints(self.function, include_extras=True)

    @functools.cached_property
    def tests(self) -> Mapping[str, Test]:
        """For each annotated parameter, whether a value is of its kind."""
        return {name: _test(hint) for name, hint in self.hints.items() if name in self.signature.parameters}

    def check(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """They fit by number, by name and by kind.

        Raises:
            UsageError: they do not.
        """
        plain, tests = self.plain, self.tests
        if kwargs or not self.enough <= len(args) <= len(plain):
            self._fit(args, kwargs)
        for name, value in zip(plain, args, strict=False):
            if name in tests and not tests[name](value):
                self._refuse(name, name, value)
        if self.rest in tests:
            for value in args[len(plain) :]:
                if not tests[self.rest](value):
                    self._refuse(self.rest, self.rest, value)
        for key, value in kwargs.items():
            name = key if key in self.by_name else self.others
            if name in tests and not tests[name](value):
                self._refuse(name, key, value)

    def _fit(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        by_position = self.plain[: len(args)]
        if (
            (len(args) > len(self.plain) and not self.rest)
            or not self.needed <= {*by_position, *kwargs}
            or not (kwargs.keys() <= self.by_name or self.others)
            or not kwargs.keys().isdisjoint(by_position)
        ):
            self._bind(args, kwargs)

    def _bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        try:
            self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise UsageError(f"{self.name}: {error}", notes=[self._takes()]) from None

    def _refuse(self, parameter: str, name: str, value: Any) -> None:
        wanted = kind(self.hints[parameter])
        if wanted == "a Procedure" and parameter == self.plain[0]:
            hint = ["hint: a function that returns `(p, record)` is used as `p, record = ...`"] * isinstance(value, tuple)
            raise UsageError(f"{self.name}: the first argument must be a procedure, got {type(value).__name__}", notes=hint)
        raise UsageError(f"{self.name}: {name} must be {wanted}, got {shown(value)}", notes=[self._takes()])

    def _takes(self) -> str:
        return f"it takes: {', '.join(str(each).replace(chr(39), '') for each in self.signature.parameters.values())}"


def shown(value: Any) -> str:
    """A value in a message, in one short line."""
    if isinstance(value, str | int | float | bool | None | list | tuple | dict):
        return reprlib.repr(value)
    if isinstance(value, type) or callable(value):
        return f"{getattr(value, '__name__', type(value).__name__)}"
    return f"a value of type {type(value).__name__}"


_SPECIAL = (Any, object, int, float)
"""Classes of which a value is not just an instance."""


def _test(hint: Any) -> Test:
    """Whether a value is of an annotation's kind. The elements of what can be iterated once only are not looked at."""
    origin, of = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _test(of[0])
    if hint in (Any, object) or isinstance(hint, TypeVar | ParamSpec):
        return lambda value: True
    if hint is None or hint is NoneType:
        return lambda value: value is None
    if hint is int:
        return lambda value: isinstance(value, int) and not isinstance(value, bool)
    if hint is float:
        return lambda value: isinstance(value, int | float) and not isinstance(value, bool)
    if origin in (Union, UnionType):
        classes = tuple(each for each in of if get_origin(each) is None and isinstance(each, type) and each not in _SPECIAL)
        several = [_test(each) for each in of if each not in classes]
        return lambda value: isinstance(value, classes) or any(test(value) for test in several)
    if origin is Literal:
        return lambda value: any(type(value) is type(each) and value == each for each in of)
    if origin is type:
        return lambda value: isinstance(value, type) and (of[0] is Any or issubclass(value, of[0]))
    if hint is abc.Callable or origin is abc.Callable:
        return callable
    if origin is tuple and of[-1] is not ...:
        parts = [_test(each) for each in of]
        return lambda value: (
            isinstance(value, tuple)
            and len(value) == len(parts)
            and all(test(part) for test, part in zip(parts, value, strict=True))
        )
    if origin is not None and issubclass(origin, abc.Mapping):
        keys, values = _test(of[0]), _test(of[1])
        return lambda value: isinstance(value, origin) and all(keys(k) and values(v) for k, v in value.items())
    if origin is not None and issubclass(origin, abc.Iterable):
        each = _test(of[0])
        return lambda value: (
            isinstance(value, origin)
            and not isinstance(value, str | bytes)
            and (not isinstance(value, abc.Sequence | abc.Set) or all(map(each, value)))
        )
    return lambda value: isinstance(value, origin or hint)


_KINDS: Mapping[Any, str] = {
    int: "an int",
    float: "a number",
    str: "a text",
    bool: "True or False",
    None: "None",
    NoneType: "None",
    Any: "anything",
}


def kind(hint: Any) -> str:
    """An annotation in a message."""
    origin, of = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return str(of[1])
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(kind(each) for each in of))
    if origin is Literal:
        return " or ".join(map(repr, of))
    if origin is type:
        return f"a subclass of {getattr(of[0], '__name__', of[0])}"
    if origin is abc.Callable or hint is abc.Callable:
        return "a function"
    if origin is tuple and of[-1] is not ...:
        return f"a tuple of {len(of)}: {', '.join(map(kind, of))}"
    if origin is not None and issubclass(origin, abc.Mapping):
        return f"a mapping from {kind(of[0])} to {kind(of[1])}"
    if origin is not None:
        return "a list" if of[0] is Any else f"a list of which each is {kind(of[0])}"
    name = getattr(hint, "__name__", str(hint))
    return _KINDS.get(hint) or f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
