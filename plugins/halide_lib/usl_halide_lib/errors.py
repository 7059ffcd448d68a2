"""What directives refuse: one message in the words of the directive, at the line that gave it."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import LIBRARIES, SchedulingError, UslError, render

LIBRARIES.add("usl_halide_lib")


class DirectiveError(SchedulingError):
    """A directive does not apply; the procedure is unchanged. The place is the directive's line in the schedule.

    Codes: E770 to E789 (docs/errors.md). The notes hold what the operator that refused said, with its counter-example.
    """

    code = "E777"


def refused_by(error: UslError) -> Sequence[str]:
    """The notes of a directive that an operator refused: what it said, its place, its own notes."""
    return (*render(error.message, error.span).splitlines(), *error.notes)
