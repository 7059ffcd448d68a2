"""The functions of the schedule library as the fuzzer calls them: from a procedure and arguments to a procedure."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import usl_stdlib as lib
from usl_core import scheduling as ops
from usl_core.cursors.cursor import Cursor
from usl_core.procedure import Procedure

WITH_REPORT = (
    *("tile_loops", "auto_stage_mem", "vectorize", "interleave", "unroll_and_jam", "hoist_from_loop", "parallelize_reduction"),
    *("cse", "software_pipeline", "double_buffer", "hoist_config", "spread_into", "scan_in_blocks"),
)
"""Functions that give a procedure and a report."""

WITHOUT_REPORT = (
    *("replace_all", "replace_once", "max_config_writes", "round_loop", "undo_divide_and_guard_loop", "bound_loop_by_if"),
    *(
        "divide_loop_recursive",
        "cut_loop_and_unroll",
        "unroll_loops",
        "unroll_buffers",
        "fission_into_singles",
        "stage_compute",
    ),
    *("dealias", "reorder_stmt_forward", "reorder_stmt_backwards", "binary_specialize", "cleanup"),
    *("holds_at_end", "replace_with_config", "tree_scan", "parallel_scan"),
)
"""Functions that give a procedure."""

BASIC: dict[str, Callable[..., Procedure]] = {
    "halves": partial(ops.divide_loop, factor=2, names=["io", "ii"], tail="cut"),
    "guarded": partial(ops.divide_loop, factor=3, names=["jo", "ji"], tail="guard"),
    "unroll": ops.unroll_loop,
    "remove": ops.remove_loop,
    "parallel": ops.parallelize_loop,
    "exchange": ops.reorder_loops,
    "lift": ops.lift_scope,
    "multiply": partial(ops.mult_loops, k="k"),
    "dead": ops.eliminate_dead_code,
}
"""Schedules of one loop, out of which combinators make others."""


@cache
def library() -> dict[str, Callable[..., Procedure]]:
    """By name: the functions of the library that make procedures, its combinators, and `inspect` for those that only look."""
    made: dict[str, Callable[..., Procedure]] = {name: partial(_without_report, name) for name in WITH_REPORT}
    made |= {name: getattr(lib, name) for name in WITHOUT_REPORT} | {"inspect": _inspected}
    return made | {name: partial(_combined, name) for name in COMBINATORS}


def _without_report(name: str, procedure: Procedure, *args: Any, **options: Any) -> Procedure:
    made: Procedure = getattr(lib, name)(procedure, *args, **options)[0]
    return made


COMBINATORS: dict[str, Callable[[Callable[..., Procedure], Callable[..., Procedure]], Callable[..., Procedure]]] = {
    "chain": lambda first, second: lib.chain(first, second),
    "attempt": lambda first, second: lib.attempt(lib.chain(first, second)),
    "first_of": lambda first, second: lib.first_of(first, second),
    "repeat": lambda first, second: lib.repeat(lib.first_of(first, second), limit=5),
    "repeat n_times": lambda first, second: lib.repeat(lib.chain(first, second), n_times=2),
    "each": lambda first, second: lib.each(lib.attempt(first), "for _ in _: _"),
    "top_down": lambda first, second: lib.top_down(lib.first_of(first, second)),
    "bottom_up": lambda first, second: lib.bottom_up(lib.chain(first, lib.attempt(second))),
    "to_fixpoint": lambda first, second: lib.to_fixpoint(first, limit=12),
}
"""From two of BASIC to a schedule that takes a loop, or none where it finds its places itself."""
EVERYWHERE = frozenset({"each", "top_down", "bottom_up", "to_fixpoint"})


def _combined(name: str, procedure: Procedure, first: str, second: str, loop: Cursor) -> Procedure:
    schedule = COMBINATORS[name](BASIC[first], BASIC[second])
    return schedule(procedure) if name in EVERYWHERE else schedule(procedure, loop)


def _inspected(procedure: Procedure, loop: Any, buffer: str) -> Procedure:
    """The procedure itself, after every function that only looks was asked about a loop of it."""
    nest = lib.loop_nest(loop)
    around = lib.enclosing_loops(nest[-1])
    assert [inner.name() for inner in around[: len(nest) - 1]] == [outer.name() for outer in nest[:-1]][::-1]
    lib.common_ancestor([loop, nest[-1]])
    lib.classify(loop)
    found = {name: str(query) for name in ("touched", "traffic") if (query := getattr(lib, name)(loop))}
    assert all(found.values())
    lib.count_config_writes(procedure)
    lib.affine_range(loop.hi(), loop)
    lib.infer_bounds(loop, buffer)
    return procedure
