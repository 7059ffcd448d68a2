"""Legal steps of `set_memory`."""

from __future__ import annotations

from tests.corpus.callees import PER_ITERATION, PER_ITERATION_ARGS
from tests.corpus.case import Legal
from usl_core.ir.memory import DRAM, Memory
from usl_core.scheduling import set_memory


class Registers(Memory):
    """A second memory."""

    name = "Registers"


CASES = [
    Legal(
        "set_memory",
        "of_a_local_buffer",
        PER_ITERATION_ARGS,
        PER_ITERATION,
        lambda p: set_memory(p, "t", Registers),
        scope={"Registers": Registers},
    ),
    Legal(
        "set_memory",
        "of_a_formal",
        PER_ITERATION_ARGS,
        PER_ITERATION,
        lambda p: set_memory(p, "x", Registers),
        scope={"Registers": Registers},
    ),
    Legal(
        "set_memory",
        "back",
        PER_ITERATION_ARGS,
        PER_ITERATION,
        lambda p: set_memory(set_memory(p, "t", Registers), "t", DRAM),
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t * t
        """,
    ),
    Legal(
        "set_memory",
        "an_extent_that_is_known_there",
        "n: size, y: f32[n]",
        """
        if n == 4:
            t: f32[n, n / 2]
            t[0, 0] = 1.0
            y[0] = t[0, 0]
        """,
        lambda p: set_memory(p, "t", DRAM),
        """
        if n == 4:
            t: f32[4, 2]
            t[0, 0] = 1.0
            y[0] = t[0, 0]
        """,
    ),
    Legal(
        "set_memory",
        "an_extent_known_in_another_branch_only",
        "n: size, y: f32[n]",
        """
        if n == 4:
            y[0] = 2.0
        else:
            t: f32[n]
            t[0] = 1.0
            y[0] = t[0]
        """,
        lambda p: set_memory(p, "t", DRAM),
        """
        if n == 4:
            y[0] = 2.0
        else:
            t: f32[n]
            t[0] = 1.0
            y[0] = t[0]
        """,
    ),
]
