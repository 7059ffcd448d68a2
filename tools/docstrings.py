"""Docstrings as Markdown: prose is prose, what is indented is code, `Raises:` and the like are labels.

Lines of prose may be broken anywhere then, so that a page fits a telephone; code scrolls.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

LABELS = ("Raises", "Forwarding", "Reference", "References", "Also known as", "Returns", "Invariants")
WIDTH = 88
"""Columns of a signature before it is broken."""

_LABEL = re.compile(rf"({'|'.join(LABELS)})(?: \(([^)]*)\))?:[ ]*(.*)")
_ERRORS = re.compile(r"(?<!`)\b([A-Z]\w*Error_?|Undecided)\b(?=[:,])")


def described(thing: Any) -> str:
    """The docstring of a thing as Markdown."""
    return "\n\n".join(map(_shown, _blocks(inspect.getdoc(thing) or "")))


def signature(function: Callable[..., Any], name: str = "") -> str:
    """The call of a function, as code; a long one has a line for each parameter."""
    name, found = name or function.__name__, inspect.signature(function)
    parameters = list(_parameters(found))
    returns = "" if found.return_annotation is found.empty else f" -> {_annotation(found.return_annotation)}"
    text = f"{name}({', '.join(parameters)}){returns}"
    if len(text) > WIDTH:
        text = "\n".join([f"{name}(", *(f"    {each}," for each in parameters), f"){returns}"])
    return textwrap.indent(text, "    ")


def _parameters(found: inspect.Signature) -> Iterator[str]:
    """The parameters as they are written, with the mark before those by name."""
    marked = False
    for each in found.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not marked:
            yield "*"
        marked = marked or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        annotation = "" if each.annotation is each.empty else f": {_annotation(each.annotation)}"
        default = "" if each.default is each.empty else f" = {each.default!r}" if annotation else f"={each.default!r}"
        yield f"{stars}{each.name}{annotation}{default}"


def _annotation(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _blocks(text: str) -> Iterator[list[str]]:
    """Paragraphs of prose, blocks of code, and labels with what belongs to them."""
    block: list[str] = []
    kind = ""
    for line in text.splitlines():
        labelled = _LABEL.match(line) is not None
        now = "label" if labelled else kind if not line.strip() else "code" if line.startswith("    ") else "prose"
        if kind == "label" and not labelled and line.strip():
            now = kind
        if labelled or now != kind or (not line.strip() and kind != "code"):
            if any(map(str.strip, block)):
                yield block
            block, kind = [], now if line.strip() else ""
        block.append(line)
    if any(map(str.strip, block)):
        yield block


def _shown(block: list[str]) -> str:
    text = "\n".join(block).strip("\n")
    if text.startswith("    "):
        return textwrap.indent(textwrap.dedent(text), "    ")
    found = _LABEL.match(text)
    if found is None:
        return text
    label, what, first = found.groups()
    rest = _ERRORS.sub(r"`\1`", " ".join([first, *(line.strip() for line in text.splitlines()[1:])]).strip())
    whole = f"**{label}{f' ({what})' if what else ''}:** {rest}"
    return textwrap.fill(whole, 128, break_long_words=False, break_on_hyphens=False)
