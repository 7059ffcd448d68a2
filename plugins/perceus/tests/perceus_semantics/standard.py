"""The standard strict semantics (Reinking 2022, fig. 4.6): no heap, no counts; resource operations do nothing.

A machine with an explicit stack, so that the depth of a program's recursion is not bounded by Python's. It runs the core and
also every later form, whose resource operations, tokens and ownership it ignores: what a pass does to the result can be
seen apart from what it does to the counts. Spawned threads run at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from perceus_semantics import strings
from usl_perceus.ir import (
    BOOL,
    FALSE,
    TRUE,
    Atom,
    Branch,
    Call,
    CallClosure,
    Con,
    Do,
    Expr,
    Fill,
    ForeignCall,
    FunRef,
    If,
    Jump,
    KernelCall,
    Label,
    Lambda,
    Let,
    LetJoin,
    Lit,
    MakeCon,
    MakeConHole,
    Match,
    NewHole,
    Nullary,
    Prim,
    Program,
    Raise,
    Ret,
    TryLet,
    Var,
)
from usl_perceus.scalars import evaluate


class OutOfFuel(Exception):
    """The program took more steps than allowed."""


@dataclass(slots=True, eq=False)
class Data:
    """A constructed value. fields is a list only because a hole fills one later."""

    con: Con
    fields: list[Value]


@dataclass(slots=True, eq=False)
class Closure:
    """A lambda with its captures; or a top-level function, with none."""

    fun: Lambda | str
    env: dict[Var, Value]


@dataclass(slots=True, eq=False)
class Array:
    """An array; `set` makes another one, and so does `array_own`, for what changes it."""

    elems: tuple[Value, ...]


@dataclass(slots=True, eq=False)
class Cell:
    """A mutable reference, or the result slot of a NewHole."""

    content: Value


@dataclass(slots=True, eq=False)
class Thread:
    """A thread that is over: it is run when it is spawned."""

    result: Value


@dataclass(slots=True, eq=False)
class Hole:
    """A field that is not filled yet: place[index] of a constructor or of a result slot."""

    place: list[Value]
    index: int


Value = int | float | bytes | None | Data | Closure | Array | Cell | Thread | Hole
Env = dict[Var, "Value"]
Foreign = Callable[..., "Value"]


@dataclass(slots=True)
class Raised:
    """The outcome of a program that ends with an exception."""

    exception: Value


@dataclass(slots=True)
class _Frame:
    """What to do with the value of a sub-expression: a Let or TryLet, or the NewHole whose slot is to be read."""

    node: Let | TryLet | NewHole
    env: Env
    labels: dict[Label, LetJoin]
    slot: list[Value] = field(default_factory=list)


def run(
    program: Program,
    fun: str,
    args: tuple[Value, ...] = (),
    *,
    fuel: int = 1_000_000,
    foreigns: Mapping[str, Foreign] | None = None,
    output: list[bytes] | None = None,
) -> Value | Raised:
    """The value of a call of fun, or the exception that it raises. What is printed is appended to output.

    Raises:
        OutOfFuel: after fuel steps.
    """
    return _Machine(program, foreigns or {}, [] if output is None else output, fuel).call(fun, args)


def plain(value: Value | Raised, limit: int = 10_000) -> object:
    """A value to compare and to print: constructors as tuples ("Node", ...), functions all alike.

    Raises:
        OutOfFuel: the value, written out as a tree, has more than limit parts.
    """
    left = limit

    def show(value: Value | Raised) -> object:
        nonlocal left
        left -= 1
        if left < 0:
            raise OutOfFuel
        match value:
            case Raised(exception=exception):
                return ("raise", show(exception))
            case Data(con=con, fields=fields):
                return (con.name, *[show(item) for item in fields])
            case Closure() | Thread() | Hole():
                return f"<{type(value).__name__}>"
            case Array(elems=elems):
                return ["array", *[show(elem) for elem in elems]]
            case Cell(content=content):
                return ["ref", show(content)]
            case _:
                return value

    return show(value)


def truth(value: Value) -> bool:
    """A value of type bool as Python's."""
    assert isinstance(value, Data)
    return value.con == TRUE


def boolean(value: bool) -> Data:
    """Python's truth value as one of type bool."""
    return Data(TRUE if value else FALSE, [])


