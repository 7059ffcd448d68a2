"""A program with a mistake, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mistake:
    """source stands behind the prelude of `perceus_front.py`; the lines of the message count from its start."""

    name: str
    source: str
    code: str
    message: str
