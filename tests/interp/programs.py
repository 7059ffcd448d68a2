"""Procedures from text, without the static checks, so that the interpreter's own can be seen."""

from __future__ import annotations

from typing import Any

from usl_core.frontend.parser import parse_source
from usl_core.ir.nodes import Proc


def program(text: str, **scope: Any) -> Proc:
    """The IR of a procedure; scope holds callees and configurations by name. It starts on line 1."""
    return parse_source(text.lstrip("\n"), scope, "<test>")
