"""What operators that move, repeat or copy code ask about it: its effect where it stands, another instance of it, the names
it binds."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from typing import Annotated

from usl_core.analysis.affine import Lin
from usl_core.analysis.conditions import Conflict, conflict_between, instance
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Kind, Summary, block_summary, reads_of, replace_accesses
from usl_core.cursors.path import BlockLoc, stmt_list
from usl_core.errors import Span
from usl_core.ir.nodes import Alloc, Expr, Proc, Stmt, WindowStmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import free_names
from usl_core.primitives.base import refuse, require

# ---- effects


def effect(ctx: Context, block: Sequence[Stmt]) -> Summary:
    """The effect of code that stands where ctx holds, in terms of allocations and formals instead of windows."""
    whole = block_summary(block)
    return replace_accesses(whole, ctx.scope.resolve_all(whole.accesses))


def another(code: Summary, env: Mapping[Sym, Lin]) -> Summary:
    """Another instance of the same code: iterators replaced, names bound inside fresh."""
    return replace_accesses(code, instance(code.accesses, env))


def changes_value(ctx: Context, expr: Expr, code: Summary) -> Conflict | None:
    """Why running code may change the value of an expression, or None if it cannot. Control values never change."""
    reads = ctx.scope.resolve_all(reads_of(expr))
    writes = instance([a for a in code.accesses if a.kind is not Kind.READ], {})
    return conflict_between(ctx.facts, reads, writes)


# ---- names


def bound_at_top(block: Sequence[Stmt]) -> frozenset[Sym]:
    """The allocations and windows that block leaves in scope for what follows it."""
    return frozenset(stmt.name for stmt in block if isinstance(stmt, Alloc | WindowStmt))


def escaping(block: Sequence[Stmt], rest: Sequence[Stmt]) -> list[Sym]:
    """The names that block binds and rest uses."""
    return sorted(bound_at_top(block) & free_names(*rest))


Names = Annotated[Sequence[str], "a list of names"]


def require_closed(ir: Proc, block: BlockLoc, span: Span) -> None:
    """What block allocates or names is not used after it, as it will stand in a scope of its own."""
    whole = stmt_list(ir, block.parent, block.field)
    names = escaping(whole[block.lo : block.hi], whole[block.hi :])
    if names:
        shown = ", ".join(name.name for name in names)
        hint = "hint: take the statements that use it into the block, or move the allocation before the block"
        refuse(f"{shown} is bound in the block and used after it", span, [hint], code="E416")


def new_name(value: str) -> Sym:
    """A fresh name that the user chose the spelling of."""
    valid = value.isidentifier() and not keyword.iskeyword(value) and value != "_"
    require(valid, f"a name for new code must be an identifier, got {value!r}")
    return Sym(value)


def new_names(values: Names, count: int) -> tuple[Sym, ...]:
    """Fresh names from a list of spellings, all different."""
    require(len(values) == count, f"a list of {count} names is wanted, got {values!r}")
    require(len(set(values)) == count, f"the new names must differ: {values!r}")
    return tuple(new_name(value) for value in values)
