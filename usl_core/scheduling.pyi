"""Generated from the files of `usl_core.primitives` by `python tools/manual.py`."""

from collections.abc import Callable
from typing import Any

from usl_core.primitives.buffers.clone_buffer import clone_buffer as clone_buffer
from usl_core.primitives.buffers.delete_buffer import delete_buffer as delete_buffer
from usl_core.primitives.buffers.divide_dim import divide_dim as divide_dim
from usl_core.primitives.buffers.expand_dim import expand_dim as expand_dim
from usl_core.primitives.buffers.inline_producer import inline_producer as inline_producer
from usl_core.primitives.buffers.inline_window import inline_window as inline_window
from usl_core.primitives.buffers.lift_alloc import lift_alloc as lift_alloc
from usl_core.primitives.buffers.mult_dim import mult_dim as mult_dim
from usl_core.primitives.buffers.rearrange_dim import rearrange_dim as rearrange_dim
from usl_core.primitives.buffers.resize_dim import resize_dim as resize_dim
from usl_core.primitives.buffers.reuse_buffer import reuse_buffer as reuse_buffer
from usl_core.primitives.buffers.set_memory import set_memory as set_memory
from usl_core.primitives.buffers.set_precision import set_precision as set_precision
from usl_core.primitives.buffers.set_window import set_window as set_window
from usl_core.primitives.buffers.sink_alloc import sink_alloc as sink_alloc
from usl_core.primitives.buffers.stage_mem import stage_mem as stage_mem
from usl_core.primitives.buffers.unroll_buffer import unroll_buffer as unroll_buffer
from usl_core.primitives.calls.call_eqv import call_eqv as call_eqv
from usl_core.primitives.calls.extract_subproc import extract_subproc as extract_subproc
from usl_core.primitives.calls.inline import inline as inline
from usl_core.primitives.calls.replace import replace as replace
from usl_core.primitives.composed.autofission import autofission as autofission
from usl_core.primitives.composed.autolift_alloc import autolift_alloc as autolift_alloc
from usl_core.primitives.config.bind_config import bind_config as bind_config
from usl_core.primitives.config.delete_config import delete_config as delete_config
from usl_core.primitives.config.write_config import write_config as write_config
from usl_core.primitives.exprs.bind_expr import bind_expr as bind_expr
from usl_core.primitives.exprs.bound_counter import bound_counter as bound_counter
from usl_core.primitives.exprs.commute_expr import commute_expr as commute_expr
from usl_core.primitives.exprs.left_reassociate_expr import left_reassociate_expr as left_reassociate_expr
from usl_core.primitives.exprs.rewrite_expr import rewrite_expr as rewrite_expr
from usl_core.primitives.loops.add_loop import add_loop as add_loop
from usl_core.primitives.loops.block_scan import block_scan as block_scan
from usl_core.primitives.loops.cut_loop import cut_loop as cut_loop
from usl_core.primitives.loops.divide_loop import divide_loop as divide_loop
from usl_core.primitives.loops.divide_with_recompute import divide_with_recompute as divide_with_recompute
from usl_core.primitives.loops.eliminate_dead_code import eliminate_dead_code as eliminate_dead_code
from usl_core.primitives.loops.fission import fission as fission
from usl_core.primitives.loops.fuse import fuse as fuse
from usl_core.primitives.loops.guard_redundant import guard_redundant as guard_redundant
from usl_core.primitives.loops.join_loops import join_loops as join_loops
from usl_core.primitives.loops.lift_scope import lift_scope as lift_scope
from usl_core.primitives.loops.mult_loops import mult_loops as mult_loops
from usl_core.primitives.loops.parallelize_loop import parallelize_loop as parallelize_loop
from usl_core.primitives.loops.recursive_doubling import recursive_doubling as recursive_doubling
from usl_core.primitives.loops.remove_loop import remove_loop as remove_loop
from usl_core.primitives.loops.rename_loop import rename_loop as rename_loop
from usl_core.primitives.loops.reorder_loops import reorder_loops as reorder_loops
from usl_core.primitives.loops.rotate_loop import rotate_loop as rotate_loop
from usl_core.primitives.loops.shift_loop import shift_loop as shift_loop
from usl_core.primitives.loops.specialize import specialize as specialize
from usl_core.primitives.loops.unroll_loop import unroll_loop as unroll_loop
from usl_core.primitives.loops.widen_loop import widen_loop as widen_loop
from usl_core.primitives.procs.add_assertion import add_assertion as add_assertion
from usl_core.primitives.procs.make_instr import make_instr as make_instr
from usl_core.primitives.procs.partial_eval import partial_eval as partial_eval
from usl_core.primitives.procs.rename import rename as rename
from usl_core.primitives.procs.transpose import transpose as transpose
from usl_core.primitives.simplify import simplify as simplify
from usl_core.primitives.stmts.delete_dead_writes import delete_dead_writes as delete_dead_writes
from usl_core.primitives.stmts.delete_pass import delete_pass as delete_pass
from usl_core.primitives.stmts.fold_into_argreduce import fold_into_argreduce as fold_into_argreduce
from usl_core.primitives.stmts.fold_into_reduce import fold_into_reduce as fold_into_reduce
from usl_core.primitives.stmts.if_to_select import if_to_select as if_to_select
from usl_core.primitives.stmts.inline_assign import inline_assign as inline_assign
from usl_core.primitives.stmts.insert_noop_call import insert_noop_call as insert_noop_call
from usl_core.primitives.stmts.insert_pass import insert_pass as insert_pass
from usl_core.primitives.stmts.lift_reduce_constant import lift_reduce_constant as lift_reduce_constant
from usl_core.primitives.stmts.merge_writes import merge_writes as merge_writes
from usl_core.primitives.stmts.reorder_stmts import reorder_stmts as reorder_stmts
from usl_core.primitives.stmts.scale_accumulator import scale_accumulator as scale_accumulator
from usl_core.primitives.stmts.split_write import split_write as split_write

OPERATORS: tuple[Callable[..., Any], ...]
COMPOSED: tuple[Callable[..., Any], ...]

def homes() -> dict[str, str]: ...
def operator(name: str) -> Callable[..., Any] | None: ...
