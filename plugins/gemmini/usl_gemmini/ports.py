"""Where a layer's input comes from and its output goes to: classes of main memory, with their instructions."""

from __future__ import annotations

from dataclasses import dataclass

from usl_core import DRAM, Config, Procedure, replace
from usl_core.ir.memory import MemoryClass
from usl_gemmini.chip import Chip
from usl_gemmini.kernels_registers import BY_NAME
from usl_gemmini.memories import GEMMINI_OUT, GEMMINI_OUT2, GEMMINI_OUT3


@dataclass(frozen=True, slots=True)
class Port:
    """A class of main memory. fence tells of what may be in flight to it; suffix ends the names of its instructions."""

    memory: MemoryClass
    fence: Config
    suffix: str

    def load(self, instruction: str) -> str:
        """The instruction that loads from here what an mvin loads from plain memory."""
        return instruction if self is PLAIN else f"{instruction}_back{self.suffix}"

    def store(self, relu: bool) -> str:
        """The mvout to here; `_pool2` is added for one that pools."""
        return f"mvout_relu{self.suffix}" if relu else f"mvout{self.suffix}"


PLAIN = Port(DRAM, BY_NAME["FENCE"], "")
OUT = Port(GEMMINI_OUT, BY_NAME["FENCE"], "")
OUT2 = Port(GEMMINI_OUT2, BY_NAME["FENCE2"], "2")
OUT3 = Port(GEMMINI_OUT3, BY_NAME["FENCE3"], "3")


def wait_for(p: Procedure, target: Chip, *sources: Port) -> Procedure:
    """The fences before outputs that are inputs now are read."""
    for source in dict.fromkeys(sources):
        if source is not PLAIN:
            p = replace(p, f"{source.fence.name}.pending = False", target[f"fence{source.suffix}"])
    return p
