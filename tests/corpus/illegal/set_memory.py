"""Illegal steps of `set_memory`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Misuse
from usl_core.ir.memory import DRAM
from usl_core.scheduling import set_memory

CASES = [
    Illegal(
        "set_memory",
        "no_memory",
        "x: f32",
        "x = 1.0",
        lambda p: set_memory(p, "x", "DRAM"),  # type: ignore[arg-type]
        "E405",
        "mem must be a subclass of Memory",
        Misuse("a text is no memory"),
    ),
    Illegal(
        "set_memory",
        "a_size",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: set_memory(p, "n", DRAM),
        "E404",
        "n",
        Misuse("a control value lives nowhere"),
    ),
    Illegal(
        "set_memory",
        "a_statement",
        "x: f32",
        "x = 1.0",
        lambda p: set_memory(p, p.body()[0], DRAM),
        "E404",
        "an allocation or a formal is wanted here",
        Misuse("no buffer"),
    ),
]
