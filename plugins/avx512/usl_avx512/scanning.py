"""Running results in registers: as many at a time as a register has lanes, in steps of 1, 2, 4 and 8 lanes.

    p = scan_schedule(cumsum, "j")

Only operators are composed here: `block_scan` and `recursive_doubling` prove what is regrouped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from usl_avx512.isa import scans
from usl_avx512.memories import AVX512
from usl_core import Procedure
from usl_core.cursors import ReduceCursor
from usl_core.errors import SchedulingError
from usl_core.scheduling import bind_expr, block_scan, divide_loop, set_memory, simplify
from usl_stdlib import replace_all, tree_scan, vectorize

REGISTERS = {"f32": ("ps", 16), "f64": ("pd", 8)}
"""By the type of the results, the suffix of instructions and the number of lanes."""
OPERATIONS = {"+": "add", "*": "mul", "max": "max", "min": "min"}
"""The reductions whose steps are instructions, and how these call them."""


def scan_schedule(p: Procedure, loop: Any, more: Sequence[Procedure] = ()) -> Procedure:
    """A loop `s += e; y[i] = s` in blocks, and a loop for the last results; *, min and max likewise, of f32 and f64.

    more: instructions for e and for what is done with the results, beside those on f32 and f64.

    Raises:
        SchedulingError: the loop is no such loop; what `scan_block` raises.
    """
    loop = p.find_loop(loop) if isinstance(loop, str) else p.forward(loop)
    _, _, lanes = _kind(loop)
    p = divide_loop(p, loop, lanes, [f"{loop.name()}o", f"{loop.name()}i"], tail="cut")
    return simplify(scan_block(p, p.forward(loop).body()[0], more))


def scan_block(p: Procedure, loop: Any, more: Sequence[Procedure] = ()) -> Procedure:
    """`scan_schedule` of a loop with just as many iterations as a register has lanes.

    Raises:
        SchedulingError: what `block_scan`, `recursive_doubling` and `vectorize` raise.
    """
    from usl_avx512 import blas1  # asking this package for a name imports this module

    loop = p.forward(loop)
    operation, suffix, lanes = _kind(loop)
    p = block_scan(p, loop, "block")
    results = p.forward(loop)
    running, values, block = results.prev(), results.prev(2), results.prev(3)
    p = bind_expr(p, results.next().rhs(), "last")
    p = set_memory(tree_scan(p, running), block, AVX512)
    for each in (values, results):
        p, _ = vectorize(p, p.forward(each), lanes, AVX512, (*blas1.instructions(), *more), tail="perfect")
    return replace_all(p, [getattr(scans, f"mm512_scan_{operation}_{suffix}"), getattr(scans, f"mm512_last_{suffix}")])


def _kind(loop: Any) -> tuple[str, str, int]:
    """The operation of a scan, the suffix of its registers and how many lanes they have."""
    start = loop.body()[0]
    if isinstance(start, ReduceCursor):
        typ, operation = str(start.rhs().type()), OPERATIONS.get(start.op())
        if typ in REGISTERS and operation is not None:
            return operation, *REGISTERS[typ]
    kinds = f"{', '.join(OPERATIONS)} of {' or '.join(REGISTERS)}"
    raise SchedulingError(f"the loop {loop.name()} does not begin with a reduction by {kinds}", span=loop.node.span)
