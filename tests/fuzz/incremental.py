"""What was found out incrementally about a procedure equals what a copy without any memory gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Summary, proc_summary
from usl_core.analysis.fields_used import field_use
from usl_core.analysis.last_check import fresh_copy
from usl_core.analysis.obligations import check_proc_invariant
from usl_core.analysis.parallel import check_parallel
from usl_core.analysis.solver import nothing_remembered
from usl_core.errors import BackendError, Undecided, UslError
from usl_core.ir.nodes import For, LoopMode, Proc
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import bound, free_names, iterators, mentioned, walk
from usl_core.primitives.simplify import _Plan

FACTS: dict[str, Callable[[Proc], Any]] = {
    "mentioned": mentioned,
    "bound": bound,
    "free": free_names,
    "iterators": lambda proc: frozenset[Sym]().union(*map(iterators, proc.body)),
    "fields": field_use,
    "simplified": lambda proc: to_simplify(proc),
    "effects": lambda proc: comparable(proc_summary(proc)),
}
"""What is remembered in nodes, of a whole procedure."""


def incremental_failure(proc: Proc) -> str | None:
    """How what is remembered of proc differs from what its copy gives; None if it does not."""
    copy = fresh_copy(proc, {})
    for name, fact in FACTS.items():
        if fact(proc) != fact(copy):
            return f"what is remembered of its {name} is not what a copy gives"
    try:
        with nothing_remembered():
            check_proc_invariant(copy)
    except UslError as error:
        return f"it was accepted step by step, but not as a whole: {error}"
    return None


def race_failure(before: Proc, after: Proc) -> str | None:
    """How a parallel loop races after a step; None if none does, or one did before."""
    return _race(after) if _race(before) is None else None


def _race(proc: Proc) -> str | None:
    if not any(isinstance(node, For) and node.mode is LoopMode.PAR for node in walk(proc)):
        return None
    try:
        with nothing_remembered():
            check_parallel(fresh_copy(proc, {}))
    except BackendError as error:
        return f"its iterations race: {error}"
    except Undecided:
        return None
    return None


def to_simplify(proc: Proc) -> object:
    """Where `simplify` finds something to do."""
    plan = _Plan(keep_unit_loops=False)
    plan.block(Context.of_proc(proc), (), "body", proc.body, learn=True)
    return list(plan.exprs), [path for path, _, _ in plan.fixed], plan.resolved


def comparable(summary: Summary) -> object:
    """A summary without the nodes and the fresh names in it."""
    return [_comparable(access) for access in summary.accesses], summary.checks, summary.fields


def _comparable(access: Access) -> object:
    """An access with its bound names numbered."""
    numbers = {
        name: affine.var(_NUMBERED.setdefault(position, Sym(f"b{position}"))) for position, name in enumerate(access.iters)
    }
    point = tuple(affine.subst(p, numbers) for p in access.point)
    guard = tuple(fml.subst(g, numbers) for g in access.guard)
    return access.buffer, access.kind, access.op, point, guard, access.exact


_NUMBERED: dict[int, Sym] = {}
