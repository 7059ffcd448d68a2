"""A procedure as a Python function: the IR is written out as Python text once, and compiled.

Text rather than closures, because control arithmetic, bounds tests and most data operations are then plain Python
expressions, several times faster than a call per node. Expressions are in `text`, operations on data in `arith`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never
from weakref import WeakKeyDictionary

from usl_core.deep import deeply
from usl_core.frontend.source import python_tree
from usl_core.interp.arith import Arithmetic
from usl_core.interp.text import Scope, Text, local
from usl_core.ir import nodes as ir
from usl_core.ir.operation import Operation
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import walk_block
from usl_core.ir.types import SIZE, ControlType, ScalarType, TensorType, scalar_of
from usl_core.ir.written import written_formals
from usl_core.records import dataclass

_DEEPEST_NEST = 12
"""Loops that may stand directly in one Python function; Python allows 20."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """function(state, *args) runs the procedure. nodes[line] is what a line of the text stands for.

    scopes[line] has for each loop around it the local that holds the iterator, and its spelling. The function's globals
    hold this record as `compiled`. Nothing refers to the procedure, so that the cache of compiled procedures can forget it.
    """

    name: str
    text: str
    function: Callable[..., None]
    nodes: tuple[ir.Node | None, ...]
    scopes: tuple[Scope, ...]


class Compiler:
    """Compiles procedures for one arithmetic, with or without reports of accesses; remembers them while they live."""

    def __init__(self, arith: Arithmetic, traced: bool) -> None:
        self.arith = arith
        self.traced = traced
        self.done: WeakKeyDictionary[ir.Proc, Compiled] = WeakKeyDictionary()

    @deeply
    def compile(self, proc: ir.Proc) -> Compiled:
        """The Python function of a procedure; its callees are compiled as well."""
        known = self.done.get(proc)
        if known is None:
            known = _Emitter(self, proc).compiled()
            self.done[proc] = known
        return known


class _Emitter(Text):
    """Writes one procedure."""

    def __init__(self, compiler: Compiler, proc: ir.Proc) -> None:
        super().__init__(compiler.arith, compiler.traced)
        self.compiler = compiler
        self.proc = proc
        self.loops = 0
        self.objects = _needs_objects(proc)

    # ---- procedure

    def compiled(self) -> Compiled:
        params = ", ".join(["state", *(local(arg.name) for arg in self.proc.args)])
        self.emit(f"def procedure({params}):")
        with self.indented():
            self.entry()
            self.block(self.proc.body)
        text = "\n".join(self.lines) + "\n"
        self.globals |= self.arith.names
        exec(compile(python_tree(text), f"<usl procedure {self.proc.name}>", "exec"), self.globals)
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

    def formal(self, arg: ir.Arg) -> None:
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

    def block(self, stmts: ir.Block) -> None:
        for stmt in stmts:
            self.node = stmt
            self.stmt(stmt)

    def stmt(self, stmt: ir.Stmt) -> None:
        match stmt:
            case ir.Assign() | ir.Reduce():
                self.store(stmt)
            case ir.AssignConfig():
                key, value = self.constant((stmt.config, stmt.field)), self.expr(stmt.rhs)
                self.emit(f"state.configure({key}, {value})" if self.compiler.traced else f"state.configs[{key}] = {value}")
            case ir.Pass():
                self.emit("pass")
            case ir.Check():
                self.emit(f"if not {self.expr(stmt.cond)}: broken({f'check failed: {show_expr(stmt.cond)}'!r})")
            case ir.If():
                self.branch("if", stmt)
            case ir.For():
                self.loop(stmt)
            case ir.Alloc():
                self.alloc(stmt)
            case ir.WindowStmt():
                self.window_stmt(stmt)
            case ir.Call():
                callee = self.constant(self.compiler.compile(stmt.proc).function)
                args = [self.argument(e) for e in stmt.args]
                self.emit(f"{callee}({', '.join(['state', *args])})")
            case _:
                assert_never(stmt)

    def store(self, stmt: ir.Assign | ir.Reduce) -> None:
        typ = scalar_of(stmt.rhs.type)
        rhs = self.expr(stmt.rhs)
        kind = "write" if isinstance(stmt, ir.Assign) else "reduce" if stmt.op == "+" else f"reduce {stmt.op}"
        guard, place, indices = self.access(stmt.name, stmt.idx, kind)
        if guard:
            self.emit(f"if not ({guard}): {self.out_of_bounds(stmt.name, indices)}")
        target = f"{local(stmt.name)}_data[{place}]"
        if isinstance(stmt, ir.Assign):
            self.emit(f"{target} = {self.arith.stored(typ, rhs)}")
            return
        if self.traced:  # a reduction is reported after the reads of its right side
            value = self.fresh("part")
            self.emit(f"{value} = {rhs}")
            rhs = value
        if not place.isalnum():
            position = self.fresh("at")
            self.emit(f"{position} = {place}")
            target = f"{local(stmt.name)}_data[{position}]"
        if isinstance(stmt.op, Operation):
            self.emit(f"{target} = {self.arith.stored(typ, self.applied(stmt.op, target, rhs))}")
        else:
            self.emit(f"{target} = {self.arith.stored(typ, self.arith.combined(stmt.op, typ, target, rhs))}")

    def applied(self, op: Operation, old: str, new: str) -> str:
        """The value of a user's operation, whose formals are scalars of their own; they are no accesses.

        It has none if an operand has none, whatever its body makes of them: so reductions by it may change places.
        """
        for formal, value in zip(op.formals, (old, new), strict=True):
            self.dense_locals.add(formal)
            self.emit(f"{local(formal)}_data = ({value},)")
        traced, self.traced = self.traced, False
        text = self.expr(op.body)
        self.traced = traced
        return f"strict({', '.join(f'{local(formal)}_data[0]' for formal in op.formals)}, {text})"

    def branch(self, word: str, stmt: ir.If) -> None:
        self.spilling = word == "if"
        cond = self.expr(stmt.cond)
        self.spilling = True
        self.emit(f"{word} {cond}:")
        with self.indented():
            self.block(stmt.body)
        match stmt.orelse:
            case ():
                pass
            case (ir.If() as other,):  # elif keeps a long chain flat: Python limits the depth of indentation
                self.node = other
                self.branch("elif", other)
            case _:
                self.emit("else:")
                with self.indented():
                    self.block(stmt.orelse)

    def loop(self, stmt: ir.For) -> None:
        outlined = self.fresh("nest") if self.loops == _DEEPEST_NEST else None
        before, self.loops = self.loops, (0 if outlined else self.loops) + 1
        if outlined:
            self.emit(f"def {outlined}():")
            self.indent += 1
        name = local(stmt.iter)
        over = "seq" if stmt.mode is ir.LoopMode.SEQ else "state.par"
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

    def alloc(self, stmt: ir.Alloc) -> None:
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

    def window_stmt(self, stmt: ir.WindowStmt) -> None:
        name = local(stmt.name)
        rank = sum(isinstance(entry, ir.Interval) for entry in stmt.rhs.idx)
        self.emit(f"{name} = {self.window(stmt.rhs)}")
        self.emit(f"{name}_data = {name}.data; {name}_off = {name}.offset")
        self.emit(f"{_tuple(f'{name}_n', rank)} = {name}.shape; {_tuple(f'{name}_s', rank)} = {name}.strides")

    def argument(self, arg: ir.Expr) -> str:
        match arg:
            case ir.WindowExpr():
                return self.window(arg)
            case ir.Read(name=name, idx=(), type=ScalarType() | TensorType()):
                return local(name)
            case ir.Read(name=name, type=ScalarType()):
                indices = ", ".join(self.expr(index) for index in arg.idx)
                return f"element({name.name!r}, {local(name)}, {indices})"
            case ir.Literal(type=ScalarType() as scalar) | ir.ReadConfig(type=ScalarType() as scalar):
                return f"Buffer({self.constant(scalar)}, (), [{self.expr(arg)}])"
            case ir.ExprBase():
                return self.expr(arg)


def _tuple(stem: str, rank: int) -> str:
    """Targets of an unpacking assignment."""
    return f"{stem}0," if rank == 1 else ", ".join(f"{stem}{dim}" for dim in range(rank))


def _needs_objects(proc: ir.Proc) -> frozenset[Sym]:
    """The names that are passed on or viewed, for which a Buffer object must exist beside the locals."""
    names: set[Sym] = set()
    for node in walk_block(proc.body):
        if isinstance(node, ir.WindowExpr):
            names.add(node.name)
        elif isinstance(node, ir.Call):
            names.update(arg.name for arg in node.args if isinstance(arg, ir.Read))
    return frozenset(names)
