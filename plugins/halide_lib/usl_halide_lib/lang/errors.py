"""What the language refuses: one message at the line of the user's file that has the mistake."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import LIBRARIES, Span, UslError, calling_line

LIBRARIES.add("usl_halide_lib")


class AlgorithmError(UslError):
    """A definition, a realisation or a schedule that is not one. Codes: E770, E772, E784 to E788 (docs/errors.md)."""

    code = "E772"


def refuse(message: str, *, code: str = "E772", span: Span | None = None, notes: Sequence[str] = ()) -> AlgorithmError:
    """The error to raise; its place is span or else the user's line that is being run."""
    return AlgorithmError(message, code=code, span=span or calling_line(), notes=notes)


def here() -> Span | None:
    """The user's call that is being run."""
    return calling_line()
