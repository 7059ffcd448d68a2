"""Generic walks over the core: children, atoms, free variables, substitution, fresh copies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never
from weakref import WeakKeyDictionary

from usl_perceus.ir import (
    UNIT,
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
    FunType,
    HoleType,
    If,
    IfUnique,
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
    NullToken,
    Op,
    Prim,
    Raise,
    Ret,
    TakeToken,
    TokenType,
    TryLet,
    Type,
    Var,
)

LEAVES = frozenset({Ret, Raise, Call, CallClosure, Prim, ForeignCall, KernelCall, MakeCon, Jump, Fill})
"""The kinds of expressions that have no sub-expressions."""


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct sub-expressions, in the order of the source."""
    if expr.__class__ in LEAVES:  # most expressions, and a match of many classes takes its time
        return ()
    if isinstance(expr, Let):  # most of the others
        return (expr.value, expr.body)
    match expr:
        case TryLet(value=value, body=body, handler=handler):
            return (value, body, handler)
        case Lambda(body=body) | NewHole(body=body) | MakeConHole(body=body) | Do(body=body):
            return (body,)
        case Match(branches=branches, default=default):
            return (*(branch.body for branch in branches), *(() if default is None else (default,)))
        case If(then=then, orelse=orelse):
            return (then, orelse)
        case LetJoin(join_body=join_body, body=body):
            return (join_body, body)
        case Ret() | Raise() | Call() | CallClosure() | Prim() | ForeignCall() | KernelCall() | MakeCon() | Jump() | Fill():
            return ()
        case _:
            assert_never(expr)


def with_children(expr: Expr, new: tuple[Expr, ...]) -> Expr:
    """The same expression with other direct sub-expressions, in the order of `children`; itself if none differs."""
    if isinstance(expr, Let):  # the most frequent one
        same = expr.value is new[0] and expr.body is new[1]
        return expr if same else Let(expr.var, new[0], new[1], span=expr.span)
    if all(a is b for a, b in zip(children(expr), new, strict=True)):
        return expr
    match expr:
        case Ret() | Raise() | Call() | CallClosure() | Prim() | ForeignCall() | KernelCall() | MakeCon() | Jump() | Fill():
            return expr
        case TryLet():
            return replace(expr, value=new[0], body=new[1], handler=new[2])
        case Lambda() | NewHole() | MakeConHole() | Do():
            return replace(expr, body=new[0])
        case Match(branches=branches):
            bodies = [replace(branch, body=body) for branch, body in zip(branches, new, strict=False)]
            return replace(expr, branches=tuple(bodies), default=None if expr.default is None else new[-1])
        case If():
            return replace(expr, then=new[0], orelse=new[1])
        case LetJoin():
            return replace(expr, join_body=new[0], body=new[1])
        case _:
            assert_never(expr)


