"""What every program must satisfy: scoping, types, exhaustive matches. Failures are bugs of a pass, not of a user.

Ownership in the linear calculus is checked by `linear.py`.
"""

from __future__ import annotations

from typing import assert_never

from usl_perceus import prims
from usl_perceus.ir import (
    BOOL,
    EXN,
    UNIT,
    Atom,
    Branch,
    Call,
    CallClosure,
    Con,
    DataType,
    Do,
    DropReuse,
    Expr,
    Fill,
    ForeignCall,
    FunDef,
    FunRef,
    FunType,
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
    Lit,
    MakeCon,
    MakeConHole,
    Match,
    NewHole,
    Nullary,
    NullToken,
    Op,
    Prim,
    Program,
    Raise,
    Ret,
    TokenType,
    TryLet,
    Type,
    Var,
)
from usl_perceus.layout import block_size
from usl_perceus.show import show_expr, show_type
from usl_perceus.traverse import is_certain, lambda_type, op_binders, op_uses


class Malformed(AssertionError):
    """A pass or the front end has made a program that is not well-formed."""


def verify(program: Program) -> None:
    """Check the whole program.

    Raises:
        Malformed: with the function and the expression at fault.
    """
    if "bool" not in program.datas:
        raise Malformed("the program lacks BOOL_DECL")
    for name, fun in program.funs.items():
        if name != fun.name:
            raise Malformed(f"{fun.name} is filed under {name}")
        _Checker(program, fun).check()


def may_throw(expr: Expr, program: Program) -> bool:
    """Whether evaluating expr may end with an exception (lambdas inside do not run)."""
    match expr:
        case Raise():
            return True
        case Call(fun=fun):
            return program.funs[fun].throws
        case CallClosure(fun=fun):
            return isinstance(fun.type, FunType) and fun.type.throws
        case Let(value=value, body=body):
            return may_throw(value, program) or may_throw(body, program)
        case TryLet(value=value, body=body, handler=handler):
            return may_throw(body, program) or (may_throw(value, program) and may_throw(handler, program))
        case Match(branches=branches, default=default):
            bodies = [branch.body for branch in branches] + ([] if default is None else [default])
            return any(may_throw(body, program) for body in bodies)
        case If(then=then, orelse=orelse):
            return may_throw(then, program) or may_throw(orelse, program)
        case LetJoin(join_body=join_body, body=body):
            return may_throw(join_body, program) or may_throw(body, program)
        case NewHole(body=body) | MakeConHole(body=body) | Do(body=body):
            return may_throw(body, program)
        case Ret() | Prim() | ForeignCall() | KernelCall() | MakeCon() | Lambda() | Jump() | Fill():
            return False
        case _:
            assert_never(expr)


