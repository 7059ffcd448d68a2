"""What directives refuse: one message in the words of the directive, at the line that gave it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import islice
from types import FrameType

from usl_core.errors import LIBRARIES, SchedulingError, Span, UslError, render

LIBRARIES.add("usl_halide_lib")


class DirectiveError(SchedulingError):
    """A directive does not apply; the procedure is unchanged. The place is the directive's line in the schedule.

    Codes: E770 to E789 (docs/errors.md). The notes hold what the operator that refused said, with its counter-example.
    """

    code = "E777"


def calling_line() -> Span | None:
    """The line outside of this package that gave a directive."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in LIBRARIES:
        frame = frame.f_back
    if frame is None:
        return None
    positions = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    line, end_line, column, end_column = positions
    if line is None or end_line is None or column is None or end_column is None:
        return Span(frame.f_code.co_filename, frame.f_lineno, 1, frame.f_lineno, 1)
    return Span(frame.f_code.co_filename, line, column + 1, end_line, end_column + 1)


def refused_by(error: UslError) -> Sequence[str]:
    """The notes of a directive that an operator refused: what it said, its place, its own notes."""
    return (*render(error.message, error.span).splitlines(), *error.notes)


def counterexample_of(error: UslError) -> Sequence[str]:
    """The notes of an operator alone."""
    return tuple(error.notes)