def map_children(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The expression with change applied to each direct sub-expression."""
    if expr.__class__ in LEAVES:
        return expr
    return with_children(expr, tuple(change(child) for child in children(expr)))


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and all that is in it, lambdas included, parents first."""
    stack = [expr]
    while stack:
        top = stack.pop()
        yield top
        if top.__class__ not in LEAVES:
            stack.extend(reversed(children(top)))


def atoms(expr: Expr) -> tuple[Atom, ...]:
    """The atoms that the expression itself uses, not those of its sub-expressions; with scrutinee, captures, tokens and holes,
    without the variables of an op."""
    match expr:
        case Ret(atom=atom) | Raise(atom=atom):
            return (atom,)
        case Call(args=args) | Prim(args=args) | ForeignCall(args=args) | KernelCall(args=args) | Jump(args=args):
            return args
        case CallClosure(fun=fun, args=args):
            return (fun, *args)
        case MakeCon(args=args, token=token):
            return args if token is None else (*args, token)
        case MakeConHole(args=holed, token=token):
            return tuple(arg for arg in (*holed, token) if arg is not None)
        case Lambda(captures=captures):
            return captures
        case Match(var=var):
            return (var,)
        case If(cond=cond):
            return (cond,)
        case Fill(hole=hole, atom=atom):
            return (hole, atom)
        case Let() | TryLet() | LetJoin() | NewHole() | Do():
            return ()
        case _:
            assert_never(expr)


def binders(expr: Expr) -> tuple[Var, ...]:
    """The variables that the expression itself binds, in any of its sub-expressions."""
    match expr:
        case Let(var=var) | NewHole(hole=var):
            return (var,)
        case TryLet(var=var, exn=exn):
            return (var, exn)
        case MakeConHole(var=var, hole=hole):
            return (var, hole)
        case Lambda(params=params) | LetJoin(params=params):
            return params
        case Match(branches=branches):
            return tuple(var for branch in branches for var in branch.binders)
        case Do(op=op):
            return op_binders(op)
        case _:
            return ()


def op_binders(op: Op) -> tuple[Var, ...]:
    """The tokens that op binds."""
    match op:
        case DropReuse(token=token) | TakeToken(token=token) | NullToken(token=token) | CopyToken(token=token):
            return (token,)
        case IfUnique(unique=unique):
            return tuple(var for inner in unique for var in op_binders(inner))
        case Dup() | Drop() | Free() | DecRef() | FreeToken():
            return ()
        case _:
            assert_never(op)


def op_uses(op: Op) -> tuple[Var, ...]:
    """The variables that op mentions and does not bind."""
    match op:
        case Dup(var=var) | Drop(var=var) | Free(var=var) | DecRef(var=var):
            return (var,)
        case DropReuse(var=var) | TakeToken(var=var) | CopyToken(var=var):
            return (var,)
        case FreeToken(token=token):
            return (token,)
        case NullToken():
            return ()
        case IfUnique(var=var, unique=unique, shared=shared):
            return (var, *(use for inner in (*unique, *shared) for use in op_uses(inner)))
        case _:
            assert_never(op)


class FreeVars:
    """Free variables of expressions, remembered per node.

    What the body of a join point uses from outside counts as used by each Jump to it: `of` must see the LetJoin before its
    Jumps, which holds when it is asked for the whole body of a function first.
    erased: leave out what only resource operations use, as in the erased expression of Reinking 2022, §4.3.
    stored: leave out arguments of constructors that are in place for certain, so that nothing is stored, and the fields that
    the copy of a block dups.
    """

    def __init__(self, *, erased: bool = False, stored: bool = False) -> None:
        self._erased = erased
        self._stored = stored
        self._known: WeakKeyDictionary[Expr, frozenset[Var]] = WeakKeyDictionary()
        self._captured: WeakKeyDictionary[Label, frozenset[Var]] = WeakKeyDictionary()

    def of(self, expr: Expr) -> frozenset[Var]:
        """The free variables of an expression."""
        known = self._known.get(expr)
        if known is None:
            known = self._compute(expr)
            self._known[expr] = known
        return known

    def captured(self, label: Label) -> frozenset[Var]:
        """What the body of a join point uses besides its params."""
        return self._captured[label]

    def branch(self, branch: Branch) -> frozenset[Var]:
        """The free variables of a match's branch, which binds the fields."""
        return self.of(branch.body) - frozenset(branch.binders)

    def _compute(self, expr: Expr) -> frozenset[Var]:
        own = frozenset(atom for atom in atoms(expr) if isinstance(atom, Var))
        if self._stored and isinstance(expr, MakeCon | MakeConHole) and is_certain(expr.token):
            stored = (arg for i, arg in enumerate(expr.args) if i not in expr.kept)
            own = frozenset(atom for atom in (*stored, expr.token) if isinstance(atom, Var))
        match expr:
            case Let(var=var, value=value, body=body):
                return self.of(value) | self.of(body) - {var}
            case TryLet(var=var, value=value, body=body, exn=exn, handler=handler):
                return self.of(value) | self.of(body) - {var} | self.of(handler) - {exn}
            case Match(branches=branches, default=default):
                inner = [self.branch(branch) for branch in branches]
                return own.union(*inner, self.of(default) if default is not None else ())
            case If(then=then, orelse=orelse):
                return own | self.of(then) | self.of(orelse)
            case LetJoin(label=label, params=params, join_body=join_body, body=body):
                self._captured[label] = self.of(join_body) - frozenset(params)
                return self._captured[label] | self.of(body)
            case Jump(label=label):
                return own | self._captured.get(label, frozenset())
            case Lambda():
                return own
            case NewHole(hole=hole, body=body):
                return self.of(body) - {hole}
            case MakeConHole(var=var, hole=hole, body=body):
                return own | self.of(body) - {var, hole}
            case Do(op=IfUnique(var=var, unique=unique, shared=(*_, CopyToken(), DecRef())) as op, body=body) if self._stored:
                uses = frozenset((var, *(use for inner in unique for use in op_uses(inner))))
                return uses | self.of(body) - frozenset(op_binders(op))
            case Do(op=op, body=body):
                uses = frozenset() if self._erased else frozenset(op_uses(op))
                return uses | self.of(body) - frozenset(op_binders(op))
            case _:
                return own


def type_of(expr: Expr) -> Type:
    """The type of an expression's value."""
    while True:
        match expr:
            case Ret(atom=atom):
                return atom.type
            case Let(body=body) | TryLet(body=body) | LetJoin(body=body) | MakeConHole(body=body) | Do(body=body):
                expr = body
            case Raise(type=type) | Call(type=type) | CallClosure(type=type) | Prim(type=type) | Jump(type=type):
                return type
            case ForeignCall(type=type) | KernelCall(type=type):
                return type
            case MakeCon(con=con):
                return con.type
            case Lambda():
                return lambda_type(expr)
            case Match(branches=branches, default=default):
                first = branches[0].body if branches else default
                assert first is not None
                expr = first
            case If(then=then):
                expr = then
            case NewHole(hole=hole):
                return hole_elem(hole)
            case Fill():
                return UNIT
            case _:
                assert_never(expr)


def lambda_type(fun: Lambda) -> Type:
    """The type of the function; captures are no part of it."""
    return FunType(tuple(param.type for param in fun.params), fun.result, fun.throws)


def is_certain(token: Var | None) -> bool:
    """Whether there is a token, and it is never NULL."""
    return token is not None and isinstance(token.type, TokenType) and token.type.certain


def hole_elem(hole: Var) -> Type:
    """The type of what a hole is filled with."""
    assert isinstance(hole.type, HoleType)
    return hole.type.elem


# ---- substitution


def substitute(expr: Expr, atoms_for: Mapping[Var, Atom]) -> Expr:
    """The expression with free variables replaced. In places that demand a variable the replacement must be one."""
    return _Copier(dict(atoms_for), fresh=False).expr(expr) if atoms_for else expr


def fresh_copy(expr: Expr, atoms_for: Mapping[Var, Atom] | None = None) -> Expr:
    """A copy in which every bound variable and label is fresh, free variables replaced as by `substitute`."""
    return _Copier(dict(atoms_for or {}), fresh=True).expr(expr)


class _Copier:
    def __init__(self, atoms_for: dict[Var, Atom], *, fresh: bool) -> None:
        self._atoms = atoms_for
        self._labels: dict[Label, Label] = {}
        self._fresh = fresh

    def atom(self, atom: Atom) -> Atom:
        return self._atoms.get(atom, atom) if isinstance(atom, Var) else atom

    def var(self, var: Var) -> Var:
        found = self._atoms.get(var, var)
        assert isinstance(found, Var), f"{var!r} must remain a variable, not {found!r}"
        return found

    def bind(self, var: Var) -> Var:
        if not self._fresh:
            return var
        new = var.copy()
        self._atoms[var] = new
        return new

    def label(self, label: Label) -> Label:
        return self._labels.get(label, label)

    def args(self, args: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple(self.atom(arg) for arg in args)

    def ops(self, ops: tuple[Op, ...]) -> tuple[Op, ...]:
        return tuple(self.op(op) for op in ops)

    def op(self, op: Op) -> Op:
        match op:
            case Dup() | Drop() | Free() | DecRef():
                return replace(op, var=self.var(op.var))
            case DropReuse() | TakeToken() | CopyToken():
                return replace(op, var=self.var(op.var), token=self._token(op.token))
            case NullToken():
                return replace(op, token=self._token(op.token))
            case FreeToken():
                return replace(op, token=self.var(op.token))
            case IfUnique():
                return replace(op, var=self.var(op.var), unique=self.ops(op.unique), shared=self.ops(op.shared))
            case _:
                assert_never(op)

    def _token(self, token: Var) -> Var:
        """A token is bound in both sequences of an IfUnique: the first time it gets its new name, the second time the same."""
        known = self._atoms.get(token)
        return known if isinstance(known, Var) else self.bind(token)

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Ret() | Raise():
                return replace(expr, atom=self.atom(expr.atom))
            case Let():
                value = self.expr(expr.value)
                return replace(expr, value=value, var=self.bind(expr.var), body=self.expr(expr.body))
            case TryLet():
                value, var = self.expr(expr.value), self.bind(expr.var)
                body, exn = self.expr(expr.body), self.bind(expr.exn)
                return replace(expr, value=value, var=var, body=body, exn=exn, handler=self.expr(expr.handler))
            case Call() | Prim() | ForeignCall() | KernelCall():
                return replace(expr, args=self.args(expr.args))
            case CallClosure():
                return replace(expr, fun=self.atom(expr.fun), args=self.args(expr.args))
            case MakeCon(token=token):
                return replace(expr, args=self.args(expr.args), token=None if token is None else self.var(token))
            case Lambda():
                return self._lambda(expr)
            case Match(default=default):
                branches = tuple(self._branch(branch) for branch in expr.branches)
                rest = None if default is None else self.expr(default)
                return replace(expr, var=self.var(expr.var), branches=branches, default=rest)
            case If():
                return replace(expr, cond=self.atom(expr.cond), then=self.expr(expr.then), orelse=self.expr(expr.orelse))
            case LetJoin():
                return self._join(expr)
            case Jump():
                return replace(expr, label=self.label(expr.label), args=self.args(expr.args))
            case NewHole():
                return replace(expr, hole=self.bind(expr.hole), body=self.expr(expr.body))
            case MakeConHole(token=token):
                args = tuple(None if arg is None else self.atom(arg) for arg in expr.args)
                token = None if token is None else self.var(token)
                var, hole = self.bind(expr.var), self.bind(expr.hole)
                return replace(expr, args=args, token=token, var=var, hole=hole, body=self.expr(expr.body))
            case Fill():
                return replace(expr, hole=self.var(expr.hole), atom=self.atom(expr.atom))
            case Do():
                return replace(expr, op=self.op(expr.op), body=self.expr(expr.body))
            case _:
                assert_never(expr)

    def _branch(self, branch: Branch) -> Branch:
        new = tuple(self.bind(var) for var in branch.binders)
        return replace(branch, binders=new, body=self.expr(branch.body))

    def _join(self, expr: LetJoin) -> LetJoin:
        params = tuple(self.bind(var) for var in expr.params)
        join_body = self.expr(expr.join_body)
        if self._fresh:
            self._labels[expr.label] = Label(expr.label.name)
        return replace(expr, label=self.label(expr.label), params=params, join_body=join_body, body=self.expr(expr.body))

    def _lambda(self, expr: Lambda) -> Lambda:
        """A capture that became a constant is no capture any more; one that two captures became is one."""
        renamed = (self.atom(var) for var in expr.captures)
        captures = tuple(dict.fromkeys(atom for atom in renamed if isinstance(atom, Var)))
        params = tuple(self.bind(var) for var in expr.params)
        return replace(expr, captures=captures, params=params, body=self.expr(expr.body))
