"""The surrounding Python scope: callees, configurations, externs, memories, types and constants that a procedure names."""

from __future__ import annotations

import ast
import builtins
import difflib
import numbers
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from usl_core.errors import ParseError, Span, TypeError_
from usl_core.frontend.source import Source
from usl_core.ir.config import Config
from usl_core.ir.externs import BUILTINS, Extern
from usl_core.ir.memory import DRAM, Memory, MemoryClass
from usl_core.ir.nodes import Proc
from usl_core.ir.types import CONTROLS, SCALARS, ControlType, ScalarType

_MISSING = object()


class PythonScope:
    """Names and dotted names looked up in a mapping from spellings to Python objects."""

    def __init__(self, names: Mapping[str, Any], source: Source) -> None:
        self.names = names
        self.source = source

    def find(self, node: ast.expr) -> Any:
        """The object that a name or dotted name stands for, or None (also for names that Python itself defines)."""
        found = self._find(node)
        return None if found is _MISSING else found

    def _find(self, node: ast.expr) -> Any:
        match node:
            case ast.Name(id=name):
                return self.names.get(name, _MISSING)
            case ast.Attribute(value=value, attr=attr):
                owner = self._find(value)
                return _MISSING if owner is _MISSING else getattr(owner, attr, _MISSING)
            case _:
                return _MISSING

    def callee(self, node: ast.expr) -> Proc | None:
        """The procedure that a name in call position stands for."""
        return as_proc(self.find(node))

    def extern(self, node: ast.expr) -> Extern | None:
        """The function that a name around the procedure stands for, if it does."""
        found = self.find(node)
        if isinstance(found, Extern):
            return found
        return BUILTINS.get(node.id) if isinstance(node, ast.Name) else None

    def config(self, node: ast.expr) -> Config | None:
        """The configuration that a name around the procedure stands for, if it does."""
        found = self.find(node)
        return found if isinstance(found, Config) else None

    def scalar(self, node: ast.expr) -> ScalarType | None:
        """The scalar type that a name stands for, if it does."""
        found = self.find(node)
        if isinstance(found, ScalarType):
            return found
        return SCALARS.get(node.id) if isinstance(node, ast.Name) else None

    def control(self, node: ast.expr) -> ControlType | None:
        """The control type that a name stands for, if it does."""
        found = self.find(node)
        if isinstance(found, ControlType) and CONTROLS.get(found.name) is found:
            return found
        return CONTROLS.get(node.id) if isinstance(node, ast.Name) else None

    def memory(self, node: ast.expr) -> MemoryClass:
        """The memory behind `@`. Raises: TypeError_."""
        found = self.find(node)
        if isinstance(found, type) and issubclass(found, Memory):
            return found
        if isinstance(node, ast.Name) and node.id == "DRAM":
            return DRAM
        span, text = self.source.span(node), ast.unparse(node)
        if found is None:
            known = [name for name, value in self.names.items() if isinstance(value, type) and issubclass(value, Memory)]
            raise unknown(text, "memory", [*known, "DRAM"], span)
        raise TypeError_(f"{text} is not a memory (a subclass of Memory)", span=span)

    def constant(self, node: ast.expr) -> int | bool | float | Fraction | None:
        """The value of a name that Python binds to a number; None if it is bound to something else or not at all."""
        found = self.find(node)
        return found if isinstance(found, numbers.Real) else None  # type: ignore[return-value]


def as_proc(thing: object) -> Proc | None:
    """The IR of a procedure, given as such or as an object that holds it in `ir`."""
    ir = thing if isinstance(thing, Proc) else getattr(thing, "ir", None)
    return ir if isinstance(ir, Proc) else None


def unknown(name: str, what: str, near: Iterable[str], span: Span) -> TypeError_:
    """The error for a name that nothing defines, with the nearest spelling that would do."""
    close = difflib.get_close_matches(name, sorted(set(near)), 1)
    if close:
        return TypeError_(f"unknown {what} {name}; did you mean {close[0]}?", span=span)
    if hasattr(builtins, name):
        return TypeError_(f"{name} is a Python built-in, not a {what} of the object language", span=span)
    return TypeError_(f"unknown {what} {name}", span=span, notes=("hint: define or import it before the procedure",))


def function_scope(fn: Callable[..., Any], locals_: Mapping[str, Any] | None) -> dict[str, Any]:
    """What fn's text can name: its module's globals, its closure, and the local names given by the caller."""
    names: dict[str, Any] = dict(getattr(fn, "__globals__", {}))
    names.update(locals_ or {})
    code = getattr(fn, "__code__", None)
    for name, cell in zip(code.co_freevars if code else (), getattr(fn, "__closure__", None) or (), strict=False):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return names


def refuse_python_object(node: ast.expr, found: object, span: Span) -> ParseError | TypeError_:
    """The error for a Python object that has no meaning as a value."""
    return TypeError_(f"{ast.unparse(node)} is a Python {type(found).__name__}, not a value of the object language", span=span)
