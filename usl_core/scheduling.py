"""All scheduling operators and the schedule library, under one roof: `from usl_core.scheduling import divide_loop`.

`OPERATORS` are the trusted primitives, from which the manual is generated; `LIBRARY` only composes them.
"""

from __future__ import annotations

from usl_core.primitives.buffers.autolift_alloc import autolift_alloc
from usl_core.primitives.buffers.delete_buffer import delete_buffer
from usl_core.primitives.buffers.divide_dim import divide_dim
from usl_core.primitives.buffers.expand_dim import expand_dim
from usl_core.primitives.buffers.inline_window import inline_window
from usl_core.primitives.buffers.lift_alloc import lift_alloc
from usl_core.primitives.buffers.mult_dim import mult_dim
from usl_core.primitives.buffers.rearrange_dim import rearrange_dim
from usl_core.primitives.buffers.resize_dim import resize_dim
from usl_core.primitives.buffers.reuse_buffer import reuse_buffer
from usl_core.primitives.buffers.set_memory import set_memory
from usl_core.primitives.buffers.set_precision import set_precision
from usl_core.primitives.buffers.set_window import set_window
from usl_core.primitives.buffers.sink_alloc import sink_alloc
from usl_core.primitives.buffers.stage_mem import stage_mem
from usl_core.primitives.buffers.unroll_buffer import unroll_buffer
from usl_core.primitives.calls.call_eqv import call_eqv
from usl_core.primitives.calls.extract_subproc import extract_subproc
from usl_core.primitives.calls.inline import inline
from usl_core.primitives.calls.replace import replace
from usl_core.primitives.config.bind_config import bind_config
from usl_core.primitives.config.delete_config import delete_config
from usl_core.primitives.config.write_config import write_config
from usl_core.primitives.exprs.bind_expr import bind_expr
from usl_core.primitives.exprs.commute_expr import commute_expr
from usl_core.primitives.exprs.left_reassociate_expr import left_reassociate_expr
from usl_core.primitives.exprs.rewrite_expr import rewrite_expr
from usl_core.primitives.loops.add_loop import add_loop
from usl_core.primitives.loops.autofission import autofission
from usl_core.primitives.loops.cut_loop import cut_loop
from usl_core.primitives.loops.divide_loop import divide_loop
from usl_core.primitives.loops.divide_with_recompute import divide_with_recompute
from usl_core.primitives.loops.eliminate_dead_code import eliminate_dead_code
from usl_core.primitives.loops.fission import fission
from usl_core.primitives.loops.fuse import fuse
from usl_core.primitives.loops.guard_redundant import guard_redundant
from usl_core.primitives.loops.join_loops import join_loops
from usl_core.primitives.loops.lift_scope import lift_scope
from usl_core.primitives.loops.mult_loops import mult_loops
from usl_core.primitives.loops.parallelize_loop import parallelize_loop
from usl_core.primitives.loops.remove_loop import remove_loop
from usl_core.primitives.loops.reorder_loops import reorder_loops
from usl_core.primitives.loops.shift_loop import shift_loop
from usl_core.primitives.loops.specialize import specialize
from usl_core.primitives.loops.unroll_loop import unroll_loop
from usl_core.primitives.procs.add_assertion import add_assertion
from usl_core.primitives.procs.make_instr import make_instr
from usl_core.primitives.procs.partial_eval import partial_eval
from usl_core.primitives.procs.rename import rename
from usl_core.primitives.procs.transpose import transpose
from usl_core.primitives.simplify import simplify
from usl_core.primitives.stmts.delete_pass import delete_pass
from usl_core.primitives.stmts.fold_into_reduce import fold_into_reduce
from usl_core.primitives.stmts.inline_assign import inline_assign
from usl_core.primitives.stmts.insert_noop_call import insert_noop_call
from usl_core.primitives.stmts.insert_pass import insert_pass
from usl_core.primitives.stmts.lift_reduce_constant import lift_reduce_constant
from usl_core.primitives.stmts.merge_writes import merge_writes
from usl_core.primitives.stmts.reorder_stmts import reorder_stmts
from usl_core.primitives.stmts.split_write import split_write
from usl_core.stdlib.bounds import affine_range, infer_bounds
from usl_core.stdlib.classification import classify
from usl_core.stdlib.combinators import attempt, bottom_up, chain, each, first_of, repeat, to_fixpoint, top_down
from usl_core.stdlib.config_contract import max_config_writes
from usl_core.stdlib.config_writes import count_config_writes
from usl_core.stdlib.hoisting import hoist_config
from usl_core.stdlib.inspection import common_ancestor, enclosing_loop, enclosing_loops, loop_nest, walk
from usl_core.stdlib.interleaving import interleave, unroll_and_jam
from usl_core.stdlib.invariants import hoist_from_loop
from usl_core.stdlib.pipelining import double_buffer, software_pipeline
from usl_core.stdlib.reductions import parallelize_reduction
from usl_core.stdlib.replacing import replace_all
from usl_core.stdlib.rules import abs_rule, fma_rule, select_rule
from usl_core.stdlib.staging import auto_stage_mem
from usl_core.stdlib.subexpressions import cse
from usl_core.stdlib.tiling import tile_loops
from usl_core.stdlib.traffic import touched, traffic
from usl_core.stdlib.vectorizing import vectorize

