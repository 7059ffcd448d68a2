"""A procedure as a Python function: the IR is written out as Python text once, and compiled.

Text rather than closures, because control arithmetic, bounds tests and most data operations are then plain Python
expressions, several times faster than a call per node. For a buffer `x` the text has locals `x_data`, `x_off`, its extents
`x_n0 ...` and strides `x_s0 ...`. The text of data operations comes from an `Arithmetic`.

Nothing here decides where an error lies: each line of text knows the node that it stands for, and `run` looks there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from usl_core.interp.arith import Arithmetic
from usl_core.interp.runtime import HELPERS
from usl_core.interp.written import written_formals
from usl_core.ir.nodes import (
    Alloc,
    Arg,
    Assign,
    AssignConfig,
    BinaryOp,
    Block,
    Call,
    Cast,
    Check,
    Expr,
    ExternCall,
    For,
    If,
    Interval,
    Literal,
    LoopMode,
    Node,
    Pass,
    Proc,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import walk_block
from usl_core.ir.types import SIZE, ControlType, ScalarType, TensorType, scalar_of

_DEEPEST_NEST = 12
"""Loops that may stand directly in one Python function; Python allows 20."""
_DEEPEST_EXPR = 30
"""Operations that may be nested in one line of text; Python allows 200 parentheses."""


Scope = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Compiled:
    """function(state, *args) runs the procedure. nodes[line] is what a line of the text stands for.

    scopes[line] has for each loop around it the local that holds the iterator, and its spelling. The function's globals
    hold this record as `compiled`. Nothing refers to the procedure, so that the cache of compiled procedures can forget it.
    """

    name: str
    text: str
    function: Callable[..., None]
    nodes: tuple[Node | None, ...]
    scopes: tuple[Scope, ...]


class Compiler:
    """Compiles procedures for one arithmetic, with or without reports of accesses; remembers them while they live."""

    def __init__(self, arith: Arithmetic, traced: bool) -> None:
        self.arith = arith
        self.traced = traced
        self.done: WeakKeyDictionary[Proc, Compiled] = WeakKeyDictionary()

    def compile(self, proc: Proc) -> Compiled:
        known = self.done.get(proc)
        if known is None:
            known = _Emitter(self, proc).compiled()
            self.done[proc] = known
        return known


class _Emitter:
    """Writes one procedure. Names bound at run time are locals, constants and callees are globals of the text."""

    def __init__(self, compiler: Compiler, proc: Proc) -> None:
        self.compiler = compiler
        self.arith = compiler.arith
        self.proc = proc
        self.globals: dict[str, Any] = {**HELPERS}
        self.lines: list[str] = []
        self.nodes: list[Node | None] = [None]
        self.node: Node | None = None
        self.indent = 0
        self.loops = 0
        self.counter = 0
        self.spilling = False
        self.scope: Scope = ()
        self.scopes: list[Scope] = [()]
        self.dense_locals: set[Sym] = set()
        self.objects = _needs_objects(proc)

    # ---- text

    def emit(self, text: str) -> None:
        self.lines.append(" " * self.indent + text)
        self.nodes.append(self.node)
        self.scopes.append(self.scope)

    @contextmanager
    def indented(self) -> Iterator[None]:
        self.indent += 1
        yield
        self.indent -= 1

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def constant(self, value: object) -> str:
        """A global of the text that holds value."""
        name = self.fresh("const")
        self.globals[name] = value
        return name

    # ---- procedure

    def compiled(self) -> Compiled:
        params = ", ".join(["state", *(local(arg.name) for arg in self.proc.args)])
        self.emit(f"def procedure({params}):")
        with self.indented():
            self.entry()
            self.block(self.proc.body)
        text = "\n".join(self.lines) + "\n"
        self.globals |= self.arith.names
        exec(compile(text, f"<usl procedure {self.proc.name}>", "exec"), self.globals)
        result = Compiled(self.proc.name, text, self.globals["procedure"], tuple(self.nodes), tuple(self.scopes))
        self.globals["compiled"] = result
        return result

    def entry(self) -> None:
        """Sizes, shapes, preconditions and disjointness, for calls and for the outermost procedure alike."""
        for arg in self.proc.args:
            self.node = arg
            if arg.type is SIZE:
                name = local(arg.name)
                self.emit(f"if {name} < 1: wrong_size({arg.name.name!r}, {name})")
            elif not isinstance(arg.type, ControlType):
                self.formal(arg)
        for pred in self.proc.preds:
            self.node = pred
            self.emit(f"if not {self.expr(pred)}: broken({f'the precondition `{show_expr(pred)}` does not hold'!r})")
        pairs = self.overlaps_refused()
        if pairs:
            self.emit(f"disjoint(({', '.join(pairs)},))")

    def formal(self, arg: Arg) -> None:
        name, spelling = local(arg.name), repr(arg.name.name)
        self.emit(f"{name}_data = {name}.data; {name}_off = {name}.offset")
        if not isinstance(arg.type, TensorType):
            return
        rank = len(arg.type.shape)
        self.emit(f"{_tuple(f'{name}_n', rank)} = {name}.shape")
        expected = "".join(f"{self.expr(size)}, " for size in arg.type.shape)
        self.emit(f"if {name}.shape != ({expected}): wrong_shape({spelling}, {name}.shape, ({expected}))")
        strides = f"{name}.strides" if arg.type.window else f"dense({spelling}, {name})"
        self.emit(f"{_tuple(f'{name}_s', rank)} = {strides}")

    def overlaps_refused(self) -> list[str]:
        buffers = [arg.name for arg in self.proc.args if not isinstance(arg.type, ControlType)]
        written = written_formals(self.proc)
        seen: set[frozenset[Sym]] = set()
        pairs = []
        for a in buffers:
            for b in buffers:
                pair = frozenset((a, b))
                allowed = {a.name, b.name} <= set(self.proc.aliasable)
                if a in written and a is not b and pair not in seen and not allowed:
                    seen.add(pair)
                    pairs.append(f"({a.name!r}, {local(a)}, {b.name!r}, {local(b)})")
        return pairs

    # ---- statements

    def block(self, stmts: Block) -> None:
        for stmt in stmts:
            self.node = stmt
            self.stmt(stmt)

    def stmt(self, stmt: Stmt) -> None:
        match stmt:
            case Assign() | Reduce():
                self.store(stmt)
            case AssignConfig():
                key = self.constant((stmt.config, stmt.field))
                self.emit(f"state.configs[{key}] = {self.spilled(stmt.rhs)}")
            case Pass():
                self.emit("pass")
            case Check():
                self.emit(f"if not {self.expr(stmt.cond)}: broken({f'check failed: {show_expr(stmt.cond)}'!r})")
            case If():
                self.branch("if", stmt)
            case For():
                self.loop(stmt)
            case Alloc():
                self.alloc(stmt)
            case WindowStmt():
                self.window_stmt(stmt)
            case Call():
                callee = self.constant(self.compiler.compile(stmt.proc).function)
                args = [self.argument(e) for e in stmt.args]
                self.emit(f"{callee}({', '.join(['state', *args])})")
            case _:
                raise AssertionError(stmt)

    def store(self, stmt: Assign | Reduce) -> None:
        typ = scalar_of(stmt.rhs.type)
        rhs = self.spilled(stmt.rhs)
        kind = "write" if isinstance(stmt, Assign) else "reduce"
        guard, place, indices = self.access(stmt.name, stmt.idx, kind)
        if guard:
            self.emit(f"if not ({guard}): {self.out_of_bounds(stmt.name, indices)}")
        target = f"{local(stmt.name)}_data[{place}]"
        if isinstance(stmt, Assign):
            self.emit(f"{target} = {rhs}")
            return
        if self.compiler.traced:  # a reduction is reported after the reads of its right side
            value = self.fresh("part")
            self.emit(f"{value} = {rhs}")
            rhs = value
        if not place.isalnum():
            position = self.fresh("at")
            self.emit(f"{position} = {place}")
            target = f"{local(stmt.name)}_data[{position}]"
        self.emit(f"{target} = {self.arith.binary('+', typ, target, rhs)}")

    def branch(self, word: str, stmt: If) -> None:
        self.emit(f"{word} {self.expr(stmt.cond)}:")
        with self.indented():
            self.block(stmt.body)
        match stmt.orelse:
            case ():
                pass
            case (If() as other,):  # elif keeps a long chain flat: Python limits the depth of indentation
                self.node = other
                self.branch("elif", other)
            case _:
                self.emit("else:")
                with self.indented():
                    self.block(stmt.orelse)

    def loop(self, stmt: For) -> None:
        outlined = self.fresh("nest") if self.loops == _DEEPEST_NEST else None
        before, self.loops = self.loops, (0 if outlined else self.loops) + 1
        if outlined:
            self.emit(f"def {outlined}():")
            self.indent += 1
        name = local(stmt.iter)
        over = "seq" if stmt.mode is LoopMode.SEQ else "state.par"
        self.emit(f"for {name} in {over}({self.expr(stmt.lo)}, {self.expr(stmt.hi)}):")
        outer, self.scope = self.scope, (*self.scope, (name, stmt.iter.name))
        with self.indented():
            self.block(stmt.body)
        self.scope = outer
        if outlined:
            self.indent -= 1
            self.node = stmt
            self.emit(f"{outlined}()")
        self.loops = before

    def alloc(self, stmt: Alloc) -> None:
        name = local(stmt.name)
        self.dense_locals.add(stmt.name)
        shape = stmt.type.shape if isinstance(stmt.type, TensorType) else ()
        extents = [f"{name}_n{dim}" for dim in range(len(shape))]
        if shape:
            sizes = ", ".join(self.expr(size) for size in shape)
            self.emit(f"{_tuple(f'{name}_n', len(shape))} = extents({stmt.name.name!r}, {sizes})")
        for dim in range(len(shape)):
            self.emit(f"{name}_s{dim} = {' * '.join(extents[dim + 1 :]) or '1'}")
        self.emit(f"{name}_data = blank({' * '.join(extents) or '1'}); {name}_off = 0")
        if stmt.name in self.objects:
            scalar = self.constant(scalar_of(stmt.type))
            self.emit(f"{name} = Buffer({scalar}, ({''.join(f'{e}, ' for e in extents)}), {name}_data)")

    def window_stmt(self, stmt: WindowStmt) -> None:
        name = local(stmt.name)
        rank = sum(isinstance(entry, Interval) for entry in stmt.rhs.idx)
        self.emit(f"{name} = {self.window(stmt.rhs)}")
        self.emit(f"{name}_data = {name}.data; {name}_off = {name}.offset")
        self.emit(f"{_tuple(f'{name}_n', rank)} = {name}.shape; {_tuple(f'{name}_s', rank)} = {name}.strides")

    def argument(self, arg: Expr) -> str:
        match arg:
            case WindowExpr():
                return self.window(arg)
            case Read(name=name, idx=(), type=ScalarType() | TensorType()):
                return local(name)
            case Read(name=name, type=ScalarType()):
                indices = ", ".join(self.expr(index) for index in arg.idx)
                return f"element({name.name!r}, {local(name)}, {indices})"
            case Literal(type=ScalarType() as scalar):
                return f"Buffer({self.constant(scalar)}, (), [{self.expr(arg)}])"
            case _:
                return self.expr(arg)

    def window(self, window: WindowExpr) -> str:
        entries = [
            f"({self.expr(entry.lo)}, {self.expr(entry.hi)})" if isinstance(entry, Interval) else self.expr(entry)
            for entry in window.idx
        ]
        return f"view({window.name.name!r}, {local(window.name)}, ({', '.join(entries)},))"

    # ---- accesses

    def access(self, name: Sym, idx: tuple[Expr, ...], kind: str) -> tuple[str, str, list[str]]:
        """The condition under which an access is in bounds (empty: always), its place in the data list, and the indices.

        The condition binds indices that are not plain to temporaries, and the place uses them.
        """
        x = local(name)
        texts = [self.expr(index) for index in idx]
        tests, terms, points = [], [], []
        for dim, text in enumerate(texts):
            point = text if text.isidentifier() or text.isdigit() else self.fresh("i")
            tests.append(f"0 <= {point if point is text else f'({point} := {text})'} < {x}_n{dim}")
            points.append(point)
            innermost = dim == len(texts) - 1 and name in self.dense_locals
            terms.append(point if innermost else f"{point} * {x}_s{dim}")
        place = " + ".join(terms if name in self.dense_locals else [f"{x}_off", *terms]) or "0"
        if self.compiler.traced:
            index = "".join(f"{point}, " for point in points)
            place = f"state.touch({kind!r}, {self.constant(name)}, ({index}), {x}_data, {place})"
        return " and ".join(tests), place, texts

    def out_of_bounds(self, name: Sym, indices: list[str]) -> str:
        shape = "".join(f"{local(name)}_n{dim}, " for dim in range(len(indices)))
        return f"oob({name.name!r}, ({', '.join(indices)},), ({shape}))"

    def read(self, read: Read) -> str:
        if not isinstance(read.type, ScalarType):
            return local(read.name)
        guard, place, indices = self.access(read.name, read.idx, "read")
        value = f"{local(read.name)}_data[{place}]"
        return f"({value} if {guard} else {self.out_of_bounds(read.name, indices)})" if guard else value

    # ---- expressions

    def spilled(self, expr: Expr) -> str:
        """The text of an expression whose deep parts may be computed on lines before it."""
        self.spilling = True
        text = self.expr(expr)
        self.spilling = False
        return text

    def expr(self, expr: Expr, depth: int = 0) -> str:
        """Self-contained text of a data or control value."""
        if depth >= _DEEPEST_EXPR and self.spilling and isinstance(expr, (BinaryOp, UnaryMinus, ExternCall, Cast)):
            name = self.fresh("part")
            self.emit(f"{name} = {self.operation(expr, 0)}")
            return name
        return self.operation(expr, depth + 1)

    def operation(self, expr: Expr, depth: int) -> str:
        match expr:
            case Read():
                return self.read(expr)
            case Literal():
                return self.literal(expr)
            case UnaryMinus():
                arg = self.expr(expr.arg, depth)
                return self.arith.negate(expr.type, arg) if isinstance(expr.type, ScalarType) else f"(-{arg})"
            case BinaryOp():
                return self.binary(expr, self.expr(expr.lhs, depth), self.expr(expr.rhs, depth))
            case ExternCall():
                return self.extern(expr, [self.expr(arg, depth) for arg in expr.args])
            case Cast():
                assert isinstance(expr.type, ScalarType)
                return self.arith.cast(expr.arg.type, expr.type, self.expr(expr.arg, depth))
            case StrideExpr():
                return f"{local(expr.name)}_s{expr.dim}"
            case ReadConfig():
                return f"state.configs[{self.constant((expr.config, expr.field))}]"
            case WindowExpr():
                return self.window(expr)
            case _:
                raise AssertionError(expr)

    def literal(self, literal: Literal) -> str:
        if isinstance(literal.type, ScalarType):
            value = self.arith.literal(literal.value, literal.type)
            text = repr(value)
            return text if text.isdigit() else self.constant(value)
        return str(literal.value) if literal.value is True or literal.value >= 0 else f"({literal.value})"

    def binary(self, expr: BinaryOp, lhs: str, rhs: str) -> str:
        if isinstance(expr.type, ScalarType):
            return self.arith.binary(expr.op, expr.type, lhs, rhs)
        if isinstance(expr.lhs.type, ScalarType):
            return self.arith.compare(expr.op, lhs, rhs)
        return f"({lhs} {'//' if expr.op == '/' else expr.op} {rhs})"

    def extern(self, call: ExternCall, args: list[str]) -> str:
        if not isinstance(call.type, ScalarType):
            return f"{call.fn.name}({', '.join(args)})"
        text = self.arith.call(call.fn, call.type, args)
        if text is None:
            text = f"{self.constant(self.arith.extern(call.fn, call.type))}({', '.join(args)})"
        return text


def local(name: Sym) -> str:
    """The Python name of a name: unique, and none of the helpers'."""
    return f"{name.name}_{name.number}"


def _tuple(stem: str, rank: int) -> str:
    """Targets of an unpacking assignment."""
    return f"{stem}0," if rank == 1 else ", ".join(f"{stem}{dim}" for dim in range(rank))


def _needs_objects(proc: Proc) -> frozenset[Sym]:
    """The names that are passed on or viewed, for which a Buffer object must exist beside the locals."""
    names: set[Sym] = set()
    for node in walk_block(proc.body):
        match node:
            case WindowExpr(name=name):
                names.add(name)
            case Call(args=args):
                names.update(arg.name for arg in args if isinstance(arg, Read))
            case _:
                pass
    return frozenset(names)
