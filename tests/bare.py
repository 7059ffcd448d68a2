"""What the bare run (`make test-bare`) leaves out, and what a skipped test says that the machine lacks."""

from __future__ import annotations

import re

CORE = tuple(f"tests/{name}/" for name in ("analysis", "corpus", "cursors", "frontend", "interp", "ir", "primitives"))
"""Tests of the core, which the bare run leaves out: none may depend on anything that is hidden there."""

REQUIRED = frozenset({"cc", "gcc"})
"""What every machine has that runs the tests."""

LACKING = (
    re.compile(r"(?P<what>.+) (?:is|are) not installed"),
    re.compile(r"could not import '(?P<what>[\w.]+)'"),
    re.compile(r"(?P<what>this processor (?:lacks|has no) .+)"),
)
"""What a test is skipped for because the machine lacks it, rather than because it does not apply."""


def lacking(reason: str) -> str:
    """What the machine lacks, by the reason for which pytest skipped a test; empty if the reason is another."""
    matches = (pattern.search(reason.removeprefix("Skipped: ")) for pattern in LACKING)
    return next((match["what"] for match in matches if match), "")
