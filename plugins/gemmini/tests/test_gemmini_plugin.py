"""What the plugin declares by name is what there is."""

from __future__ import annotations

from usl_gemmini import plugin
from usl_gemmini.chip import chip
from usl_gemmini.kernels_registers import REGISTERS


def test_the_names_that_are_listed_without_parsing_are_those_of_the_chip() -> None:
    assert tuple(chip()) == plugin.INSTRUCTIONS
    assert tuple(each.name for each in REGISTERS) == plugin.REGISTERS
    assert all(declared[name] is not None for declared in (plugin.usl_configs(), plugin.usl_externs()) for name in declared)
