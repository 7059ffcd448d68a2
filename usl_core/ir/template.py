"""Instruction templates: `str.format` text with names only.

`{n}` is a formal, `{x.ptr}` and `{x.stride0}` are parts of a data formal, `{{` and `}}` are braces. Positions, indexing,
conversions and format specifications have no meaning here and are refused where the instruction is defined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from string import Formatter

from usl_core.errors import ParseError, Span, TypeError_
from usl_core.ir.nodes import Arg
from usl_core.ir.types import ControlType, ScalarType, TensorType
from usl_core.records import dataclass

Placeholder = tuple[str, str | None]
"""The name of a formal, and the attribute asked of it (`ptr`, `stride0`) or None."""

_FIELD = re.compile(r"([^\W\d]\w*)(?:\.([^\W\d]\w*))?\Z")
_STRIDE = re.compile(r"stride(0|[1-9]\d*)\Z")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of literal text (braces already unescaped) and the placeholder after it, None at the end."""

    text: str
    placeholder: Placeholder | None


def pieces(template: str, span: Span | None = None) -> Iterator[Piece]:
    """The template cut at its placeholders; raises ParseError where it is not `str.format` text with names only."""
    try:
        for text, name, spec, conversion in Formatter().parse(template):
            if name is None:
                yield Piece(text, None)
                continue
            match = _FIELD.match(name)
            if match is None or spec or conversion:
                shown = name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
                raise ParseError(
                    f"instruction template: `{{{shown}}}` is not the name of a formal",
                    span=span,
                    notes=("write {name}, {name.ptr} or {name.stride0}; literal braces are {{ and }}",),
                )
            yield Piece(text, (match[1], match[2]))
    except ValueError as error:
        notes = ("literal braces are written {{ and }}",)
        raise ParseError(f"instruction template: {error}", span=span, notes=notes) from None


def placeholders(template: str) -> set[Placeholder]:
    """Every placeholder of the template."""
    return {piece.placeholder for piece in pieces(template) if piece.placeholder is not None}


def stride_dim(attribute: str) -> int | None:
    """The dimension that `strideN` asks for; None for any other attribute."""
    match = _STRIDE.match(attribute)
    return int(match[1]) if match else None


def check_template(args: Sequence[Arg], template: str, span: Span) -> None:
    """Raises TypeError_ for a placeholder that names no formal, or asks for a part that the formal does not have."""
    formals = {arg.name.name: arg for arg in args}
    for piece in pieces(template, span):
        if piece.placeholder is None:
            continue
        name, attribute = piece.placeholder
        if name not in formals:
            known = ", ".join(formals) or "none"
            raise TypeError_(f"instruction template: {name} is not a formal", span=span, notes=(f"formals: {known}",))
        if attribute is not None and attribute not in attributes(formals[name]):
            known = ", ".join(f"{{{name}.{part}}}" for part in attributes(formals[name])) or f"{{{name}}} only"
            raise TypeError_(f"instruction template: {name} has no {attribute}", span=span, notes=(f"it has: {known}",))


def attributes(arg: Arg) -> tuple[str, ...]:
    """The attributes a template may ask of a formal: none of a control value, `ptr` of data, `strideN` of tensors."""
    match arg.type:
        case ControlType():
            return ()
        case TensorType(shape=shape):
            return ("ptr", *(f"stride{dim}" for dim in range(len(shape))))
        case ScalarType():
            return ("ptr",)


def fill(template: str, value: Callable[[str, str | None, bool], str]) -> str:
    """The template with each placeholder replaced by value(name, attribute, delimited).

    delimited says that the placeholder stands alone between brackets or commas, where no parentheses are needed.
    """
    cut = list(pieces(template))
    out: list[str] = []
    for position, piece in enumerate(cut):
        out.append(piece.text)
        if piece.placeholder is not None:
            following = cut[position + 1].text if position + 1 < len(cut) else ""
            before, after = piece.text.rstrip()[-1:], following.lstrip()[:1]
            delimited = before in ("(", ",", "[") and after in (")", ",", "]")
            out.append(value(*piece.placeholder, delimited and before != "" and after != ""))
    return "".join(out)
