"""Small procedures for the tests of cursors, and an owner as simple as cursors need it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent, indent
from typing import Any

from usl_core.cursors import pattern
from usl_core.cursors.cursor import make_cursor
from usl_core.cursors.path import Loc
from usl_core.frontend.parser import parse_source
from usl_core.ir.nodes import Proc
from usl_core.ir.printer import show


@dataclass(eq=False)
class Owner:
    """What a user's Procedure is to cursors."""

    ir: Proc

    def find(self, text: str, many: bool = False) -> Any:
        return pattern.find(self, None, text, many)

    def at(self, loc: Loc) -> Any:
        return make_cursor(self, loc)


FORMALS = "n: size, m: size, A: f32[n, m], B: f32[n, m], x: f32, y: f32, z: f32"


def procedure(body: str, formals: str = FORMALS, scope: Mapping[str, Any] | None = None) -> Proc:
    """A procedure with this body; most tests need no other formals."""
    text = f"def foo({formals}):\n{indent(dedent(body).strip(), '    ')}\n"
    return parse_source(text, dict(scope or {}), "foo.py")


def owner(body: str, formals: str = FORMALS, scope: Mapping[str, Any] | None = None) -> Owner:
    return Owner(procedure(body, formals, scope))


def body_text(proc: Proc) -> str:
    """The text of the body, without its indentation."""
    lines = show(proc).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("def ")) + 1
    return dedent("\n".join(lines[start:]))


def text(body: str) -> str:
    return dedent(body).strip()
