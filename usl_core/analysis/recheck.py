"""Proving the invariant again after a rewrite, where it changed something.

The two versions share every node that the rewrite left alone, so what changed is found by comparing identities. What an
unchanged statement relies on can change only through a binding or check earlier in its block, or through the loops and
branches around it; in those cases it is proved again too, after another binding only if it mentions the name.
The argument is in docs/soundness.md, "How an operator keeps safety".
"""

from __future__ import annotations

from usl_core.analysis.context import Context
from usl_core.analysis.obligations import check_assertions, check_block, check_mentions, check_proc_invariant
from usl_core.analysis.readers import check_readers, written_otherwise
from usl_core.errors import BoundsError, SchedulingError, Undecided
from usl_core.ir.nodes import Alloc, Block, Check, Expr, For, If, Proc, SimpleStmt, Stmt, WindowStmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import mentioned, same_expr
from usl_core.ir.types import TensorType
from usl_core.profiling import profiled


@profiled("analysis", "recheck")
def recheck(old: Proc, new: Proc, operator: str) -> None:
    """Prove the obligations of new that old's proof does not cover.

    Raises:
        SchedulingError: an obligation fails; the message names the operator.
        Undecided: the solver could not tell.
    """
    try:
        if old.args == new.args and old.body is new.body and new.preds[: len(old.preds)] == old.preds:
            if new.preds != old.preds:
                check_assertions(new, Context.of_proc(new))  # what was proved from fewer assertions is proved
            return
        if old.args != new.args or old.preds != new.preds:
            check_proc_invariant(new)
            return
        region = _recheck_block(Context.of_proc(new), old.body, new.body)
        if region is not None and (fields := written_otherwise(*region, old, new)):
            check_readers(Context.of_proc(new), new.body, fields)
    except BoundsError as error:
        message = f"{operator}: the result would not be safe: {error.message}"
        raise SchedulingError(message, span=error.span, notes=error.notes, code="E410") from None
    except Undecided as error:
        raise Undecided(f"{operator}: {error.message}", span=error.span, notes=error.notes) from None


def _recheck_block(ctx: Context, old: Block, new: Block) -> tuple[Block, Block] | None:
    """Proves again what changed between two versions of a block; the statements that did, or None."""
    start, shared = 0, min(len(old), len(new))
    while start < shared and old[start] is new[start]:
        start += 1
    end = 0
    while end < shared - start and old[-1 - end] is new[-1 - end]:
        end += 1
    ctx = ctx.after_all(new[:start])
    changed_old, changed_new = old[start : len(old) - end], new[start : len(new) - end]
    if len(changed_old) == len(changed_new):
        return _recheck_each(ctx, old[start:], new[start:], len(changed_new))
    after = check_block(ctx, changed_new)
    if any(isinstance(s, Check) for s in changed_old):  # what it established is known no longer
        check_block(after, new[len(new) - end :])
    elif rebound := _rebound(changed_old, changed_new):
        check_mentions(after, new[len(new) - end :], rebound)
    return changed_old, changed_new


def _recheck_each(ctx: Context, old: Block, new: Block, changed: int) -> tuple[Block, Block] | None:
    """`_recheck_block` where each statement has another one at its place, and only the first of them (changed) may differ."""
    regions: list[tuple[Block, Block]] = []
    names = _Rebound()
    for position, (before, after) in enumerate(zip(old, new, strict=True)):
        rebound = names.now
        if position >= changed and not rebound:
            break
        if before is not after:
            if not rebound and _same_head(before, after):
                region = _descend(ctx, before, after)
                regions += [region] if region is not None else []
            else:
                check_block(ctx, (after,))
                regions.append(((before,), (after,)))
        elif rebound and not rebound.isdisjoint(mentioned(after)):
            check_mentions(ctx, (after,), rebound)
        names.past(before, after)
        ctx = ctx.after(after)
        if isinstance(before, Check) and (before is not after or not rebound.isdisjoint(mentioned(before))):
            check_block(ctx, new[position + 1 :])  # what it established is known no longer, or says something else
            regions += [(old[position + 1 : changed], new[position + 1 : changed])]
            break
    if not regions:
        return None
    return tuple(s for region, _ in regions for s in region), tuple(s for _, region in regions for s in region)


class _Rebound:
    """The names that two blocks, as far as they are read, bind differently; not what is only bound at another place in them."""

    def __init__(self) -> None:
        self.now: frozenset[Sym] = frozenset()
        self._old: dict[Sym, object] = {}
        self._new: dict[Sym, object] = {}

    def past(self, old: Stmt, new: Stmt) -> None:
        """Both blocks are read beyond one more statement."""
        before, after = _bound((old,)), _bound((new,))
        if isinstance(new, WindowStmt) and new.rhs.name in self.now:  # of a buffer that is another now, wherever it is next
            after[new.name] = None
        self._old |= before
        self._new |= after
        changed = {name for name in before.keys() | after.keys() if self._old.get(name, _NONE) != self._new.get(name, _NONE)}
        self.now = (self.now - before.keys() - after.keys()) | changed


_NONE = object()
"""Not bound yet."""


def _rebound(old: Block, new: Block) -> frozenset[Sym]:
    """The names that old or new binds for the rest of the block, unless both bind them to the same."""
    before, after = _bound(old), _bound(new)
    names = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    for stmt in new:
        if isinstance(stmt, WindowStmt) and stmt.rhs.name in names:  # as it was, but of a buffer that is another now
            names.add(stmt.name)
    return frozenset(names)


def _bound(block: Block) -> dict[Sym, object]:
    """The buffers and windows bound, with the extents or the window expression (whose buffers are told apart by their names):
    no obligation is about the type of elements."""
    found: dict[Sym, object] = {}
    for stmt in block:
        if isinstance(stmt, Alloc):
            found[stmt.name] = stmt.type.shape if isinstance(stmt.type, TensorType) else None
        elif isinstance(stmt, WindowStmt):
            found[stmt.name] = stmt.rhs
    return found


def _same_head(old: Stmt, new: Stmt) -> bool:
    match old:
        case For():
            return isinstance(new, For) and old.iter is new.iter and _same(old.lo, new.lo) and _same(old.hi, new.hi)
        case If():
            return isinstance(new, If) and _same(old.cond, new.cond)
        case SimpleStmt():
            return False


def _same(old: Expr, new: Expr) -> bool:
    return old is new or same_expr(old, new)


def _descend(ctx: Context, old: Stmt, new: Stmt) -> tuple[Block, Block] | None:
    if isinstance(old, For) and isinstance(new, For):
        return _recheck_block(ctx.enter(new, "body"), old.body, new.body)
    assert isinstance(old, If) and isinstance(new, If), "only loops and branches have a head"
    regions = [
        _recheck_block(ctx.enter(new, "body"), old.body, new.body) if old.body is not new.body else None,
        _recheck_block(ctx.enter(new, "orelse"), old.orelse, new.orelse) if old.orelse is not new.orelse else None,
    ]
    changed = [region for region in regions if region is not None]
    return changed[0] if len(changed) == 1 else ((old,), (new,))
