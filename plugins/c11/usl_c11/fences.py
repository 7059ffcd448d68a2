"""Stores that the processor may show to other threads out of order, such as those past the caches.

An instruction of such stores names the C that orders them (`@instr(..., fence="_mm_sfence();")`). A thread itself sees its
stores in program order. Another thread can learn of one only through something that the C of the storing thread does later. So
a function with such an instruction runs the fence before each of these: its end, by return or failure; the end of an iteration
of a parallel loop that has the instruction in its body; the start of a parallel loop, whose other threads see what came before;
a call, since the callee may start one; and the release of storage, which another thread may get. Nothing else that generated C
does tells other threads anything: its stores are plain, and a race is undefined with and without a fence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from usl_c11.scope import Function
from usl_core.ir.nodes import Call, Node
from usl_core.ir.traverse import walk


def fences_of(code: Iterable[Node]) -> tuple[str, ...]:
    """The fences that the instructions called in code ask for, each once; procedures that it calls have run their own."""
    calls = (node for each in code for node in walk(each) if isinstance(node, Call) and node.proc.instr is not None)
    found = (call.proc.instr.fence.strip() for call in calls if call.proc.instr is not None)
    return tuple(dict.fromkeys(fence for fence in found if fence))


def releasing(frees: Sequence[str], fn: Function) -> list[str]:
    """The lines that release storage, if there are any, after the stores to it."""
    return [*fn.fences, *frees] if frees else []
