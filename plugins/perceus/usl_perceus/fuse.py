"""Dups pushed down into branches, and pairs of dup and drop removed (Reinking 2022, §4.2.3).

A dup moves over tests, matches and scalar arithmetic into the branches, if in one of them it meets a drop of the same
variable, with which it cancels, or of a block that the variable is a field of, with which drop specialisation can join it.
"""

from __future__ import annotations

from dataclasses import replace

from usl_perceus.chains import split_ops, with_ops
from usl_perceus.ir import Drop, DropReuse, Dup, Expr, If, Let, Match, Op, Prim, Program, Var
from usl_perceus.layout import is_counted
from usl_perceus.traverse import children, map_children, with_children


def fuse(program: Program) -> Program:
    """Push dups down where that lets them meet a drop, and cancel the pairs."""
    funs = {name: replace(fun, body=_Fusion(program).expr(fun.body)) for name, fun in program.funs.items()}
    return replace(program, funs=funs)


class _Fusion:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._parent: dict[Var, Var] = {}

    def expr(self, expr: Expr) -> Expr:
        ops, rest = split_ops(expr)
        if isinstance(rest, Match):
            for branch in rest.branches:
                self._parent.update(dict.fromkeys(branch.binders, rest.var))
        ops = cancel(ops)
        if isinstance(rest, Match | If) or self._is_scalar(rest):
            ops, rest = self._push(ops, rest)
        return with_ops(ops, map_children(rest, self.expr))

    def _is_scalar(self, expr: Expr) -> bool:
        """`val x = arithmetic; ...`: nothing that could end the life of a block, or needs one."""
        if not isinstance(expr, Let) or not isinstance(expr.value, Prim):
            return False
        return not any(is_counted(arg.type, self._program.datas) for arg in expr.value.args)

    def _push(self, ops: tuple[Op, ...], rest: Expr) -> tuple[tuple[Op, ...], Expr]:
        """The operations that stay, and rest with the others in its branches."""
        stay: list[Op] = []
        moving: list[Op] = []
        for at, op in enumerate(ops):
            if isinstance(op, Dup):
                ends = {op.var, *self._ancestors(op.var)}
                dropped = any(isinstance(later, Drop | DropReuse) and later.var in ends for later in ops[at + 1 :])
                if not dropped and any(self._meets(child, ends) for child in self._continuations(rest)):
                    moving.append(op)
                    continue
            stay.append(op)
        if not moving:
            return ops, rest
        if isinstance(rest, Let):
            return tuple(stay), replace(rest, body=with_ops(moving, rest.body))
        return tuple(stay), with_children(rest, tuple(with_ops(moving, child) for child in children(rest)))

    def _ancestors(self, var: Var) -> list[Var]:
        found: list[Var] = []
        while var in self._parent:
            var = self._parent[var]
            found.append(var)
        return found

    def _continuations(self, expr: Expr) -> tuple[Expr, ...]:
        return (expr.body,) if isinstance(expr, Let) else children(expr)

    def _meets(self, expr: Expr, ends: set[Var]) -> bool:
        """Whether a dup pushed to expr comes to a drop of one of ends."""
        ops, rest = split_ops(expr)
        if any(isinstance(op, Drop | DropReuse) and op.var in ends for op in ops):
            return True
        if isinstance(rest, Match | If) or self._is_scalar(rest):
            return any(self._meets(child, ends) for child in self._continuations(rest))
        return False


def cancel(ops: tuple[Op, ...]) -> tuple[Op, ...]:
    """Without the dups that a later drop of the same variable undoes."""
    left = list(ops)
    for op in ops:
        if isinstance(op, Dup):
            at = next(i for i, other in enumerate(left) if other is op)
            end = next((i for i, later in enumerate(left) if i > at and isinstance(later, Drop) and later.var is op.var), None)
            if end is not None:
                del left[end], left[at]
    return tuple(left)
