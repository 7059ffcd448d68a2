"""Simplification of the core: what the front end and inlining leave behind.

val x = { val y = a; b }; c        ~>  val y = a; val x = b; c
val x = atom; c                    ~>  c[x := atom]
val x = e; x                       ~>  e
val x = C(ys); ... match x         ~>  ... the branch of C, its binders := ys; likewise below a match on x
if True, match Nil                 ~>  the branch
join j(ps) = e; ... jump j(as)     ~>  ... e[ps := as], if there is one jump to j, or e is small
val x = e; c                       ~>  c, if x is not used and e is pure
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from weakref import WeakSet

from usl_perceus import prims
from usl_perceus.ir import (
    FALSE,
    TRUE,
    Atom,
    Con,
    Expr,
    If,
    Jump,
    Label,
    Lambda,
    Let,
    LetJoin,
    MakeCon,
    Match,
    Node,
    Nullary,
    Prim,
    Program,
    Raise,
    Ret,
    TryLet,
    Type,
    Var,
)
from usl_perceus.opt.fold import fold
from usl_perceus.traverse import atoms, children, fresh_copy, map_children, substitute, type_of, walk, with_children

SMALL_JOIN = 12
"""Bodies of join points with at most so many expressions are copied to each jump."""

Known = Mapping[Var, tuple[Con, tuple[Atom, ...]]]


def simplify(program: Program) -> Program:
    """Simplify each function until nothing changes any more, which takes few rounds."""
    return replace(program, funs={name: replace(fun, body=simplify_expr(fun.body)) for name, fun in program.funs.items()})


def simplify_expr(expr: Expr) -> Expr:
    """`simplify` for one expression of the core."""
    if expr in _simple:
        return expr
    for _ in range(10):
        new = _drop_unused(_inline_joins(_Simplifier().expr(expr, {})))
        if new is expr:
            break
        expr = new
    _simple.add(expr)
    return expr


_simple: WeakSet[Expr] = WeakSet()
"""What simplifying has left as it is: the passes ask again and again, and change few functions."""


def size(expr: Expr) -> int:
    """The number of expressions in expr."""
    return sum(1 for _ in walk(expr))


class _Simplifier:
    def expr(self, expr: Expr, known: Known) -> Expr:
        """known: the constructors of variables, and their fields."""
        match expr:
            case Let(var=var, value=value, body=body):
                return self._let(expr, var, self.expr(value, known), body, known)
            case If(cond=Nullary(con=con), then=then, orelse=orelse) if con in (TRUE, FALSE):
                return self.expr(then if con == TRUE else orelse, known)
            case Match(var=var):
                return self._match(expr, var, known)
            case TryLet(value=Raise(atom=atom) as raised, exn=exn, handler=handler):
                return self.expr(Let(exn, Ret(atom, span=expr.span), _raised_here(handler, exn, raised), span=expr.span), known)
            case Prim():
                constant = fold(expr)
                return expr if constant is None else Ret(constant, span=expr.span)
            case Lambda(captures=captures):
                inner = {var: known[var] for var in captures if var in known and not known[var][1]}
                return map_children(expr, lambda child: self.expr(child, inner))
            case _:
                return map_children(expr, lambda child: self.expr(child, known))

    def _let(self, expr: Let, var: Var, value: Expr, body: Expr, known: Known) -> Expr:
        """value is simplified already, body is not."""
        if _never_returns(value):
            return _raising(value, type_of(body))
        match value:
            case Let(var=first, value=start, body=rest):
                return replace(value, value=start, body=self._let(expr, var, rest, body, self._learn(first, start, known)))
            case Ret(atom=atom) if isinstance(atom, Var):
                return self.expr(substitute(body, {var: atom}), known)
            case Ret(atom=Nullary(con=con)) if _needs_variable(body, var):
                known = {**known, var: (con, ())}
            case Ret(atom=atom) if not _needs_variable(body, var):
                return self.expr(substitute(body, {var: atom}), known)
            case MakeCon(con=con, args=args):
                known = {**known, var: (con, args)}
            case If() | Match() if sum(not _never_returns(child) for child in children(value)) == 1:
                type = type_of(body)
                new = (
                    _raising(child, type) if _never_returns(child) else self._let(expr, var, child, body, known)
                    for child in children(value)
                )
                return with_children(value, tuple(new))
            case _:
                pass
        new_body = self.expr(body, known)
        if isinstance(new_body, Ret) and new_body.atom is var:
            return value
        return expr if value is expr.value and new_body is expr.body else replace(expr, value=value, body=new_body)

    def _learn(self, var: Var, value: Expr, known: Known) -> Known:
        return {**known, var: (value.con, value.args)} if isinstance(value, MakeCon) else known

    def _match(self, expr: Match, var: Var, known: Known) -> Expr:
        if var in known:
            con, args = known[var]
            for branch in expr.branches:
                if branch.con == con:
                    return self.expr(_bind(dict(zip(branch.binders, args, strict=True)), branch.body, expr), known)
            if expr.default is not None:
                return self.expr(expr.default, known)
        new = []
        for branch in expr.branches:
            body = self.expr(branch.body, {**known, var: (branch.con, branch.binders)})
            new.append(branch if body is branch.body else replace(branch, body=body))
        default = None if expr.default is None else self.expr(expr.default, known)
        if default is expr.default and all(a is b for a, b in zip(new, expr.branches, strict=True)):
            return expr
        return replace(expr, branches=tuple(new), default=default)


def _never_returns(expr: Expr) -> bool:
    """Whether expr always raises; False if that is not obvious."""
    match expr:
        case Raise():
            return True
        case Let(value=value, body=body):
            return _never_returns(value) or _never_returns(body)
        case TryLet(body=body, handler=handler):
            return _never_returns(body) and _never_returns(handler)
        case If() | Match():
            return all(_never_returns(child) for child in children(expr))
        case _:
            return False


def _raising(expr: Expr, type: Type) -> Expr:
    """expr, which never returns, in a place that expects the type."""
    match expr:
        case Raise():
            return replace(expr, type=type)
        case Let(value=value) if _never_returns(value):
            return _raising(value, type)
        case Let(body=body):
            return replace(expr, body=_raising(body, type))
        case TryLet(body=body, handler=handler):
            return replace(expr, body=_raising(body, type), handler=_raising(handler, type))
        case _:
            return map_children(expr, lambda child: _raising(child, type))


def _bind(atoms: Mapping[Var, Atom], body: Expr, where: Node) -> Expr:
    """body with variables replaced by atoms; a constant that must have a name gets a Let."""
    for var, atom in atoms.items():
        if not isinstance(atom, Var) and _needs_variable(body, var):
            body = Let(var, Ret(atom, span=where.span), body, span=where.span)
        else:
            body = substitute(body, {var: atom})
    return body


def bind_arguments(params: tuple[Var, ...], args: tuple[Atom, ...], body: Expr, where: Node) -> Expr:
    """body with params replaced by args."""
    return _bind(dict(zip(params, args, strict=True)), body, where)


def _needs_variable(body: Expr, var: Var) -> bool:
    """Whether var stands where no constant may: as the scrutinee of a match."""
    return any(isinstance(inner, Match) and inner.var is var for inner in walk(body))


def _inline_joins(expr: Expr) -> Expr:
    """Put the bodies of join points in the places of their jumps, where that is the only one or the body is small."""
    jumps: Counter[Label] = Counter()
    has_joins = False
    for inner in walk(expr):
        if isinstance(inner, Jump):
            jumps[inner.label] += 1
        elif isinstance(inner, LetJoin):
            has_joins = True
    return _replace_jumps(expr, jumps, {}) if has_joins else expr


def _replace_jumps(expr: Expr, jumps: Counter[Label], bodies: dict[Label, LetJoin]) -> Expr:
    match expr:
        case LetJoin(label=label, join_body=join_body) if jumps[label] == 0:
            return _replace_jumps(expr.body, jumps, bodies)
        case LetJoin(label=label, join_body=join_body, body=body):
            new_join = _replace_jumps(join_body, jumps, bodies)
            if jumps[label] == 1 or size(new_join) <= SMALL_JOIN:
                return _replace_jumps(body, jumps, {**bodies, label: replace(expr, join_body=new_join)})
            new_body = _replace_jumps(body, jumps, bodies)
            if new_join is join_body and new_body is body:
                return expr
            return replace(expr, join_body=new_join, body=new_body)
        case Jump(label=label, args=args) if label in bodies:
            join = bodies[label]
            if jumps[label] == 1:
                return bind_arguments(join.params, args, join.join_body, expr)
            params = {param: param.copy() for param in join.params}
            return bind_arguments(tuple(params.values()), args, fresh_copy(join.join_body, params), expr)
        case _:
            return map_children(expr, lambda child: _replace_jumps(child, jumps, bodies))


def is_pure(expr: Expr) -> bool:
    """Whether expr may be left out if its value is not used."""
    match expr:
        case Ret() | MakeCon() | Lambda():
            return True
        case Prim(op=op):
            return op not in prims.EFFECTS
        case Let() | Match() | If():
            return all(is_pure(child) for child in children(expr))
        case _:
            return False


def _drop_unused(expr: Expr) -> Expr:
    """Leave out pure bindings that nothing mentions, and captures that a lambda does not use."""
    return _dropped(expr, _mentioned(expr))


def _mentioned(expr: Expr) -> set[Var]:
    """What expressions within expr use. No variable is bound twice, so that one that is not among it is used nowhere."""
    return {atom for inner in walk(expr) for atom in atoms(inner) if isinstance(atom, Var)}


def _dropped(expr: Expr, used: Collection[Var]) -> Expr:
    if isinstance(expr, Let) and expr.var not in used and is_pure(expr.value):
        return _dropped(expr.body, used)
    if isinstance(expr, Lambda):
        body = _dropped(expr.body, used)
        inside = _mentioned(body)
        captures = tuple(var for var in expr.captures if var in inside)
        return expr if body is expr.body and captures == expr.captures else replace(expr, body=body, captures=captures)
    return map_children(expr, lambda child: _dropped(child, used))


def _raised_here(handler: Expr, exn: Var, raised: Raise) -> Expr:
    """The handler of one known exception: where it passes it on, it is raised as it was."""
    if isinstance(handler, Raise) and handler.atom is exn and handler.reason is None:
        return replace(handler, reason=raised.reason, span=raised.span)
    return map_children(handler, lambda child: _raised_here(child, exn, raised))
