"""The rules of the linear resource calculus (Reinking 2022, fig. 4.5, and what `ir` adds), checked on every path.

The interpreter of the tests (`perceus_semantics.heap`) sees the paths that a run takes, this check all of them: each owned
variable is consumed exactly once, nothing is consumed that is not owned, a borrowed variable is used only while the block
that it is a part of is alive, tokens and holes are used once, and an exception leaves nothing behind that its handler does
not take over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from usl_perceus.insert import borrowed_args
from usl_perceus.ir import (
    Atom,
    Branch,
    Call,
    CallClosure,
    CopyToken,
    DecRef,
    Do,
    Drop,
    DropReuse,
    Dup,
    Expr,
    Fill,
    ForeignCall,
    Free,
    FreeToken,
    FunDef,
    HoleType,
    If,
    IfUnique,
    Jump,
    KernelCall,
    Label,
    Lambda,
    Layout,
    Let,
    LetJoin,
    MakeCon,
    MakeConHole,
    Match,
    NewHole,
    NullToken,
    Op,
    Prim,
    Program,
    Raise,
    Ret,
    TakeToken,
    TokenType,
    TryLet,
    Var,
)
from usl_perceus.layout import is_counted
from usl_perceus.show import show_expr
from usl_perceus.traverse import op_binders
from usl_perceus.verify import Malformed, may_throw


def check_linear(program: Program) -> None:
    """Check every function of a program in the linear resource calculus.

    Raises:
        Malformed: a path breaks the rules; with the function and the expression.
    """
    for fun in program.funs.values():
        _Checker(program, fun.name).function(fun)


@dataclass(frozen=True, slots=True)
class _State:
    """owned: how many references each variable owns, no zeros. constants: variables known to be constants, of any count."""

    owned: Mapping[Var, int] = field(default_factory=dict)
    constants: frozenset[Var] = frozenset()

    def plus(self, vars: Iterable[Var], step: int = 1) -> _State:
        owned = dict(self.owned)
        for var in vars:
            owned[var] = owned.get(var, 0) + step
        return _State({var: count for var, count in owned.items() if count}, self.constants)


class _Checker:
    """Follows a state through an expression. The state after an expression that never returns is None."""

    def __init__(self, program: Program, name: str) -> None:
        self._program = program
        self._name = name
        self._parent: dict[Var, Var] = {}
        self._fields: dict[Var, Branch] = {}
        self._borrowed: set[Var] = set()
        self._jumps: dict[Label, list[_State]] = {}
        self._raised: list[_State] = []

    def fail(self, why: str, expr: Expr) -> Malformed:
        return Malformed(f"{self._name}: {why} in\n{show_expr(expr)}")

    def linear(self, var: Var) -> bool:
        """Whether the variable takes part: references, tokens, holes."""
        return isinstance(var.type, TokenType | HoleType) or is_counted(var.type, self._program.datas)

    def function(self, fun: FunDef) -> None:
        self._borrowed = {param.var for param in fun.params if param.borrowed}
        self.closed(fun.body, [param.var for param in fun.params if not param.borrowed])

    def closed(self, body: Expr, owned: Iterable[Var]) -> None:
        """A body that owns variables and has to consume them all, whether it returns or raises."""
        outer, self._raised = self._raised, []
        after = self.expr(body, _State().plus(var for var in owned if self.linear(var)))
        for state in [*self._raised, *([] if after is None else [after])]:
            self.empty(state, body)
        self._raised = outer

    def empty(self, state: _State, expr: Expr) -> None:
        left = [var for var in state.owned if var not in state.constants]
        if left:
            raise self.fail(f"{left} are not consumed", expr)

    # ---- uses

    def alive(self, var: Var, state: _State) -> bool:
        if state.owned.get(var, 0) > 0 or var in self._borrowed or var in state.constants:
            return True
        return var in self._parent and self.alive(self._parent[var], state)

    def look(self, atom: Atom, state: _State, expr: Expr) -> None:
        if isinstance(atom, Var) and self.linear(atom) and not self.alive(atom, state):
            raise self.fail(f"{atom!r} is used when it may be gone", expr)

    def take(self, atoms: Iterable[Atom | None], state: _State, expr: Expr) -> _State:
        """The state after atoms are consumed."""
        vars = [atom for atom in atoms if isinstance(atom, Var) and self.linear(atom) and atom not in state.constants]
        state = state.plus(vars, -1)
        for var in vars:
            if state.owned.get(var, 0) < 0:
                raise self.fail(f"{var!r} is consumed and not owned", expr)
        return state

    def merge(self, states: Iterable[_State | None], expr: Expr) -> _State | None:
        """The state after one of several paths, which must agree."""
        result: _State | None = None
        for state in states:
            if state is None or result is None:
                result = result or state
                continue
            free = result.constants | state.constants
            if any(result.owned.get(var, 0) != state.owned.get(var, 0) for var in {*result.owned, *state.owned} - free):
                raise self.fail(f"paths differ: {dict(result.owned)} and {dict(state.owned)}", expr)
            owned = {}
            for var in {*result.owned, *state.owned}:
                sure = state if var in result.constants else result
                owned[var] = sure.owned.get(var, 0)
            result = _State({var: count for var, count in owned.items() if count}, result.constants & state.constants)
        return result

    # ---- expressions

    def expr(self, expr: Expr, state: _State) -> _State | None:
        """The state after expr, whose result is owned by whoever takes it."""
        match expr:
            case Ret(atom=atom):
                return self.take((atom,), state, expr)
            case Raise(atom=atom):
                self._raised.append(self.take((atom,), state, expr))
                return None
            case Call() | CallClosure() | Prim() | ForeignCall() | KernelCall():
                return self.call(expr, state)
            case MakeCon(args=args, token=token):
                return self.take((*args, token), state, expr)
            case Lambda(captures=captures, params=params, body=body):
                inner = _Checker(self._program, self._name)
                inner.closed(body, (*captures, *params))
                return self.take(captures, state, expr)
            case Let(var=var, value=value, body=body):
                after = self.expr(value, state)
                return None if after is None else self.expr(body, self.bound(var, after))
            case TryLet():
                return self.attempt(expr, state)
            case Match():
                return self.match(expr, state)
            case If(then=then, orelse=orelse):
                return self.merge((self.expr(then, state), self.expr(orelse, state)), expr)
            case LetJoin(label=label, params=params, join_body=join_body, body=body):
                self._jumps[label] = []
                after = self.expr(body, state)
                arrived = self.merge(self._jumps[label], expr)
                if arrived is None:
                    return after
                joined = self.expr(join_body, arrived.plus(var for var in params if self.linear(var)))
                return self.merge((after, joined), expr)
            case Jump(label=label, args=args):
                self._jumps[label].append(self.take(args, state, expr))
                return None
            case NewHole(hole=hole, body=body):
                return self.expr(body, state.plus((hole,)))
            case MakeConHole(var=var, hole=hole, args=args, token=token, body=body):
                return self.expr(body, self.take((*args, token), state, expr).plus((var, hole)))
            case Fill(hole=hole, atom=atom):
                return self.take((hole, atom), state, expr)
            case Do(op=op, body=body):
                return self.expr(body, self.op(op, state, expr))
            case _:
                assert_never(expr)

    def bound(self, var: Var, state: _State) -> _State:
        return state.plus((var,)) if self.linear(var) else state

    def call(self, expr: Call | CallClosure | Prim | ForeignCall | KernelCall, state: _State) -> _State:
        kept = borrowed_args(expr, self._program)
        for arg, keep in zip(expr.args, kept, strict=True):
            if keep and not (isinstance(arg, Var) and isinstance(arg.type, HoleType)):
                self.look(arg, state, expr)
        taken = [arg for arg, keep in zip(expr.args, kept, strict=True) if not keep]
        after = self.take([*taken, *([expr.fun] if isinstance(expr, CallClosure) else [])], state, expr)
        for arg, keep in zip(expr.args, kept, strict=True):
            if keep:
                self.look(arg, after, expr)
        if may_throw(expr, self._program):
            self._raised.append(after)
        return after

    def attempt(self, expr: TryLet, state: _State) -> _State | None:
        outer, self._raised = self._raised, []
        after = self.expr(expr.value, state)
        thrown = self.merge(self._raised, expr)
        self._raised = outer
        paths: list[_State | None] = []
        if after is not None:
            paths.append(self.expr(expr.body, self.bound(expr.var, after)))
        if thrown is not None:
            paths.append(self.expr(expr.handler, self.bound(expr.exn, thrown)))
        return self.merge(paths, expr)

    def match(self, expr: Match, state: _State) -> _State | None:
        self.look(expr.var, state, expr)
        paths = []
        for branch in expr.branches:
            outer = self._fields.get(expr.var)
            self._fields[expr.var] = branch
            self._parent.update(dict.fromkeys(branch.binders, expr.var))
            boxed = self._program.datas[branch.con.data].layout is Layout.BOXED
            constant = {expr.var} if boxed and not branch.binders else set[Var]()
            paths.append(self.expr(branch.body, _State(state.owned, state.constants | constant)))
            if outer is not None:
                self._fields[expr.var] = outer
        if expr.default is not None:
            paths.append(self.expr(expr.default, state))
        return self.merge(paths, expr)

    # ---- resource operations

    def op(self, op: Op, state: _State, expr: Expr) -> _State:
        match op:
            case Dup(var=var):
                self.look(var, state, expr)
                return state.plus((var,))
            case Drop(var=var) | DecRef(var=var):
                return self.take((var,), state, expr)
            case DropReuse(token=token, var=var):
                return self.take((var,), state, expr).plus((token,))
            case NullToken(token=token):
                return state.plus((token,))
            case CopyToken(token=token, var=var):
                self.look(var, state, expr)
                return state.plus((token,))
            case FreeToken(token=token):
                return self.take((token,), state, expr)
            case Free(var=var) | TakeToken(var=var):
                return self.taken_apart(op, state, expr)
            case IfUnique(var=var, unique=unique, shared=shared):
                self.look(var, state, expr)
                return self.if_unique(var, unique, shared, state, expr)
            case _:
                assert_never(op)

    def taken_apart(self, op: Free | TakeToken, state: _State, expr: Expr) -> _State:
        """The block of op ends: its fields are the binders' now."""
        after = self.take((op.var,), state, expr)
        return after.plus((*(var for var in self._fields[op.var].binders if self.linear(var)), *op_binders(op)))

    def if_unique(self, var: Var, unique: tuple[Op, ...], shared: tuple[Op, ...], state: _State, expr: Expr) -> _State:
        """Both sequences end in the same state. Fields that the unique one drops first are owed until the block ends."""
        first = state
        early = [op.var for op in unique if isinstance(op, Drop)]
        for op in unique:
            if not isinstance(op, Drop):
                first = self.op(op, first, expr)
        first = self.take(early, first, expr)
        second = state
        for op in shared:
            second = self.op(op, second, expr)
        merged = self.merge((first, second), expr)
        assert merged is not None
        if var in merged.owned and merged.owned != state.owned:
            self.look(var, merged, expr)
        return merged
