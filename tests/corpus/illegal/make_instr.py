"""Illegal steps of `make_instr`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Misuse
from usl_core.scheduling import make_instr

CASES = [
    Illegal(
        "make_instr",
        "an_unknown_formal_in_the_template",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: make_instr(p, "clear({m}, {x.ptr});"),
        "E200",
        "m",
        Misuse("a text that cannot be filled in"),
    ),
    Illegal(
        "make_instr",
        "an_instruction_again",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: make_instr(make_instr(p, "clear({n}, {x.ptr});"), "other({n}, {x.ptr});"),
        "E422",
        "is an instruction already",
        Misuse("two texts for one procedure"),
    ),
    Illegal(
        "make_instr",
        "a_negative_number_of_roundings",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: make_instr(p, "clear({n}, {x.ptr});", roundings=-1),
        "E404",
        "roundings is None",
        Misuse("no error bound"),
    ),
]
