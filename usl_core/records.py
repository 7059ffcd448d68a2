"""`dataclass` of the standard library for immutable classes with slots, made in a fraction of the time.

The standard library compiles six functions for each such class, one by one, which was more than half of the time that importing
`usl_core` took. Here fields are found by the standard library, what must be fast (`__init__`, `__eq__`, `__hash__`) is compiled
at once, and the rest is the same few functions for all. `__init__` sets the slots directly, at half the time.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """`dataclasses.dataclass`; all that differs is that `__dataclass_params__` do not tell what was made here."""
        if cls is None:
            return lambda each: dataclass(each, **options)
        if not (options.get("frozen") and options.get("slots")):
            return dataclasses.dataclass(cls, **options)
        return _record(cls, **options)


def _record(cls: type, *, frozen: bool, slots: bool, eq: bool = True, **options: Any) -> Any:
    own = {name for name, value in vars(cls).items() if name != "__hash__" or value is not None}
    made: Any = dataclasses.dataclass(cls, init=False, repr=False, eq=False, slots=slots, **options)
    fields: tuple[Field[Any], ...] = dataclasses.fields(made)
    compared = [f.name for f in fields if f.compare]
    hashed = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
    names = frozenset(f.name for f in fields)
    texts = {"__init__": _init(made, fields)}
    if eq:
        texts["__eq__"] = (
            f"(self, other):\n  if other.__class__ is self.__class__: return {_tuple('self', compared)} == "
            f"{_tuple('other', compared)}\n  return NotImplemented"
        )
        texts["__hash__"] = f"(self): return hash({_tuple('self', hashed)})"
    methods: dict[str, Any] = _compiled(made, fields, {name: text for name, text in texts.items() if name not in own})

    def refuse_change(self: Any, name: str, *value: Any) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
        (super(made, self).__setattr__ if value else super(made, self).__delattr__)(name, *value)

    methods |= {"__setattr__": refuse_change, "__delattr__": refuse_change, "__repr__": _shown}
    methods |= {"__getstate__": _state, "__setstate__": _restore}
    for name, method in methods.items():
        if name not in own:
            setattr(made, name, method)
    return made


def _init(made: type, fields: tuple[Field[Any], ...]) -> str:
    """Parameters and body of `__init__`: `_set_x` sets the slot of x, `_of_x` is its default or makes it."""
    positional = [_parameter(f) for f in fields if f.init and not f.kw_only]
    named = [_parameter(f) for f in fields if f.init and f.kw_only]
    lines = []
    for f in fields:
        value = f.name
        if f.default_factory is not MISSING:
            value = f"_of_{f.name}() if {f.name} is _missing else {f.name}" if f.init else f"_of_{f.name}()"
        elif not f.init:
            value = f"_of_{f.name}"
        if f.init or f.default is not MISSING or f.default_factory is not MISSING:
            lines.append(f"_set_{f.name}(self, {value})")
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    head = ", ".join(["self", *positional, *(["*", *named] if named else [])])
    return f"({head}):\n  " + "\n  ".join(lines or ["pass"])


def _parameter(f: Field[Any]) -> str:
    if f.default_factory is not MISSING:
        return f"{f.name}=_missing"
    return f.name if f.default is MISSING else f"{f.name}=_of_{f.name}"


def _tuple(owner: str, names: list[str]) -> str:
    return f"({''.join(f'{owner}.{name}, ' for name in names)})"


def _compiled(made: type, fields: tuple[Field[Any], ...], texts: dict[str, str]) -> dict[str, Callable[..., Any]]:
    """The methods of these names, from parameters and body."""
    values: dict[str, Any] = {"_missing": MISSING}
    for f in fields:
        values[f"_set_{f.name}"] = getattr(made, f.name).__set__
        if f.default is not MISSING or f.default_factory is not MISSING:
            values[f"_of_{f.name}"] = f.default if f.default is not MISSING else f.default_factory
    functions = "\n".join(f" def {name}{text}" for name, text in texts.items())
    found: dict[str, Any] = {}
    exec(
        f"def _make({', '.join(values)}):\n{functions}\n return [{', '.join(texts)}]",
        vars(sys.modules[made.__module__]),
        found,
    )
    methods = dict(zip(texts, found["_make"](**values), strict=True))
    for name, method in methods.items():
        method.__qualname__ = f"{made.__qualname__}.{name}"
    if "__init__" in methods:
        methods["__init__"].__annotations__ = {f.name: f.type for f in fields if f.init} | {"return": None}
    return methods


@recursive_repr()
def _shown(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _state(self: Any) -> list[Any]:
    """For pickling and copying: slots that may not be assigned to are otherwise out of reach."""
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for f, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)
