"""What may be shared although the arguments of a function are unique: an abstract interpretation of the linear calculus.

A function that builds in the memory of its arguments copies when they are shared. Who shares them can often be told before
a run: the function itself, by using an argument again behind `a.set(i, x)`, or a caller, by passing on what it needs
afterwards. For each function this module assumes that its arguments are unique, and so is all that they reach, and finds
the places that take new memory nevertheless (`Function.copies`), the arguments that have to be unique (`needs`), and
whether the result is (`result`).

For each variable the state holds how many references the function owns, as `linear.py` has it, and what its uniqueness
depends on: the parameters that have to be unique, or `Shared`. A reference that moves on while there is another one makes
the variable shared for good, and so all that it is a part of. An array or cell is unique if its own block is; what its
elements or its content depend on is held apart. They are shared as long as there is a reference that was read. What a closure,
a foreign function or a thread gives is taken to be shared.

The functions of a program depend on each other: all start as functions that copy nothing, and are looked at again until
nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import assert_never

from usl_core.errors import Span
from usl_perceus import ir, prims
from usl_perceus.insert import borrowed_args
from usl_perceus.ir.nodes import Node
from usl_perceus.layout import is_counted
from usl_perceus.opt.callgraph import callees, components
from usl_perceus.traverse import walk
from usl_perceus.verify import may_throw


@dataclass(frozen=True, slots=True)
class Shared:
    """A value that may have another reference. why: a clause for the user."""

    why: str


Need = frozenset[int] | Shared
"""What uniqueness depends on: the parameters that have to be unique, by index i, and ~i for what parameter i holds in arrays
and cells; or it may be shared anyway."""

UNIQUE: Need = frozenset()


@dataclass(frozen=True, slots=True)
class Value:
    """What the uniqueness of a value depends on. held: that of what the arrays and cells in it hold."""

    own: Need = UNIQUE
    held: Need = UNIQUE


FRESH = Value()


@dataclass(slots=True)
class Function:
    """What is known of a function whose arguments are unique.

    copies: the nodes that take new memory nevertheless, although they need none on unique data, each with the reason.
    needs: the parameters that have to be unique (see `Need`), each with where memory is taken otherwise.
    kept: the borrowed parameters that something else refers to, too, when the function is back.
    filled: for borrowed parameters what the arrays and cells in them hold then.
    """

    copies: dict[Node, Shared] = field(default_factory=dict)
    needs: dict[int, Span] = field(default_factory=dict)
    kept: dict[int, Shared] = field(default_factory=dict)
    filled: dict[int, Need] = field(default_factory=dict)
    result: Value = FRESH

    def size(self) -> tuple[object, ...]:
        """What grows while functions are looked at again."""
        return len(self.copies), len(self.needs), len(self.kept), tuple(self.filled.items()), self.result


def sharing(program: ir.Program) -> dict[str, Function]:
    """For each function of a program in the linear calculus what is known of it."""
    known = {name: Function() for name in program.funs}
    bodies = [expr for fun in program.funs.values() for expr in walk(fun.body)]
    stores = any(isinstance(expr, ir.ForeignCall) or (isinstance(expr, ir.Prim) and expr.op in STORING) for expr in bodies)
    for group in components({name: callees(fun.body) for name, fun in program.funs.items()}):
        before = None
        while before != (before := [known[name].size() for name in group]):
            for name in group:
                _Follower(program, known, known[name], stores=stores).function(program.funs[name])
    return known


READ = {
    "array_get": "it is an element of an array, which keeps it",
    "ref_get": "it is the content of a cell, which keeps it",
}
"""Primitives that give what something keeps, and what that is."""

STORING = frozenset({"ref_set", "ref_swap", "spawn"})
"""Primitives by which a function without a result may keep what it was given; a foreign function may, too."""


def join(values: Iterable[Value]) -> Value:
    """What a value depends on that is made of, or is one of, several others."""
    return reduce(lambda one, other: Value(_join(one.own, other.own), _join(one.held, other.held)), values, FRESH)


def _join(one: Need, other: Need) -> Need:
    if isinstance(one, Shared):
        return one
    return other if isinstance(other, Shared) else one | other


@dataclass(frozen=True, slots=True)
class _State:
    """owned: how many references each variable owns. values: what it depends on. constants: variables known to be constants."""

    owned: Mapping[ir.Var, int]
    values: Mapping[ir.Var, Value]
    constants: frozenset[ir.Var] = frozenset()

    def plus(self, var: ir.Var, step: int = 1) -> _State:
        return replace(self, owned={**self.owned, var: self.owned.get(var, 0) + step})

    def valued(self, var: ir.Var, value: Value) -> _State:
        return replace(self, values={**self.values, var: value})


def _merged(states: Sequence[_State]) -> _State | None:
    """The state after one of several paths, which own the same, but for constants."""
    if len(states) < 2:
        return states[0] if states else None
    first, *others = states
    for state in others:
        owned = {var: count for var, count in first.owned.items() if var not in first.constants}
        owned.update((var, count) for var, count in state.owned.items() if var not in state.constants)
        both = {**first.values, **state.values}
        values = {var: join((first.values.get(var, FRESH), state.values.get(var, FRESH))) for var in both}
        first = _State({**first.owned, **owned}, values, first.constants & state.constants)
    return first


def _given(need: Need, values: Sequence[Value]) -> Need:
    """What a need of a function comes to, given its arguments."""
    if isinstance(need, Shared):
        return need
    return reduce(_join, (values[i].own if i >= 0 else _held(values[~i]) for i in need), UNIQUE)


def _held(value: Value) -> Need:
    """What it takes for what an argument holds to be unique: another reference to it might let go of what it holds."""
    return _join(value.held, value.own) if isinstance(value.own, Shared) else value.held


Outcome = tuple[_State | None, Value]
"""After an expression: the state, None if it never returns, and what the uniqueness of its value depends on."""


class _Follower:
    """Follows a state through a function."""

    def __init__(self, program: ir.Program, known: Mapping[str, Function], own: Function, *, stores: bool) -> None:
        self._program = program
        self._known = known
        self._own = own
        self._stores = stores
        self._borrowed: dict[ir.Var, int] = {}
        self._parent: dict[ir.Var, ir.Var] = {}
        self._fields: dict[ir.Var, ir.Branch] = {}
        self._tokens: dict[ir.Var, Need] = {}
        self._jumps: dict[ir.Label, list[tuple[_State, tuple[Value, ...]]]] = {}
        self._raised: list[_State] = []
        self._filled = FRESH
        self._read: dict[ir.Var, tuple[Shared | None, Mapping[ir.Var, Value]]] = {}

    def function(self, fun: ir.FunDef) -> None:
        """Add to what is known of the function."""
        params = {param.var: i for i, param in enumerate(fun.params) if self.counted(param.var)}
        self._borrowed = {param.var: params[param.var] for param in fun.params if param.borrowed and param.var in params}
        owned = {var: 1 for var in params if var not in self._borrowed}
        given = {var: Value(frozenset((i,)), frozenset((~i,))) for var, i in params.items()}
        after, value = self.expr(fun.body, _State(owned, given))
        self._own.result = join((self._own.result, value, self._filled))
        for state in [*self._raised, *([] if after is None else [after])]:
            for var, i in self._borrowed.items():
                kept = self.value(var, state)
                if isinstance(kept.own, Shared):
                    self._own.kept.setdefault(i, kept.own)
                if kept.held != frozenset((~i,)):
                    self._own.filled[i] = _join(self._own.filled.get(i, UNIQUE), kept.held)

    def closure(self, expr: ir.Lambda) -> None:
        """Add the copies of a closure's body to those of the function that it stands in, as if it were called once, with what
        is unique: it keeps its own promise."""
        inner = _Follower(self._program, self._known, self._own, stores=self._stores)
        vars = [var for var in (*expr.captures, *expr.params) if self.counted(var)]
        inner.expr(expr.body, _State(dict.fromkeys(vars, 1), dict.fromkeys(vars, FRESH)))

    def counted(self, atom: ir.Atom | None) -> bool:
        """Whether atom is a variable that stands for a reference."""
        return isinstance(atom, ir.Var) and is_counted(atom.type, self._program.datas)

    def given(self, type: ir.Type, why: str) -> Value:
        """A value of a type that comes from somewhere unknown."""
        return Value(Shared(why), Shared(why)) if is_counted(type, self._program.datas) else FRESH

    # ---- references

    def held(self, var: ir.Var, state: _State) -> bool:
        """Whether a block that is alive, or the caller, has a reference to var besides those that are owned here."""
        parent = self._parent.get(var)
        if var in self._borrowed or parent is None:
            return var in self._borrowed
        return state.owned.get(parent, 0) > 0 or self.held(parent, state)

    def value(self, atom: ir.Atom | None, state: _State) -> Value:
        """What atom depends on, other references that this function owns aside. A part of what is shared is shared."""
        if not isinstance(atom, ir.Var) or not self.counted(atom) or atom in state.constants:
            return FRESH
        own = state.values.get(atom, FRESH)
        parent = self._parent.get(atom)
        return own if parent is None else join((own, self.value(parent, state)))

    def now(self, var: ir.Atom, state: _State) -> Need:
        """What it takes for one reference to var, owned here, to be the only one."""
        known = self.value(var, state).own
        if isinstance(known, Shared) or not isinstance(var, ir.Var) or not self.counted(var) or var in state.constants:
            return known
        if var in self._borrowed:
            return Shared(f"`{var.name}` is borrowed: the caller keeps it")
        if self.held(var, state):
            parent = self._parent[var]
            return Shared(f"`{var.name}` is still a part of `{parent.name}`, which is needed afterwards")
        return Shared(f"`{var.name}` is needed again afterwards") if state.owned.get(var, 0) > 1 else known

    def move(self, atoms: Iterable[ir.Atom | None], state: _State, *, back: bool = False) -> _State:
        """The state after references are given away. back: they are given up by the time that the state is reached."""
        moved = [atom for atom in atoms if isinstance(atom, ir.Var) and self.counted(atom) and atom not in state.constants]
        if not back:
            for var in moved:
                known = self.now(var, state)
                if isinstance(known, Shared):
                    state = self.mark(var, known, state)
        for var in moved:
            state = state.plus(var, -1)
        return state

    def mark(self, var: ir.Var, shared: Shared, state: _State) -> _State:
        """var is shared from now on, and so is what it is a part of."""
        part: ir.Var | None = var
        while part is not None:
            self._read.pop(part, None)
            before = state.values.get(part, FRESH)
            if not isinstance(before.own, Shared):
                state = state.valued(part, replace(before, own=shared))
            part = self._parent.get(part)
        return state

    def fill(self, var: ir.Atom, held: Need, state: _State) -> _State:
        """The arrays or cells in var hold more from now on, and so does what it is a part of."""
        part = var if isinstance(var, ir.Var) and self.counted(var) else None
        while part is not None:
            before = state.values.get(part, FRESH)
            state = state.valued(part, replace(before, held=_join(before.held, held)))
            part = self._parent.get(part)
        return state

    def require(self, node: Node, need: Need) -> None:
        """node takes new memory unless what the need says is unique."""
        if isinstance(need, Shared):
            self._own.copies.setdefault(node, need)
        else:
            for i in need:
                self._own.needs.setdefault(i, node.span)

    # ---- expressions

    def expr(self, expr: ir.Expr, state: _State) -> Outcome:
        """The state after expr, and its value."""
        match expr:
            case ir.Ret(atom=atom):
                after = self.move((atom,), state)
                return after, self.value(atom, after)
            case ir.Raise(atom=atom):
                self._raised.append(self.move((atom,), state))
                return None, FRESH
            case ir.Call() | ir.CallClosure() | ir.Prim() | ir.ForeignCall() | ir.KernelCall():
                return self.call(expr, state)
            case ir.MakeCon(args=args, token=token):
                self.construct(expr, token)
                after = self.move(args, state)
                return after, join(self.value(arg, after) for arg in args)
            case ir.Lambda(captures=captures):
                self.closure(expr)
                after = self.move(captures, state)
                return after, join(self.value(var, after) for var in captures)
            case ir.Let(var=var, value=value, body=body):
                bound, known = self.expr(value, state)
                if bound is None:
                    return None, FRESH
                if isinstance(value, ir.Prim) and value.op in READ and self.counted(var):
                    bound = self.read(var, value, bound)
                return self.expr(body, self.bound(var, known, bound))
            case ir.TryLet():
                return self.attempt(expr, state)
            case ir.Match():
                return self.match(expr, state)
            case ir.If(then=then, orelse=orelse):
                return self.paths([self.expr(then, state), self.expr(orelse, state)])
            case ir.LetJoin():
                return self.joined(expr, state)
            case ir.Jump(label=label, args=args):
                after = self.move(args, state)
                self._jumps[label].append((after, tuple(self.value(arg, after) for arg in args)))
                return None, FRESH
            case ir.NewHole(body=body):
                after_hole, _ = self.expr(body, state)
                return after_hole, self._filled
            case ir.MakeConHole(var=var, args=args, token=token, body=body):
                self.construct(expr, token)
                after = self.move(args, state)
                return self.expr(body, self.bound(var, join(self.value(arg, after) for arg in args), after))
            case ir.Fill(atom=atom):
                after = self.move((atom,), state)
                self._filled = join((self._filled, self.value(atom, after)))
                return after, FRESH
            case ir.Do(op=op, body=body):
                return self.expr(body, self.op(op, state))
            case _:
                assert_never(expr)

    def bound(self, var: ir.Var, value: Value, state: _State) -> _State:
        return state.plus(var).valued(var, value) if self.counted(var) else state

    def construct(self, expr: ir.MakeCon | ir.MakeConHole, token: ir.Var | None) -> None:
        if token is not None:
            self.require(expr, self._tokens[token])

    def paths(self, outcomes: Iterable[Outcome]) -> Outcome:
        """After one of several paths."""
        back = [(state, value) for state, value in outcomes if state is not None]
        return _merged([state for state, _ in back]), join(value for _, value in back)

    def joined(self, expr: ir.LetJoin, state: _State) -> Outcome:
        self._jumps[expr.label] = []
        direct = self.expr(expr.body, state)
        jumps = self._jumps[expr.label]
        arrived = _merged([after for after, _ in jumps])
        if arrived is None:
            return direct
        for i, param in enumerate(expr.params):
            arrived = self.bound(param, join(values[i] for _, values in jumps), arrived)
        return self.paths([direct, self.expr(expr.join_body, arrived)])

    def attempt(self, expr: ir.TryLet, state: _State) -> Outcome:
        outer, self._raised = self._raised, []
        after, value = self.expr(expr.value, state)
        thrown, self._raised = _merged(self._raised), outer
        paths: list[Outcome] = []
        if after is not None:
            paths.append(self.expr(expr.body, self.bound(expr.var, value, after)))
        if thrown is not None:
            carried = self.given(ir.EXN, "it comes with an exception")
            paths.append(self.expr(expr.handler, self.bound(expr.exn, carried, thrown)))
        return self.paths(paths)

    def match(self, expr: ir.Match, state: _State) -> Outcome:
        paths = []
        for branch in expr.branches:
            outer = self._fields.get(expr.var)
            self._fields[expr.var] = branch
            self._parent.update((var, expr.var) for var in branch.binders if self.counted(var))
            constant = self._program.datas[branch.con.data].layout is ir.Layout.BOXED and not branch.binders
            below = replace(state, constants=state.constants | {expr.var}) if constant else state
            paths.append(self.expr(branch.body, below))
            if outer is not None:
                self._fields[expr.var] = outer
        if expr.default is not None:
            paths.append(self.expr(expr.default, state))
        return self.paths(paths)

    # ---- calls

    def call(self, expr: ir.Call | ir.CallClosure | ir.Prim | ir.ForeignCall | ir.KernelCall, state: _State) -> Outcome:
        borrows = borrowed_args(expr, self._program)
        taken: list[ir.Atom | None] = [arg for arg, kept in zip(expr.args, borrows, strict=True) if not kept]
        if isinstance(expr, ir.CallClosure):
            taken.append(expr.fun)
        uniqueness = [self.now(arg, state) for arg in expr.args]
        keeps = self._stores or may_throw(expr, self._program)  # an exception may carry it, too
        given_up = isinstance(expr, ir.Call) and not keeps and not is_counted(expr.type, self._program.datas)
        holes = any(isinstance(arg, ir.Var) and isinstance(arg.type, ir.HoleType) for arg in expr.args)
        after = self.move(taken, state, back=given_up and not holes)
        values = [
            self.value(arg, after) if not kept else replace(self.value(arg, after), own=self.now(arg, state))
            for arg, kept in zip(expr.args, borrows, strict=True)
        ]
        match expr:
            case ir.Call(fun=fun, args=args):
                known = self._known[fun]
                for i in list(known.needs):  # known may be the function itself
                    self.require(expr, uniqueness[i] if i >= 0 else _held(values[~i]))
                for i, why in list(known.kept.items()):
                    arg = args[i]
                    if isinstance(arg, ir.Var) and self.counted(arg):
                        after = self.mark(arg, why, after)
                for i, need in list(known.filled.items()):
                    after = self.fill(args[i], _given(need, values), after)
                result = Value(_given(known.result.own, values), _given(known.result.held, values))
                if holes:
                    self._filled = join((self._filled, result))
            case ir.Prim(op=op, args=args):
                if op in prims.COPYING:
                    self.require(expr, uniqueness[0])
                after, result = self.primitive(expr, values, after)
            case ir.KernelCall(kernel=kernel):
                written = [i for i, is_written in enumerate(self._program.kernels[kernel].written) if is_written]
                for i in written:
                    self.require(expr, uniqueness[i])
                result = FRESH
            case ir.CallClosure() | ir.ForeignCall():
                what = "a closure" if isinstance(expr, ir.CallClosure) else "a foreign function"
                result = self.given(expr.type, f"{what} gives it, which may keep it")
                for arg, kept in zip(expr.args, borrows, strict=True):
                    if kept:
                        after = self.fill(arg, Shared(f"{what} may have put it there"), after)
            case _:
                assert_never(expr)
        if may_throw(expr, self._program):
            self._raised.append(after)
        return after, result

    def primitive(self, expr: ir.Prim, values: Sequence[Value], state: _State) -> tuple[_State, Value]:
        """The state after a primitive, and its value. An array that is copied because it is shared is unique afterwards; its
        elements then have two arrays to belong to."""
        first = values[0] if values else FRESH
        last = values[-1] if values else FRESH
        match expr.op:
            case "retype":
                return state, first
            case "array_get" | "ref_get":
                return state, self.given(expr.type, READ[expr.op])
            case "array_make":
                many = Shared("it is in several places of an array") if self.counted(expr.args[1]) else UNIQUE
                return state, Value(UNIQUE, many)
            case "array_set" | "array_put" | "array_append":
                held = (first.held, last.own, last.held, UNIQUE if expr.op == "array_put" else first.own)
                return state, Value(UNIQUE, reduce(_join, held))
            case "array_own" | "array_vacate" | "array_front":
                return state, Value(UNIQUE, _join(first.held, first.own))
            case "array_cut":
                return state, Value(UNIQUE, first.held)
            case "ref_new":
                return state, Value(UNIQUE, _join(last.own, last.held))
            case "ref_set":
                return self.fill(expr.args[0], _join(last.own, last.held), state), FRESH
            case "array_swap" | "ref_swap":
                # another reference to a cell may have put something in it that is needed elsewhere
                own = self.value(expr.args[0], state).own
                moved = _join(first.held, own if isinstance(own, Shared) else UNIQUE)
                return self.fill(expr.args[0], _join(last.own, last.held), state), Value(moved, moved)
            case "array_take":
                return state, Value(first.held, first.held)
            case "join":
                return state, self.given(expr.type, "a thread has made it")
            case _:
                return state, FRESH

    def read(self, var: ir.Var, value: ir.Prim, state: _State) -> _State:
        """What the array or cell holds is shared as long as the element or content var is referred to."""
        marker = Shared(READ[value.op])
        before: dict[ir.Var, Value] = {}
        part: ir.Atom | None = value.args[0]
        while isinstance(part, ir.Var) and self.counted(part):
            before[part] = state.values.get(part, FRESH)
            part = self._parent.get(part)
        self._read[var] = marker, before
        return self.fill(value.args[0], marker, state)

    def forget(self, var: ir.Var, state: _State) -> _State:
        """The last reference to var is gone: if it was read from an array or cell, that is as it was before."""
        marker, before = self._read.get(var, (None, {}))
        for part, known in before.items():
            now = state.values.get(part, FRESH)
            if now.held is marker:
                state = state.valued(part, replace(now, held=known.held))
        return state

    # ---- resource operations

    def op(self, op: ir.Op, state: _State) -> _State:
        match op:
            case ir.Dup(var=var):
                return state.plus(var)
            case ir.Drop(var=var) | ir.DecRef(var=var):
                after = self.move((var,), state, back=True)
                return self.forget(var, after) if after.owned.get(var, 0) == 0 else after
            case ir.DropReuse(token=token, var=var):
                self._tokens[token] = self.now(var, state)
                return self.move((var,), state, back=True)
            case ir.NullToken() | ir.FreeToken():
                return state
            case ir.CopyToken(token=token):
                self.require(op, self._tokens[token])
                return state
            case ir.Free(var=var) | ir.TakeToken(var=var):
                after = self.move((var,), state, back=True)
                for field_ in self._fields[var].binders:
                    if self.counted(field_):
                        after = after.plus(field_)
                return after
            case ir.IfUnique(var=var, unique=unique, shared=shared):
                return self.if_unique(var, unique, shared, state)
            case _:
                assert_never(op)

    def if_unique(self, var: ir.Var, unique: tuple[ir.Op, ...], shared: tuple[ir.Op, ...], state: _State) -> _State:
        """The operations of the one side: what is not shared for a known reason is unique as long as the arguments are."""
        known = self.now(var, state)
        for op in (*unique, *shared):
            if isinstance(op, ir.TakeToken | ir.NullToken | ir.CopyToken | ir.DropReuse):
                self._tokens[op.token] = known
        if isinstance(known, Shared):
            for op in shared:
                state = self.op(op, state)
            return state
        early = [op.var for op in unique if isinstance(op, ir.Drop)]
        for op in unique:
            if not isinstance(op, ir.Drop):
                state = self.op(op, state)
        return self.move(early, state, back=True)
