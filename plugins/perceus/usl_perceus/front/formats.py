"""The formats of f-strings: `{x:8.3f}`, `{n:05d}`, `{n:x}`, `{s:<10}`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from usl_core.errors import Span
from usl_perceus.errors import PerceusError

FLOAT_KINDS, INTEGER_KINDS = frozenset("efg"), frozenset("dboxX")
_FORM = re.compile(r"(?:(?P<fill>.)?(?P<align>[<>^]))?(?P<zero>0)?(?P<width>\d+)?(?:\.(?P<digits>\d+))?(?P<kind>[efgdboxXs])?")


@dataclass(frozen=True, slots=True)
class Format:
    """A format. align is `<`, `>` or `^`, empty if it is not said; zero: zeros between the sign and the digits."""

    fill: str
    align: str
    zero: bool
    width: int
    digits: int | None
    kind: str


def format_of(text: str, span: Span) -> Format:
    """What a format says.

    Raises:
        PerceusError: the language has no such format.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        hint = "hint: [fill][<>^][0][width][.digits][d x X o b e f g s]"
        raise PerceusError(f"the format {text} is not in the functional language", span=span, notes=(hint,))
    kind, digits = found["kind"] or "", found["digits"]
    if digits is not None and kind not in FLOAT_KINDS:
        raise PerceusError("digits behind the point belong to the formats e, f and g", span=span, notes=("hint: {x:.3f}",))
    width, zero = int(found["width"] or 0), found["zero"] is not None and not found["align"]
    if width > 10_000 or int(digits or 0) > 1000:
        raise PerceusError(f"the format {text} is too wide", span=span)
    if zero and kind in ("", "s"):
        raise PerceusError("zeros belong to the formats of numbers", span=span, notes=("hint: {n:05d}",))
    return Format(found["fill"] or " ", found["align"] or "", zero, width, int(digits) if digits is not None else None, kind)
