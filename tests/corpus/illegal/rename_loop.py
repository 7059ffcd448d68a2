"""Illegal steps of `rename_loop`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Misuse
from usl_core.scheduling import rename_loop

PROGRAM = "n: size, x: f32[n]", "for i in seq(0, n):\n    x[i] = 1.0\nx[0] = 2.0"

CASES = [
    Illegal(
        "rename_loop",
        "a_keyword",
        *PROGRAM,
        lambda p: rename_loop(p, "i", "in"),
        "E404",
        "must be an identifier",
        Misuse("no name"),
    ),
    Illegal(
        "rename_loop",
        "code_in_a_name",
        *PROGRAM,
        lambda p: rename_loop(p, "i", "i; break"),
        "E404",
        "must be an identifier",
        Misuse("no name"),
    ),
    Illegal(
        "rename_loop",
        "an_assignment",
        *PROGRAM,
        lambda p: rename_loop(p, p.find("x[0] = _"), "k"),
        "E404",
        "a loop is wanted here",
        Misuse("it binds no name"),
    ),
]
