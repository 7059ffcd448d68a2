"""Drop specialisation, and fusion of dups with drops (Reinking 2022, §4.2.3).

Below a match on x that binds ys, `dup ys'; drop x` becomes

    if unique x { drop of the other ys; free x } else { dup ys'; decref x }

and `val ru = drop-reuse x` likewise, with `val ru = &x` and `val ru = NULL`: on a unique block the dups and the drops of its
fields cancel. The dups have been pushed into the shared branch, where they are needed. A value (a struct) is simply taken
apart. Drops of what is known to be a constructor without fields go away.

A drop is only specialised if some field is used; a drop-reuse always is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from usl_perceus.chains import split_ops, with_ops
from usl_perceus.ir import (
    Branch,
    DecRef,
    Drop,
    DropReuse,
    Dup,
    Expr,
    Free,
    IfUnique,
    Lambda,
    Layout,
    Match,
    NullToken,
    Op,
    Program,
    TakeToken,
    Var,
)
from usl_perceus.layout import is_counted
from usl_perceus.traverse import map_children


def specialize_drops(program: Program) -> Program:
    """Specialise the drops of matched blocks."""
    return _each_function(program, _Specialization(program, drops=True, reuses=False))


def specialize_reuses(program: Program) -> Program:
    """Specialise the drop-reuses likewise."""
    return _each_function(program, _Specialization(program, drops=False, reuses=True))


def _each_function(program: Program, change: _Specialization) -> Program:
    funs = {name: replace(fun, body=change.expr(fun.body, {})) for name, fun in program.funs.items()}
    return replace(program, funs=funs)


class _Specialization:
    def __init__(self, program: Program, *, drops: bool, reuses: bool) -> None:
        self._program = program
        self._drops = drops
        self._reuses = reuses

    def expr(self, expr: Expr, matched: Mapping[Var, Branch]) -> Expr:
        """matched: for each variable under a match on it the branch that was taken."""
        ops, rest = split_ops(expr)
        at = 0
        while at < len(ops):
            op = ops[at]
            if isinstance(op, Drop | DropReuse) and op.var in matched:
                after = ops[at + 1 :]
                before = self._rewrite(op, ops[:at], matched[op.var])
                ops, at = (*before, *after), len(before)
            else:
                at += 1
        if not isinstance(rest, Match):
            below = {} if isinstance(rest, Lambda) else matched  # a lambda does not capture the binders
            return with_ops(ops, map_children(rest, lambda child: self.expr(child, below)))
        branches = []
        for branch in rest.branches:
            branches.append(replace(branch, body=self.expr(branch.body, {**matched, rest.var: branch})))
        default = None if rest.default is None else self.expr(rest.default, matched)
        return with_ops(ops, replace(rest, branches=tuple(branches), default=default))

    def _rewrite(self, op: Drop | DropReuse, before: tuple[Op, ...], branch: Branch) -> tuple[Op, ...]:
        """The chain `before; op` with the drop op of the scrutinee specialised."""
        fields = [var for var in branch.binders if is_counted(var.type, self._program.datas)]
        layout = self._program.datas[branch.con.data].layout
        moved, others = _first_dups(before, fields)
        kept = [dup.var for dup in moved]
        drops = tuple(Drop(var, span=op.span) for var in fields if var not in kept)
        if self._drops and layout is Layout.BOXED and not branch.binders:
            return before
        if self._drops and layout is Layout.VALUE:
            return (*others, Free(op.var, span=op.span), *drops)
        if isinstance(op, DropReuse) and self._reuses:
            unique: tuple[Op, ...] = (*drops, TakeToken(op.token, op.var, span=op.span))
            shared: tuple[Op, ...] = (*moved, DecRef(op.var, span=op.span), NullToken(op.token, span=op.span))
        elif isinstance(op, Drop) and self._drops and moved:
            unique, shared = (*drops, Free(op.var, span=op.span)), (*moved, DecRef(op.var, span=op.span))
        else:
            return (*before, op)
        return (*others, IfUnique(op.var, unique, shared, span=op.span))


def _first_dups(ops: tuple[Op, ...], fields: list[Var]) -> tuple[tuple[Dup, ...], tuple[Op, ...]]:
    """For each field its first dup in ops, if there is one; and the other operations."""
    moved: dict[Var, Dup] = {}
    others: list[Op] = []
    for op in ops:
        if isinstance(op, Dup) and op.var in fields and op.var not in moved:
            moved[op.var] = op
        else:
            others.append(op)
    return tuple(moved.values()), tuple(others)
