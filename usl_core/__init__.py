"""A user-schedulable language: plain loop nests, rewritten by operators that provably keep their meaning.

    from __future__ import annotations
    from usl_core import proc, divide_loop

    @proc
    def scale(n: size, x: f32[n]):
        for i in seq(0, n):
            x[i] = 2.0 * x[i]

    print(divide_loop(scale, "i", 8, ["io", "ii"], tail="cut"))

The operators are documented one by one in docs/operators.md; cursors and patterns in docs/cursors.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from usl_core import schedules as schedules
    from usl_core.errors import SchedulingError as SchedulingError
    from usl_core.errors import Undecided as Undecided
    from usl_core.errors import UsageError as UsageError
    from usl_core.errors import UslError as UslError
    from usl_core.frontend import build as build
    from usl_core.frontend.config_class import write_only as write_only
    from usl_core.ir.config import Config as Config
    from usl_core.ir.externs import Extern as Extern
    from usl_core.ir.memory import DRAM as DRAM
    from usl_core.ir.memory import Memory as Memory
    from usl_core.procedure import Procedure as Procedure
    from usl_core.procedure import config as config
    from usl_core.procedure import instr as instr
    from usl_core.procedure import proc as proc
    from usl_core.procedure import proc_from_source as proc_from_source
    from usl_core.scheduling import *  # noqa: F403

_HOMES = {
    "SchedulingError": "usl_core.errors",
    "Undecided": "usl_core.errors",
    "UsageError": "usl_core.errors",
    "UslError": "usl_core.errors",
    "write_only": "usl_core.frontend.config_class",
    "Config": "usl_core.ir.config",
    "Extern": "usl_core.ir.externs",
    "DRAM": "usl_core.ir.memory",
    "Memory": "usl_core.ir.memory",
    "Procedure": "usl_core.connect",
    "build": "usl_core.connect",
    "config": "usl_core.connect",
    "instr": "usl_core.connect",
    "proc": "usl_core.connect",
    "proc_from_source": "usl_core.connect",
}
"""Where the public names live. They load on first use, so that `import usl_core` and the command line stay quick."""

_MODULES = {"schedules": "usl_core.schedules"}

_SCHEDULING = frozenset(
    """add_assertion add_loop autofission autolift_alloc bind_config bind_expr call_eqv commute_expr cut_loop delete_buffer
    delete_config delete_pass divide_dim divide_loop divide_with_recompute eliminate_dead_code expand_dim
    extract_subproc fission fold_into_reduce fuse guard_redundant inline inline_assign inline_window insert_noop_call
    insert_pass join_loops left_reassociate_expr lift_alloc lift_reduce_constant lift_scope make_instr merge_writes
    mult_dim mult_loops parallelize_loop partial_eval rearrange_dim remove_loop rename reorder_loops reorder_stmts
    replace resize_dim reuse_buffer rewrite_expr set_memory set_precision set_window shift_loop simplify sink_alloc
    specialize split_write stage_mem transpose unroll_buffer unroll_loop write_config""".split()
)
"""What `usl_core.scheduling` exports (a test compares)."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    home = _HOMES.get(name) or ("usl_core.scheduling" if name in _SCHEDULING else None)
    if home is None:
        raise AttributeError(f"module 'usl_core' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


__all__ = sorted({*_HOMES, *_MODULES, *_SCHEDULING})


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