class _Machine:
    def __init__(self, program: Program, foreigns: Mapping[str, Foreign], output: list[bytes], fuel: int) -> None:
        self._program = program
        self._foreigns = foreigns
        self._output = output
        self._fuel = fuel

    def call(self, fun: str, args: tuple[Value, ...]) -> Value | Raised:
        decl = self._program.funs[fun]
        return self._run(decl.body, {param.var: arg for param, arg in zip(decl.params, args, strict=True)})

    def _run(self, expr: Expr, env: Env) -> Value | Raised:
        stack: list[_Frame] = []
        labels: dict[Label, LetJoin] = {}
        while True:
            self._fuel -= 1
            if self._fuel < 0:
                raise OutOfFuel
            match expr:
                case Let(value=value) | TryLet(value=value):
                    stack.append(_Frame(expr, env, labels))
                    expr = value
                case NewHole(hole=hole, body=body):
                    frame = _Frame(expr, env, labels, [None])
                    env[hole] = Hole(frame.slot, 0)
                    stack.append(frame)
                    expr = body
                case Do(body=body):
                    expr = body
                case Match(var=var):
                    expr = self._select(expr, self.atom(var, env), env)
                case If(cond=cond, then=then, orelse=orelse):
                    expr = then if truth(self.atom(cond, env)) else orelse
                case LetJoin(label=label, body=body):
                    labels[label] = expr
                    expr = body
                case Jump(label=label, args=args):
                    join = labels[label]
                    env.update(zip(join.params, [self.atom(arg, env) for arg in args], strict=True))
                    expr = join.join_body
                case MakeConHole(var=var, hole=hole, con=con, index=index, body=body):
                    data = Data(con, [None if arg is None else self.atom(arg, env) for arg in expr.args])
                    env[var], env[hole] = data, Hole(data.fields, index)
                    expr = body
                case Call(fun=fun, args=args):
                    decl = self._program.funs[fun]
                    env = {param.var: self.atom(arg, env) for param, arg in zip(decl.params, args, strict=True)}
                    labels, expr = {}, decl.body
                case CallClosure(fun=closure, args=args):
                    env, expr = self._enter(self.atom(closure, env), [self.atom(arg, env) for arg in args])
                    labels = {}
                case Raise(atom=atom):
                    exception = self.atom(atom, env)
                    while stack and not isinstance(stack[-1].node, TryLet):
                        stack.pop()
                    if not stack:
                        return Raised(exception)
                    frame = stack.pop()
                    assert isinstance(frame.node, TryLet)
                    env, labels, expr = frame.env, frame.labels, frame.node.handler
                    env[frame.node.exn] = exception
                case _:
                    result = self._value(expr, env)
                    while stack and isinstance(stack[-1].node, NewHole):
                        result = stack.pop().slot[0]
                    if not stack:
                        return result
                    frame = stack.pop()
                    assert not isinstance(frame.node, NewHole)
                    env, labels, expr = frame.env, frame.labels, frame.node.body
                    env[frame.node.var] = result

    def atom(self, atom: Atom, env: Env) -> Value:
        match atom:
            case Var():
                return env[atom]
            case Lit(value=value):
                return value
            case Nullary(con=con):
                return Data(con, [])
            case FunRef(fun=fun):
                return Closure(fun, {})
            case _:
                assert_never(atom)

    def _select(self, match: Match, value: Value, env: Env) -> Expr:
        assert isinstance(value, Data)
        branch: Branch
        for branch in match.branches:
            if branch.con == value.con:
                env.update(zip(branch.binders, value.fields, strict=True))
                return branch.body
        assert match.default is not None
        return match.default

    def _enter(self, closure: Value, args: list[Value]) -> tuple[Env, Expr]:
        assert isinstance(closure, Closure)
        if isinstance(closure.fun, str):
            decl = self._program.funs[closure.fun]
            return {param.var: arg for param, arg in zip(decl.params, args, strict=True)}, decl.body
        return {**closure.env, **dict(zip(closure.fun.params, args, strict=True))}, closure.fun.body

    def _value(self, expr: Ret | Prim | ForeignCall | KernelCall | MakeCon | Lambda | Fill, env: Env) -> Value:
        match expr:
            case Ret(atom=atom):
                return self.atom(atom, env)
            case Prim(args=args):
                return self._prim(expr, tuple(self.atom(arg, env) for arg in args))
            case ForeignCall(fun=fun, args=args):
                return self._foreigns[fun](*(self.atom(arg, env) for arg in args))
            case KernelCall(kernel=kernel, args=args):
                return self._foreigns[kernel](*(self.atom(arg, env) for arg in args))
            case MakeCon(con=con, args=args):
                return Data(con, [self.atom(arg, env) for arg in args])
            case Lambda(captures=captures):
                return Closure(expr, {var: env[var] for var in captures})
            case Fill(hole=hole, atom=atom):
                target = env.pop(hole)
                assert isinstance(target, Hole)
                target.place[target.index] = self.atom(atom, env)
                return None
            case _:
                assert_never(expr)

    def _prim(self, expr: Prim, args: tuple[Value, ...]) -> Value:
        match expr.op, args:
            case "retype", (x,):
                return x
            case "array_make", (int() as count, x):
                return Array((x,) * count)
            case "array_blank", (int() as count,):
                return Array((0,) * count)
            case "array_len", (Array(elems=elems),):
                return len(elems)
            case "array_get", (Array(elems=elems), int() as i):
                assert 0 <= i < len(elems)
                return elems[i]
            case "array_set", (Array(elems=elems), int() as i, x):
                assert 0 <= i < len(elems)
                return Array((*elems[:i], x, *elems[i + 1 :]))
            case "array_empty", ():
                return Array(())
            case "array_own", (Array(elems=elems),):
                return Array(elems)
            case "array_swap", (Array(elems=elems) as array, int() as i, x):
                assert 0 <= i < len(elems)
                array.elems = (*elems[:i], x, *elems[i + 1 :])
                return elems[i]
            case "array_take", (Array(elems=elems) as array, int() as i):
                assert 0 <= i < len(elems)
                array.elems = (*elems[:i], None, *elems[i + 1 :])
                return elems[i]
            case "array_put", (Array(elems=elems) as array, int() as i, x):
                assert elems[i] is None
                array.elems = (*elems[:i], x, *elems[i + 1 :])
                return array
            case "array_cut", (Array(elems=elems) as array,):
                assert elems[-1] is None
                array.elems = elems[:-1]
                return array
            case "array_front", (Array(elems=elems), int() as n):
                assert 0 <= n <= len(elems)
                return Array(elems[:n])
            case "array_append", (Array(elems=elems), x):
                return Array((*elems, x))
            case "array_vacate", (Array(elems=elems), int() as i):
                assert 0 <= i < len(elems)
                return Array((*elems[:i], None, *elems[i + 1 :]))
            case "ref_new", (x,):
                return Cell(x)
            case "ref_get", (Cell(content=content),):
                return content
            case "ref_set", (Cell() as cell, x):
                cell.content = x
                return None
            case "ref_swap", (Cell(content=content) as cell, x):
                cell.content = x
                return content
            case "spawn", (Closure() as closure,):
                env, body = self._enter(closure, [])
                result = self._run(body, env)
                assert not isinstance(result, Raised)
                return Thread(result)
            case "join", (Thread(result=result),):
                return result
        return pure_prim(expr, args, self._output)