OPERATORS = (
    divide_loop,
    divide_with_recompute,
    guard_redundant,
    reorder_loops,
    cut_loop,
    join_loops,
    mult_loops,
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
    insert_noop_call,
    merge_writes,
    split_write,
    fold_into_reduce,
    inline_assign,
    lift_reduce_constant,
    commute_expr,
    left_reassociate_expr,
    rewrite_expr,
    bind_expr,
    stage_mem,
    expand_dim,
    lift_alloc,
    sink_alloc,
    delete_buffer,
    divide_dim,
    rearrange_dim,
    mult_dim,
    resize_dim,
    reuse_buffer,
    unroll_buffer,
    inline_window,
    set_memory,
    set_precision,
    set_window,
    inline,
    replace,
    call_eqv,
    extract_subproc,
    simplify,
    rename,
    partial_eval,
    add_assertion,
    make_instr,
    transpose,
    bind_config,
    write_config,
    delete_config,
)
LIBRARY = (
    autofission,
    autolift_alloc,
    replace_all,
    hoist_config,
    count_config_writes,
    max_config_writes,
    tile_loops,
    auto_stage_mem,
    vectorize,
    fma_rule,
    select_rule,
    abs_rule,
    interleave,
    unroll_and_jam,
    hoist_from_loop,
    parallelize_reduction,
    cse,
    software_pipeline,
    double_buffer,
    chain,
    attempt,
    first_of,
    repeat,
    each,
    top_down,
    bottom_up,
    to_fixpoint,
    walk,
    classify,
    enclosing_loop,
    enclosing_loops,
    common_ancestor,
    loop_nest,
    affine_range,
    infer_bounds,
    touched,
    traffic,
)

__all__ = [
    "LIBRARY",
    "OPERATORS",
    "abs_rule",
    "add_assertion",
    "add_loop",
    "affine_range",
    "attempt",
    "auto_stage_mem",
    "autofission",
    "autolift_alloc",
    "bind_config",
    "bind_expr",
    "bottom_up",
    "call_eqv",
    "chain",
    "classify",
    "common_ancestor",
    "commute_expr",
    "count_config_writes",
    "cse",
    "cut_loop",
    "delete_buffer",
    "delete_config",
    "delete_pass",
    "divide_dim",
    "divide_loop",
    "divide_with_recompute",
    "double_buffer",
    "each",
    "eliminate_dead_code",
    "enclosing_loop",
    "enclosing_loops",
    "expand_dim",
    "extract_subproc",
    "first_of",
    "fission",
    "fma_rule",
    "fold_into_reduce",
    "fuse",
    "guard_redundant",
    "hoist_config",
    "hoist_from_loop",
    "infer_bounds",
    "inline",
    "inline_assign",
    "inline_window",
    "insert_noop_call",
    "insert_pass",
    "interleave",
    "join_loops",
    "left_reassociate_expr",
    "lift_alloc",
    "lift_reduce_constant",
    "lift_scope",
    "loop_nest",
    "make_instr",
    "max_config_writes",
    "merge_writes",
    "mult_dim",
    "mult_loops",
    "parallelize_loop",
    "parallelize_reduction",
    "partial_eval",
    "rearrange_dim",
    "remove_loop",
    "rename",
    "reorder_loops",
    "reorder_stmts",
    "repeat",
    "replace",
    "replace_all",
    "resize_dim",
    "reuse_buffer",
    "rewrite_expr",
    "select_rule",
    "set_memory",
    "set_precision",
    "set_window",
    "shift_loop",
    "simplify",
    "sink_alloc",
    "software_pipeline",
    "specialize",
    "split_write",
    "stage_mem",
    "tile_loops",
    "to_fixpoint",
    "top_down",
    "touched",
    "traffic",
    "transpose",
    "unroll_and_jam",
    "unroll_buffer",
    "unroll_loop",
    "vectorize",
    "walk",
    "write_config",
]
