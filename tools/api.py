"""The page of the public API (docs/api.md), from docstrings: what is imported, what it takes, what it raises."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import usl_core
from tools.docstrings import described, signature
from usl_core import backend, build, cursors, errors, interp
from usl_core import inspect as questions
from usl_core.plugins import hookspecs

PAGE = Path(__file__).parent.parent / "docs" / "api.md"
HEAD = """# Reference of the API

Generated from the docstrings by `python tools/manual.py`. Operators and the schedule library have [a page of their
own](operators.md), patterns are described in [Cursors](cursors.md).
"""


def page() -> str:
    """The whole page."""
    from usl_c11.jit import JitProcedure, jit

    declared = ("proc", "instr", "config", "proc_from_source", "fragment", "diff", "Memory", "DRAM", "Extern", "Config")
    parts = [
        HEAD,
        *_section("Declaring", "`from usl_core import proc, instr, config`", [getattr(usl_core, name) for name in declared]),
        *_section("Procedures", "What `@proc` and every operator return.", [usl_core.Procedure]),
        *_section("Cursors", "What `find` and navigation return (`usl_core.cursors`).", _public(cursors, cursors.__all__)),
        *_section("Compiled procedures", "`p.jit(flags=..., march=...)`, with the backend `usl-c11`.", [jit, JitProcedure]),
        *_section("Interpreter", "`from usl_core import interp`: procedures without a compiler.", _public(interp, ["run"])),
        *_section("Builders", "`from usl_core import build`: procedures made by programs.", _defined(build)),
        *_section("Questions", "`from usl_core import inspect`: what the analysis knows.", _defined(questions)),
        *_section("For backends", "`from usl_core import backend`.", _public(backend, backend.__all__)),
        *_section("Hooks", "What a plugin may implement (`usl_core.plugins.hookspecs`).", _defined(hookspecs)),
        *_section("Errors", "`from usl_core import UslError`; codes are in [Error codes](errors.md).", _errors()),
    ]
    return "\n".join(parts)


def _public(module: ModuleType, names: Iterable[str]) -> list[Any]:
    return [getattr(module, name) for name in names]


def _defined(module: ModuleType) -> list[Any]:
    """The public classes and functions that a module defines, in its order."""
    return [
        thing
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(thing) or inspect.isfunction(thing))
        and thing.__module__ == module.__name__
        and name != "set_finish"
    ]


def _errors() -> list[type]:
    found = [each for each in vars(errors).values() if inspect.isclass(each) and issubclass(each, errors.UslError)]
    return sorted(found, key=lambda each: each.code)


def _section(title: str, says: str, things: Iterable[Any]) -> Iterator[str]:
    yield f"\n## {title}\n\n{says}\n"
    for thing in things:
        yield from _class(thing) if inspect.isclass(thing) else _function(thing)


def _function(function: Any) -> Iterator[str]:
    yield f"\n### {function.__name__}\n\n{signature(function)}\n\n{described(function)}\n"


def _class(cls: type) -> Iterator[str]:
    bases = [
        each.__name__ for each in cls.__bases__ if each.__module__.startswith("usl_") and not each.__name__.startswith("_")
    ]
    kind = f"    class {cls.__name__}({', '.join(bases)})" if bases else f"    class {cls.__name__}"
    yield f"\n### {cls.__name__}\n\n{kind}\n\n{described(cls)}\n"
    for name, member in _members(cls):
        if isinstance(member, property):
            yield f"\n#### {cls.__name__}.{name}\n\n{described(member)}\n"
        else:
            yield f"\n#### {cls.__name__}.{name}\n\n{signature(member, name)}\n\n{described(member)}\n"


def _members(cls: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class defines itself, or has from a base that no page shows."""
    hidden = [each for each in cls.__mro__[1:] if each.__name__.startswith("_") and each.__module__.startswith("usl_")]
    seen: set[str] = set()
    for owner in (cls, *hidden):
        for name, member in vars(owner).items():
            member = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if name.startswith("_") or name in seen or not (inspect.isfunction(member) or isinstance(member, property)):
                continue
            seen.add(name)
            if inspect.getdoc(member):
                yield name, member