class _Checker:
    def __init__(self, program: Program, fun: FunDef) -> None:
        self._program = program
        self._fun = fun
        self._bound: set[Var] = set()

    def fail(self, why: str, expr: Expr) -> Malformed:
        return Malformed(f"{self._fun.name}: {why} in\n{show_expr(expr)}")

    def check(self) -> None:
        fun = self._fun
        scope = frozenset(param.var for param in fun.params)
        self._bound.update(scope)
        found = self.expr(fun.body, scope, {}, fun.result)
        self.same(found, fun.result, fun.body)
        if not fun.throws and may_throw(fun.body, self._program):
            raise self.fail("an exception may leave a function that does not throw", fun.body)

    def same(self, found: Type, wanted: Type, expr: Expr) -> None:
        if found != wanted:
            raise self.fail(f"{show_type(found)} instead of {show_type(wanted)}", expr)

    def require(self, holds: bool, why: str, expr: Expr) -> None:
        if not holds:
            raise self.fail(why, expr)

    def bind(self, vars: tuple[Var, ...], scope: frozenset[Var], expr: Expr) -> frozenset[Var]:
        for var in vars:
            self.require(var not in self._bound, f"{var!r} is bound twice", expr)
            self._bound.add(var)
        return scope.union(vars)

    def atom(self, atom: Atom, scope: frozenset[Var], expr: Expr) -> Type:
        match atom:
            case Var():
                self.require(atom in scope, f"{atom!r} is not in scope", expr)
            case FunRef(fun=fun, type=type):
                self.require(fun in self._program.funs, f"no function {fun}", expr)
                decl = self._program.funs[fun]
                self.same(FunType(tuple(p.var.type for p in decl.params), decl.result, type.throws), type, expr)
                self.require(type.throws or not decl.throws, f"the type of {fun} hides that it may throw", expr)
            case Nullary(con=con):
                self.con(con, expr)
                layout = self._program.datas[con.data].layout
                self.require(not con.fields and layout is not Layout.VALUE, f"{con.name} is no nullary constructor", expr)
            case Lit():
                pass
            case _:
                assert_never(atom)
        return atom.type

    def con(self, con: Con, expr: Expr) -> None:
        decl = self._program.datas.get(con.data)
        known = decl is not None and con.tag < len(decl.cons) and decl.cons[con.tag] == con
        self.require(known, f"{con.name} is no constructor of {con.data}", expr)

    def args(self, args: tuple[Atom, ...], types: tuple[Type, ...], scope: frozenset[Var], expr: Expr) -> None:
        self.require(len(args) == len(types), f"{len(args)} arguments for {len(types)} parameters", expr)
        for arg, type in zip(args, types, strict=True):
            self.same(self.atom(arg, scope, expr), type, expr)

    def expr(self, expr: Expr, scope: frozenset[Var], labels: dict[Label, tuple[Type, ...]], wanted: Type | None) -> Type:
        """The type of expr. labels: the join points to which expr may jump. wanted: the type, where it is known."""
        match expr:
            case Ret(atom=atom):
                return self.atom(atom, scope, expr)
            case Let(var=var, value=value, body=body):
                self.same(self.expr(value, scope, {}, var.type), var.type, expr)
                return self.expr(body, self.bind((var,), scope, expr), labels, wanted)
            case TryLet(var=var, value=value, body=body, exn=exn, handler=handler):
                self.same(self.expr(value, scope, {}, var.type), var.type, expr)
                self.same(exn.type, EXN, expr)
                type = self.expr(body, self.bind((var,), scope, expr), labels, wanted)
                self.same(self.expr(handler, self.bind((exn,), scope, expr), labels, type), type, expr)
                return type
            case Raise(atom=atom, type=type):
                self.same(self.atom(atom, scope, expr), EXN, expr)
                return type
            case Lambda():
                return self._lambda(expr, scope)
            case Match():
                return self._match(expr, scope, labels, wanted)
            case If(cond=cond, then=then, orelse=orelse):
                self.same(self.atom(cond, scope, expr), BOOL, expr)
                type = self.expr(then, scope, labels, wanted)
                self.same(self.expr(orelse, scope, labels, type), type, expr)
                return type
            case LetJoin(label=label, params=params, join_body=join_body, body=body):
                type = self.expr(join_body, self.bind(params, scope, expr), labels, wanted)
                inner = {**labels, label: tuple(param.type for param in params)}
                self.same(self.expr(body, scope, inner, type), type, expr)
                return type
            case Jump(label=label, args=args, type=type):
                self.require(label in labels, f"{label!r} is out of reach", expr)
                self.args(args, labels[label], scope, expr)
                return type
            case NewHole(hole=hole, body=body):
                self.same(self.expr(body, self.bind((hole,), scope, expr), {}, UNIT), UNIT, expr)
                return self._elem(hole, expr)
            case MakeConHole(var=var, hole=hole, body=body):
                self._make_hole(expr, scope)
                return self.expr(body, self.bind((var, hole), scope, expr), labels, wanted)
            case Fill(hole=hole, atom=atom):
                self.same(self.atom(atom, scope, expr), self._elem(hole, expr), expr)
                self.atom(hole, scope, expr)
                return UNIT
            case Do(op=op, body=body):
                self._certainty(op, expr)
                for var in op_uses(op):
                    self.require(var in scope or var in op_binders(op), f"{var!r} is not in scope", expr)
                return self.expr(body, self.bind(op_binders(op), scope, expr), labels, wanted)
            case _:
                return self._simple(expr, scope)

    def _simple(self, expr: Call | CallClosure | Prim | ForeignCall | KernelCall | MakeCon, scope: frozenset[Var]) -> Type:
        match expr:
            case Call(fun=fun, args=args, type=type):
                self.require(fun in self._program.funs, f"no function {fun}", expr)
                decl = self._program.funs[fun]
                self.args(args, tuple(param.var.type for param in decl.params), scope, expr)
                self.same(type, decl.result, expr)
                return type
            case CallClosure(fun=closure, args=args, type=type):
                closure_type = self.atom(closure, scope, expr)
                assert isinstance(closure_type, FunType), "a closure has a function type"
                self.args(args, closure_type.params, scope, expr)
                self.same(type, closure_type.result, expr)
                return type
            case Prim(op=op, args=args, type=type):
                found = prims.result_type(op, tuple(self.atom(arg, scope, expr) for arg in args), type)
                self.require(found is not None, f"no primitive {op} for these types", expr)
                if found is not None:
                    self.same(found, type, expr)
                return type
            case ForeignCall(fun=fun, args=args, type=type):
                foreign = self._program.foreigns[fun]
                self.args(args, foreign.params, scope, expr)
                self.same(type, foreign.result, expr)
                return type
            case KernelCall(kernel=kernel, args=args, type=type):
                self.args(args, self._program.kernels[kernel].params, scope, expr)
                return type
            case MakeCon(con=con, args=args, token=token):
                self.con(con, expr)
                layout = self._program.datas[con.data].layout
                self.require(bool(con.fields) or layout is Layout.VALUE, f"{con.name} is an atom", expr)
                self.args(args, tuple(type for _, type in con.fields), scope, expr)
                self._token(con, token, scope, expr)
                return con.type
            case _:
                assert_never(expr)

    def _token(self, con: Con, token: Var | None, scope: frozenset[Var], expr: Expr) -> None:
        if token is not None:
            size = block_size(con, self._program.datas)
            self.same(self.atom(token, scope, expr), TokenType(size, is_certain(token)), expr)

    def _certainty(self, op: Op, expr: Expr) -> None:
        """A token that is never NULL is not bound by an operation that may make it so."""
        match op:
            case NullToken(token=token) | DropReuse(token=token):
                self.require(not is_certain(token), f"{token!r} may be NULL", expr)
            case IfUnique(unique=unique, shared=shared):
                for inner in (*unique, *shared):
                    self._certainty(inner, expr)
            case _:
                pass

    def _elem(self, hole: Var, expr: Expr) -> Type:
        assert isinstance(hole.type, HoleType), f"{hole!r} is no hole in\n{show_expr(expr)}"
        return hole.type.elem

    def _make_hole(self, expr: MakeConHole, scope: frozenset[Var]) -> None:
        self.con(expr.con, expr)
        self.require(expr.args[expr.index] is None and expr.args.count(None) == 1, "one field is the hole", expr)
        for arg, (_, type) in zip(expr.args, expr.con.fields, strict=True):
            found = self._elem(expr.hole, expr) if arg is None else self.atom(arg, scope, expr)
            self.same(found, type, expr)
        self._token(expr.con, expr.token, scope, expr)

    def _lambda(self, expr: Lambda, scope: frozenset[Var]) -> Type:
        for var in expr.captures:
            self.atom(var, scope, expr)
        inner = self.bind(expr.params, frozenset(expr.captures), expr)
        self.same(self.expr(expr.body, inner, {}, expr.result), expr.result, expr)
        if not expr.throws:
            self.require(not may_throw(expr.body, self._program), "an exception may leave it", expr)
        return lambda_type(expr)

    def _match(self, expr: Match, scope: frozenset[Var], labels: dict[Label, tuple[Type, ...]], wanted: Type | None) -> Type:
        type = self.atom(expr.var, scope, expr)
        assert isinstance(type, DataType), f"a match on {show_type(type)} in\n{show_expr(expr)}"
        decl = self._program.datas[type.name]
        seen: set[int] = set()
        for branch in expr.branches:
            wanted = self._branch(branch, decl.name, scope, labels, wanted, expr)
            self.require(branch.con.tag not in seen, f"two branches for {branch.con.name}", expr)
            seen.add(branch.con.tag)
        if expr.default is None:
            self.require(len(seen | expr.never) == len(decl.cons), "the match is not exhaustive", expr)
        else:
            found = self.expr(expr.default, scope, labels, wanted)
            self.same(found, wanted or found, expr)
            wanted = found
        assert wanted is not None
        return wanted

    def _branch(
        self,
        branch: Branch,
        data: str,
        scope: frozenset[Var],
        labels: dict[Label, tuple[Type, ...]],
        wanted: Type | None,
        expr: Match,
    ) -> Type:
        self.con(branch.con, expr)
        self.require(branch.con.data == data, f"{branch.con.name} is no constructor of {data}", expr)
        types = tuple(type for _, type in branch.con.fields)
        self.require(tuple(var.type for var in branch.binders) == types, f"the binders of {branch.con.name} do not fit", expr)
        found = self.expr(branch.body, self.bind(branch.binders, scope, expr), labels, wanted)
        self.same(found, wanted or found, expr)
        return found
