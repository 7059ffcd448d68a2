"""What directives refuse: one message in the words of the directive, at the line that gave it."""

from __future__ import annotations

from usl_core.errors import SchedulingError


class DirectiveError(SchedulingError):
    """A directive does not apply; the procedure is unchanged. The place is the directive's line in the schedule.

    Codes: E770 to E789 (docs/errors.md). The notes hold what the operator that refused said, with its counter-example.
    """

    code = "E777"
