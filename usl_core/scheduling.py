"""All scheduling operators and the schedule library, under one roof: `from usl_core.scheduling import divide_loop`.

`OPERATORS` are the trusted primitives, from which the manual is generated; `LIBRARY` only composes them.
"""

from __future__ import annotations

from usl_core.primitives.buffers.delete_buffer import delete_buffer
from usl_core.primitives.buffers.divide_dim import divide_dim
from usl_core.primitives.buffers.expand_dim import expand_dim
from usl_core.primitives.buffers.lift_alloc import lift_alloc
from usl_core.primitives.buffers.rearrange_dim import rearrange_dim
from usl_core.primitives.buffers.set_memory import set_memory
from usl_core.primitives.buffers.set_precision import set_precision
from usl_core.primitives.buffers.set_window import set_window
from usl_core.primitives.buffers.sink_alloc import sink_alloc
from usl_core.primitives.buffers.stage_mem import stage_mem
from usl_core.primitives.calls.call_eqv import call_eqv
from usl_core.primitives.calls.inline import inline
from usl_core.primitives.calls.replace import replace
from usl_core.primitives.exprs.bind_expr import bind_expr
from usl_core.primitives.loops.add_loop import add_loop
from usl_core.primitives.loops.cut_loop import cut_loop
from usl_core.primitives.loops.divide_loop import divide_loop
from usl_core.primitives.loops.eliminate_dead_code import eliminate_dead_code
from usl_core.primitives.loops.fission import fission
from usl_core.primitives.loops.fuse import fuse
from usl_core.primitives.loops.join_loops import join_loops
from usl_core.primitives.loops.lift_scope import lift_scope
from usl_core.primitives.loops.parallelize_loop import parallelize_loop
from usl_core.primitives.loops.remove_loop import remove_loop
from usl_core.primitives.loops.reorder_loops import reorder_loops
from usl_core.primitives.loops.shift_loop import shift_loop
from usl_core.primitives.loops.specialize import specialize
from usl_core.primitives.loops.unroll_loop import unroll_loop
from usl_core.primitives.procs.add_assertion import add_assertion
from usl_core.primitives.procs.partial_eval import partial_eval
from usl_core.primitives.procs.rename import rename
from usl_core.primitives.simplify import simplify
from usl_core.primitives.stmts.delete_pass import delete_pass
from usl_core.primitives.stmts.insert_pass import insert_pass
from usl_core.primitives.stmts.reorder_stmts import reorder_stmts
from usl_core.stdlib.replacing import replace_all

OPERATORS = (
    divide_loop,
    reorder_loops,
    cut_loop,
    join_loops,
    shift_loop,
    fission,
    fuse,
    unroll_loop,
    remove_loop,
    lift_scope,
    specialize,
    eliminate_dead_code,
    add_loop,
    parallelize_loop,
    reorder_stmts,
    insert_pass,
    delete_pass,
    bind_expr,
    stage_mem,
    expand_dim,
    lift_alloc,
    sink_alloc,
    delete_buffer,
    divide_dim,
    rearrange_dim,
    set_memory,
    set_precision,
    set_window,
    inline,
    replace,
    call_eqv,
    simplify,
    rename,
    partial_eval,
    add_assertion,
)
LIBRARY = (replace_all,)

__all__ = [
    "LIBRARY",
    "OPERATORS",
    "add_assertion",
    "add_loop",
    "bind_expr",
    "call_eqv",
    "cut_loop",
    "delete_buffer",
    "delete_pass",
    "divide_dim",
    "divide_loop",
    "eliminate_dead_code",
    "expand_dim",
    "fission",
    "fuse",
    "inline",
    "insert_pass",
    "join_loops",
    "lift_alloc",
    "lift_scope",
    "parallelize_loop",
    "partial_eval",
    "rearrange_dim",
    "remove_loop",
    "rename",
    "reorder_loops",
    "reorder_stmts",
    "replace",
    "replace_all",
    "set_memory",
    "set_precision",
    "set_window",
    "shift_loop",
    "simplify",
    "sink_alloc",
    "specialize",
    "stage_mem",
    "unroll_loop",
]
