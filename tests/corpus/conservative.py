"""Legal steps that are refused, each with the reason: what a user cannot do, and why."""

from __future__ import annotations

from tests.corpus.case import Legal

KNOWN_CONSERVATIVE: list[tuple[Legal, str]] = []
