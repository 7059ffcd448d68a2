"""What a case of the corpora is made of.

A program is the formals and the body of a procedure as text; a step applies operators to it. The step of an illegal case also
carries a witness: what it would have given, in a form that shows by itself that this is wrong.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import dedent, indent
from types import ModuleType, SimpleNamespace
from typing import Any

from usl_core.frontend.parser import parse_source
from usl_core.ir.nodes import Proc
from usl_core.procedure import Procedure, proc_from_source

Step = Callable[..., Any]
"""Takes the procedure, and if the case has callees a namespace of them by name; gives the new procedure."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """The body that the step would give. For some legal arguments it does not compute what the program computes.

    Assertions of the program hold unless the body has its own; formals are those of the program unless given.
    """

    body: str
    formals: str | None = None
    permute: bool = False
    """`par` loops run in a random order."""


def race(body: str) -> Wrong:
    """A body with a `par` loop whose iterations are not independent: it depends on their order."""
    return Wrong(body, permute=True)


def interleaved(body: str) -> Wrong:
    """What the result of the step may compute, as a sequential program: one order of the parts of parallel iterations."""
    return Wrong(body)


@dataclass(frozen=True, slots=True)
class Malformed:
    """The body that the step would give is no legal procedure: the frontend refuses it with this code."""

    body: str
    code: str
    formals: str | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """The body that the step would give stops at a `check` with other data than the program, or only one of them stops."""

    body: str


@dataclass(frozen=True, slots=True)
class Misuse:
    """The step asks for nothing that could be right or wrong; reason says what is missing."""

    reason: str


Witness = Wrong | Malformed | Stopped | Misuse


@dataclass(frozen=True, slots=True)
class Program:
    """A procedure `f` as text, the texts of its callees, and other names that it uses."""

    formals: str
    body: str
    callees: Sequence[str] = ()
    scope: Mapping[str, object] = field(default_factory=dict)

    def names(self) -> dict[str, object]:
        """The names in scope; callees may call earlier ones."""
        names = dict(self.scope)
        for text in self.callees:
            callee = proc_from_source(dedent(text).strip() + "\n", names)
            names[callee.name()] = callee
        return names

    def text(self) -> str:
        return f"def f({self.formals}):\n" + indent(dedent(self.body).strip("\n"), "    ").rstrip() + "\n"

    def procedure(self, names: Mapping[str, object]) -> Procedure:
        """The checked procedure."""
        return proc_from_source(self.text(), names)

    def unchecked(self, names: Mapping[str, object]) -> Proc:
        """The procedure as the interpreter takes it, bounds and calls not proved."""
        return parse_source(self.text(), dict(names), "<corpus>")

    def assertions(self) -> str:
        """The lines of the body that are assertions."""
        lines = dedent(self.body).strip("\n").splitlines()
        return "".join(line + "\n" for line in lines if line.startswith("assert "))

    def variant(self, body: str, formals: str | None) -> Program:
        """Another body for this program; its assertions are kept unless body has its own."""
        text = dedent(body).strip("\n")
        if not text.startswith("assert "):
            text = self.assertions() + text
        return Program(formals or self.formals, text, self.callees, self.scope)


@dataclass(frozen=True, slots=True)
class Illegal:
    """A step that operator must refuse with a code and a message that contains `message`."""

    operator: str
    name: str
    formals: str
    body: str
    step: Step
    code: str
    message: str
    witness: Witness
    callees: Sequence[str] = ()
    scope: Mapping[str, object] = field(default_factory=dict)
    factor: int = 4
    """A size around which the witness shows."""

    @property
    def program(self) -> Program:
        return Program(self.formals, self.body, self.callees, self.scope)


@dataclass(frozen=True, slots=True)
class Legal:
    """A step that operator must accept; expect is the text of the body that it gives."""

    operator: str
    name: str
    formals: str
    body: str
    step: Step
    expect: str | None = None
    callees: Sequence[str] = ()
    scope: Mapping[str, object] = field(default_factory=dict)
    factor: int = 4
    """The size of a tile: it is tried with sizes around it."""
    fixed: Mapping[str, int | bool] = field(default_factory=dict)
    """Values of the formals that the step removes."""

    @property
    def program(self) -> Program:
        return Program(self.formals, self.body, self.callees, self.scope)


def apply(case: Illegal | Legal, names: Mapping[str, object]) -> tuple[Procedure, Callable[[], Procedure]]:
    """The procedure of a case, and what applies the step to it."""
    before = case.program.procedure(names)
    if case.callees:
        return before, lambda: case.step(before, SimpleNamespace(**names))
    return before, lambda: case.step(before)


def cases_in(package: ModuleType) -> list[Any]:
    """The cases of all modules of a package."""
    found: list[Any] = []
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        found += importlib.import_module(f"{package.__name__}.{module.name}").CASES
    return found
