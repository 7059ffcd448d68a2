"""Illegal steps of `rename`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Misuse
from usl_core.scheduling import rename

CASES = [
    Illegal(
        "rename",
        "a_keyword",
        "x: f32",
        "x = 1.0",
        lambda p: rename(p, "for"),
        "E404",
        "must be an identifier",
        Misuse("no name"),
    ),
    Illegal(
        "rename",
        "a_name_that_starts_with_a_digit",
        "x: f32",
        "x = 1.0",
        lambda p: rename(p, "2d"),
        "E404",
        "must be an identifier",
        Misuse("no name"),
    ),
    Illegal(
        "rename",
        "code_in_a_name",
        "x: f32",
        "x = 1.0",
        lambda p: rename(p, "f(void) { } void g"),
        "E404",
        "must be an identifier",
        Misuse("no name"),
    ),
]
