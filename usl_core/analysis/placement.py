"""Whether the buffers of a call live where the callee expects them.

Meaning does not depend on memories, so operators do not ask; what maps code onto instructions and what generates C does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from usl_core.analysis.context import Context
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.nodes import Arg, Call, Read, WindowExpr
from usl_core.ir.types import TensorType


@dataclass(frozen=True, slots=True)
class Misplaced:
    """An argument with dimensions that lives in another memory than its formal."""

    formal: Arg
    actual: Read | WindowExpr
    memory: MemoryClass
    wanted: MemoryClass


def misplaced(ctx: Context, call: Call) -> Iterator[Misplaced]:
    """The arguments of call that are in the wrong memory; a memory class stands for its base classes too."""
    for formal, actual in zip(call.proc.args, call.args, strict=True):
        if isinstance(formal.type, TensorType) and isinstance(actual, Read | WindowExpr):
            memory, wanted = ctx.buffers[actual.name].mem, formal.mem or DRAM
            if not issubclass(memory, wanted):
                yield Misplaced(formal, actual, memory, wanted)
