"""The reference-counted heap semantics (docs/semantics.md, §9), extended to every form of `ir.py`.

The machine keeps, besides the heap with its counts, how many references each variable of each activation owns. It refuses to
go on when a program uses a block that is gone, gives up a reference that it does not own, or lets an activation end that
still owns something (`Fault`). `Machine.check_counts` and `Machine.check_garbage_free` state the two theorems for one state.
Threads run at once, when they are spawned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import assert_never

from usl_c11.perceus import standard
from usl_c11.perceus.heap_values import (
    UNFILLED,
    Activation,
    Addr,
    Cell,
    Fault,
    Frame,
    Head,
    Hole,
    Imm,
    Static,
    Stats,
    Struct,
    Token,
    Value,
    addresses,
)
from usl_c11.perceus.insert import borrowed_args
from usl_c11.perceus.ir import (
    UNIT,
    Atom,
    Call,
    CallClosure,
    Con,
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
    FunRef,
    If,
    IfUnique,
    Jump,
    KernelCall,
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
    TakeToken,
    TokenType,
    TryLet,
    Type,
    Var,
)
from usl_c11.perceus.layout import block_size, is_counted
from usl_c11.perceus.standard import OutOfFuel, Raised
from usl_c11.perceus.traverse import FreeVars, is_certain

Observer = Callable[["Machine"], None]
Foreign = standard.Foreign


def run(
    program: Program,
    fun: str,
    *,
    fuel: int = 1_000_000,
    observer: Observer | None = None,
    foreigns: Mapping[str, Foreign] | None = None,
    output: list[bytes] | None = None,
    stats: Stats | None = None,
) -> object:
    """What a call of fun without arguments gives, as `standard.plain` shows it. Afterwards the heap is empty.

    observer is called before each step that is not a resource operation.

    Raises:
        Fault: ownership is broken, or the heap is not empty at the end.
        OutOfFuel: after fuel steps.
    """
    machine = Machine(program, observer, foreigns or {}, [] if output is None else output, fuel)
    value, raised = machine.run(fun)
    shown = standard.plain(machine.to_standard(value))
    machine.drop(value)
    if stats is not None:
        for name in Stats.__slots__:
            setattr(stats, name, getattr(machine.stats, name))
    if machine.heap or machine.tokens:
        raise Fault(f"the heap is not empty at the end: {machine.describe()}")
    return ("raise", shown) if raised else shown


class Machine:
    """A configuration `H | e`, the expression split into the current one and the frames around it."""

    def __init__(
        self,
        program: Program,
        observer: Observer | None,
        foreigns: Mapping[str, Foreign],
        output: list[bytes],
        fuel: int,
    ) -> None:
        self.program = program
        self.heap: dict[Addr, Cell] = {}
        self.tokens: set[Token] = set()
        self.stats = Stats()
        self.stack: list[Frame] = []
        self._observer = observer
        self._foreigns = foreigns
        self._output = output
        self._fuel = fuel
        self._next = 0
        self._free = FreeVars(erased=True)
        self._known: set[str | Lambda] = set()
        self.expr: Expr = Ret(Lit(None, UNIT))
        self.act = Activation({})

    # ---- the heap

    def cell(self, addr: Value) -> Cell:
        if not isinstance(addr, Addr) or addr not in self.heap:
            raise Fault(f"use of {addr!r}, which is not in the heap")
        return self.heap[addr]

    def allocate(self, head: Head, fields: list[Value]) -> Addr:
        self._next += 1
        addr = Addr(self._next)
        self.heap[addr] = Cell(1, head, fields)
        self.stats.allocated += 1
        self.stats.peak = max(self.stats.peak, len(self.heap))
        return addr

    def dup(self, value: Value) -> None:
        for addr in addresses(value):
            self.cell(addr).count += 1

    def drop(self, value: Value) -> None:
        """Rules drop and free; children are dropped without recursion."""
        todo = list(addresses(value))
        while todo:
            cell = self.cell(addr := todo.pop())
            cell.count -= 1
            if cell.count == 0:
                todo.extend(child for item in cell.fields for child in addresses(item))
                self.remove(addr)

    def remove(self, addr: Value) -> Cell:
        """Take a cell out of the heap; its fields are not dropped."""
        assert isinstance(addr, Addr)
        self.stats.freed += 1
        return self.heap.pop(addr)

    # ---- ownership of the variables

    def consume(self, atom: Atom) -> Value:
        """The value of an atom; a counted variable gives up one reference that it owns."""
        value = self.read(atom)
        if isinstance(atom, Var) and self.counted(atom.type):
            self.act.owned[atom] -= 1
            if self.act.owned[atom] < 0 and any(addresses(value)):
                raise Fault(f"{atom!r} gives up a reference that it does not own")
        return value

    def read(self, atom: Atom) -> Value:
        """The value of an atom, which keeps its references."""
        match atom:
            case Var():
                value = self.act.env[atom]
                for addr in addresses(value):
                    self.cell(addr)
                return value
            case Lit(value=literal):
                return literal
            case Nullary(con=con):
                return Imm(con)
            case FunRef(fun=fun):
                return Static(fun)
            case _:
                assert_never(atom)

    def bind(self, var: Var, value: Value, *, owned: bool = True) -> None:
        self.act.env[var] = value
        self.act.owned[var] = int(owned)

    def counted(self, type: Type) -> bool:
        return is_counted(type, self.program.datas)

    # ---- the theorems, for one state

    def activations(self) -> list[Activation]:
        found = [self.act, *(frame.act for frame in self.stack)]
        return list(dict.fromkeys(found))

    def check_counts(self) -> None:
        """Each count is the number of references: from other cells, from slots, and owned by variables."""
        counts: Counter[Addr] = Counter()
        for cell in self.heap.values():
            counts.update(addr for item in cell.fields for addr in addresses(item))
        for frame in self.stack:
            counts.update(addr for item in frame.slot for addr in addresses(item))
        for act in self.activations():
            for var, owned in act.owned.items():
                for addr in addresses(act.env[var]) if owned else ():
                    counts[addr] += owned
        for addr, cell in self.heap.items():
            if counts[addr] != cell.count:
                raise Fault(f"{addr} has count {cell.count} and {counts[addr]} references; {self.describe()}")
        if any(addr not in self.heap and count for addr, count in counts.items()):
            raise Fault("a dead cell is referred to")

    def check_garbage_free(self) -> None:
        """Every cell is reachable from the erased expression (Reinking 2022, theorem 4.4)."""
        todo: list[Addr] = []
        for expr, bound, act in self._pending():
            for var in self._free.of(expr) - bound:
                todo.extend(addresses(act.env[var]))
        for frame in self.stack:
            todo.extend(addr for item in frame.slot for addr in addresses(item))
        seen: set[Addr] = set()
        while todo:
            addr = todo.pop()
            if addr not in seen:
                seen.add(addr)
                todo.extend(child for item in self.cell(addr).fields for child in addresses(item))
        if len(seen) != len(self.heap):
            lost = [addr for addr in self.heap if addr not in seen]
            raise Fault(f"{lost} are garbage; {self.describe()}")

    def _pending(self) -> Iterator[tuple[Expr, frozenset[Var], Activation]]:
        """The expressions still to be evaluated, the variables that will be bound before, and where the others are."""
        yield self.expr, frozenset(), self.act
        for frame in self.stack:
            match frame.node:
                case Let(var=var, body=body):
                    yield body, frozenset({var}), frame.act
                case TryLet(var=var, body=body, exn=exn, handler=handler):
                    yield body, frozenset({var}), frame.act
                    yield handler, frozenset({exn}), frame.act
                case NewHole() | Prim():
                    pass
                case _:
                    assert_never(frame.node)

    def describe(self) -> str:
        cells = "; ".join(f"{addr.number} ->{cell.count} {_head(cell.head)}" for addr, cell in self.heap.items())
        return f"heap: {cells or 'empty'}; {len(self.tokens)} tokens"

    # ---- steps

    def run(self, fun: str) -> tuple[Value, bool]:
        """The result and whether it is an exception that was raised."""
        self.enter(fun, [], ())
        while True:
            self._fuel -= 1
            if self._fuel < 0:
                raise OutOfFuel
            if isinstance(self.expr, Do):
                self.operate(self.expr.op)
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
                self.make_hole(expr)
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
        return self.read(arg) if keep else self.consume(arg)

    def push(self, node: Let | TryLet | NewHole | Prim) -> Frame:
        frame = Frame(node, self.act, [], self.act.binders)
        self.stack.append(frame)
        self.stats.max_stack = max(self.stats.max_stack, len(self.stack))
        return frame

    def enter(self, fun: str, values: list[Value], kept: tuple[bool, ...]) -> None:
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
            self._free.of(body)

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
        value = self.read(match.var)
        con, fields = self.inspect(value)
        for branch in match.branches:
            if branch.con == con:
                for var, item in zip(branch.binders, fields, strict=True):
                    self.bind(var, item, owned=False)
                self.act.binders = {**self.act.binders, match.var: branch.binders}
                self.expr = branch.body
                return
        assert match.default is not None
        self.expr = match.default

    def inspect(self, value: Value) -> tuple[Con, list[Value]]:
        match value:
            case Imm(con=con):
                return con, []
            case Struct(con=con, fields=fields):
                return con, list(fields)
        cell = self.cell(value)
        assert isinstance(cell.head, Con)
        if UNFILLED in cell.fields:
            raise Fault("a block with a hole is inspected")
        return cell.head, cell.fields

    def value(self, expr: Ret | Prim | ForeignCall | KernelCall | MakeCon | Lambda | Fill) -> Value:
        """The value of an expression that takes one step."""
        match expr:
            case Ret(atom=atom):
                return self.consume(atom)
            case Prim(args=args):
                kept = borrowed_args(expr, self.program)
                return self.prim(expr, [self.argument(arg, keep) for arg, keep in zip(args, kept, strict=True)])
            case ForeignCall(fun=name, args=args) | KernelCall(kernel=name, args=args):
                kept = borrowed_args(expr, self.program)
                values = [self.argument(arg, keep) for arg, keep in zip(args, kept, strict=True)]
                result = self._foreigns[name](*(self.to_standard(value) for value in values))
                for value, keep in zip(values, kept, strict=True):
                    if not keep:
                        self.drop(value)
                return self.from_standard(result)
            case MakeCon(con=con, args=args):
                values = [self.consume(arg) for arg in args]
                if self.program.datas[con.data].layout is Layout.VALUE:
                    return Struct(con, tuple(values))
                return self.construct(expr, values)
            case Lambda(captures=captures):
                if not captures:
                    return Static(expr)
                return self.allocate(expr, [self.consume(var) for var in captures])
            case Fill(hole=hole, atom=atom):
                self.fill(hole, self.consume(atom))
                return None
            case _:
                assert_never(expr)

    def fill(self, hole: Var, value: Value) -> None:
        target = self.act.env[hole]
        assert isinstance(target, Hole)
        if target.place[target.index] is not UNFILLED:
            raise Fault("a hole is filled twice")
        target.place[target.index] = value

    def construct(self, expr: MakeCon | MakeConHole, values: list[Value]) -> Addr:
        """A block, in the token's memory if there is some; what the token is said to hold already is checked."""
        token = None if expr.token is None else self.act.env[expr.token]
        if not isinstance(token, Token):
            if is_certain(expr.token):
                raise Fault(f"{expr.token!r} is no memory")
            return self.allocate(expr.con, values)
        if token.size != block_size(expr.con, self.program.datas):
            raise Fault(f"a token of {token.size} bytes for {expr.con.name}")
        if expr.same_con and token.con != expr.con:
            raise Fault(f"the token was {token.con.name}, not {expr.con.name}")
        for i in expr.kept:
            if token.fields[i] != values[i]:
                raise Fault(f"field {i} of {expr.con.name} is said to be in place, and is not")
        self.tokens.remove(token)
        self.stats.allocated -= 1
        self.stats.reused += 1
        return self.allocate(expr.con, values)

    def make_hole(self, expr: MakeConHole) -> None:
        values: list[Value] = [UNFILLED if arg is None else self.consume(arg) for arg in expr.args]
        addr = self.construct(expr, values)
        self.bind(expr.var, addr)
        self.bind(expr.hole, Hole(values, expr.index), owned=False)
        self.expr = expr.body

    # ---- resource operations

    def operate(self, op: Op) -> None:
        match op:
            case Dup(var=var):
                self.stats.dups += 1
                self.dup(self.read(var))
                self.act.owned[var] += 1
            case Drop(var=var):
                self.stats.drops += 1
                self.drop(self.give_up(var))
            case Free(var=var) if isinstance(self.act.env[var], Struct):
                self.give_up(var)
                self.endow(var)
            case Free(var=var):
                self.release(var)
            case DecRef(var=var):
                self.stats.drops += 1
                cell = self.cell(self.give_up(var))
                if cell.count < 2:
                    raise Fault(f"decref of the unique {var!r}")
                cell.count -= 1
            case DropReuse(token=token, var=var):
                self.stats.drops += 1
                self.drop_reuse(token, var)
            case TakeToken(token=token, var=var):
                self.take(token, self.release(var))
            case NullToken(token=token):
                self.bind(token, None, owned=False)
            case CopyToken(token=token, var=var):
                cell = self.cell(self.read(var))
                self.stats.allocated += 1
                self.stats.freed += 1
                self.take(token, Cell(0, cell.head, list(cell.fields)))
            case FreeToken(token=token):
                memory = self.act.env[token]
                if isinstance(memory, Token):
                    self.tokens.remove(memory)
            case IfUnique(var=var, unique=unique, shared=shared):
                for inner in unique if self.cell(self.read(var)).count == 1 else shared:
                    self.operate(inner)
            case _:
                assert_never(op)

    def give_up(self, var: Var) -> Value:
        """The value of a variable that gives up one reference. Within an IfUnique a binder may owe one until Free."""
        self.act.owned[var] -= 1
        return self.act.env[var]

    def release(self, var: Var) -> Cell:
        """The unique block of var leaves the heap; its references become those of the binders of the match on var."""
        addr = self.give_up(var)
        cell = self.cell(addr)
        if cell.count != 1:
            raise Fault(f"free of the shared {var!r}")
        self.endow(var)
        return self.remove(addr)

    def endow(self, var: Var) -> None:
        """The binders of the match on var own what its fields held."""
        for binder in self.act.binders[var]:
            self.act.owned[binder] += 1

    def take(self, token: Var, cell: Cell) -> None:
        assert isinstance(cell.head, Con) and isinstance(token.type, TokenType)
        memory = Token(block_size(cell.head, self.program.datas), cell.head, cell.fields)
        if memory.size != token.type.size:
            raise Fault(f"a block of {memory.size} bytes as a token of {token.type.size}")
        self.tokens.add(memory)
        self.bind(token, memory, owned=False)

    def drop_reuse(self, token: Var, var: Var) -> None:
        addr = self.give_up(var)
        cell = self.cell(addr)
        if cell.count > 1:
            cell.count -= 1
            self.bind(token, None, owned=False)
            return
        self.remove(addr)
        for item in cell.fields:
            self.drop(item)
        self.take(token, cell)

    # ---- primitives

    def prim(self, expr: Prim, args: list[Value]) -> Value:
        match expr.op, args:
            case "array_make", (int() as count, x):
                for _ in range(count):
                    self.dup(x)
                self.drop(x)
                return self.allocate("array", [x] * count)
            case "array_len", (a,):
                return len(self.cell(a).fields)
            case (("array_get" | "ref_get"), (a, *rest)):
                item = self.cell(a).fields[self.index(a, rest)]
                self.dup(item)
                return item
            case "array_set", (a, int() as i, x):
                return self.array_set(a, self.index(a, [i]), x)
            case "ref_new", (x,):
                return self.allocate("ref", [x])
            case "ref_set", (r, x):
                old, self.cell(r).fields[:] = self.cell(r).fields[0], [x]
                self.drop(old)
                return None
            case "join", (t,):
                (item,) = self.cell(t).fields
                self.dup(item)
                self.drop(t)
                return item
        result = standard.pure_prim(expr, tuple(self.to_standard(arg) for arg in args), self._output)
        if expr.op == "str_concat":
            for arg in args:
                self.drop(arg)
        return self.from_standard(result)

    def index(self, array: Value, rest: list[Value]) -> int:
        i = rest[0] if rest else 0
        assert isinstance(i, int) and 0 <= i < len(self.cell(array).fields)
        return i

    def array_set(self, array: Value, i: int, x: Value) -> Value:
        cell = self.cell(array)
        if cell.count > 1:
            for item in cell.fields:
                self.dup(item)
            cell.count -= 1
            array = self.allocate("array", list(cell.fields))
            cell = self.cell(array)
        old, cell.fields[i] = cell.fields[i], x
        self.drop(old)
        return array

    # ---- values of the other semantics

    def to_standard(self, value: Value) -> standard.Value:
        match value:
            case Addr():
                cell = self.cell(value)
                fields = [self.to_standard(item) for item in cell.fields]
                match cell.head:
                    case Con():
                        return standard.Data(cell.head, fields)
                    case Lambda():
                        return standard.Closure(cell.head, {})
                    case bytes():
                        return cell.head
                    case "array":
                        return standard.Array(tuple(fields))
                    case "ref":
                        return standard.Cell(fields[0])
                    case _:
                        return standard.Thread(fields[0])
            case Imm(con=con):
                return standard.Data(con, [])
            case Struct(con=con, fields=items):
                return standard.Data(con, [self.to_standard(item) for item in items])
            case Static(fun=fun):
                return standard.Closure(fun, {})
            case Token() | Hole() | str():
                raise AssertionError("no value of the source")
            case _:
                return value

    def from_standard(self, value: standard.Value | Raised) -> Value:
        """A fresh copy in the heap. Dynamic strings are cells."""
        match value:
            case standard.Data(con=con, fields=fields):
                items = [self.from_standard(item) for item in fields]
                layout = self.program.datas[con.data].layout
                if layout is Layout.VALUE:
                    return Struct(con, tuple(items))
                return self.allocate(con, items) if items else Imm(con)
            case standard.Array(elems=elems):
                return self.allocate("array", [self.from_standard(elem) for elem in elems])
            case standard.Cell(content=content):
                return self.allocate("ref", [self.from_standard(content)])
            case bytes():
                return self.allocate(value, [])
            case int() | float() | None:
                return value
            case _:
                raise AssertionError("functions and threads do not cross over")


def _head(head: Head) -> str:
    match head:
        case Con(name=name):
            return name
        case Lambda():
            return "fun"
        case _:
            return repr(head)
