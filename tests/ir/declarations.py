"""Declarations at the top of a module, which pickle finds by their names."""

from __future__ import annotations

from tests.primitives.equivalence import parse
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.externs import Extern
from usl_core.ir.types import INDEX
from usl_core.scheduling import divide_loop

DECLARED = parse("def declared(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 1.0")
DERIVED = divide_loop(DECLARED, "i", 4, ["io", "ii"])
REGISTERS = Config("REGISTERS", {"mode": ConfigField("mode", INDEX)})
TWICE = Extern("twice", 1, lambda types: types[0])
