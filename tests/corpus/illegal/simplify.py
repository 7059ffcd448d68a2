"""Illegal steps of `simplify`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Misuse
from usl_core.scheduling import simplify

CASES = [
    Illegal(
        "simplify",
        "not_a_procedure",
        "x: f32",
        "x = 1.0",
        lambda p: simplify(p.body()),
        "E405",
        "the first argument must be a procedure",
        Misuse("a block"),
    ),
    Illegal(
        "simplify",
        "the_ir_of_a_procedure",
        "x: f32",
        "x = 1.0",
        lambda p: simplify(p.ir),
        "E405",
        "the first argument must be a procedure",
        Misuse("what is not checked is not rewritten"),
    ),
    Illegal(
        "simplify",
        "the_text_of_a_procedure",
        "x: f32",
        "x = 1.0",
        lambda p: simplify(str(p)),  # type: ignore[arg-type]
        "E405",
        "the first argument must be a procedure",
        Misuse("a text"),
    ),
]
