"""Are the cursors of an old procedure forwarded as the contract says?"""

from __future__ import annotations

import random
from typing import Any

from tests.fuzz.library import library
from tests.fuzz.sites import expressions, formals, sites
from usl_core.cursors.cursor import make_cursor
from usl_core.cursors.path import ArgLoc, BlockLoc, Dead, GapLoc, Loc, NodeLoc, get
from usl_core.errors import SchedulingError
from usl_core.ir.nodes import Assign, Call, Expr, For, Interval, Proc, Reduce, Stmt
from usl_core.procedure import Procedure

LIBRARY = frozenset(library())
"""Functions that apply many operators, of any kind."""
UNREACHED = frozenset({"partial_eval", "add_assertion"})
"""Operators that may start a procedure which cursors of its parent do not reach."""
RESHAPING = frozenset(
    {
        "simplify",
        "replace",
        "inline",
        "partial_eval",
        "eliminate_dead_code",
        "fold_into_argreduce",
        "fold_into_reduce",
        "if_to_select",
        "merge_writes",
        "extract_subproc",
        "autofission",
        *LIBRARY,
    }
)
"""Operators that may put a statement of another kind where a cursor points: the call, the inlined body, what is left."""


RETARGETING = LIBRARY | {"stage_mem", "simplify", "inline", "inline_window", "join_loops", "reuse_buffer", "unroll_buffer"}
"""Operators after which a statement may write a buffer of another name; of two joined bodies the first one's names stay."""
RENAMING = LIBRARY | {
    "rename_loop",
    "divide_loop",
    "divide_with_recompute",
    "fuse",
    "join_loops",
    "simplify",
    "inline",
    "mult_loops",
}
"""Operators that give a loop another iterator."""


def cursor_locations(proc: Proc, rng: random.Random) -> list[Loc]:
    """Every statement and formal, gaps and blocks, and a sample of the expressions."""
    places: list[Loc] = [*formals(proc)]
    for site in sites(proc):
        places += [site.loc, site.after(), site.block()]
        exprs = expressions(proc, site)
        places += [loc for loc, _ in rng.sample(exprs, min(3, len(exprs)))]
    return places


def forwarding_failure(old: Procedure, new: Procedure, operator: str, rng: random.Random) -> str | None:
    """The first cursor of old whose forwarding to new breaks the contract, as text."""
    for loc in cursor_locations(old.ir, rng):
        try:
            cursor = new.forward(make_cursor(old, loc))
        except SchedulingError as error:
            if operator in UNREACHED and error.code == "E403":
                return None
            return f"cursor to {loc} cannot be forwarded: {error}"
        except LookupError as error:
            return f"cursor to {loc} became a place that does not exist: {error}"
        problem = _problem(old.ir, new.ir, loc, cursor.loc, operator)
        if problem is not None:
            return f"cursor to {loc} ({_describe(old.ir, loc)}) became {cursor.loc}: {problem}"
    return None


def _problem(old: Proc, new: Proc, before: Loc, after: Loc, operator: str) -> str | None:
    match before, after:
        case _, Dead(reason=reason):
            return None if reason else "dead without a reason"
        case NodeLoc(path=path), NodeLoc(path=target):
            return _node_problem(get(old, path), _get(new, target), operator)
        case NodeLoc(), BlockLoc() if operator in RESHAPING:
            return None
        case BlockLoc(), BlockLoc(parent=parent, field=field, lo=lo, hi=hi):
            block = getattr(_get(new, parent), field, None)
            return None if block is not None and 0 <= lo < hi <= len(block) else "no such block"
        case GapLoc(), GapLoc(parent=parent, field=field, index=index):
            block = getattr(_get(new, parent), field, None)
            return None if block is not None and (0 <= index < len(block) or (index == 0 and not block)) else "no such gap"
        case ArgLoc(index=index), ArgLoc(index=target_index):
            same_name = target_index < len(new.args) and new.args[target_index].name.name == old.args[index].name.name
            return None if same_name else "another formal"
        case _:
            return "another kind of place"


def _get(proc: Proc, path: Any) -> Any:
    try:
        return get(proc, path)
    except (LookupError, AttributeError, TypeError):
        return None


def _node_problem(old: Any, new: Any, operator: str) -> str | None:
    if new is None:
        return "no such node"
    if isinstance(old, Stmt) and isinstance(new, Stmt):
        if type(old) is type(new):
            return _identity_problem(old, new, operator)
        return (
            None
            if operator in RESHAPING or isinstance(new, Call)
            else f"a {type(new).__name__} instead of a {type(old).__name__}"
        )
    if isinstance(old, Expr | Interval):
        return None if isinstance(new, Expr | Interval) else "not an expression any more"
    return "a statement became an expression"


def _identity_problem(old: Stmt, new: Stmt, operator: str) -> str | None:
    """Assignments keep their target, calls their callee and loops their iterator, by spelling."""
    match old, new:
        case (Assign(name=a), Assign(name=b)) | (Reduce(name=a), Reduce(name=b)):
            return None if a.name == b.name or operator in RETARGETING else f"writes {b.name}, not {a.name}"
        case For(iter=a), For(iter=b):
            kept = a.name == b.name or operator in RENAMING
            return None if kept else f"loops over {b.name}, not {a.name}"
        case _:
            return None


def _describe(proc: Proc, loc: Loc) -> str:
    return type(get(proc, loc.path)).__name__ if isinstance(loc, NodeLoc) else type(loc).__name__