def pure_prim(expr: Prim, args: tuple[Value, ...], output: list[bytes]) -> Value:
    """Primitives on scalars and strings; print appends to output."""
    match expr.op, args:
        case "interrupted", ():
            return boolean(False)  # nobody waits for a program here
        case "kernel_failed", _:
            return boolean(False)  # procedures that stand for kernels here do not fail
        case "str_concat", (bytes() as a, bytes() as b):
            return a + b
        case "str_quote", (bytes() as a,):
            return quoted(a)
        case "str_len", (bytes() as a,):
            return len(a)
        case "str_get", (bytes() as a, int() as i):
            assert 0 <= i < len(a)
            return a[i]
        case "str_at", (bytes() as a, int() as i):
            assert 0 <= i < len(a)
            return strings.character(a, i)
        case "str_code", (bytes() as a, int() as i):
            assert 0 <= i < len(a)
            return strings.code(a, i)
        case "str_slice", (bytes() as a, int() as i, int() as j):
            return strings.cut(a, i, j)
        case "str_find", (bytes() as a, bytes() as b, int() as i):
            return strings.find(a, b, i)
        case "str_chr", (int() as n,):
            return strings.of_code(n)
        case "str_float", (bytes() as a,):
            return float(a)
        case "str_fixed", (float() as x, int() as n, int() as kind):
            return strings.fixed(x, n, kind)
        case "hash", (int() as h, bytes() as a):
            return strings.hashed(h, a)
        case "str_eq", (a, b):
            return boolean(a == b)
        case "str_lt", (bytes() as a, bytes() as b):
            return boolean(a < b)
        case "show", (Data(con=con),):
            return con.name.encode()
        case "show", (x,):
            return show_scalar(x)
        case "print", (bytes() as a,):
            output.append(a)
            return None
    scalars = tuple(arg.con.tag if isinstance(arg, Data) else arg for arg in args)
    numbers = tuple(scalar for scalar in scalars if isinstance(scalar, int | float))
    assert len(numbers) == len(args), f"{expr.op} of {args}"
    result = evaluate(expr.op, numbers, expr.args[0].type, expr.type)
    return boolean(bool(result)) if expr.type == BOOL else result


def quoted(text: bytes) -> bytes:
    """The text as Python writes a string, but for bytes from 128 on, which stay as they are."""
    quote = b'"' if b"'" in text and b'"' not in text else b"'"
    named = {b"\n": b"\\n", b"\r": b"\\r", b"\t": b"\\t", b"\\": b"\\\\", quote: b"\\" + quote}
    pieces = (bytes([byte]) for byte in text)
    return quote + b"".join(named.get(p, p if 32 <= p[0] != 127 else b"\\x%02x" % p[0]) for p in pieces) + quote


def show_scalar(value: Value) -> bytes:
    """The text of a number: the shortest decimal that reads back as the same float; `nan`, `inf`, `-inf`."""
    return repr(value).encode()
