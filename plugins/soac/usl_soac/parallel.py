"""The outermost loops of a kernel on threads: `soac_default(p, parallel=True)`.

A loop stays as it is where iterations add to a place that they share, or where the C backend has no such loop, so that results
are the same bits on any number of threads.
"""

from __future__ import annotations

from usl_c11.emit import library
from usl_core import Procedure
from usl_core.cursors import ForCursor
from usl_core.errors import UslError
from usl_core.ir.nodes import Alloc, For, Reduce
from usl_core.ir.traverse import bound, free_names, walk_kinds
from usl_core.scheduling import parallelize_loop


def on_threads(p: Procedure) -> Procedure:
    """Every outermost loop whose iterations are apart, parallel."""
    for loop in [each for each in p.body() if isinstance(each, ForCursor)]:
        if _shares(p, p.forward(loop).node):
            continue
        try:
            made = parallelize_loop(p, p.forward(loop))
            library([made.ir], "kernel", exported=False)
        except UslError:
            continue
        p = made
    return p


def _shares(p: Procedure, loop: For) -> bool:
    """Whether iterations use buffers of the kernel that are outside of the loop, or add to what is not the iteration's own."""
    outside = {each.name for each in p.ir.body if isinstance(each, Alloc)}
    if outside & free_names(loop):
        return True
    added = (each for each in walk_kinds(loop, Reduce) if each.name not in bound(loop))
    return any(loop.iter not in free_names(*each.idx) for each in added)
