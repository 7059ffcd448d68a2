"""Procedures that call one instruction, so that a backend turns its template into something callable.

What lies in main memory is an argument of the driver, with the instruction's own assertions about it. What lies in another
memory is allocated there by the driver, brought in from an argument before the call and out again after it, between two
neighbours that must stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from usl_conformance.configs import Setup
from usl_conformance.controls import Controls, evaluate, shape_of
from usl_conformance.layouts import stored_shape
from usl_conformance.transfer import Route, copy_in, copy_out, literal_of, tensor, window_of
from usl_core.interp import dense_strides
from usl_core.ir.memory import DRAM, Memory, MemoryClass
from usl_core.ir.nodes import (
    Alloc,
    Arg,
    BinaryOp,
    Call,
    Expr,
    Node,
    Proc,
    Read,
    Stmt,
    StrideExpr,
    index_literal,
    index_read,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import rename, rewrite, substitute, walk
from usl_core.ir.types import BOOL, INDEX, SIZE, ScalarType, TensorType, Type


def passes_through(arg: Arg) -> bool:
    """Whether C can hand the argument over by its address: scalars, and memories with addresses as main memory has them,
    whoever may touch what is there."""
    if not isinstance(arg.type, TensorType):
        return True
    mem = arg.mem or DRAM
    return mem.addressable and mem.window.__func__ is Memory.window.__func__  # type: ignore[attr-defined]


def depends_on_controls(arg: Arg) -> bool:
    """Whether an argument's shape is known only with the values of the control formals."""
    return isinstance(arg.type, TensorType) and any(
        isinstance(node, Read) for extent in arg.type.shape for node in walk(extent)
    )


@dataclass(frozen=True, slots=True)
class Driver:
    """A procedure with one formal for each of the instruction's, in order, of the same spelling.

    Without control formals if `fixed` gives their values. The formals of setup's free fields and of its data follow.
    slots[name] is 0 for formals that are passed through. strides are those, of formals and dimensions, that follow as numbers:
    the configuration is computed from them.
    """

    proc: Proc
    fixed: Controls | None
    slots: Mapping[Sym, int]
    setup: Setup
    strides: tuple[tuple[Sym, int], ...] = ()


def make_driver(
    name: str,
    instr: Proc,
    controls: Controls | None,
    routes: Mapping[Sym, Route],
    shared: Mapping[Sym, Sym],
    setup: Setup,
) -> Driver:
    """The driver of instr. controls fixes its control arguments; shared makes a routed formal the same as another one.

    setup establishes the configuration that instr needs, after everything is in its memory.
    """
    fixed = {} if controls is None else {sym: literal_of(value) for sym, value in controls.items()}
    building = _Building((*instr.args, *setup.free), instr, fixed, routes, shared)
    for arg in building.inputs:
        building.add(arg)
    building.establish(setup)
    proc = building.proc(name, setup)
    slots = {arg.name: routes[arg.name].slots if arg.name in routes else 0 for arg in instr.args}
    return Driver(proc, controls, slots, setup, tuple(building.strides))


@dataclass
class _Building:
    """A driver under way: inputs, formals, what comes before and after the call, and the call's arguments."""

    inputs: Sequence[Arg]
    instr: Proc
    fixed: Mapping[Sym, Expr]
    routes: Mapping[Sym, Route]
    shared: Mapping[Sym, Sym]
    fresh: dict[Sym, Sym] = field(default_factory=dict)
    formals: list[Arg] = field(default_factory=list)
    before: list[Stmt] = field(default_factory=list)
    after: list[Stmt] = field(default_factory=list)
    actuals: dict[Sym, Expr] = field(default_factory=dict)
    strides: dict[tuple[Sym, int], Sym] = field(default_factory=dict)
    """Formals for strides of what is passed through, which have no bounds that a calculation could rely on."""

    def __post_init__(self) -> None:
        self.fresh = {arg.name: arg.name.copy() for arg in self.inputs}

    def add(self, arg: Arg) -> None:
        """One formal of the instruction, or of a free field."""
        if arg.name in self.fixed:
            self.actuals[arg.name] = self.fixed[arg.name]
        elif arg.name in self.shared and arg.name in self.routes:
            self.actuals[arg.name] = self.actuals[self.shared[arg.name]]
        elif arg.name in self.routes:
            whole = _extents(self.instr, arg, self.fixed, self.routes[arg.name])
            formal, register = _routed(arg, self.fresh[arg.name], self.fixed, self.routes[arg.name], whole)
            self.formals.append(formal)
            self.before += register.enter
            self.after += register.leave
            self.actuals[arg.name] = register.window
        else:
            typ = _renamed_type(arg, self.fixed, self.fresh)
            self.formals.append(Arg(self.fresh[arg.name], typ, arg.mem))
            self.actuals[arg.name] = Read(self.fresh[arg.name], (), type=INDEX if typ is SIZE else typ)

    def establish(self, setup: Setup) -> None:
        """The configuration, and formals for its data."""
        own_strides = _own_strides(self.instr, self.fixed, self.routes)

        def place(expr: Expr) -> Expr:
            known = rewrite(substitute(expr, self.fixed), own_strides)
            return rename(known if isinstance(known, StrideExpr) else rewrite(known, self._stride), self.fresh)

        data = {arg.name: Arg(arg.name.copy(), arg.type, arg.mem) for arg in setup.data.values()}
        self.formals += data.values()
        self.before += setup.calls(place, {name: Read(arg.name, (), type=arg.type) for name, arg in data.items()})

    def _stride(self, node: Node) -> Node | None:
        if not isinstance(node, StrideExpr):
            return None
        formal = self.strides.setdefault((node.name, node.dim), Sym(f"{node.name.name}_stride{node.dim}"))
        return index_read(formal)

    def proc(self, name: str, setup: Setup) -> Proc:
        preds = [
            rewrite(pred, self._stride) if _calculates(pred) else pred
            for pred in setup.preds(self.instr)
            if not _mentions(pred, self.routes)
        ]
        kept = tuple(
            arg.name.name for arg in self.instr.args if arg.name.name in self.instr.aliasable and arg.name not in self.routes
        )
        self.formals += [Arg(formal, INDEX, None) for formal in self.strides.values()]
        preds += [
            BinaryOp("==", StrideExpr(name, dim, type=INDEX), index_read(formal), type=BOOL)
            for (name, dim), formal in self.strides.items()
        ]
        call = Call(self.instr, tuple(self.actuals[arg.name] for arg in self.instr.args))
        return Proc(
            name,
            tuple(self.formals),
            tuple(rename(substitute(pred, self.fixed), self.fresh) for pred in preds),
            (*self.before, call, *self.after),
            None,
            kept,
        )


