"""All scheduling operators under one roof: `from usl_core.scheduling import divide_loop`.

`OPERATORS` are the trusted primitives, from which the manual is generated; those of `COMPOSED` do several of them at once. Each
is loaded when it is first asked for, as most programs use a few. The schedule library is a package of its own, `usl_stdlib`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from usl_core.primitives.buffers.autolift_alloc import autolift_alloc as autolift_alloc
    from usl_core.primitives.buffers.delete_buffer import delete_buffer as delete_buffer
    from usl_core.primitives.buffers.divide_dim import divide_dim as divide_dim
    from usl_core.primitives.buffers.expand_dim import expand_dim as expand_dim
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
    from usl_core.primitives.config.bind_config import bind_config as bind_config
    from usl_core.primitives.config.delete_config import delete_config as delete_config
    from usl_core.primitives.config.write_config import write_config as write_config
    from usl_core.primitives.exprs.bind_expr import bind_expr as bind_expr
    from usl_core.primitives.exprs.commute_expr import commute_expr as commute_expr
    from usl_core.primitives.exprs.left_reassociate_expr import left_reassociate_expr as left_reassociate_expr
    from usl_core.primitives.exprs.rewrite_expr import rewrite_expr as rewrite_expr
    from usl_core.primitives.loops.add_loop import add_loop as add_loop
    from usl_core.primitives.loops.autofission import autofission as autofission
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
    from usl_core.primitives.loops.remove_loop import remove_loop as remove_loop
    from usl_core.primitives.loops.reorder_loops import reorder_loops as reorder_loops
    from usl_core.primitives.loops.shift_loop import shift_loop as shift_loop
    from usl_core.primitives.loops.specialize import specialize as specialize
    from usl_core.primitives.loops.unroll_loop import unroll_loop as unroll_loop
    from usl_core.primitives.procs.add_assertion import add_assertion as add_assertion
    from usl_core.primitives.procs.make_instr import make_instr as make_instr
    from usl_core.primitives.procs.partial_eval import partial_eval as partial_eval
    from usl_core.primitives.procs.rename import rename as rename
    from usl_core.primitives.procs.transpose import transpose as transpose
    from usl_core.primitives.simplify import simplify as simplify
    from usl_core.primitives.stmts.delete_pass import delete_pass as delete_pass
    from usl_core.primitives.stmts.fold_into_reduce import fold_into_reduce as fold_into_reduce
    from usl_core.primitives.stmts.inline_assign import inline_assign as inline_assign
    from usl_core.primitives.stmts.insert_noop_call import insert_noop_call as insert_noop_call
    from usl_core.primitives.stmts.insert_pass import insert_pass as insert_pass
    from usl_core.primitives.stmts.lift_reduce_constant import lift_reduce_constant as lift_reduce_constant
    from usl_core.primitives.stmts.merge_writes import merge_writes as merge_writes
    from usl_core.primitives.stmts.reorder_stmts import reorder_stmts as reorder_stmts
    from usl_core.primitives.stmts.split_write import split_write as split_write

    OPERATORS: tuple[Callable[..., Any], ...]
    COMPOSED: tuple[Callable[..., Any], ...]

_FOLDERS = {
    "usl_core.primitives.buffers": """
        autolift_alloc delete_buffer divide_dim expand_dim inline_window lift_alloc mult_dim rearrange_dim resize_dim
        reuse_buffer set_memory set_precision set_window sink_alloc stage_mem unroll_buffer
    """,
    "usl_core.primitives.calls": "call_eqv extract_subproc inline replace",
    "usl_core.primitives.config": "bind_config delete_config write_config",
    "usl_core.primitives.exprs": "bind_expr commute_expr left_reassociate_expr rewrite_expr",
    "usl_core.primitives.loops": """
        add_loop autofission cut_loop divide_loop divide_with_recompute eliminate_dead_code fission fuse guard_redundant
        join_loops lift_scope mult_loops parallelize_loop remove_loop reorder_loops shift_loop specialize unroll_loop
    """,
    "usl_core.primitives.procs": "add_assertion make_instr partial_eval rename transpose",
    "usl_core.primitives": "simplify",
    "usl_core.primitives.stmts": """
        delete_pass fold_into_reduce inline_assign insert_noop_call insert_pass lift_reduce_constant merge_writes
        reorder_stmts split_write
    """,
}
"""By folder, what is in a module of its own name."""

_OPERATORS = """
    divide_loop divide_with_recompute guard_redundant reorder_loops cut_loop join_loops mult_loops shift_loop fission fuse
    unroll_loop remove_loop lift_scope specialize eliminate_dead_code add_loop parallelize_loop reorder_stmts insert_pass
    delete_pass insert_noop_call merge_writes split_write fold_into_reduce inline_assign lift_reduce_constant commute_expr
    left_reassociate_expr rewrite_expr bind_expr stage_mem expand_dim lift_alloc sink_alloc delete_buffer divide_dim
    rearrange_dim mult_dim resize_dim reuse_buffer unroll_buffer inline_window set_memory set_precision set_window inline
    replace call_eqv extract_subproc simplify rename partial_eval add_assertion make_instr transpose bind_config
    write_config delete_config
""".split()

_COMPOSED = ["autofission", "autolift_alloc"]

_HOMES = {name: f"{folder}.{name}" for folder, names in _FOLDERS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    value: Any
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    elif name in ("OPERATORS", "COMPOSED"):
        value = tuple(_loaded(each) for each in (_OPERATORS if name == "OPERATORS" else _COMPOSED))
    else:
        raise AttributeError(f"module 'usl_core.scheduling' has no attribute {name!r}")
    globals()[name] = value
    return value


def _loaded(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = globals()[name] if name in globals() else __getattr__(name)
    return function


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "OPERATORS", "COMPOSED"})


__all__ = [
    "COMPOSED",
    "OPERATORS",
    "add_assertion",
    "add_loop",
    "autofission",
    "autolift_alloc",
    "bind_config",
    "bind_expr",
    "call_eqv",
    "commute_expr",
    "cut_loop",
    "delete_buffer",
    "delete_config",
    "delete_pass",
    "divide_dim",
    "divide_loop",
    "divide_with_recompute",
    "eliminate_dead_code",
    "expand_dim",
    "extract_subproc",
    "fission",
    "fold_into_reduce",
    "fuse",
    "guard_redundant",
    "inline",
    "inline_assign",
    "inline_window",
    "insert_noop_call",
    "insert_pass",
    "join_loops",
    "left_reassociate_expr",
    "lift_alloc",
    "lift_reduce_constant",
    "lift_scope",
    "make_instr",
    "merge_writes",
    "mult_dim",
    "mult_loops",
    "parallelize_loop",
    "partial_eval",
    "rearrange_dim",
    "remove_loop",
    "rename",
    "reorder_loops",
    "reorder_stmts",
    "replace",
    "resize_dim",
    "reuse_buffer",
    "rewrite_expr",
    "set_memory",
    "set_precision",
    "set_window",
    "shift_loop",
    "simplify",
    "sink_alloc",
    "specialize",
    "split_write",
    "stage_mem",
    "transpose",
    "unroll_buffer",
    "unroll_loop",
    "write_config",
]
