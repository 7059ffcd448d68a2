"""Random well-typed core programs that always terminate.

A program is read off a string of bytes: each choice takes one byte, and where the string ends the first alternative is taken,
which is always the simplest. So hypothesis shrinks programs by shrinking bytes, and a soak test takes random bytes.

Every generated function has a first parameter `n`, passes `n - 1` on, and calls nothing once it is not positive. Lambdas call
only other closures and the leaf functions, so types bound their depth. `main` first builds some data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from hypothesis import strategies as st

from usl_perceus.ir import (
    BOOL,
    BOOL_DECL,
    EXN,
    I64,
    STR,
    U8,
    UNIT,
    ArrayType,
    Atom,
    Branch,
    Call,
    CallClosure,
    Con,
    DataDecl,
    DataType,
    Expr,
    FunDef,
    FunRef,
    FunType,
    If,
    IntType,
    Jump,
    Label,
    Lambda,
    Layout,
    Let,
    LetJoin,
    Lit,
    MakeCon,
    Match,
    Nullary,
    Param,
    Prim,
    Program,
    Raise,
    RefType,
    Ret,
    ThreadType,
    TryLet,
    Type,
    Var,
)
from usl_perceus.traverse import FreeVars

T = TypeVar("T")

COLOR = DataType("Color")
LIST = DataType("List")
TREE = DataType("Tree")
PAIR = DataType("Pair")
POINT = DataType("Point")
BOX = DataType("Box")
ACTION = FunType((I64,), LIST)
REDUCER = FunType((TREE, LIST), TREE)
THUNK = FunType((), LIST)

RED, BLACK = Con("Color", "Red", 0), Con("Color", "Black", 1)
NIL, CONS = Con("List", "Nil", 0), Con("List", "Cons", 1, (("head", I64), ("tail", LIST)))
LEAF = Con("Tree", "Leaf", 0)
NODE = Con("Tree", "Node", 1, (("color", COLOR), ("left", TREE), ("key", I64), ("right", TREE)))
TWO = Con("Tree", "Two", 2, (("first", TREE), ("color", COLOR), ("second", TREE), ("count", I64)))
MAKE_PAIR = Con("Pair", "Pair", 0, (("tree", TREE), ("count", I64), ("list", LIST)))
MAKE_POINT = Con("Point", "Point", 0, (("x", I64), ("y", U8)))
EMPTY = Con("Box", "Empty", 0)
HOLDS = Con("Box", "Holds", 1, (("pair", PAIR), ("point", POINT)))
WRAP = Con("Box", "Wrap", 2, (("action", ACTION), ("tree", TREE)))
FAIL, OOPS = Con("exn", "Fail", 0), Con("exn", "Oops", 1, (("why", LIST),))

DATAS = {
    decl.name: decl
    for decl in (
        BOOL_DECL,
        DataDecl("Color", (RED, BLACK), Layout.ENUM),
        DataDecl("List", (NIL, CONS), Layout.BOXED),
        DataDecl("Tree", (LEAF, NODE, TWO), Layout.BOXED),
        DataDecl("Pair", (MAKE_PAIR,), Layout.VALUE),
        DataDecl("Point", (MAKE_POINT,), Layout.VALUE),
        DataDecl("Box", (EMPTY, HOLDS, WRAP), Layout.BOXED),
        DataDecl("exn", (FAIL, OOPS), Layout.BOXED),
    )
}

PURE: tuple[Type, ...] = (I64, LIST, TREE, PAIR, BOOL, COLOR, POINT, BOX, ACTION, REDUCER)
PLAIN: tuple[Type, ...] = (TREE, LIST, TREE, I64, COLOR)
FULL: tuple[Type, ...] = (*PURE, STR, ArrayType(LIST), RefType(TREE), ThreadType(LIST), U8, UNIT)
"""Types of variables in the kinds of program; with few types there is more to reuse. There are no cycles: references hold
nothing that holds references."""


class Choices:
    """Decisions read off a string of bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def below(self, count: int) -> int:
        """A number in range(count); 0 when the bytes are used up."""
        if self._at >= len(self._data):
            return 0
        self._at += 1
        return self._data[self._at - 1] % count

    def of(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    @property
    def exhausted(self) -> bool:
        return self._at >= len(self._data)


@dataclass(frozen=True)
class Scope:
    """What may be used: variables, the call counter (None in lambdas), join points in tail position, raising."""

    vars: tuple[Var, ...]
    counter: Var | None
    labels: tuple[tuple[Label, tuple[Var, ...]], ...] = ()
    throws: bool = False

    def plus(self, *vars: Var) -> Scope:
        return replace(self, vars=self.vars + vars)

    def inner(self) -> Scope:
        """The scope of a value that is not in tail position."""
        return replace(self, labels=())


Binding = tuple[Var, Expr]


class Generator:
    """Makes one program. size: about how many expressions; full: also exceptions, references, arrays, strings, threads."""

    def __init__(self, data: bytes, *, full: bool, size: int = 40, borrowing: bool = True) -> None:
        self.choices = Choices(data)
        self.full = full
        self.types = FULL if full else PURE
        self.left = 0
        self.size = size
        self.borrowing = borrowing
        self.funs: dict[str, FunDef] = {}

    def program(self) -> Program:
        if self.choices.below(3):
            self.types = PLAIN
        self.leaves()
        for i in range(1 + self.choices.below(3)):
            self.declare(f"f{i}")
        for name in [name for name in self.funs if name.startswith("f")]:
            self.left = self.size
            fun = self.funs[name]
            vars = tuple(param.var for param in fun.params)
            scope = Scope(vars, vars[0], throws=fun.throws)
            base = self.base(fun.result, Scope(vars, None, throws=fun.throws))
            more = Var("more", BOOL)
            test = Prim("gt", (vars[0], Lit(0, I64)), BOOL)
            start = self.choices.of((self.expr, self.match, self.rebuild, self.rebuild, self.rebuild))
            self.funs[name] = replace(fun, body=Let(more, test, If(more, start(fun.result, scope, 6), base)))
        self.left = self.size
        results = [fun.result for fun in self.funs.values() if not isinstance(fun.result, ThreadType)]
        result = self.choices.of(results[-3:])
        throws = self.full and self.choices.below(2) == 1
        counter = Var("n", I64)
        scope, bindings = Scope((), counter, throws=throws), list[Binding]()
        bindings.append((counter, Ret(Lit(2 + self.choices.below(3), I64))))
        for _ in range(self.choices.below(4)):
            var = Var("d", self.choices.of((TREE, LIST, TREE, BOX, PAIR)))
            bindings.append((var, self.data(var.type, scope, 1 + self.choices.below(3))))
            scope = scope.plus(var)
        self.left = self.size
        start = self.call if self.choices.below(4) else self.expr
        body = self.bound(bindings, start(result, scope, 6))
        self.funs["main"] = FunDef("main", (), result, body, throws=throws)
        return Program(DATAS, self.funs, exports=("main",))

    def leaves(self) -> None:
        """Functions that call nothing, one for each type of closure."""
        for name, type in (("leaf_action", ACTION), ("leaf_reducer", REDUCER), ("leaf_thunk", THUNK)):
            params = tuple(Var("p", param) for param in type.params)
            self.left = 6
            body = self.expr(type.result, Scope(params, None), 2) if name != "leaf_thunk" else Ret(Nullary(NIL))
            self.funs[name] = FunDef(name, tuple(Param(var) for var in params), type.result, body)

    def declare(self, name: str) -> None:
        """The header of a function; the body comes when all are known."""
        types = [self.choices.of((*self.types, TREE, LIST)) for _ in range(self.choices.below(4))]
        params = [Param(Var("n", I64))]
        params += [Param(Var("a", type), borrowed=self.borrowing and self.choices.below(4) == 3) for type in types]
        result = self.choices.of((*self.types, TREE, TREE, LIST))
        throws = self.full and self.choices.below(3) == 1
        self.funs[name] = FunDef(name, tuple(params), result, Ret(Lit(0, I64)), throws=throws)

    # ---- simplest values

    def base(self, type: Type, scope: Scope) -> Expr:
        """A value without calls: a variable, if there is one."""
        found = [var for var in scope.vars if var.type == type]
        return Ret(self.choices.of(found)) if found else self.default(type)

    def default(self, type: Type) -> Expr:
        """The smallest value of the type."""
        match type:
            case DataType("Pair"):
                return MakeCon(MAKE_PAIR, (Nullary(LEAF), Lit(1, I64), Nullary(NIL)))
            case DataType("Point"):
                return MakeCon(MAKE_POINT, (Lit(0, I64), Lit(7, U8)))
            case DataType(name=name):
                return Ret(Nullary(DATAS[name].cons[0]))
            case IntType():
                return Ret(Lit(self.choices.below(4), type))
            case FunType():
                name = {ACTION: "leaf_action", REDUCER: "leaf_reducer", THUNK: "leaf_thunk"}[type]
                return Ret(FunRef(name, type))
            case ArrayType():
                return Prim("array_make", (Lit(2, I64), Nullary(NIL)), type)
            case RefType():
                return Prim("ref_new", (Nullary(LEAF),), type)
            case ThreadType():
                return Prim("spawn", (FunRef("leaf_thunk", THUNK),), type)
        return Ret(Lit(b"text", STR)) if type == STR else Ret(Lit(None, UNIT))

    # ---- expressions

    def expr(self, type: Type, scope: Scope, depth: int) -> Expr:
        """An expression of the type; the tail position of scope's labels."""
        self.left -= 1
        if self.left <= 0 or depth <= 0 or self.choices.exhausted:
            return self.base(type, scope)
        ways: list[Callable[[Type, Scope, int], Expr]] = [self.base_way, self.let, self.let, self.branch, self.branch]
        ways += [self.construct] * 6 + [self.match] * 6 + [self.call] * 4 + [self.closure_call, self.operation]
        ways += [self.join]
        if self.full:
            ways += [self.attempt, self.fail, self.operation, self.operation]
        return self.choices.of(ways)(type, scope, depth - 1)

    def base_way(self, type: Type, scope: Scope, depth: int) -> Expr:
        return self.base(type, scope)

    def let(self, type: Type, scope: Scope, depth: int) -> Expr:
        var = Var("x", self.choices.of(self.types))
        value = self.expr(var.type, scope.inner(), depth)
        return Let(var, value, self.expr(type, scope.plus(var), depth))

    def atom(self, type: Type, scope: Scope, depth: int, bindings: list[Binding]) -> Atom:
        """An atom of the type: mostly a variable that is there, else a new one, whose binding is appended."""
        found = [var for var in (*scope.vars, *(var for var, _ in bindings)) if var.type == type]
        if found and self.choices.below(5) < 3:
            return self.choices.of(found)
        value = self.expr(type, scope.inner(), depth)
        if isinstance(value, Ret):
            return value.atom
        var = Var("t", type)
        bindings.append((var, value))
        return var

    def atoms(self, types: Sequence[Type], scope: Scope, depth: int, bindings: list[Binding]) -> tuple[Atom, ...]:
        return tuple(self.atom(type, scope, depth, bindings) for type in types)

    def bound(self, bindings: list[Binding], body: Expr) -> Expr:
        for var, value in reversed(bindings):
            body = Let(var, value, body)
        return body

    def construct(self, type: Type, scope: Scope, depth: int) -> Expr:
        """A constructor with fields, or a lambda."""
        if isinstance(type, FunType):
            return self.closure(type, scope, depth)
        cons = [con for con in DATAS[type.name].cons if con.fields] if isinstance(type, DataType) else []
        if not cons:
            return self.base(type, scope)
        con, bindings = self.choices.of(cons), list[Binding]()
        args = self.atoms([field for _, field in con.fields], scope, depth, bindings)
        return self.bound(bindings, MakeCon(con, args))

    def data(self, type: Type, scope: Scope, depth: int) -> Expr:
        """Constructors only, nested to the depth."""
        cons = [con for con in DATAS[type.name].cons if con.fields] if isinstance(type, DataType) else []
        if not cons or depth == 0:
            return self.base(type, scope) if self.choices.below(2) else self.default(type)
        con, bindings, args = self.choices.of(cons), list[Binding](), list[Atom]()
        for _, field in con.fields:
            value = self.data(field, scope, depth - 1)
            if isinstance(value, Ret):
                args.append(value.atom)
            else:
                bindings.append((Var("t", field), value))
                args.append(bindings[-1][0])
        return self.bound(bindings, MakeCon(con, tuple(args)))

    def closure(self, type: FunType, scope: Scope, depth: int) -> Expr:
        params = tuple(Var("p", param) for param in type.params)
        body = self.expr(type.result, Scope((*scope.vars, *params), None), depth)
        captures = tuple(sorted(FreeVars().of(body) - set(params), key=lambda var: var.number))
        return Lambda(captures, params, type.result, body)

    def match(self, type: Type, scope: Scope, depth: int) -> Expr:
        found = [var for var in scope.vars if isinstance(var.type, DataType)]
        if not found:
            return self.let(type, scope, depth)
        var = self.choices.of(found[-3:] if self.choices.below(4) else found)
        cons = DATAS[var.type.name].cons
        covered = len(cons) - self.choices.below(2) if len(cons) > 1 else 1
        branches = []
        for con in cons[:covered]:
            binders = tuple(Var(name, field) for name, field in con.fields)
            way = self.construct if con.fields and self.choices.below(2) else self.expr
            branches.append(Branch(con, binders, way(type, scope.plus(*binders), depth)))
        default = self.expr(type, scope, depth) if covered < len(cons) else None
        return Match(var, tuple(branches), default)

    def rebuild(self, type: Type, scope: Scope, depth: int) -> Expr:
        """Take a parameter apart and build something from its parts, some of them after a call."""
        found = [var for var in scope.vars if var.type in (TREE, LIST, BOX)]
        cons = [con for con in DATAS[type.name].cons if con.fields] if isinstance(type, DataType) else []
        if not found or not cons:
            return self.match(type, scope, depth)
        var, branches = self.choices.of(found), []
        for con in DATAS[var.type.name].cons:
            binders = tuple(Var(name, field) for name, field in con.fields)
            if not binders:
                branches.append(Branch(con, (), self.expr(type, scope, depth - 3)))
                continue
            made, bindings, args = self.choices.of(cons), list[Binding](), list[Atom]()
            inner = scope.plus(*binders)
            for _, field in made.fields:
                if self.choices.below(3) == 0:
                    bindings.append((Var("c", field), self.call(field, inner.inner(), 1)))
                    args.append(bindings[-1][0])
                else:
                    near = [binder for binder in binders if binder.type == field]
                    args.append(self.choices.of(near) if near else self.atom(field, inner, 1, bindings))
            branches.append(Branch(con, binders, self.bound(bindings, MakeCon(made, tuple(args)))))
        return Match(var, tuple(branches))

    def branch(self, type: Type, scope: Scope, depth: int) -> Expr:
        bindings: list[Binding] = []
        cond = self.atom(BOOL, scope, depth, bindings)
        if not isinstance(cond, Var):
            a, b = self.atoms((I64, I64), scope, depth, bindings)
            cond = Var("test", BOOL)
            bindings.append((cond, Prim("lt", (a, b), BOOL)))
        then, orelse = self.expr(type, scope, depth), self.expr(type, scope, depth)
        return self.bound(bindings, If(cond, then, orelse))

    def call(self, type: Type, scope: Scope, depth: int) -> Expr:
        found = [
            fun
            for fun in self.funs.values()
            if fun.result == type
            and fun.params
            and (scope.throws or not fun.throws)
            and (fun.name.startswith("leaf") or (fun.name.startswith("f") and scope.counter is not None))
        ]
        if not found:
            return self.construct(type, scope, depth)
        fun, bindings = self.choices.of(found), list[Binding]()
        if fun.name.startswith("leaf"):
            args = self.atoms([param.var.type for param in fun.params], scope, depth, bindings)
        else:
            assert scope.counter is not None
            less = Var("m", I64)
            args = (less, *self.atoms([param.var.type for param in fun.params[1:]], scope, depth, bindings))
            bindings.append((less, Prim("sub", (scope.counter, Lit(1, I64)), I64)))
        return self.bound(bindings, Call(fun.name, args, type))

    def closure_call(self, type: Type, scope: Scope, depth: int) -> Expr:
        found = [var for var in scope.vars if isinstance(var.type, FunType) and var.type.result == type]
        if not found:
            return self.call(type, scope, depth)
        closure, bindings = self.choices.of(found), list[Binding]()
        args = self.atoms(closure.type.params, scope, depth, bindings)
        return self.bound(bindings, CallClosure(closure, args, type))

    def join(self, type: Type, scope: Scope, depth: int) -> Expr:
        """A join point, or a jump to one in scope whose result has the type (all have: they are in tail position)."""
        if scope.labels and self.choices.below(3):
            label, params = self.choices.of(scope.labels)
            bindings: list[Binding] = []
            args = self.atoms([param.type for param in params], scope, depth, bindings)
            return self.bound(bindings, Jump(label, args, type))
        label = Label("j")
        params = tuple(Var("q", self.choices.of(self.types)) for _ in range(self.choices.below(3)))
        join_body = self.expr(type, scope.plus(*params), depth)
        body = self.branch(type, replace(scope, labels=(*scope.labels, (label, params))), depth)
        return LetJoin(label, params, join_body, body)

    def attempt(self, type: Type, scope: Scope, depth: int) -> Expr:
        var, exn = Var("x", self.choices.of(self.types)), Var("e", EXN)
        value = self.expr(var.type, replace(scope.inner(), throws=True), depth)
        body = self.expr(type, scope.plus(var), depth)
        return TryLet(var, value, body, exn, self.expr(type, scope.plus(exn), depth))

    def fail(self, type: Type, scope: Scope, depth: int) -> Expr:
        if not scope.throws:
            return self.attempt(type, scope, depth)
        if self.choices.below(2):
            return Raise(Nullary(FAIL), type)
        bindings: list[Binding] = []
        why, exn = self.atom(LIST, scope, depth, bindings), Var("oops", EXN)
        return self.bound(bindings, Let(exn, MakeCon(OOPS, (why,)), Raise(exn, type)))

    def operation(self, type: Type, scope: Scope, depth: int) -> Expr:
        """A primitive operation, its preconditions tested first."""
        bindings: list[Binding] = []

        def prim(op: str, *types: Type) -> Expr:
            return self.bound(bindings, Prim(op, self.atoms(types, scope, depth, bindings), type))

        if type == BOOL:
            return prim(self.choices.of(("lt", "eq", "ge")), I64, I64)
        if type == U8:
            return prim("cast", I64)
        if type == I64:
            return prim(self.choices.of(("add", "sub", "mul")), I64, I64) if not self.full else self.number(prim)
        if not self.full:
            return self.construct(type, scope, depth)
        if type == STR:
            return prim("show", I64) if self.choices.below(2) else prim("str_concat", STR, STR)
        if type == UNIT:
            return prim("print", STR) if self.choices.below(2) else prim("ref_set", RefType(TREE), TREE)
        if type == TREE:
            return prim("ref_get", RefType(TREE))
        if type == RefType(TREE):
            return prim("ref_new", TREE)
        if type == ThreadType(LIST):
            return self.spawn(type, scope, depth)
        if type == LIST:
            return prim("join", ThreadType(LIST)) if self.choices.below(2) else self.element(scope, depth)
        if type == ArrayType(LIST):
            return self.updated(type, scope, depth)
        return self.construct(type, scope, depth)

    def number(self, prim: Callable[..., Expr]) -> Expr:
        op = self.choices.of(("add", "sub", "mul", "str_len", "array_len", "cast"))
        types = {"str_len": (STR,), "array_len": (ArrayType(LIST),), "cast": (U8,)}.get(op, (I64, I64))
        return prim(op, *types)

    def spawn(self, type: Type, scope: Scope, depth: int) -> Expr:
        thunk = Var("thunk", THUNK)
        return Let(thunk, self.closure(THUNK, scope, depth), Prim("spawn", (thunk,), type))

    def indexed(self, scope: Scope, depth: int, bindings: list[Binding]) -> tuple[Atom, Var, Var]:
        """An array, an index, and whether the index is in range."""
        array = self.atom(ArrayType(LIST), scope, depth, bindings)
        length, index, ok = Var("length", I64), Var("i", I64), Var("ok", BOOL)
        bindings.append((length, Prim("array_len", (array,), I64)))
        bindings.append((index, Ret(Lit(self.choices.below(3), I64))))
        bindings.append((ok, Prim("lt", (index, length), BOOL)))
        return array, index, ok

    def element(self, scope: Scope, depth: int) -> Expr:
        bindings: list[Binding] = []
        array, index, ok = self.indexed(scope, depth, bindings)
        return self.bound(bindings, If(ok, Prim("array_get", (array, index), LIST), Ret(Nullary(NIL))))

    def updated(self, type: Type, scope: Scope, depth: int) -> Expr:
        bindings: list[Binding] = []
        array, index, ok = self.indexed(scope, depth, bindings)
        item = self.atom(LIST, scope, depth, bindings)
        made = Ret(array) if self.choices.below(2) else Prim("array_append", (array, item), type)
        short = Prim("array_front", (array, index), type)
        changed = Prim("array_set", (array, index, item), type) if self.choices.below(3) else short
        return self.bound(bindings, If(ok, changed, made))


def make_program(data: bytes, *, full: bool, size: int = 40, borrowing: bool = True) -> Program:
    """The program that data stands for; `main` takes no arguments."""
    return Generator(data, full=full, size=size, borrowing=borrowing).program()


def programs(*, full: bool, size: int = 40, borrowing: bool = True) -> st.SearchStrategy[Program]:
    """Random well-typed programs. borrowing: some parameters are annotated as borrowed."""
    return st.binary(min_size=64, max_size=400).map(lambda data: make_program(data, full=full, size=size, borrowing=borrowing))