def _renamed_type(arg: Arg, fixed: Mapping[Sym, Expr], fresh: Mapping[Sym, Sym]) -> Type:
    if not isinstance(arg.type, TensorType):
        return arg.type
    shape = tuple(rename(substitute(extent, fixed), fresh) for extent in arg.type.shape)
    return TensorType(arg.type.scalar, shape, arg.type.window)


def _calculates(pred: Expr) -> bool:
    """Whether an assertion calculates with a stride."""
    sums = (node for node in walk(pred) if isinstance(node, BinaryOp) and node.op in ("+", "-", "*", "/", "%"))
    return any(isinstance(node, StrideExpr) for each in sums for node in walk(each))


def _mentions(pred: Expr, routes: Mapping[Sym, Route]) -> bool:
    """Whether an assertion is about a stride that the driver decides; the backend proves it then."""
    return any(isinstance(node, StrideExpr) and node.name in routes for node in walk(pred))


def _own_strides(instr: Proc, fixed: Mapping[Sym, Expr], routes: Mapping[Sym, Route]) -> Callable[[Node], Node | None]:
    """A rule that replaces strides of what the driver allocates by their values: such buffers are dense."""
    tensors = {arg.name: arg.type for arg in instr.args if isinstance(arg.type, TensorType) and arg.name in routes}

    def rule(node: Node) -> Node | None:
        if isinstance(node, StrideExpr) and node.name in tensors:
            arg = next(each for each in instr.args if each.name is node.name)
            return index_literal(dense_strides(_extents(instr, arg, fixed, routes[node.name]))[node.dim])
        return None

    return rule


# ---- buffers in other memories


@dataclass(frozen=True, slots=True)
class _Register:
    window: Expr
    enter: Sequence[Stmt]
    leave: Sequence[Stmt]


def _extents(instr: Proc, arg: Arg, fixed: Mapping[Sym, Expr], route: Route) -> tuple[int, ...]:
    """The extents of the buffer that is allocated for a formal; instructions that bring data in want it dense."""
    controls = {name: evaluate(value, {}) for name, value in fixed.items()}
    if route.load is not None:
        assert isinstance(arg.type, TensorType)
        return shape_of(arg.type, controls)
    return stored_shape(instr, arg, controls)


def _routed(arg: Arg, outside: Sym, fixed: Mapping[Sym, Expr], route: Route, whole: tuple[int, ...]) -> tuple[Arg, _Register]:
    assert isinstance(arg.type, TensorType) and arg.mem is not None
    shape = tuple(int(evaluate(substitute(extent, fixed), {})) for extent in arg.type.shape)
    return _stored(arg.type.scalar, shape, whole, arg.mem, outside, Sym(f"{arg.name.name}_in"), route)


def _stored(
    scalar: ScalarType,
    shape: tuple[int, ...],
    extents: tuple[int, ...],
    mem: MemoryClass,
    outside: Sym,
    inside: Sym,
    route: Route,
) -> tuple[Arg, _Register]:
    """A formal in main memory and a buffer in mem, with the statements that copy one to the other and back. The buffer has
    these extents, of which shape is the beginning."""
    several = (route.slots,) if route.slots > 1 else ()
    formal = Arg(outside, tensor(scalar, (*several, *shape)), DRAM)
    typ = tensor(scalar, (*several, *extents))
    alloc = Alloc(inside, typ, mem)
    middle = (index_literal(1),) if route.slots > 1 else ()
    window = window_of(inside, scalar, middle, shape)
    actual = window if several or extents != shape else Read(inside, (), type=typ)
    enter = [alloc, *copy_in(route, mem, scalar, shape, inside, outside)]
    return formal, _Register(actual, enter, copy_out(route, mem, scalar, shape, inside, outside))
