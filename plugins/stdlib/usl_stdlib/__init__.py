"""The schedule library: functions over the public operators and cursors. A mistake here cannot make a wrong program.

    from usl_stdlib import tile_loops, vectorize

Each function is loaded when it is first asked for, as most programs use a few. docs/automation.md is its manual.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from usl_core.errors import LIBRARIES

if TYPE_CHECKING:
    from usl_stdlib.bounds import Bounds as Bounds
    from usl_stdlib.bounds import affine_range as affine_range
    from usl_stdlib.bounds import infer_bounds as infer_bounds
    from usl_stdlib.classification import LoopClass as LoopClass
    from usl_stdlib.classification import LoopKind as LoopKind
    from usl_stdlib.classification import classify as classify
    from usl_stdlib.combinators import attempt as attempt
    from usl_stdlib.combinators import bottom_up as bottom_up
    from usl_stdlib.combinators import chain as chain
    from usl_stdlib.combinators import each as each
    from usl_stdlib.combinators import first_of as first_of
    from usl_stdlib.combinators import repeat as repeat
    from usl_stdlib.combinators import to_fixpoint as to_fixpoint
    from usl_stdlib.combinators import top_down as top_down
    from usl_stdlib.config_contract import holds_at_end as holds_at_end
    from usl_stdlib.config_contract import max_config_writes as max_config_writes
    from usl_stdlib.config_writes import ConfigWrites as ConfigWrites
    from usl_stdlib.config_writes import count_config_writes as count_config_writes
    from usl_stdlib.dividing import divide_loop_recursive as divide_loop_recursive
    from usl_stdlib.feeding import spread_into as spread_into
    from usl_stdlib.fitting import tile_for_memory as tile_for_memory
    from usl_stdlib.guards import bound_loop_by_if as bound_loop_by_if
    from usl_stdlib.guards import round_loop as round_loop
    from usl_stdlib.guards import undo_divide_and_guard_loop as undo_divide_and_guard_loop
    from usl_stdlib.hoisting import ConfigReport as ConfigReport
    from usl_stdlib.hoisting import hoist_config as hoist_config
    from usl_stdlib.inspection import common_ancestor as common_ancestor
    from usl_stdlib.inspection import enclosing_loop as enclosing_loop
    from usl_stdlib.inspection import enclosing_loops as enclosing_loops
    from usl_stdlib.inspection import loop_nest as loop_nest
    from usl_stdlib.inspection import walk as walk
    from usl_stdlib.interleaving import Unrolled as Unrolled
    from usl_stdlib.interleaving import interleave as interleave
    from usl_stdlib.interleaving import unroll_and_jam as unroll_and_jam
    from usl_stdlib.invariants import Hoisted as Hoisted
    from usl_stdlib.invariants import hoist_from_loop as hoist_from_loop
    from usl_stdlib.memory_traffic import LoopTraffic as LoopTraffic
    from usl_stdlib.memory_traffic import Touched as Touched
    from usl_stdlib.memory_traffic import Traffic as Traffic
    from usl_stdlib.memory_traffic import touched as touched
    from usl_stdlib.memory_traffic import traffic as traffic
    from usl_stdlib.nearly import NearMiss as NearMiss
    from usl_stdlib.nearly import near_misses as near_misses
    from usl_stdlib.pipelining import Pipeline as Pipeline
    from usl_stdlib.pipelining import double_buffer as double_buffer
    from usl_stdlib.pipelining import software_pipeline as software_pipeline
    from usl_stdlib.reductions import ParallelReduction as ParallelReduction
    from usl_stdlib.reductions import parallelize_reduction as parallelize_reduction
    from usl_stdlib.replacing import replace_all as replace_all
    from usl_stdlib.replacing import replace_once as replace_once
    from usl_stdlib.replacing import replace_with_config as replace_with_config
    from usl_stdlib.rules import Cut as Cut
    from usl_stdlib.rules import Lanes as Lanes
    from usl_stdlib.rules import abs_rule as abs_rule
    from usl_stdlib.rules import fma_rule as fma_rule
    from usl_stdlib.rules import in_memory as in_memory
    from usl_stdlib.rules import select_rule as select_rule
    from usl_stdlib.scanning import BlockedScan as BlockedScan
    from usl_stdlib.scanning import parallel_scan as parallel_scan
    from usl_stdlib.scanning import scan_in_blocks as scan_in_blocks
    from usl_stdlib.scanning import tree_scan as tree_scan
    from usl_stdlib.separating import dealias as dealias
    from usl_stdlib.separating import fission_into_singles as fission_into_singles
    from usl_stdlib.separating import reorder_stmt_backwards as reorder_stmt_backwards
    from usl_stdlib.separating import reorder_stmt_forward as reorder_stmt_forward
    from usl_stdlib.separating import stage_compute as stage_compute
    from usl_stdlib.specializing import binary_specialize as binary_specialize
    from usl_stdlib.staging import Staged as Staged
    from usl_stdlib.staging import auto_stage_mem as auto_stage_mem
    from usl_stdlib.subexpressions import CommonExpressions as CommonExpressions
    from usl_stdlib.subexpressions import cse as cse
    from usl_stdlib.tiling import Tiles as Tiles
    from usl_stdlib.tiling import tile_loops as tile_loops
    from usl_stdlib.unrolling import cleanup as cleanup
    from usl_stdlib.unrolling import cut_loop_and_unroll as cut_loop_and_unroll
    from usl_stdlib.unrolling import unroll_buffers as unroll_buffers
    from usl_stdlib.unrolling import unroll_loops as unroll_loops
    from usl_stdlib.vectorizing import Vectorized as Vectorized
    from usl_stdlib.vectorizing import vectorize as vectorize

    LIBRARY: tuple[Callable[..., Any], ...]

LIBRARIES.add("usl_stdlib")

_TOGETHER = {
    "bounds": "Bounds affine_range infer_bounds",
    "classification": "LoopClass LoopKind classify",
    "combinators": "attempt bottom_up chain each first_of repeat to_fixpoint top_down",
    "config_contract": "holds_at_end max_config_writes",
    "config_writes": "ConfigWrites count_config_writes",
    "feeding": "spread_into",
    "fitting": "tile_for_memory",
    "hoisting": "ConfigReport hoist_config",
    "inspection": "common_ancestor enclosing_loop enclosing_loops loop_nest walk",
    "interleaving": "Unrolled interleave unroll_and_jam",
    "invariants": "Hoisted hoist_from_loop",
    "pipelining": "Pipeline double_buffer software_pipeline",
    "reductions": "ParallelReduction parallelize_reduction",
    "replacing": "replace_all replace_once replace_with_config",
    "rules": "Cut Lanes abs_rule fma_rule in_memory select_rule",
    "staging": "Staged auto_stage_mem",
    "subexpressions": "CommonExpressions cse",
    "tiling": "Tiles tile_loops",
    "nearly": "NearMiss near_misses",
    "memory_traffic": "LoopTraffic Touched Traffic touched traffic",
    "vectorizing": "Vectorized vectorize",
    "dividing": "divide_loop_recursive",
    "guards": "bound_loop_by_if round_loop undo_divide_and_guard_loop",
    "scanning": "BlockedScan parallel_scan scan_in_blocks tree_scan",
    "separating": "dealias fission_into_singles reorder_stmt_backwards reorder_stmt_forward stage_compute",
    "specializing": "binary_specialize",
    "unrolling": "cleanup cut_loop_and_unroll unroll_buffers unroll_loops",
}
"""By module, the public names."""

_LIBRARY = """
    replace_all replace_once replace_with_config near_misses hoist_config count_config_writes max_config_writes holds_at_end
    tile_loops tile_for_memory auto_stage_mem
    vectorize fma_rule select_rule abs_rule interleave unroll_and_jam hoist_from_loop parallelize_reduction scan_in_blocks
    tree_scan parallel_scan cse
    software_pipeline double_buffer spread_into round_loop undo_divide_and_guard_loop bound_loop_by_if divide_loop_recursive
    cut_loop_and_unroll unroll_loops unroll_buffers fission_into_singles stage_compute dealias reorder_stmt_forward
    reorder_stmt_backwards binary_specialize cleanup chain attempt first_of repeat each top_down bottom_up to_fixpoint walk
    classify enclosing_loop enclosing_loops common_ancestor loop_nest affine_range infer_bounds touched traffic
""".split()
"""The functions in the manual's order; the other names are the types of what they take and return."""

_HOMES = {name: f"usl_stdlib.{module}" for module, names in _TOGETHER.items() for name in names.split()}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    value: Any
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    elif name == "LIBRARY":
        value = tuple(__getattr__(each) for each in _LIBRARY)
    else:
        raise AttributeError(f"module 'usl_stdlib' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "LIBRARY"})
