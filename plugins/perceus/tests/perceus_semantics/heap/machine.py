"""The machine of the heap semantics: one step after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

from perceus_semantics.heap.blocks import construct, fill, inspect, make_hole
from perceus_semantics.heap.crossing import from_standard, to_standard
from perceus_semantics.heap.operations import operate
from perceus_semantics.heap.prims import prim
from perceus_semantics.heap.state import State
from perceus_semantics.heap.values import UNFILLED, Activation, Fault, Frame, Hole, Imm, Static, Struct, Value, addresses
from perceus_semantics.standard import Foreign, OutOfFuel
from usl_perceus.insert import borrowed_args
from usl_perceus.ir import (
    Atom,
    Call,
    CallClosure,
    Do,
    Expr,
    Fill,
    ForeignCall,
    If,
    Jump,
    KernelCall,
    Lambda,
    Layout,
    Let,
    LetJoin,
    MakeCon,
    MakeConHole,
    Match,
    NewHole,
    Prim,
    Program,
    Raise,
    Ret,
    TryLet,
)

Observer = Callable[[State], None]


class Machine(State):
    """A state that runs."""

    def __init__(
        self,
        program: Program,
        observer: Observer | None,
        foreigns: Mapping[str, Foreign],
        output: list[bytes],
        fuel: int,
    ) -> None:
        super().__init__(program)
        self._observer = observer
        self._foreigns = foreigns
        self._output = output
        self._fuel = fuel
        self._known: set[str | Lambda] = set()

    def run(self, fun: str) -> tuple[Value, bool]:
        """The result and whether it is an exception that was raised."""
        self.enter(fun, [], ())
        while True:
            self._fuel -= 1
            if self._fuel < 0:
                raise OutOfFuel
            if isinstance(self.expr, Do):
                operate(self, self.expr.op)
                self.expr = self.expr.body
                continue
            if self._observer is not None:
                self._observer(self)
            outcome = self.step()
            if outcome is not None:
                return outcome

    def step(self) -> tuple[Value, bool] | None:
        """One step that is not a resource operation; the outcome if it was the last."""
        match expr := self.expr:
            case Let(value=value) | TryLet(value=value):
                self.push(expr)
                self.expr = value
            case NewHole(hole=hole, body=body):
                frame = self.push(expr)
                frame.slot.append(UNFILLED)
                self.bind(hole, Hole(frame.slot, 0), owned=False)
                self.expr = body
            case Match():
                self.select(expr)
            case If(cond=cond, then=then, orelse=orelse):
                truth = self.read(cond)
                assert isinstance(truth, Imm)
                self.expr = then if truth.con.tag else orelse
            case LetJoin(label=label, body=body):
                self.act.labels[label] = expr
                self.expr = body
            case Jump(label=label, args=args):
                join = self.act.labels[label]
                for param, item in zip(join.params, [self.consume(arg) for arg in args], strict=True):
                    self.bind(param, item)
                self.expr = join.join_body
            case MakeConHole():
                make_hole(self, expr)
            case Call(fun=fun, args=args):
                kept = borrowed_args(expr, self.program)
                self.enter(fun, [self.argument(arg, keep) for arg, keep in zip(args, kept, strict=True)], kept)
            case CallClosure(fun=closure, args=args):
                values = [self.consume(arg) for arg in args]
                self.apply(self.consume(closure), values)
            case Prim(op="spawn", args=(closure,)):
                target = self.consume(closure)
                self.push(expr)
                self.apply(target, [])
            case Raise(atom=atom):
                return self.unwind(self.consume(atom))
            case Ret() | Prim() | ForeignCall() | KernelCall() | MakeCon() | Lambda() | Fill():
                return self.returning(self.value(expr))
            case Do():
                raise AssertionError("run does these")
            case _:
                assert_never(expr)
        return None

    def argument(self, arg: Atom, keep: bool) -> Value:
        """The value of an argument; keep: it is borrowed, the variable goes on owning it."""
        return self.read(arg) if keep else self.consume(arg)

    def push(self, node: Let | TryLet | NewHole | Prim) -> Frame:
        """A new frame, to which the current activation comes back."""
        frame = Frame(node, self.act, [], self.act.binders)
        self.stack.append(frame)
        self.stats.max_stack = max(self.stats.max_stack, len(self.stack))
        return frame

    def enter(self, fun: str, values: list[Value], kept: tuple[bool, ...]) -> None:
        """Calls a function; kept are the parameters that it borrows. The current activation ends unless a frame keeps it."""
        decl = self.program.funs[fun]
        self.leave()
        self.act = Activation({})
        for param, value, keep in zip(decl.params, values, kept, strict=True):
            self.bind(param.var, value, owned=not keep)
        self.know(fun, decl.body)
        self.expr = decl.body

    def know(self, fun: str | Lambda, body: Expr) -> None:
        """Join points must be known before their jumps (`FreeVars`)."""
        if fun not in self._known:
            self._known.add(fun)
            self.free.of(body)

    def leave(self) -> None:
        """The current activation ends, unless a frame comes back to it: it must own nothing any more."""
        if self.stack and self.stack[-1].act is self.act:
            return
        for var, owned in self.act.owned.items():
            if owned and any(addresses(self.act.env[var])):
                raise Fault(f"{var!r} still owns {owned} references at the end of its function")

    def apply(self, target: Value, values: list[Value]) -> None:
        """Rule app: `f z -> dup ys; drop f; e[x := z]`."""
        if isinstance(target, Static) and isinstance(target.fun, str):
            self.enter(target.fun, values, (False,) * len(values))
            return
        captured: list[Value] = []
        if isinstance(target, Static):
            fun = target.fun
        else:
            cell = self.cell(target)
            head, captured = cell.head, list(cell.fields)
            assert isinstance(head, Lambda)
            fun = head
            for value in captured:
                self.dup(value)
            self.drop(target)
        assert isinstance(fun, Lambda)
        self.leave()
        self.act = Activation({})
        for var, value in zip((*fun.captures, *fun.params), (*captured, *values), strict=True):
            self.bind(var, value)
        self.know(fun, fun.body)
        self.expr = fun.body

    def returning(self, value: Value) -> tuple[Value, bool] | None:
        """value is the result of the current expression."""
        self.leave()
        while self.stack:
            frame = self.stack.pop()
            self.act, self.act.binders = frame.act, frame.binders
            match frame.node:
                case Let(var=var, body=body) | TryLet(var=var, body=body):
                    self.bind(var, value)
                    self.expr = body
                    return None
                case NewHole():
                    (value,) = frame.slot
                    if value is UNFILLED:
                        raise Fault("a hole was not filled")
                case Prim():
                    value = self.allocate("thread", [value])
                case _:
                    assert_never(frame.node)
            self.leave()
        return value, False

    def unwind(self, exception: Value) -> tuple[Value, bool] | None:
        """An exception goes to the next TryLet. Activations that it passes own nothing any more."""
        self.leave()
        while self.stack:
            frame = self.stack.pop()
            self.act, self.act.binders = frame.act, frame.binders
            if isinstance(frame.node, TryLet):
                self.bind(frame.node.exn, exception)
                self.expr = frame.node.handler
                return None
            if isinstance(frame.node, NewHole):
                raise Fault("an exception leaves a hole unfilled")
            self.leave()
        return exception, True

    def select(self, match: Match) -> None:
        """Rule match: the branch of the value's constructor. Its binders own nothing."""
        value = self.read(match.var)
        con, fields = inspect(self, value)
        for branch in match.branches:
            if branch.con == con:
                for var, item in zip(branch.binders, fields, strict=True):
                    self.bind(var, item, owned=False)
                self.act.binders = {**self.act.binders, match.var: branch.binders}
                self.expr = branch.body
                return
        assert match.default is not None
        self.expr = match.default

    def value(self, expr: Ret | Prim | ForeignCall | KernelCall | MakeCon | Lambda | Fill) -> Value:
        """The value of an expression that takes one step."""
        match expr:
            case Ret(atom=atom):
                return self.consume(atom)
            case Prim(args=args):
                kept = borrowed_args(expr, self.program)
                return prim(self, expr, [self.argument(arg, keep) for arg, keep in zip(args, kept, strict=True)], self._output)
            case ForeignCall(fun=name, args=args) | KernelCall(kernel=name, args=args):
                kept = borrowed_args(expr, self.program)
                values = [self.argument(arg, keep) for arg, keep in zip(args, kept, strict=True)]
                result = self._foreigns[name](*(to_standard(self, value) for value in values))
                for value, keep in zip(values, kept, strict=True):
                    if not keep:
                        self.drop(value)
                return from_standard(self, result)
            case MakeCon(con=con, args=args):
                values = [self.consume(arg) for arg in args]
                if self.program.datas[con.data].layout is Layout.VALUE:
                    return Struct(con, tuple(values))
                return construct(self, expr, values)
            case Lambda(captures=captures):
                if not captures:
                    return Static(expr)
                return self.allocate(expr, [self.consume(var) for var in captures])
            case Fill(hole=hole, atom=atom):
                fill(self, hole, self.consume(atom))
                return None
            case _:
                assert_never(expr)
