"""Procedures as notebooks show them: highlighted text, the steps that made them, and what the last step changed."""

from __future__ import annotations

import difflib
import html
from collections.abc import Mapping
from typing import Any

from usl_core.arguments import checked
from usl_core.equivalence import Step
from usl_core.procedure import Procedure

_PRE = "margin:0;line-height:1.3"


class Diff:
    """What differs between two procedures: `print` gives a unified diff, a notebook shows it highlighted."""

    __slots__ = ("_text",)

    def __init__(self, before: Procedure, after: Procedure) -> None:
        old, new = str(before).splitlines(), str(after).splitlines()
        lines = list(difflib.unified_diff(old, new, before.name(), after.name(), n=3, lineterm=""))
        self._text = "\n".join(lines)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text or "<no difference>"

    def _repr_html_(self) -> str:
        return _highlighted(self._text, "diff") if self._text else "<p>no difference</p>"


@checked
def diff(before: Procedure, after: Procedure) -> Diff:
    """What differs between two procedures, line by line."""
    return Diff(before, after)


def as_html(p: Procedure) -> str:
    """A procedure for a notebook: its text, and folded below it its history and what the last step changed."""
    parts = [_highlighted(str(p), "python")]
    steps = p.history()
    if len(steps) > 1:
        parts.append(_folded(f"{len(steps) - 1} steps; {p.assurance()}", _steps(steps)))
    before = p._parent
    if before is not None and before.ir is not p.ir:
        parts.append(_folded(f"changed by {steps[-1].operator}", diff(before, p)._repr_html_()))
    return "".join(parts)


def as_bundle(p: Procedure, include: Any = None, exclude: Any = None) -> Mapping[str, str]:
    """A procedure in the forms that a notebook may choose from: its text, and HTML."""
    return {"text/plain": str(p), "text/html": as_html(p)}


def _steps(steps: list[Step]) -> str:
    rows = [f"<li><code>{html.escape(str(step))}</code></li>" for step in steps[1:]]
    return f'<ol style="margin:0">{"".join(rows)}</ol>'


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{html.escape(title)}</summary>{content}</details>"


def _highlighted(text: str, language: str) -> str:
    """Text as HTML that needs no style sheet; without pygments in one colour."""
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import get_lexer_by_name
    except ImportError:
        return f'<pre style="{_PRE}">{html.escape(text)}</pre>'
    formatter = HtmlFormatter(noclasses=True, nobackground=True, style="default", prestyles=_PRE)
    return str(highlight(text, get_lexer_by_name(language), formatter))
