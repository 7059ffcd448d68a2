"""Names and placeholders: what must hold of declarations before anything is compiled."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

from usl_conformance.findings import NAME, Finding
from usl_core.backend import written_formals
from usl_core.errors import UslError
from usl_core.ir.config import Config
from usl_core.ir.memory import MemoryClass
from usl_core.ir.nodes import Proc
from usl_core.ir.template import check_template, placeholders
from usl_core.ir.types import ControlType

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

C_KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local
    alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual""".split()
)
"""Of C11, §6.4.1, and what C23 added."""


def name_problem(name: str) -> str:
    """Why name cannot be used in C, in Python, or in both; empty if it can."""
    if not _IDENTIFIER.match(name):
        return f"{name!r} is not an identifier of ASCII letters, digits and underscores"
    if name in C_KEYWORDS:
        return f"{name!r} is a keyword of C"
    if keyword.iskeyword(name):
        return f"{name!r} is a keyword of Python"
    return ""


def check_names(proc: Proc) -> Iterator[Finding]:
    """An instruction's name, its formals, and the placeholders of its template."""
    for name in (proc.name, *(arg.name.name for arg in proc.args)):
        if problem := name_problem(name):
            yield Finding(NAME, problem, likely="choose another name: it is used in C")
    assert proc.instr is not None
    try:
        check_template(proc.args, proc.instr.template, proc.span)
        used = {name for name, _ in placeholders(proc.instr.template)}
    except UslError as error:
        yield Finding(NAME, error.message, tuple(error.notes))
        return
    written = written_formals(proc)
    for arg in proc.args:
        if arg.name.name in {*used, *proc.instr.implicit}:
            continue
        if not isinstance(arg.type, ControlType) and arg.name in written:
            yield Finding(
                NAME,
                f"the body writes {arg.name.name}, but the template never mentions it",
                likely=f"use {{{arg.name.name}}} or {{{arg.name.name}.ptr}}, or say implicit=({arg.name.name!r},)",
            )


def check_memory_name(memory: MemoryClass) -> Iterator[Finding]:
    """A finding if the memory's name is no identifier."""
    if problem := name_problem(memory.name):
        yield Finding(NAME, problem, likely="set `name` to an identifier")


def check_config_names(config: Config) -> Iterator[Finding]:
    """A finding for the record and for each field whose name cannot be one in C."""
    for name in (config.name, *config.fields):
        if problem := name_problem(name):
            yield Finding(NAME, problem, likely="configuration fields become members of a C struct")
