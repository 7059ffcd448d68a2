"""Illegal steps of `insert_pass`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Misuse
from usl_core.procedure import proc_from_source
from usl_core.scheduling import eliminate_dead_code, insert_pass

CASES = [
    Illegal(
        "insert_pass",
        "at_a_statement",
        "x: f32",
        "x = 1.0",
        lambda p: insert_pass(p, p.body()[0]),
        "E404",
        "a gap is wanted here",
        Misuse("no place between statements"),
    ),
    Illegal(
        "insert_pass",
        "at_a_place_that_is_gone",
        "x: f32[2]",
        """
        for i in seq(0, 0):
            x[i] = 1.0
        """,
        lambda p: insert_pass(eliminate_dead_code(p, "for i in _: _"), p.find("x[_] = _").before()),
        "E402",
        "eliminate_dead_code",
        Misuse("no loop any more"),
    ),
    Illegal(
        "insert_pass",
        "in_a_procedure_from_elsewhere",
        "x: f32",
        "x = 1.0",
        lambda p: insert_pass(proc_from_source("def g(y: f32):\n    y = 1.0\n"), p.body()[0].after()),
        "E403",
        "belongs to f",
        Misuse("another procedure"),
    ),
]
