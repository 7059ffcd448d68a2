"""The function that is being written: its lines, the C names of its variables, where control may go."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from usl_c11.names import Names
from usl_perceus.c.late import Late
from usl_perceus.c.unit import INDENT, Unit
from usl_perceus.ir import Con, Label, Let, TryLet, Type, Var
from usl_perceus.traverse import FreeVars


@dataclass(frozen=True, slots=True)
class Result:
    """The value is what the function returns."""


@dataclass(frozen=True, slots=True)
class Into:
    """The value goes to a C variable (none: it is void, or nobody needs it), and control goes on behind the expression."""

    name: str | None


Dest = Result | Into


@dataclass(slots=True)
class Handler:
    """Where an exception goes: the label of the innermost handler."""

    label: str
    used: bool = False


_NAMES = re.compile(r'"(?:[^"\\]|\\.)*"|(?<!->)(?<!\.)\b\w+')
"""Words that are not members of structs."""


@dataclass(slots=True)
class Join:
    """A join point: its label and the C names of its parameters (None: void)."""

    label: str
    params: tuple[str | None, ...]
    used: bool = False


@dataclass(slots=True)
class Loop:
    """A function whose body may be entered again: where, and the C names of its parameters."""

    label: str | None
    """None: `continue` of the loop around the whole body."""
    params: tuple[str | None, ...]


@dataclass(slots=True)
class Frame:
    """The C of one function while it is written: its lines so far, and what is known about its variables at this place."""

    unit: Unit
    names: Names
    result: Type
    free: FreeVars
    variables: dict[Var, str] = field(default_factory=dict)
    constructed: dict[Var, Con] = field(default_factory=dict)
    """What a match found a variable to be."""
    fields: dict[Var, int] = field(default_factory=dict)
    """Which field of its block a variable that a match bound is."""
    blocks: set[Var] = field(default_factory=set)
    """Variables known to be blocks, not constants, by unknown constructors."""
    joins: dict[Label, Join] = field(default_factory=dict)
    loops: dict[str, Loop] = field(default_factory=dict)
    loop_only: bool = False
    """Whether the function calls none but in tail position."""
    handler: Handler | None = None
    late: list[Late] = field(default_factory=list)
    """Blocks from which fields are still to be loaded."""
    name: str = ""
    ends: frozenset[Let | TryLet] = frozenset()
    """Bindings whose body is to be a function of its own (`outline.py`)."""
    rests: list[str] = field(default_factory=list)
    """These functions."""
    lines: list[str] = field(default_factory=list)
    declared: dict[int, str] = field(default_factory=dict)
    """The variable that a line declares."""
    depth: int = 1

    def inner(self) -> Frame:
        """Of a function that does what is left to do in this one: without variables, but with what is known about them."""
        frame = Frame(self.unit, self.unit.local_names(), self.result, self.free)
        frame.constructed, frame.fields, frame.blocks = dict(self.constructed), dict(self.fields), set(self.blocks)
        return frame

    def body(self, parameters: Sequence[str | None]) -> list[str]:
        """The lines of the body, without a warning for parameters and variables that it does not mention."""
        uses = Counter(word for line in self.lines for word in _NAMES.findall(line))
        unused = [f"{INDENT}(void){name};" for name in parameters if name is not None and name not in uses]
        alone = {at: name for at, name in self.declared.items() if uses[name] == 1}
        return [*unused, *(text for at, line in enumerate(self.lines) for text in _without_warning(line, alone.get(at)))]

    def line(self, text: str) -> None:
        """Adds a line at the present depth."""
        self.lines.append(INDENT * self.depth + text)

    def extend(self, lines: Sequence[str]) -> None:
        """Adds lines, each moved to the present depth."""
        for text in lines:
            self.line(text)

    @contextmanager
    def nested(self) -> Iterator[None]:
        """The lines added meanwhile are one step deeper."""
        self.depth += 1
        yield
        self.depth -= 1

    def label(self, name: str) -> None:
        """A label, one step to the left; a declaration may follow."""
        self.lines.append(INDENT * (self.depth - 1) + f"{name}:;")

    def bind(self, var: Var) -> str:
        """The C name of a variable that is bound now; a void one has none and is never asked for."""
        name = "" if self.unit.types.is_void(var.type) else self.names.fresh(_spelling(var.name))
        self.variables[var] = name
        return name

    def declare(self, var: Var, value: str | None = None) -> str:
        """A declaration of the variable, with its value if that is known."""
        name = self.bind(var)
        text = self.unit.types.declaration(var.type, name)
        self.declared[len(self.lines)] = name
        self.line(f"{text};" if value is None else f"{text} = {value};")
        return name

    @contextmanager
    def knowing(self, var: Var, con: Con | None) -> Iterator[None]:
        """In a branch of a match: var is a value made by con, or a block."""
        before, was_block = self.constructed.get(var), var in self.blocks
        if con is not None:
            self.constructed[var] = con
        else:
            self.blocks.add(var)
        yield
        if before is None:
            self.constructed.pop(var, None)
        else:
            self.constructed[var] = before
        if not was_block:
            self.blocks.discard(var)

    def is_constant(self, var: Var) -> bool:
        """Whether the variable is known to be a constructor without fields, which is not counted."""
        con = self.constructed.get(var)
        return con is not None and not con.fields

    def is_block(self, var: Var) -> bool:
        """Whether the variable is known to point to a block, so that no test for a constant is needed."""
        con = self.constructed.get(var)
        return var in self.blocks or (con is not None and bool(con.fields))


def _without_warning(line: str, unused: str | None) -> list[str]:
    """The line that declares a variable; one that nothing uses is dropped, or mentioned if its value has to be computed."""
    if unused is None:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return [line, f"{indent}(void){unused};"] if "=" in line else []


def _spelling(name: str) -> str:
    """The part of a variable's name that can be C: front-end temporaries have other characters."""
    text = "".join(ch if ch.isalnum() or ch == "_" else "_" for ch in name)
    return text or "v"
