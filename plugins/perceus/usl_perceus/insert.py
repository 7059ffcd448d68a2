"""Perceus: precise dup and drop instructions by the syntax-directed rules of Reinking 2022, fig. 4.8.

The judgement `delta | gamma |- e ~> e'` translates an expression under the borrowed variables delta and the owned ones
gamma, and keeps: gamma and delta are disjoint, gamma is a subset of fv(e), fv(e) is a subset of both. Only counted variables
take part. Dups come as late as possible, at the leaves; drops as early, after a binding or at the start of a branch.

Beyond the figure's rules:

* match: the figure's SMATCH owns the scrutinee. Here the match inspects it, and each branch starts with `dup ys; drop x`
  (docs/semantics.md, §9) for those binders ys that the branch uses. If the branch uses x again, x stays (SVAR-DUP, then the
  pair `dup x; drop x` cancels). A borrowed scrutinee outlives the branch, so its binders are borrowed, without any count.
* borrowed parameters: an argument for one is not consumed; if that was its last use, it is dropped after the call.
* exceptions: `val x = e1; e2`, where e1 may raise while variables ys are kept for e2, becomes
  `try x = e1 in e2 unless ex -> drop ys; raise ex`.
* join points: what the body of one owns is, at each jump to it, one more argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from usl_core.errors import Span
from usl_perceus import prims
from usl_perceus.chains import with_ops
from usl_perceus.ir import (
    EXN,
    Atom,
    Branch,
    Call,
    CallClosure,
    Do,
    Drop,
    Dup,
    Expr,
    Fill,
    ForeignCall,
    FunDef,
    If,
    Jump,
    KernelCall,
    Label,
    Lambda,
    Let,
    LetJoin,
    MakeCon,
    MakeConHole,
    Match,
    NewHole,
    Op,
    Prim,
    Program,
    Raise,
    Ret,
    TryLet,
    Var,
)
from usl_perceus.layout import is_counted
from usl_perceus.traverse import FreeVars, map_children, type_of
from usl_perceus.verify import may_throw

Vars = frozenset[Var]
NONE: Vars = frozenset()


def insert(program: Program) -> Program:
    """The program in the linear resource calculus. Its functions have no Do, and no exports with borrowed parameters."""
    funs = {name: replace(fun, body=_Insertion(program, fun).body()) for name, fun in program.funs.items()}
    return replace(program, funs=funs)


def erase(expr: Expr) -> Expr:
    """The expression without its resource operations: undoes insertion, also the TryLets that only release and raise again, and
    the names of results after which something is dropped (`val r = e; r` becomes `e`)."""
    match expr:
        case Do(body=body):
            return erase(body)
        case TryLet(var=var, value=value, body=body, exn=exn, handler=handler):
            handled = erase(handler)
            if isinstance(handled, Raise) and handled.atom is exn:
                return erase(Let(var, value, body, span=expr.span))
            return replace(expr, value=erase(value), body=erase(body), handler=handled)
        case Let(var=var, value=value, body=body):
            rest = erase(body)
            return erase(value) if isinstance(rest, Ret) and rest.atom is var else replace(expr, value=erase(value), body=rest)
        case _:
            return map_children(expr, erase)


def ordered(vars: Iterable[Var]) -> list[Var]:
    """Variables in the order in which they were made, so that output does not depend on hashing."""
    return sorted(vars, key=lambda var: var.number)


def borrowed_args(
    expr: Call | CallClosure | Prim | ForeignCall | KernelCall | MakeCon | Jump, program: Program
) -> tuple[bool, ...]:
    """For each argument whether the caller keeps it."""
    match expr:
        case Call(fun=fun):
            return tuple(param.borrowed for param in program.funs[fun].params)
        case Prim(op=op, args=args):
            return prims.borrowed(op, len(args))
        case ForeignCall(fun=fun):
            return program.foreigns[fun].borrowed
        case KernelCall(kernel=kernel):
            return tuple(not written for written in program.kernels[kernel].written)
        case CallClosure(args=args) | MakeCon(args=args) | Jump(args=args):
            return (False,) * len(args)
        case _:
            assert_never(expr)


class _Insertion:
    """The derivation for one function."""

    def __init__(self, program: Program, fun: FunDef) -> None:
        self._program = program
        self._fun = fun
        self._free = FreeVars()
        self._free.of(fun.body)  # so that every Jump knows what its join point captures
        self._owned_by_join: dict[Label, Vars] = {}

    def body(self) -> Expr:
        delta = self.counted(param.var for param in self._fun.params if param.borrowed)
        gamma = self.counted(param.var for param in self._fun.params if not param.borrowed)
        return self.scoped(self._fun.body, delta, gamma)

    def counted(self, vars: Iterable[Var]) -> Vars:
        return frozenset(var for var in vars if is_counted(var.type, self._program.datas))

    def fv(self, expr: Expr) -> Vars:
        """The counted free variables."""
        return self.counted(self._free.of(expr))

    def scoped(self, expr: Expr, delta: Vars, gamma: Vars, dups: Vars = NONE) -> Expr:
        """expr where gamma may hold more than it uses: `dup dups`, then the surplus is dropped at once (as at the start of a
        branch in SMATCH, after a binding in SBIND-D, at the start of a function's body in SLAM-D)."""
        used = gamma & self.fv(expr)
        ops: list[Op] = [Dup(var, span=expr.span) for var in ordered(dups & used)]
        ops += [Drop(var, span=expr.span) for var in ordered(gamma - used - dups)]
        return with_ops(ops, self.expr(expr, delta, used))

    def expr(self, expr: Expr, delta: Vars, gamma: Vars) -> Expr:
        """`delta | gamma |- expr`, with gamma a subset of the free variables of expr."""
        match expr:
            case Ret(atom=atom) | Raise(atom=atom):
                return self._consuming((atom,), (False,), expr, delta, gamma)
            case Call() | CallClosure() | Prim() | ForeignCall() | KernelCall() | MakeCon():
                return self._call(expr, delta, gamma)
            case Jump(label=label, args=args):
                captured = self._owned_by_join[label]
                return self._consuming((*args, *ordered(captured)), (False,) * (len(args) + len(captured)), expr, delta, gamma)
            case Lambda():
                return self._lambda(expr, delta, gamma)
            case Let(value=value) if may_throw(value, self._program):
                return self._throwing_let(expr, delta, gamma)
            case Let(var=var, value=value, body=body):
                later = gamma & (self.fv(body) - {var})
                new_value = self.expr(value, delta | later, gamma - later)
                return replace(expr, value=new_value, body=self.scoped(body, delta, later | self.counted((var,))))
            case TryLet(var=var, value=value, body=body, exn=exn, handler=handler):
                later = gamma & ((self.fv(body) - {var}) | (self.fv(handler) - {exn}))
                return replace(
                    expr,
                    value=self.expr(value, delta | later, gamma - later),
                    body=self.scoped(body, delta, later | self.counted((var,))),
                    handler=self.scoped(handler, delta, later | {exn}),
                )
            case Match():
                return self._match(expr, delta, gamma)
            case If(then=then, orelse=orelse):
                return replace(expr, then=self.scoped(then, delta, gamma), orelse=self.scoped(orelse, delta, gamma))
            case LetJoin(label=label, params=params, join_body=join_body, body=body):
                captured = self._free.captured(label)
                self._owned_by_join[label] = gamma & captured
                owned = (gamma & captured) | self.counted(params)
                new_join = self.scoped(join_body, delta, owned)
                return replace(expr, join_body=new_join, body=self.scoped(body, delta, gamma))
            case NewHole(body=body):
                return replace(expr, body=self.expr(body, delta, gamma))
            case MakeConHole():
                return self._make_hole(expr, delta, gamma)
            case Fill(atom=atom):
                return self._consuming((atom,), (False,), expr, delta, gamma)
            case Do():
                raise AssertionError("the core has no resource operations")
            case _:
                assert_never(expr)

    def _consuming(self, atoms: Sequence[Atom], kept: Sequence[bool], expr: Expr, delta: Vars, gamma: Vars) -> Expr:
        """A leaf that consumes atoms, those that are not kept: SVAR and SVAR-DUP for each, SAPP and SCON for all of them.

        An owned variable is moved into its last consuming use and dupped for the others. A variable that is only borrowed
        by the leaf is left for the caller (`_call`) to drop.
        """
        seen: set[Var] = set()
        dups: list[Op] = []
        for atom, keeps in zip(atoms, kept, strict=True):
            if keeps or not isinstance(atom, Var) or not is_counted(atom.type, self._program.datas):
                continue
            if atom in gamma and atom not in seen:
                seen.add(atom)
            else:
                dups.append(Dup(atom, span=expr.span))
        return with_ops(dups, expr)

    def _call(
        self,
        expr: Call | CallClosure | Prim | ForeignCall | KernelCall | MakeCon,
        delta: Vars,
        gamma: Vars,
    ) -> Expr:
        """A call; owned variables that it only borrows are dropped when it is back, or has raised."""
        kept = borrowed_args(expr, self._program)
        atoms: tuple[Atom, ...] = expr.args
        if isinstance(expr, CallClosure):
            atoms, kept = (expr.fun, *atoms), (False, *kept)
        borrowed = {atom for atom, keeps in zip(atoms, kept, strict=True) if keeps and isinstance(atom, Var)}
        after = ordered(gamma & borrowed)
        if not after:
            return self._consuming(atoms, kept, expr, delta, gamma)
        call = self._consuming(atoms, kept, expr, delta | frozenset(after), gamma - frozenset(after))
        result = Var("r", type_of(expr))
        drops = [Drop(var, span=expr.span) for var in after]
        back = with_ops(drops, Ret(result, span=expr.span))
        if not may_throw(expr, self._program):
            return Let(result, call, back, span=expr.span)
        return self._releasing(result, call, back, drops, expr.span)

    def _releasing(self, var: Var, value: Expr, body: Expr, drops: Sequence[Op], span: Span) -> Expr:
        """`try var = value in body unless ex -> drops; raise ex`."""
        exn = Var("ex", EXN)
        return TryLet(var, value, body, exn, with_ops(drops, Raise(exn, type_of(body), span=span)), span=span)

    def _throwing_let(self, expr: Let, delta: Vars, gamma: Vars) -> Expr:
        later = gamma & (self.fv(expr.body) - {expr.var})
        value = self.expr(expr.value, delta | later, gamma - later)
        body = self.scoped(expr.body, delta, later | self.counted((expr.var,)))
        if not later:
            return replace(expr, value=value, body=body)
        drops = [Drop(var, span=expr.span) for var in ordered(later)]
        return self._releasing(expr.var, value, body, drops, expr.span)

    def _make_hole(self, expr: MakeConHole, delta: Vars, gamma: Vars) -> Expr:
        """As `val var = con(args); body`."""
        later = gamma & (self.fv(expr.body) - {expr.var})
        body = self.scoped(expr.body, delta, later | {expr.var})
        args = [arg for arg in expr.args if arg is not None]
        return self._consuming(args, (False,) * len(args), replace(expr, body=body), delta | later, gamma - later)

    def _lambda(self, expr: Lambda, delta: Vars, gamma: Vars) -> Expr:
        """SLAM and SLAM-D: the closure owns its captures (borrowed ones are dupped), its body owns captures and params."""
        body = self.scoped(expr.body, NONE, self.counted((*expr.captures, *expr.params)))
        return self._consuming(expr.captures, (False,) * len(expr.captures), replace(expr, body=body), delta, gamma)

    def _match(self, expr: Match, delta: Vars, gamma: Vars) -> Expr:
        branches = tuple(self._branch(expr.var, branch, delta, gamma) for branch in expr.branches)
        default = None if expr.default is None else self.scoped(expr.default, delta, gamma)
        return replace(expr, branches=branches, default=default)

    def _branch(self, scrutinee: Var, branch: Branch, delta: Vars, gamma: Vars) -> Branch:
        """SMATCH. Dups precede drops: dropping the scrutinee may free the fields."""
        fields = self.counted(branch.binders)
        if scrutinee in delta:
            return replace(branch, body=self.scoped(branch.body, delta | fields, gamma))
        used = fields & self.fv(branch.body)
        return replace(branch, body=self.scoped(branch.body, delta, gamma | used, dups=used))
